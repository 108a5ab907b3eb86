"""CSV files as rows with their line numbers: read whole, also compressed, nothing repaired in silence."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biascore.basics.wording import listed, quoted
from biascore.errors import DataError
from biascore.files.reading import csv_problem, first_record, read_text, records

DELIMITERS: Final = (",", "\t", ";")


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


def read_table(
    path: Path,
    display: str,
    needed: Sequence[str],
    remedy: str = "Rename the columns in the file, or name yours with the option columns",
) -> Table:
    """Read a CSV file with a header that has the ``needed`` columns, cut at commas, tabs or semicolons.

    ``remedy`` is what to tell the user of a file without these columns.
    Raises DataError that names the file and the columns or lines at fault.
    """
    text = read_text(path, display)
    headers = {delimiter: first_record(text, delimiter) for delimiter in DELIMITERS}
    fitting = [delimiter for delimiter, header in headers.items() if set(needed) <= set(header)]
    if not fitting:
        found = max(headers.values(), key=len)
        missing = listed([column for column in needed if column not in found])
        raise DataError(f"{display} has no column {missing}; its columns are: {listed(found)}. {remedy}")
    header = headers[fitting[0]]
    twice = [column for column in header if header.count(column) > 1]
    if twice:
        raise DataError(f"{display} has the column {quoted(twice[0])} twice. Rename one of them")
    rows, ragged = _rows(text, fitting[0], header, display)
    if ragged:
        raise DataError(
            f"{display}: {lines_listed(ragged)} have another number of fields than the header's {len(header)}. Correct them"
        )
    if not rows:
        raise DataError(f"{display} has a header and no rows. Give a file with data")
    return Table(display, tuple(header), tuple(rows))


def lines_listed(lines: Sequence[int]) -> str:
    """Line numbers for a message, the first few of many."""
    return f"line{'s' * (len(lines) > 1)} {listed(lines)}"


def _rows(text: str, delimiter: str, header: Sequence[str], display: str) -> tuple[list[Row], list[int]]:
    reader = records(text, delimiter)
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
        raise DataError(
            f"{display}, line {reader.line_num}: {csv_problem(error)}. Correct its quotation marks"
        ) from error
    return rows, ragged
