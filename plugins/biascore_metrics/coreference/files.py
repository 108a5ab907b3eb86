"""Data that are several files of one folder: the one that is named, and those that are read with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from biascore.api.formats import DataFile, Test, source_digest
from biascore.errors import DataError


@dataclass(frozen=True, slots=True)
class ReadWith:
    """A file that was read with the one that a test names, and the SHA-256 of its bytes."""

    file: str
    sha256: str


def next_to(file: DataFile, name: str, partner: str = "") -> DataFile:
    """The file of this name in the same folder, also as ``.gz``; raises DataError that says what it is read with.

    That is its ``partner`` where that one is there, else ``file``.
    """
    found = beside(file, name)
    if found is None:
        own = (partner and beside(file, partner)) or file.path
        raise DataError(
            f"{_display(file, own)} is read with {name!r} or '{name}.gz' of its folder, which is not there. Put it next to "
            "it, and give the path of the folder"
        )
    display = _display(file, found)
    return DataFile(found, display, source_digest(found, display), file.test, file.language)


def beside(file: DataFile, name: str) -> Path | None:
    """The path of the file of this name in the same folder, also as ``.gz``; None where there is none."""
    return next((path for end in ("", ".gz") if (path := file.path.parent / f"{name}{end}").is_file()), None)


def _display(file: DataFile, path: Path) -> str:
    folder = re.match(r".*[/\\]|", file.display)  # of a Windows path, too
    return file.display if path == file.path or folder is None else f"{folder[0]}{path.name}"


def recorded(test: Test, files: Iterable[ReadWith]) -> tuple[Test, ...]:
    """The test as what each further file became, so that a run records that one, too."""
    return tuple(replace(test, file=one.file, sha256=one.sha256) for one in files)


def named(file: DataFile) -> str:
    """The name of a file without ``.gz``."""
    return Path(file.display).name.removesuffix(".gz")
