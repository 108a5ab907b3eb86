"""A pipeline whose gate compares with the last release runs on the first one, too, and says that nothing was compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore import Run
from biascore.cli.app import app
from biascore.errors import RunError
from biascore.results.gates import GateOutcome

AUDIT = """
[[models]]
name = "m"
ref = "planted:gender=0.5"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = { resamples = 200, draws = 500, reference = "none" }
[[gates]]
name = "not worse"
measurements = ["en/*"]
roles = ["control"]
no_worse_than = "last-release"
margin = 0.5
"""


def test_the_pipeline_from_its_first_release_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("audit.toml").write_text(AUDIT, encoding="utf-8")

    def run() -> int:
        return (
            CliRunner().invoke(app, ["run", "audit.toml", "--out", "new", "--no-cache", "--force"]).exit_code
        )

    def verified() -> int:
        return CliRunner().invoke(app, ["verify", "new"]).exit_code

    with pytest.raises(RunError, match=r"no such run.*first run of its kind, add no_base = \"pass\""):
        CliRunner().invoke(app, ["run", "audit.toml", "--out", "new"], catch_exceptions=False)
    assert not Path("new").exists()

    Path("audit.toml").write_text(f'{AUDIT}no_base = "pass"\n', encoding="utf-8")
    assert run() == 0
    (gate,) = Run.load("new").gates
    assert (gate.passed, gate.warned, gate.base) == (True, True, "")
    assert [check.held for check in gate.checks] == [GateOutcome.UNDECIDED]
    assert "no run in 'last-release' yet" in gate.checks[0].reason
    assert verified() == 0

    shutil.move("new", "last-release")
    shutil.copytree("last-release", "new")
    assert verified() == 0, "what the first release could not be compared with is there by now"

    assert run() == 0
    (gate,) = Run.load("new").gates
    assert gate.base == Run.load("last-release").results_digest()
    assert (gate.passed, gate.warned) == (True, False)
    assert [check.held for check in gate.checks] == [GateOutcome.HOLDS]
    assert verified() == 0


def test_a_comparison_with_a_run_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"last-release is not there.*no_base"):
        CliRunner().invoke(
            app, ["compare", str(tmp_path / "last-release"), str(tmp_path)], catch_exceptions=False
        )
