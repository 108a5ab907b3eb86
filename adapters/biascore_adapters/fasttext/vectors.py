"""What the readers of all formats have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from biascore_adapters.fasttext.storage import corrupt

Facts = dict[str, str | int | float]


class WordVectors(Protocol):
    """An opened file of word vectors.

    ``digest_head`` is the number of leading bytes (header, dictionary) that a sampled digest covers.
    """

    dimensions: int
    facts: Facts
    digest_head: int

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of the words, float32 (n, d); a row of NaN for a word that the file does not have."""
        ...

    def known(self, words: Sequence[str]) -> list[bool]:
        """Whether the file has each word as a whole, n-grams aside."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


def blank(count: int, dimensions: int) -> npt.NDArray[np.float32]:
    """Rows that all say "out of vocabulary": float32 (count, dimensions) of NaN."""
    return np.full((count, dimensions), np.nan, dtype=np.float32)


def checked(vector: npt.NDArray[np.float32], path: Path, where: str) -> npt.NDArray[np.float32]:
    """Return the vector; raises ModelLoadError where it is not finite: NaN means "out of vocabulary" only."""
    if not np.isfinite(vector).all():
        raise corrupt(path, f"{where} hold NaN, an infinity or values too large for float32")
    return vector
