"""What nobody reads, or what finds no room, changes neither what is kept nor the exit code of a run or a gate."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from biascore.cli.lasting import Lasting

AUDIT = """
title = "one control"
[[models]]
ref = "planted:gender=1.5"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = { resamples = 100, reference = "none" }
[[gates]]
name = "none"
measurements = ["*"]
roles = ["control"]
fail_on = "detected"
"""
FULL = Path("/dev/full")


def call(folder: Path, *arguments: str, into: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """A command whose output goes into a pipe that is closed already, or into a file."""
    if into:
        out = os.open(into, os.O_WRONLY)
    else:
        read, out = os.pipe()
        os.close(read)
    try:
        return subprocess.run(
            [sys.executable, "-m", "biascore", *arguments],
            stdout=out, stderr=subprocess.PIPE, text=True, cwd=folder, check=False,
            env={**os.environ, "BIASCORE_CACHE_DIR": str(folder / "cache"), **variables},
        )  # fmt: skip
    finally:
        os.close(out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("lost")
    (made / "audit.toml").write_text(AUDIT, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    "into", ["", pytest.param(str(FULL), marks=pytest.mark.skipif(not FULL.exists(), reason=""))]
)
@pytest.mark.parametrize(
    "form", [(), *(pytest.param(one, marks=pytest.mark.slow) for one in (("--json",), ("--format", "csv")))]
)
def test_the_run_is_saved_and_its_gate_has_its_code(folder: Path, into: str, form: tuple[str, ...]) -> None:
    """It was exit code 5 and nothing saved, or a traceback."""
    name = f"run-{len(form)}-{bool(into)}-{form[-1:]}".replace("'", "")
    done = call(folder, "run", "audit.toml", "--out", name, "--report", f"{name}.csv", *form, into=into)
    assert done.returncode == 4, done.stderr
    assert json.loads((folder / name / "run.json").read_text(encoding="utf-8"))["gates"][0]["name"] == "none"
    assert "en/weat7" in (folder / f"{name}.csv").read_text(encoding="utf-8")
    assert f"run saved in {name}" in done.stderr
    assert "Traceback" not in done.stderr
    assert ("could not be written in whole" in done.stderr) == bool(into)
    if into:
        assert call(folder, "gate", name, "audit.toml", into=into).returncode == 4
    else:
        passing = call(folder, "gate", name, "--gate", '*:within=100,roles=["control"]')
        assert passing.returncode == 0, passing.stderr


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
def test_a_command_that_only_prints_says_that_it_could_not(folder: Path) -> None:
    full = call(folder, "list", "adapters", into=str(FULL))
    assert full.returncode == 2
    assert "No space left" in full.stderr


def test_what_the_encoding_lacks_is_escaped(folder: Path) -> None:
    text = folder / "ascii.txt"
    text.touch()
    done = call(folder, "run", "audit.toml", "--out", "ascii", into=str(text), PYTHONIOENCODING="ascii")
    assert (done.returncode, "Traceback" in done.stderr) == (4, False)
    assert "(\\u201cnone\\u201d)" in text.read_text(encoding="ascii")


def test_a_stream_drops_what_comes_after_its_first_error() -> None:
    class Full(io.StringIO):
        encoding = "utf-8"
        tries = 0

        def write(self, text: str) -> int:
            self.tries += 1
            raise OSError(28, "No space left on device")

    full = Full()
    stream = Lasting(full)
    assert [stream.write("one"), stream.write("two")] == [3, 3]
    stream.flush()
    assert (full.tries, stream.problem) == (1, "No space left on device")
