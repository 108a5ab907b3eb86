"""What a file is by its first bytes, where it is nothing that is read as what its name says; and the next step."""

from __future__ import annotations

import codecs
import re
from typing import Final

ZIP: Final = b"PK\x03\x04"
OLE: Final = b"\xd0\xcf\x11\xe0"
_PICKLE: Final = (
    "a pickle of Python",
    "It may run code when it is opened, and is not: write the table as CSV",
)
_KINDS: Final = (
    (b"PAR1", "a Parquet file", "Call it .parquet"),
    (b"ARROW1", "an Arrow file", "Call it .arrow"),
    (b"\xff\xff\xff\xff", "an Arrow file", "Call it .arrow"),
    (b"FEA1", "an old Feather file", "Write it as Parquet"),
    (b"\x1f\x8b", "compressed with gzip twice", "Unpack it: gunzip FILE"),
    (b"BZh", "compressed with bzip2", "Unpack it: bunzip2 FILE"),
    (b"\xfd7zXZ\0", "compressed with xz", "Unpack it: unxz FILE"),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard", "Unpack it: unzstd FILE"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "Unpack it, and name the file in it"),
    (b"%PDF-", "a PDF", "Give the table that it shows as CSV"),
    (b"SQLite format 3\0", "an SQLite database", "Write the table that is meant as CSV"),
    (b"\x93NUMPY", "an array of NumPy", "Write it as CSV"),
    (b"Obj\x01", "an Avro file", "Write it as Parquet"),
    (b"ORC", "an ORC file", "Write it as Parquet"),
    (b"\x80\2", *_PICKLE),
    (b"\x80\3", *_PICKLE),
    (b"\x80\4", *_PICKLE),
    (b"\x80\5", *_PICKLE),
)
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL: Final = re.compile(rb"[\0-\x08\x0e-\x19\x1c-\x1f]")
_PAGES: Final = (b"<!doctype html", b"<html")


def other_kind(raw: bytes) -> tuple[str, str] | None:
    """What bytes are that are no text (``a Parquet file``), and the next step; None of what may be text."""
    if raw.startswith((ZIP, OLE)):
        return _packed(raw)
    if raw[:100].lstrip().lower().startswith(_PAGES):
        return (
            "a page of the web",
            "Download the file itself: where its page asks for a login or consent, give it first",
        )
    if not is_binary(raw):
        return None
    if raw[257:262] == b"ustar":
        return "a tar archive", "Unpack it, and name the file in it"
    return next(((what, step) for start, what, step in _KINDS if raw.startswith(start)), None)


def is_binary(raw: bytes) -> bool:
    """Whether bytes begin with control characters among them, which no text has in an encoding of one byte a letter."""
    return bool(_CONTROL.search(raw[:10_000]))


def wide_encoding(raw: bytes) -> str:
    """The encoding of two or four bytes a letter that bytes are in, by their mark or their NULs; empty where in none."""
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), "")
    start = raw[:1000]
    half = len(start) // 4
    if marked or half < 4:
        return marked
    even, odd = start[::2].count(0), start[1::2].count(0)
    return "utf-16-le" if odd > half and not even else "utf-16-be" if even > half and not odd else ""


def _packed(raw: bytes) -> tuple[str, str]:
    """What a file is that begins as a zip archive or as older files of Office do, and the next step."""
    if raw.startswith(OLE) or b"xl/workbook" in raw:
        what = "an Excel workbook"
    elif b"opendocument.spreadsheet" in raw[:200]:
        what = "an OpenDocument workbook"
    else:
        return "a zip archive", "Unpack it, and name the file"
    return what, "Save its sheet as CSV UTF-8, and name that file"
