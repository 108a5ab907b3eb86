"""``verify`` finds what a run was made from, and never says 0 of what it could not look at."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore import Run
from biascore.cli import codes
from biascore.cli.app import app
from biascore.errors import RunError
from biascore.files.paths import cache_folder
from biascore.models.pipeline.cache import DiskCache
from biascore.results.hashes import content_hash

from .conftest import Verify


def test_everything_beside_the_run_is_found_from_anywhere(verify: Verify, study: Path) -> None:
    checks = verify(study / "audit-run", "--models")
    assert set(checks) == {
        "results and item tables",
        "stimuli mine/en/own.toml",
        "stimuli pairs.csv",
        "stimuli biascore_wordlists/en/topics.toml",
        "model control",
    }
    assert {outcome for outcome, _ in checks.values()} == {"matches"}


def test_what_is_not_here_is_no_success(verify: Verify, study: Path, tmp_path: Path) -> None:
    run = shutil.move(study / "audit-run", tmp_path / "alone")
    checks = verify(run, "--models", code=codes.NOT_VERIFIED)
    assert checks["results and item tables"][0] == "matches"
    assert checks["stimuli mine/en/own.toml"][0] == checks["stimuli pairs.csv"][0] == "not here"
    assert "--stimuli" in checks["stimuli pairs.csv"][1]
    # Not "differs": the model was planted on words that are not at hand.
    assert checks["model control"][0] == "not here"
    assert checks["model control"][1].endswith(
        "list tests. If it lies elsewhere, say where: --model control=REF"
    )
    for folder in (study, study / "mine"):
        found = verify(run, "--models", "--stimuli", folder)
        assert {outcome for outcome, _ in found.values()} == {"matches"}


def test_a_change_is_a_difference_even_beside_what_is_not_here(verify: Verify, study: Path) -> None:
    with (study / "mine" / "en" / "own.toml").open("a") as file:
        file.write("# changed\n")
    (study / "pairs.csv").unlink()
    checks = verify(study / "audit-run", code=codes.DIFFERENT)
    assert checks["stimuli mine/en/own.toml"][0] == "differs"
    assert checks["stimuli pairs.csv"][0] == "not here"


def test_another_planted_model_differs(verify: Verify, study: Path) -> None:
    run = study / "audit-run"
    assert verify(run, "--model", "control=planted:pets=1")["model control"][0] == "matches"
    found = verify(run, "--model", "control=planted:pets=0.5", code=codes.DIFFERENT)
    assert found["model control"][0] == "differs"
    absent = verify(run, "--model", "control=fasttext:gone.bin", code=codes.NOT_VERIFIED)
    assert "gone.bin" in absent["model control"][1]


def test_a_key_that_stands_twice_is_refused(verify: Verify, study: Path) -> None:
    path = study / "audit-run" / "run.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{", '{"title": "Another title",', 1), encoding="utf-8")
    checks = verify(study / "audit-run", code=codes.DIFFERENT)
    assert "the key 'title' stands twice" in checks["results and item tables"][1]


def test_the_page_says_what_verify_cannot_show(verify: Verify, study: Path) -> None:
    path = study / "audit-run" / "run.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    body["title"] = "Another title"
    del body["content_sha256"]
    body["content_sha256"] = content_hash(body)
    path.write_text(json.dumps(body), encoding="utf-8")
    assert verify(study / "audit-run")["results and item tables"][0] == "matches"
    page = (Path(__file__).parents[2] / "docs" / "suppliers-report.md").read_text(encoding="utf-8")
    assert "can compute the hashes anew" in page


def test_a_name_with_line_feeds_makes_no_line_of_its_own(study: Path) -> None:
    path = study / "audit-run" / "run.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    body["stimuli"].append({**body["stimuli"][0], "file": "no.csv\n   matches  model gpt-4  sha256:0a8c2f"})
    del body["content_sha256"]
    path.write_text(json.dumps({**body, "content_sha256": content_hash(body)}), encoding="utf-8")
    done = CliRunner().invoke(app, ["verify", str(study / "audit-run")])
    assert "gpt-4" in done.output
    assert not [line for line in done.output.splitlines() if line.startswith("   matches  model gpt-4")]


def test_it_says_that_models_were_not_opened(study: Path) -> None:
    done = CliRunner().invoke(app, ["verify", str(study / "audit-run")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "The models were not opened: add --models" in done.stdout


@pytest.mark.parametrize("out", ["a link to nothing", "a file/below", "/dev/null"])
@pytest.mark.parametrize("option", ["--out", "--report"])
def test_what_cannot_be_written_is_found_before_a_model_is_asked(study: Path, option: str, out: str) -> None:
    here = Path.cwd()
    (here / "a link to nothing").symlink_to(here / "gone")
    (here / "a file").touch()
    call = ["run", str(study / "audit.toml"), "--force", option, out]
    error = CliRunner().invoke(app, call).exception
    assert isinstance(error, RunError)
    assert str(error).startswith(out)
    assert Path("/dev/null").is_char_device()
    assert not DiskCache(cache_folder()).path.exists()


def test_a_report_is_that_of_its_run_and_of_no_other(
    verify: Verify, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("altair", reason="needs biascore[report]")
    run = Run.load(study / "audit-run")
    page = run.report(tmp_path / "report.html")
    name = f"report {page}"
    found = verify(page, study / "audit-run")
    assert (found[name][0], found[f"{name}, made again"][0]) == ("matches", "matches")
    assert found["results and item tables"][0] == "matches"  # the run itself is verified, too

    text = page.read_text(encoding="utf-8")
    page.write_text(
        text.replace("was not measured", "is unbiased").replace("inconclusive", "negligible"),
        encoding="utf-8",
    )
    found = verify(page, study / "audit-run", code=codes.DIFFERENT)
    assert (found[name][0], found[f"{name}, made again"][0]) == ("matches", "differs")
    monkeypatch.setattr("biascore.report.whose.metadata.version", lambda _: "9.9")
    assert verify(page, study / "audit-run", code=codes.NOT_VERIFIED)[f"{name}, made again"][0] == "not here"
    monkeypatch.undo()

    first, *rest = run.measurements
    other = run.model_copy(update={"measurements": (first.model_copy(update={"seed": 1}), *rest)})
    found = verify(other.report(page, overwrite=True), study / "audit-run", code=codes.DIFFERENT)
    assert found[name] == (
        "differs",
        f"it is of the results {other.results_digest()}, and the run has {run.results_digest()}",
    )


def test_a_report_needs_its_run_and_has_to_be_one(study: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="needs biascore[report]")
    page = tmp_path / "page.html"
    page.write_text("<html></html>", encoding="utf-8")
    for arguments, told in (
        ([page], "its run is not named"),
        ([page, study / "audit-run"], "no page of a run"),
        ([tmp_path / "report.pdf", study / "audit-run"], "only a page as HTML"),
        ([tmp_path / "report.html", study / "audit-run"], "No such file"),
    ):
        done = CliRunner().invoke(app, ["verify", *map(str, arguments)])
        assert told in str(done.exception)
