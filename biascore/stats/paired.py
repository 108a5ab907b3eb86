"""The mean of paired differences: its bootstrap interval, and the sign-flip permutation test of it.

Null hypothesis of the test: every difference is as likely to have the opposite sign (the two members of a
pair are exchangeable). Exact: of all 2^n assignments of signs, counted from the sums of all subsets of each half
of the differences (Horowitz and Sahni 1974, J. ACM 21:277), which takes 2^(n/2) numbers; else Monte-Carlo.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_vector
from biascore.stats.bootstrap import Interval, Samples, bootstrap_interval
from biascore.stats.permutation import fewer_draws

EXACT_MAX_DIFFERENCES = 40
"""All signs are counted up to this many differences (two times 2^20 sums), and drawn beyond."""

_CHUNK = 2**20  # signs drawn at once


@dataclass(frozen=True, slots=True)
class SignFlipTest:
    """Result of `sign_flip_test`: two-sided, of the mean of n differences."""

    statistic: float
    """The mean difference, in the unit of the differences."""
    method: Literal["exact", "monte-carlo"]
    """How the signs were counted."""
    n_ge: int
    """Assignments of signs (or draws) whose mean is at least as far from 0, ties included."""
    n_total: int
    """All 2^n assignments (exact) or all draws (Monte-Carlo)."""
    p_value: float
    """Valid: n_ge / n_total if exact, (1 + n_ge) / (1 + n_total) if Monte-Carlo (Phipson and Smyth 2010)."""
    mc_se: float | None
    """Monte-Carlo standard error of ``p_value``; None if exact."""


def sign_flip_test(differences: ArrayLike, *, draws: int = 100_000, rng: np.random.Generator) -> SignFlipTest:
    """Test whether paired differences (n,) are symmetric about 0 (Fisher 1935's test of paired samples).

    Exact up to `EXACT_MAX_DIFFERENCES`, else ``draws`` assignments from ``rng`` (used in no other case), or as many as
    make `MOST_LABELS` octets of signs: 8,000 of a million differences. The order of the differences changes nothing. Raises
    ValueError on empty, non-finite or not one-dimensional differences and on draws < 1.
    """
    raw = finite_vector(differences, "differences")
    if draws < 1:
        raise ValueError(f"draws is {draws}; pass at least 1")
    # Sorted, so that the result, Monte-Carlo included, cannot depend on the order of the pairs.
    scaled = np.ldexp(raw, -int(np.frexp(np.abs(raw).max())[1]))  # exact, and no sum can overflow
    sizes = np.sort(np.abs(scaled))
    observed, total = abs(math.fsum(scaled)), math.fsum(sizes)
    tolerance = 1e-12 * total
    # The signed sum is 2 x (sum of the differences given a plus) - total.
    needed = (observed + total) / 2.0 - tolerance
    mean = math.fsum(raw / raw.size)
    if raw.size <= EXACT_MAX_DIFFERENCES:
        everything = 2**raw.size
        at_least = everything if observed <= tolerance else 2 * _count_at_least(sizes, needed)
        return SignFlipTest(mean, "exact", at_least, everything, at_least / everything, None)
    draws = fewer_draws(draws, -(-raw.size // 8))
    drawn = _draw_at_least(sizes, needed, total, draws, rng)
    p = (1 + drawn) / (1 + draws)
    return SignFlipTest(mean, "monte-carlo", drawn, draws, p, math.sqrt(p * (1.0 - p) / draws))


def bootstrap_mean(
    values: ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 5000,
    rng: np.random.Generator,
) -> Interval:
    """Bootstrap interval of the mean of one sample (n,), such as paired differences; see `bootstrap_interval`.

    It is studentized, the bootstrap-t with the standard error s / sqrt(n) of each resample
    (Davison and Hinkley 1997, section 5.2). Raises ZeroVarianceError where the values do not vary, ValueError
    on fewer than 2 values, on values that are not finite and on options out of range.
    """
    return bootstrap_interval(
        _mean,
        (values,),
        level=level,
        resamples=resamples,
        rng=rng,
        standard_error=_standard_error,
    )


def _mean(batch: Samples) -> Floats:
    mean: Floats = batch[0].mean(axis=1)
    return mean


def _standard_error(batch: Samples) -> Floats:
    values = batch[0]
    error: Floats = values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])
    return error


def _count_at_least(sizes: Floats, needed: float) -> int:
    left, right = _sorted_subset_sums(sizes[::2]), _sorted_subset_sums(sizes[1::2])
    first = np.searchsorted(right, needed - left, side="left")
    return int(left.size * right.size - first.sum())


def _sorted_subset_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums, sums + size])
    sums.sort()
    return sums


def _draw_at_least(sizes: Floats, needed: float, total: float, draws: int, rng: np.random.Generator) -> int:
    found = 0
    width = -(-sizes.size // 8)  # bytes that hold a bit for each sign
    step = max(1, _CHUNK // sizes.size)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        octets = rng.integers(256, size=(rows, width), dtype=np.uint8)
        plus = np.unpackbits(octets, axis=1, count=sizes.size).astype(np.float64) @ sizes
        found += int(np.count_nonzero((plus >= needed) | (plus <= total - needed)))
    return found
