"""All words of a model with their vectors, read straight from it: past the cache, and never held as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

BLOCK_ROWS: Final = 8192
"""Vectors of a block unless it is said otherwise: 10 MB of 300 dimensions."""


class Vocabulary(ABC):
    """The words that a model has vectors for, each once, in the order of its file.

    Files of word vectors are written from the most to the least frequent word; where a model has no such order, its
    adapter says so. What is read is what ``embed`` answers; entries that nobody can ask for (bytes that are no text, a
    space inside) are left out.
    """

    @abstractmethod
    def __len__(self) -> int:
        """The number of words, those included that are left out because nobody could ask for them."""

    @abstractmethod
    def words(self, most: int | None = None) -> Iterator[str]:
        """The first ``most`` words, or all; raises ModelLoadError where the file turns out to be damaged."""

    @abstractmethod
    def blocks(
        self, rows: int = BLOCK_ROWS, most: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.float32]]]:
        """The words with their vectors (n, d), at most ``rows`` at a time and ``most`` in all.

        No more than one block is in memory. Raises ModelLoadError as ``words`` does.
        """
