"""A data file, or a folder of them that is read as one: the tables of several parts of one benchmark."""

from __future__ import annotations

import hashlib
from pathlib import Path

from biascore.errors import BiascoreError, DataError
from biascore.files.reading import file_digest

_TABLES = frozenset({".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"})


def tables_in(folder: Path, display: str, error: type[BiascoreError] = DataError) -> list[Path]:
    """The tables of a folder (not of folders in it) by name: .csv, .tsv, .jsonl, .ndjson, .parquet, each also .gz.

    Raises ``error`` where there is none, or the folder cannot be read.
    """
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


def source_digest(path: Path, display: str, error: type[BiascoreError] = DataError) -> str:
    """SHA-256 of a file; of a folder, that of the names and digests of its tables; raises ``error``."""
    if not path.is_dir():
        return file_digest(path, display, error)
    parts = [
        f"{file_digest(one, f'{display}/{one.name}', error)}  {one.name}\n"
        for one in tables_in(path, display, error)
    ]
    return hashlib.sha256("".join(parts).encode()).hexdigest()
