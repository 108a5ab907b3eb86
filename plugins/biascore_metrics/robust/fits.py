"""The paper's mixed model of the rows: association ~ group + (1 | template) + (1 | target), weighted by 1 / perplexity.

Shrestha, Tay & Srinivasan 2025, section 2.2. It takes the sentences of a word for independent, so it decides nothing here.
With it are what a difference and its R^2 amount to in the paper's words (section 2.3; the sizes are Cohen's of 1988, the
small ones in three), the other estimates that decide nothing, and the pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from biascore.api.figures import Band, Bars, Dots, Histogram, Range
from biascore.api.metrics import ConfidenceInterval, Estimate
from biascore.designs.clustered import Clustered, Difference, ends_of, p_of
from biascore.designs.words import spelling
from biascore.stats import RegressionError, ZeroVarianceError, lmm
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design, Row

if TYPE_CHECKING:
    import pandas as pd

GROUP: Final = "group"
NATS: Final = "nats"
PAPER_R2: Final = "part R²"
MEAN_R2: Final = "part R² (mean residual variance)"
RESIDUAL: Final[dict[str, lmm.ResidualVariance]] = {PAPER_R2: "unit-weight", MEAN_R2: "mean-variance"}
"""What each takes for the residual variance."""
SHARE: Final = "share of variance"
MAX_DEGENERATE_SHARE: Final = 0.01
Pair = tuple[str, str]
Labelled = list[tuple[str, Estimate]]
"""Estimates with what a picture calls them."""


MARGINAL: Final = 0.10
R2_MIN: Final = 0.01
"""Below this share of variance the paper calls a significant difference unbiased."""


class Size(NamedTuple):
    """A range of R^2, from ``low`` to below ``high``, with the paper's word and symbol for it."""

    low: float
    high: float
    word: str
    symbol: str = ""

    @property
    def told(self) -> str:
        """Word, range and symbol."""
        symbol = f", {self.symbol} in the paper's tables" if self.symbol else ""
        return f"{self.word} ({self.low:g} to {self.high:g}{symbol})"


SIZES: Final = (
    Size(0.0, 0.01, "very small"),
    Size(0.01, 0.03, "small", "▽"),
    Size(0.03, 0.06, "small", "△"),
    Size(0.06, 0.09, "small", "▲"),
    Size(0.09, 0.25, "medium", "*"),
    Size(0.25, 0.64, "large", "*"),
    Size(0.64, 1.0, "very large", "*"),
)


def size_of(r2: float) -> Size:
    """The range that an R^2 of 0 to 1 lies in."""
    return next((size for size in SIZES if r2 < size.high), SIZES[-1])


def conclusion(p_value: float, r2: float, *, alpha: float, r2_min: float) -> str:
    """What the paper concludes: biased only where the difference is significant and R^2 large enough."""
    if p_value > alpha:
        marginal = "marginally significant, " if p_value <= MARGINAL else ""
        return f"{marginal}neutral"
    return f"{'unbiased' if r2 < r2_min else 'biased'}, effect {size_of(r2).told}"


def table_of(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as the item table has them; ``association`` in nats."""
    import pandas as pd  # slow to import, and only frames need it

    return pd.DataFrame(
        {
            "item": [row.probe.text for row in rows],
            "group": [row.place.group for row in rows],
            "association": [row.association for row in rows],
            "template": [row.place.template for row in rows],
            "attribute": [row.place.attribute for row in rows],
            "target": [row.place.target for row in rows],
            "opposite": [row.place.role == "opposites" for row in rows],
            "perplexity": [row.perplexity for row in rows],
            "weight": [row.weight for row in rows],
            "added_for_balance": [row.added for row in rows],
        }
    )


def spelt(column: Iterable[str]) -> npt.NDArray[np.str_]:
    """Words as levels of a factor (n,): a word is one wherever it stands, in whatever spelling."""
    return np.array([spelling(word) for word in column], dtype=np.str_)


def clustered(table: pd.DataFrame) -> Clustered:
    """The associations with the words, targets and templates that they share; words and targets are samples."""
    factors = {"words": "attribute", "targets": "target"}
    return Clustered(
        table["association"].to_numpy(np.float64),
        table["group"].to_numpy(np.str_),
        {name: spelt(table[column]) for name, column in factors.items()}
        | {"templates": table["template"].to_numpy(np.str_)},
        sampled=("words", "targets"),
        called={"targets": "target words"},
    )


def estimate_of(name: str, test: lmm.TTest, n: dict[str, int]) -> Estimate:
    """A difference in nats with its t interval and p-value."""
    ends = ends_of(test, f"t, {test.df:z.4g} Satterthwaite df")
    p_value = p_of("Satterthwaite t", test.p_value)
    return Estimate(name=name, value=test.estimate, unit=NATS, n=n, interval=ends, p_values=(p_value,))


def missing(name: str, n: dict[str, int], unit: str = NATS) -> Estimate:
    """An estimate that could not be had."""
    return Estimate(name=name, value=None, unit=unit, n=n)


def r2_of(
    names: Mapping[str, str],
    factor: str,
    n: dict[str, int],
    level: float,
    fit: lmm.Fit | None,
    drawn: lmm.Bootstrap | None,
) -> tuple[Estimate, ...]:
    """Part R^2 of a factor with its bootstrap interval, by reading of the residual variance, as ``names`` call it."""
    if fit is None or drawn is None:
        return tuple(missing(name, n, SHARE) for name in names.values())
    return tuple(
        Estimate(
            name=name,
            value=fit.r2(RESIDUAL[what]).part[factor],
            unit=SHARE,
            n=n,
            interval=ConfidenceInterval.of(drawn.r2(RESIDUAL[what], level=level).part[factor]),
        )
        for what, name in names.items()
    )


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
    def of(
        cls, table: pd.DataFrame, pair: Pair, options: RobustOptions, rng: np.random.Generator | None = None
    ) -> PairFit:
        """Fit the rows of both groups alone, as the paper does, the second the reference; without ``rng`` no bootstrap."""
        rows = table[table["group"].isin(pair)]
        n = {group: int((rows["group"] == group).sum()) for group in pair}
        empty = [group for group, count in n.items() if not count]
        if empty:
            return cls(pair, n, problem=f"{empty[0]} has no row")
        random = {name: spelt(rows[name]) for name in ("template", "target")}
        try:
            design = lmm.treatment({GROUP: rows["group"].to_numpy(np.str_)}, levels={GROUP: pair[::-1]})
            found = lmm.fit(
                rows["association"].to_numpy(), design, groups=random, weights=rows["weight"].to_numpy()
            )
        except (ZeroVarianceError, RegressionError) as error:
            return cls(pair, n, problem=str(error))
        test = found.test(found.design.difference(GROUP, *pair), level=options.confidence)
        drawn = found.bootstrap(options.bootstrap, resamples=options.resamples, rng=rng) if rng else None
        return cls(pair, n, found, test, drawn)

    @property
    def name(self) -> str:
        """The bias score of the pair."""
        return f"bias score {' - '.join(self.pair)}"

    def score(self, of: str = "") -> Estimate:
        """The bias score with the p-value of its pair alone; ``of`` names some of the sentences."""
        name = f"{self.name}{of}"
        return estimate_of(name, self.test, self.n) if self.test else missing(name, self.n)

    def told(self, alpha: float, beside: float | None) -> str:
        """What the paper concludes, in its words, ``beside`` the difference; both R^2 where they are of different sizes."""
        if self.fit is None or self.test is None or beside is None:
            return ""
        sign = " has the other sign" if self.test.estimate * beside < 0 else ""
        paper, mean = (self.fit.r2(kind).part[GROUP] for kind in ("unit-weight", "mean-variance"))
        said = conclusion(self.test.p_value, paper, alpha=alpha, r2_min=R2_MIN)
        r2 = f"{PAPER_R2} {paper:z.3g}"
        if size_of(paper).word != size_of(mean).word:
            r2 += f", {size_of(paper).word}, but {mean:z.3g}, {size_of(mean).word}, with the mean residual variance"
        return (
            f"The paper's mixed model{sign}, in its words: bias score {self.test.estimate:z.3g} nats, p = "
            f"{self.test.p_value:z.3g}, {r2}: {said}."
        )

    def shares(self, level: float) -> tuple[Estimate, ...]:
        """Part R^2 of the group, by both readings of the residual variance."""
        names = {what: f"{what} {' - '.join(self.pair)}" for what in RESIDUAL}
        return r2_of(names, GROUP, self.n, level, self.fit, self.bootstrap)


def by_template(table: pd.DataFrame, design: Design, pair: Pair, options: RobustOptions) -> Labelled:
    """The difference in each template by itself, not adjusted."""
    if len(design.templates) < 2:
        return []
    found = []
    for template in design.templates:
        rows = clustered(table[table["template"] == template.name])
        own = Difference.of(rows, pair, options.confidence)
        estimate = own.estimate(own.p_value, NATS)
        name = f"{own.name} in {template.name}"
        found.append((f"{template.name}: {template.sentence}", estimate.model_copy(update={"name": name})))
    return found


def by_perplexity(
    table: pd.DataFrame, pair: Pair, options: RobustOptions
) -> tuple[list[Estimate], tuple[str, ...]]:
    """The paper's bias score of the sentences in each range of perplexity, and a warning of those that have none."""
    found: list[Estimate] = []
    empty: list[str] = []
    for low, high in pairwise(options.ppl_bins):
        inside = table[table["perplexity"].between(low, high, inclusive="left")]
        own, label = PairFit.of(inside, pair, options), f"perplexity {low:g} to {high:g}"
        empty += [label] * bool(own.problem)
        found.append(own.score(f" at {label}"))
    without = f"no bias score of its own for {', '.join(empty)}: too few sentences, or all alike"
    return found, (without,) if empty else ()


def degenerate(fits: Sequence[PairFit]) -> Iterator[str]:
    """Warnings of bootstrap fits that did not converge."""
    for one in fits:
        drawn = one.bootstrap
        if drawn and drawn.n_degenerate > MAX_DEGENERATE_SHARE * drawn.resamples:
            yield (
                f"{drawn.n_degenerate} of {drawn.resamples} bootstrap fits of {' - '.join(one.pair)} did not converge and "
                "are left out of the intervals of R²"
            )


def figures(
    scores: Sequence[Estimate],
    shares: Sequence[Estimate],
    templates: Labelled,
    bins: Sequence[Estimate],
    options: RobustOptions,
    subject: str,
) -> tuple[Bars | Dots | Histogram, ...]:
    """Differences and shares of variance over a run, and templates and perplexities; those that have a value."""
    # Cohen's sizes by their words: the paper's three of "small" are one.
    same = [list(sizes) for _, sizes in groupby(SIZES, key=lambda size: size.word)]
    bands = tuple(Band(name=some[0].word, low=some[0].low, high=some[-1].high) for some in same)
    of_shares = "Share of variance that the group explains, by test and model (the paper's mixed model)"
    drawn: list[Bars | Dots | Histogram] = []
    for title, some, own in (("Differences by test and model", scores, ()), (of_shares, shares, bands)):
        if any(one.value is not None for one in some):
            names = tuple(one.name for one in some)
            drawn.append(Dots(title=title, estimates=names, labels=names, subject=subject, bands=own))
    if known := [(label, one.name) for label, one in templates if one.value is not None]:
        labels, names = zip(*known, strict=True)
        drawn.append(Bars(title="Difference by template", estimates=names, labels=labels))
    ranges = tuple(
        Range(low=low, high=high, estimate=estimate.name)
        for (low, high), estimate in zip(pairwise(options.ppl_bins), bins, strict=True)
    )
    title = "Sentences by perplexity" + ", and the paper's bias score in ranges of it" * bool(ranges)
    histogram = Histogram(title=title, column="perplexity", log=True, ranges=ranges)
    return (*drawn, histogram) if drawn else ()
