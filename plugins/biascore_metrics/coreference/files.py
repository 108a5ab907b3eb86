"""Data that are several files of one folder: the one that is named, and those that are read with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from biascore.api.formats import DataFile, Test, file_digest
from biascore.api.support import listed
from biascore.errors import DataError


@dataclass(frozen=True, slots=True)
class ReadWith:
    """A file that was read with the one that a test names, and the SHA-256 of its bytes."""

    file: str
    sha256: str


def next_to(file: DataFile, names: Iterable[str]) -> DataFile:
    """The first of these files that is there, also as ``.gz``; raises DataError that says what is missing."""
    wanted = [name for one in names for name in (one, f"{one}.gz")]
    for name in wanted:
        path = file.path.parent / name
        if path.is_file():
            folder, slash, _ = file.display.rpartition("/")
            display = f"{folder}{slash}{name}"
            return DataFile(path, display, file_digest(path, display), file.test, file.language)
    raise DataError(
        f"{file.display} is read with {listed(wanted)} of its folder, which is not there. Put it next to it, and give the "
        "path of the folder"
    )


def recorded(test: Test, files: Iterable[ReadWith]) -> tuple[Test, ...]:
    """The test as what each further file became, so that a run records that one, too."""
    return tuple(replace(test, file=one.file, sha256=one.sha256) for one in files)


def named(file: DataFile) -> str:
    """The name of a file without ``.gz``."""
    return Path(file.display).name.removesuffix(".gz")
