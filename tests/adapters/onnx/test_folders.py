"""Graphs that other programs wrote, and folders that are missing something, damaged, or of two models."""

from __future__ import annotations

import importlib.util
import json
import logging
import shutil
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
import transformers
from onnx import TensorProto, helper, numpy_helper

from biascore import Engine
from biascore.api.queries import Masked, Text
from biascore.errors import MissingExtraError, ModelLoadError, OptionsError, QuestionError

from ...builders import tiny

WIDTH = 6
Folder = Callable[..., Path]


class Bag:
    """A graph of a model that looks at one token at a time, so that numpy knows every answer."""

    def __init__(self, rows: int, labels: int | None = None) -> None:
        rng = np.random.default_rng(rows)
        self.table = rng.normal(size=(rows, WIDTH)).astype(np.float32)
        self.head = rng.normal(size=(WIDTH, labels or rows)).astype(np.float32)
        self.labels = labels

    def log_p(self, at: int, token: int) -> float:
        logits = self.table[at].astype(np.float64) @ self.head
        return float(logits[token] - np.log(np.exp(logits).sum()))

    def graph(
        self,
        outputs: tuple[str, ...] = ("last_hidden_state", "logits"),
        inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
        kind: int = TensorProto.INT64,
        opset: int = 17,
        axes: tuple[int | str, int | str] = ("n", "t"),
    ) -> onnx.ModelProto:
        nodes = [helper.make_node("Gather", ["table", "input_ids"], ["states"])]
        pooled = "states"
        if self.labels:
            nodes += [helper.make_node("ReduceMax", ["states"], ["pooled"], axes=[1], keepdims=0)]
            pooled = "pooled"
        nodes += [helper.make_node("MatMul", [pooled, "head"], ["scored"])]
        source = {"last_hidden_state": "states", "logits": "scored"}
        nodes += [helper.make_node("Identity", [source.get(name, "states")], [name]) for name in outputs]
        weights = [numpy_helper.from_array(self.table, "table"), numpy_helper.from_array(self.head, "head")]
        graph = helper.make_graph(
            nodes,
            "bag",
            [helper.make_tensor_value_info(name, kind, axes) for name in inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            weights,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """``folder(kind, architecture, graph, **config)``: tokenizer, config.json and model.onnx."""

    def make(
        architecture: str = "BertForMaskedLM",
        kind: str = "bert-uncased",
        graph: onnx.ModelProto | bytes | None = None,
        **config: Any,
    ) -> Path:
        path = tmp_path / "model"
        tokenizer = tiny.tokenizer_of(kind)
        tokenizer.save_pretrained(path)
        stated = tiny.config_of(kind, len(tokenizer)).to_dict() | {"architectures": [architecture]} | config
        (path / "config.json").write_text(json.dumps(stated))
        graph = Bag(len(tokenizer)).graph() if graph is None else graph
        data = graph if isinstance(graph, bytes) else graph.SerializeToString()
        (path / "model.onnx").write_bytes(data)
        return path

    return make


def rows_of(kind: str = "bert-uncased") -> int:
    return len(tiny.tokenizer_of(kind))


def tokenizer_in(path: Path) -> Any:
    """The folder's own: two trainings on the same text may number their tokens differently."""
    return transformers.AutoTokenizer.from_pretrained(path)


def refused(engine: Engine, path: Path, match: str, **options: Any) -> None:
    with pytest.raises(ModelLoadError, match=match):
        engine.model(f"onnx:{path}", **options)


def test_a_plain_graph_of_a_masked_model(engine: Engine, folder: Folder) -> None:
    bag, path = Bag(rows_of()), folder()
    tokenizer = tokenizer_in(path)
    with engine.model(f"onnx:{path}") as model:
        assert model.capabilities == {"embed", "mask_logprob"}
        assert model.identity.facts["exported_by"] == "another program"
        assert model.identity.facts["max_tokens"] == tiny.CONTEXT
        answer = model.mask_logprob([Masked("the nurse", None)])[0]
        vector = model.embed([Text("the nurse")])[0]
    ids = tokenizer("the nurse")["input_ids"]
    assert answer.logprobs == pytest.approx(
        [bag.log_p(tokenizer.mask_token_id, i) for i in ids[1:-1]], abs=1e-5
    )
    np.testing.assert_allclose(vector, bag.table[ids[0]], atol=1e-6)


def test_logits_alone_and_32_bit_inputs(engine: Engine, folder: Folder) -> None:
    bag = Bag(rows_of("gpt2-no-bos"))
    graph = bag.graph(
        outputs=("logits",), inputs=("input_ids", "attention_mask", "position_ids"), kind=TensorProto.INT32
    )
    path = folder("GPT2LMHeadModel", "gpt2-no-bos", graph)
    with engine.model(f"onnx:{path}") as model:
        assert model.capabilities == {"score", "choose", "generate"}
        assert "first token of a text is not scored" in str(model.identity.facts["bos"])
        score = model.score(["the nurse walked"], "log_likelihood")[0]
        with pytest.raises(QuestionError, match="one token"):
            model.score(["a"], "log_likelihood")
    ids = tokenizer_in(path)("the nurse walked")["input_ids"]
    expected = sum(bag.log_p(one, other) for one, other in pairwise(ids))
    assert score == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("problem", "labels"), [("regression", 2), ("multi_label_classification", 3), (None, 3), (None, 1)]
)
def test_a_head_gives_its_labels_in_their_unit(
    problem: str | None, labels: int, engine: Engine, folder: Folder
) -> None:
    names = {str(i): f"feeling-{i}" for i in range(labels)}
    bag = Bag(rows_of(), labels)
    path = folder(
        "BertForSequenceClassification", graph=bag.graph(("logits",)), id2label=names, problem_type=problem
    )
    with engine.model(f"onnx:{path}") as model:
        assert model.identity.quantities == tuple(names.values())
        found = [model.score(["the nurse"], name)[0] for name in names.values()]
    states = bag.table[tokenizer_in(path)("the nurse")["input_ids"]]
    logits = torch.tensor(states.max(0).astype(np.float64) @ bag.head)
    expected = {"regression": logits, "multi_label_classification": logits.sigmoid()}.get(
        str(problem), logits.softmax(-1) if labels > 1 else logits
    )
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-5)
    emotions = tuple(f"EMOTION {i}" for i in range(labels))
    with engine.model(f"onnx:{path}", labels=emotions, activation="none") as model:
        raw = [model.score(["the nurse"], name.lower())[0] for name in emotions]
    np.testing.assert_allclose(raw, logits.numpy(), atol=1e-5)


@pytest.mark.slow
def test_a_graph_as_other_exporters_write_it(
    engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = tiny.save_model("bert-uncased", tmp_path / "torch", 5, num_hidden_layers=1)
    model = transformers.AutoModelForMaskedLM.from_pretrained(source, attn_implementation="eager").eval()
    ids = torch.arange(10).reshape(2, 5)
    path = Path(
        shutil.copytree(source, tmp_path / "exported", ignore=shutil.ignore_patterns("*.safetensors"))
    )
    axes = {
        name: {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
        for name in ("input_ids", "attention_mask")
    }
    with caplog.at_level(logging.ERROR), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            kwargs={"input_ids": ids, "attention_mask": torch.ones_like(ids)},
            f=path / "model.onnx",
            dynamic_shapes=axes,
            input_names=list(axes),
            output_names=["logits"],
            dynamo=True,
            verbose=False,
            external_data=True,
        )
    assert (path / "model.onnx.data").is_file()
    asked = [Masked(text, None, one_at_a_time=True) for text in ("the nurse", "queen and king, mother")]
    with engine.model(f"onnx:{path}") as one, engine.model(f"hf:{source}") as other:
        assert one.capabilities == {"mask_logprob"}
        for mine, theirs in zip(one.mask_logprob(asked), other.mask_logprob(asked), strict=True):
            np.testing.assert_allclose(mine.logprobs, theirs.logprobs, atol=1e-5)
        digest = one.identity.digest
    data = (path / "model.onnx.data").read_bytes()
    (path / "model.onnx.data").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with engine.model(f"onnx:{path}") as changed:
        assert changed.identity.digest != digest
    (path / "model.onnx.data").write_bytes(data[: len(data) // 2])
    refused(engine, path, "cannot be opened by onnxruntime")
    (path / "model.onnx.data").unlink()
    refused(engine, path, r"keeps weights in 'model\.onnx\.data', which is not in the folder")


def test_folders_that_hold_no_model(engine: Engine, folder: Folder, tmp_path: Path) -> None:
    refused(engine, tmp_path / "nowhere", "there is no folder")
    with pytest.raises(ModelLoadError, match="there is no folder"):
        engine.model("onnx:")
    path = folder()
    refused(engine, path / "model.onnx", f"names a file.*onnx:{path}")
    (path / "onnx").mkdir()
    (path / "model.onnx").rename(path / "onnx" / "model.onnx")
    refused(engine, path, r"has no model\.onnx; it holds onnx/model\.onnx")
    (path / "onnx" / "model.onnx").rename(path / "model.onnx")
    (path / "config.json").rename(path / "other.json")
    refused(engine, path, r"no config\.json")
    (path / "config.json").write_text("[1]")
    refused(engine, path, "holds no JSON object")
    (path / "config.json").write_text("{")
    refused(engine, path, r"config\.json cannot be read")
    (path / "other.json").rename(path / "config.json")
    tokenizer = (path / "tokenizer.json").read_text()
    (path / "tokenizer.json").write_text(tokenizer[:-40])
    refused(engine, path, "the tokenizer in .* cannot be read")
    (path / "tokenizer.json").unlink()
    refused(engine, path, r"has no tokenizer .*tokenizer\.save_pretrained")


@pytest.mark.parametrize("data", [b"", b"hello world", b"\x08\x09", bytes(1000), b"\xff" * 1000])
def test_files_that_are_not_onnx(data: bytes, engine: Engine, folder: Folder) -> None:
    refused(engine, folder(graph=data), "is not an ONNX file, or is truncated")


def test_truncated_anywhere(engine: Engine, folder: Folder) -> None:
    whole = Bag(rows_of()).graph().SerializeToString()
    path = folder()
    for length in range(1, len(whole) - 4, len(whole) // 25):
        (path / "model.onnx").write_bytes(whole[:length])
        refused(engine, path, "truncated|cannot be opened")


def test_flipped_bytes_are_an_error_or_another_model(engine: Engine, folder: Folder) -> None:
    whole = bytearray(Bag(rows_of()).graph().SerializeToString())
    path, rng = folder(), np.random.default_rng(0)
    with engine.model(f"onnx:{path}") as model:
        digest = model.identity.digest
    messages: list[str] = []
    structure = [*range(60), *range(len(whole) - 200, len(whole))]
    for at in rng.choice(structure, 60, replace=False):
        changed = bytearray(whole)
        changed[at] ^= 1 << int(rng.integers(8))
        (path / "model.onnx").write_bytes(bytes(changed))
        try:
            with engine.model(f"onnx:{path}") as model:
                assert model.identity.digest != digest
        except ModelLoadError as error:
            messages.append(str(error))
    assert messages
    assert all("model.onnx" in message for message in messages)


def test_an_opset_or_format_from_the_future(engine: Engine, folder: Folder) -> None:
    refused(engine, folder(graph=Bag(rows_of()).graph(opset=99)), "opset 99.*upgrade onnxruntime")
    model = Bag(rows_of()).graph()
    model.ir_version = 99
    refused(engine, folder(graph=model), "pip install --upgrade onnxruntime")


def test_inputs_that_are_missing_or_not_known(engine: Engine, folder: Folder) -> None:
    bag = Bag(rows_of())
    refused(engine, folder(graph=bag.graph(inputs=("input_ids",))), "no input 'attention_mask'")
    inputs = ("input_ids", "attention_mask", "past_key_values.0.key")
    refused(
        engine, folder(graph=bag.graph(inputs=inputs)), r"not known here, 'past_key_values\.0\.key'.*cache"
    )
    refused(engine, folder(graph=bag.graph(inputs=("input_ids", "attention_mask", "pixels"))), "'pixels'")
    inputs = ("input_ids", "attention_mask", "position_ids")
    refused(engine, folder(graph=bag.graph(inputs=inputs)), "takes position_ids, which encoders count")


def test_outputs_of_another_rank_or_name(engine: Engine, folder: Folder) -> None:
    bag = Bag(rows_of())
    refused(engine, folder(graph=bag.graph(("pooler_output",))), "neither .* but pooler_output")
    flat = bag.graph(("last_hidden_state",))
    flat.graph.node[-1].CopyFrom(
        helper.make_node("ReduceMax", ["states"], ["last_hidden_state"], axes=[1], keepdims=0)
    )
    refused(engine, folder(graph=flat), r"output 'last_hidden_state' has the shape \(1, 6\)")
    with_positions = bag.graph(inputs=("input_ids", "attention_mask", "positions"))
    refused(engine, folder(graph=with_positions), r"output 'logits' has the shape \(1, 3, ")
    fixed = bag.graph(axes=(1, 3))
    refused(engine, folder(graph=fixed), "cannot be run on 2 texts of 5 tokens.*dynamic axes")


def test_a_tokenizer_may_have_more_entries_than_the_model(engine: Engine, folder: Folder) -> None:
    """As with ``hf:``; a text that has one of those is refused."""
    rows = rows_of()
    path = folder(vocab_size=rows, graph=Bag(rows).graph())
    tokenizer = tokenizer_in(path)
    tokenizer.add_tokens(["cyborg"])
    tokenizer.save_pretrained(path)
    with engine.model(f"onnx:{path}") as model:
        assert len(model.mask_logprob([Masked("the nurse", None)])[0].logprobs) > 0
        with pytest.raises(
            QuestionError, match=f"token number {rows}, and the model has vectors for {rows} only"
        ):
            model.mask_logprob([Masked("the cyborg", None)])


def test_parts_of_two_models(engine: Engine, folder: Folder) -> None:
    rows = rows_of()
    refused(
        engine,
        folder(graph=Bag(rows + 9).graph()),
        f"{rows} tokens in the tokenizer, {rows + 9} in the graph",
    )
    refused(engine, folder(vocab_size=rows + 9), f"{rows + 9} in the config.json")
    refused(
        engine, folder(graph=Bag(rows, 3).graph()), "3 logits a text, and config.json names a language model"
    )
    head = "BertForSequenceClassification"
    two = {"0": "a", "1": "b"}
    refused(
        engine, folder(head, graph=Bag(rows, 3).graph(), id2label=two), "3 outputs, and config.json names 2"
    )
    refused(
        engine, folder("BertForTokenClassification", graph=Bag(rows).graph(("logits",))), "gives only logits"
    )
    with engine.model(f"onnx:{folder('BertForTokenClassification')}") as model:
        assert model.capabilities == {"embed"}
    path = folder()
    (path / "biascore_onnx.json").write_text('{"format": 2}')
    refused(engine, path, r"biascore_onnx\.json is not what this version")


def test_what_is_no_path(engine: Engine) -> None:
    with pytest.raises(OptionsError, match="is no path here"):
        engine.model("onnx:" + "a" * 5000)


def test_weights_outside_the_folder_are_refused(engine: Engine, folder: Folder) -> None:
    for name in ("../secret", "/etc/passwd"):
        model = Bag(rows_of()).graph()
        weights = model.graph.initializer[0]
        weights.ClearField("raw_data")
        weights.data_location = TensorProto.EXTERNAL
        weights.external_data.add(key="location", value=name)
        refused(engine, folder(graph=model), "outside its folder")


def test_positions_of_roberta_begin_after_the_padding(engine: Engine, folder: Folder) -> None:
    path = folder("RobertaForMaskedLM", "roberta", Bag(rows_of("roberta")).graph())
    config = json.loads((path / "tokenizer_config.json").read_text())
    (path / "tokenizer_config.json").write_text(json.dumps(config | {"model_max_length": 10**30}))
    with engine.model(f"onnx:{path}") as model:
        assert model.identity.facts["max_tokens"] == tiny.CONTEXT


def test_providers(engine: Engine, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder()
    for chosen in ("auto", ("CPUExecutionProvider",)):
        with engine.model(f"onnx:{path}", providers=chosen) as model:
            assert model.identity.facts["provider"] == "CPUExecutionProvider"
    refused(engine, path, "no execution provider 'Abacus'.*CPUExecutionProvider", providers=["Abacus"])
    with pytest.raises(OptionsError, match="providers"):
        engine.model(f"onnx:{path}", providers=[])
    with pytest.raises(OptionsError, match="threads"):
        engine.model(f"onnx:{path}", threads=0)
    everything = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: everything)
    asked: list[Any] = []
    session = onnxruntime.InferenceSession

    def open_on_cpu(graph: Path, options: Any, providers: list[str]) -> Any:
        asked.append(providers)
        return session(graph, options, providers=["CPUExecutionProvider"])

    monkeypatch.setattr(onnxruntime, "InferenceSession", open_on_cpu)
    engine.model(f"onnx:{path}").close()
    assert asked == [everything]
    refused(engine, path, "CUDAExecutionProvider did not start", providers=["CUDAExecutionProvider"])


def test_a_missing_extra(engine: Engine, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "onnxruntime" else found(name, *a)
    )
    with pytest.raises(MissingExtraError, match=r"pip install .*\[onnx\]'"):
        engine.model(f"onnx:{folder()}")
