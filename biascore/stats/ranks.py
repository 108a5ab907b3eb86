"""Kendall's rank correlation with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import finite_vector
from biascore.stats.normal import critical_value

LEAST: Final = 3
"""Fewer things have no order to speak of."""
LEAST_FOR_AN_INTERVAL: Final = 6


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Kendall's tau-b of ``n`` pairs, and its interval at ``level``; no interval where they are too few."""

    tau: float
    n: int
    low: float | None
    high: float | None
    level: float


def rank_correlation(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> RankCorrelation | None:
    """Kendall's tau-b of x and y (n,), None where either is constant or n is below 3.

    The interval is Fieller, Hartley & Pearson's (1957): atanh(tau) has a variance of about .437 / (n - 4); from n = 6 on,
    and not where all pairs are in the same order, where that says nothing. Raises ValueError for unequal lengths.
    """
    one, other = finite_vector(x, "x"), finite_vector(y, "y")
    if one.size != other.size:
        raise ValueError(f"x has {one.size} values and y {other.size}; pass as many")
    if one.size < LEAST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    from scipy.stats import kendalltau  # not at the top: it takes a second to import

    tau = float(kendalltau(one, other).statistic)
    if one.size < LEAST_FOR_AN_INTERVAL or abs(tau) >= 1 - 1e-12:
        return RankCorrelation(tau, one.size, None, None, level)
    half = critical_value(level) * math.sqrt(0.437 / (one.size - 4))
    centre = math.atanh(tau)
    return RankCorrelation(tau, one.size, math.tanh(centre - half), math.tanh(centre + half), level)
