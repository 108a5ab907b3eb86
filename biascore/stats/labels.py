"""Target words placed by several pairs of attribute lists (FISE): their scores, their cells, and how even these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats
from biascore.stats.association import association
from biascore.stats.exchange import Exchange

Codes: TypeAlias = NDArray[np.int8]

ROUNDING: Final = 1e-12
"""A difference of mean cosines nearer to 0 than this is rounding, and has no sign."""
ON_AXIS: Final = -1
"""The code of a word that lies in no cell."""
MAX_DIMENSIONS: Final = 6
"""So that the codes of cells fit a byte; six dimensions already make 64 cells."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Cosines (n, a + b) of n target words with the attribute words of one dimension, those of A first."""

    cosines: Floats
    n_a: int
    exchange: Exchange
    """What of the attribute words may be exchanged: families, which are forms of one word, as a whole."""

    @property
    def n_b(self) -> int:
        """Number of attribute words labelled B."""
        return int(self.cosines.shape[1]) - self.n_a

    @property
    def families(self) -> tuple[int, int]:
        """Numbers of families labelled A and B, at most those of words."""
        return self.exchange.units

    @property
    def smallest_p(self) -> float:
        """The smallest two-sided p that so many families allow; of equal numbers two labellings are as extreme."""
        return self.exchange.smallest_p()

    @property
    def scores(self) -> Floats:
        """s(w, A, B) of every target word: (n,)."""
        return association(self.cosines[:, : self.n_a], self.cosines[:, self.n_a :])


def cell_codes(scores: Sequence[Floats], tolerance: float = 0.0) -> Codes:
    """The cell of each word from its scores on k dimensions, k arrays of one shape: codes 0 to 2^k - 1.

    The first dimension is the highest bit; a bit is 0 on the side of A (score above 0) and 1 on that of B. A word
    with a score within ``tolerance`` of 0, or nearer than rounding, lies on an axis: `ON_AXIS`. Raises ValueError
    for no dimension or more than `MAX_DIMENSIONS`, and for a negative tolerance.
    """
    if not 1 <= len(scores) <= MAX_DIMENSIONS:
        raise ValueError(f"there are {len(scores)} dimensions; pass 1 to {MAX_DIMENSIONS}")
    if not tolerance >= 0.0:
        raise ValueError(f"tolerance is {tolerance!r}; pass 0 or a number above")
    codes = np.zeros(scores[0].shape, dtype=np.int8)
    on_axis = np.zeros(scores[0].shape, dtype=np.bool_)
    for score in scores:
        codes = (2 * codes + (score < 0.0)).astype(np.int8)
        on_axis |= np.abs(score) <= max(tolerance, ROUNDING)
    codes[on_axis] = ON_AXIS
    return codes


def cell_counts(codes: Codes, cells: int) -> NDArray[np.int64]:
    """Words in each cell: codes of shape (n, ...) give (cells, ...)."""
    return np.stack([np.count_nonzero(codes == cell, axis=0) for cell in range(cells)])


def distance_from_even(counts: ArrayLike) -> Floats:
    """Total variation distance of the shares of cells from equal ones: counts (cells, ...) give (...).

    Half the sum of |share - 1/cells|: the share of words that would have to move to make all cells equal. NaN
    where there are no words.
    """
    numbers = np.asarray(counts, dtype=np.float64)
    total = numbers.sum(axis=0)
    with np.errstate(invalid="ignore"):
        shares = numbers / total
    distance: Floats = np.asarray(0.5 * np.abs(shares - 1.0 / len(numbers)).sum(axis=0))
    return distance
