"""Finding again what a stored run was made from: stimuli, data files and mappings, by the names that it records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from biascore.audits.audit import AuditData
from biascore.engine.mappings import is_file
from biascore.errors import BiascoreError
from biascore.files.folders import source_digest
from biascore.results.run import Run
from biascore.results.run_files import RUN_FILE
from biascore.results.stimuli_used import StimuliUsed
from biascore.stimuli.dataset import HUB, locate

STIMULI: str = "stimuli"
DATA: str = "data"
MAPPINGS: str = "mappings"
AGAIN: str = "again"
"""The folder of a bundle's files whose name another one next to it has."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look, in this order: folders that the user names, next to the run, in a bundle, the current folder."""

    given: tuple[Path, ...]
    beside: Path

    @classmethod
    def around(cls, run_folder: Path, given: Sequence[Path] = ()) -> Places:
        """The places for a run that is stored here."""
        return cls(tuple(given), run_folder.absolute().parent)

    def file(self, name: str, sha256: str | None = None) -> Path | None:
        """The file, or folder of data, that a run records under this name; None without any.

        One with the recorded bytes comes before others. Raises DataError for a device or what cannot be read; for
        ``hub:`` what fetching it raises.
        """
        if name.startswith(HUB):
            return locate(name, "", "").path
        found = [path for path in self._candidates(name) if path.exists()]
        same = (path for path in found if sha256 is not None and source_digest(path, str(path)) == sha256)
        return next(same, found[0] if found else None)

    def folder(self, name: str) -> Path | None:
        """The folder of stimuli that a run records under this name, or None."""
        last = PurePosixPath(name).name
        named = [given for given in self.given if given.absolute().name == last]
        bundled = self.beside / STIMULI
        found = (path for path in (*named, *self._candidates(name), bundled) if path.is_dir())
        return next(found, None)

    def root_of_run(self, name: str, *, folder: bool = False) -> Path | None:
        """The folder relative to which a run, or a ``folder`` of runs, is stored under this name, or None."""
        own = name if folder else f"{name}/{RUN_FILE}"
        return next((root for root in self._around if (root / own).exists()), None)

    @property
    def _around(self) -> tuple[Path, ...]:
        return (*self.given, *(folder.absolute().parent for folder in self.given), self.beside, Path())

    def _candidates(self, name: str) -> Iterator[Path]:
        parts = PurePosixPath(name).parts
        ends = dict.fromkeys((name, "/".join(parts[-2:]), parts[-1] if parts else name))
        bundled = (one for name in (STIMULI, DATA, MAPPINGS) for one in _nested(self.beside / name))
        for folder in (*self._around[:-1], *bundled, Path()):
            yield from (folder / end for end in ends)


def _nested(folder: Path) -> Iterator[Path]:
    while folder.is_dir():
        yield folder
        folder /= AGAIN


@dataclass(frozen=True, slots=True)
class Inputs:
    """The user's own stimuli folders and data files of a run, as found; ``missing`` names the others."""

    stimuli: tuple[Path, ...]
    data: tuple[AuditData, ...]
    missing: tuple[str, ...]


def files_of(run: Run) -> tuple[StimuliUsed, ...]:
    """The files that a run was made from: stimuli, data, and the mappings that its audit names by their files."""
    return (*run.stimuli, *mappings_of(run).values())


def mappings_of(run: Run) -> dict[str, StimuliUsed]:
    """The files of mappings that the audit of a run names, by the name of the mapping."""
    files = map(str, run.provenance.audit.get("mappings", ()))
    return {
        used.name: StimuliUsed(file=file, sha256=used.sha256, source=used.source, licence="", tests=())
        for file, used in zip(files, run.mappings, strict=False)  # in the order of the audit
        if is_file(file)
    }


def inputs_of(run: Run, places: Places) -> Inputs:
    """What the audit of a stored run names, found again."""
    stimuli, data, missing = [], [], []
    for name in run.provenance.audit.get("stimuli", ()):
        folder = places.folder(name)
        if folder is None:
            missing.append(name)
        elif folder not in stimuli:
            stimuli.append(folder)
    recorded = {used.file: used.sha256 for used in run.stimuli}
    for entry in run.provenance.audit.get("data", ()):
        try:
            one = AuditData.model_validate(dict(entry))
        except (ValidationError, ValueError, TypeError):
            missing.append("data that it names in no valid way")
            continue
        try:
            path = places.file(one.source, recorded.get(one.source))
        except BiascoreError:
            path = None
        if path is None:
            missing.append(one.source)
        else:
            data.append(one if one.source.startswith(HUB) else one.model_copy(update={"source": str(path)}))
    return Inputs(tuple(stimuli), tuple(data), tuple(missing))
