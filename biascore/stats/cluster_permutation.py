"""Permutation test of an interaction over clusters, such as names: is the difference between two groups of names another
one in another group?

    names = cluster_means(scores, names_of_rows, {"race": races, "gender": genders})
    names.test({"race": ("Latino", "Anglo"), "gender": ("female", "male")}, rng=rng)   # a difference of differences

All rows of a name share it, so names, not rows, are what could have been others. The labels of the factor that is
named first are permuted over the names within each combination of all other factors' levels, as often as each has it.
An effect of one factor is tested by `biascore.stats.welch`.

The null hypothesis is that only the interaction is absent: main effects may be there, so raw means cannot be exchanged. The
least squares fit without the interaction is taken away first, and what is left, inflated so that it varies as the errors
do, is permuted (Freedman and Lane 1983, JBES 1:292). That is no exact test, but its size nearly holds, with large main
effects: of 2000 sets 4.5 to 6.4 % are rejected at 5 % with 3 to 8 names a cell, normal, exponential or t (3 df), equal cells
or 4 + 12 + 8 + 8, or equal cells whose standard deviations differ threefold (standard error 0.5;
tests/benchmarks/bench_cluster_permutation.py). It fails where cells are of unequal size and vary unequally: with 30 + 30
names against 5 + 5 that are three times as spread it rejects 31 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats
from biascore.stats.association import ZeroVarianceError
from biascore.stats.attainable import Attainable, of_draws
from biascore.stats.design import Codes, Factor, finite_rows
from biascore.stats.effects import Change
from biascore.stats.errors import RegressionError
from biascore.stats.permutation import (
    Tail,
    count_beyond,
    drawn_tail,
    exact_tail,
    fewer_draws,
    sorted_subset_sums,
)

EXACT_MAX_SUMS: Final = 2**22
"""Labellings of several strata are counted while each half of them, and each stratum, has at most this many sums."""

_CHUNK: Final = 2**20  # numbers shuffled at once: 8 MiB


@dataclass(frozen=True, slots=True)
class ClusterTest:
    """Result of `ClusterMeans.test`."""

    statistic: float
    """The difference of differences of mean cluster means, of k factors the k-th difference, in the unit of the scores."""
    n: Mapping[str, int]
    """Clusters by cell of the factors that change, such as ``{"race: Latino, gender: female": 20, …}``."""
    method: Literal["exact", "monte-carlo"]
    """How labellings were counted."""
    n_labellings: int
    """All different labellings, the observed one among them."""
    two_sided: Tail
    """|S_i| >= |S|; ``p_value`` is the one to report."""
    attainable: Attainable
    """The smallest p-value that so many clusters, or so many draws, allow."""


@dataclass(frozen=True)
class ClusterMeans:
    """Mean scores of clusters, each of one level of every factor; made by `cluster_means`."""

    clusters: tuple[str, ...]
    """Their names, sorted."""
    means: Floats
    """(m,)"""
    n_rows: Codes
    """(m,): rows of each cluster."""
    factors: Mapping[str, Factor]
    """The level of each cluster, by factor."""

    def test(self, change: Change, *, draws: int = 100_000, rng: np.random.Generator) -> ClusterTest:
        """Permutation test of an interaction, such as ``{"race": ("Latino", "Anglo"), "gender": ("female", "male")}``.

        Clusters of other levels of these factors take no part. The differences within the combinations of the factors
        that do not change are averaged by their numbers of clusters. Exact where all labellings can be counted (two
        strata of up to 11 + 11 names), else ``draws`` random ones from ``rng``, used in no other case, or as many as make
        `MOST_LABELS` labels.

        Raises RegressionError on one factor alone, on an unknown factor or level, on a cell without clusters and on draws <
        1; ZeroVarianceError where the clusters of no stratum differ, as names do not for a model that does not know them.
        """
        if draws < 1:
            raise RegressionError(f"draws is {draws}; pass at least 1")
        draws = fewer_draws(draws, self.means.size)
        comparison = _Comparison.of(self, change)
        statistic, strata = comparison.statistic, comparison.strata
        exact = _countable(strata)
        tail = _count(strata, comparison) if exact else _draw(strata, comparison, draws, rng)
        labellings = math.prod(stratum.labellings for stratum in strata)
        smallest = self.attainable(change)
        return ClusterTest(
            statistic=statistic,
            n=comparison.n,
            method="exact" if exact else "monte-carlo",
            n_labellings=labellings,
            two_sided=tail,
            attainable=smallest if exact else max(smallest, of_draws(draws), key=lambda one: one.p_value),
        )

    def attainable(self, change: Change) -> Attainable:
        """The smallest p-value that all labellings of so many clusters allow; raises RegressionError as `test` does."""
        sides = _sides(self, change)
        sizes = [
            (here[0].size, here[1].size)
            for _, own, _ in _outer(self, change, sides)
            for _, here in _inner(own)
        ]
        # With equal numbers everywhere, exchanging all labels gives minus the statistic.
        mirrored = all(nx == ny for nx, ny in sizes)
        labellings = math.prod(math.comb(nx + ny, nx) for nx, ny in sizes)
        n = _cell_counts(change, sides, np.logical_and.reduce([side >= 0 for side in sides]))
        return Attainable(
            min(1.0, (1 + mirrored) / labellings), " + ".join(map(str, n.values())) + " clusters"
        )


def cluster_means(scores: ArrayLike, clusters: ArrayLike, factors: Mapping[str, ArrayLike]) -> ClusterMeans:
    """The mean score (unweighted, over its rows) of each cluster, and its level of each factor.

    ``scores`` (n,); ``clusters`` and the labels of ``factors`` (n,), known by their text. Where clusters have rows of
    different kinds (sentence frames), take the means of those away from the scores first. Raises RegressionError on scores
    that are not finite, labels that are missing or of another number, and a cluster with two levels of a factor.
    """
    values = finite_rows(scores, "scores")
    cluster = Factor.of("clusters", clusters)
    coded = {name: Factor.of(name, labels) for name, labels in factors.items()}
    for name, factor in {"clusters": cluster, **coded}.items():
        if factor.codes.size != values.size:
            raise RegressionError(
                f"{name} has {factor.codes.size} labels for {values.size} scores; pass one per score"
            )
    if not coded:
        raise RegressionError("there are no factors; pass one, as in {'race': races}")
    _, first = np.unique(cluster.codes, return_index=True)
    levels = {}
    for name, factor in coded.items():
        own = factor.codes[first]
        other = factor.codes != own[cluster.codes]
        if other.any():
            row = int(np.argmax(other))
            code = int(cluster.codes[row])
            raise RegressionError(
                f"{cluster.levels[code]} is both {factor.levels[own[code]]} and {factor.levels[factor.codes[row]]} in "
                f"{name}, so its label cannot be exchanged for another; name it apart for each, or leave {name} out"
            )
        levels[name] = Factor(name, factor.levels, own)
    count = np.bincount(cluster.codes)
    means = np.bincount(cluster.codes, weights=values) / count
    return ClusterMeans(cluster.levels, means, count, MappingProxyType(levels))


@dataclass(frozen=True)
class _Stratum:
    """Clusters among which labels are exchanged: their centred values times the weight of one in the statistic."""

    values: Floats
    """Those of the smaller side first; their sum is this stratum's part of the statistic."""
    n_x: int

    @classmethod
    def of(cls, x: Floats, y: Floats, weight: float) -> _Stratum:
        """From the values of both sides; the sum over x is minus that over y."""
        both = np.concatenate([np.sort(x), np.sort(y)])
        values = weight * (both - both.mean())
        if x.size <= y.size:
            return cls(values, x.size)
        return cls(-np.roll(values, y.size), y.size)

    @property
    def labellings(self) -> int:
        return math.comb(self.values.size, self.n_x)

    @cached_property
    def sums(self) -> Floats:
        """The statistic's part of every labelling, sorted."""
        return sorted_subset_sums(self.values, self.n_x)[self.n_x]


@dataclass(frozen=True, slots=True)
class _Comparison:
    statistic: float
    n: Mapping[str, int]
    strata: tuple[_Stratum, ...]
    observed: float
    """The statistic from what is permuted: the same but for rounding."""
    tolerance: float

    @classmethod
    def of(cls, clusters: ClusterMeans, change: Change) -> _Comparison:
        sides = _sides(clusters, change)
        taking = np.logical_and.reduce([side >= 0 for side in sides])
        n = _cell_counts(change, sides, taking)
        strata: list[_Stratum] = []
        statistic = observed = size = 0.0
        for member, own, share in _outer(clusters, change, sides):
            values = clusters.means[member]
            left, basis = _residuals(values, own)
            size += float(np.abs(values).sum())
            for signs, here in _inner(own):
                weight = share * signs * (1.0 / here[0].size + 1.0 / here[1].size)
                observed += weight * float(
                    left[here[0]].sum() - here[0].size * left[np.concatenate(here)].mean()
                )
                weight *= _inflation(basis, np.concatenate(here))
                statistic += share * signs * float(values[here[0]].mean() - values[here[1]].mean())
                strata.append(_Stratum.of(left[here[0]], left[here[1]], weight))
        spread = sum(float(np.abs(stratum.values).sum()) for stratum in strata)
        largest = max(abs(weight) for weight in (2.0 / min(s.n_x, s.values.size - s.n_x) for s in strata))
        rounding = 8.0 * np.finfo(np.float64).eps * size * largest
        if spread <= rounding:
            raise ZeroVarianceError(
                f"the clusters of each combination have the same mean score, all {np.count_nonzero(taking)} of "
                f"{', '.join(n)}: the model does not tell them apart, and nothing can be tested; report that"
            )
        return cls(float(statistic), n, tuple(strata), observed, 1e-12 * spread + rounding)


def _outer(
    clusters: ClusterMeans, change: Change, sides: Sequence[Codes]
) -> Iterator[tuple[Codes, list[Codes], float]]:
    """By combination of the factors that do not change: its clusters, their sides, and its share of those that take part."""
    taking = np.logical_and.reduce([side >= 0 for side in sides])
    others = [factor for name, factor in clusters.factors.items() if name not in change]
    outer = np.zeros(taking.size, dtype=np.intp)
    for factor in others:
        outer = outer * len(factor.levels) + factor.codes
    for place in np.unique(outer[taking]):
        member = np.flatnonzero(taking & (outer == place))
        own = [side[member] for side in sides]
        told = ", ".join(f"{factor.name}: {factor.levels[factor.codes[member[0]]]}" for factor in others)
        _require_cells(change, own, told)
        yield member, own, member.size / np.count_nonzero(taking)


def _sides(clusters: ClusterMeans, change: Change) -> list[Codes]:
    """Of each factor that changes, 1 where a cluster has the level, 0 where the other, -1 elsewhere."""
    if len(change) < 2:
        raise RegressionError(
            f"the change names {', '.join(change) or 'no factor'}, and an interaction is of two; welch tests one"
        )
    sides = []
    for name, levels in change.items():
        factor = clusters.factors.get(name)
        if factor is None:
            raise RegressionError(f"there is no factor {name}; choose from {', '.join(clusters.factors)}")
        if levels[0] == levels[1] or not set(levels) <= set(factor.levels):
            raise RegressionError(
                f"{name} cannot change from {levels[1]} to {levels[0]}; name two of its levels: "
                f"{', '.join(factor.levels)}"
            )
        side = np.full(factor.codes.size, -1)
        side[factor.codes == factor.levels.index(levels[0])] = 1
        side[factor.codes == factor.levels.index(levels[1])] = 0
        sides.append(side)
    return sides


def _cells(change: Change) -> Iterator[tuple[tuple[int, ...], str]]:
    """Sides of the factors, and the name of the cell, the level of each factor before the other."""
    for chosen in product((1, 0), repeat=len(change)):
        yield (
            chosen,
            ", ".join(
                f"{name}: {levels[1 - side]}"
                for (name, levels), side in zip(change.items(), chosen, strict=True)
            ),
        )


def _cell_counts(change: Change, sides: Sequence[Codes], taking: Floats) -> Mapping[str, int]:
    return MappingProxyType(
        {
            name: int(
                np.count_nonzero(
                    taking & np.logical_and.reduce([s == c for s, c in zip(sides, chosen, strict=True)])
                )
            )
            for chosen, name in _cells(change)
        }
    )


def _require_cells(change: Change, own: Sequence[Codes], told: str) -> None:
    for chosen, name in _cells(change):
        if not np.logical_and.reduce([s == c for s, c in zip(own, chosen, strict=True)]).any():
            raise RegressionError(
                f"no cluster is of {', '.join(part for part in (name, told) if part)}, so its labels cannot be "
                "exchanged; leave a factor out, or compare other levels"
            )


def _inner(own: Sequence[Codes]) -> Iterator[tuple[float, tuple[Codes, Codes]]]:
    """Per combination of the factors after the first: its sign in the difference, and the clusters of each side."""
    for chosen in product((1, 0), repeat=len(own) - 1):
        here = np.ones(own[0].size, dtype=np.bool_)
        for side, one in zip(own[1:], chosen, strict=True):
            here &= side == one
        sign = (-1.0) ** (len(chosen) - sum(chosen))
        yield sign, (np.flatnonzero(here & (own[0] == 1)), np.flatnonzero(here & (own[0] == 0)))


def _residuals(values: Floats, own: Sequence[Codes]) -> tuple[Floats, Floats]:
    """Values (m,) less their fit by all effects but the interaction of the highest order, and a basis (m, k) of these."""
    parts = [part for size in range(len(own)) for part in combinations(own, size)]
    columns = [np.prod(part, axis=0) if part else np.ones(values.size) for part in parts]
    basis, _ = np.linalg.qr(np.stack(columns, axis=1).astype(np.float64))
    centred = values - values.mean()
    return centred - basis @ (basis.T @ centred), basis


def _inflation(basis: Floats, here: Codes) -> float:
    """What residuals have to be multiplied with to vary among ``here`` as the errors do that they come from."""
    # Trace and sum of the rows and columns ``here`` of I - basis basis', which has the square of the number of clusters.
    own = basis[here]
    trace, total = here.size - float((own**2).sum()), here.size - float((own.sum(axis=0) ** 2).sum())
    return math.sqrt((here.size - 1.0) / (trace - total / here.size))


def _halves(strata: Sequence[_Stratum]) -> tuple[list[_Stratum], list[_Stratum]]:
    """Two groups of strata whose numbers of labellings are alike."""
    halves: tuple[list[_Stratum], list[_Stratum]] = ([], [])
    for stratum in sorted(strata, key=lambda one: one.labellings, reverse=True):
        min(halves, key=lambda half: math.prod(one.labellings for one in half)).append(stratum)
    return halves


def _countable(strata: Sequence[_Stratum]) -> bool:
    # Each subset of the smaller side is one of those that are counted, and counting them for long lists has no end.
    return (
        max(one.n_x for one in strata) < EXACT_MAX_SUMS.bit_length()
        and all(
            sum(math.comb(one.values.size, k) for k in range(one.n_x + 1)) <= EXACT_MAX_SUMS for one in strata
        )
        and all(
            math.prod(stratum.labellings for stratum in half) <= EXACT_MAX_SUMS for half in _halves(strata)
        )
    )


def _count(strata: Sequence[_Stratum], of: _Comparison) -> Tail:
    """Of all labellings: each is one of every half, whose sums are found by binary search."""
    left, right = (_all_sums(half) for half in _halves(strata))
    total, far = left.size * right.size, abs(of.observed)
    above = count_beyond([left], [right], 0, far, of.tolerance)
    below = count_beyond([left], [right], 0, -far, of.tolerance)
    n_ge = total if far <= of.tolerance else above[0] + (total - below[1])
    return exact_tail(n_ge, above[1] + (total - below[0]), total)


def _all_sums(strata: Sequence[_Stratum]) -> Floats:
    sums = np.zeros(1)
    for stratum in strata:
        sums = np.add.outer(sums, stratum.sums).ravel()
    sums.sort()
    return sums


def _draw(strata: Sequence[_Stratum], of: _Comparison, draws: int, rng: np.random.Generator) -> Tail:
    ge = gt = 0
    step = max(1, _CHUNK // max(stratum.values.size for stratum in strata))
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        found = np.zeros(rows)
        for stratum in strata:
            values = np.broadcast_to(stratum.values, (rows, stratum.values.size))
            found += rng.permuted(values, axis=1)[:, : stratum.n_x].sum(axis=1)
        ge += int(np.count_nonzero(np.abs(found) >= abs(of.observed) - of.tolerance))
        gt += int(np.count_nonzero(np.abs(found) > abs(of.observed) + of.tolerance))
    return drawn_tail(ge, gt, draws)
