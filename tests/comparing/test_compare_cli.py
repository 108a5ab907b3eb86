"""``biascore compare`` on the terminal: what it prints, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore import Engine, Run
from biascore.cli.app import app


@pytest.fixture(scope="module")
def stored(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs old and new, and one of both models."""
    folder = tmp_path_factory.mktemp("runs")
    models = {
        name: engine.model(f"planted:gender={effect}", name=name)
        for name, effect in (("a=1", 1), ("b", -0.3))
    }
    both = engine.measure("weat", list(models.values()), ["en/weat6", "en/weat7"], resamples=200, draws=500)
    both.save(folder / "both")
    for name, run in (("old", "a=1"), ("new", "b")):
        kept = tuple(m for m in both if m.model == run)
        used = tuple(model for model in both.models if model.name == run)
        both.model_copy(update={"measurements": kept, "models": used}).save(folder / name)
    return folder


def test_two_runs_are_compared_and_the_answer_comes_first(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(stored / "new" / "run.json")])
    assert done.exit_code == 0, done.output
    assert "to a=1 on 1 of 2 tests (en/weat7)" in done.output.splitlines()[1]
    assert "en/weat6" in done.output
    assert "16 items flipped: " in done.output
    assert any("en/weat7  " in line and "changed sign" in line for line in done.output.splitlines())


def test_of_a_run_with_itself_one_sentence_says_that_it_is_identical(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(stored / "old")])
    assert done.exit_code == 0, done.output
    assert "The two runs are identical" in done.output
    assert "en/weat6" not in done.output
    assert len(done.output.splitlines()) == 2


def test_unchanged_tests_are_folded_into_one_line(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(stored / "new"), "--bound", "9"])
    assert "unchanged, within the bound (2): en/weat6, en/weat7" in done.output
    assert "old to" not in done.output


def test_json_holds_changes_and_flips(stored: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(stored / "both"), "--models", "a=1=b", "--json"])
    assert done.exit_code == 0, done.output
    body = json.loads(done.stdout)
    assert body["models"] == {"a=1": "b"}
    assert [d["flipped"] for d in body["differences"]] == [len(d["flips"]) for d in body["differences"]]


def test_what_cannot_be_compared_is_named_and_the_exit_code_says_so(stored: Path, tmp_path: Path) -> None:
    new = Run.load(stored / "new")
    first = new[0].model_copy(update={"conventions": {**new[0].conventions, "alpha": 0.01}})
    new.model_copy(update={"measurements": (first, new[1])}).save(tmp_path / "other")
    done = CliRunner().invoke(app, ["compare", str(stored / "old"), str(tmp_path / "other")])
    assert done.exit_code == 5, done.output
    assert "not comparable:" in done.output
    assert "convention 'alpha': 0.05 and 0.01" in done.output
    assert "1 measurement is not comparable" in done.output


def test_a_model_that_is_named_twice_is_refused(stored: Path) -> None:
    twice = ["--models", "a=1=b", "--models", "a=1=c"]
    done = CliRunner().invoke(app, ["compare", str(stored / "both"), *twice])
    assert "'a=1' is compared with 'b' already" in str(done.exception)
