"""Code that a folder brings for its model runs only where the user accepts it, and the run says so."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.queries import Text  # noqa: E402
from biascore.archive.verify import verify_run  # noqa: E402
from biascore.errors import CapabilityError, ModelLoadError, OptionsError  # noqa: E402
from biascore.exporting.forms import exported  # noqa: E402
from biascore.results.table_notes import conventions  # noqa: E402

from ...builders import tiny  # noqa: E402

HIDDEN = 32
MODELING = """
import os
from pathlib import Path

import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from .configuration import OwnConfig
from .parts import SCALE

if os.environ.get("OWN_CODE_RAN"):
    Path(os.environ["OWN_CODE_RAN"]).touch()


class OwnModel(PreTrainedModel):
    config_class = OwnConfig
    base_model_prefix = "own"

    def __init__(self, config):
        super().__init__(config)
        self.table = torch.nn.Embedding(config.vocab_size, config.hidden_size)
        self.post_init()

    def get_input_embeddings(self):
        return self.table

    def forward(self, input_ids=None, attention_mask=None, token_type_ids=None, **_):
        return BaseModelOutput(last_hidden_state=SCALE * self.table(input_ids))
"""
CONFIGURATION = """
from transformers import PreTrainedConfig


class OwnConfig(PreTrainedConfig):
    model_type = "own-embeddings"
"""
MAP = {"AutoConfig": "configuration.OwnConfig", "AutoModel": "modeling.OwnModel"}
WORDS = {
    "X": ["queen", "mother", "nurse", "her"],
    "Y": ["king", "father", "carpenter", "his"],
    "A": ["poetry", "home", "dog", "fox"],
    "B": ["mathematics", "office", "work", "programmer"],
}
TRUSTED = {"trust_remote_code": True}


@pytest.fixture(autouse=True)
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What the model's code touches when it runs; transformers keeps its copy of the code within the test's folder."""
    monkeypatch.setenv("OWN_CODE_RAN", str(tmp_path / "ran"))
    modules = tmp_path / "modules"
    monkeypatch.setattr(transformers.dynamic_module_utils, "HF_MODULES_CACHE", str(modules))
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path / "ran"
    for name in [name for name in sys.modules if name.startswith("transformers_modules")]:
        del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of an architecture that only its own files know."""
    from safetensors.torch import save_file

    made = tmp_path / "own model"
    tokenizer = tiny.tokenizer_of("roberta")
    tokenizer.model_max_length = tiny.CONTEXT
    tokenizer.save_pretrained(made)
    config = {"model_type": "own-embeddings", "architectures": ["OwnModel"], "auto_map": MAP}
    (made / "config.json").write_text(
        json.dumps({**config, "vocab_size": len(tokenizer), "hidden_size": HIDDEN})
    )
    (made / "modeling.py").write_text(MODELING)
    (made / "configuration.py").write_text(CONFIGURATION)
    (made / "parts.py").write_text("SCALE = 2.0\n")
    table = torch.randn(len(tokenizer), HIDDEN, generator=torch.Generator().manual_seed(1))
    save_file({"table.weight": table}, made / "model.safetensors", metadata={"format": "pt"})
    return made


def test_code_runs_only_where_it_is_accepted(folder: Path, ran: Path, opened: Callable[..., Any]) -> None:
    with pytest.raises(ModelLoadError, match=r"trust_remote_code=true runs that code with all your rights"):
        opened(folder)
    with pytest.raises(ModelLoadError, match="trust_remote_code"):
        opened(folder, native_code=True)
    assert not ran.exists()
    backend = opened(folder, **TRUSTED)
    assert ran.exists()
    assert backend.identity.facts["code"] == (
        "the folder's own, by its author (configuration.py, modeling.py, parts.py), run with trust_remote_code=true"
    )
    # Twice the mean of the table's rows is what this code computes, and transformers' none.
    from safetensors.torch import load_file

    ids = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)("the nurse")[
        "input_ids"
    ]
    table = load_file(folder / "model.safetensors")["table.weight"][ids].numpy()
    backend = opened(folder, **TRUSTED, sentence="mean")
    np.testing.assert_allclose(
        backend.embed((Text("the nurse"),), "sentence")[0], 2 * table.mean(0), atol=1e-5
    )


def test_the_digest_covers_the_code(folder: Path, opened: Callable[..., Any]) -> None:
    before = opened(folder, **TRUSTED)
    (folder / "parts.py").write_text("SCALE = 4.0\n")
    after = opened(folder, **TRUSTED)
    assert before.identity.digest != after.identity.digest
    texts = (Text("the nurse"), Text("a programmer"))
    np.testing.assert_allclose(after.embed(texts, "sentence"), 2 * before.embed(texts, "sentence"), rtol=1e-6)
    # The first one was not changed by it: each model of a process runs the code that its digest is of.
    again = opened(folder, **TRUSTED)
    np.testing.assert_array_equal(again.embed(texts, "sentence"), after.embed(texts, "sentence"))


@pytest.mark.parametrize(
    ("options", "auto_map", "error", "message"),
    [
        ({"native_code": True}, MAP, OptionsError, "Set one of them"),
        ({}, None, OptionsError, "names no Python code of its own .*would mean nothing. Leave it out"),
        (
            {},
            {**MAP, "AutoModel": "someone/else--modeling.OwnModel"},
            ModelLoadError,
            "no class of a file in this",
        ),
        (
            {},
            {**MAP, "AutoModel": "../../modeling.OwnModel"},
            ModelLoadError,
            "no class of a file in this folder",
        ),
        ({}, {**MAP, "AutoModel": "absent.OwnModel"}, ModelLoadError, r"lacks absent\.py"),
        ({}, {"AutoModel": "modeling.OwnModel"}, ModelLoadError, "model_type 'own-embeddings'"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_any_code_runs(
    folder: Path,
    ran: Path,
    opened: Callable[..., Any],
    options: dict[str, bool],
    auto_map: dict[str, str] | None,
    error: type[Exception],
    message: str,
) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "auto_map": auto_map}))
    with pytest.raises(error, match=message):
        opened(folder, **TRUSTED, **options)
    assert not ran.exists()


def test_code_that_fails_is_told_as_such(folder: Path, opened: Callable[..., Any]) -> None:
    (folder / "parts.py").write_text("raise RuntimeError('needs a newer one')\n")
    with pytest.raises(ModelLoadError, match=r"needs a newer one.*see what its authors say"):
        opened(folder, **TRUSTED)


def test_a_model_of_its_own_code_is_neither_exported_nor_trained(
    folder: Path, tmp_path: Path, opened: Callable[..., Any]
) -> None:
    with pytest.raises(CapabilityError, match="only models of transformers' code are exported"):
        opened(folder, **TRUSTED).export(tmp_path)


@pytest.mark.slow
def test_the_run_and_all_that_is_made_of_it_say_so(folder: Path, ran: Path, tmp_path: Path) -> None:
    engine = Engine(cache=None)
    model = engine.model(f"hf:{folder}", name="own", sentence="mean", **TRUSTED)
    run = engine.measure("weat", model, WORDS, draws=1000, resamples=100)
    model.close()
    (measurement,) = run
    assert measurement.conventions["code of the model"].startswith("its author's own")
    assert run.models[0].explicit_options == {"sentence": "mean", **TRUSTED}
    assert any("its author's own" in line for line in conventions(run))  # of the terminal, and of notebooks
    assert "trust_remote_code" in run.report(tmp_path / "report.html").read_text()
    for form in ("model-card", "md", "every-eval-ever"):
        assert "code of the model" in "".join(one.text for one in exported(run, form, engine.plugins)), form
    # Who reads a run has not agreed to run its author's code.
    run.save(tmp_path / "run")
    ran.unlink()
    (check,) = [one for one in verify_run(tmp_path / "run", models=True) if one.what == "model own"]
    assert check.outcome == "not here"
    assert "verify runs none" in check.detail
    assert not ran.exists()
