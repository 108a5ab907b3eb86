"""From Python: lists in memory, adapters and backends of a notebook, without a package or a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine, WeatTest
from biascore.api.adapters import Adapter, Backend, Identity, hookimpl
from biascore.errors import AuthError, OptionsError, PluginError, StimuliError, UnknownNameError

from ..plugins.trouble import adapter_that

LISTS = {
    "X": ["nurse", "teacher", "librarian", "dancer"],
    "Y": ["engineer", "pilot", "plumber", "captain"],
    "A": ["she", "woman", "girl", "mother"],
    "B": ["he", "man", "boy", "father"],
}
FAST: dict[str, Any] = {"resamples": 100, "reference": "none"}


class Own(Backend):
    """Vectors from letters."""

    def __init__(self) -> None:
        self.identity = Identity(digest="test:own", sentence_vector="letters")

    @hookimpl
    def embed(self, texts: tuple[Any, ...]) -> Any:
        rows = [np.random.default_rng(list(one.text.encode())).normal(size=8) for one in texts]
        return np.array(rows, dtype=np.float32)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(cache=None)


def test_lists_in_memory_are_a_test(engine: Engine, tmp_path: Path) -> None:
    run = engine.measure("weat", Own(), WeatTest(**LISTS, name="jobs", language="en"), **FAST)
    again = engine.measure("weat", engine.model(Own(), name="mine"), LISTS, **FAST)
    assert (run[0].test, again[0].test) == ("en/jobs", "und/lists")
    assert run[0].headline.value == again[0].headline.value
    assert (run[0].model, again[0].model) == ("python:Own", "mine")
    (used,) = run.stimuli
    assert "Python" in used.file
    assert run.save(tmp_path / "run")


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ({**LISTS, "Z": ["x"]}, "X, Y, A, B (weat)"),
        ({**LISTS, "X": []}, "X"),
        ({**LISTS, "X": ["nurse", 3]}, "3"),
    ],
)
def test_wrong_lists_are_told_without_advice_for_the_command_line(
    engine: Engine, lists: Any, told: str
) -> None:
    with pytest.raises(StimuliError) as caught:
        engine.measure("weat", "planted:gender=1", lists, **FAST)
    assert told in str(caught.value)
    assert "--stimuli" not in str(caught.value)
    assert "biascore plugins" not in str(caught.value)


def test_an_adapter_of_a_notebook(engine: Engine) -> None:
    made = adapter_that("acme")
    assert (
        Engine(cache=None, adapters=[made]).measure("weat", "acme:x", "en/weat7", **FAST)[0].model == "acme:x"
    )
    own = Engine(cache=None)
    own.register_adapter(made)
    own.register_adapter(adapter_that("acme"))  # the cell is run again
    assert len(own.measure("weat", "acme:x", "en/weat7", **FAST)) == 1
    with pytest.raises(PluginError, match="planted"):
        own.register_adapter(adapter_that("planted"))
    with pytest.raises(PluginError, match="not a subclass of biascore's Adapter"):
        own.register_adapter(int)  # type: ignore[arg-type]


def test_a_key_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    def opened() -> None:
        os.environ["ACME_API_KEY"]

    made: type[Adapter] = adapter_that("acme", load=opened)
    made.key_env_var = "ACME_API_KEY"
    monkeypatch.delenv("ACME_API_KEY", raising=False)
    with pytest.raises(AuthError, match=r"acme:x needs a key.*export ACME_API_KEY"):
        Engine(cache=None, adapters=[made]).model("acme:x")


def test_errors_in_python_give_advice_for_python(engine: Engine) -> None:
    with pytest.raises(UnknownNameError, match=r"Engine\(stimuli=\[...\]\)"):
        engine.measure("weat", "planted:gender=1", "X")
    with pytest.raises(OptionsError, match="The metric is named first"):
        engine.measure("planted:gender=1", "weat", "en/weat7")
    with pytest.raises(UnknownNameError, match="Did you mean 'weat'"):
        engine.measure("WEAT", "planted:gender=1", "en/weat7")
