"""Vectors as text (``.vec``, ``.vec.gz``, GloVe): one line per word, its values separated by spaces."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, cast

import numpy as np
import numpy.typing as npt

from biascore.api.support import MAX_UNPACKED
from biascore_adapters.fasttext.fields import (
    commas,
    counts_first,
    decimal_comma,
    fields_of,
    no_vector,
    parse_values,
    shown,
)
from biascore_adapters.fasttext.index import MAX_DIMENSIONS, MAX_WORD_BYTES, WordIndex
from biascore_adapters.fasttext.letters import Letters
from biascore_adapters.fasttext.names import Names
from biascore_adapters.fasttext.options import UTF_8
from biascore_adapters.fasttext.storage import HEAD_BYTES, ModelFile, corrupt, unusable
from biascore_adapters.fasttext.vectors import Facts, blank, checked

GZIP_MAGIC: Final = b"\x1f\x8b"
_HEADER: Final = re.compile(rb"(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*")
_SCAN_BUFFER: Final = 1 << 20
_SEEK_BUFFER: Final = 1 << 14  # every jump to a word fills the buffer anew
_AT_ONCE: Final = 1024  # words whose case is looked at together
_FIRST_LINES: Final = 8  # a header, comments and names of columns stand in them, or nowhere
_SMALL: Final = 32_000_000  # bytes, of which nobody minds the ratio
_BYTES_PER_VALUE: Final = 64  # longer than any decimal notation of a float
_KEPT_ROWS: Final = 200_000  # words whose row is kept
_KEPT_NUMBERS: Final = 1 << 23  # of the vectors that are kept, 32 MB


def parse_header(line: bytes) -> tuple[int, int] | None:
    """The numbers of words and dimensions in a first line ``n d``, or None where it is something else."""
    match = _HEADER.fullmatch(line.rstrip(b"\n"))
    return (int(match[1]), int(match[2])) if match else None


def preamble(lines: Sequence[bytes]) -> tuple[int, tuple[int, int] | None]:
    """How many of the first lines come before the vectors, and the numbers ``n d`` where one of them states them.

    Those are a header, also behind the sign of a comment; comments; blank lines; and names of columns, as R writes them.
    "#" is a word too: with as many numbers as the next line has it is one.
    """
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if header := parse_header(line):
            return number + 1, header
        fields = fields_of(line)
        following = fields_of(lines[number + 1]) if number + 1 < len(lines) else []
        values = len(following) - 1 if len(following) > 2 and parse_values(following[1:]) is not None else 0
        if line.startswith(b"#") and len(fields) - 1 != values:
            header = parse_header(line.lstrip(b"#").lstrip())
            if header and header[1] == values:
                return number + 1, header
            continue
        names = all(parse_values([field]) is None for field in fields)
        if names and not b"".join(lines[:number]).strip() and values and len(fields) in (values, values + 1):
            return number + 1, None
        return number, None
    return 0, None


class TextVectors:
    """Word vectors of a text file, parsed as they are asked for.

    Opening reads the file once, checks the number of lines and of fields in each, and notes where each
    word stands; the values of a line are read, and checked, when its word is asked for. Of equal
    words the first counts. A line with more fields than the others is a word with spaces in it (GloVe has
    ". . ."), unless one of the surplus fields is itself a number.
    """

    def __init__(self, file: ModelFile, encoding: str = UTF_8) -> None:
        self._file = file
        self._rows: dict[str, int | None] = {}
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}
        self._gzip = file.head(2) == GZIP_MAGIC
        self._names, self.letters = Names(file.path, encoding), Letters()
        with self._lines(_SCAN_BUFFER) as stream:
            first = [stream.readline(_line_limit(MAX_DIMENSIONS)) for _ in range(_FIRST_LINES)]
            mark = len(codecs.BOM_UTF8) if first[0].startswith(codecs.BOM_UTF8) else 0
            first[0] = first[0][mark:]
            self._tabs = b"\t" in b"".join(first)
            before, header = preamble([self._spaced(line) for line in first if line])
            start = mark + sum(map(len, first[:before]))
            if header is None:
                self.dimensions, claimed = (
                    self._headerless(list(map(self._spaced, first[before:])), before + 1),
                    None,
                )
            else:
                claimed, self.dimensions = header
            if not 0 < self.dimensions <= MAX_DIMENSIONS or claimed == 0:
                raise corrupt(file.path, f"the header claims {claimed} words of {self.dimensions} dimensions")
            self._first_line, self._blanks, self._claimed = before + 1, list[int](), claimed is not None
            stream.seek(start)
            self._index = self._scan(stream, start)
            if self._names.settled():
                stream.seek(start)
                self._index = self._scan(stream, start)
        if claimed is not None and claimed != len(self._index):
            raise corrupt(
                file.path, f"the header says {claimed} words, but {len(self._index)} lines of vectors follow"
            )
        self.facts: Facts = {
            "format": "text" + (", gzip" if self._gzip else "") + ("" if header else ", no header"),
            "dimensions": self.dimensions,
            "words": len(self._index),
            "repeated words": self._index.repeated,
            **({"blank lines": len(self._blanks)} if self._blanks else {}),
            **({"lines before the vectors": before} if before > bool(header) else {}),
            **self._names.facts,
        }
        self.digest_head = HEAD_BYTES

    def _headerless(self, lines: Sequence[bytes], number: int) -> int:
        """The dimensions of a file without a header, by its first lines, of which the first has this number."""
        rows = [fields_of(line) for line in lines if line.strip()] or [[b""]]
        fields = rows[0]
        if len(fields) < 3 or parse_values(fields[1:]) is None:
            raise no_vector(self._file.path, lines[0], number)
        if counts_first([row[1:] for row in rows]):
            raise unusable(
                self._file.path,
                f"the first number of each line is a whole one ({shown(fields[1])}), and the others are not: it may be how "
                "often the word occurs, and no dimension",
                f"Take it out; or put a header first, the number of words and {len(fields) - 1}, if it is a dimension.",
            )
        return len(fields) - 1

    @contextmanager
    def _lines(self, buffering: int) -> Iterator[BinaryIO]:
        path = self._file.path
        try:
            with path.open("rb", buffering) as raw:
                # GzipFile is a BinaryIO in all that is used here; typeshed does not say so
                yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if self._gzip else raw
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise corrupt(path, f"the gzip stream is broken ({error})") from error
        except OSError as error:
            raise unusable(
                path, f"cannot be read ({error})", "Check the file and its permissions."
            ) from error

    def _scan(self, stream: BinaryIO, offset: int) -> WordIndex:
        keys, offsets = array("q"), array("q")
        dimensions, limit = self.dimensions, _line_limit(self.dimensions)
        # almost all lines have d spaces, or d + 1 in fastText's own files: those need no closer look
        plain, trailing = (b"\n", dimensions), (b" \n", dimensions + 1)
        # A gzip of vectors unpacks to three or four times its size, a bomb to a thousand.
        most = max(_SMALL, MAX_UNPACKED * self._file.size) if self._gzip else sys.maxsize
        recode, letters, fresh = self._names.recode, self.letters, list[bytes]()
        self._blanks = []
        lines = iter(lambda: stream.readline(limit), b"")
        for line in map(self._spaced, lines) if self._tabs else lines:
            if offset > most:
                raise unusable(
                    self._file.path,
                    f"unpacks to more than {MAX_UNPACKED} times its size",
                    "If it is no bomb, unpack it with gunzip and give the unpacked file.",
                )
            spaces = line.count(b" ")
            if (line[-1:], spaces) == plain or (line[-2:], spaces) == trailing:
                word = line[: line.index(b" ")]
            elif not line.strip():
                self._blanks.append(len(keys))
                offset += len(line)
                continue
            else:
                word, _ = self._unusual(line, self._line(len(keys)))
            if not word.isascii():
                word = recode(word, self._line(len(keys)))
            if not letters.upper:
                fresh.append(word)
                if len(fresh) == _AT_ONCE:
                    letters.see(fresh)
                    fresh.clear()
            keys.append(hash(word))
            offsets.append(offset)
            offset += len(line)
        letters.see(fresh)
        return WordIndex(np.frombuffer(keys, dtype=np.int64), np.frombuffer(offsets, dtype=np.int64))

    def _line(self, row: int) -> int:
        """The line of a row, from 1."""
        return row + self._first_line + bisect_right(self._blanks, row)

    def _unusual(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        """The word of a line and its values, where the line is not one word, d numbers and single spaces."""
        fields = fields_of(line)
        surplus = len(fields) - 1 - self.dimensions
        if surplus > 0 and not fields[0]:  # a space before the word
            fields, surplus = fields[1:], surplus - 1
        if surplus and not (
            surplus > 0 and all(parse_values([field]) is None for field in fields[1 : surplus + 1])
        ):
            needs = "are needed by the header" if self._claimed else "are needed"
            raise corrupt(
                self._file.path,
                f"line {number} ({shown(line)}) has {len(fields) - 1} values where {self.dimensions} {needs}",
            )
        return b" ".join(fields[: surplus + 1]), b" ".join(fields[surplus + 1 :])

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of the words, float32 (n, d); NaN where the file does not have the word.

        Tests of one language ask for the same words again and again, so these are kept. A gzip stream is read from its
        beginning to the last line that is asked for and not kept.
        """
        result = blank(len(words), self.dimensions)
        new = []
        for place, word in enumerate(words):
            kept = self._vectors.get(word)
            if kept is not None:
                result[place] = kept
            elif self._rows.get(word, 0) is not None:
                new.append(place)
        for found, row, values in self._found([words[place] for place in new]):
            place = new[found]
            result[place] = self._parse(values, self._line(row))
            if (1 + len(self._vectors)) * self.dimensions <= _KEPT_NUMBERS:
                self._vectors[words[place]] = result[place].copy()
        return result

    def rows(self, words: Sequence[str]) -> list[int | None]:
        """The row of each word, or None; of equal words the first."""
        new = [word for word in words if word not in self._rows]
        found = {place: row for place, row, _ in self._found(new)}
        rows = {word: found.get(place) for place, word in enumerate(new)}
        if len(self._rows) + len(rows) <= _KEPT_ROWS:
            self._rows |= rows
        return [rows[word] if word in rows else self._rows[word] for word in words]

    def _found(self, words: Sequence[str]) -> Iterator[tuple[int, int, bytes]]:
        """The place of each word that the file has, the first row that has it, and what follows it there."""
        wanted = sorted(
            (row, place) for place, word in enumerate(words) for row in self._index.candidates(word.encode())
        )
        if not wanted:
            return
        done: set[int] = set()
        with self._lines(_SEEK_BUFFER) as stream:
            for row, place in wanted:
                if place in done:
                    continue  # an earlier line had this word
                stream.seek(int(self._index.offsets[row]))
                name, values = self._entry(stream.readline(_line_limit(self.dimensions)), self._line(row))
                if name == words[place].encode():
                    done.add(place)
                    yield place, row, values

    @property
    def size(self) -> int:
        """The number of distinct words."""
        return len(self._index) - self._index.repeated

    @property
    def shared(self) -> npt.NDArray[np.bool_] | None:
        """Which rows may hold a word that is in another row too."""
        return self._index.shared

    def names(self) -> Iterator[bytes]:
        """The words of all lines, in their order."""
        return (name for _, name, _ in self._entries())

    def blocks(self, rows: int) -> Iterator[tuple[list[bytes], npt.NDArray[np.float32]]]:
        """The words of all lines with their vectors (n, d), ``rows`` at a time."""
        entries = self._entries()
        while block := list(islice(entries, rows)):
            numbers, names, values = zip(*block, strict=True)
            yield list(names), self._parse_all(values, numbers)

    def _entries(self) -> Iterator[tuple[int, bytes, bytes]]:
        """The number of each line that is not blank, its word and its values."""
        limit = _line_limit(self.dimensions)
        with self._lines(_SCAN_BUFFER) as stream:
            stream.seek(int(self._index.offsets[0]))
            lines = iter(lambda: stream.readline(limit), b"")
            for number, line in enumerate(lines, self._line(0)):
                if not self._blanks or line.strip():
                    yield number, *self._entry(line, number)

    def _entry(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        """The word of a line, in UTF-8, and its values."""
        text = self._spaced(line).rstrip(b"\r\n ")
        if text.count(b" ") == self.dimensions:
            name, _, values = text.partition(b" ")
        else:
            name, values = self._unusual(text, number)
        return name if name.isascii() else self._names.recode(name, number), values

    def _spaced(self, line: bytes) -> bytes:
        """The line with spaces where the file has tabs."""
        return line.replace(b"\t", b" ") if self._tabs else line

    def _parse_all(self, texts: Sequence[bytes], numbers: Sequence[int]) -> npt.NDArray[np.float32]:
        """The values of the lines with these numbers, (n, d); a fifth of the time of one line after the other."""
        try:
            with np.errstate(over="ignore"):
                values = np.loadtxt(
                    (text.decode("ascii") for text in texts), delimiter=" ", comments=None, ndmin=2
                ).astype(np.float32)
        except ValueError:
            values = np.empty((0, 0), dtype=np.float32)
        if values.shape == (len(texts), self.dimensions) and np.isfinite(values).all():
            return values
        # Some line holds what is no number: the reader of single lines says which.
        return np.stack([self._parse(text, number) for text, number in zip(texts, numbers, strict=True)])

    def _parse(self, text: bytes, number: int) -> npt.NDArray[np.float32]:
        fields = fields_of(text)
        values = parse_values(fields)
        if values is None and decimal_comma(fields):
            raise commas(self._file.path, number)
        if values is None or len(values) != self.dimensions:
            raise corrupt(self._file.path, f"line {number} does not hold {self.dimensions} numbers")
        return checked(values, self._file.path, f"the values in line {number}")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line_limit(dimensions: int) -> int:
    return MAX_WORD_BYTES + _BYTES_PER_VALUE * dimensions


def first_text(path: Path, head: bytes) -> bytes:
    """What the beginning of a gzip file unpacks to; raises ModelLoadError where it does not."""
    try:
        return gzip.GzipFile(fileobj=io.BytesIO(head)).read1(1 << 16)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise corrupt(path, f"the gzip stream is broken at its beginning ({error})") from error
