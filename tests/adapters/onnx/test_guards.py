"""What two questions at load change for a graph: how texts share a run, and whether there is a log-likelihood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs biascore[export]")
pytest.importorskip("onnxruntime", reason="needs biascore[onnx]")
transformers = pytest.importorskip("transformers", reason="needs biascore[onnx]")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from biascore import Engine  # noqa: E402
from biascore.api.adapters import ModelRef  # noqa: E402
from biascore.api.queries import Text  # noqa: E402
from biascore.errors import CapabilityError, ModelLoadError  # noqa: E402
from biascore_adapters.onnx.locate import find  # noqa: E402
from biascore_adapters.transformer.folder import ModelFolder  # noqa: E402

from ...builders import tiny  # noqa: E402

TEXTS = [Text("nurse"), Text("The nurse and the engineer walked home together"), Text("queen and king")]
WIDTH = 6


def write(folder: Path, layer: str, architecture: str, outputs: tuple[str, ...]) -> np.ndarray[Any, Any]:
    """A folder with a graph of one layer over a table of vectors; returns the table."""
    tokenizer = tiny.tokenizer_of("llama")
    tokenizer.save_pretrained(folder)
    config = tiny.config_of("llama", len(tokenizer)).to_dict() | {"architectures": [architecture]}
    (folder / "config.json").write_text(json.dumps(config))
    rng = np.random.default_rng(1)
    table = rng.normal(size=(len(tokenizer), WIDTH)).astype(np.float32)
    weights = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(rng.normal(size=(WIDTH, len(tokenizer))).astype(np.float32), "head"),
        numpy_helper.from_array(np.array(1), "axis"),
    ]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["read"])]
    if layer == "left":
        nodes += [helper.make_node("CumSum", ["read", "axis"], ["last_hidden_state"])]
    else:  # the mean of all, padding included
        nodes += [helper.make_node("ReduceMean", ["read"], ["mean"], axes=[1], keepdims=1)]
        nodes += [helper.make_node("Add", ["read", "mean"], ["last_hidden_state"])]
    nodes += [helper.make_node("MatMul", ["last_hidden_state", "head"], ["logits"])]
    graph = helper.make_graph(
        nodes,
        layer,
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ("n", "t"))
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return table


def test_padding_that_moves_states_never_shares_a_run(engine: Engine, tmp_path: Path) -> None:
    table = write(tmp_path, "mean", "LlamaModel", ("last_hidden_state",))
    with engine.model(f"onnx:{tmp_path}") as model:
        assert "only texts of equal length" in str(model.identity.facts["padding"])
        vectors = model.embed(TEXTS, "sentence")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for text, vector in zip(TEXTS, vectors, strict=True):
        read = table[tokenizer(text.text)["input_ids"]]
        np.testing.assert_allclose(vector, read[-1] + read.mean(0), atol=1e-5)


@pytest.mark.parametrize("outputs", [("last_hidden_state", "logits"), ("logits",)])
def test_no_log_likelihood_where_a_token_sees_those_after_it(
    outputs: tuple[str, ...], engine: Engine, tmp_path: Path
) -> None:
    write(tmp_path, "mean", "LlamaForCausalLM", outputs)
    if "last_hidden_state" not in outputs:
        with pytest.raises(
            ModelLoadError, match="gives only logits, which are not used: a token of this model"
        ):
            engine.model(f"onnx:{tmp_path}")
        return
    with engine.model(f"onnx:{tmp_path}") as model:
        assert model.capabilities == {"embed"}
        assert model.identity.facts["context"] == "a token sees the whole text"
        with pytest.raises(CapabilityError, match=r"cannot score; it can embed .*sees the whole text"):
            model.score(["the nurse"], "log_likelihood")


@pytest.mark.parametrize("outputs", [("last_hidden_state", "logits"), ("logits",)])
def test_a_decoder_is_seen_to_be_one(outputs: tuple[str, ...], engine: Engine, tmp_path: Path) -> None:
    write(tmp_path, "left", "LlamaForCausalLM", outputs)
    with engine.model(f"onnx:{tmp_path}") as model:
        assert model.identity.facts["context"] == "a token sees those before it"
        assert model.identity.facts["padding"] == "moves no state"
        assert np.isfinite(model.score(["the nurse"], "log_likelihood")).all()


@pytest.mark.parametrize("exported", [False, True])
def test_a_tokenizer_whose_length_is_no_number(engine: Engine, tmp_path: Path, *, exported: bool) -> None:
    rows = len(write(tmp_path, "left", "LlamaForCausalLM", ("last_hidden_state", "logits")))
    settings = tmp_path / "tokenizer_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"model_max_length": ["many"]}))
    if exported:
        stated = {
            "format": 1,
            "kind": "causal",
            "causal": True,
            "max_tokens": 8,
            "rows": rows,
            "tokens": rows,
            "pad": 0,
        }
        (tmp_path / "biascore_onnx.json").write_text(json.dumps(stated))
    with pytest.raises(ModelLoadError, match=r"states \['many'\] as the longest text"):
        engine.model(f"onnx:{tmp_path}")


def test_weights_of_a_sparse_tensor_are_part_of_what_identifies_the_model(tmp_path: Path) -> None:
    def found(content: bytes, name: str = "hidden.bin") -> ModelFolder:
        write(tmp_path, "left", "LlamaModel", ("last_hidden_state",))
        model = onnx.load(tmp_path / "model.onnx")
        sparse = model.graph.sparse_initializer.add(dims=[4])
        sparse.values.name, sparse.values.data_type = "sparse", TensorProto.FLOAT
        sparse.values.dims.append(4)
        sparse.values.data_location = TensorProto.EXTERNAL
        sparse.values.external_data.add(key="location", value=name)
        sparse.indices.CopyFrom(numpy_helper.from_array(np.arange(4), "indices"))
        (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
        (tmp_path / "hidden.bin").write_bytes(content)
        return find(ModelRef("onnx", str(tmp_path))).files

    digests = set()
    for number in (0, 1):
        files = found(bytes([number] * 16))
        assert [file.name for file in files.weights] == ["model.onnx", "hidden.bin"]
        digests.add(files.digest())
    assert len(digests) == 2
    for name in ("../hidden.bin", "..\\hidden.bin", "/hidden.bin"):
        with pytest.raises(ModelLoadError, match="outside its folder"):
            found(b"", name)
