"""Bootstrap intervals of many statistics from one joint resampling of the target words.

A resample is a row of weights, how often each word was drawn, and every statistic here is a function of weighted
sums over the words: so one matrix product serves them all, and shares that must add up to 1 do so in every
resample. The intervals speak of other target words like these, from the same model with the same attribute words.
The unit that is drawn is the caller's: a word, or the pair of its forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from biascore.stats import Interval
from biascore.stats.exchange import blocks
from biascore.stats.labels import distance_from_even
from biascore.stats.proportions import wilson_interval

Floats = npt.NDArray[np.float64]
Statistics = Callable[[Floats], Mapping[str, Floats]]
"""Takes weights (rows, n), gives (rows,) by name; NaN marks a resample without a value."""

MIN_SPREAD = 1e-12


def effective_words(pairs: npt.NDArray[np.intp]) -> int:
    """How many independent words these are worth at the least, from the pair of each (n,): (sum m)^2 / sum m^2.

    m are the words of each pair, as if the forms of a pair always agreed (Kish 1965, Survey Sampling, section 8.2);
    n where all pairs have one word, and rounded down.
    """
    sizes = np.unique(pairs, return_counts=True)[1]
    return int(sizes.sum() ** 2 // (sizes**2).sum()) if sizes.size else 0


def joint_intervals(
    statistics: Statistics,
    n: int,
    *,
    level: float,
    method: Literal["bca", "percentile"],
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Interval]:
    """An interval for every statistic that has a value and varies over the resamples of n units, words or pairs.

    bca: bias-corrected and accelerated (Efron 1987, JASA 82:171), acceleration from leaving out one unit at a
    time; where that leaves a statistic without a value, its acceleration is taken as 0. Resamples without a value
    are left out and counted.
    """
    whole = statistics(np.ones((1, n)))
    values = _evaluated(statistics, (_resampled(n, rows, rng) for rows in blocks(resamples, n)))
    left_out = _evaluated(statistics, (_one_left_out(n, start, rows) for start, rows in _ranges(n)))
    tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    found = {}
    for name, estimate in whole.items():
        drawn = values[name][np.isfinite(values[name])]
        if not np.isfinite(estimate[0]) or drawn.size < 2:
            continue
        if np.ptp(drawn) <= MIN_SPREAD * max(1.0, abs(estimate[0])):
            continue  # an interval of width 0 would claim certainty
        levels = tails
        if method == "bca":
            levels = _bca_levels(tails, drawn, float(estimate[0]), _acceleration(left_out[name]))
        low, high = np.quantile(drawn, levels)
        found[name] = Interval(float(low), float(high), level, method, resamples, resamples - drawn.size)
    return found


def share_interval(
    interval: Interval | None, successes: int, pairs: npt.NDArray[np.intp], level: float
) -> Interval | None:
    """The bootstrap interval of a share, or Wilson's where all words agree and resampling shows no variation.

    ``pairs`` are those of the words that it is a share of: Wilson's interval is of their effective number.
    """
    trials = len(pairs)
    if trials == 0:
        return None
    if interval is None or successes in (0, trials):
        effective = effective_words(pairs)
        return wilson_interval(round(successes * effective / trials), effective, level=level)
    return interval


def difference_interval(
    interval: Interval | None,
    one: tuple[int, npt.NDArray[np.intp]],
    other: tuple[int, npt.NDArray[np.intp]],
    level: float,
) -> Interval:
    """The bootstrap interval of the difference of two shares, or Newcombe's where words of one agree.

    ``one`` and ``other`` are how many words there are with it, and the pairs of all. Newcombe's hybrid score interval
    (1998, Statistics in Medicine 17:873, method 10) of their effective numbers has a width where resampling has none.
    """
    if interval is not None and all(0 < count < len(pairs) for count, pairs in (one, other)):
        return interval
    shares, ends = [], []
    for count, pairs in (one, other):
        effective = effective_words(pairs)
        shares.append(count / len(pairs))
        ends.append(wilson_interval(round(shares[-1] * effective), effective, level=level))
    difference = shares[0] - shares[1]
    down = np.hypot(shares[0] - ends[0].low, ends[1].high - shares[1])
    up = np.hypot(ends[0].high - shares[0], shares[1] - ends[1].low)
    return Interval(float(difference - down), float(difference + up), level, "Newcombe", 0)


def distance_interval(
    counts: tuple[int, ...], effective: int, *, level: float, resamples: int, rng: np.random.Generator
) -> Interval:
    """Interval of the distance from even that keeps its level also where the truth is even, and is wide elsewhere.

    A distance cannot be below 0, so its bootstrap distribution lies above it and a percentile interval never
    covers 0. Here instead: with probability ``level`` the true shares are no further from the observed ones than
    c, the quantile of that distance over multinomial samples; then, by the triangle inequality, the true distance
    from even is within c of the observed one. Samples are drawn with half a word added to every group, so that
    an empty group is not taken for an impossible one. ``effective`` is the size of a sample: `effective_words`.
    """
    cells = len(counts)
    shares = (np.array(counts) * effective / sum(counts) + 0.5) / (effective + 0.5 * cells)
    drawn = rng.multinomial(effective, shares, size=resamples) / effective
    reach = float(np.quantile(0.5 * np.abs(drawn - shares).sum(axis=1), level))
    distance = float(distance_from_even(counts))
    furthest = 1.0 - 1.0 / cells
    low, high = max(0.0, distance - reach), min(furthest, distance + reach)
    return Interval(low, high, level, "multinomial region", resamples)


def _resampled(n: int, rows: int, rng: np.random.Generator) -> Floats:
    drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _one_left_out(n: int, start: int, rows: int) -> Floats:
    weights = np.ones((rows, n))
    weights[np.arange(rows), start + np.arange(rows)] = 0.0
    return weights


def _ranges(n: int) -> list[tuple[int, int]]:
    sizes = list(blocks(n, n))
    return list(zip(np.cumsum([0, *sizes[:-1]]).tolist(), sizes, strict=True))


def _evaluated(statistics: Statistics, weights: Iterable[Floats]) -> dict[str, Floats]:
    parts = [statistics(rows) for rows in weights]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _acceleration(left_out: Floats) -> float:
    """Acceleration from leave-one-out values (Efron and Tibshirani 1993, eq. 14.15)."""
    if not np.isfinite(left_out).all():
        return 0.0
    influence = left_out.mean() - left_out
    squares = float((influence**2).sum())
    return float((influence**3).sum()) / (6.0 * squares**1.5) if squares > 0.0 else 0.0


def _bca_levels(tails: Floats, drawn: Floats, estimate: float, acceleration: float) -> Floats:
    """The levels whose quantiles are the ends; ties, of which shares have many, count half."""
    reach = MIN_SPREAD * max(1.0, abs(estimate))
    below = np.count_nonzero(drawn < estimate - reach) + np.count_nonzero(drawn <= estimate + reach)
    half = 0.5 / drawn.size
    bias = float(ndtri(min(max(below / (2.0 * drawn.size), half), 1.0 - half)))
    shifted = bias + ndtri(tails)
    room = 1.0 - acceleration * shifted
    # Past the pole at room 0 the correction has left the scale: take the outermost resample.
    corrected = np.where(room > 0.0, shifted / np.where(room > 0.0, room, 1.0), np.copysign(np.inf, shifted))
    levels: Floats = ndtr(bias + corrected)
    return levels
