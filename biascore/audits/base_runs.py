"""The runs that gates compare with: one by its path, or the newest of the same line in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from biascore.audits.gates import Gate
from biascore.comparing.two_runs import loaded
from biascore.errors import BiascoreError, RunError
from biascore.files.paths import user_path
from biascore.files.reading import parse_json, read_bytes
from biascore.results.run import Run
from biascore.results.run_files import RUN_FILE
from biascore.results.series import lines_of


class BaseRuns(dict[Path, Run]):
    """Runs by path; each is read once, when it is first asked for. ``besides``: the folder that is never a base run."""

    def __init__(
        self, known: Mapping[Path, Run] = MappingProxyType({}), *, besides: Path | None = None
    ) -> None:
        super().__init__(known)
        self._besides = None if besides is None else user_path(besides).resolve()

    def __missing__(self, path: Path) -> Run:
        self[path] = loaded(path)
        return self[path]

    def of(self, gate: Gate, folder: Path, run: Run | None = None) -> Run | None:
        """What a gate compares ``run`` with, None where there is none yet; raises RunError with the key that names it.

        Before there is a run (None), which of a folder is of its line is not known: then it is None, and only looked whether
        those there can be read.
        """
        assert gate.base is not None
        path = folder / user_path(gate.base)
        try:
            if gate.previous is not None:
                return self._newest(path, run)
            if path in self or path.exists():
                return self[path]
        except BiascoreError as error:
            raise type(error)(f"{gate.base_key}: {error}") from error
        if gate.no_base == "pass":
            return None
        raise RunError(
            f"{gate.base_key}: there is no such run. Correct the path; or, where this is the "
            'first run of its kind, add no_base = "pass" to the gate, and keep this run there for the next one to be '
            "compared with"
        )

    def _newest(self, path: Path, run: Run | None) -> Run | None:
        """The newest run of the same line that began before, and of another release where that is stated."""
        if (path / RUN_FILE).exists():
            raise RunError(
                "it is a run, and previous names the folder in which runs lie. Name its parent folder"
            )
        if path.exists() and not path.is_dir():
            raise RunError("it is no folder. Name the folder in which the runs of earlier releases lie")
        there = sorted(path.iterdir()) if path.is_dir() else []
        runs = [one for one in there if (one / RUN_FILE).exists() and one.resolve() != self._besides]
        heads = {one: _head(one) for one in runs}
        if run is None:
            return None
        mine = set(lines_of(run).values())
        for one in sorted(runs, key=lambda one: heads[one].began, reverse=True):
            head = heads[one]
            same_release = bool(run.release) and head.release == run.release
            if head.began >= run.provenance.started or head.line != run.line or same_release:
                continue
            if mine <= set(lines_of(self[one]).values()):
                return self[one]
        return None


class NoBaseRuns(BaseRuns):
    """None, where a stored run had none to compare with."""

    def of(self, gate: Gate, folder: Path, run: Run | None = None) -> None:
        """None, whatever is there by now."""


class _Head(NamedTuple):
    """What is read of a run to find out whether it is the one that is looked for."""

    began: float
    line: str
    release: str


def _head(folder: Path) -> _Head:
    """Read the beginning and the line of a stored run; raises RunError where it cannot be read."""
    try:
        body = parse_json(read_bytes(folder / RUN_FILE, RUN_FILE, RunError).decode())
        return _Head(
            float(body["provenance"]["started"]), str(body.get("line", "")), str(body.get("release", ""))
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(
            f"{folder} cannot be read as a run ({error}), and may be the newest. Repair it, or take it out of the folder"
        ) from error
