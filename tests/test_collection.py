"""The tests themselves: every worker must collect the same ones, whenever it does; and no file is too long to read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

COLLECT = """
import datetime, sys
import pytest, time_machine

class Print:
    def pytest_collection_finish(self, session):
        print(*(ascii(item.nodeid) for item in session.items), sep="\\n", file=sys.stderr)

OPTIONS = ["--collect-only", "-qq", "-p", "no:cacheprovider", "-p", "no:xdist"]
RELAXED = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # time_machine is also a plugin of pytest
with time_machine.travel(datetime.datetime.fromisoformat(sys.argv[1]), tick=True):
    sys.exit(pytest.main([*OPTIONS, *RELAXED], [Print()]))
"""


def collected(moment: str, hash_seed: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", COLLECT, moment],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "TMPDIR": str(folder), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr.splitlines()


@pytest.mark.slow
def test_every_worker_collects_the_same_tests(tmp_path: Path) -> None:
    """Under another clock, hash seed, home and temporary folder; pytest-xdist refuses to run otherwise."""
    pytest.importorskip("time_machine")
    (tmp_path / "other").mkdir()
    one = collected("2024-02-29T23:59:58+00:00", "1", tmp_path)
    two = collected("2031-07-01T12:00:03+02:00", "2", tmp_path / "other")
    assert len(one) > 2000
    assert one == two


@pytest.mark.parametrize(
    "folder", ["biascore", "adapters", "plugins", "wordlists", "tests", "benchmarks", "fuzz"]
)
def test_no_file_is_above_400_lines(folder: str) -> None:
    lines = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert lines
    assert {path: count for path, count in lines.items() if count > 400} == {}


def test_nothing_that_a_test_wrote_is_in_the_repository() -> None:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a checkout")
    files = done.stdout.splitlines()
    assert len(files) > 1000
    top = {
        "adapters",
        "benchmarks",
        "biascore",
        "docs",
        "examples",
        "fuzz",
        "plugins",
        "recipe",
        "tests",
        "wordlists",
        ".ci",
        ".github",
        ".devcontainer",
    }
    strange = {file.split("/")[0] for file in files if "/" in file} - top
    assert strange == set()
    assert [file for file in files if file.endswith((".sqlite", ".log"))] == []
