"""The statistics of a placement as functions of word weights: means, correlations, shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.stats.labels import ROUNDING, cell_codes
from biascore_metrics.fise.placement import Placement

Floats = npt.NDArray[np.float64]

Key: TypeAlias = tuple[str | int, ...]

DISTANCE: Final = "distance of the distribution from even"
EXPECTED: Final = "distance expected from shuffled labels"
ON_AXIS: Final = "share of words on an axis"


def mean_name(dimension: str) -> str:
    """Name of the estimate: the mean score over the words."""
    return f"mean bias {dimension}"


def equal_name(dimension: str) -> str:
    """Name of the estimate that decides: the mean score at equal tightness of the lists."""
    return f"mean bias {dimension} at equal tightness"


def equal_column(dimension: str) -> str:
    """The column of the items whose mean that is."""
    return f"{dimension} at equal tightness"


def standardised_name(dimension: str) -> str:
    """Name of the estimate: the mean score over its sample standard deviation."""
    return f"standardised mean bias {dimension}"


def interaction_name(one: str, other: str) -> str:
    """Name of the estimate: the correlation of the scores on two dimensions."""
    return f"interaction {one} x {other}"


def log_odds_name(one: str, other: str) -> str:
    """Name of the estimate: the log odds ratio of the table of signs."""
    return f"log odds ratio {one} x {other}"


def axes_name(one: str, other: str) -> str:
    """Name of the estimate: the cosine between two axes."""
    return f"cosine of the axes {one} x {other}"


def dominance_name(dimension: str) -> str:
    """Name of the estimate: how far the words vary along an axis, over a direction on average."""
    return f"dominance of the axis {dimension}"


def share_name(group: str) -> str:
    """Name of the estimate: the share of words in a group."""
    return f"share of {group}"


def affect_name(affect: str, group: str) -> str:
    """Name of the estimate: the share of a group's words with positive affect."""
    return f"positive {affect} among {group}"


def excess_name(affect: str, group: str) -> str:
    """Name of the estimate: that share less the one of all other groups together."""
    return f"positive {affect} among {group} less the other groups"


@dataclass(frozen=True, slots=True)
class WeightedStatistics:
    """All statistics of a placement that have a bootstrap interval, by the name of their estimate.

    They are functions of weighted sums of ``columns`` (n, m), which ``index`` names: one matrix product for all.
    """

    placement: Placement
    affects: tuple[str, ...]
    columns: Floats
    index: Mapping[Key, int]

    @classmethod
    def of(cls, placement: Placement, affects: Mapping[str, Floats]) -> WeightedStatistics:
        """From a placement and the affects of its words (n,) by name, NaN where a word has none."""
        columns: dict[Key, npt.NDArray[np.float64] | npt.NDArray[np.bool_]] = {}
        centred = placement.scores - placement.scores.mean(axis=0)
        for d, column in enumerate(centred.T):
            columns["score", d] = column
        for d, e in combinations_with_replacement(range(centred.shape[1]), 2):
            columns["product", d, e] = centred[:, d] * centred[:, e]
            if d < e:
                signs = cell_codes([placement.scores[:, d], placement.scores[:, e]], placement.tolerance)
                columns |= {("signs", d, e, code): signs == code for code in range(4)}
        for d, (tightness, dimension) in enumerate(zip(placement.tightness, placement.labelled, strict=True)):
            columns["equal", d] = tightness.scores(dimension)
        for code in range(len(placement.groups)):
            member = placement.codes == code
            columns["group", code] = member
            for name, scores in affects.items():
                columns["known", name, code] = member & np.isfinite(scores)
                columns["positive", name, code] = member & (scores > ROUNDING)
        index: dict[Key, int] = {key: position for position, key in enumerate(columns)}
        return cls(placement, tuple(affects), np.stack(list(columns.values()), axis=1).astype(float), index)

    def __call__(self, weights: Floats) -> dict[str, Floats]:
        """From weights (rows, n): (rows,) by name; NaN where a row has no value."""
        sums = _Sums(weights.sum(axis=1), weights @ self.columns, self.index)
        with np.errstate(divide="ignore", invalid="ignore"):
            return {**self._means(sums), **self._pairs(sums), **self._shares(sums)}

    def _means(self, sums: _Sums) -> dict[str, Floats]:
        found, sample = {}, np.sqrt(sums.total / (sums.total - 1.0))
        for d, name in enumerate(self.placement.names):
            mean = sums.mean("score", d) + self.placement.scores[:, d].mean()
            found[mean_name(name)] = mean
            found[standardised_name(name)] = mean / (sums.sd(d) * sample)
            if self.placement.tightness:
                found[equal_name(name)] = sums.mean("equal", d)
        return found

    def _pairs(self, sums: _Sums) -> dict[str, Floats]:
        found = {}
        for (d, one), (e, other) in combinations(enumerate(self.placement.names), 2):
            correlation = sums.covariance(d, e) / (sums.sd(d) * sums.sd(e))
            found[interaction_name(one, other)] = np.clip(correlation, -1.0, 1.0)
            # Half a word in each cell, so that an empty one leaves the ratio finite (Haldane 1956, Anscombe 1956).
            both_a, a_b, b_a, both_b = (sums.of("signs", d, e, code) + 0.5 for code in range(4))
            found[log_odds_name(one, other)] = np.log(both_a * both_b / (a_b * b_a))
        return found

    def _shares(self, sums: _Sums) -> dict[str, Floats]:
        groups = [sums.of("group", code) for code in range(len(self.placement.groups))]
        placed = np.sum(groups, axis=0)
        found = {ON_AXIS: 1.0 - placed / sums.total}
        for code, group in enumerate(self.placement.groups):
            found[share_name(group)] = groups[code] / placed
        for name in self.affects:
            positive, known = (
                [sums.of(kind, name, code) for code in range(len(groups))] for kind in ("positive", "known")
            )
            for code, group in enumerate(self.placement.groups):
                share = found[affect_name(name, group)] = positive[code] / known[code]
                others = (np.sum(positive, axis=0) - positive[code]) / (np.sum(known, axis=0) - known[code])
                found[excess_name(name, group)] = share - others
        return found


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of weights (rows,) and weighted sums of columns (rows, m)."""

    total: Floats
    sums: Floats
    index: Mapping[Key, int]

    def of(self, *key: str | int) -> Floats:
        column: Floats = self.sums[:, self.index[key]]
        return column

    def mean(self, *key: str | int) -> Floats:
        return self.of(*key) / self.total

    def covariance(self, d: int, e: int) -> Floats:
        return self.mean("product", d, e) - self.mean("score", d) * self.mean("score", e)

    def sd(self, d: int) -> Floats:
        """Population standard deviation, NaN where it is rounding."""
        sd = np.sqrt(np.maximum(self.covariance(d, d), 0.0))
        return np.where(sd > ROUNDING, sd, np.nan)
