"""Clustered scores: observations in groups that share words, targets or names, and the difference between two groups.

Each factor whose levels are a sample is tested with its levels as the observations, and the larger p-value decides. That is
the answer of Clark 1973 ("The language-as-fixed-effect fallacy") to words that vary by themselves: a difference has to hold
over every sample of words. Levels within one group follow Welch 1947.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from biascore.basics.frozen import Scalar
from biascore.designs.bounds import Bound
from biascore.designs.decided import Decided, DecidedMetric
from biascore.designs.words import WordOptions, coverage_caveats
from biascore.metric import Context, MetricOptions
from biascore.models.model import Model
from biascore.results.caveat import Caveat, caveats_of
from biascore.results.coverage import Coverage
from biascore.results.estimates import ConfidenceInterval, Estimate, PValue
from biascore.results.estimators import Total
from biascore.results.measurement import item_table
from biascore.stats import Interval, TTest
from biascore.stimuli import Test

SAME: Final = 1e-10
"""Standard errors below this share of the largest score are rounding."""
Floats = npt.NDArray[np.float64]
Texts = npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """Scores (n,) of observations, the ``group`` of each, and its level of each factor (``clusters``, each (n,)).

    The levels of the first factor are each of one group, those of the others are in all groups. ``sampled`` are the
    factors whose levels are a sample, so that they decide; the rest only give a caveat. ``called``: what the levels of a
    factor are called where they are counted. ``item`` names the observations, where the items of the result are these.
    """

    score: Floats
    group: Texts
    clusters: Mapping[str, Texts]
    sampled: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=lambda: Coverage(given={}, used={}))
    item: Sequence[str] = ()

    @property
    def own(self) -> str:
        """The factor whose levels are each of one group."""
        return next(iter(self.clusters))

    @property
    def crossed(self) -> tuple[str, ...]:
        """The other factors."""
        return tuple(self.clusters)[1:]


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of the first group less that of the second, or of the one group less ``neutral``, and its t tests.

    The mean of a level of the first factor is over the levels of the second, of each over those of the third, and so on:
    a level with more observations counts for no more.
    """

    groups: tuple[str, ...]
    n: dict[str, int]
    names: tuple[str, ...] = ()
    """The factors: the own one, then those that are crossed with it."""
    value: float | None = None
    own: TTest | None = None
    """Of the means of the levels of the own factor: Welch's t, or one-sample t of one group."""
    others: tuple[TTest | None, ...] = ()
    """Of each sampled crossed factor, one-sample t of the differences at its levels around the same value."""
    together: TTest | None = None
    """All factors in one standard error, as in Clark's min F'; it only gives a caveat."""
    weights: Floats | None = None
    """What each observation counts in the value: (n,), 0 in other groups."""
    problem: str = ""
    deciding: tuple[str, ...] = ()
    """The factors whose levels are a sample, the own one first."""
    neutral: float = 0.0
    """What the mean of one group is tested against; it is not in ``value``, and is in ``estimate`` and ``interval``."""

    @classmethod
    def of(cls, scores: Clustered, groups: tuple[str, ...], level: float, neutral: float = 0.0) -> Difference:
        """From all observations of one or two groups."""
        names = (scores.own, *scores.crossed)
        if not groups:
            return cls(groups, {}, names, problem="there is no row")
        own_levels = scores.clusters[scores.own]
        counts = {group: len(set(own_levels[scores.group == group].tolist())) for group in groups}
        chosen = np.flatnonzero(np.isin(scores.group, groups))
        deciding = tuple(name for name in scores.crossed if name in scores.sampled)
        n = counts | {
            scores.called.get(name, name): len(set(scores.clusters[name][chosen].tolist()))
            for name in deciding
        }
        if empty := [group for group, count in counts.items() if not count]:
            return cls(groups, n, names, problem=f"{empty[0]} has no row")
        cells, weight = _cells(scores, chosen, groups)  # cells: (groups, levels of each factor)
        means = [some[np.isfinite(some)] for some in _over(cells, 1)]
        value = float(means[0].mean() - (means[1].mean() if len(means) > 1 else neutral))
        weights = np.zeros(len(scores.group))
        weights[chosen] = weight
        if min(counts.values()) < 2:
            few = min(counts, key=lambda group: counts[group])
            problem = f"{few} has one word, and a test needs two"
            return cls(groups, n, names, value, weights=weights, problem=problem, neutral=neutral)
        least = SAME * float(np.abs(scores.score[chosen]).max(initial=0.0))
        variances = [some.var(ddof=1) / len(some) for some in means]
        se = math.sqrt(sum(variances))
        df = _df([(v, len(some) - 1) for v, some in zip(variances, means, strict=True)])
        tested = TTest.of(value, se, df, level) if se > least else None
        crossed = {
            name: _one_sample(value, _gaps(cells, axis), level, least)
            for axis, name in enumerate(scores.crossed, start=2)
        }
        every = [(one.se**2, one.df) for one in (tested, *crossed.values()) if one]
        together = TTest.of(value, math.sqrt(sum(v for v, _ in every)), _df(every), level) if every else None
        others = tuple(crossed[name] for name in deciding)
        problem = "" if tested or any(others) else "the associations do not vary beyond the groups"
        return cls(
            groups,
            n,
            names,
            value,
            tested,
            others,
            together,
            weights,
            problem,
            (scores.own, *deciding),
            neutral,
        )

    @property
    def name(self) -> str:
        """``difference male - female``; of one group ``mean``."""
        return f"difference {' - '.join(self.groups)}" if len(self.groups) > 1 else "mean"

    @property
    def tests(self) -> list[TTest]:
        """The tests that decide."""
        return [one for one in (self.own, *self.others) if one]

    @property
    def p_value(self) -> float | None:
        """The larger of all."""
        return max((one.p_value for one in self.tests), default=None)

    @property
    def interval(self) -> Interval | None:
        """The widest: it excludes the neutral value where the largest p-value is at most 1 minus its level."""
        widest = max(self.tests, key=lambda one: one.high - one.low, default=None)
        deciding = " and ".join(self.deciding)
        how = f"t, the wider of {deciding}" if self.others else "t"
        if widest is None:
            return None
        return Interval(widest.low + self.neutral, widest.high + self.neutral, widest.level, how, 0)

    def estimate(self, p_value: float | None, unit: str, adjusted: str = "", **more: Any) -> Estimate:
        """The estimate with the p-value that decides, which may be ``adjusted``."""
        if self.value is None:
            return Estimate(name=self.name, value=None, unit=unit, neutral=self.neutral, n=self.n)
        deciding = " and ".join(self.deciding)
        of = f"larger of {deciding}, t" if self.others else "t"
        p = () if p_value is None else (p_of(f"{of}{adjusted}", p_value),)
        interval = ConfidenceInterval.of(self.interval) if self.interval else None
        return Estimate(
            name=self.name,
            value=self.value + self.neutral,
            unit=unit,
            neutral=self.neutral,
            n=self.n,
            interval=interval,
            p_values=p,
            **more,
        )

    def caveats(self, alpha: float) -> tuple[Caveat, ...]:
        """What the test does not see: levels of crossed factors that differ by themselves."""
        single = [name for name, count in self.n.items() if name not in self.groups and count == 1]
        found = caveats_of(f"one {name.removesuffix('s')}: nothing is said of others" for name in single)
        if self.p_value is None or self.together is None or not self.p_value <= alpha < self.together.p_value:
            return found
        own, *crossed = self.names
        text = (
            f"{' or '.join(crossed)} differ much among themselves, and others may not show it: with them and the {own} in "
            f"one standard error, p = {self.together.p_value:z.2g}"
        )
        return (*found, Caveat(text))


def p_of(name: str, value: float) -> PValue:
    """The p-value of a t test."""
    return PValue(name=name, value=value, kind="asymptotic", alternative="two-sided")


def ends_of(test: TTest, method: str, level: float | None = None) -> ConfidenceInterval:
    """The interval of a t test; ``level`` where it is one of several that hold together at that level."""
    return ConfidenceInterval(low=test.low, high=test.high, level=level or test.level, method=method)


def _cells(scores: Clustered, chosen: npt.NDArray[np.intp], groups: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Mean score by group and level of each factor (NaN where there is none), and the weights of the observations."""
    sign = np.where(scores.group[chosen] == groups[0], 1.0, -1.0)
    factors = (-sign, *(of[chosen] for of in scores.clusters.values()))
    index = tuple(np.unique(factor, return_inverse=True)[1] for factor in factors)
    count = np.zeros([int(codes.max()) + 1 for codes in index])
    total = np.zeros_like(count)
    np.add.at(count, index, 1.0)
    np.add.at(total, index, scores.score[chosen])
    each = count
    # For three factors: templates of a word and target, targets of a word, words of a group.
    for axis in range(count.ndim - 1, 0, -1):
        inner = tuple(range(axis + 1, count.ndim))
        there = count.any(inner, keepdims=True) if inner else count > 0
        each = each * there.sum(axis, keepdims=True)
    with np.errstate(invalid="ignore"):
        return total / count, sign / each[index]


def _over(cells: Floats, axis: int) -> Floats:
    """Means over all factors but one, the last first: (groups, levels of that factor)."""
    for other in range(cells.ndim - 1, 1, -1):
        if other != axis:
            cells = _mean(cells, other)
    return cells if axis == 1 else _mean(cells, 1)


def _mean(values: Floats, axis: int) -> Floats:
    """The mean of what there is along an axis; NaN where there is nothing."""
    with np.errstate(invalid="ignore"):
        found: Floats = np.nansum(values, axis) / np.isfinite(values).sum(axis)
    return found


def _gaps(cells: Floats, axis: int) -> Floats:
    """The difference between the groups at each level of a factor, or the mean of the one group: (levels,)."""
    first, *second = _over(cells, axis)
    gaps: Floats = first - second[0] if second else first
    return gaps[np.isfinite(gaps)]


def _one_sample(value: float, gaps: Floats, level: float, least: float) -> TTest | None:
    se = float(gaps.std(ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else 0.0
    return TTest.of(value, se, len(gaps) - 1, level) if se > least else None


def _df(parts: list[tuple[float, float]]) -> float:
    """Satterthwaite's degrees of freedom of a sum of variances, each with its own."""
    rest = sum(v * v / df for v, df in parts)
    return sum(v for v, _ in parts) ** 2 / rest if rest else math.inf


class ClusteredOptions(MetricOptions):
    """``bound``: a difference whose whole interval is within it counts as negligible; "none" states none."""

    bound: Bound = None


OptionsT = TypeVar("OptionsT", bound=ClusteredOptions, default=ClusteredOptions)
TestT = TypeVar("TestT", bound=Test, default=Test)


class ClusteredMetric(DecidedMetric[OptionsT, TestT]):
    """A metric whose method is a score of each observation; the headline is their mean, or the difference of two groups.

    ``unit`` is that of a score, ``item_value`` says what one is. ``neutral`` is the mean without a bias, where there is one
    group, and ``estimate`` what that mean is called. ``of_model`` names conventions that follow from the model.
    """

    rule = "Detected when the largest p-value, each factor whose levels are a sample giving one, is at most alpha."
    unit: ClassVar[str]
    item_value: ClassVar[str]
    estimate: ClassVar[str] = "mean"
    neutral: ClassVar[float] = 0.0
    of_model: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def score(self, model: Model, test: TestT, context: Context) -> Clustered:
        """The method: a score for each observation."""

    def stated(self, model: Model, test: TestT, context: Context) -> Mapping[str, Scalar]:
        """Conventions of the method; by default those on words, where its options have them."""
        return self.options.word_conventions() if isinstance(self.options, WordOptions) else {}

    def result(self, model: Model, test: TestT, context: Context) -> Decided:
        """The mean, or the difference of the means of two groups; items are the observations."""
        options = self.options
        scores = self.score(model, test, context)
        groups = tuple(dict.fromkeys(scores.group.tolist()))[:2]
        neutral = 0.0 if len(groups) > 1 else self.neutral
        found = Difference.of(scores, groups, options.confidence, neutral)
        # Of two models the levels of the own factor are compared: observations that share one are not independent.
        estimator = Total(cluster=(scores.own,)) if found.weights is not None else None
        headline = found.estimate(found.p_value, self.unit, estimator=estimator)
        if len(groups) < 2:
            headline = headline.model_copy(update={"name": self.estimate})
        added = (found.weights * scores.score).tolist() if found.weights is not None else []
        return Decided(
            variant=options.variant(model),
            estimates=(headline,),
            p_value=found.p_value,
            interval=found.interval,
            neutral=found.neutral,
            problem=found.problem,
            bound=options.bound,
            scores=(scores,),
            few=bool(found.problem),
            coverage=scores.coverage,
            caveats=(*coverage_caveats(scores.coverage), *found.caveats(options.alpha)),
            item_value=self.item_value,
            item_neutral=None,
            model_conventions=self.of_model,
            conventions={
                "deciding p-value": f"t, the largest of those over {' and '.join(scores.sampled) or scores.own}",
                **self.stated(model, test, context),
            },
            items=item_table(
                item=list(scores.item) or scores.clusters[scores.own].tolist(),
                group=scores.group.tolist(),
                value=scores.score.tolist(),
                more={
                    **{name: levels.tolist() for name, levels in scores.clusters.items()},
                    "contribution": added,
                },
            ),
        )


def check_clusters(clusters: Mapping[str, Sequence[str]], known: Collection[str], what: str) -> None:
    """Raise ValueError where clusters name something that there is not, or one thing twice."""
    named = [one for some in clusters.values() for one in some]
    if unknown := [one for one in named if one not in known]:
        raise ValueError(f"clusters name the {what} {unknown[0]!r}; there are {', '.join(known)}")
    if twice := [one for one in named if named.count(one) > 1]:
        raise ValueError(f"clusters name the {what} {twice[0]!r} twice. Leave it in one of them")
