"""Exporting: what the graph and its folder hold, int8, use without torch, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import QuantType, quantize_dynamic
from typer.testing import CliRunner

from biascore import Engine
from biascore.api.queries import Masked, Text
from biascore.cli.app import app
from biascore.errors import AnswerError, CapabilityError, ModelLoadError, RunError
from biascore.models.export import PROBES, deviations, export_model
from biascore.models.model import Model
from biascore_adapters.hf.rounding import quantise

from .conftest import TEXTS, Exported, Original

pytestmark = pytest.mark.slow  # every test opens a model that was exported by torch


@pytest.mark.slow
def test_the_vocabulary_head_runs_at_the_positions_asked_for(exported: Exported) -> None:
    graph = onnx.load(exported("bert") / "model.onnx").graph
    assert [one.name for one in graph.input] == ["input_ids", "attention_mask", "token_type_ids", "positions"]
    assert {one.name: len(one.type.tensor_type.shape.dim) for one in graph.output} == {
        "last_hidden_state": 3,
        "logits": 2,
    }


@pytest.mark.slow
def test_weights_are_stored_once_and_in_one_file(
    engine: Engine, original: Original, exported: Exported
) -> None:
    folder = exported("gpt2")
    assert not list(folder.glob("*.data"))
    graph = onnx.load(folder / "model.onnx").graph
    vocabulary = json.loads((folder / "config.json").read_text())["vocab_size"]
    tables = [one for one in graph.initializer if vocabulary in one.dims]
    assert len(tables) == 1, "the head of GPT-2 shares the table of its embeddings"


@pytest.mark.slow
def test_int8_answers_and_deviates(
    engine: Engine, original: Original, exported: Exported, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = exported("bert", True)
    assert (folder / "model.onnx").stat().st_size < (exported("bert") / "model.onnx").stat().st_size
    assert not (folder / "full.onnx").exists()
    with engine.model(f"hf:{original('bert')}") as one, engine.model(f"onnx:{folder}") as other:
        found = deviations(one, other)
        assert other.identity.facts["precision"] == "quantised"
    with capsys.disabled():
        print("\nint8:", *(f"{d.quantity} {d.largest:.3f} of {d.magnitude:.1f};" for d in found))
    assert {d.quantity for d in found} == {"embed: sentence", "embed: token", "mask_logprob"}
    assert all(1e-4 < d.largest < d.magnitude for d in found)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_an_int8_answer_is_bit_for_bit_that_of_the_text_alone(
    name: str, engine: Engine, exported: Exported
) -> None:
    texts = [*TEXTS, *(text[:-1] for text in TEXTS)]  # of equal length, some of them
    asked = [Masked(text, None, one_at_a_time=True) for text in texts]

    def answers(model: Model, rows: slice) -> list[float]:
        if name == "bert":
            return [value for one in model.mask_logprob(asked[rows]) for value in one.logprobs]
        return list(model.score(texts[rows], "log_likelihood"))

    with engine.model(f"onnx:{exported(name, True)}") as model:
        together = model.embed([Text(text) for text in texts])
        alone = [model.embed([Text(text)])[0] for text in texts]
        np.testing.assert_array_equal(together, alone)
        each = [value for row in range(len(texts)) for value in answers(model, slice(row, row + 1))]
        assert answers(model, slice(None)) == each
        assert model.identity.facts["padding"].startswith("moves states")
        runtime = model._backend._runtime
        assert list(runtime.batches({0: 4, 1: 7, 2: 4})) == [[1], [0, 2]], "texts of equal length share a run"


def test_a_dynamically_quantised_graph_still_runs_one_text_at_a_time(
    engine: Engine, exported: Exported, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(exported("bert"), tmp_path / "dynamic"))
    full = onnx.load(folder / "model.onnx")
    del full.graph.value_info[:]
    quantize_dynamic(
        full, folder / "model.onnx", weight_type=QuantType.QInt8, per_channel=True, reduce_range=True
    )
    with engine.model(f"onnx:{folder}") as model:
        assert model.identity.facts["precision"] == "dynamically quantised"
        together = model.embed([Text(text) for text in TEXTS])
        alone = [model.embed([Text(text)])[0] for text in TEXTS]
    np.testing.assert_array_equal(together, alone)
    with engine.model(f"onnx:{folder}", batch_tokens=4096) as model:
        batched = model.embed([Text(text) for text in TEXTS])
    assert (batched != together).any(), "else the rule of one text a run is for nothing"


BLOCKED = """
import sys
sys.modules["torch"] = None
import numpy as np
from biascore import Engine
from biascore.api.queries import Masked, Text
engine = Engine(cache=None)
with engine.model("onnx:" + sys.argv[1]) as model:
    model.embed([Text("the nurse")])
    print(model.mask_logprob([Masked("the nurse", None)])[0].total)
assert sys.modules["torch"] is None and not [name for name in sys.modules if name.startswith("torch.")]
"""


def test_without_torch(engine: Engine, exported: Exported) -> None:
    folder = str(exported("bert"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BLOCKED, folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    with engine.model(f"onnx:{folder}") as model:
        assert float(done.stdout) == pytest.approx(model.mask_logprob([Masked("the nurse", None)])[0].total)


def test_the_digest_covers_graph_tokenizer_configuration_and_facts(
    engine: Engine, exported: Exported, tmp_path: Path
) -> None:
    digests = set()
    for name in ("", "config.json", "tokenizer.json", "biascore_onnx.json", "model.onnx"):
        folder = Path(shutil.copytree(exported("bert"), tmp_path / f"copy-{name}"))
        if name == "model.onnx":
            graph = onnx.load(folder / name)
            graph.producer_name = "another"
            onnx.save(graph, folder / name)
        elif name:
            (folder / name).write_text((folder / name).read_text() + "\n")
        with engine.model(f"onnx:{folder}") as model:
            digests.add(model.identity.digest)
    assert len(digests) == 5


@pytest.mark.parametrize("int8", [False, True])
def test_a_damaged_weight_names_the_text(
    int8: bool, engine: Engine, exported: Exported, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(exported("bert"), tmp_path / "damaged"))
    graph = onnx.load(folder / "model.onnx")
    for weights in graph.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT and len(weights.dims) == 2:
            array = onnx.numpy_helper.to_array(weights).copy()
            array[:] = np.nan
            weights.CopyFrom(onnx.numpy_helper.from_array(array, weights.name))
    if int8:
        onnx.save(graph, folder / "full.onnx")
        quantise(folder / "full.onnx", folder / "model.onnx")
    else:
        onnx.save(graph, folder / "model.onnx")
    with engine.model(f"onnx:{folder}") as model:
        with pytest.raises(AnswerError, match="no number for the text 'queen'"):
            model.embed([Text("queen")])
        with pytest.raises(AnswerError, match="'queen'"):
            model.mask_logprob([Masked("queen", None)])


def test_export_refuses_what_it_cannot_do(engine: Engine, original: Original, tmp_path: Path) -> None:
    with (
        engine.model("planted:gender=1") as model,
        pytest.raises(CapabilityError, match="cannot be exported"),
    ):
        export_model(engine.model, model, tmp_path / "new")
    with engine.model(f"hf:{original('encoder')}", dtype="bfloat16") as model:
        with pytest.raises(CapabilityError, match="only float32"):
            export_model(engine.model, model, tmp_path / "new")
        taken = tmp_path / "taken"
        taken.mkdir()
        (taken / "thesis.txt").write_text("mine")
        for overwrite in (False, True):
            with pytest.raises(RunError, match="taken"):
                export_model(engine.model, model, taken, overwrite=overwrite)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert (taken / "thesis.txt").read_text() == "mine"


def test_an_export_that_cannot_be_opened_leaves_nothing(
    engine: Engine, original: Original, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(folder: Path, **_options: Any) -> str:
        (folder / "model.onnx").write_bytes(b"nothing")
        return "onnx"

    with engine.model(f"hf:{original('encoder')}") as model:
        monkeypatch.setattr(model._backend, "export", broken)
        with pytest.raises(ModelLoadError, match=r"config\.json"):
            export_model(engine.model, model, tmp_path / "new")
    assert not list(tmp_path.iterdir())


def test_the_command_exports_and_compares(
    engine: Engine, original: Original, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["export", f"hf:{original('gpt2')}", "copy"]
    answer = json.loads(CliRunner().invoke(app, [*command, "--json"], catch_exceptions=False).stdout)
    assert answer["ref"] == "onnx:copy"
    found = {one["quantity"]: one for one in answer["deviations"]}
    scores = {
        f"score: {one}"
        for one in ("log_likelihood", "log_likelihood_start_once", "mean_log_likelihood", "token_count")
    }
    assert set(found) == {"embed: sentence", "embed: token", *scores}
    assert found["score: log_likelihood"]["values"] == len(PROBES)
    assert all(one["largest"] < 1e-3 < one["magnitude"] for one in found.values())
    record = json.loads((tmp_path / "copy" / "biascore_export.json").read_text())
    assert record["deviations"] == answer["deviations"]
    assert str(tmp_path) not in json.dumps(record)
    with pytest.raises(RunError, match="exists already"):
        CliRunner().invoke(app, command, catch_exceptions=False)
    with Engine().model("onnx:copy") as copy, engine.model(f"hf:{original('gpt2')}") as model:
        np.testing.assert_allclose(
            copy.score(TEXTS, "log_likelihood"), model.score(TEXTS, "log_likelihood"), rtol=1e-5
        )
    with engine.model(f"hf:{original('emotions')}") as model:
        export_model(engine.model, model, tmp_path / "copy", int8=True, overwrite=True)
    with engine.model("onnx:copy") as copy:
        assert copy.identity.facts["precision"] == "quantised"
        assert copy.identity.quantities == ("anger", "joy", "fear")
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
