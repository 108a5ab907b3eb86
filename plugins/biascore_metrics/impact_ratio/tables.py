"""People counted by category and by intersection: rates, ratios to the highest, and how far chance would take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import comb
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
from biascore_metrics.impact_ratio.items import Person

BY_CLUSTER: Final = " and CR2 by cluster, the wider"
Clusters: TypeAlias = tuple[Counts, Counts]
"""Of each cluster, people and selected people by cell: (g, c)."""
Flags: TypeAlias = npt.NDArray[np.bool_]
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
    cells: Flags
    clusters: Clusters | None = None

    @property
    def errors(self) -> ClusteredShares | None:
        """The rates with errors by cluster; None where no clusters are known."""
        if self.clusters is None:
            return None
        people, selected = self.clusters
        return ClusteredShares.of(selected @ self.cells.T, people @ self.cells.T)

    @property
    def highest(self) -> Category | None:
        """The category kept with the highest rate, the largest of equals; None where nobody is selected."""
        kept = (one for one in self.categories if not one.left_out)
        found = max(kept, key=lambda one: (one.rate, one.people), default=None)
        return found if found is not None and found.selected else None

    def only(self, least: int) -> Self:
        """With the categories of that many people that are not left out."""
        rows = [not one.left_out and one.people >= least for one in self.categories]
        kept = tuple(one for one, keep in zip(self.categories, rows, strict=True) if keep)
        return replace(self, categories=kept, cells=self.cells[rows])

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

    def ratios(self, two: Sequence[tuple[int, int]], pairs: int, level: float) -> list[Interval]:
        """Koopman's intervals of the ratios of these categories, by place, so that ``pairs`` of them hold at once."""
        alone, errors = 1 - (1 - level) / pairs, self.errors
        counts = np.array([(one.selected, one.people) for one in self.categories])
        places = np.array(two).reshape(-1, 2)
        first, second = ((counts[own, 0], counts[own, 1]) for own in places.T)
        low, high = ratio_intervals(first, second, level=alone)
        if errors is not None:
            ends = np.array([errors.ratio(a, b, alone) for a, b in two])
            low, high = np.minimum(low, ends[:, 0]), np.maximum(high, ends[:, 1])
        method = f"Koopman's score{'' if errors is None else BY_CLUSTER}"
        method += f", {pairs} pairs at once" if pairs > 1 else ""
        return [Interval(a, b, level, method, 0) for a, b in zip(low.tolist(), high.tolist(), strict=True)]

    def over_highest(self, level: float) -> dict[str, Interval]:
        """By category the interval of its ratio to the highest, so that those of all pairs of the table hold at once."""
        kept = [place for place, one in enumerate(self.categories) if not one.left_out]
        highest = [place for place in kept if self.categories[place] is self.highest]
        two = [(place, best) for place in kept for best in highest if place != best]
        found = self.ratios(two, comb(len(kept), 2), level) if two else []
        return {self.categories[place].name: one for (place, _), one in zip(two, found, strict=True)}


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
        selected: Flags,
        *,
        intersections: bool,
        below: float,
    ) -> Self:
        """Count people; a category below that share of those with a category in its table is left out."""
        cells = sorted({one.categories for one in people})
        number = {cell: place for place, cell in enumerate(cells)}
        places = np.array([number[one.categories] for one in people], dtype=np.intp)
        names, codes = np.unique([one.cluster for one in people], return_inverse=True)
        by_cluster = tuple(np.zeros((len(names), len(cells)), dtype=np.int64) for _ in range(2))
        np.add.at(by_cluster[0], (codes, places), 1)
        np.add.at(by_cluster[1], (codes[selected], places[selected]), 1)
        counts, found = (each.sum(axis=0) for each in by_cluster)
        crossed = (1, 2) if intersections else (1,)
        sets = [own for count in crossed for own in combinations(range(len(groups)), count)]
        clusters = (by_cluster[0], by_cluster[1]) if names.tolist() != [""] else None
        tables = []
        for own in sets:
            of_cell = [tuple(cell[place] for place in own) for cell in cells]
            known = sorted({name for name in of_cell if all(name)})
            rows = np.array([[name == one for name in of_cell] for one in known], dtype=np.bool_).reshape(
                -1, len(cells)
            )
            sizes, chosen = (rows @ counts).tolist(), (rows @ found).tolist()
            title, total = " × ".join(groups[place] for place in own), sum(sizes)
            categories = tuple(
                Category(title, ", ".join(name), n, x, n / total, n < below * total)
                for name, n, x in zip(known, sizes, chosen, strict=True)
            )
            tables.append(GroupTable(title, categories, rows, clusters))
        patterns = [tuple(map(bool, cell)) for cell in cells]
        return cls(tuple(tables), counts, found, np.array([patterns.index(one) for one in patterns]))

    def compared(self, least: int) -> Self | None:
        """The same of the categories of ``least`` people; None where no table has two, or nobody is selected."""
        tables = (table.only(least) for table in self.tables)
        kept = tuple(table for table in tables if len(table.categories) > 1 and table.highest)
        return replace(self, tables=kept) if kept else None

    @property
    def pairs(self) -> int:
        """How many pairs of categories of one table there are."""
        return sum(comb(len(table.categories), 2) for table in self.tables)

    @property
    def smallest(self) -> tuple[Category, Category]:
        """The category with the smallest ratio of two of one table, and the highest one of its table."""
        every = [(one, best) for table in self.tables if (best := table.highest) for one in table.categories]
        return min(every, key=lambda two: two[0].rate / two[1].rate)

    def interval(self, level: float) -> Interval:
        """Of the smallest true ratio of two categories of a table, whichever these are.

        Koopman's intervals of all pairs hold at once at ``level`` (Bonferroni), and then the smallest ratio is between
        their smallest lower ends and their smallest upper ends, whatever category the data show to be the highest. Where
        clusters are known, each interval holds the one by cluster, too.
        """
        every = [
            one
            for table in self.tables
            for one in table.ratios([*permutations(range(len(table.categories)), 2)], self.pairs, level)
        ]
        low, high = min(one.low for one in every), min(1.0, *(one.high for one in every))
        return replace(every[0], low=low, high=high)

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
