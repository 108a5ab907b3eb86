"""Records with lists and objects in their fields: one JSON file with a list of objects, or a Parquet file with structs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from biascore.basics.wording import brief, listed, quoted
from biascore.errors import DataError
from biascore.files.reading import UTF8, check_counts, check_size, parse_json, read_bytes, read_text, unpacked

_LEAVES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_null,
)


def nested_records(
    path: Path, display: str, *, encoding: str = UTF8, flag: str = ""
) -> list[tuple[str, Mapping[str, Any]]] | None:
    """The records of a file with their places; None of a file that is no such, by its name or its columns.

    Raises DataError for what cannot be read, for JSON that is no list of objects, and for a column of another type.
    """
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".json"):
        return _of_json(read_text(path, display, encoding=encoding, flag=flag), display)
    if name.endswith(".parquet"):
        return _of_parquet(unpacked(read_bytes(path, display), display), display)
    return None


def _of_json(text: str, display: str) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        found = parse_json(text)
    except ValueError as problem:
        raise DataError(
            f"{display} is no JSON ({problem}). Fetch it again; of one object a line, call it .jsonl"
        ) from problem
    if isinstance(found, dict):
        raise DataError(
            f"{display} is one JSON object, with the keys {listed([*found])}, and a list of objects is read. Write the list "
            "that is meant into a file of its own"
        )
    if not isinstance(found, list) or not found:
        raise DataError(f"{display} is {quoted(found)}, and a list of objects is read. Give a file with data")
    check_counts(display, len(found), 0, what="records")
    rows = [(f"{display}, record {number}", one) for number, one in enumerate(found, start=1)]
    for place, one in rows:
        if not isinstance(one, dict):
            raise DataError(f"{place} is {quoted(one)}, and no JSON object. Write an object for each record")
    return rows


def _of_parquet(raw: bytes, display: str) -> list[tuple[str, Mapping[str, Any]]] | None:
    try:
        file = pq.ParquetFile(pa.BufferReader(raw))
        if not any(pa.types.is_nested(column.type) for column in file.schema_arrow):
            return None
        for column in file.schema_arrow:
            wrong = _unread(column.type)
            if wrong is not None:
                raise DataError(
                    f"{display}: the column {quoted(column.name)} is, or holds, of the type {brief(str(wrong))}, and text, "
                    "numbers, lists and structs are read. Leave it out"
                )
        return [
            (f"{display}, row {number}", one) for number, one in enumerate(_objects(file, display), start=1)
        ]
    # An OSError or a ValueError where bytes were changed: a text that is no UTF-8, say.
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{display} cannot be read as Parquet ({brief(str(error))[:500]}). Write the file again"
        ) from error


def _objects(file: pq.ParquetFile, display: str) -> Iterator[dict[str, Any]]:
    """The records with what stands in them; refuses what unpacks to more than is read, as the file says or in fact."""
    about, size, unpacks = file.metadata, 0, f"{display} unpacks to"
    check_counts(display, about.num_rows, about.num_rows * about.num_columns, what="rows")
    check_size(sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups)), unpacks)
    for batch in file.iter_batches():
        batch.validate(full=True)
        size += batch.nbytes
        check_size(size, unpacks)
        yield from batch.to_pylist()


def _unread(kind: pa.DataType) -> pa.DataType | None:
    """The type within a type that is not read; None where all are."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_struct(kind):
        parts: Sequence[pa.DataType] = [kind.field(i).type for i in range(kind.num_fields)]
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        parts = [kind.value_type]
    else:
        return None if any(is_such(kind) for is_such in _LEAVES) else kind
    return next((wrong for part in parts if (wrong := _unread(part)) is not None), None)
