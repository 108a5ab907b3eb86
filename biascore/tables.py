"""CSV files as rows with their line numbers: read whole, also compressed, nothing repaired in silence."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biascore.errors import DataError

DELIMITERS: Final = (",", "\t", ";")
MAX_LISTED: Final = 10
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Row:
    """One record: the line on which it begins, and its fields by column."""

    line: int
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file: its columns in order, and its rows."""

    display: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def read_text(path: Path, display: str) -> str:
    """The text of a file in UTF-8, uncompressed where it is gzip; raises DataError."""
    try:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if raw.startswith(_GZIP) else raw
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{display} cannot be read ({error}). Give the path of a readable file") from error
    except (EOFError, zlib.error) as error:
        raise DataError(f"{display} is damaged: {error}. Compress it again with gzip") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{display} is not in UTF-8 ({error}). Save it as UTF-8") from error


def read_table(path: Path, display: str, needed: Sequence[str]) -> Table:
    """Read a CSV file with a header that has the ``needed`` columns, cut at commas, tabs or semicolons.

    Raises DataError that names the file and the columns or lines at fault.
    """
    text = read_text(path, display)
    headers = {
        delimiter: next(csv.reader(io.StringIO(text), delimiter=delimiter), []) for delimiter in DELIMITERS
    }
    fitting = [delimiter for delimiter, header in headers.items() if set(needed) <= set(header)]
    if not fitting:
        found = max(headers.values(), key=len)
        missing = ", ".join(repr(column) for column in needed if column not in found)
        raise DataError(
            f"{display} has no column {missing}; its columns are: {', '.join(map(repr, found)) or 'none'}. "
            "Rename the columns in the file, or name yours with the option columns"
        )
    header = headers[fitting[0]]
    twice = [column for column in header if header.count(column) > 1]
    if twice:
        raise DataError(f"{display} has the column {twice[0]!r} twice. Rename one of them")
    rows, ragged = _rows(text, fitting[0], header, display)
    if ragged:
        raise DataError(
            f"{display}: {listed(ragged)} have another number of fields than the header's {len(header)}. Correct them"
        )
    if not rows:
        raise DataError(f"{display} has a header and no rows. Give a file with data")
    return Table(display, tuple(header), tuple(rows))


def listed(lines: Sequence[int]) -> str:
    """Line numbers for a message, the first few of many."""
    shown = ", ".join(map(str, lines[:MAX_LISTED]))
    more = f" and {len(lines) - MAX_LISTED} more" if len(lines) > MAX_LISTED else ""
    return f"line{'s' * (len(lines) > 1)} {shown}{more}"


def _rows(text: str, delimiter: str, header: Sequence[str], display: str) -> tuple[list[Row], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    ragged: list[int] = []
    try:
        next(reader)
        start = reader.line_num + 1
        for fields in reader:
            if len(fields) == len(header):
                rows.append(Row(start, dict(zip(header, fields, strict=True))))
            elif fields:  # a blank line is no record
                ragged.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{display}, line {reader.line_num}: {error}. Correct its quotation marks") from error
    return rows, ragged
