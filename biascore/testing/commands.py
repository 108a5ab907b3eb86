"""The contract of a command, called as its user calls it, in processes of its own: ``check_command("greet", ["Ada"])``."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import typer

from biascore.basics.keys import declared
from biascore.command import Command
from biascore.engine.engine import Engine
from biascore.errors import BiascoreError
from biascore.testing.contract import Contract, NotAskedError, check_all, hold

_KEY: Final = "sk-the-key-of-a-contract-0123456789"
_LONG: Final = {"COLUMNS": "2000", "NO_COLOR": "1", "TERM": "dumb"}


@dataclass
class CommandContract(Contract):
    """What ``check_command`` takes."""

    kind = "command"
    command: str
    arguments: Sequence[str] | None = None
    wrong: Sequence[str] | None = None
    engine: Engine = field(default_factory=lambda: Engine(cache=None))

    @cached_property
    def _stated(self) -> Command:
        try:
            return self.engine.plugins.commands.get(self.command)
        except BiascoreError as error:
            raise AssertionError(str(error)) from error

    @cached_property
    def _function(self) -> Callable[..., Any]:
        module, _, name = self._stated.target.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), name)
        return found

    @cached_property
    def _options(self) -> Sequence[Any]:
        """Its options and arguments, as typer makes them of the function."""
        alone = typer.Typer(add_completion=False)
        alone.command()(self._function)
        return typer.main.get_command(alone).params

    def _called(self, arguments: Sequence[str], keys: Mapping[str, str] | None = None) -> _Done:
        return _biascore([self.command, *arguments], keys or {})

    def _given(self) -> Sequence[str]:
        if self.arguments is None:
            raise NotAskedError("no answer: no arguments are given with which the command can be called")
        return self.arguments

    def check_declares(self) -> None:
        """The statement, and the function that it names."""
        docstring = inspect.getdoc(self._function) or ""
        hold(
            docstring.startswith(self._stated.summary),
            f"the docstring of {self._stated.target} begins with {docstring[:60]!r}, not with {self._stated.summary!r}",
        )

    def check_listed(self) -> None:
        """The page of all commands."""
        stated, done = self._stated, _biascore(["--help"], {}, "-X", "importtime")
        hold(stated.summary in done.out, "`biascore --help` does not show the summary")
        module = stated.target.partition(":")[0]
        hold(
            not re.search(rf"\| +{re.escape(module)}$", done.err, re.MULTILINE),
            f"`biascore --help` imports {module}; state the command in a module that does not import it",
        )

    def check_help(self) -> None:
        """Its own page."""
        done = self._called(["--help"])
        hold(done.code == 0, f"--help exits with {done.code}: {done.err}")
        silent = [str(one.name) for one in self._options if not one.help]
        hold(not silent, f"no help is given for {', '.join(silent)}")

    def check_refuses(self) -> None:
        """An option that no command has, and arguments that are wrong in themselves."""
        for arguments in filter(None, (["--no-such-option"], self.wrong)):
            done = self._called(arguments)
            hold(done.code == 2, f"{' '.join(arguments)} exits with {done.code}: {done.err}")
            hold("Traceback" not in done.err, f"{' '.join(arguments)} ends in a traceback")
            hold(not done.out, f"{' '.join(arguments)} is wrong, and standard output has {done.out[:80]!r}")

    def check_output(self) -> None:
        """Of the arguments given."""
        done = self._called(self._given())
        hold(done.code == 0, f"it exits with {done.code}: {done.err}")
        hold(done.out.strip(), f"standard output is empty; standard error has {done.err[:200]!r}")

    def check_json(self) -> None:
        """Of the same, where it can be had."""
        if not any("--json" in one.opts for one in self._options):
            raise NotAskedError("it has no option --json")
        done = self._called([*self._given(), "--json"])
        hold(done.code == 0, f"with --json it exits with {done.code}: {done.err}")
        try:
            json.loads(done.out)
        except ValueError as error:
            raise AssertionError(
                f"with --json standard output is no JSON ({error}): {done.out[:80]!r}"
            ) from error

    def check_secrets(self) -> None:
        """Every key that an adapter declares is set meanwhile."""
        self.engine.plugins.adapters.items()  # each declares its variables
        given = self._given()
        for arguments in filter(None, (given, self.wrong)):
            done = self._called(arguments, dict.fromkeys(declared(), _KEY))
            hold(_KEY not in done.out + done.err, f"{' '.join(arguments)} prints the value of a key")


@dataclass(frozen=True, slots=True)
class _Done:
    """What a process ended with and printed."""

    code: int
    out: str
    err: str


def _biascore(arguments: Sequence[str], keys: Mapping[str, str], *python: str) -> _Done:
    """``biascore ARGUMENTS`` in an empty folder, which sees the modules that this process sees."""
    path = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    with tempfile.TemporaryDirectory() as folder:
        own = {"PYTHONPATH": path, "BIASCORE_CACHE_DIR": str(Path(folder, "cache")), **_LONG, **keys}
        done = subprocess.run(
            [sys.executable, *python, "-m", "biascore", *arguments],
            cwd=folder, env={**os.environ, **own}, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
    return _Done(done.returncode, done.stdout, done.stderr)


def check_command(
    command: str,
    arguments: Sequence[str] | None = None,
    *,
    wrong: Sequence[str] | None = None,
    engine: Engine | None = None,
) -> dict[str, str]:
    """Check an installed command, which is called in an empty folder with ``arguments``; ``wrong`` ones it has to refuse.

    Raises AssertionError, which lists each clause that is broken. Returns those that were skipped, each with the reason:
    without ``arguments`` nothing is known of its output.
    """
    return check_all(CommandContract(command, arguments, wrong, engine or Engine(cache=None)).clauses())
