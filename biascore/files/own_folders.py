"""Folders that biascore wrote, known by a JSON file in them that names their files."""

from __future__ import annotations

from pathlib import Path

from biascore.basics.wording import some_of
from biascore.errors import DataError
from biascore.files.reading import parse_json, read_bytes
from biascore.files.writing import check_folder


def files_of(folder: Path) -> list[str]:
    """The files of a folder and of those within it, by path, sorted."""
    return sorted(
        p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_symlink() or not p.is_dir()
    )


def check_own_folder(folder: Path, record: str, what: str, *, overwrite: bool) -> Path:
    """Where a folder that is ``what`` ("a scorer") can be written: ``folder``, or what it links to.

    ``record`` is the name of the JSON file in it whose "files" are those that belong to it. Raises RunError where the
    folder exists, with ``overwrite`` where it holds anything else.
    """
    return check_folder(folder, overwrite=overwrite, in_the_way=lambda path: _foreign(path, record, what))


def _foreign(folder: Path, record: str, what: str) -> str:
    """What of a folder is not ``what``, whose files its ``record`` names, for a message; empty where nothing is."""
    try:
        files = parse_json(read_bytes(folder / record, record))["files"]
        others = sorted({*files_of(folder)} - {record, *files})
    except (DataError, OSError, ValueError, KeyError, TypeError):
        return f"it is not {what}, for it has no {record} that says which files are its own"
    return f"next to {what} it holds {some_of(others)}" if others else ""
