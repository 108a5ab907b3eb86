"""The stored runs of some folders, each read once: without items until a change has to be computed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from biascore.basics.wording import some_of
from biascore.board.model import Unread
from biascore.errors import BiascoreError, RunError
from biascore.files.paths import user_path
from biascore.results.run import Run, read_run
from biascore.results.run_files import RUN_FILE, report_of
from biascore.results.series import lines_of
from biascore.results.verdicts import RunVerdict
from biascore.results.words.answers import Answer

_DEEPEST = 4
"""Folders below one that is named in which runs are looked for."""


@dataclass(frozen=True, eq=False)
class Stored:
    """A stored run: its folder, its content without items, and the digest of its file."""

    folder: Path
    shown: str
    run: Run
    digest: str
    results: str
    _whole: list[Run] = field(default_factory=list)

    @cached_property
    def verdicts(self) -> tuple[RunVerdict, ...]:
        """What the run says of each measurement."""
        return self.run.verdicts

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """What it says of each ground."""
        return self.run.answers

    @cached_property
    def lines(self) -> dict[str, str]:
        """The line of each model in use."""
        return lines_of(self.run)

    @property
    def began(self) -> float:
        """When it did, in seconds since the epoch."""
        return self.run.provenance.started

    def whole(self) -> Run:
        """The run with its items, which are read and checked now; raises RunError."""
        if not self._whole:
            self._whole.append(Run.load(self.folder))
        return self._whole[0]

    def forget(self) -> None:
        """Let go of the items."""
        self._whole.clear()

    def report(self, out: Path) -> str:
        """The address of its report as a page in the folder ``out`` links to it; empty where none has its results."""
        page = report_of(self.folder, self.run.report_path, self.results)
        return quote(os.path.relpath(page.resolve(), out.resolve()).replace(os.sep, "/")) if page else ""


def folders_of(given: Iterable[Path]) -> dict[Path, str]:
    """The runs of some folders, each once, and how they are called: those that are runs, and those that lie in them.

    Raises RunError for a folder that is none, or holds no run.
    """
    found: dict[Path, str] = {}
    for path in given:
        top = user_path(path)
        if not top.is_dir():
            raise RunError(f"{path} is no folder. Name stored runs, or folders in which they lie")
        some = list(_runs_in(top, _DEEPEST))
        if not some:
            raise RunError(
                f"{path} holds no stored run. Name a folder that biascore run wrote, or one in which such folders lie"
            )
        above = top.resolve().parent  # a page that is passed on names no other folder of this machine
        for one in some:
            found.setdefault(one.resolve(), one.resolve().relative_to(above).as_posix())
    return found


def _runs_in(folder: Path, deep: int) -> Iterator[Path]:
    if (folder / RUN_FILE).exists():
        yield folder
    elif deep:
        for one in sorted(folder.iterdir()):
            if one.is_dir() and not one.name.startswith("."):
                yield from _runs_in(one, deep - 1)


def stored(folder: Path, shown: str) -> Stored | Unread:
    """A run without its items, or why it cannot be read; it is called ``shown``."""
    try:
        problems, run = read_run(folder, tables=False)
        if run is None or problems:
            return Unread(run=shown, why="; ".join(problems))
        content = (folder / RUN_FILE).read_bytes()
        results = str(json.loads(content)["results_digest"])
    except (BiascoreError, OSError, ValueError, KeyError) as error:
        return Unread(run=shown, why=str(error))
    if lines_of(run).keys() <= run.controls.keys():
        known = some_of(list(run.controls)) or "none"
        return Unread(run=shown, why=f"it measures no model in use, only controls ({known})")
    return Stored(folder, shown, run, hashlib.sha256(content).hexdigest(), results)
