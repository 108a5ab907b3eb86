"""What is no table, or a packed one, is refused by every format with what it is and a step that works."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import re
import tarfile
import zipfile
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Engine
from biascore.errors import DataError
from biascore.files.tables import read_table

from ..builders.arrow import arrow, save_to_disk

TEXT = "a,b\n1,Città\n2,zwei\n"
TABLE = pa.table({"a": ["1", "2"], "b": ["Città", "zwei"]})


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(TABLE, out)
    return out.getvalue()


def archive(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(name, TEXT)
    return out.getvalue()


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(TEXT.encode())
        file.addfile(entry, io.BytesIO(TEXT.encode()))
    return out.getvalue()


def numpy() -> bytes:
    out = io.BytesIO()
    np.save(out, np.arange(3.0))
    return out.getvalue()


KINDS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", r"is empty|has no question|is no valid JSON"),
    "parquet": (parquet(), r"a Parquet file and no text\. Call it \.parquet"),
    "arrow stream": (arrow(TABLE), r"an Arrow file and no text\. Call it \.arrow"),
    "arrow file": (arrow(TABLE, file=True), r"an Arrow file and no text\. Call it \.arrow"),
    "gzip twice": (gzip.compress(gzip.compress(TEXT.encode())), r"compressed with gzip twice .*gunzip"),
    "bzip2": (bz2.compress(TEXT.encode()), r"compressed with bzip2 .*bunzip2"),
    "xz": (lzma.compress(TEXT.encode()), r"compressed with xz .*unxz"),
    "zstandard": (pa.compress(TEXT.encode(), codec="zstd", asbytes=True), r"with Zstandard .*unzstd"),
    "zip": (archive("a.csv"), r"a zip archive and no text\. Unpack it"),
    "workbook": (archive("xl/workbook.xml"), r"an Excel workbook .*as CSV UTF-8"),
    "tar": (tar(), r"a tar archive .*Unpack it"),
    "pickle": (pickle.dumps({"a": [1, 2]}), r"a pickle of Python .*as CSV"),
    "numpy": (numpy(), r"an array of NumPy .*as CSV"),
    "database": (b"SQLite format 3\0" + bytes(84), r"an SQLite database .*as CSV"),
    "page": (
        b"<!DOCTYPE html>\n<html><body>Log in</body></html>",
        r"a page of the web .*Download the file itself",
    ),
    "pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n", r"git lfs pull"),
    "noise": (bytes(range(256)) * 4, r"It is no text|Save the file as text"),
    "utf-16": (TEXT.encode("utf-16"), r"encoding=utf-16\)|Save the file as text in UTF-8"),
    "utf-16 without a mark": (
        TEXT.encode("utf-16-le"),
        r"encoding=utf-16-le\)|Save the file as text in UTF-8",
    ),
    "utf-32": (TEXT.encode("utf-32"), r"encoding=utf-32\)|Save the file as text in UTF-8"),
    "cp1252": (TEXT.encode("cp1252"), r"encoding=cp1252\)|Save the file as text in UTF-8"),
}
BINARY = {name for name in KINDS if not name.startswith(("utf", "cp"))}
FORMATS = {one.id: one for one in Engine(cache=None).plugins.formats.items()}
OPTIONS: dict[str, dict[str, Any]] = {"eec-parts": {"corpus": "en"}, "outcomes": {"groups": ["a"]}}
SEVERAL = {"winogender", "winobias", "mt-geneval"}
"""They are several files, which are looked for first."""
LANGUAGES = {"kobbq": "ko", "ggbbq": "de", "esbbq": "es", "jbbq": "ja", "basqbbq": "eu", "cbbq": "zh"}


def name_of(format: str) -> str:
    """How a file of a format is called, so that its reader is reached."""
    one = FORMATS[format]
    return PurePath(one.in_folder[0] if one.in_folder else one.example.rpartition(":")[2]).name


def refused(format: str, path: Path) -> str:
    language = LANGUAGES.get(format, "en")
    with pytest.raises(DataError) as caught:
        Engine(cache=None).data(format, path, language=language, **OPTIONS.get(format, {}))
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", [name for name in FORMATS if name not in SEVERAL])
def test_every_format_says_what_a_file_is(format: str, kind: str, tmp_path: Path) -> None:
    content, told = KINDS[kind]
    path = tmp_path / name_of(format)
    path.write_bytes(content)
    message = refused(format, path)
    assert path.name in message
    assert re.search(told, message), message
    if kind in BINARY:
        assert "encoding=" not in message


@pytest.mark.parametrize("kind", [name for name in KINDS if name not in ("parquet", "empty", "pointer")])
def test_a_file_that_is_called_parquet(kind: str, tmp_path: Path) -> None:
    for suffix, what in ((".parquet", "Parquet"), (".arrow", "Arrow")):
        if kind.startswith("arrow") and what == "Arrow":
            continue
        path = tmp_path / f"x{suffix}"
        path.write_bytes(KINDS[kind][0])
        with pytest.raises(DataError, match=rf"^x{suffix} cannot be read as {what}\b") as caught:
            read_table(path, path.name, ("a",))
        assert "encoding=" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp1252", "utf-8-sig"])
def test_the_encoding_that_a_message_names_reads_the_file(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(TEXT.encode(encoding))
    how = {} if encoding == "utf-8-sig" else {"encoding": encoding}
    assert [row.fields for row in read_table(path, "x.csv", ("a", "b"), **how).rows] == [
        {"a": "1", "b": "Città"},
        {"a": "2", "b": "zwei"},
    ]
    path.write_text("sep=;\na;b\n1;Città\n2;zwei\n", encoding=encoding)
    assert len(read_table(path, "x.csv", ("a", "b"), **how).rows) == 2


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_refuses_a_pipe_and_a_folder(format: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert "folder" in refused(format, folder)
    os.mkfifo(folder / name_of(format))
    assert "not a regular file" in refused(format, folder / name_of(format))
    # A saved dataset is read by formats of tables, and lacks their columns here; others say that it is no text.
    message = refused(format, save_to_disk(tmp_path / "saved", [TABLE]))
    assert re.search(
        "no column|none of the columns|the lists|in Arrow|folder without|is not named", message
    ), message


def test_a_list_of_objects_and_objects_by_line_are_one_table(tmp_path: Path) -> None:
    rows = ['{"a": "1", "b": "Città"}', '{"a": "2", "b": "zwei"}']
    for name in ("x.json", "x.jsonl", "x.ndjson"):
        for text in ("\n".join(rows), f"[{', '.join(rows)}]", "[\n" + ",\n".join(rows) + "\n]\n"):
            (tmp_path / name).write_text(text, encoding="utf-8-sig")
            table = read_table(tmp_path / name, name, ("a", "b"))
            assert [row.fields["b"] for row in table.rows] == ["Città", "zwei"]
