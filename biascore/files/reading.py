"""Files of other people, read whole: regular files only, within bounds, and nothing that ends in a traceback.

Every reader of a data file, an audit, stimuli or a grammar reads through these functions, so that all of them
refuse alike what is a device or a pipe, larger than memory, packed to burst, or nested without end.
"""

from __future__ import annotations

import codecs
import encodings.aliases
import gzip
import hashlib
import io
import json
import lzma
import math
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import tomli  # tomllib, compiled: a third of the time

from biascore.basics.suggest import did_you_mean
from biascore.basics.twice import twice
from biascore.basics.wording import brief, quoted
from biascore.errors import BiascoreError, DataError, OptionsError
from biascore.files.kinds import is_saved
from biascore.files.magic import is_binary, other_kind, wide_encoding

FILE_VARIABLE: Final = "BIASCORE_MAX_FILE_MB"
"""Environment variable: megabytes of a file that is read whole, packed and unpacked; for every kind of file."""

MAX_TABLE_MB: Final = 256
MAX_TOML_MB: Final = 16
MAX_UNPACKED: Final = 100
"""Times its size that a file of vectors may unpack to: they unpack to 3 or 4 times, a bomb to 1,000."""

UTF8: Final = "utf-8"

# RuntimeError: a member with the flag of encryption, or an unknown compression; IndexError: encrypted, without a name.
ZIP_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, IndexError, MemoryError, OSError, RuntimeError, ValueError),
)
"""What reading a damaged zip file raises."""

S = TypeVar("S")
T = TypeVar("T")
GZIP: Final = b"\x1f\x8b"
GIT_LFS: Final = b"version https://git-lfs"
POINTER: Final = (
    "is a pointer of Git LFS and not the file. Fetch the file: git lfs pull, in the folder that holds it"
)
_CHUNK: Final = 1 << 20
_LINES_PER_MB: Final = 16_000  # some 4 million lines in all, as a row takes 400 bytes of memory
_FIELDS_PER_MB: Final = 160_000
_LINE_ENDS: Final = re.compile(r"\r\n?|\n")
_NO_TEXTS: Final = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)
"""What Python calls encodings and no text file is in, or what means another one on every machine."""


def member_bytes(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of a member, not more than the archive says that it has.

    Raises ValueError for one that is encrypted, or packed by a method whose memory the file chooses (LZMA), and one of
    ``ZIP_DAMAGE``.
    """
    if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("a member is encrypted, or packed by another method than deflate")
    with archive.open(entry) as stream:
        return stream.read(entry.file_size + 1)  # without a number all of it is unpacked before it is cut


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Toml:
    """A TOML file: its text, what it says, and the SHA-256 of its bytes."""

    text: str
    document: dict[str, Any]
    sha256: str


def check_regular(path: Path, display: str, error: type[BiascoreError] = DataError) -> None:
    """Raise ``error`` where there is no file, or a folder, device or pipe: a pipe would hang, a device never end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as problem:
        raise error(f"{display} cannot be read ({_why(problem)}). Give the path of a file") from problem
    if not stat.S_ISREG(mode):
        if is_saved(path):
            raise error(
                f"{display} is a dataset in Arrow, and a file of text is read here. Write it with to_json or to_csv"
            )
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file (a device or a pipe)"
        raise error(f"{display} is {what}. Give the path of a file; what comes from a pipe, save as one")


def read_bytes(
    path: Path, display: str, error: type[BiascoreError] = DataError, *, megabytes: int = MAX_TABLE_MB
) -> bytes:
    """The bytes of a regular file; raises ``error`` for what cannot be read or is larger than the limit."""
    check_regular(path, display, error)
    try:
        with path.open("rb") as stream:
            found = bounded(stream, f"{display} is", megabytes, error)
    except OSError as problem:
        raise error(
            f"{display} cannot be read ({_why(problem)}). Give the path of a readable file"
        ) from problem
    if found.startswith(GIT_LFS):
        raise error(f"{display} {POINTER}")
    return found


def check_fetched(path: Path, display: str, error: type[BiascoreError] = DataError) -> None:
    """Raise ``error`` for a file of any size that only points to what Git LFS stores elsewhere."""
    try:
        with path.open("rb") as stream:
            start = stream.read(len(GIT_LFS))
    except OSError:
        return  # whoever reads it says why
    if start == GIT_LFS:
        raise error(f"{display} {POINTER}")


def bounded(
    stream: _Readable,
    what: str,
    megabytes: int = MAX_TABLE_MB,
    error: type[BiascoreError] = DataError,
) -> bytes:
    """All bytes of a stream; raises ``error``, which begins with ``what``, where they are more than the limit."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(_CHUNK):
        size += len(part)
        check_size(size, what, megabytes, error)
        parts.append(part)
    return b"".join(parts)


def check_size(
    size: float, what: str, megabytes: int = MAX_TABLE_MB, error: type[BiascoreError] = DataError
) -> None:
    """Raise ``error``, which begins with ``what``, where a file has more bytes than the limit."""
    allowed = megabytes_allowed(megabytes)
    if size > allowed * 1e6:
        raise error(
            f"{what} more than {allowed:g} MB, the most that is read of such a file. Split it, or raise the limit: "
            f"{raised(allowed)}"
        )


def unpacked(
    raw: bytes, display: str, error: type[BiascoreError] = DataError, *, megabytes: int = MAX_TABLE_MB
) -> bytes:
    """The bytes of a gzip file unpacked, others as they are; raises ``error`` as ``read_bytes`` does."""
    if not raw.startswith(GZIP):
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            return bounded(stream, f"{display} unpacks to", megabytes, error)
    except (EOFError, zlib.error, OSError) as problem:
        raise error(
            f"{display} is damaged: {problem}. Fetch it again, or compress it again with gzip"
        ) from problem


def decoded(
    raw: bytes,
    display: str,
    error: type[BiascoreError] = DataError,
    *,
    encoding: str = UTF8,
    flag: str = "",
) -> str:
    """The bytes as text, without a byte order mark; raises ``error`` with line and byte where they are none.

    Also where they have so many lines or fields that the rows would take a hundred times the memory of the file.
    ``flag`` is how the command line names the encoding of such a file, if it can: ``--encoding``. Raises
    OptionsError for an encoding that is none.
    """
    codec = codec_of(encoding)
    remedy = _remedy(raw, flag, codec)
    if other := other_kind(raw):
        raise error(f"{display} is {other[0]} and no text. {other[1]}")
    if codec != UTF8 and raw.startswith(codecs.BOM_UTF8):
        raise error(f"{display} is UTF-8, as its first bytes say, and not {encoding}. Leave the encoding out")
    if codec == UTF8 and b"\0" in raw:  # UTF-16, say, or no text at all
        line = _line(raw[: raw.index(b"\0")], codec)
        raise error(f"{display}, line {line}: holds a NUL character. {remedy}")
    try:
        text = raw.decode(codec).removeprefix("\ufeff")
    except UnicodeError as problem:
        start = problem.start if isinstance(problem, UnicodeDecodeError) else 0
        raise error(
            f"{display}, line {_line(raw[:start], codec)}: is not {encoding if codec != UTF8 else 'UTF-8'} "
            f"(byte {start + 1:,} of the file, 0x{raw[start : start + 1].hex()}). {remedy}"
        ) from problem
    if "\0" in text:  # no database or command line can hold it
        line = len(_LINE_ENDS.findall(text[: text.index("\0")])) + 1
        raise error(f"{display}, line {line}: holds a NUL character, read as {encoding}. {remedy}")
    check_counts(display, sum(map(text.count, "\n\r")), sum(map(text.count, ",;\t")), error)
    return text


def check_counts(
    display: str, lines: int, fields: int, error: type[BiascoreError] = DataError, what: str = "lines"
) -> None:
    """Raise ``error`` for more lines (or rows) or fields than memory holds as objects, whatever they take in a file."""
    allowed = megabytes_allowed(MAX_TABLE_MB)
    for counted, found, most in ((what, lines, _LINES_PER_MB), ("fields", fields, _FIELDS_PER_MB)):
        if found > allowed * most:
            raise error(
                f"{display} has more than {allowed * most:,.0f} {counted}, the most that is read. Split it, or raise the "
                f"limit: {raised(allowed)}"
            )


def codec_of(encoding: str) -> str:
    """Python's name of an encoding of texts, ``utf-8`` with and without a byte order mark; raises OptionsError."""
    try:
        codec = codecs.lookup(encoding).name
        known = codec not in _NO_TEXTS and b"\0\0\0\0".decode(codec) != ""
    except (LookupError, ValueError):  # no such name, or none of texts; a NUL in the name
        known = False
    if not known:
        guess = did_you_mean(encoding, sorted({*encodings.aliases.aliases.values(), UTF8, "latin-1"}))
        raise OptionsError(
            f"there is no encoding {quoted(encoding)}. {guess}Name one that Python knows, such as utf-8, utf-16 or cp1252"
        )
    return UTF8 if codec == "utf-8-sig" else codec


def read_text(
    path: Path,
    display: str,
    error: type[BiascoreError] = DataError,
    *,
    encoding: str = UTF8,
    flag: str = "",
) -> str:
    """The text of a file, unpacked where it is gzip; raises ``error``, with ``flag`` as in ``decoded``."""
    raw = unpacked(read_bytes(path, display, error), display, error)
    return decoded(raw, display, error, encoding=encoding, flag=flag)


def read_toml(path: Path, display: str, error: type[BiascoreError]) -> Toml:
    """A TOML file in UTF-8; raises ``error``, which names the file and, where it can be found, the line."""
    return toml_of(read_bytes(path, display, error, megabytes=MAX_TOML_MB), display, error)


def toml_of(raw: bytes, display: str, error: type[BiascoreError]) -> Toml:
    """What the bytes of a TOML file say; raises as `read_toml`."""
    text = decoded(raw, display, error)
    try:
        document = parse_toml(text)
    except ValueError as problem:
        raise error(f"{display} is no valid TOML: {brief(str(problem))}. Correct the file") from problem
    return Toml(text, document, hashlib.sha256(raw).hexdigest())


def parse_toml(text: str) -> dict[str, Any]:
    """What TOML says; raises ValueError also for brackets nested without end and for numbers that never end."""
    return _parsed(tomli.loads, text)


def parse_json(text: str | bytes, *, last_counts: bool = False) -> Any:
    """What JSON says; raises ValueError as ``parse_toml`` does, and for a key that stands twice in one object.

    ``last_counts``: of such keys the last one counts. For what another program reads too, and understands so.
    """
    return _parsed(partial(json.loads, object_pairs_hook=None if last_counts else object_of), text)


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object of its keys and values; raises ValueError for a key that stands twice, of which one would be hidden."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"the key {quoted(twice(key for key, _ in pairs)[0])} stands twice in one object")
    return found


def file_digest(path: Path, display: str, error: type[BiascoreError] = DataError) -> str:
    """SHA-256 of the bytes of a regular file, of any size; raises ``error``."""
    check_regular(path, display, error)
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as problem:
        raise error(
            f"{display} cannot be read ({_why(problem)}). Give the path of a readable file"
        ) from problem


def megabytes_allowed(default: int, variable: str = FILE_VARIABLE) -> float:
    """The limit in megabytes that the environment sets, or the default; raises OptionsError for no number."""
    text = os.environ.get(variable, "")
    try:
        found = float(text) if text else float(default)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise OptionsError(f"{variable} is {text!r}. Set it to a number of megabytes, such as {default}")
    return found


def raised(megabytes: float, variable: str = FILE_VARIABLE) -> str:
    """The command that raises a limit to four times what it is."""
    return f"export {variable}={math.ceil(4 * megabytes)}"


def _line(raw: bytes, codec: str) -> int:
    """The line on which bytes end."""
    return len(_LINE_ENDS.findall(raw.decode(codec, "ignore"))) + 1


def _remedy(raw: bytes, flag: str, codec: str) -> str:
    if not flag:
        return "Save the file as text in UTF-8"
    if codec != UTF8:
        return "Name the encoding that it is in with the option encoding, or leave the option out if that is UTF-8"
    guess = wide_encoding(raw)
    if not guess and is_binary(raw):
        return "It is no text: give a table as text (CSV, JSON Lines), as Parquet or as Arrow"
    guess = guess or "cp1252"
    return f"Name its encoding with the option encoding (such as {flag}={guess}), or save it as text in UTF-8"


def _parsed(parse: Callable[[S], T], text: S) -> T:
    try:
        return parse(text)
    except RecursionError:
        problem = "brackets are nested too deeply"
    except (tomli.TOMLDecodeError, json.JSONDecodeError, UnicodeDecodeError):
        raise
    except ValueError as error:  # int() reads no more digits than that: it would take quadratic time
        if "set_int_max_str_digits" not in str(error):
            raise
        problem = "a whole number has more than 4,300 digits"
    raise ValueError(problem)  # out here: the frames of a RecursionError are a thousand


def _why(problem: OSError | ValueError) -> str:
    return getattr(problem, "strerror", None) or str(problem)
