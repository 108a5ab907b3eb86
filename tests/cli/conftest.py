"""A study with everything that is a user's own: an audit, word lists, a data file, and its run."""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli import main
from biascore.cli.app import app

from ..builders.word_lists import PAIRS, write_weat

Verify = Callable[..., dict[str, tuple[str, str]]]
AUDIT = """
stimuli = ["mine"]
[[models]]
name = "control"
ref = "planted:pets=1"
[[measurements]]
metric = "weat"
tests = ["en/pets"]
options = { resamples = 100 }
[[measurements]]
metric = "crows-pairs"
tests = ["en/pairs"]
[[data]]
format = "crows-pairs"
source = "pairs.csv"
language = "en"
"""


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study after its audit was run, once for all tests."""
    folder = tmp_path_factory.mktemp("measured") / "study"
    write_weat(folder / "mine")
    (folder / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    (folder / "audit.toml").write_text(AUDIT, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(folder / "audit.toml"), "--no-cache"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def study(measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the study, elsewhere than it was measured; the current folder is another one."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return Path(shutil.copytree(measured, tmp_path / "study"))


@dataclass(frozen=True)
class Done:
    """What a command printed."""

    stdout: str
    stderr: str


@pytest.fixture
def biascore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """``biascore("run", "audit.toml", code=0)``: the program in this process, in a folder and with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: str, code: int = 0) -> Done:
        monkeypatch.setattr(sys, "argv", ["biascore", *arguments])
        with warnings.catch_warnings():  # main changes how they are shown
            warnings.simplefilter("default")
            with pytest.raises(SystemExit) as ended:
                main()
        done = Done(*capsys.readouterr())
        assert (ended.value.code or 0) == code, f"exit {ended.value.code}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done

    return call


@pytest.fixture
def verify() -> Callable[..., dict[str, tuple[str, str]]]:
    """``verify(RUN, "--models", code=0)``: outcome and detail by what was checked."""

    def call(*arguments: str | Path, code: int = 0) -> dict[str, tuple[str, str]]:
        command = ["verify", *map(str, arguments), "--json"]
        done = CliRunner().invoke(app, command, catch_exceptions=False)
        assert done.exit_code == code, done.output
        return {check["what"]: (check["outcome"], check["detail"]) for check in json.loads(done.stdout)}

    return call
