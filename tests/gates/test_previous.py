"""A gate with ``previous``: the newest run of the same line in a folder, never the run itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from biascore import Run
from biascore.audits.base_runs import BaseRuns
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.cli.app import app
from biascore.errors import RunError
from biascore.results.gates import GateOutcome, GateResult

from ..builders.releases import paired, release
from .test_first_release import AUDIT as FIRST

AUDIT = 'line = "ours"' + FIRST.replace('no_worse_than = "last-release"', 'previous = "runs"')


def gated(run: Run, folder: Path, **parts: Any) -> GateResult:
    gate = Gate(measurements=("*",), previous="runs", **{"margin": 0.3, **parts})
    (found,) = evaluate([gate], run, folder, BaseRuns())
    return found


def test_the_first_release_passes_with_the_words_of_no_base(tmp_path: Path) -> None:
    run = release(paired("gender", 0.4), month=0, line="chat", release="1")
    first = gated(run, tmp_path)
    assert (first.passed, first.warned, first.base) == (True, True, "")
    assert [check.held for check in first.checks] == [GateOutcome.UNDECIDED]
    assert first.checks[0].reason == (
        "nothing to compare with: there is no earlier run of 'chat' in 'runs' yet. Keep this one there for the next"
    )


def test_the_newest_earlier_run_of_the_line_is_the_base(tmp_path: Path) -> None:
    old, mid = (
        release(paired("gender", one), month=n, line="chat", release=str(n))
        for n, one in enumerate((2.0, 0.1))
    )
    other = release(paired("gender", 2.0), month=2, line="search", release="9")
    after = release(paired("gender", 0.0), month=5, line="chat", release="5")
    for name, run in {"a": old, "b": mid, "c": other, "z": after}.items():
        run.save(tmp_path / "runs" / name)
    now = release(paired("gender", 3.5, noise=2, model="renamed"), month=3, line="chat", release="3")
    found = gated(now, tmp_path)
    assert found.base == mid.results_digest()
    assert [check.held for check in found.checks] == [GateOutcome.FAILS]
    now.save(tmp_path / "runs" / "now")
    assert gated(now, tmp_path).base == mid.results_digest(), "never itself"
    same = release(paired("gender", 1.5, noise=2), month=4, line="chat", release="3")
    assert gated(same, tmp_path).base == mid.results_digest(), (
        "the same release measured again is no earlier one"
    )
    unnamed = release(paired("gender", 1.5, noise=2), month=4)
    assert gated(unnamed, tmp_path).base == ""


@pytest.mark.parametrize(
    ("there", "said"),
    [("run.json", "it is a run, and previous names the folder"), ("x/run.json", "cannot be read as a run")],
)
def test_what_cannot_be_the_folder_names_the_key_and_the_next_step(
    tmp_path: Path, there: str, said: str
) -> None:
    file = tmp_path / "runs" / there
    file.parent.mkdir(parents=True)
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(RunError, match=f"^previous = 'runs': .*{said}"):
        gated(release(paired("gender", 0.4), month=0), tmp_path)


def test_it_excludes_no_worse_than_and_takes_its_options() -> None:
    with pytest.raises(ValidationError, match="no_worse_than and previous"):
        Gate(measurements=("*",), previous="runs", no_worse_than="base")
    with pytest.raises(ValidationError, match="has a margin and no run"):
        Gate(measurements=("*",), fail_on="detected", margin=0.1)
    (said,) = Gate(measurements=("*",), previous="runs", margin=0).criteria
    assert said == "has not increased since the newest run before it in runs (inconclusive fails)"
    moved = Gate(measurements=("*",), previous="runs").based(Path("/a/b"), Path("/a"))
    assert (moved.previous, moved.no_worse_than) == ("b/runs", None)


def test_the_pipeline_from_its_first_release_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("audit.toml").write_text(AUDIT, encoding="utf-8")

    def run(name: str, *more: str) -> GateResult:
        told = CliRunner().invoke(app, ["run", "audit.toml", "--out", f"runs/{name}", "--no-cache", *more])
        assert told.exit_code == 0, told.output
        (gate,) = Run.load(f"runs/{name}").gates
        return gate

    def verified(name: str) -> int:
        return CliRunner().invoke(app, ["verify", f"runs/{name}"]).exit_code

    assert run("one", "--release", "1").base == ""
    assert run("one", "--release", "1", "--force").base == "", "what it replaces is no earlier release"
    assert verified("one") == 0
    assert run("two", "--release", "2").base == Run.load("runs/one").results_digest()
    assert run("two", "--force").base == Run.load("runs/one").results_digest()
    assert (verified("one"), verified("two")) == (0, 0)
    told = CliRunner().invoke(app, ["bundle", "runs/two", "--out", "two.zip"])
    assert told.exit_code == 0, told.output
