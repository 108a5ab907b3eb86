"""The mixed model of the rows: association ~ group + (1 | template) + (1 | target), weighted by 1 / perplexity.

Shrestha, Tay & Srinivasan 2025, section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import ConfidenceInterval, Estimate, PValue
from biascore.stats import Interval, RegressionError, ZeroVarianceError, lmm
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.scores import Row

GROUP: Final = "group"
NATS: Final = "nats"
SATTERTHWAITE: Final = "Satterthwaite t"
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by column, each an array of shape (n,); ``association`` in nats, ``weight`` is 1 / perplexity."""

    group: npt.NDArray[np.str_]
    template: npt.NDArray[np.str_]
    target: npt.NDArray[np.str_]
    attribute: npt.NDArray[np.str_]
    association: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Table:
        """The columns of the rows; a word is one level of its factor wherever it stands."""
        places = [row.place for row in rows]
        return cls(
            group=np.array([place.group for place in places], dtype=np.str_),
            template=np.array([place.template for place in places], dtype=np.str_),
            target=np.array([place.target for place in places], dtype=np.str_),
            attribute=np.array([place.attribute for place in places], dtype=np.str_),
            association=np.array([row.association for row in rows], dtype=np.float64),
            weight=np.array([row.weight for row in rows], dtype=np.float64),
        )

    def where(self, kept: npt.NDArray[np.bool_]) -> Table:
        """The rows that are kept."""
        return Table(
            self.group[kept], self.template[kept], self.target[kept],
            self.attribute[kept], self.association[kept], self.weight[kept],
        )  # fmt: skip

    def only(self, groups: Sequence[str]) -> Table:
        """The rows of some groups."""
        return self.where(np.isin(self.group, groups))

    def n(self, groups: Sequence[str]) -> dict[str, int]:
        """How many rows each of the groups has."""
        return {group: int(np.count_nonzero(self.group == group)) for group in groups}


def fit(table: Table, groups: Sequence[str], options: RobustOptions) -> lmm.Fit | str:
    """The mixed model of the rows of some groups, the last of which is the reference; or why there is none."""
    rows = table.only(groups)
    empty = [group for group, count in rows.n(groups).items() if not count]
    if empty:
        return f"{empty[0]} has no row"
    random = {"template": rows.template, "target": rows.target}
    if options.random_attribute:
        random["attribute"] = rows.attribute
    try:
        design = lmm.treatment({GROUP: rows.group}, levels={GROUP: tuple(reversed(groups))})
        return lmm.fit(rows.association, design, groups=random, weights=rows.weight)
    except (ZeroVarianceError, RegressionError) as error:
        return str(error)


def difference_name(pair: Pair) -> str:
    """``male - female``."""
    return f"{pair[0]} - {pair[1]}"


def difference(found: lmm.Fit, pair: Pair, level: float) -> lmm.TTest:
    """The first group minus the second."""
    return found.test(found.design.difference(GROUP, *pair), level=level)


def estimate_of(name: str, test: lmm.TTest, n: dict[str, int], adjusted: PValue | None = None) -> Estimate:
    """A difference in nats with its t interval and p-value; ``adjusted`` decides where there is one."""
    own = PValue(name=SATTERTHWAITE, value=test.p_value, kind="asymptotic", alternative="two-sided")
    return Estimate(
        name=name,
        value=test.estimate,
        unit=NATS,
        n=n,
        interval=ConfidenceInterval(
            low=test.low, high=test.high, level=test.level, method=f"t, {test.df:.4g} Satterthwaite df"
        ),
        p_values=(adjusted, own) if adjusted else (own,),
    )


def missing(name: str, n: dict[str, int], unit: str = NATS) -> Estimate:
    """An estimate that could not be had."""
    return Estimate(name=name, value=None, unit=unit, n=n)


@dataclass(frozen=True, slots=True)
class PairFit:
    """The model of two groups, its difference, and its R^2 with their bootstrap intervals; or the ``problem``."""

    pair: Pair
    n: dict[str, int]
    fit: lmm.Fit | None = None
    test: lmm.TTest | None = None
    bootstrap: lmm.Bootstrap | None = None
    problem: str = ""

    @classmethod
    def of(cls, table: Table, pair: Pair, options: RobustOptions, rng: np.random.Generator) -> PairFit:
        """Fit the rows of both groups alone, as the paper does."""
        n = table.n(pair)
        found = fit(table, pair, options)
        if isinstance(found, str):
            return cls(pair, n, problem=found)
        drawn = found.bootstrap(options.bootstrap, resamples=options.resamples, rng=rng)
        return cls(pair, n, found, difference(found, pair, options.confidence), drawn)

    @property
    def name(self) -> str:
        """The bias score of the pair."""
        return f"bias score {difference_name(self.pair)}"

    def r2_name(self, what: str) -> str:
        """The name of an R^2 of the pair."""
        return f"{what} {difference_name(self.pair)}"

    def score(self, p_adjusted: PValue | None) -> Estimate:
        """The bias score."""
        if self.test is None:
            return missing(self.name, self.n)
        return estimate_of(self.name, self.test, self.n, p_adjusted)

    def contributions(self, table: Table) -> list[float | None]:
        """What each row of the table adds to the bias score, target word by target word; None for rows of other groups."""
        found: list[float | None] = [None] * len(table.group)
        if self.fit is None:
            return found
        own, places = table.only(self.pair), np.flatnonzero(np.isin(table.group, self.pair))
        contrast = self.fit.design.difference(GROUP, *self.pair)
        values = self.fit.contributions(contrast, own.association, own.target)
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            found[place] = value
        return found

    def r2(self, level: float) -> tuple[float, Interval] | None:
        """The paper's part R^2 of the group, and its interval."""
        if self.fit is None or self.bootstrap is None:
            return None
        return self.fit.r2().part[GROUP], self.bootstrap.r2(level=level).part[GROUP]

    def shares(self, level: float) -> tuple[Estimate, ...]:
        """R^2 of the group by both readings of the residual variance, and of group and random effects together."""
        values: list[tuple[str, lmm.ResidualVariance, Callable[[lmm.RSquared[float]], float]]] = [
            (PAPER_R2, "unit-weight", lambda found: found.part[GROUP]),
            (MEAN_R2, "mean-variance", lambda found: found.part[GROUP]),
            (CONDITIONAL_R2, "unit-weight", lambda found: found.conditional),
        ]
        if self.fit is None or self.bootstrap is None:
            return tuple(missing(self.r2_name(what), self.n, SHARE) for what, _, _ in values)
        intervals = {kind: self.bootstrap.r2(kind, level=level) for _, kind, _ in values}
        return tuple(
            Estimate(
                name=self.r2_name(what),
                value=take(self.fit.r2(kind)),
                unit=SHARE,
                n=self.n,
                interval=ConfidenceInterval.of(
                    intervals[kind].conditional if what == CONDITIONAL_R2 else intervals[kind].part[GROUP]
                ),
            )
            for what, kind, take in values
        )


PAPER_R2: Final = "part R²"
MEAN_R2: Final = "part R² (mean residual variance)"
CONDITIONAL_R2: Final = "conditional R²"
SHARE: Final = "share of variance"


def welch(table: Table, pair: Pair, level: float) -> Estimate:
    """The plain difference of means, all rows alike, with Welch's t test."""
    name = f"plain mean difference {difference_name(pair)}"
    first, second = (table.association[table.group == group] for group in pair)
    n = table.n(pair)
    if min(len(first), len(second)) < 2 or not (np.ptp(first) or np.ptp(second)):
        return missing(name, n)
    from scipy.stats import ttest_ind  # scipy.stats takes half a second to import

    test = ttest_ind(first, second, equal_var=False)
    ends = test.confidence_interval(level)
    return Estimate(
        name=name,
        value=float(first.mean() - second.mean()),
        unit=NATS,
        n=n,
        interval=ConfidenceInterval(
            low=float(ends.low), high=float(ends.high), level=level, method="Welch's t"
        ),
        p_values=(
            PValue(name="Welch t", value=float(test.pvalue), kind="asymptotic", alternative="two-sided"),
        ),
    )
