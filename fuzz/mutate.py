"""Changes to valid files that keep them nearly valid: values to extremes, members swapped, hostile names, bombs."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import sqlite3
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tomli

from .packing import packed, unpacked
from .plain import NUMBERS, TEXTS, Plain, binary, text, tree


def mutated(data: bytes, name: str, rng: random.Random, plain: Plain) -> bytes:
    """The input of a reader changed; ``name`` is that of its one file, empty for several."""
    if name:
        return changed(data, name, rng, plain)
    files = unpacked(data)
    if not files:
        return plain(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        one, other = rng.choice([*files]), rng.choice([*files])
        match rng.randrange(24):
            case 0:
                files[one], files[other] = files[other], files[one]
            case 1:
                files[one] = b""
            case 2 if len(files) > 1:
                del files[one]
                one = next(iter(files))
            case _:
                files[one] = changed(files[one], one, rng, plain)
    return packed(files)


def changed(data: bytes, name: str, rng: random.Random, plain: Plain) -> bytes:
    """One file changed, as its name says what it is; a tenth of the time as if nothing were known of it."""
    if rng.random() < 0.1:
        return plain(data)
    if data.startswith(b"\x1f\x8b"):
        return _gzipped(data, name, rng, plain)
    for ending, change in _BY_ENDING.items():
        if name.endswith(ending):
            with suppress(Exception):  # the file is too damaged for this: then its bytes are
                return change(data, rng, plain)
            break
    else:
        return binary(data, rng, plain) if b"\0" in data[:200] else text(data, rng, plain)
    return plain(data) if b"\0" in data[:200] else text(data, rng, plain)


def _gzipped(data: bytes, name: str, rng: random.Random, plain: Plain) -> bytes:
    try:
        inside = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):  # no gzip, cut off, damaged within
        return plain(data)
    if len(inside) > 1_000_000:
        return binary(data, rng, plain)
    if rng.random() < 0.01:
        return gzip.compress(inside + b"\n" * 9_000_000, mtime=0)
    again = gzip.compress(changed(inside, name, rng, plain), mtime=0)
    return again if rng.random() < 0.8 else binary(again, rng, plain)


# JSON and what is written like it.


def _json(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.15:
        return text(data, rng, plain)
    return json.dumps(tree(json.loads(data), rng), ensure_ascii=rng.random() < 0.7).encode(
        "utf-8", "surrogatepass"
    )


def _json_lines(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.15:
        return text(data, rng, plain)
    rows = tree([json.loads(line) for line in data.splitlines() if line.strip()], rng)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _toml(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.3:
        return text(data, rng, plain)
    document = tree(tomli.loads(data.decode()), rng)
    return "".join(f"{_quoted(key)} = {_in_toml(one)}\n" for key, one in document.items()).encode(
        "utf-8", "replace"
    )


def _in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)} = {_in_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_in_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return _quoted(str(value)) if isinstance(value, str) or value is None else str(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# Archives and tables.


def _zip(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    """Members changed and written again: renamed out of the folder, twice, as links, as bombs, by other compressions."""
    if rng.random() < 0.25:
        return binary(data, rng, plain)
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        if sum(info.file_size for info in old.infolist()) > 1_000_000:
            return binary(data, rng, plain)
        members = [(info, old.read(info) if info.compress_type != 93 else b"") for info in old.infolist()]
    if any(info.compress_type == 93 for info, _ in members):
        return binary(data, rng, plain)
    place = rng.randrange(len(members))
    if rng.random() < 0.2:
        members = _renamed(members, place, rng)
    stream = io.BytesIO()
    what = rng.randrange(12)
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w") as new:
        warnings.simplefilter("ignore")  # names that come twice
        for number, (info, content) in enumerate(members):
            entry = zipfile.ZipInfo(info.filename, info.date_time)
            entry.external_attr, entry.compress_type = info.external_attr, info.compress_type
            if number == place and what < 6:
                content = changed(content, info.filename, rng, plain)
            elif number == place:
                match what:
                    case 6:
                        top = info.filename.partition("/")[0]
                        entry.filename = rng.choice(
                            ("../canary.txt", f"{top}/../../canary.txt", "/etc/passwd", "a" * 300, "", f"{top}//x",
                             "..\\x", f"{info.filename}/x", "C:\\x", f"{top}/\x1b[2J", f"{top}/run/../../../x", top)
                        )  # fmt: skip
                    case 7:
                        new.writestr(info.filename, content)
                    case 8:
                        entry.external_attr, content = 0o120777 << 16, b"../canary.txt"
                    case 9:
                        content, entry.compress_type = content + b" " * 9_000_000, zipfile.ZIP_DEFLATED
                    case 10:
                        entry.compress_type = rng.choice((0, 8, 12, 14))
                    case _:
                        continue
            new.writestr(entry, content)
    made = stream.getvalue()
    return made if rng.random() < 0.9 else binary(made, rng, plain)


def _renamed(
    members: list[tuple[zipfile.ZipInfo, bytes]], place: int, rng: random.Random
) -> list[tuple[zipfile.ZipInfo, bytes]]:
    """A member by a hostile name, by which the other members know it too."""
    old = members[place][0].filename.rpartition("/")[2]
    new = rng.choice(
        (
            "..",
            "/..",
            "x/..",
            "../" * rng.choice((1, 4, 6, 8)) + "owned.txt",
            "/owned.txt",
            "..\\x",
            "x/../../y",
        )
    )
    members[place][0].filename = members[place][0].filename.removesuffix(old) + new
    inside = json.dumps(new)[1:-1].encode()
    return [(info, content.replace(old.encode(), inside) if old else content) for info, content in members]


def _npy(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    end = data.index(b"\n") + 1
    header = data[10 : end - 1].decode("latin-1")
    match rng.randrange(5):
        case 0:
            kind = rng.choice(
                (
                    "<f8",
                    "<f4",
                    ">f8",
                    "<i8",
                    "|u1",
                    "<U3",
                    "|S3",
                    "|O",
                    "<c16",
                    "|b1",
                    "<M8[D]",
                    "<f2",
                    "<f16",
                    "<i3",
                )
            )
            header = re.sub(r"'[<>|][^']*'", repr(kind), header, count=1)
        case 1:
            shape = rng.choice(
                (
                    "()",
                    "(1,)",
                    "(0,)",
                    "(2, 3)",
                    "(-1,)",
                    "(10**13,)",
                    "(9999999999999,)",
                    "(1,)*99",
                    "(" * 99,
                )
            )
            header = re.sub(r"\(.*\)", shape, header, count=1)
        case 2:
            header = header.replace("False", "True")
        case 3:
            return data[:end] + binary(data[end:], rng, plain)
        case _:
            values = bytearray(data)
            at = end + 8 * rng.randrange(max(1, (len(data) - end) // 8))
            values[at : at + 8] = struct.pack("<d", float(min(rng.choice(NUMBERS), 1e308)))
            return bytes(values)
    text = header.encode("latin-1") + b"\n"
    return data[:8] + struct.pack("<H", min(len(text), 65535)) + text + data[end:]


_CASTS: Final = (
    *(pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float64(), pa.bool_(), pa.string(), pa.binary()),
    *(pa.timestamp("ns"), pa.date32(), pa.time64("us"), pa.duration("s"), pa.decimal128(38, 5), pa.null()),
)  # fmt: skip


def _parquet(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    """Columns of other types, with nulls, renamed or lost; values changed; few or no rows; then a few bytes."""
    if rng.random() < 0.4:
        raw = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 4))):
            near_end = len(raw) - 1 - rng.randrange(min(len(raw), 2000))
            raw[near_end if rng.random() < 0.7 else rng.randrange(len(raw))] = rng.choice(
                (0, 1, 127, 128, 255, rng.randrange(256))
            )
        return bytes(raw)
    names = pq.read_schema(pa.BufferReader(data)).names
    table = pq.read_table(pa.BufferReader(data), read_dictionary=names)  # a text in many rows is held once
    if table.nbytes > 500_000:
        return plain(data)
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    name = rng.choice([*columns])
    column, kind = columns[name], None
    match rng.randrange(9):
        case 0:
            columns[name] = tree(json.loads(json.dumps(column, default=str)), rng)
        case 1:
            kind = rng.choice(_CASTS)
            columns[name] = (
                [rng.choice((0, 1, 2, 100))] * len(column) if rng.random() < 0.5 else [None] * len(column)
            )
        case 2:
            columns[name] = [None if rng.random() < 0.5 else one for one in column]
        case 3:
            columns[rng.choice(TEXTS)] = columns.pop(name)
        case 4:
            del columns[name]
        case 5:
            columns[name] = [[one] for one in column]
        case 6:
            columns[name] = [{"a": one} for one in column]
        case 7:
            columns = {key: one * rng.choice((0, 1, 40)) for key, one in columns.items()}
        case _:
            columns[name] = [rng.choice((*NUMBERS[-13:], 1.0)) for _ in column]
    if rng.random() < 0.02:  # a long text in many rows, of which the file holds one
        rows = pa.array(np.zeros(rng.choice((3, 1000)), np.int32))
        bomb = pa.table({name: pa.DictionaryArray.from_arrays(rows, ["x" * 10**6])})
        stream = io.BytesIO()
        pq.write_table(bomb, stream, compression="zstd", store_schema=False, write_statistics=False)
        return stream.getvalue()
    arrays = [pa.array(one) for one in columns.values()]
    if kind is not None:
        with suppress(pa.ArrowException):
            arrays[[*columns].index(name)] = pa.array(columns[name]).cast(kind)
    names = [one.encode("utf-8", "replace").decode() for one in columns]
    made = pa.table(arrays, names)
    if rng.random() < 0.2:
        names[rng.randrange(len(names))] = rng.choice(names)
        made = made.rename_columns(names)
    stream = io.BytesIO()
    pq.write_table(
        made, stream, compression=rng.choice(("none", "snappy", "gzip", "zstd")), row_group_size=rng.choice((1, 3, 1000)),
        use_dictionary=rng.random() < 0.5,
    )  # fmt: skip
    return stream.getvalue()


def _safetensors(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.3:
        return binary(data, rng, plain)
    (size,) = struct.unpack_from("<Q", data)
    header = json.dumps(tree(json.loads(data[8 : 8 + size]), rng)).encode()
    return struct.pack("<Q", len(header)) + header + data[8 + size :]


def _sqlite(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.6:
        raw = bytearray(data)
        for _ in range(rng.choice((1, 4, 40))):
            raw[rng.randrange(min(len(raw), rng.choice((100, 4096, 1 << 20))))] = rng.randrange(256)
        return bytes(raw)
    with closing(sqlite3.connect(":memory:")) as base, base:
        base.deserialize(data)
        base.execute(
            rng.choice(
                (
                    "DROP TABLE answers", "UPDATE answers SET value = 'text'", "UPDATE answers SET value = zeroblob(3)",
                    "UPDATE answers SET value = 1e999", "ALTER TABLE answers RENAME COLUMN value TO x",
                    "ALTER TABLE answers RENAME TO x", "PRAGMA user_version = 99", "PRAGMA application_id = 99",
                    "CREATE TABLE other (x)", "UPDATE answers SET value = randomblob(40)",
                    "CREATE TRIGGER t BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'no'); END",
                    "UPDATE answers SET value = zeroblob(40000)", "UPDATE answers SET key = randomblob(20)",
                )
            )
        )  # fmt: skip
        base.commit()
        return base.serialize()


_BY_ENDING: Final[dict[str, Callable[[bytes, random.Random, Plain], bytes]]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".toml": _toml,
    ".zip": _zip,
    ".eval": _zip,
    ".npz": _zip,
    ".npy": _npy,
    ".parquet": _parquet,
    ".safetensors": _safetensors,
    ".sqlite": _sqlite,
    ".bin": binary,
    ".ftz": binary,
    ".onnx": binary,
    ".http": lambda data, rng, plain: _http(data, rng, plain),
}


def _http(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    """The first line is the status, the rest the body."""
    status, _, body = data.partition(b"\n")
    if rng.random() < 0.15:
        status = str(
            rng.choice((200, 200, 204, 301, 400, 401, 403, 404, 413, 429, 456, 500, 503, 529, 999, 100))
        ).encode()
    return status + b"\n" + (_json(body, rng, plain) if rng.random() < 0.9 else text(body, rng, plain))
