"""Tables by column: Parquet, and Arrow as Hugging Face's datasets write it, in one file or in a folder of several.

What they hold is checked before it is read: sizes, what it unpacks to, that it ends where it says, that text is text.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa

from biascore.basics.wording import brief, quoted
from biascore.errors import DataError
from biascore.files.kinds import kind_of
from biascore.files.magic import is_binary, other_kind
from biascore.files.reading import check_counts, check_size, read_bytes, unpacked
from biascore.files.saved import AS_PARQUET, SavedDataset, check_alone, saved_dataset

Labels: TypeAlias = Mapping[str, Mapping[str, str]]
"""By column, the labels of its class numbers."""
MAGIC: Final = b"ARROW1\0\0"
_END: Final = b"\xff\xff\xff\xff\0\0\0\0"
_ROWS_AT_ONCE: Final = 1 << 18


FLAT: Final = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    *(pa.types.is_integer, pa.types.is_floating, pa.types.is_null),
)
"""What is text, or a number, or nothing."""


@dataclass(frozen=True, slots=True)
class Columns:
    """A table before its rows are read: ``what`` it is (Parquet, Arrow), how many ``rows`` and bytes (``size``) it has."""

    display: str
    what: str
    schema: pa.Schema
    rows: int
    size: float
    labels: Labels
    _batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]

    def batches(self, wanted: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The rows with these columns, some at once, each batch valid; raises DataError."""
        check_counts(self.display, self.rows, self.rows * len(wanted), what="rows")
        check_size(self.size, f"{self.display} unpacks to")
        with told(self.display, self.what):
            batches = self._batches(wanted)
        size = rows = 0
        while True:
            with told(self.display, self.what):
                batch = next(batches, None)
                if batch is None:
                    break
                batch.validate(full=True)  # places beyond a dictionary, texts that are none
                size, rows = size + batch.nbytes, rows + batch.num_rows
            check_size(size, f"{self.display} unpacks to")
            yield batch
        if rows != self.rows:
            raise DataError(
                f"{self.display} says that it has {self.rows:,} rows, and has {rows:,}. Write it again"
            )

    def labelled(self, name: str, cells: Sequence[Any]) -> Sequence[Any]:
        """The cells of a column, with labels in the place of class numbers."""
        labels = self.labels.get(name, {})
        return [labels.get(str(cell), cell) for cell in cells] if labels else cells


def columns_of(path: Path, display: str, *, dictionaries: bool = False) -> Columns | None:
    """The table of a Parquet or Arrow file, or of a folder of ``save_to_disk``; None of a path that is no such by its name.

    ``dictionaries``: texts of Parquet are read as dictionaries: a long text that is in a million rows is then held once.
    Raises DataError for a file that is damaged or cut short, for a missing one, and for rows that were selected by index.
    """
    match kind_of(path):
        case "saved":
            saved = saved_dataset(path, display)
            return _arrow(saved.shards, display, saved)
        case "arrow":
            check_alone(path, display)
            return _arrow([path], display)
        case "parquet":
            return _parquet(unpacked(read_bytes(path, display), display), display, dictionaries)
    return None


@contextmanager
def told(display: str, what: str) -> Iterator[None]:
    """Raise DataError for what pyarrow raises: an OSError or a ValueError, too, where bytes were changed."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{display} cannot be read as {what} ({brief(str(error))[:500]}). Write the file again"
        ) from error


def _check_start(raw: bytes, display: str, what: str, *starts: bytes) -> None:
    """Raise DataError for bytes that begin as something else does."""
    if raw.startswith(starts):
        return
    if not raw:
        raise DataError(f"{display} is empty. Give a file with data")
    other = other_kind(raw) or (None if is_binary(raw) else ("text", "Call it .csv, .tsv or .jsonl"))
    if other:
        raise DataError(
            f"{display} cannot be read as {what}: it is {other[0]}, by its first bytes. {other[1]}"
        )


def _parquet(raw: bytes, display: str, dictionaries: bool) -> Columns:
    import pyarrow.parquet as pq

    _check_start(raw, display, "Parquet", b"PAR1")
    with told(display, "Parquet"):
        about = pq.ParquetFile(pa.BufferReader(raw))
        schema, metadata = _named(about.schema_arrow), about.metadata
    # Of row groups, not of columns: pyarrow ends the process where what a file says of a column is damaged.
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))

    def batches(wanted: Sequence[str]) -> Iterator[pa.RecordBatch]:
        file = pq.ParquetFile(pa.BufferReader(raw), read_dictionary=[*wanted] if dictionaries else None)
        found: Iterator[pa.RecordBatch] = file.iter_batches(_ROWS_AT_ONCE, columns=[*wanted])
        return found

    labels = _labels_of(_declared(schema))
    return Columns(display, "Parquet", schema, metadata.num_rows, size, labels, batches)


def _arrow(paths: Sequence[Path], display: str, saved: SavedDataset | None = None) -> Columns:
    """The batches of all files, which are only looked at: what they hold stays where it was read."""
    size, batches, schemas = 0, [], []
    for path in paths:
        name = display if len(paths) == 1 and saved is None else f"{display}/{path.name}"
        raw = unpacked(read_bytes(path, name), name)
        size += len(raw)
        check_size(size, f"{display} is")
        _check_start(raw, name, "Arrow", MAGIC, _END[:4])
        with told(name, "Arrow"):
            stream = _stream(raw, name)
            reader = pa.ipc.open_stream(stream)
            schemas.append(_named(reader.schema))
            batches += [*reader]
        if not schemas[-1].equals(schemas[0]):
            raise DataError(
                f"{name} has other columns than {paths[0].name}. Write the dataset again: {AS_PARQUET}"
            )
    schema = schemas[0]
    features = _declared(schema) or (saved.features if saved else {})
    rows = sum(batch.num_rows for batch in batches)

    def chosen(wanted: Sequence[str]) -> Iterator[pa.RecordBatch]:
        return (batch.select([*wanted]) for batch in batches)

    return Columns(display, "Arrow", schema, rows, size, _labels_of(features), chosen)


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is one of lists."""
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_such(kind) for is_such in lists)


def _named(schema: pa.Schema) -> pa.Schema:
    """The same; raises ValueError where the name of a column, or of a field within one, is no text."""
    fields = [*schema]
    while fields:
        kind, _ = fields[-1].type, fields.pop().name
        if pa.types.is_struct(kind):
            fields += [kind.field(place) for place in range(kind.num_fields)]
        elif is_list(kind):
            fields.append(kind.value_field)
    return schema


def _stream(raw: bytes, display: str) -> pa.Buffer:
    """The messages of an Arrow file, stream or not; raises DataError where they are cut short or compressed."""
    whole = raw.startswith(MAGIC)  # the other of the two formats has the stream within it
    buffer = pa.py_buffer(raw).slice(len(MAGIC) if whole else 0)
    source = pa.BufferReader(buffer)
    for message in pa.ipc.MessageReader.open_stream(source):
        if _compressed(message):
            raise DataError(
                f"{display} is compressed within, as Feather files are, and only plain Arrow is read. Write it as "
                "Parquet"
            )
    end = source.tell()
    if buffer.slice(max(0, end - len(_END)), len(_END)).to_pybytes() != _END:
        raise DataError(f"{display} ends before its table does: it was cut short. Copy the file again")
    if end < buffer.size and not whole:
        raise DataError(f"{display} goes on after the end of its table. Write the file again")
    return buffer


def _compressed(message: pa.Message) -> bool:
    """Whether the body of a message is compressed: it would say itself to how much it unpacks.

    Its header is a table of flatbuffers, whose places pyarrow has verified: Message.header is a RecordBatch, or a
    DictionaryBatch, whose second field is one; the fourth field of a RecordBatch says how it is compressed.
    """
    if message.type not in ("record batch", "dictionary"):
        return False
    raw = message.metadata.to_pybytes()
    (root,) = struct.unpack_from("<I", raw)
    batch = _field(raw, root, 2)
    if batch and message.type == "dictionary":
        batch = _field(raw, batch, 1)
    return bool(batch and _field(raw, batch, 3))


def _field(raw: bytes, table: int, number: int) -> int:
    """Where the table is that a field of a table of flatbuffers refers to; 0 where it has no such field."""
    slots = table - struct.unpack_from("<i", raw, table)[0]
    if 4 + 2 * number >= struct.unpack_from("<H", raw, slots)[0]:
        return 0
    (within,) = struct.unpack_from("<H", raw, slots + 4 + 2 * number)
    return table + within + struct.unpack_from("<I", raw, table + within)[0] if within else 0


def _declared(schema: pa.Schema) -> Any:
    """What Hugging Face's datasets declare of the columns in the file."""
    try:
        return json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def _labels_of(features: Any) -> Labels:
    """The labels of class numbers by column (``ClassLabel``)."""
    try:
        return {
            name: {
                str(number): label for number, label in enumerate(feature["names"]) if isinstance(label, str)
            }
            for name, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (KeyError, TypeError, AttributeError):
        return {}  # of another shape: the numbers stay, and are read or refused as such


def check_flat(columns: Columns, name: str) -> None:
    """Raise DataError for a column that holds neither text nor numbers."""
    kind = columns.schema.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not any(is_such(kind) for is_such in FLAT):
        raise DataError(
            f"{columns.display}: the column {quoted(name)} is of the type {brief(str(kind))}, and text and numbers are "
            "read. Write it as text, or name another column"
        )
