"""Tables as rows of text with the lines on which they stand: the one reader of CSV, JSON Lines, Parquet
and Arrow.

A table is read whole, also compressed, and nothing in it is repaired in silence: what its cells are, ``forms`` says.
A comma in a number is its decimal sign where columns are separated by semicolons or tabs, and an error elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from biascore.basics.twice import twice
from biascore.basics.wording import listed, quoted
from biascore.errors import DataError
from biascore.files.columnar import columns_of
from biascore.files.forms import DELIMITERS, ByColumn, Delimited, Form, JsonLines, Malformed, Row, Unit
from biascore.files.kinds import kind_of
from biascore.files.reading import UTF8, codec_of, read_text
from biascore.files.table_options import Delimiter

MAX_LISTED: Final = 20
OF_DATA: Final = "-o data.encoding"
COMMA: Final = ", decimal comma"
_NUMBER: Final = re.compile(
    r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?|[+-]?(nan|inf(inity)?)", re.ASCII | re.IGNORECASE
)
_BOTH_SIGNS: Final = re.compile(r"[+-]?(?=.*\.)(?=.*,)[\d.,]*\d[\d.,]*", re.ASCII)
_WHOLE: Final = re.compile(r"(-?\d{1,18})(\.0*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table that were asked for, its rows, and those that are ``malformed``; counted in ``unit``.

    ``decimal_commas``: whether a comma in a number can be nothing else. ``reading``: its encoding and decimal sign.
    """

    display: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    malformed: tuple[Malformed, ...] = ()
    unit: Unit = "line"
    decimal_commas: bool = False
    reading: str = ""

    @property
    def conventions(self) -> dict[str, str]:
        """How its numbers were read, where that is not as usual, for the results of a test that it becomes."""
        return {"decimal sign": "comma"} if self.reading.endswith(COMMA) else {}

    def looks_numeric(self, column: str) -> bool:
        """Whether a column has cells that are not blank, and all look like numbers, with a point or a comma."""
        cells = list(filter(None, (row.fields[column].strip() for row in self.rows)))
        return all(_NUMBER.fullmatch(cell) or _BOTH_SIGNS.fullmatch(cell) for cell in cells) and cells != []

    def with_numbers(self, *columns: str) -> Table:
        """The same with points for the decimal commas of these columns; cells that are no numbers stay as they are.

        Raises DataError, with column, cell and line, for a number with both signs, for both in one file, and for a comma
        where it need not be a decimal sign.
        """
        first: dict[str, tuple[Row, str]] = {}
        for row in self.rows:
            for column in columns:
                cell = row.fields[column].strip()
                if _BOTH_SIGNS.fullmatch(cell):
                    raise DataError(
                        f"{self.display}: {self._cell(row, column)}, with point and comma. Write numbers without "
                        "separators of thousands"
                    )
                for sign in ".,":
                    if sign in cell and sign not in first and _NUMBER.fullmatch(cell):
                        first[sign] = row, column
        if "," not in first:
            return self
        at = self._cell(*first[","])
        if not self.decimal_commas:
            raise DataError(
                f"{self.display}: {at}. A decimal comma is read where columns are separated by semicolons or tabs. Save the "
                "table so, or write a point"
            )
        if "." in first:
            raise DataError(
                f"{self.display}: {at}, and {self._cell(*first['.'])}: only one of the two signs is decimal. Write all "
                "numbers with the same one"
            )
        rows = tuple(row._replace(fields=row.fields | _with_points(row, columns)) for row in self.rows)
        return replace(self, rows=rows, reading=f"{self.reading}{COMMA}")

    def whole_numbers(self, column: str) -> list[int | None]:
        """The whole numbers of a column, also as 9.0, which spreadsheets make of 9 in a column with a gap; else None."""
        cells = (row.fields[column].strip() for row in self.with_numbers(column).rows)
        return [int(found[1]) if (found := _WHOLE.fullmatch(cell)) else None for cell in cells]

    def _cell(self, row: Row, column: str) -> str:
        return f"{quoted(column)} is {quoted(row.fields[column])} on {self.places([row])}"

    def places(self, rows: Sequence[Row]) -> str:
        """Where rows begin, for a message: ``line 3``, ``lines 3, 5``; the first few of many."""
        return f"{self.unit}{'s' * (len(rows) > 1)} {listed([row.line for row in rows])}"

    def problems(self, malformed: Sequence[Malformed]) -> str:
        """The first few malformed records with the reason, for a message."""
        shown = [
            f"{self.unit} {one.line} {one.problem}"
            if one.line == one.last
            else f"{self.unit}s {one.line} to {one.last} {one.problem}"
            for one in malformed[:MAX_LISTED]
        ]
        more = [f"and {len(malformed) - MAX_LISTED} more"] if len(malformed) > MAX_LISTED else []
        return "; ".join([*shown, *more])

    def check_filled(self, *columns: str) -> None:
        """Raise DataError where a cell of these columns is blank."""
        for column in columns:
            blank = [row for row in self.rows if not row.fields[column].strip()]
            if blank:
                raise DataError(
                    f"{self.display}: {quoted(column)} is blank on {self.places(blank)}. Fill it in, or delete the rows"
                )


def read_table(
    path: Path,
    display: str,
    needed: Sequence[str],
    others: Sequence[str] | None = (),
    *,
    encoding: str = UTF8,
    delimiter: Delimiter = "auto",
    quotes: bool = True,
    keep_malformed: bool = False,
    remedy: str
    | Callable[
        [Sequence[str]], str
    ] = "Rename the columns in the file, or name yours with the option columns",
    flag: str = OF_DATA,
) -> Table:
    """Read the ``needed`` columns of a table, and of the ``others`` those that are there (None: all that are there).

    ``path`` names its form: ``.parquet``, ``.arrow``, ``.jsonl``, ``.ndjson`` or ``.json``, else delimited text with a
    header, each also ``.gz``; or it is a folder of ``save_to_disk``. ``delimiter`` "auto" takes the one by which the
    header has the needed columns. Without ``quotes`` a quotation mark of delimited text is a character like any other.
    Malformed records are refused, or kept apart with ``keep_malformed``. Messages tell ``remedy`` (of the columns that
    there are) where some are missing, and ``flag`` as that by which the command line takes the option ``encoding``.
    Raises DataError that names the file and the columns or lines at fault, OptionsError for an unknown encoding.
    """
    form = _form(path, display, needed, encoding, delimiter, flag, quotes=quotes)
    missing = [column for column in needed if column not in form.columns]
    if missing:
        read = f" when read with delimiter={delimiter}" if delimiter != "auto" else ""
        other = "Try delimiter=auto. " if delimiter != "auto" else ""
        raise DataError(
            f"{display} has no column {listed(missing)}{read}; its columns are: {listed(form.columns)}. {other}"
            f"{remedy if isinstance(remedy, str) else remedy(form.columns)}"
        )
    chosen = form.columns if others is None else (*needed, *(one for one in others if one in form.columns))
    columns = tuple(dict.fromkeys(chosen))
    repeated = {*twice(form.columns)}
    for column in columns:
        if column in repeated:
            raise DataError(f"{display} has the column {quoted(column)} twice. Rename one of them")
    rows: list[Row] = []
    malformed: list[Malformed] = []
    for record in form.records(columns):
        if isinstance(record, Row):
            rows.append(record)
        else:
            malformed.append(record)
    table = Table(
        display,
        columns,
        tuple(rows),
        tuple(malformed),
        form.unit,
        form.decimal_commas,
        form.what if isinstance(form, ByColumn) else encoding,
    )
    if malformed and not keep_malformed:
        raise DataError(
            f"{display} has {len(malformed)} malformed row(s): {table.problems(malformed)}. Correct them"
        )
    if not rows and not malformed:
        raise DataError(f"{display} has a header and no rows. Give a file with data")
    return table


def table_columns(path: Path, display: str, *, encoding: str = UTF8, flag: str = OF_DATA) -> tuple[str, ...]:
    """The columns of a table, in their order; raises what ``read_table`` does."""
    return _form(path, display, (), encoding, "auto", flag, quotes=True).columns


def _with_points(row: Row, columns: Sequence[str]) -> dict[str, str]:
    cells = {column: row.fields[column].strip() for column in columns}
    return {column: cell.replace(",", ".") for column, cell in cells.items() if _NUMBER.fullmatch(cell)}


def _form(
    path: Path,
    display: str,
    needed: Sequence[str],
    encoding: str,
    delimiter: Delimiter,
    flag: str,
    *,
    quotes: bool,
) -> Form:
    kind = kind_of(path)
    if kind != "csv" and delimiter != "auto":
        raise DataError(f"{display} is no delimited text, by its name. Leave the option delimiter out")
    columns = columns_of(path, display, dictionaries=True)
    if columns is not None:
        if codec_of(encoding) != UTF8:
            raise DataError(
                f"{display} is {columns.what}, which is UTF-8 always. Leave the option encoding out"
            )
        return ByColumn(columns)
    text = read_text(path, display, encoding=encoding, flag=flag)
    if not text.strip():
        raise DataError(f"{display} is empty. Give a file with data")
    if kind == "jsonl":
        return JsonLines(text, display)
    delimiters = list(DELIMITERS.values()) if delimiter == "auto" else [DELIMITERS[delimiter]]
    return Delimited(text, display, needed, delimiters, quotes=quotes)
