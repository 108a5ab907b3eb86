"""The paper's mixed model of the rows: association ~ group + (1 | template) + (1 | target), weighted by 1 / perplexity.

Shrestha, Tay & Srinivasan 2025, section 2.2. It takes the sentences of a word for independent, so it decides nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import ConfidenceInterval, Estimate, PValue
from biascore.designs.clustered import Clustered
from biascore.designs.words import spelling
from biascore.stats import RegressionError, ZeroVarianceError, lmm
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.scores import Row
from biascore_metrics.robust.sizes import R2_MIN, size_of, stance

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
        """The columns of the rows; a word is one level of its factor wherever it stands, in whatever spelling."""
        places = [row.place for row in rows]
        return cls(
            group=np.array([place.group for place in places], dtype=np.str_),
            template=np.array([place.template for place in places], dtype=np.str_),
            target=np.array([spelling(place.target) for place in places], dtype=np.str_),
            attribute=np.array([spelling(place.attribute) for place in places], dtype=np.str_),
            association=np.array([row.association for row in rows], dtype=np.float64),
            weight=np.array([row.weight for row in rows], dtype=np.float64),
        )

    @property
    def scores(self) -> Clustered:
        """The associations with the words, targets and templates that they share; words and targets are samples."""
        return Clustered(
            self.association,
            self.group,
            {"words": self.attribute, "targets": self.target, "templates": self.template},
            sampled=("words", "targets"),
            called={"targets": "target words"},
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


def fit(table: Table, groups: Sequence[str]) -> lmm.Fit | str:
    """The mixed model of the rows of some groups, the last of which is the reference; or why there is none."""
    rows = table.only(groups)
    empty = [group for group, count in rows.n(groups).items() if not count]
    if empty:
        return f"{empty[0]} has no row"
    random = {"template": rows.template, "target": rows.target}
    try:
        design = lmm.treatment({GROUP: rows.group}, levels={GROUP: tuple(reversed(groups))})
        return lmm.fit(rows.association, design, groups=random, weights=rows.weight)
    except (ZeroVarianceError, RegressionError) as error:
        return str(error)


def difference_name(pair: tuple[str, ...]) -> str:
    """``male - female``."""
    return " - ".join(pair)


def difference(found: lmm.Fit, pair: Pair, level: float) -> lmm.TTest:
    """The first group minus the second."""
    return found.test(found.design.difference(GROUP, *pair), level=level)


def estimate_of(name: str, test: lmm.TTest, n: dict[str, int]) -> Estimate:
    """A difference in nats with its t interval and p-value."""
    own = PValue(name=SATTERTHWAITE, value=test.p_value, kind="asymptotic", alternative="two-sided")
    return Estimate(
        name=name,
        value=test.estimate,
        unit=NATS,
        n=n,
        interval=ConfidenceInterval(
            low=test.low, high=test.high, level=test.level, method=f"t, {test.df:.4g} Satterthwaite df"
        ),
        p_values=(own,),
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
        found = fit(table, pair)
        if isinstance(found, str):
            return cls(pair, n, problem=found)
        drawn = found.bootstrap(options.bootstrap, resamples=options.resamples, rng=rng)
        return cls(pair, n, found, difference(found, pair, options.confidence), drawn)

    @property
    def name(self) -> str:
        """The bias score of the pair."""
        return f"bias score {difference_name(self.pair)}"

    def score(self) -> Estimate:
        """The bias score with the p-value of its pair alone."""
        return estimate_of(self.name, self.test, self.n) if self.test else missing(self.name, self.n)

    def told(self, alpha: float) -> str:
        """What the paper concludes, in its words; both R^2 where they are of different sizes."""
        if self.fit is None or self.test is None:
            return ""
        paper, mean = (self.fit.r2(kind).part[GROUP] for kind in ("unit-weight", "mean-variance"))
        said = stance(self.test.p_value, paper, alpha=alpha, r2_min=R2_MIN)
        r2 = f"{PAPER_R2} {paper:.3g}"
        if size_of(paper).word != size_of(mean).word:
            r2 += f", {size_of(paper).word}, but {mean:.3g}, {size_of(mean).word}, with the mean residual variance"
        return f"bias score {self.test.estimate:.3g} nats, p = {self.test.p_value:.3g}, {r2}: {said}"

    def shares(self, level: float) -> tuple[Estimate, ...]:
        """Part R^2 of the group, by both readings of the residual variance."""
        kinds: dict[str, lmm.ResidualVariance] = {PAPER_R2: "unit-weight", MEAN_R2: "mean-variance"}
        names = {what: f"{what} {difference_name(self.pair)}" for what in kinds}
        if self.fit is None or self.bootstrap is None:
            return tuple(missing(name, self.n, SHARE) for name in names.values())
        return tuple(
            Estimate(
                name=names[what],
                value=self.fit.r2(kind).part[GROUP],
                unit=SHARE,
                n=self.n,
                interval=ConfidenceInterval.of(self.bootstrap.r2(kind, level=level).part[GROUP]),
            )
            for what, kind in kinds.items()
        )


PAPER_R2: Final = "part R²"
MEAN_R2: Final = "part R² (mean residual variance)"
SHARE: Final = "share of variance"
