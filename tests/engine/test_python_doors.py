"""From Python: lists in memory, adapters and backends of a notebook, without a package or a file."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from biascore import Engine, Run, WeatTest
from biascore.api.adapters import Adapter, Backend, Identity, hookimpl
from biascore.basics.several import several
from biascore.basics.surface import command_line, either
from biascore.engine.prices import Prices
from biascore.errors import (
    AuthError,
    BiascoreError,
    OptionsError,
    PluginError,
    StimuliError,
    UnknownNameError,
)
from biascore.models.executor import Cluster

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


@pytest.fixture(scope="module")
def two(engine: Engine) -> Run:
    return engine.measure("weat", ["planted:gender=1", "planted:gender=0"], "en/weat7", **FAST)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda _: Engine(cache=None, stimuli="lists"), "lists: there is no such folder"),
        (lambda d: Engine(cache=None, stimuli=str(d.folder / "en" / "own.toml")), "stimuli=['"),
        (lambda d: d.engine.measure("weat", "planted:gender=1", []), "tests names none"),
        (lambda d: d.engine.measure("weat", [], "en/weat6"), "model names none"),
        (lambda d: d.engine.measure("weat", "planted:gender=1", "en/wat6"), "Engine(stimuli=[...])"),
        (lambda d: d.engine.measure("weat-change", "planted:gender=1", "en/weat6"), "with_transform"),
        (lambda d: d.two.compare(d.two.model_copy(update={"title": "other"}), {"x": "y"}), "no model 'x'"),
        (lambda d: d.two.compare(), "models={'planted:gender=1': 'planted:gender=0'}"),
        (lambda d: d.engine.measure("weat", "planted:", "en/weat7", **FAST).compare(), "compare(old, new)"),
        (lambda d: d.two.report(d.folder / "t.tex", "junit"), "form='junit'"),
        (lambda d: d.two.report(d.folder / "t.docx"), "run.report(FILE, form=FORM)"),
        (lambda d: d.two.report(d.folder / "t.html", columns="p"), "form='csv'"),
        (lambda d: d.two.report(d.folder / "t.xml", "junit", columns="p"), "columns is for tables"),
        (lambda d: d.two.report(d.folder / "t", "no"), "Choose one of: html, pdf, md"),
        (lambda d: [d.two.save(d.folder / "run") for _ in range(2)], "overwrite=True"),
        (lambda d: [d.two.report(d.folder / "t.csv") for _ in range(2)], "overwrite=True"),
        (lambda _: Cluster(), "workers=4"),
        (lambda _: Engine(cache=None, adjust="sidak"), "adjust='sidak'"),
        (lambda _: Prices(tokens_in=1), "tokens_out"),
    ],
)  # fmt: skip
def test_what_python_is_told_names_no_option_of_the_command_line(
    engine: Engine, two: Run, tmp_path: Path, call: Any, told: str
) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "own.toml").write_text("", encoding="utf-8")
    with pytest.raises(BiascoreError) as caught:
        call(SimpleNamespace(engine=engine, two=two, folder=tmp_path))
    assert told in str(caught.value)
    assert not re.search(r"(?<![-\w])--[a-z]|\[\[", str(caught.value)), str(caught.value)


def test_while_a_command_runs_it_is_its_options() -> None:
    with command_line():
        assert either("--force", "overwrite=True") == "--force"
        with pytest.raises(OptionsError, match="--workers 4"):
            Cluster()
    assert either("--force", "overwrite=True") == "overwrite=True"


@pytest.mark.parametrize(
    ("name", "form", "holds"),
    [
        ("t.md", "", "en/weat7"), ("t.csv", "", "en/weat7"), ("t.tex", "", "\\begin{tabl"),
        ("t.json", "", '"schema_version"'), ("t.xml", "", "<testsuites"), ("t", "junit", "<testsuites"),
        ("t.txt", "latex", "\\begin{tabl"),
    ],
)  # fmt: skip
def test_a_run_is_written_in_every_form(two: Run, tmp_path: Path, name: str, form: str, holds: str) -> None:
    path = two.report(tmp_path / name, form)
    assert path == tmp_path / name
    assert holds in path.read_text(encoding="utf-8")


def test_forms_of_one_model_are_a_folder_of_several(engine: Engine, tmp_path: Path) -> None:
    run = engine.measure(
        "weat", [engine.model(Own(), name="a"), engine.model(Own(), name="b")], LISTS, **FAST
    )
    for form in ("model-card", "every-eval-ever"):
        folder = run.report(tmp_path / form, form)
        assert sorted(path.stem for path in folder.iterdir()) == ["a", "b"]
    table = run.report(tmp_path / "t.csv", columns="test", estimates="all").read_text(encoding="utf-8")
    assert table.splitlines()[0] == "test"


def test_one_is_taken_for_a_list_of_one(engine: Engine, two: Run, tmp_path: Path) -> None:
    (tmp_path / "it").mkdir()
    lists = "".join(f"[lists.{role}]\nwords = {words}\n" for role, words in LISTS.items())
    text = f"""schema = 1
[meta]
language = "it"
title = "own"
source = "own"
licence = "own"
{lists}
[tests.own]
kind = "weat"
title = "own"
concept = "gender"
positive_means = "X with A"
X = "X"
Y = "Y"
A = "A"
B = "B"
"""
    (tmp_path / "it" / "own.toml").write_text(text.replace("'", '"'), encoding="utf-8")
    one = Engine(cache=None, stimuli=tmp_path, require_plugins="biascore", adapters=adapter_that("acme"))
    assert "it/own" in [test.id for test in one.catalogue.tests]
    with one.model("planted:gender=1") as model:
        audit = one.audit(model, grounds="gender", quick=True)
        assert {test for entry in audit.measurements for test in entry.tests}
    assert several("ab") == ("ab",)
    assert several(["a", "b"]) == ("a", "b")
    assert several(tmp_path) == (tmp_path,)
