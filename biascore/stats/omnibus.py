"""Whether the mean scores of any two of several groups of clusters differ by more than chance, in one test.

    names.test({"origin": ("Romanian", "Italian")}, rng=rng)      # two levels, `cluster_permutation`
    any_difference(names, "origin", rng=rng)                      # all levels at once

The statistic is the largest difference between the levels' means. Labels of the factor are permuted over the clusters within
each combination of the other factors' levels, as often as each has them; exact in that its p-value is valid for any
distribution where labels could be exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.association import ZeroVarianceError
from biascore.stats.cluster_permutation import ClusterMeans
from biascore.stats.errors import RegressionError
from biascore.stats.permutation import Tail, drawn_tail

_CHUNK: Final = 2**20  # numbers shuffled at once: 8 MiB


@dataclass(frozen=True, slots=True)
class OmnibusTest:
    """Result of `any_difference`."""

    statistic: float
    """The largest difference between the means of two levels, at least 0, in the unit of the scores."""
    n: Mapping[str, int]
    """Clusters by level."""
    tail: Tail
    """How many of the drawn labellings have a difference as large; ``p_value`` is the one to report."""


def any_difference(
    clusters: ClusterMeans, factor: str, *, draws: int = 100_000, rng: np.random.Generator
) -> OmnibusTest:
    """Permutation test of all levels of a factor at once, by ``draws`` random labellings from ``rng``.

    A level's mean is averaged over the combinations of the other factors' levels by their numbers of clusters. Raises
    RegressionError on an unknown factor, draws < 1, and a combination that lacks a level; ZeroVarianceError where the
    clusters of no combination differ.
    """
    if draws < 1:
        raise RegressionError(f"draws is {draws}; pass at least 1")
    own = clusters.factors.get(factor)
    if own is None:
        raise RegressionError(f"there is no factor {factor}; choose from {', '.join(clusters.factors)}")
    levels = len(own.levels)
    outer = np.zeros(own.codes.size, dtype=np.intp)
    for name, other in clusters.factors.items():
        if name != factor:
            outer = outer * len(other.levels) + other.codes
    strata: list[tuple[Floats, Floats]] = []
    for place in np.unique(outer):
        member = np.flatnonzero(outer == place)
        count = np.bincount(own.codes[member], minlength=levels)
        if not count.all():
            lacking = own.levels[int(np.argmin(count))]
            raise RegressionError(
                f"no cluster of some combination of the other factors is {lacking}, so its labels cannot be exchanged; "
                "leave a factor out, or compare two levels"
            )
        values = clusters.means[member] - clusters.means[member].mean()
        weights = np.eye(levels)[own.codes[member]] / count * (member.size / outer.size)
        strata.append((values, weights))
    means = sum((values @ weights for values, weights in strata), np.zeros(levels))
    observed = float(np.ptp(means))
    size = max(float(np.abs(values).max()) for values, _ in strata)
    tolerance = 1e-12 * size
    if size <= 8.0 * np.finfo(np.float64).eps * float(np.abs(clusters.means).max()):
        raise ZeroVarianceError(
            f"the clusters of each combination have the same mean score, so nothing tells levels of {factor} apart; report "
            "that"
        )
    ge = gt = 0
    step = max(1, _CHUNK // max(values.size for values, _ in strata))
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        found = np.zeros((rows, levels))
        for values, weights in strata:
            found += rng.permuted(np.broadcast_to(values, (rows, values.size)), axis=1) @ weights
        ranges = np.ptp(found, axis=1)
        ge += int(np.count_nonzero(ranges >= observed - tolerance))
        gt += int(np.count_nonzero(ranges > observed + tolerance))
    return OmnibusTest(
        statistic=observed,
        n=MappingProxyType(dict(zip(own.levels, np.bincount(own.codes).tolist(), strict=True))),
        tail=drawn_tail(ge, gt, draws),
    )
