"""Gates on the command line: the last lines, the exit code, and gates of a stored run."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from biascore import Audit, Run
from biascore.cli import main
from biascore.cli.app import app
from biascore.cli.gates import gates
from biascore.results.gates import GateOutcome

AUDIT = """
[[models]]
name = "m"
ref = "planted:gender=1.5"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = { resamples = 200, draws = 500, reference = "none" }
[[gates]]
name = "release"
measurements = ["en/*"]
roles = ["control"]
fail_on = "detected"
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gated")
    (folder / "audit.toml").write_text(AUDIT, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(folder / "audit.toml"), "--no-cache"])
    assert done.exit_code == 4, done.output
    *_, gate, last = done.stdout.splitlines()
    assert "gate 'release': FAILED: of 1, 1 fails" in gate
    assert last == "Not passed: 1 of 1 rule fails (“release”)."
    return folder


def test_the_run_is_saved_with_what_its_gates_said(stored: Path) -> None:
    gates = Run.load(stored / "audit-run").gates
    assert [(gate.name, gate.passed) for gate in gates] == [("release", False)]


def test_a_stored_run_is_held_against_gates_of_a_file_and_of_the_command_line(stored: Path) -> None:
    run = str(stored / "audit-run")
    assert CliRunner().invoke(app, ["gate", run, str(stored / "audit.toml")]).exit_code == 4
    wide = f"en/*:within=9,no_worse_than={run},roles=['control'],inconclusive=fail"
    done = CliRunner().invoke(app, ["gate", run, "--gate", wide, "--json"])
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)
    assert found["passed"]
    assert [check["held"] for check in found["checks"]] == ["holds", "holds"]


@pytest.mark.parametrize("command", ["gate", "run"])
def test_audit_and_base_run_are_read_once(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    read: list[str] = []
    load, loads = Run.load, Audit.load

    def noted(path: str | Path) -> None:
        read.append(Path(path).name)

    monkeypatch.setattr(Run, "load", lambda path: (noted(path), load(path))[1])
    monkeypatch.setattr(Audit, "load", lambda path: (noted(path), loads(path))[1])
    gates = f"""
[[gates]]
measurements = ["*"]
roles = ["control"]
no_worse_than = "{stored / "audit-run"}"
margin = 1
"""
    audit = tmp_path / "two.toml"
    audit.write_text(AUDIT.partition("[[gates]]")[0] + 2 * gates, encoding="utf-8")
    (tmp_path / "now").symlink_to(stored / "audit-run")
    what = (
        ["gate", str(tmp_path / "now"), str(audit)]
        if command == "gate"
        else ["run", str(audit), "--no-cache"]
    )
    done = CliRunner().invoke(app, what)
    assert done.exit_code == 0, done.output
    assert sorted(read) == (
        ["audit-run", "now", "two.toml"] if command == "gate" else ["audit-run", "two.toml"]
    )


def test_verify_finds_a_gate_that_was_made_to_pass(stored: Path, tmp_path: Path) -> None:
    """Although whoever changed it computed the hash anew."""
    run = Run.load(stored / "audit-run")
    (gate,) = run.gates
    checks = tuple(check.model_copy(update={"held": GateOutcome.HOLDS}) for check in gate.checks)
    run.model_copy(update={"gates": (gate.model_copy(update={"checks": checks}),)}).save(tmp_path / "run")
    assert CliRunner().invoke(app, ["verify", str(stored / "audit-run")]).exit_code == 0
    done = CliRunner().invoke(app, ["verify", str(tmp_path / "run")])
    assert done.exit_code == 3
    assert "differs  gate 'release'  from the measurements it comes to: FAILED: of 1, 1 fails" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "there is no gate"),
        (["--gate", "en/*"], "is not TESTS:KEY=VALUE"),
        (["--gate", "en/*:fail_on"], "is not key=value"),
        (["--gate", "en/*:fail_n=detected"], "Did you mean fail_on?"),
        (["--gate", "en/*:inconclusive=fail"], "states nothing that must hold"),
        (["--gate", "it/*:within=1"], "matches no measurement"),
        (["--gate", "en/*:within=inf"], "within must be a finite number"),
        (["--gate", "en/*:within=9e307"], "within must be less than 1000000"),
        (["--gate", "en/*:no_worse_than=a,margin=1e300"], "margin must be less than 1000000"),
        (["--gate", "en/*:within=0x10"], "'within=0x10': write the number with decimal digits"),
        (["--gate", "en/*:no_worse_than="], "no_worse_than must not be empty"),
        (["--gate", "en/*:no_worse_than=no"], "no_worse_than = 'no': there is no such run"),
        (["--gate", "en/*:within=9", "--gate", "en/*:within=9"], "two gates are called 'en/*:within=9'"),
    ],
)
def test_what_is_no_gate_is_wrong_input(
    stored: Path,
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["biascore", "gate", str(stored / "audit-run"), *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert told in capsys.readouterr().err


def test_a_run_is_not_compared_with_the_folder_that_it_would_replace(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = f"en/*:no_worse_than={stored / 'audit-run'}"
    monkeypatch.setattr("sys.argv", ["biascore", "run", str(stored / "audit.toml"), "--force", "--gate", own])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "is the folder that this run would be saved in" in capsys.readouterr().err


def test_a_base_run_of_the_command_line_is_stored_relative_to_the_audit(stored: Path) -> None:
    (one,) = gates(["en/*:no_worse_than=bases/old"])
    assert one.based(stored / "here", stored / "there").no_worse_than == "../here/bases/old"
    (far,) = gates(["en/*:no_worse_than=/bases/old"])
    assert far.based(stored, stored) is far


def test_junit_and_markdown_of_a_gate(stored: Path) -> None:
    call = ["gate", str(stored / "audit-run"), str(stored / "audit.toml"), "--format"]
    done = CliRunner().invoke(app, [*call, "junit"])
    assert done.exit_code == 4, done.output
    (suite,) = ElementTree.fromstring(done.stdout)
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("gates", "1", "1")
    done = CliRunner().invoke(app, [*call, "md"])
    assert done.exit_code == 4, done.output
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("| fails"))
    assert "en/weat7" in row
    assert "not detected" in row
    done = CliRunner().invoke(app, [*call, "json"])
    assert json.loads(done.stdout)[0]["passed"] is False
