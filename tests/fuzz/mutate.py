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
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import tomli

from .packing import packed, unpacked

Plain = Callable[[bytes], bytes]
"""How a fuzzer changes bytes of which nothing is known."""

TEXTS: Final = (
    *("", " ", "\0", "\n", "\r", "\t", "\x1b[2J", "\u202e", "\u200d", "\ud800", "\ufeff", "\x85", "\u2028", "é", "ﬁ", "İ"),
    *("../canary.txt", "../../../../etc/passwd", "/etc/passwd", "..", ".", "/", "~", "a\\b", "hub:a/b/c"),
    *("{", "}", "{x}", "[", "]", "[a]", "(", "(a+)+$", "*", "[he]", "@", "%s", "$", "'", '"', "''", ",", ";", "|", "=1+1"),
    *("nan", "-inf", "1e999", "0x10", "1_000", "٣", "-0", "9" * 400, "9" * 5000, "true", "None", "en", "xx-YY", "a" * 3000),
    *("planted:gender=1", "fasttext:../canary.txt", "answers:canary.txt", "hf:package:os/path", "*/*", "__class__"),
)  # fmt: skip
NUMBERS: Final = (
    *(0, 1, -1, 2, 7, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63 - 1, 2**63),
    *(-(2**63), 2**64, 10**18, 10**30, 0.5, -0.0, 1e-320, 1e308, -1e308, 1.5e300, float("nan"), float("inf"), -float("inf")),
)  # fmt: skip
PIECES: Final = (
    *(b"\0", b"\r", b"\r\n", b"\n\n", b'"', b'""', b"'", b'"""', b",", b";", b"\t", b"#", b"\\", b"\xff", b"\xed\xa0\x80"),
    *(b"\x1b[2J", b"\xe2\x80\xae", b"\xef\xbb\xbf", b" ", b"=", b"==", b".", b"[", b"]", b"[[", b"]]", b"{", b"}", b":"),
    *(b"[" * 2_000, b"{a=" * 500, b"9" * 5_000, b"1e999", b"nan", b"-inf", b"0x", b"true", b"null", b"," * 5_000),
    *(b"x" * 20_000, b"\n" * 500, b"_", b"|", b"(", b")", b"../canary.txt", b"\xc2\x85", b"\xe2\x80\xa8", b"\xfe\xff"),
)  # fmt: skip
_INT: Final = re.compile(rb"-?\d+")


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
        return _binary(data, rng, plain) if b"\0" in data[:200] else _text(data, rng, plain)
    return plain(data) if b"\0" in data[:200] else _text(data, rng, plain)


def _text(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4))):
        start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        match rng.randrange(9):
            case 0:
                data = plain(data)
            case 1:
                data = data[:start] + rng.choice(PIECES) + data[start:]
            case 2:
                data = data[:start] + data[min(end, start + 20) :]
            case 3:
                data = data[:end] + data[start:end] + data[end:]
            case 4:
                lines = data.splitlines(keepends=True)
                rng.shuffle(lines)
                data = b"".join(lines)
            case 5:
                data = data[:start]
            case 6:  # a word by another of the file
                words = [*re.finditer(rb"[\w.-]+", data)] or [re.match(rb"", data)]
                one, other = rng.choice(words), rng.choice(words)
                data = data[: one.start()] + other[0] + data[one.end() :]  # type: ignore[index, union-attr]
            case 7:
                numbers = [*_INT.finditer(data)]
                if numbers:
                    one = rng.choice(numbers)
                    data = data[: one.start()] + str(rng.choice(NUMBERS)).encode() + data[one.end() :]
            case _:
                data = data[:start] + rng.choice(TEXTS).encode("utf-8", "surrogatepass") + data[end:]
    if rng.random() < 0.03:
        data = gzip.compress(data, mtime=0)
    if rng.random() < 0.02:
        data = data.decode("utf-8", "replace").encode(
            rng.choice(("utf-16", "utf-32", "utf-8-sig", "cp1252")), "replace"
        )
    return data


def _gzipped(data: bytes, name: str, rng: random.Random, plain: Plain) -> bytes:
    try:
        inside = gzip.decompress(data)
    except Exception:
        return plain(data)
    if len(inside) > 1_000_000:
        return _binary(data, rng, plain)
    if rng.random() < 0.01:
        return gzip.compress(inside + b"\n" * 9_000_000, mtime=0)
    again = gzip.compress(changed(inside, name, rng, plain), mtime=0)
    return again if rng.random() < 0.8 else _binary(again, rng, plain)


def _binary(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    """Fields of 1, 2, 4 or 8 bytes to extremes, mostly near the beginning; parts lost, moved and doubled."""
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        near = rng.choice((16, 64, 200, len(raw)))
        at = rng.randrange(max(1, min(near, len(raw))))
        match rng.randrange(8):
            case 0 | 1 | 2:
                form = rng.choice("bBhHiIqQfd")
                with suppress(struct.error, OverflowError):
                    raw[at : at + struct.calcsize(form)] = struct.pack(f"<{form}", rng.choice(NUMBERS))
            case 3:
                form, place = rng.choice("iIqQ"), at - at % 4
                with suppress(struct.error):
                    (old,) = struct.unpack_from(f"<{form}", raw, place)
                    struct.pack_into(f"<{form}", raw, place, old + rng.choice((-1, 1, 2, -2, old)))
            case 4:
                del raw[rng.randrange(len(raw) + 1) :]
            case 5:
                raw[at:at] = rng.choice((b"\0", b"\xff" * 8, bytes(rng.randrange(64)), raw[at : at + 16]))
            case 6:
                del raw[at : at + rng.choice((1, 4, 8))]
            case _:
                raw = bytearray(plain(bytes(raw)))
    return bytes(raw)


# JSON and what is written like it.


def tree(value: Any, rng: random.Random) -> Any:
    """A value of JSON with one to three nodes changed."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = [*_places(value)]
        if not places:
            return _odd(rng, value)
        inside, key = rng.choice(places)
        match rng.randrange(10):
            case 0:
                del inside[key]
            case 1:
                other, at = rng.choice(places)
                with suppress(LookupError, TypeError):
                    inside[key] = json.loads(json.dumps(other[at]))
            case 2 if isinstance(inside, dict):
                inside[rng.choice(TEXTS)] = inside.pop(key)
            case 3 if isinstance(inside, list):
                inside.insert(key, json.loads(json.dumps(inside[key])))
            case 4 if isinstance(inside[key], list):
                inside[key] = inside[key] * rng.choice((0, 2, 50))
            case 5 if isinstance(inside[key], str):
                text = inside[key]
                at = rng.randrange(len(text) + 1)
                inside[key] = text[:at] + rng.choice(TEXTS) + text[at + rng.randrange(3) :]
            case 6 if isinstance(inside, dict):
                inside[rng.choice(TEXTS)] = _odd(rng, inside[key])
            case _:
                inside[key] = _odd(rng, inside[key])
    return value


def _odd(rng: random.Random, value: Any) -> Any:
    return rng.choice(
        (None, True, False, [], {}, [[]], {"": ""}, [None], [value], {"a": value}, [value, value], str(value))
        + (rng.choice(NUMBERS),) * 8
        + (rng.choice(TEXTS),) * 8
    )


def _places(value: Any) -> Any:
    for key, one in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from _places(one)


def _json(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.15:
        return _text(data, rng, plain)
    return json.dumps(tree(json.loads(data), rng), ensure_ascii=rng.random() < 0.7).encode(
        "utf-8", "surrogatepass"
    )


def _json_lines(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.15:
        return _text(data, rng, plain)
    rows = tree([json.loads(line) for line in data.splitlines() if line.strip()], rng)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _toml(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.3:
        return _text(data, rng, plain)
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
        return _binary(data, rng, plain)
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        if sum(info.file_size for info in old.infolist()) > 1_000_000:
            return _binary(data, rng, plain)
        members = [(info, old.read(info) if info.compress_type != 93 else b"") for info in old.infolist()]
    if any(info.compress_type == 93 for info, _ in members):
        return _binary(data, rng, plain)
    place = rng.randrange(len(members))
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
    return made if rng.random() < 0.9 else _binary(made, rng, plain)


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
            return data[:end] + _binary(data[end:], rng, plain)
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
    table = pq.read_table(pa.BufferReader(data))
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
        return _binary(data, rng, plain)
    (size,) = struct.unpack_from("<Q", data)
    header = json.dumps(tree(json.loads(data[8 : 8 + size]), rng)).encode()
    return struct.pack("<Q", len(header)) + header + data[8 + size :]


def _sqlite(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    if rng.random() < 0.6:
        raw = bytearray(data)
        for _ in range(rng.choice((1, 4, 40))):
            raw[rng.randrange(min(len(raw), rng.choice((100, 4096, 1 << 20))))] = rng.randrange(256)
        return bytes(raw)
    with sqlite3.connect(":memory:") as base:
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
    ".bin": _binary,
    ".ftz": _binary,
    ".onnx": _binary,
    ".http": lambda data, rng, plain: _http(data, rng, plain),
}


def _http(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    """The first line is the status, the rest the body."""
    status, _, body = data.partition(b"\n")
    if rng.random() < 0.15:
        status = str(
            rng.choice((200, 200, 204, 301, 400, 401, 403, 404, 413, 429, 456, 500, 503, 529, 999, 100))
        ).encode()
    return status + b"\n" + (_json(body, rng, plain) if rng.random() < 0.9 else _text(body, rng, plain))
