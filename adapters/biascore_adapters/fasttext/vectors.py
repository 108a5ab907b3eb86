"""What the readers of all formats have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from biascore_adapters.fasttext.letters import Letters
from biascore_adapters.fasttext.storage import corrupt

SEPARATORS: Final = re.compile(r"[ \n\r\t\v\f\0]+")
"""What separates words, as in fastText itself; a no-break space does not."""

Facts = dict[str, str | int | float]


class WordVectors(Protocol):
    """An opened file of word vectors.

    ``digest_head`` is the number of leading bytes (header, dictionary) that a sampled digest covers. ``size`` counts the
    distinct words, and ``shared`` marks the rows whose words may be equal to another's (None: no two are).
    """

    dimensions: int
    facts: Facts
    digest_head: int

    @property
    def letters(self) -> Letters:
        """Whether the words have upper and lower case."""
        ...

    @property
    def size(self) -> int:
        """The number of distinct words."""
        ...

    @property
    def shared(self) -> npt.NDArray[np.bool_] | None:
        """Which rows (n,) may hold a word that is in another row too; None where none does."""
        ...

    def names(self) -> Iterator[bytes]:
        """The words of all rows, in the order of the file."""
        ...

    def blocks(self, rows: int) -> Iterator[tuple[list[bytes], npt.NDArray[np.float32]]]:
        """The words of all rows with their vectors (n, d), ``rows`` at a time; raises ModelLoadError."""
        ...

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of the words, float32 (n, d); a row of NaN for a word that the file does not have."""
        ...

    def rows(self, words: Sequence[str]) -> list[int | None]:
        """The row of each word, from 0; None for one that the file does not have as a whole, n-grams aside."""
        ...

    def close(self) -> None: ...


def blank(count: int, dimensions: int) -> npt.NDArray[np.float32]:
    """Rows that all say "out of vocabulary": float32 (count, dimensions) of NaN."""
    return np.full((count, dimensions), np.nan, dtype=np.float32)


def blocks_of(
    names: Iterator[bytes], rows: int, vectors: Callable[[Sequence[str]], npt.NDArray[np.float32]]
) -> Iterator[tuple[list[bytes], npt.NDArray[np.float32]]]:
    """The words with what ``vectors`` gives for them, ``rows`` at a time; what it gives for no text is not used."""
    while block := list(islice(names, rows)):
        yield block, vectors([name.decode(errors="replace") for name in block])


def checked(vector: npt.NDArray[np.float32], path: Path, where: str) -> npt.NDArray[np.float32]:
    """Return the vector; raises ModelLoadError where it is not finite: NaN means "out of vocabulary" only."""
    if not np.isfinite(vector).all():
        raise corrupt(path, f"{where} hold NaN, an infinity or values too large for float32")
    return vector
