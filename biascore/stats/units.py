"""Bootstrap intervals of two lists whose words are no independent observations: families or counterparts are resampled.

Pairs of counterparts are resampled as pairs, families within their list, and a mean stays one over words. Where every
word is a unit of its own these are `bootstrap_effect`'s intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_vector
from biascore.stats.association import MIN_RELATIVE_SPREAD, ZeroVarianceError, effect_size
from biascore.stats.bootstrap import (
    Interval,
    Samples,
    bootstrap_interval,
    require_variation_within,
)
from biascore.stats.exchange import Exchange


def bootstrap_effect_of_units(
    x: ArrayLike,
    y: ArrayLike,
    exchange: Exchange,
    *,
    ddof: Literal[0, 1] = 1,
    level: float = 0.95,
    resamples: int = 5000,
    rng: np.random.Generator,
) -> Interval:
    """`bootstrap_effect` of x and y with the units of ``exchange`` resampled in place of words.

    Raises as `bootstrap_effect` does, and ZeroVarianceError where neither list has two units.
    """
    first, second = finite_vector(x, "x"), finite_vector(y, "y")
    effect_size(first, second, ddof)  # raises ZeroVarianceError and on a wrong ddof
    require_variation_within(first, second)
    scale = float(max(np.abs(first).max(), np.abs(second).max()))
    units = Units.of(first / scale, second / scale, exchange)
    n = first.size + second.size
    per_correlation = math.sqrt(n**2 / (first.size * second.size) * ((n - 1) / n if ddof == 1 else 1.0))
    found = bootstrap_interval(
        units.fisher_z, units.samples, level=level, resamples=resamples, rng=rng,
        standard_error=units.fisher_z_error,
    )  # fmt: skip
    low, high = math.tanh(found.low), math.tanh(found.high)
    return replace(found, low=low * per_correlation, high=high * per_correlation)


def bootstrap_difference(
    x: ArrayLike,
    y: ArrayLike,
    exchange: Exchange,
    *,
    level: float = 0.95,
    resamples: int = 5000,
    rng: np.random.Generator,
) -> Interval:
    """Studentized interval of mean(x) - mean(y), units of ``exchange`` resampled: for lists that scatter unlike.

    Raises as `bootstrap_interval` does.
    """
    units = Units.of(finite_vector(x, "x"), finite_vector(y, "y"), exchange)
    return bootstrap_interval(
        units.difference, units.samples, level=level, resamples=resamples, rng=rng,
        standard_error=units.difference_error,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Moments:
    """Weighted moments of a batch of resamples, each (rows, 1), and deviations (rows, words) of either list."""

    n_x: Floats
    n_y: Floats
    dx: Floats
    dy: Floats
    var_x: Floats
    var_y: Floats
    difference: Floats

    @property
    def share(self) -> Floats:
        return self.n_x * self.n_y / (self.n_x + self.n_y) ** 2

    @property
    def spread(self) -> Floats:
        within = (self.n_x * self.var_x + self.n_y * self.var_y) / (self.n_x + self.n_y)
        found = np.sqrt(within + self.share * self.difference**2)
        return np.where(found > MIN_RELATIVE_SPREAD, found, np.nan)


@dataclass(frozen=True, slots=True)
class Units:
    """Scores of two lists, and which unit of which stratum each word is in; strata are resampled within themselves."""

    x: Floats
    y: Floats
    place_x: NDArray[np.intp]
    place_y: NDArray[np.intp]
    strata: tuple[NDArray[np.intp], ...]
    """The places of the units of each stratum, all places together 0 to their number less 1."""

    @classmethod
    def of(cls, x: Floats, y: Floats, exchange: Exchange) -> Units:
        """The units of an exchange; those of a block with units of both lists are one, where it holds counterparts."""
        place: dict[tuple[str, int], int] = {}
        strata: dict[str, list[int]] = {}
        of_unit = []
        first, second = (
            {
                block
                for of_first, block in zip(exchange.first, exchange.block, strict=True)
                if of_first == side
            }
            for side in (True, False)
        )
        both = first & second
        for unit, (of_first, block) in enumerate(zip(exchange.first, exchange.block, strict=True)):
            paired = exchange.paired and block in both
            stratum = "pairs" if paired else "x" if of_first else "y"
            key = (stratum, block if paired else unit)
            if key not in place:
                place[key] = len(place)
                strata.setdefault(stratum, []).append(place[key])
            of_unit.append(place[key])
        words = np.array(of_unit)[np.array(exchange.unit)]
        return cls(x, y, words[: x.size], words[x.size :], tuple(np.array(some) for some in strata.values()))

    @property
    def samples(self) -> tuple[ArrayLike, ...]:
        """Places of units: one sample for each stratum of two units or more. A single unit stays as it is."""
        found = tuple(some.astype(np.float64) for some in self.strata if some.size > 1)
        if not found:
            raise ZeroVarianceError("neither list has two families, and resampling one shows no variation")
        return found

    def moments(self, batch: Samples) -> tuple[_Moments, Floats]:
        """Moments of resamples of units, and how often each unit is in them: (rows, units)."""
        counts = self._counts(batch)
        of_x, of_y = counts[:, self.place_x], counts[:, self.place_y]
        with np.errstate(invalid="ignore", divide="ignore"):
            n_x, n_y = (some.sum(axis=1, keepdims=True) for some in (of_x, of_y))
            mean_x, mean_y = (of_x @ self.x)[:, None] / n_x, (of_y @ self.y)[:, None] / n_y
            dx, dy = self.x - mean_x, self.y - mean_y
            var_x = (of_x * dx**2).sum(axis=1, keepdims=True) / n_x
            var_y = (of_y * dy**2).sum(axis=1, keepdims=True) / n_y
        return _Moments(n_x, n_y, dx, dy, var_x, var_y, mean_x - mean_y), counts

    def correlation(self, batch: Samples) -> Floats:
        """Point-biserial correlation of the score with the list: (rows,)."""
        m, _ = self.moments(batch)
        found: Floats = (np.sqrt(m.share) * m.difference / m.spread)[:, 0]
        return np.clip(found, -1.0, 1.0)

    def fisher_z(self, batch: Samples) -> Floats:
        """Fisher's z of the correlation; NaN where it is 1."""
        r = self.correlation(batch)
        return np.arctanh(np.where(np.abs(r) < 1.0 - MIN_RELATIVE_SPREAD, r, np.nan))

    def fisher_z_error(self, batch: Samples) -> Floats:
        """Standard error of `fisher_z` by the delta method, from the influence of whole units: (rows,)."""
        influences, counts = self.effect_influences(batch)
        share = self.moments(batch)[0].share[:, 0]
        room = 1.0 - np.square(self.correlation(batch))
        with np.errstate(divide="ignore", invalid="ignore"):  # room 0: the z is NaN and the row left out
            error: Floats = np.sqrt(share * self.variance(influences, counts)) / room
        return error

    def effect(self, batch: Samples) -> Floats:
        """Effect size with ddof 0: (rows,)."""
        m, _ = self.moments(batch)
        found: Floats = (m.difference / m.spread)[:, 0]
        return found

    def effect_influences(self, batch: Samples) -> tuple[Floats, Floats]:
        """The influence of each unit on `effect`, and how often each is in the resample: (rows, units)."""
        m, counts = self.moments(batch)
        px, py = m.n_x / (m.n_x + m.n_y), m.n_y / (m.n_x + m.n_y)
        slope, shift = m.difference / (2.0 * m.spread**3), 2.0 * m.share * m.difference
        of_x = m.dx / m.spread - slope * (px * (m.dx**2 - m.var_x) + shift * m.dx)
        of_y = -m.dy / m.spread - slope * (py * (m.dy**2 - m.var_y) - shift * m.dy)
        return self._by_unit(of_x / m.n_x, of_y / m.n_y, counts), counts

    def difference(self, batch: Samples) -> Floats:
        """Difference of the means over words: (rows,)."""
        found: Floats = self.moments(batch)[0].difference[:, 0]
        return found

    def difference_error(self, batch: Samples) -> Floats:
        """Its standard error, from the variance between units: (rows,)."""
        m, counts = self.moments(batch)
        error: Floats = np.sqrt(self.variance(self._by_unit(m.dx / m.n_x, -m.dy / m.n_y, counts), counts))
        return error

    def variance(self, of_unit: Floats, counts: Floats) -> Floats:
        """Variance (rows,) of a sum of influences of units (rows, units), each stratum with its own correction."""
        total = np.zeros(len(counts))
        for some in self.strata:
            if some.size > 1:
                total += (counts[:, some] * of_unit[:, some] ** 2).sum(axis=1) * some.size / (some.size - 1)
        return total

    def _by_unit(self, of_x: Floats, of_y: Floats, counts: Floats) -> Floats:
        """Influences of words (rows, words) added up over units."""
        of_unit = np.zeros(counts.shape)
        for places, influence in ((self.place_x, of_x), (self.place_y, of_y)):
            if np.bincount(places).max() < 2:
                of_unit[:, places] += influence
            else:
                np.add.at(of_unit.T, places, influence.T)
        return of_unit

    def _counts(self, batch: Samples) -> Floats:
        units = sum(some.size for some in self.strata)
        rows = batch[0].shape[0]
        counts = np.zeros((rows, units))
        for some in self.strata:
            if some.size < 2:
                counts[:, some] = 1.0
        for drawn in batch:
            flat = (np.arange(rows)[:, np.newaxis] * units + drawn.astype(np.intp)).ravel()
            counts += np.bincount(flat, minlength=rows * units).reshape(rows, units)
        return counts
