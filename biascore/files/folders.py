"""What a data file is on disk: a file, a dataset that was saved as a folder, or a folder of tables that is read as one."""

from __future__ import annotations

import hashlib
from pathlib import Path

from biascore.errors import BiascoreError, DataError
from biascore.files.kinds import is_saved
from biascore.files.reading import file_digest
from biascore.files.saved import saved_dataset

_TABLES = frozenset({".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow"})


def tables_in(folder: Path, display: str, error: type[BiascoreError] = DataError) -> list[Path]:
    """The tables of a folder (not of folders in it) by name: .csv, .tsv, .jsonl, .ndjson, .parquet, .arrow, each also .gz.

    A folder of ``save_to_disk`` is one table itself. Raises ``error`` where there is none, or the folder cannot be read.
    """
    if is_saved(folder):
        return [folder]
    try:
        files = [one for one in folder.iterdir() if not one.name.startswith(".") and one.is_file()]
    except OSError as problem:
        raise error(f"{display} cannot be read ({problem.strerror}). Give a readable folder") from problem
    found = [one for one in files if Path(one.name.lower().removesuffix(".gz")).suffix in _TABLES]
    if not found:
        raise error(
            f"{display} is a folder without a table ({', '.join(sorted(_TABLES))}, also .gz). Name a file, or the folder "
            "that holds the files"
        )
    return sorted(found, key=lambda one: one.name)


def files_of_source(source: Path, display: str, error: type[BiascoreError] = DataError) -> dict[str, Path]:
    """The files that a source of data consists of, by their path within it: of a folder those that are read.

    Raises ``error``.
    """
    files = (
        saved_dataset(source, display, error).files if is_saved(source) else tables_in(source, display, error)
    )
    return {one.relative_to(source).as_posix(): one for one in files}


def source_digest(path: Path, display: str, error: type[BiascoreError] = DataError) -> str:
    """SHA-256 of a file; of a folder, that of the paths and digests of the files that are read; raises ``error``."""
    if not path.is_dir():
        return file_digest(path, display, error)
    parts = [
        f"{file_digest(one, f'{display}/{name}', error)}  {name}\n"
        for name, one in files_of_source(path, display, error).items()
    ]
    return hashlib.sha256("".join(parts).encode()).hexdigest()
