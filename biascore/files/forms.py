"""The forms in which a table is written: delimited text, JSON Lines and Parquet, each as columns and rows of text.

A cell is text. What a CSV holds is taken as it stands; a JSON number is the text that is written for it; a whole
number of a Parquet file is its digits, another its shortest text that reads as the same double. A key that is
missing, ``null`` and a Parquet null are blank cells. Whatever else a cell holds is a problem of its row (in a Parquet
file: of its column), and so is text that no database or command line can hold.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import pyarrow as pa

from biascore.basics.wording import brief, listed, quoted
from biascore.errors import DataError
from biascore.files.reading import MAX_TABLE_MB, check_counts, check_size, megabytes_allowed, object_of

Unit: TypeAlias = Literal["line", "row"]
DELIMITERS: Final = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|"}
_SEPARATOR: Final = re.compile(r'"?sep=(.)"?[;,\t |]*\r?\n', re.IGNORECASE)
"""A first line by which Excel says what separates the columns."""
_SUFFIXES: Final = {".parquet": "parquet", ".json": "jsonl", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_ROWS_AT_ONCE: Final = 1 << 18


class Row(NamedTuple):
    """One record: the first and the last line on which it stands (of Parquet: its number), and its cells by column."""

    line: int
    last: int
    fields: dict[str, str]


class Malformed(NamedTuple):
    """A record that cannot be read, where it stands, and why: ``has 2 fields where the header has 7``."""

    line: int
    last: int
    problem: str


class Form(Protocol):
    """A table before its rows are read: its columns in order, and what its records are counted in.

    ``decimal_commas``: whether a comma in a number can be nothing but its decimal sign.
    """

    unit: Unit
    columns: tuple[str, ...]
    decimal_commas: bool

    def records(self, wanted: Sequence[str]) -> Iterator[Row | Malformed]:
        """The records with the ``wanted`` columns, which are there and once each; raises DataError."""


def kind_of(path: PurePath) -> str:
    """``parquet``, ``jsonl`` or ``csv``, as the name of the file says."""
    suffix = PurePath(path.name.lower().removesuffix(".gz")).suffix
    return _SUFFIXES.get(suffix, "csv")


class Delimited:
    """CSV, TSV and the like: the first of the delimiters by which the header has the ``needed`` columns, or most columns.

    Without ``quotes`` a quotation mark is a character like any other.
    """

    unit: Unit = "line"

    def __init__(
        self,
        text: str,
        display: str,
        needed: Sequence[str],
        delimiters: Sequence[str],
        *,
        quotes: bool = True,
    ) -> None:
        self._text = text
        self._display = display
        self._quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
        stated = _SEPARATOR.match(text)
        self._before = 1 if stated else 0
        if stated and len(delimiters) > 1:
            delimiters = [stated[1]]
        text = text[stated.end() :] if stated else text
        headers = {delimiter: _header(text, delimiter) for delimiter in delimiters}
        fitting = [
            delimiter for delimiter, header in headers.items() if needed and set(needed) <= set(header)
        ]
        self._delimiter = fitting[0] if fitting else max(headers, key=lambda one: len(headers[one]))
        self.columns = tuple(headers[self._delimiter])
        self.decimal_commas = self._delimiter != DELIMITERS["comma"]

    def records(self, wanted: Sequence[str]) -> Iterator[Row | Malformed]:
        """As the protocol says; a line of blank cells only is no record."""
        every = {name: place for place, name in enumerate(self.columns)}
        places = {name: every[name] for name in wanted}
        records = self._split()
        for _ in range(self._before + 1):
            next(records)
        for first, last, fields in records:
            if isinstance(fields, str):
                yield Malformed(first, last, fields)
            elif not any(map(str.strip, fields)):
                continue
            elif len(fields) != len(self.columns):
                problem = f"has {len(fields)} fields where the header has {len(self.columns)}"
                yield Malformed(first, last, problem)
            else:
                yield Row(first, last, {name: fields[place] for name, place in places.items()})

    def _split(self) -> Iterator[tuple[int, int, list[str] | str]]:
        """First and last line of each record, with its fields or what is wrong with its quotation marks."""
        # Strict, for otherwise text after a closing quotation mark is joined to the field without a word.
        reader = csv.reader(
            io.StringIO(self._text, newline=""),
            delimiter=self._delimiter,
            quoting=self._quoting,
            strict=True,
        )
        while True:
            first = reader.line_num + 1
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                problem = f"has broken quotation marks ({_csv_problem(error)})"
                last = reader.line_num
                if first == 1 or last > first:  # the header, or a mark that took the rest of the file with it
                    lines = f"line {first}" if last == first else f"lines {first} to {last}"
                    more = "" if last == first else ", so all of these lines are one broken row"
                    raise DataError(
                        f"{self._display}, {lines}: {problem}{more}. Correct the quotation marks of line {first}; they are "
                        "doubled inside a quoted field"
                    ) from error
                yield first, last, problem
            else:
                yield first, reader.line_num, fields


class JsonLines:
    """An object a line, or one list of objects; the columns are all keys, in the order in which they first appear."""

    unit: Unit = "line"
    decimal_commas: bool = False

    def __init__(self, text: str, display: str) -> None:
        self._display = display
        # Not splitlines: JSON may hold U+2028 and the like as they are.
        lines = enumerate(io.StringIO(text, newline=""), start=1)
        self._objects = [(number, _object(line)) for number, line in lines if line.strip()]
        if any(isinstance(found, str) for _, found in self._objects) and (whole := _whole(text)) is not None:
            if isinstance(whole, dict):
                raise DataError(
                    f"{display} is one JSON object, with the keys {listed([*whole])}, and a table is a list of objects or "
                    "an object a line. Write the list that is meant into a file of its own"
                )
            self.unit = "row"
            self._objects = [(number, _usable(one)) for number, one in enumerate(whole, start=1)]
        keys: dict[str, None] = {}
        for _, found in self._objects:
            keys.update(dict.fromkeys(found) if isinstance(found, dict) else {})
        self.columns = tuple(keys)
        if not keys and self._objects:
            number, problem = self._objects[0]
            what = problem if isinstance(problem, str) else "has no key"
            raise DataError(
                f"{display} has no JSON object with a key: line {number} {what}. Write one a line"
            )

    def records(self, wanted: Sequence[str]) -> Iterator[Row | Malformed]:
        """As the protocol says."""
        check_counts(self._display, 0, len(self._objects) * len(wanted))
        for number, found in self._objects:
            if isinstance(found, str):
                yield Malformed(number, number, found)
                continue
            problems = [_problem(name, found.get(name)) for name in wanted]
            problem = " and ".join(filter(None, problems))
            if problem:
                yield Malformed(number, number, f"is not usable: {problem}")
            else:
                yield Row(number, number, {name: found.get(name) or "" for name in wanted})


class Parquet:
    """A Parquet file, of which only the wanted columns are read; its records are numbered from 1."""

    unit: Unit = "row"
    decimal_commas: bool = False

    def __init__(self, raw: bytes, display: str) -> None:
        import pyarrow.parquet as pq

        self._raw = raw
        self._display = display
        with self._told():
            file = pq.ParquetFile(pa.BufferReader(raw))
            self._schema = file.schema_arrow
            self._metadata = file.metadata
            self.columns = tuple(self._schema.names)
        self._labels = _labels(self._schema)

    def records(self, wanted: Sequence[str]) -> Iterator[Row | Malformed]:
        """As the protocol says, class numbers as labels; refuses what unpacks to more than is read, in word or in fact."""
        import pyarrow.parquet as pq

        check_counts(
            self._display, self._metadata.num_rows, self._metadata.num_rows * len(wanted), what="rows"
        )
        for name in wanted:
            self._check_type(name)
        # Of row groups, not of columns: pyarrow ends the process where what a file says of a column is damaged.
        groups = map(self._metadata.row_group, range(self._metadata.num_row_groups))
        unpacks, allowed = f"{self._display} unpacks to", megabytes_allowed(MAX_TABLE_MB) * 1e6
        check_size(sum(group.total_byte_size for group in groups), unpacks)
        # As dictionaries: a long text that is in a million rows is then held once.
        with self._told():
            file = pq.ParquetFile(pa.BufferReader(self._raw), read_dictionary=list(wanted))
            batches = file.iter_batches(_ROWS_AT_ONCE, columns=list(wanted))
        number, size = 0, 0
        while (columns := self._columns(batches, wanted)) is not None:
            for cells in zip(*columns, strict=True):
                number += 1
                size += sum(map(len, cells))
                if size > allowed:
                    check_size(size, unpacks)
                problems = [_problem(name, cell) for name, cell in zip(wanted, cells, strict=True)]
                problem = " and ".join(filter(None, problems))
                if problem:
                    yield Malformed(number, number, f"is not usable: {problem}")
                else:
                    yield Row(number, number, dict(zip(wanted, cells, strict=True)))

        if number != self._metadata.num_rows:
            raise DataError(
                f"{self._display} says that it has {self._metadata.num_rows:,} rows, and has {number:,}. Write it again"
            )

    def _columns(self, batches: Iterator[Any], wanted: Sequence[str]) -> list[list[str]] | None:
        """The wanted columns of the next rows, or None where there are no more."""
        with self._told():
            batch = next(batches, None)
            if batch is None:
                return None
            batch.validate(full=True)  # places beyond a dictionary, texts that are none
            return [self._labelled(name, _cells(batch.column(name))) for name in wanted]

    def _labelled(self, name: str, cells: list[str]) -> list[str]:
        labels = self._labels.get(name, {})
        return [labels.get(cell, cell) for cell in cells] if labels else cells

    def _check_type(self, name: str) -> None:
        kind = self._schema.field(name).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        readable = (
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_string_view,
            pa.types.is_integer,
            pa.types.is_floating,
            pa.types.is_null,
        )
        if not any(is_such(kind) for is_such in readable):
            raise DataError(
                f"{self._display}: the column {quoted(name)} is of the type {brief(str(kind))}, and text and numbers are "
                "read. Write it as text, or name another column"
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        # An OSError or a ValueError where bytes were changed: a text that is no UTF-8, say.
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(
                f"{self._display} cannot be read as Parquet ({brief(str(error))[:500]}). Write the file again"
            ) from error


def _header(text: str, delimiter: str) -> list[str]:
    """The header if ``delimiter`` is the right one, else anything; empty where there is none or it is too long."""
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def _csv_problem(error: csv.Error) -> str:
    if "field larger" in str(error):
        return (
            f"a field has more than {csv.field_size_limit():,} characters; is a quotation mark never closed"
        )
    return str(error)


def _no_number(constant: str) -> str:
    raise ValueError(f"it holds {constant}")


_DECODE: Final[Callable[[str], Any]] = json.JSONDecoder(
    object_pairs_hook=object_of, parse_float=str, parse_int=str, parse_constant=_no_number
).decode


def _object(line: str) -> dict[str, Any] | str:
    """The object on a line, its numbers as they are written; or what is wrong with it."""
    try:
        found = _DECODE(line)
    except RecursionError:
        return "is no JSON (brackets are nested too deeply)"
    except json.JSONDecodeError as error:
        return f"is no JSON ({error.msg} at character {error.pos + 1})"
    except ValueError as error:
        return f"is no JSON ({error})"
    return _usable(found)


def _whole(text: str) -> list[Any] | dict[str, Any] | None:
    """What a text says that is one JSON list, or one object on several lines; None where it is no such thing."""
    try:
        found = _DECODE(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list | dict) else None


def _usable(found: Any) -> dict[str, Any] | str:
    """An object; or what is wrong with it."""
    if not isinstance(found, dict):
        return f"is {_WHAT.get(type(found), 'text or a number')} and no JSON object"
    wrong = [f"has a key that {unusable}" for unusable in map(_unusable, found) if unusable]
    return wrong[0] if wrong else found


_WHAT: Final = {bool: "true or false", list: "a list", dict: "an object", type(None): "null"}


def _problem(name: str, value: object) -> str:
    """Why a cell cannot be used, or nothing."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return f"{quoted(name)} is {_WHAT[type(value)]}, and neither text nor a number"
    unusable = _unusable(value)
    return unusable and f"{quoted(name)} {unusable}"


def _unusable(text: str) -> str:
    if len(text) > csv.field_size_limit():
        return f"has more than {csv.field_size_limit():,} characters"
    if "\0" in text:
        return "holds a NUL character"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "holds half of a surrogate pair"
    return ""


def _cells(column: pa.Array) -> list[str]:
    """The cells of a Parquet column as text."""
    if not isinstance(column, pa.DictionaryArray):
        return [_number(value) for value in column.to_pylist()]
    values = [_number(value) for value in column.dictionary.to_pylist()]
    return ["" if index is None else values[index] for index in column.indices.to_pylist()]


def _number(value: str | float | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return repr(value) if isinstance(value, int) else repr(float(value))


def _labels(schema: pa.Schema) -> dict[str, dict[str, str]]:
    """The labels of class numbers by column, which Hugging Face's datasets declare in the file (``ClassLabel``)."""
    try:
        declared = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        features = declared["info"]["features"]
        return {
            name: {str(number): label for number, label in enumerate(feature["names"])}
            for name, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}  # of another shape: the numbers stay, and are read or refused as such
