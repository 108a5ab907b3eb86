"""Where each word of a file stands, without keeping the words: a 64-bit key and a position per word."""

from __future__ import annotations

from array import array
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
    """Finds the rows of a word by its key; 24 bytes per word, where two million Python strings take 200 MB.

    Keys are Python's own hash of the word's bytes, which changes from process to process and never
    leaves it. Two words may share a key, so the caller compares the bytes in the file.
    """

    def __init__(self, keys: array[int], offsets: array[int]) -> None:
        unsorted = np.frombuffer(keys, dtype=np.int64)
        self.offsets: npt.NDArray[np.int64] = np.frombuffer(offsets, dtype=np.int64)
        self._order = np.argsort(unsorted, kind="stable").astype(np.int32)
        self._keys = unsorted[self._order]

    def __len__(self) -> int:
        return len(self.offsets)

    def candidates(self, word: bytes) -> list[int]:
        """Rows whose word has the key of ``word``, in file order."""
        key = np.int64(hash(word))
        first, last = np.searchsorted(self._keys, key, "left"), np.searchsorted(self._keys, key, "right")
        return [int(row) for row in self._order[first:last]]

    @property
    def repeated(self) -> int:
        """Number of rows whose word already stands in an earlier row."""
        return int(np.count_nonzero(self._keys[1:] == self._keys[:-1]))


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """A file of records ``word separator payload``; ``newlines`` where one may stand before a word."""

    count: int
    separator: bytes
    payload: int
    newlines: bool = False


BlockCheck = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64], int], None]
"""Looks at the records of one block: its bytes, the positions of the separators, the first row."""


def scan_records(
    file: ModelFile, start: int, layout: RecordLayout, check: BlockCheck | None = None
) -> tuple[WordIndex, int]:
    """Index the records from byte ``start``; returns the index and the byte after the last record.

    Raises ModelLoadError where the file ends before ``layout.count`` records or a word has no end.
    """
    keys, offsets = array("q"), array("q")
    base, tail = start, b""
    while len(keys) < layout.count:
        fresh = file.read(base + len(tail), min(_BLOCK, file.size - base - len(tail)))
        data = tail + fresh
        first = len(keys)
        ends, used = _walk(data, base, layout, keys, offsets)
        if check is not None and ends:
            check(np.frombuffer(data, dtype=np.uint8), np.array(ends, dtype=np.int64), first)
        if len(keys) < layout.count:
            if len(data) - used > MAX_WORD_BYTES + layout.payload + 1:
                raise corrupt(file.path, f"word {len(keys) + 1} at byte {base + used} has no end")
            if not fresh:
                raise corrupt(
                    file.path, f"the header says {layout.count} words, but the file ends after {len(keys)}"
                )
        base, tail = base + used, data[used:]
    return WordIndex(keys, offsets), base


def _walk(
    data: bytes, base: int, layout: RecordLayout, keys: array[int], offsets: array[int]
) -> tuple[list[int], int]:
    """Append the complete records of ``data``; returns the separators' positions and the bytes used."""
    find, separator, step = data.find, layout.separator, layout.payload + 1
    add_key, add_offset = keys.append, offsets.append
    last = len(data) - step
    ends: list[int] = []
    add_end = ends.append
    position = 0
    for _ in range(layout.count - len(keys)):
        begin = position
        if layout.newlines and data[begin : begin + 1] == b"\n":
            begin += 1
        end = find(separator, begin, begin + MAX_WORD_BYTES)
        if end < 0 or end > last:
            break
        add_key(hash(data[begin:end]))
        add_offset(base + begin)
        add_end(end)
        position = end + step
    return ends, position
