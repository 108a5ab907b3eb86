"""Workflows and composite actions of GitHub, run step by step in a shell; other actions have stand-ins."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from ..conftest import ROOT

ACTION: Final[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
_YAML: Final = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXPRESSION: Final = re.compile(r"\$\{\{ (\S+) \}\}")
_HASHED: Final = re.compile(r"hashFiles\(format\('([^']*)', (\S+)\)\) != ''")
Step = Mapping[str, Any]


def jobs_of(page: str) -> Iterator[list[Step]]:
    """The steps of each workflow that a page of the documentation shows."""
    for text in _YAML.findall((ROOT / "docs" / page).read_text(encoding="utf-8")):
        found = yaml.safe_load(text)
        if isinstance(found, dict) and "jobs" in found:
            (job,) = found["jobs"].values()
            yield job["steps"]


class Runner:
    """Machines that are new in every run, with what stays between runs: a repository, caches and artifacts.

    ``biascore`` is this one; what pip would install is in ``installed``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "repository"
        self.repository.mkdir()
        self.caches: dict[str, Path] = {}
        self.artifacts: dict[tuple[int, str], list[str]] = {}
        self.number = 0
        programs = {
            "biascore": f'exec "{sys.executable}" -m biascore "$@"',
            "pip": f'echo "$@" >> "{folder}/pip.log"',
            "python": f'echo "$@" >> "{folder}/pip.log"',
        }
        (folder / "bin").mkdir()
        for name, line in programs.items():
            program = folder / "bin" / name
            program.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
            program.chmod(0o755)

    @property
    def installed(self) -> list[str]:
        return (self.folder / "pip.log").read_text(encoding="utf-8").splitlines()

    @property
    def work(self) -> Path:
        """Where the steps of the last run ran."""
        return self.folder / "work" / str(self.number)

    def summary(self) -> str:
        return (self.folder / f"summary-{self.number}.md").read_text(encoding="utf-8")

    def run(self, steps: list[Step]) -> tuple[int, list[int]]:
        """One more run on a new machine: the first exit code that is not 0, and those of all steps in a shell."""
        self.number += 1
        self.work.mkdir(parents=True)
        return self._steps(steps, {"github.run_number": str(self.number)}, ["bash", "-e"])

    def _steps(self, steps: list[Step], context: dict[str, str], shell: list[str]) -> tuple[int, list[int]]:
        failed, codes = 0, []
        for step in steps:
            always, _, more = str(step.get("if", "")).partition("always()")
            assert not always, f"no stand-in for the condition {step['if']}"
            if (failed and "if" not in step) or not self._holds(more, context):
                continue
            if "uses" in step:
                failed = self._used(step, context) or failed
                continue
            code, outputs = self._shell(step, context, shell)
            codes.append(code)
            failed = failed or code
            context |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in outputs.items()}
        return failed, codes

    def _holds(self, more: str, context: Mapping[str, str]) -> bool:
        if not more:
            return True
        found = _HASHED.search(more)
        assert found, f"no stand-in for the condition {more}"
        return (self.work / found[1].format(context[found[2]])).exists()

    def _shell(self, step: Step, context: Mapping[str, str], shell: list[str]) -> tuple[int, dict[str, str]]:
        assert "${{" not in step["run"], "whatever a user gives would be code"
        script, output = self.folder / "step.sh", self.folder / "output"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        own = {name: self._filled(text, context) for name, text in step.get("env", {}).items()}
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "BIASCORE_CACHE_DIR": str(self.folder / f"cache-{self.number}"),
            "GITHUB_RUN_NUMBER": str(self.number),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / f"summary-{self.number}.md"),
            "GITHUB_ACTION_PATH": "ACTION",
            **own,
        }
        code = subprocess.run([*shell, script], cwd=self.work, env=environment, check=False).returncode
        said = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        return code, said

    def _used(self, step: Step, context: Mapping[str, str]) -> int:
        given = {name: self._filled(str(value), context) for name, value in step.get("with", {}).items()}
        name, _, version = step["uses"].partition("@")
        if name.startswith("./"):
            inputs = {one: stated["default"] for one, stated in ACTION["inputs"].items()}
            assert set(given) <= set(inputs)
            values = {f"inputs.{one}": value for one, value in (inputs | given).items()}
            return self._steps(
                ACTION["runs"]["steps"], values, ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
            )[0]
        assert re.fullmatch(r"v\d+", version), step["uses"]
        stands_in: dict[str, Callable[[dict[str, str]], None]] = {
            "actions/checkout": self._checkout,
            "actions/setup-python": lambda _: None,
            "actions/cache/restore": self._restore,
            "actions/cache/save": self._save,
            "actions/upload-artifact": self._upload,
        }
        stands_in[name](given)
        return 0

    def _filled(self, text: str, context: Mapping[str, str]) -> str:
        return _EXPRESSION.sub(lambda found: context[found[1]], text)

    def _checkout(self, _: dict[str, str]) -> None:
        shutil.copytree(self.repository, self.work, dirs_exist_ok=True)

    def _restore(self, given: dict[str, str]) -> None:
        """The cache of the key, else the newest whose key begins as one of ``restore-keys``."""
        keys = [one for one in self.caches if one == given["key"]]
        for prefix in given.get("restore-keys", "").split():
            keys += [one for one in reversed(self.caches) if one.startswith(prefix)]
        if keys:
            shutil.copytree(self.caches[keys[0]], self.work / given["path"])

    def _save(self, given: dict[str, str]) -> None:
        assert given["key"] not in self.caches, "a cache is never replaced"
        self.caches[given["key"]] = self.folder / "caches" / given["key"]
        shutil.copytree(self.work / given["path"], self.caches[given["key"]])

    def _upload(self, given: dict[str, str]) -> None:
        found = sorted(str(one.relative_to(self.work)) for one in self.work.glob(given["path"]))
        assert found, f"nothing is uploaded as {given['name']}"
        assert not re.search(r'[":<>|*?\\/\r\n]', given["name"]), f"no artifact can be called {given['name']}"
        self.artifacts[self.number, given["name"]] = found
