"""Which words of a whole vocabulary are closest to some vectors: block by block, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.queries import Vocabulary

ROWS: Final = 8192
"""Words of a block."""
AT_ONCE: Final = 1024
"""Vectors that are compared with a block in one product: 32 MiB of cosines."""
Vectors = npt.NDArray[np.float32]


@dataclass(slots=True)
class _Best:
    """The greatest cosines so far (k,), greatest first, and their words."""

    cosines: npt.NDArray[np.float32]
    words: list[str]


class Nearest:
    """The ``count`` words nearest to each vector (n, d) by cosine; of equal cosines the first word of the file.

    ``barred``: words that are no answer for a vector, one collection for each.
    """

    def __init__(self, wanted: Vectors, count: int, barred: Sequence[Sequence[str]]) -> None:
        norms = np.linalg.norm(wanted, axis=1, keepdims=True)
        self._wanted = np.divide(wanted, norms, out=np.zeros_like(wanted), where=norms > 0)
        self._count = count
        self._barred: dict[str, list[int]] = {}
        for place, words in enumerate(barred):
            for word in dict.fromkeys(words):
                self._barred.setdefault(word, []).append(place)
        self._best = [_Best(np.empty(0, np.float32), []) for _ in range(len(wanted))]
        self._least = np.full(len(wanted), -np.inf, dtype=np.float32)
        self.scanned = 0

    def scan(self, vocabulary: Vocabulary, most: int | None = None) -> None:
        """Compare with the first ``most`` words, or all; words whose vector is zero have no cosine, and are none."""
        for words, vectors in vocabulary.blocks(ROWS, most):
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
            self.scanned += len(words)
            never = np.flatnonzero(norms[:, 0] == 0)
            here = [(row, place) for row, word in enumerate(words) for place in self._barred.get(word, ())]
            barred_rows = np.array([row for row, _ in here], dtype=np.intp)
            barred_places = np.array([place for _, place in here], dtype=np.intp)
            for first in range(0, len(self._wanted), AT_ONCE):
                last = min(first + AT_ONCE, len(self._wanted))
                cosines = self._wanted[first:last] @ unit.T
                cosines[:, never] = -np.inf
                own = (barred_places >= first) & (barred_places < last)
                cosines[barred_places[own] - first, barred_rows[own]] = -np.inf
                self._keep(first, cosines, words)

    def _keep(self, first: int, cosines: Vectors, words: Sequence[str]) -> None:
        better = cosines.max(axis=1) > self._least[first : first + len(cosines)]
        for row in np.flatnonzero(better):
            place = first + int(row)
            own, best = cosines[row], self._best[place]
            found = np.flatnonzero(own > self._least[place])
            if len(found) > self._count:
                kept = np.argpartition(-own[found], self._count - 1)[: self._count]
                least = own[found[kept]].min()
                found = found[own[found] >= least]  # in the order of the file, ties included
            both = np.concatenate([best.cosines, own[found]])
            names = [*best.words, *(words[int(i)] for i in found)]
            order = np.argsort(-both, kind="stable")[: self._count]
            best.cosines, best.words = both[order], [names[i] for i in order]
            if len(order) == self._count:
                self._least[place] = best.cosines[-1]

    def words(self) -> Iterator[tuple[str, ...]]:
        """The nearest words of each vector, the nearest first."""
        return (tuple(best.words) for best in self._best)
