"""The difference that decides: attribute words as observations, and target words as observations, the larger p-value.

The words' means follow Welch 1947. Testing over both samples of words is the answer of Clark 1973 ("The
language-as-fixed-effect fallacy") to words that vary by themselves: a difference has to hold over either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import ConfidenceInterval, Estimate, PValue
from biascore.stats import Interval, TTest
from biascore_metrics.robust.fits import NATS, Pair, Table, difference_name, missing

P_NAME: Final = "larger of words and targets, t"
METHOD: Final = "t, the wider of words and targets"
SAME: Final = 1e-10
"""Standard errors below this share of the largest association are rounding."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of the words of the first group minus that of the second, in nats, and its t tests where they can be had.

    A word's mean is over its target words, of each over the templates, of each over its sentences, so that neither
    sentences added for balance nor words with more determiners count for more.
    """

    pair: Pair
    n: dict[str, int]
    value: float | None = None
    words: TTest | None = None
    """Welch's t of the means of the words."""
    targets: TTest | None = None
    """One-sample t of the differences of the targets around the same value; None with one target."""
    together: TTest | None = None
    """Words, targets and templates in one standard error, as in Clark's min F'; it only warns."""
    weights: Floats | None = None
    """What each row of the table counts in the value: (n,), 0 in other groups."""
    problem: str = ""

    @classmethod
    def of(cls, table: Table, pair: Pair, level: float) -> Difference:
        """From all rows of both groups."""
        words = {group: len(set(table.attribute[table.group == group].tolist())) for group in pair}
        own = np.flatnonzero(np.isin(table.group, pair))
        n = {**words, "target words": len(set(table.target[own].tolist()))}
        if empty := [group for group, count in words.items() if not count]:
            return cls(pair, n, problem=f"{empty[0]} has no row")
        cells, weight = _cells(table, own, pair)  # cells: (groups, words, targets, templates)
        by_target = _mean(cells, 3)
        by_word = _mean(by_target, 2)
        means = [some[np.isfinite(some)] for some in by_word]
        value = float(means[0].mean() - means[1].mean())
        weights = np.zeros(len(table.group))
        weights[own] = weight
        if min(words.values()) < 2:
            few = min(words, key=lambda group: words[group])
            return cls(pair, n, value, weights=weights, problem=f"{few} has one word, and a test needs two")
        least = SAME * float(np.abs(table.association[own]).max(initial=0.0))
        variances = [some.var(ddof=1) / len(some) for some in means]
        se = math.sqrt(sum(variances))
        df = _df([(v, len(some) - 1) for v, some in zip(variances, means, strict=True)])
        tested = TTest.of(value, se, df, level) if se > least else None
        targets, templates = (
            _one_sample(value, _gaps(some), level, least) for some in (by_target, _mean(cells, 2))
        )
        every = [(one.se**2, one.df) for one in (tested, targets, templates) if one]
        together = TTest.of(value, math.sqrt(sum(v for v, _ in every)), _df(every), level) if every else None
        problem = "" if tested or targets else "the associations do not vary beyond the groups"
        return cls(pair, n, value, tested, targets, together, weights, problem)

    @property
    def name(self) -> str:
        """``difference male - female``."""
        return f"difference {difference_name(self.pair)}"

    @property
    def tests(self) -> list[TTest]:
        """Both tests, or the one there is."""
        return [one for one in (self.words, self.targets) if one]

    @property
    def p_value(self) -> float | None:
        """The larger of both."""
        return max((one.p_value for one in self.tests), default=None)

    @property
    def interval(self) -> Interval | None:
        """The wider of both: it excludes 0 where the larger p-value is at most 1 minus its level."""
        widest = max(self.tests, key=lambda one: one.high - one.low, default=None)
        return Interval(widest.low, widest.high, widest.level, METHOD, 0) if widest else None

    def estimate(self, p_value: float | None, adjusted: str = "") -> Estimate:
        """The estimate with the p-value that decides, which may be ``adjusted``."""
        if self.value is None:
            return missing(self.name, self.n)
        p = [] if p_value is None else [_p(f"{P_NAME}{adjusted}", p_value)]
        interval = ConfidenceInterval.of(self.interval) if self.interval else None
        return Estimate(
            name=self.name, value=self.value, unit=NATS, n=self.n, interval=interval, p_values=tuple(p)
        )

    def cautions(self, alpha: float) -> tuple[str, ...]:
        """What the test does not see: targets and templates that differ by themselves."""
        found = ("one target word: nothing is said of others",) if self.n["target words"] == 1 else ()
        if self.p_value is None or self.together is None or not self.p_value <= alpha < self.together.p_value:
            return found
        return (
            *found,
            f"targets or templates differ much among themselves, and others may not show it: with them and the words in one "
            f"standard error, p = {self.together.p_value:.2g}",
        )


def _p(name: str, value: float) -> PValue:
    return PValue(name=name, value=value, kind="asymptotic", alternative="two-sided")


def _cells(table: Table, own: npt.NDArray[np.intp], pair: Pair) -> tuple[Floats, Floats]:
    """Mean association by group, word, target and template (NaN where there is none), and the weights of the rows."""
    sign = np.where(table.group[own] == pair[0], 1.0, -1.0)
    factors = (-sign, table.attribute[own], table.target[own], table.template[own])
    index = tuple(np.unique(factor, return_inverse=True)[1] for factor in factors)
    count = np.zeros([int(codes.max()) + 1 for codes in index])
    total = np.zeros_like(count)
    np.add.at(count, index, 1.0)
    np.add.at(total, index, table.association[own])
    each = count
    for axes in (
        (3,),
        (2, 3),
        (1, 2, 3),
    ):  # templates of a word and target, targets of a word, words of a group
        each = each * (count.any(axes[1:], keepdims=True) if axes[1:] else count > 0).sum(
            axes[0], keepdims=True
        )
    with np.errstate(invalid="ignore"):
        return total / count, sign / each[index]


def _mean(values: Floats, axis: int) -> Floats:
    """The mean of what there is along an axis; NaN where there is nothing."""
    with np.errstate(invalid="ignore"):
        found: Floats = np.nansum(values, axis) / np.isfinite(values).sum(axis)
    return found


def _gaps(by_level: Floats) -> Floats:
    """The difference between the groups at each level (a target, a template): (groups, words, levels) to (levels,)."""
    first, second = _mean(by_level, 1)
    gaps: Floats = first - second
    return gaps[np.isfinite(gaps)]


def _one_sample(value: float, gaps: Floats, level: float, least: float) -> TTest | None:
    se = float(gaps.std(ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else 0.0
    return TTest.of(value, se, len(gaps) - 1, level) if se > least else None


def _df(parts: list[tuple[float, float]]) -> float:
    """Satterthwaite's degrees of freedom of a sum of variances, each with its own."""
    rest = sum(v * v / df for v, df in parts)
    return sum(v for v, _ in parts) ** 2 / rest if rest else math.inf
