"""Where each word of a file stands, without keeping the words: a 64-bit key and a position per word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore_adapters.fasttext.storage import ModelFile, corrupt

MAX_WORD_BYTES: Final = 1 << 16
"""Longest word believed; without a bound a damaged file would be searched to its end for a separator."""

MAX_DIMENSIONS: Final = 1 << 16
"""Largest vector believed, so that no claimed dimension decides how much memory is taken."""

_BLOCK: Final = 1 << 22


class WordIndex:
    """Finds the rows of a word by its key; 20 bytes per word, where two million Python strings take 200 MB.

    Keys are Python's own hash of the word's bytes, which changes from process to process and never
    leaves it. Two words may share a key, so the caller compares the bytes in the file.
    """

    def __init__(self, keys: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]) -> None:
        self.offsets = offsets
        self._order = np.argsort(keys).astype(np.int32)
        self._keys = keys[self._order]

    def __len__(self) -> int:
        return len(self.offsets)

    def candidates(self, word: bytes) -> list[int]:
        """Rows whose word has the key of ``word``, in file order."""
        key = np.int64(hash(word))
        first, last = np.searchsorted(self._keys, key, "left"), np.searchsorted(self._keys, key, "right")
        return sorted(self._order[first:last].tolist())

    @property
    def repeated(self) -> int:
        """Number of rows whose word is already in an earlier row."""
        return int(np.count_nonzero(self._keys[1:] == self._keys[:-1]))

    @property
    def shared(self) -> npt.NDArray[np.bool_] | None:
        """Which rows (n,) have the key of another, so that their words may be equal; None where no row has."""
        if not self.repeated:
            return None
        equal = self._keys[1:] == self._keys[:-1]
        found = np.zeros(len(self), dtype=np.bool_)
        found[self._order[1:][equal]] = True
        found[self._order[:-1][equal]] = True
        return found


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """A file of records ``word separator payload``; ``newlines`` where one may stand before a word."""

    count: int
    separator: bytes
    payload: int
    newlines: bool = False

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """Matches record after record and captures the words; what is no record is matched to its end."""
        separator, newline = re.escape(self.separator), b"\n?" if self.newlines else b""
        return re.compile(
            b"(%b[^%b]*)%b.{%d}|.+" % (newline, separator, separator, self.payload), flags=re.DOTALL
        )


Seen = Callable[[list[bytes], int], None]
"""Looks at the words of one block, of which this is the first row."""

BlockCheck = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64], int], None]
"""Looks at the records of one block: its bytes, the positions of the separators, the first row."""


def scan_records(
    file: ModelFile, start: int, layout: RecordLayout, seen: Seen, check: BlockCheck | None = None
) -> tuple[WordIndex, int]:
    """Index the records from byte ``start``; returns the index and the byte after the last record.

    Raises ModelLoadError where the file ends before ``layout.count`` records or a word has no end.
    """
    keys, offsets = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    pattern, done, base, tail = layout.pattern, 0, start, b""
    while done < layout.count:
        fresh = file.read(base + len(tail), min(_BLOCK, file.size - base - len(tail)))
        data = tail + fresh
        words, begins, ends = _records(data, layout, pattern, layout.count - done)
        if check is not None:
            check(np.frombuffer(data, dtype=np.uint8), ends, done)
        seen(words, done)
        keys.append(np.fromiter(map(hash, words), dtype=np.int64, count=len(words)))
        offsets.append(begins + base)
        done += len(words)
        used = int(ends[-1]) + 1 + layout.payload if words else 0
        if done < layout.count:
            longest = max(int((ends - begins).max(initial=0)), len(data) - used - layout.payload - 1)
            if longest > MAX_WORD_BYTES:
                raise corrupt(file.path, f"a word after byte {base} is longer than {MAX_WORD_BYTES} bytes")
            if not fresh:
                raise corrupt(
                    file.path, f"the header says {layout.count} words, but the file ends after {done}"
                )
        base, tail = base + used, data[used:]
    return WordIndex(np.concatenate(keys), np.concatenate(offsets)), base


def _records(
    data: bytes, layout: RecordLayout, pattern: re.Pattern[bytes], most: int
) -> tuple[list[bytes], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The complete records at the beginning of ``data``: their words, and where those begin and end.

    One regular expression instead of a loop over ``bytes.find``: a third of the time for a million words.
    """
    step = len(layout.separator) + layout.payload
    limit = data.rfind(layout.separator, 0, max(len(data) - layout.payload, 0)) + step
    if limit < step:
        return [], np.empty(0, np.int64), np.empty(0, np.int64)
    words: list[bytes] = pattern.findall(data, 0, limit)[:most]
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    ends = np.cumsum(lengths + step) - step
    complete = int(np.searchsorted(ends, limit - step, "right"))  # the rest is what is no record
    words, begins, ends = words[:complete], (ends - lengths)[:complete], ends[:complete]
    if layout.newlines:
        begins += np.fromiter((word[:1] == b"\n" for word in words), dtype=np.int64, count=len(words))
        words = [word.removeprefix(b"\n") for word in words]
    return words, begins, ends
