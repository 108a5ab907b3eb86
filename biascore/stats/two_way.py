"""Intervals of a WEAT effect where the words of both pairs of lists are samples: Owen's pigeonhole bootstrap.

An interval that resamples X and Y and holds A and B fixed speaks of other targets with the same attributes. Where X and Y
are two topics, what an attribute has in common with one of them differs from attribute to attribute, and other attributes
would have given another effect. Here targets and attributes are resampled, independently of each other, and every cell of
the table comes with its row and column (Owen 2007, Annals of Applied Statistics 1:386; McCullagh 2000, Bernoulli 6:285).
No bootstrap is exact for crossed samples; this one errs to the wide side where neither sample matters by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_matrix, require_between
from biascore.stats.association import MIN_RELATIVE_SPREAD, ZeroVarianceError, effect_size
from biascore.stats.bootstrap import Interval
from biascore.stats.cosines import Cosines

TWO_WAY: Final = "two-way pigeonhole bootstrap, percentile"

MIN_UNITS: Final = 3
"""Two words give three resamples: too few for quantiles."""

_CHUNK: Final = 2**20  # numbers held at once: 8 MiB


@dataclass(frozen=True, slots=True)
class TwoWay:
    """The intervals of both statistics of one table."""

    effect: Interval
    """Of the effect size, in standard deviations."""
    difference: Interval
    """Of the difference of means, in the unit of the table."""


def two_way_intervals(
    table: ArrayLike | Cosines,
    first: int,
    cut: int,
    *,
    ddof: Literal[0, 1] = 1,
    level: float = 0.95,
    resamples: int = 5000,
    rng: np.random.Generator,
    rows: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
) -> TwoWay:
    """Intervals of `effect_size` and of the mean difference of associations, from the table that these are made of.

    ``table`` (n, m) holds what each of n words has with each of m others, such as cosines: the ``first`` rows are those
    of X, the rest of Y; ``cut`` columns of A, the rest of B. The association of a word is its mean over A less that over B.
    Each resample draws rows within X and within Y, columns within A and within B. ``rows`` and ``columns`` number the unit
    of each word (n,) and (m,), where some are drawn together: families, or counterparts in both lists; units of the same
    lists are drawn among themselves, as many as there are. Quantiles of the resamples; those in which no association
    varies have no effect size, are left out and counted.

    Coverage of 95 % intervals in crossed populations is measured by benchmarks/bench_two_way.py. Raises
    ZeroVarianceError where a list has fewer than three units or all resamples are equal, ValueError on a table that is no
    matrix or not finite and on options out of range.
    """
    require_between(level, "level", 0.0, 1.0)
    if resamples < 2:
        raise ValueError(
            f"resamples is {resamples}; pass at least 2, and some thousands for a stable interval"
        )
    cells, scale = (table, 1.0) if isinstance(table, Cosines) else _scaled(table)
    for name, at, size in (("first", first, cells.shape[0]), ("cut", cut, cells.shape[1])):
        if not 0 < at < size:
            raise ValueError(f"{name} is {at}; pass a number that leaves words in both lists of {size}")
    sides = _sides(cells.shape[0], first), _sides(cells.shape[1], cut)
    strata = _strata(rows, sides[0], "rows"), _strata(columns, sides[1], "columns")
    s = cells[:, :cut].mean(axis=1) - cells[:, cut:].mean(axis=1)
    effect_size(s[:first], s[first:], ddof)  # raises where there is none
    effects, differences = np.empty(resamples), np.empty(resamples)
    step = max(1, _CHUNK // sum(cells.shape))
    for start in range(0, resamples, step):
        part = slice(start, min(start + step, resamples))
        count = part.stop - part.start
        drawn = _drawn(strata[0], count, rng), _drawn(strata[1], count, rng)
        effects[part], differences[part] = _statistics(cells, drawn, sides, ddof)
    return TwoWay(_interval(effects, level, resamples), _interval(scale * differences, level, resamples))


def _scaled(table: ArrayLike) -> tuple[Floats, float]:
    """The table with numbers of at most 1, and what it was divided by."""
    cells = finite_matrix(table, "table")
    scale = max(float(cells.max()), -float(cells.min())) or 1.0
    cells /= scale  # a copy of the table, which may be large
    return cells, scale


def _sides(size: int, first: int) -> NDArray[np.bool_]:
    return np.arange(size) < first


Stratum = tuple[NDArray[np.intp], int]
"""The number of each word's unit among those it is drawn with, -1 for words of other strata, and how many these are."""


def _strata(units: Sequence[int] | None, side: NDArray[np.bool_], name: str) -> list[Stratum]:
    """The units that are drawn among themselves: those of the first list, of the second, and of both."""
    labels = np.arange(side.size) if units is None else np.asarray(units)
    if labels.shape != side.shape:
        raise ValueError(f"{name} numbers {labels.size} of {side.size} words; pass one unit for each")
    of_sides = set(labels[side].tolist()), set(labels[~side].tolist())
    kinds = {unit: (unit in of_sides[0], unit in of_sides[1]) for unit in set(labels.tolist())}
    found = []
    for kind in ((True, False), (False, True), (True, True)):
        members = [unit for unit in dict.fromkeys(labels.tolist()) if kinds[unit] == kind]
        if not members:
            continue
        number = {unit: i for i, unit in enumerate(members)}
        found.append((np.array([number.get(unit, -1) for unit in labels.tolist()]), len(members)))
    for one in (True, False):
        own = sum(count for places, count in found if (places[side == one] >= 0).any())
        if own < MIN_UNITS:
            raise ZeroVarianceError(
                f"a list of the {name} has {own} independent word(s), and resampling takes {MIN_UNITS} to show variation"
            )
    return found


def _drawn(strata: Sequence[Stratum], count: int, rng: np.random.Generator) -> Floats:
    """How often each word is drawn, in ``count`` resamples: (count, n)."""
    weights = np.zeros((count, strata[0][0].size))
    for places, units in strata:
        picked = rng.integers(units, size=(count, units)) + units * np.arange(count)[:, np.newaxis]
        times = np.bincount(picked.ravel(), minlength=count * units).reshape(count, units)
        own = places >= 0
        weights[:, own] = times[:, places[own]]
    return weights


def _statistics(
    cells: Floats | Cosines,
    drawn: tuple[Floats, Floats],
    sides: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    ddof: Literal[0, 1],
) -> tuple[Floats, Floats]:
    """Effect sizes and differences of means of resamples (r,), from how often rows (r, n) and columns (r, m) were drawn."""
    rows, columns = drawn
    x, a = sides
    with np.errstate(divide="ignore", invalid="ignore"):  # a list of which no unit was drawn has no mean
        contrast = np.where(a, columns / columns[:, a].sum(axis=1, keepdims=True), 0.0)
        contrast -= np.where(~a, columns / columns[:, ~a].sum(axis=1, keepdims=True), 0.0)
        s = contrast @ cells.T
        weighted = rows * s
        mean_x = weighted[:, x].sum(axis=1) / rows[:, x].sum(axis=1)
        mean_y = weighted[:, ~x].sum(axis=1) / rows[:, ~x].sum(axis=1)
        total = rows.sum(axis=1)
        mean = weighted.sum(axis=1) / total
        variance = (rows * (s - mean[:, np.newaxis]) ** 2).sum(axis=1) / (total - ddof)
        spread = np.sqrt(variance)
        difference = mean_x - mean_y
        effect = np.where(spread > MIN_RELATIVE_SPREAD, difference / spread, np.nan)
    return effect, difference


def _interval(values: Floats, level: float, resamples: int) -> Interval:
    drawn = values[np.isfinite(values)]
    if drawn.size < 2 or float(np.ptp(drawn)) <= MIN_RELATIVE_SPREAD * float(np.abs(drawn).max()):
        raise ZeroVarianceError(
            "all resamples are equal or have no value, so there is no interval; add words"
        )
    low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    if not math.isfinite(low + high):
        raise ZeroVarianceError("the resamples have no finite quantiles")
    return Interval(float(low), float(high), level, TWO_WAY, resamples, resamples - drawn.size)
