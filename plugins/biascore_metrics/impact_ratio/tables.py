"""People counted by category and by intersection: rates, ratios to the highest, and how far chance would take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.stats import Interval
from biascore.stats.clustered_shares import ClusteredShares
from biascore.stats.ratios import (
    Counts,
    LargestDifference,
    clopper_pearson,
    largest_difference,
    ratio_intervals,
)
from biascore_metrics.impact_ratio.kind import Person

BY_CLUSTER: Final = " and CR2 by cluster, the wider"
Clusters: TypeAlias = tuple[Counts, Counts]
"""Of each cluster, people and selected people by cell: (g, c)."""
SMALL: Final = 0.02
"""Of a category with less than this share of the people, Local Law 144 lets an auditor leave out the ratio."""


@dataclass(frozen=True, slots=True)
class Category:
    """One category of a group, or of two groups together; ``share``: of the people with a category in its table."""

    table: str
    name: str
    people: int
    selected: int
    share: float
    left_out: bool

    @property
    def label(self) -> str:
        """Group and category: ``sex: F``."""
        return f"{self.table}: {self.name}"

    @property
    def rate(self) -> float:
        """The share selected."""
        return self.selected / self.people


@dataclass(frozen=True, slots=True, eq=False)
class GroupTable:
    """The categories of a group, or of two together, and which cells (c,) each is made of: (k, c)."""

    name: str
    categories: tuple[Category, ...]
    cells: npt.NDArray[np.bool_]
    clusters: Clusters | None = None

    @property
    def errors(self) -> ClusteredShares | None:
        """The rates with errors by cluster; None where no clusters are known."""
        if self.clusters is None:
            return None
        people, selected = self.clusters
        return ClusteredShares.of(selected @ self.cells.T, people @ self.cells.T)

    @property
    def kept(self) -> tuple[Category, ...]:
        """Without those that an option leaves out."""
        return tuple(one for one in self.categories if not one.left_out)

    @property
    def highest(self) -> Category | None:
        """The kept category with the highest rate, the largest of equals; None where nobody is selected."""
        found = max(self.kept, key=lambda one: (one.rate, one.people), default=None)
        return found if found is not None and found.selected else None

    def only(self, least: int) -> Self:
        """With the kept categories of that many people."""
        rows = [not one.left_out and one.people >= least for one in self.categories]
        kept = tuple(one for one, keep in zip(self.categories, rows, strict=True) if keep)
        return type(self)(self.name, kept, self.cells[rows], self.clusters)

    def rates(self, level: float) -> list[Interval]:
        """Of each category Clopper and Pearson's interval of its rate, or what that and the one by cluster hold."""
        errors = self.errors
        found = [clopper_pearson(one.selected, one.people, level=level) for one in self.categories]
        if errors is None:
            return found
        ends = [errors.share(place, level) for place in range(len(found))]
        return [
            Interval(min(one.low, low), max(one.high, high), level, f"{one.method}{BY_CLUSTER}", resamples=0)
            for one, (low, high) in zip(found, ends, strict=True)
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All groups, and each two of them together, over cells of people with the same categories: counts (c,).

    ``stated`` (c,): people of cells with the same number state the same groups.
    """

    tables: tuple[GroupTable, ...]
    people: Counts
    selected: Counts
    stated: npt.NDArray[np.intp]

    @classmethod
    def of(
        cls,
        groups: Sequence[str],
        people: Sequence[Person],
        selected: npt.NDArray[np.bool_],
        *,
        intersections: bool,
        below: float,
    ) -> Self:
        """Count people; a category below that share of those with a category in its table is left out."""
        cells = sorted({one.categories for one in people})
        number = {cell: place for place, cell in enumerate(cells)}
        places = np.array([number[one.categories] for one in people], dtype=np.intp)
        counts = np.bincount(places, minlength=len(cells))
        found = np.bincount(places[selected], minlength=len(cells))
        sets: list[tuple[int, ...]] = [(place,) for place in range(len(groups))]
        if intersections:
            sets += combinations(range(len(groups)), 2)
        clusters = _clusters([one.cluster for one in people], places, selected, len(cells))
        tables = tuple(
            replace(_table([groups[i] for i in own], own, cells, counts, found, below), clusters=clusters)
            for own in sets
        )
        patterns = [tuple(map(bool, cell)) for cell in cells]
        stated = np.array([patterns.index(pattern) for pattern in patterns], dtype=np.intp)
        return cls(tables, counts, found, stated)

    def compared(self, least: int) -> Compared | None:
        """The comparison of all categories of ``least`` people; None where no table has two, or nobody is selected."""
        tables = tuple(table.only(least) for table in self.tables)
        tables = tuple(table for table in tables if len(table.categories) > 1 and table.highest)
        return Compared(tables, self.people, self.selected, self.stated) if tables else None


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Tables of two categories at least: the smallest ratio of two categories of one table."""

    tables: tuple[GroupTable, ...]
    people: Counts
    selected: Counts
    stated: npt.NDArray[np.intp]

    @property
    def pairs(self) -> int:
        """How many pairs of categories of one table there are."""
        return sum(len(table.categories) * (len(table.categories) - 1) // 2 for table in self.tables)

    @property
    def smallest(self) -> tuple[Category, Category]:
        """The category with the smallest ratio, and the highest one of its table."""
        every = ((one, table.highest) for table in self.tables for one in table.categories)
        return min(
            ((one, highest) for one, highest in every if highest is not None),
            key=lambda two: two[0].rate / two[1].rate,
        )

    def interval(self, level: float) -> Interval:
        """Of the smallest true ratio of two categories of a table, whichever these are.

        Koopman's intervals of all pairs hold at once at ``level`` (Bonferroni), and then the smallest ratio is between
        their smallest lower ends and their smallest upper ends, whatever category the data show to be the highest. Where
        clusters are known, each interval holds the one by cluster, too.
        """
        low, high = zip(*(_pairs(table, 1 - (1 - level) / self.pairs) for table in self.tables), strict=True)
        smallest = min(float(ends.min()) for ends in low), min(1.0, *(float(ends.min()) for ends in high))
        return Interval(*smallest, level, _method(self.tables[0], self.pairs), resamples=0)

    def test(self, draws: int, rng: np.random.Generator) -> LargestDifference:
        """Whether rates differ at all: outcomes are exchanged between people who state the same groups."""
        cells = [table.cells for table in self.tables]
        return largest_difference(self.people, cells, self.selected, draws=draws, rng=rng, within=self.stated)

    def by_cluster(self) -> float | None:
        """The smallest p of two rates that differ, with errors by cluster, times the pairs; None without clusters."""
        found = [
            errors.p_value(first, second)
            for table in self.tables
            if (errors := table.errors) is not None
            for first, second in combinations(range(len(table.categories)), 2)
        ]
        return min(1.0, self.pairs * min(found)) if found else None


def over_highest(table: GroupTable, level: float) -> dict[str, Interval]:
    """By category Koopman's interval of its ratio to the highest, so that those of all pairs of the table hold at once."""
    highest = table.highest
    others = [one for one in table.kept if one is not highest]
    if highest is None or not others:
        return {}
    pairs = len(table.kept) * (len(table.kept) - 1) // 2
    places = {one.name: place for place, one in enumerate(table.categories)}
    two = [(places[one.name], places[highest.name]) for one in others]
    low, high = _ratios(table, two, 1 - (1 - level) / pairs)
    return {
        one.name: Interval(float(a), float(b), level, _method(table, pairs), resamples=0)
        for one, a, b in zip(others, low, high, strict=True)
    }


def _method(table: GroupTable, pairs: int) -> str:
    by_cluster = "" if table.clusters is None else BY_CLUSTER
    return f"Koopman's score{by_cluster}" + (f", {pairs} pairs at once" if pairs > 1 else "")


def _pairs(table: GroupTable, level: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Ends of the intervals of all ratios of two categories, either way round."""
    two = list(combinations(range(len(table.categories)), 2))
    return _ratios(table, two + [(b, a) for a, b in two], level)


def _ratios(
    table: GroupTable, two: Sequence[tuple[int, int]], level: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Ends of the intervals of the ratios of these categories, by place."""
    first, second = (_counts([table.categories[pair[side]] for pair in two]) for side in (0, 1))
    low, high = ratio_intervals(first, second, level=level)
    errors = table.errors
    if errors is not None:
        ends = np.array([errors.ratio(a, b, level) for a, b in two])
        low, high = np.minimum(low, ends[:, 0]), np.maximum(high, ends[:, 1])
    return low, high


def _clusters(
    labels: Sequence[str], places: npt.NDArray[np.intp], selected: npt.NDArray[np.bool_], cells: int
) -> Clusters | None:
    """People and selected people of each cluster by cell; None where there are no clusters."""
    if not any(labels):
        return None
    names, codes = np.unique(labels, return_inverse=True)
    people, found = (np.zeros((len(names), cells), dtype=np.int64) for _ in range(2))
    np.add.at(people, (codes, places), 1)
    np.add.at(found, (codes[selected], places[selected]), 1)
    return people, found


def _counts(categories: Sequence[Category]) -> tuple[Counts, Counts]:
    return np.array([one.selected for one in categories]), np.array([one.people for one in categories])


def _table(
    groups: Sequence[str],
    own: Sequence[int],
    cells: Sequence[tuple[str, ...]],
    people: Counts,
    selected: Counts,
    below: float,
) -> GroupTable:
    names = [tuple(cell[i] for i in own) for cell in cells]
    known = sorted({name for name in names if all(name)})
    rows = np.array([[name == one for name in names] for one in known], dtype=np.bool_).reshape(
        -1, len(cells)
    )
    sizes, found = rows @ people, rows @ selected
    title = " × ".join(groups)
    total = int(sizes.sum())
    categories = tuple(
        Category(title, ", ".join(name), int(n), int(x), int(n) / total, int(n) < below * total)
        for name, n, x in zip(known, sizes, found, strict=True)
    )
    return GroupTable(title, categories, rows)
