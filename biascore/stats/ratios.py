"""Shares of groups next to one another: exact intervals of each, score intervals of ratios, and a test of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from biascore.stats._checks import Floats, require_between
from biascore.stats.bootstrap import Interval
from biascore.stats.normal import critical_value

Counts = npt.NDArray[np.int64]

_STEPS = 64  # halvings of 120: what is left is less than doubles near 1 can tell
_CHUNK = 2**22  # numbers drawn at once
_NEAR = 1e-9  # of a difference: rounding


def clopper_pearson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """The exact interval of a share, ends in [0, 1]; at least the level at any size.

    Raises ValueError unless 0 <= successes <= trials and trials >= 1. Source: Clopper and Pearson 1934, Biometrika 26:404.
    """
    from scipy.special import betaincinv

    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(
            f"{successes} successes of {trials} trials; pass 0 <= successes <= trials, trials >= 1"
        )
    require_between(level, "level", 0.0, 1.0)
    tail = (1.0 - level) / 2.0
    low = betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, trials - successes, 1.0 - tail) if successes < trials else 1.0
    return Interval(float(low), float(high), level, "Clopper-Pearson", resamples=0)


def ratio_intervals(
    first: tuple[Counts, Counts], second: tuple[Counts, Counts], *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Koopman's score intervals of m ratios of independent shares, first over second: lower and upper ends (m,).

    Each of ``first`` and ``second`` is successes (m,) and trials (m,). The lower end is 0 where the first has no success,
    the upper one infinite where the second has none. Raises ValueError on a level outside (0, 1). Source: Koopman 1984,
    Biometrics 40:513; in the form of Miettinen and Nurminen 1985, Statistics in Medicine 4:213, without their n / (n - 1).
    """
    require_between(level, "level", 0.0, 1.0)
    (x, n), (y, m) = ((np.asarray(a, np.float64), np.asarray(b, np.float64)) for a, b in (first, second))
    z = critical_value(level)

    def beyond(logs: Floats) -> Floats:
        """Standard errors by which the observed ratio is above the one with this logarithm."""
        ratio = np.exp(logs)
        b = n * ratio + x + m + y * ratio
        root = np.sqrt(np.maximum(b * b - 4.0 * (n + m) * ratio * (x + y), 0.0))
        q = 2.0 * (x + y) / (b + root)  # of the second, given the ratio; stable where b * b is far larger
        p = ratio * q
        variance = p * (1.0 - p) / n + ratio**2 * q * (1.0 - q) / m
        with np.errstate(divide="ignore", invalid="ignore"):
            score = (x / n - ratio * y / m) / np.sqrt(np.maximum(variance, 0.0))
        found: Floats = np.where(np.isnan(score), 0.0, score)
        return found

    def end(target: float) -> Floats:
        low, high = np.full(x.shape, -60.0), np.full(x.shape, 60.0)
        for _ in range(_STEPS):
            middle = (low + high) / 2.0
            above = beyond(middle) > target
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        ends: Floats = np.exp(low)
        return ends

    return np.where(x == 0, 0.0, end(z)), np.where(y == 0, np.inf, end(-z))


@dataclass(frozen=True, slots=True)
class LargestDifference:
    """Result of `largest_difference`."""

    p_value: float
    """Valid at any size: (1 + reached) / (1 + draws)."""
    reached: int
    """Draws whose largest difference is at least the observed one."""
    draws: int
    smallest_ratio: float
    """The mean over draws of the smallest ratio of two shares of one table: what chance makes of equal shares."""


def largest_difference(
    cells: Counts,
    tables: Sequence[npt.NDArray[np.bool_]],
    successes: Counts,
    *,
    draws: int,
    rng: np.random.Generator,
    within: npt.NDArray[np.intp] | None = None,
) -> LargestDifference:
    """Test whether a share differs between any two groups of people of one table.

    ``cells`` (c,) are numbers of people, ``successes`` (c,) those of them with the outcome; each of ``tables`` (k, c) tells
    which cells each of its k groups is made of. The statistic is the largest |p_i - p_j| / sqrt(1/n_i + 1/n_j). Null
    hypothesis: outcomes are exchangeable among all people, so that p is valid at any size and the choice of the
    largest is accounted for (Westfall and Young 1993). ``within`` (c,): a stratum of each cell, between whose people alone
    outcomes are exchanged. Raises ValueError for draws < 1 and for a group without people.
    """
    if draws < 1:
        raise ValueError(f"draws is {draws}; pass at least 1")
    sizes = [table @ cells for table in tables]
    if any((size == 0).any() for size in sizes):
        raise ValueError("a group has no people; leave it out")

    def statistics(drawn: Counts) -> tuple[Floats, Floats]:
        largest, smallest = np.zeros(len(drawn)), np.ones(len(drawn))
        for table, size in zip(tables, sizes, strict=True):
            shares = (drawn @ table.T) / size
            for i, j in combinations(range(len(size)), 2):
                apart = np.abs(shares[:, i] - shares[:, j]) / np.sqrt(1.0 / size[i] + 1.0 / size[j])
                np.maximum(largest, apart, out=largest)
            high = shares.max(axis=1)
            ratios = np.divide(shares.min(axis=1), high, out=np.ones(len(drawn)), where=high > 0)
            np.minimum(smallest, ratios, out=smallest)
        return largest, smallest

    strata = [np.arange(cells.size)] if within is None else [within == one for one in np.unique(within)]

    def assigned(many: int) -> Counts:
        drawn = np.empty((many, cells.size), dtype=np.int64)
        for own in strata:
            total = int(successes[own].sum())
            drawn[:, own] = rng.multivariate_hypergeometric(cells[own], total, size=many, method="marginals")
        return drawn

    observed = float(statistics(successes[None, :])[0][0])
    reached, ratios, step = 0, 0.0, max(1, _CHUNK // cells.size)
    for start in range(0, draws, step):
        many = min(step, draws - start)
        largest, smallest = statistics(assigned(many))
        reached += int(np.count_nonzero(largest >= observed - _NEAR))
        ratios += float(smallest.sum())
    return LargestDifference((1 + reached) / (1 + draws), reached, draws, ratios / draws)
