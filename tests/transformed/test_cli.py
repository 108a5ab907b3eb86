"""Transforms on the command line: named, measured before and after, shown, stored, verified, bundled."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.archive.verify import verify_run
from biascore.cli import codes

from ..builders.word_lists import weat_file, write_weat
from ..cli.conftest import Done
from .conftest import Wrongly

REF = "planted:gender=1"
WEAT = ("--tests", "en/weat7", "-o", "resamples=100")


def test_measure_measures_before_and_after(biascore: Callable[..., Done]) -> None:
    chain = ("--transform", 'centre:words=["rose","ant"],parts=2', "--transform", "centre:test=en/weat1")
    out = biascore("measure", "weat", "--model", REF, *WEAT, *chain, "--json").stdout
    run = json.loads(out)
    assert run["title"] == f"weat on {REF}, before and after centre, centre"
    assert [one["model"] for one in run["measurements"]] == [REF, f"{REF} after centre, centre"]
    before, after = run["models"]
    assert before["transforms"] == []
    assert [one["explicit_options"] for one in after["transforms"]] == [
        {"words": ["rose", "ant"], "parts": 2},
        {"test": "en/weat1"},
    ]
    assert all(one["fits"][0]["digest"].startswith("blake2b:") for one in after["transforms"])
    shown = biascore("measure", "weat", "--model", REF, *WEAT, *chain).stdout
    assert f"{REF} after centre, centre" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("transform", "says"),
    [
        ("center", "Did you mean 'centre'"),
        (":words=a", "--transform ':words=a' names none"),
        ("centre:words", "'words' of 'centre:words' is not key=value"),
        ("centre:parts=x", "transform centre: parts must be a whole number"),
        ("centre:test=en/weat67", "There is no test 'en/weat67'"),
    ],
)
def test_what_is_wrong_is_told(biascore: Callable[..., Done], transform: str, says: str) -> None:
    error = biascore(
        "measure", "weat", "--model", REF, *WEAT, "--transform", transform, code=codes.WRONG_INPUT
    ).stderr
    assert says in " ".join(error.split())


def test_transforms_are_listed(biascore: Callable[..., Done]) -> None:
    out = biascore("list", "transforms", "--json").stdout
    listed = {one["name"]: one for one in json.loads(out)}
    assert listed["centre"] == {
        "name": "centre",
        "summary": "take a mean away",
        "options": ["parts", "test", "words"],
        "reference": "made for a test",
    }
    out = biascore("plugins", "--json").stdout
    assert "transform centre" in next(one for one in json.loads(out) if one["name"] == "made")["provides"]


AUDIT = f"""
stimuli = ["mine"]
[[models]]
name = "es"
ref = "{REF}"
transforms = [{{ name = "centre", options = {{ test = "en/nouns" }} }}]
before = true
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = {{ resamples = 100, reference = "none" }}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_weat(tmp_path / "mine", weat_file("nouns"))
    (tmp_path / "audit.toml").write_text(AUDIT, encoding="utf-8")
    return tmp_path


def test_a_run_is_stored_verified_and_bundled(
    biascore: Callable[..., Done], study: Path, tmp_path: Path
) -> None:
    biascore("run", "audit.toml")
    run = Run.load(study / "audit-run")
    assert [one.test for one in run] == ["en/weat7", "en/weat7"]
    assert "mine/en/own.toml" in {one.file for one in run.stimuli}
    outcomes = {check.what: check.outcome for check in verify_run(study / "audit-run", models=True)}
    assert set(outcomes.values()) == {"matches"}
    assert {"model es", "model es before", "stimuli mine/en/own.toml"} <= set(outcomes)

    biascore("bundle", "audit-run", "--out", "packed.zip")
    elsewhere = tmp_path / "elsewhere"
    shutil.move(study / "packed.zip", elsewhere.with_suffix(".zip"))
    with zipfile.ZipFile(elsewhere.with_suffix(".zip")) as archive:
        archive.extractall(elsewhere)
    folder = elsewhere / "biascore-bundle"
    again = Engine(cache=None).run(folder / "audit.toml")
    assert again.results_digest() == run.results_digest()
    assert [one.transforms for one in again.models] == [one.transforms for one in run.models]
    checks = verify_run(folder, models=True)
    assert {check.outcome for check in checks} == {"matches"}


def test_other_words_to_learn_from_are_found_by_verify(biascore: Callable[..., Done], study: Path) -> None:
    biascore("run", "audit.toml")
    write_weat(study / "mine", weat_file("nouns", x=("cat", "horse")))
    outcomes = {check.what: check.outcome for check in verify_run(study / "audit-run", models=True)}
    assert outcomes["model es"] == "differs"
    assert outcomes["model es before"] == "matches"


def test_a_transform_of_another_version_is_not_here(biascore: Callable[..., Done], study: Path) -> None:
    biascore("run", "audit.toml")
    run = Run.load(study / "audit-run")
    (used,) = run.models[1].transforms
    old = run.models[1].model_copy(update={"transforms": (used.model_copy(update={"version": "9"}),)})
    run.model_copy(update={"models": (run.models[0], old)}).save(study / "old")
    check = next(one for one in verify_run(study / "old", models=True) if one.what == "model es")
    assert check.outcome == "not here"
    assert "'centre' of unknown 9, and here that is of unknown 0" in check.detail


def test_a_measurement_from_python_is_bundled_with_its_transforms(made: Engine, tmp_path: Path) -> None:
    from biascore.archive.contents import audit_text

    with made.model(REF) as plain:
        clean = plain.with_transform("centre", words=("rose",))
        run = made.measure("weat", [plain, clean], "en/weat7", resamples=100)
    (tmp_path / "audit.toml").write_text(audit_text(run), encoding="utf-8")
    again = made.run(tmp_path / "audit.toml")
    assert again.results_digest() == run.results_digest()
    assert [one.name for one in again.models] == [REF, f"{REF} after centre"]


def test_a_run_goes_on_when_its_transform_is_mended(
    biascore: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("measure", "weat", "--model", REF, *WEAT, "--transform", "wrongly:how=raise", "--out", "run")
    error = biascore(*command, code=codes.PARTLY_FAILED).stderr
    assert "going on" not in error
    assert [one.model for one in Run.load(tmp_path / "run")] == [REF]
    monkeypatch.setattr(Wrongly, "mended", True)
    error = biascore(*command).stderr
    assert "resuming the run in run, of which 1 measurement(s) had failed" in " ".join(error.split())
    assert [one.model for one in Run.load(tmp_path / "run")] == [REF, f"{REF} after wrongly"]


def test_a_plan_has_a_row_for_each(biascore: Callable[..., Done], study: Path) -> None:
    out = biascore("plan", "audit.toml", "--no-probe", "--json").stdout
    rows = json.loads(out)["rows"]
    assert [(row["model"], row["counts"]) for row in rows] == [("es before", "exact"), ("es", "exact")]
    assert rows[1]["asked"] == 8
