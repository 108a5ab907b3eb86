"""``action.yml``: its steps, run in a shell as GitHub Actions runs those of a composite action."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="needs biascore[docs]")
ACTION: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8")
)
AUDIT = """
[[models]]
ref = "planted:gender=1.5"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = { resamples = 100, draws = 200, reference = "none" }
[[gates]]
name = "release"
measurements = ["*"]
roles = ["control"]
"""


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the audit and with ``biascore`` on the path."""
    program = tmp_path / "bin" / "biascore"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m biascore "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


def done(folder: Path, **inputs: str) -> int:
    """Run each step in a shell but the installation, and return the exit code of the last."""
    given = {name: one["default"] for name, one in ACTION["inputs"].items()} | inputs
    code = 0
    for step in ACTION["runs"]["steps"]:
        if "run" not in step or step["name"] == "Install":
            continue
        outputs = folder / "GITHUB_OUTPUT"
        said = dict(line.split("=", 1) for line in outputs.read_text().split()) if outputs.exists() else {}
        values = {f"inputs.{name}": value for name, value in given.items()}
        values |= {f"steps.measure.outputs.{name}": value for name, value in said.items()}
        env = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found, values=values: values[found[1]], text)
            for name, text in step["env"].items()
        }
        script = folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        code = subprocess.run(command, cwd=folder, env={**os.environ, **env}, check=False).returncode
    return code


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "code"), [('fail_on = "detected"', 4), ("within = 9", 0)])
def test_the_job_fails_as_its_gate_does_and_shows_the_tables(criterion: str, code: int, runner: Path) -> None:
    (runner / "audit.toml").write_text(AUDIT + criterion + "\n", encoding="utf-8")
    assert done(runner, arguments="--release 2 --line ours") == code
    assert (runner / "GITHUB_OUTPUT").read_text() == f"code={code}\n"
    summary = (runner / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
    assert "en/weat7" in summary
    assert "1 of 1 rule" in summary
    for name in ("biascore-run/run.json", "biascore-run.html", "biascore-run.xml"):
        assert (runner / name).is_file()


def test_what_a_user_gives_reaches_the_shell_as_variables_only() -> None:
    """An expression in a script would be code, whoever wrote the title of a pull request."""
    steps = [one for one in ACTION["runs"]["steps"] if "run" in one]
    assert len(steps) == 4
    assert [one["name"] for one in steps if "${{" in one["run"]] == []
    assert {one["shell"] for one in steps} == {"bash"}
    used = re.findall(r"inputs\.([\w-]+)", (Path(__file__).parents[2] / "action.yml").read_text())
    assert set(used) == set(ACTION["inputs"])
