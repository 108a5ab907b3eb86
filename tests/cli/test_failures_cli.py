"""A model or plugin that fails, as the command line shows it: exit codes, what is saved, and the same command again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

AUDIT = """
title = "two models"
[[models]]
name = "good"
ref = "planted:gender=1.5"
[[models]]
name = "bad"
ref = "trouble:{what}"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = {{ resamples = 100 }}
"""
Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def call(python_environment: Callable[..., dict[str, str]], tmp_path: Path) -> Call:
    def call(*arguments: str, code: int, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = python_environment(
            "biascore-test-trouble",
            variables={
                "BIASCORE_LOAD_PLUGINS": "adapter-planted,kinds,metric-weat,wordlists-en,trouble",
                "BIASCORE_CACHE_DIR": str(tmp_path / "cache"),
                "COLUMNS": "200",
                **variables,
            },
        )
        if arguments[0] in ("run", "measure"):
            arguments = (*arguments, "--wait", "0.05")
        done = subprocess.run(
            [sys.executable, "-c", "from biascore.cli import main; main()", *arguments],
            **{"capture_output": True, "text": True, "cwd": tmp_path, "env": environment, "check": False},
        )
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return call


def write(folder: Path, what: str) -> None:
    (folder / "audit.toml").write_text(AUDIT.format(what=what), encoding="utf-8")


def stored(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "audit-run" / "run.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "code", "told"),
    [
        ("exit", 5, "called sys.exit(0)"),
        ("load-exit", 5, "called sys.exit(0)"),
        ("zero", 5, "raised ZeroDivisionError: division by zero"),
        ("down", 6, "the service is busy"),
    ],
)
def test_a_run_goes_on_and_the_same_command_asks_only_what_is_missing(
    call: Call, tmp_path: Path, what: str, code: int, told: str
) -> None:
    write(tmp_path, what)
    done = call("run", "audit.toml", "--json", code=code)
    assert "Traceback" not in done.stderr
    printed = json.loads(done.stdout)
    assert {key: printed[key] for key in stored(tmp_path)} == stored(tmp_path)
    assert printed.keys() - stored(tmp_path).keys() == {"three_sentences", "untested"}
    (lost,) = stored(tmp_path)["failed"]
    assert told in lost["message"]
    assert (lost["model"], lost["metric"], lost["test"]) == ("bad", "weat", "en/weat7")
    assert (lost["plugin"], lost["dist"]) == ("trouble", "biascore-test-trouble")
    assert lost["may_pass"] is (code == 6)

    shown = call("run", "audit.toml", code=code)
    reason = " ".join(lost["message"].split())
    assert f"failed: weat en/weat7 on bad: {reason}" in " ".join(shown.stdout.split())
    assert "1 of 2 measurements failed" in shown.stdout

    again = call("run", "audit.toml", code=0, BIASCORE_TEST_TROUBLE="over")
    assert "resuming the run in audit-run, of which 1 measurement(s) had failed" in again.stderr
    whole = stored(tmp_path)
    assert whole["failed"] == []
    asked = {model["name"]: model["questions"] for model in whole["models"]}
    assert asked["good"]["asked"] == 0
    # Each of the two commands before has kept a batch of eight.
    assert asked["bad"]["cached"] == (0 if what.startswith("load") else 16)
    assert "exists already" in call("run", "audit.toml", code=2).stderr


@pytest.mark.slow
def test_a_run_that_had_more_is_not_replaced_by_one_with_less(call: Call, tmp_path: Path) -> None:
    write(tmp_path, "zero")
    call("run", "audit.toml", code=5)
    before = stored(tmp_path)
    worse = (
        (tmp_path / "audit.toml")
        .read_text(encoding="utf-8")
        .replace("planted:gender=1.5", "trouble:load-down")
    )
    (tmp_path / "audit.toml").write_text(worse.replace("trouble:zero", "planted:gender=1"), encoding="utf-8")
    told = call("run", "audit.toml", code=2).stderr
    assert "was not saved, for the one that is there has what failed now (weat en/weat7 on good)" in told
    assert stored(tmp_path) == before


@pytest.mark.slow
def test_what_failed_may_be_mended_in_the_audit_and_is_gone_on_from(call: Call, tmp_path: Path) -> None:
    write(tmp_path, "load-zero")
    call("run", "audit.toml", code=5)
    call("run", "audit.toml", "--model", "bad=planted:gender=0.5", code=0)
    assert stored(tmp_path)["failed"] == []


@pytest.mark.slow
def test_another_audit_is_not_gone_on_with(call: Call, tmp_path: Path) -> None:
    write(tmp_path, "zero")
    call("run", "audit.toml", code=5)
    assert "exists already" in call("run", "audit.toml", "--seed", "9", code=2).stderr


MEASURE = ("measure", "weat", "--tests", "en/weat7", "--model")


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("exit", 5),
        *(pytest.param(w, 5, marks=pytest.mark.slow) for w in ("load-exit", "memory", "load-zero")),
        pytest.param("down", 6, marks=pytest.mark.slow),
    ],
)
def test_one_model_that_fails_is_one_message_and_a_run_of_nothing(
    call: Call, tmp_path: Path, what: str, code: int
) -> None:
    done = call(*MEASURE, f"trouble:{what}", "--json", "--out", "run", code=code)
    kept = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert (kept["measurements"], [one["may_pass"] for one in kept["failed"]]) == ([], [code == 6])
    assert "resuming" in call(*MEASURE, f"trouble:{what}", "--out", "run", code=code).stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr
    assert "printed at import" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("what", "code"), [("down", 6), ("zero", 4)])
def test_a_gate_on_what_was_not_measured_fails_unless_it_may_be_later(
    call: Call, tmp_path: Path, what: str, code: int
) -> None:
    text = AUDIT.format(what=what).replace('[[models]]\nname = "good"\nref = "planted:gender=1.5"\n', "")
    gate = '[[gates]]\nname = "none"\nmeasurements = ["*"]\nfail_on = "detected"\n'
    (tmp_path / "audit.toml").write_text(text + gate, encoding="utf-8")
    done = call("run", "audit.toml", code=code)
    assert "error:" in done.stderr
    assert "Traceback" not in done.stderr
    kept = stored(tmp_path)
    assert (kept["measurements"], len(kept["failed"])) == ([], 1)
    (judged,) = kept["gates"]
    assert [(one["held"], one["may_pass"]) for one in judged["checks"]] == [("fails", code == 6)]
    assert "gate 'none': FAILED" in done.stdout
    assert call("gate", "audit-run", "audit.toml", code=code).stdout.count("FAILED") == 1


@pytest.mark.slow
def test_the_traceback_is_there_for_whoever_wants_it(call: Call, tmp_path: Path) -> None:
    told = call(*MEASURE, "trouble:zero", code=5).stderr
    assert "its traceback is shown with BIASCORE_DEBUG=1" in told
    for arguments in ((*MEASURE, "trouble:zero"), (*MEASURE, "trouble:zero", "--model", "planted:gender=1")):
        shown = call(*arguments, code=5, BIASCORE_DEBUG="1").stderr
        assert "Traceback (most recent call last)" in shown
        assert "biascore_test_trouble.py" in shown


@pytest.mark.slow
def test_what_hangs_is_given_up(call: Call) -> None:
    told = call(*MEASURE, "trouble:hang", "--time-limit", "1", code=5).stderr
    assert "took longer than the 1 seconds" in told


@pytest.mark.slow
@pytest.mark.parametrize("what", ["control-c", "interrupt"])
def test_an_interrupt_says_what_was_interrupted(call: Call, what: str) -> None:
    told = call(*MEASURE, f"trouble:{what}", code=130).stderr
    assert f"interrupted at: trouble:{what}" in told
    assert "(plugin 'trouble' of biascore-test-trouble 1.0)" in told
    assert "resumes" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "adapters", "--json"),
        pytest.param(("plugins", "--json"), marks=pytest.mark.slow),
        pytest.param((*MEASURE, "trouble:nothing", "--json"), marks=pytest.mark.slow),
    ],
)
def test_what_plugins_print_is_no_part_of_the_output(call: Call, arguments: tuple[str, ...]) -> None:
    done = call(*arguments, code=0)
    json.loads(done.stdout)
    assert "printed at import" in done.stderr


@pytest.mark.slow
def test_the_version_is_told(call: Call) -> None:
    assert call("--version", code=0).stdout.startswith("biascore 0.")


@pytest.mark.slow
def test_help_is_printed_where_it_belongs(call: Call) -> None:
    assert "--time-limit" in call("run", "--help", code=0).stdout
