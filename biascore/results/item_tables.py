"""Item tables of a stored run: written as Parquet, and read within bounds, since a run may come from somebody else."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pyarrow as pa

from biascore.errors import RunError
from biascore.files.reading import FILE_VARIABLE, MAX_TABLE_MB, MAX_UNPACKED, check_regular, megabytes_allowed

ROW_GROUP: Final = 2**16
"""Rows of an item table that are written, and can be read, at once."""
_PLACE: Final = 4  # bytes that say where a text begins
_NESTED_AT_ONCE: Final = 64  # what lists repeat is not known before they are read


def write_items(items: pa.Table, path: Path) -> None:
    """Write an item table; raises OSError or ValueError where that cannot be."""
    import pyarrow.parquet as pq

    # Otherwise the type of a list has another name when it is read, and so its table another hash.
    pq.write_table(items, path, row_group_size=ROW_GROUP, use_compliant_nested_type=False)


def read_items(path: Path, display: str) -> pa.Table:
    """Read an item table; texts that a file repeats are counted before room is made for them.

    Raises RunError for a folder, device or pipe; ValueError for one that takes more memory than the limit for tables and
    100 times its size; OSError, ValueError, OverflowError, TypeError or ArrowException for one that is damaged.
    """
    import pyarrow.parquet as pq

    check_regular(path, display, RunError)
    file = pq.ParquetFile(path)
    schema = file.schema_arrow
    most = max(megabytes_allowed(MAX_TABLE_MB) * 1e6, MAX_UNPACKED * path.stat().st_size)
    _check(file.metadata.num_rows * sum(map(_width, schema.types)), most)
    texts = [field.name for field in schema if _is_text(field.type)]
    rows = _NESTED_AT_ONCE if any(map(pa.types.is_nested, schema.types)) else ROW_GROUP
    batches, size = [], 0.0
    for batch in pq.ParquetFile(path, read_dictionary=texts).iter_batches(rows):
        batch.validate(full=True)  # places beyond a dictionary, at which pyarrow would end the process
        size += sum(map(_size, batch.columns))
        _check(size, most)
        columns = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, schema, strict=True)
        ]
        batches.append(pa.record_batch(columns, schema=schema))
    return pa.Table.from_batches(batches, schema=schema)


def _check(size: float, most: float) -> None:
    if size > most:
        raise ValueError(
            f"it takes more than {most / 1e6:z,.0f} MB of memory, the most for a file of its size; to raise that: "
            f"{FILE_VARIABLE}"
        )


def _is_text(kind: pa.DataType) -> bool:
    return any(
        is_such(kind)
        for is_such in (
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_binary,
            pa.types.is_large_binary,
        )
    )


def _width(kind: pa.DataType) -> float:
    """The bytes that a value takes at least."""
    return float(kind.bit_width) / 8 if pa.types.is_primitive(kind) else float(_PLACE)


def _size(column: pa.Array) -> float:
    """The bytes of a column of a batch, its texts written out."""
    import pyarrow.compute as pc

    if isinstance(column, pa.DictionaryArray) and _is_text(column.type.value_type):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        return float(pc.sum(lengths).as_py() or 0) + _PLACE * len(column)
    return float(column.nbytes)
