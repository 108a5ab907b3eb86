"""Ctrl-C in a run from the command line: what was measured is a run, and the same command goes on from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from biascore import Run

AUDIT = """
title = "interrupted"
[[models]]
name = "biased"
ref = "planted:gender=1.5"
[[models]]
name = "fair"
ref = "planted:gender=0"
[[measurements]]
metric = "weat"
tests = ["en/weat7", "en/weat8"]
options = { resamples = 100 }
"""
AFTER_TWO = """
from biascore.engine.measuring import Measuring; import os, signal
original, made = Measuring.measure, []
def measure(*a):
    made.append(a)
    if len(made) == 3 and "STOP" in os.environ: os.kill(os.getpid(), signal.SIGINT)
    return original(*a)
Measuring.measure = measure
from biascore.models.model import Model
def ask_repeated(self, again=Model.ask_repeated):
    if len(made) == 4 and "STOP_AT_THE_END" in os.environ: os.kill(os.getpid(), signal.SIGINT)
    again(self)
Model.ask_repeated = ask_repeated
from biascore import Engine
def close(self, close=Engine.close):
    if "STOP_WHILE_CLOSING" in os.environ: os.kill(os.getpid(), signal.SIGINT)
    close(self)
Engine.close = close
from biascore.cli import main; main()
"""


@pytest.mark.slow
def test_ctrl_c_leaves_a_run_that_the_same_command_resumes(tmp_path: Path) -> None:
    audit = tmp_path / "audit.toml"
    audit.write_text(AUDIT, encoding="utf-8")

    def run(*options: str, out: str = "out", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", AFTER_TWO, "run", str(audit), "--out", str(tmp_path / out), *options],
            capture_output=True,
            text=True,
            env={**os.environ, "BIASCORE_CACHE_DIR": str(tmp_path / "cache"), **variables},
            check=False,
        )

    stopped = run(STOP="1")
    assert stopped.returncode == 130, stopped.stderr
    assert stopped.stdout == ""
    assert "the 2 of 4 measurements that were made are saved in" in stopped.stderr
    assert "the same command resumes from here" in stopped.stderr
    part = Run.load(tmp_path / "out")
    assert {(one.kind, one.may_pass) for one in part.failed} == {("interrupted", True)}
    assert not list(tmp_path.glob(".biascore-*"))

    whole = run()
    assert whole.returncode == 0, whole.stderr
    assert "of which 2 measurement(s) were not made" in " ".join(whole.stderr.split())
    resumed = Run.load(tmp_path / "out")
    assert (len(resumed), resumed.failed) == (4, ())
    assert run("--no-cache", out="undisturbed").returncode == 0
    assert resumed.results_digest() == Run.load(tmp_path / "undisturbed").results_digest()

    # Where nothing is left but to ask some questions again, all that was measured is a run.
    ended = run("--no-cache", out="ended", STOP_AT_THE_END="1")
    assert ended.returncode == 130
    assert "the 4 of 4 measurements that were made are saved in" in ended.stderr
    assert "Nothing is left to measure" in ended.stderr
    assert Run.load(tmp_path / "ended").results_digest() == resumed.results_digest()

    # Nor is it lost while the engine ends its workers.
    closed = run(out="closed", STOP_WHILE_CLOSING="1")
    assert closed.returncode == 130
    assert "Nothing is left to measure" in closed.stderr
    assert Run.load(tmp_path / "closed").results_digest() == resumed.results_digest()

    # A whole run is not replaced by a part of one.
    again = run("--force", STOP="1")
    assert again.returncode == 130
    assert "are saved in" not in again.stderr
    assert Run.load(tmp_path / "out") == resumed
