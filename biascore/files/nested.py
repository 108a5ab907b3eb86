"""Records with lists and objects in their fields: JSON, one list or an object a line; Parquet and Arrow with structs."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from biascore.basics.twice import twice
from biascore.basics.wording import brief, listed, quoted
from biascore.errors import DataError
from biascore.files.columnar import FLAT, Columns, columns_of, is_list, told
from biascore.files.kinds import kind_of
from biascore.files.reading import UTF8, check_counts, parse_json, read_text

Records: TypeAlias = list[tuple[str, Mapping[str, Any]]]
"""Where each stands, and what it holds."""


def nested_records(path: Path, display: str, *, encoding: str = UTF8, flag: str = "") -> Records | None:
    """The records of a file, or of a folder of ``save_to_disk``; None of what is no such, by its name or its columns.

    Raises DataError for what cannot be read, for JSON that is no list of objects nor one a line, and for a column of
    another type.
    """
    columns = columns_of(path, display)
    if columns is not None:
        return [*_rows(columns)] if any(pa.types.is_nested(kind) for kind in columns.schema.types) else None
    if kind_of(path) != "jsonl":
        return None
    text = read_text(path, display, encoding=encoding, flag=flag)
    if not text.strip():
        raise DataError(f"{display} is empty. Give a file with data")
    if text.lstrip().startswith("["):
        return _of_list(text, display)
    found = _of_lines(text, display)
    if len(found) == 1 and Path(path.name.lower().removesuffix(".gz")).suffix == ".json":
        raise _one_object(display, found[0][1])
    return found


def _of_list(text: str, display: str) -> Records:
    try:
        found = parse_json(text)
    except ValueError as problem:
        raise DataError(f"{display} is no JSON ({problem}). Fetch it again") from problem
    if not found:
        raise DataError(f"{display} is an empty list, and a list of objects is read. Give a file with data")
    check_counts(display, len(found), 0, what="records")
    rows = [(f"{display}, record {number}", one) for number, one in enumerate(found, start=1)]
    for place, one in rows:
        if not isinstance(one, dict):
            raise DataError(f"{place} is {quoted(one)}, and no JSON object. Write an object for each record")
    return rows


def _of_lines(text: str, display: str) -> Records:
    rows: Records = []
    # Not splitlines: JSON may hold U+2028 and the like as they are.
    for number, line in enumerate(io.StringIO(text), start=1):
        if not line.strip():
            continue
        place = f"{display}, line {number}"
        try:
            found = parse_json(line)
        except ValueError as problem:
            whole = _object(text)
            if whole is not None:
                raise _one_object(display, whole) from None
            raise DataError(
                f"{place} is no JSON ({problem}). Write one object a line, or a list of objects"
            ) from problem
        if not isinstance(found, dict):
            raise DataError(f'{place} is no JSON object. Write one a line, such as {{"context": "..."}}')
        rows.append((place, found))
    return rows


def _object(text: str) -> dict[str, Any] | None:
    """The object that a whole text is, if it is one."""
    try:
        found = parse_json(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _one_object(display: str, found: Mapping[str, Any]) -> DataError:
    return DataError(
        f"{display} is one JSON object, with the keys {listed([*found])}, and a list of objects is read. Write the list "
        "that is meant into a file of its own"
    )


def _rows(columns: Columns) -> Iterator[tuple[str, Mapping[str, Any]]]:
    names = columns.schema.names
    for name in twice(names):
        raise DataError(f"{columns.display} has the column {quoted(name)} twice. Rename one of them")
    for column in columns.schema:
        wrong = _unread(column.type)
        if wrong is not None:
            raise DataError(
                f"{columns.display}: the column {quoted(column.name)} is, or holds, of the type {brief(str(wrong))}, and "
                "text, numbers, lists and structs are read. Leave it out"
            )
    number = 0
    for batch in columns.batches(names):
        with told(columns.display, columns.what):
            cells = [columns.labelled(name, batch.column(name).to_pylist()) for name in names]
        for row in zip(*cells, strict=True):
            number += 1
            yield f"{columns.display}, row {number}", dict(zip(names, row, strict=True))


def _unread(kind: pa.DataType) -> pa.DataType | None:
    """The type within a type that is not read; None where all are."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_struct(kind):
        parts: Sequence[pa.DataType] = [kind.field(i).type for i in range(kind.num_fields)]
    elif is_list(kind):
        parts = [kind.value_type]
    else:
        return None if any(is_such(kind) for is_such in (*FLAT, pa.types.is_boolean)) else kind
    return next((wrong for part in parts if (wrong := _unread(part)) is not None), None)
