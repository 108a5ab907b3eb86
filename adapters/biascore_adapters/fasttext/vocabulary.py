"""The whole vocabulary of a file of word vectors, block by block in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from biascore.api.queries import Vocabulary
from biascore.api.support import BLOCK_ROWS
from biascore_adapters.fasttext.marks import Marks
from biascore_adapters.fasttext.vectors import SEPARATORS, WordVectors


class FileVocabulary(Vocabulary):
    """The words of one file; where words are equal, the one that ``embed`` answers with.

    ``lowers``: words are asked in lower case, so nobody can ask for one with upper case. ``marks`` stand around each word
    in the file; one without them nobody can ask for.
    """

    def __init__(self, vectors: WordVectors, marks: Marks, *, lowers: bool = False) -> None:
        self._vectors = vectors
        self._lowers = lowers
        self._marks = marks

    def __len__(self) -> int:
        return self._vectors.size

    def words(self, most: int | None = None) -> Iterator[str]:
        """The first ``most`` words, or all; of vectors, nothing is parsed."""
        found = self._distinct(self._vectors.names())
        return islice((word for word in found if word is not None), most)

    def blocks(
        self, rows: int = BLOCK_ROWS, most: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.float32]]]:
        """The words with their vectors (n, d); see ``Vocabulary``."""
        if rows < 1:
            raise ValueError(f"rows is {rows}; pass at least 1")
        left = len(self) if most is None else most
        seen: set[bytes] = set()
        row = 0
        for names, vectors in self._vectors.blocks(max(1, min(rows, left))):
            words = list(self._distinct(names, row, seen))
            row += len(names)
            kept = [place for place, word in enumerate(words) if word is not None][: max(left, 0)]
            left -= len(kept)
            if kept:
                found = tuple(word for word in words[: kept[-1] + 1] if word is not None)
                yield found, vectors if len(kept) == len(names) else vectors[kept]
            if left <= 0:
                return

    def _distinct(
        self, names: Iterable[bytes], start: int = 0, seen: set[bytes] | None = None
    ) -> Iterator[str | None]:
        """Each word, or None where an earlier row has it or nobody can ask for it; few are remembered."""
        seen = set() if seen is None else seen
        shared = self._vectors.shared
        for row, name in enumerate(names, start):
            if shared is not None and shared[row]:
                if name in seen:
                    yield None
                    continue
                seen.add(name)
            try:
                word = name.decode()
            except UnicodeDecodeError:
                yield None
                continue
            bare = self._marks.bare(word) if self._marks else word
            hidden = bare is None or SEPARATORS.search(bare) or (self._lowers and bare != bare.lower())
            yield None if hidden else bare
