"""A mean of scores of items in clusters, with one test and one interval for every metric that has such a mean.

The standard error is CR2 with Satterthwaite's degrees of freedom, and holds whatever goes together within a cluster;
items that are each on their own have HC3 (`biascore.stats.robust_mean`). With clusters by two factors, such as the two
occupations of a sentence, the variance is V_1 + V_2 - V_12 (Cameron, Gelbach & Miller 2011, JBES 29:238), no less than any
of the three, as the difference of estimates may come out too small, and t has the smaller of both degrees of freedom.

Two rules are for few clusters. **No p-value is below 2^(1 - G)**: that share of sign patterns of G clusters is as one-sided
as all of them alike, so that five clusters never reach .05, whatever t says. And where all clusters are the same, there is
no standard error: a further cluster may differ with at most the probability u that G alike ones leave open (Clopper &
Pearson 1934), to either limit of the scores. That gives the interval, and p is the level at which it reaches the neutral
value. Where not one item departs from the neutral value, items are counted in place of clusters, as the design effect of
none is 1 (Korn & Graubard 1998, Survey Methodology 24:193): a model that never takes sides can be shown to take none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from biascore.results.estimates import ConfidenceInterval, Estimate, PValue
from biascore.stats import (
    Attainable,
    Interval,
    RegressionError,
    RobustMean,
    TTest,
    ZeroVarianceError,
    robust_mean,
)
from biascore.stats.attainable import of_signs
from biascore.stats.proportions import binomial_test, wilson_interval

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mean:
    """A weighted mean with its interval and two-sided p-value; ``problem`` says why there are none.

    ``value`` is None without items. ``p_value`` is of the hypothesis that the mean is ``neutral``. ``test`` is the t test of
    their difference, None where there is no standard error. ``alone``: factors of which one level has nearly all weight, so
    that nothing is said of others.
    """

    value: float | None
    n: Mapping[str, int]
    neutral: float = 0.0
    p_value: float | None = None
    interval: Interval | None = None
    error: str = ""
    """What the p-value is of: ``t, CR2 by template``, or the clusters that are all alike."""
    kind: Literal["asymptotic", "exact"] = "asymptotic"
    test: TTest | None = None
    problem: str = ""
    alone: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        values: Floats,
        clusters: Mapping[str, Sequence[str]] | None = None,
        level: float = 0.95,
        *,
        weights: Floats | None = None,
        neutral: float = 0.0,
        limits: tuple[float, float] | None = None,
        items: str = "items",
    ) -> Self:
        """Of values (n,), which are called ``items``, and the label (n,) of each by one or two factors, or none.

        Factors are named in the plural, as they are counted: ``{"templates": labels}``. ``limits`` are those of a score,
        within which the interval is cut. Weights are equal if None.
        """
        ways: dict[str, Sequence[str]] = {name: list(labels) for name, labels in (clusters or {}).items()}
        n = {items: len(values)} | {name: len(set(labels)) for name, labels in ways.items()}
        if not len(values):
            return cls(None, n, neutral, problem=f"there are no {items}")
        # A mean of equal values is one of them, whatever rounding leaves.
        value = float(np.clip(np.average(values, weights=weights), values.min(), values.max()))
        found, alike, alone = _by_each(values, weights, ways, level)
        several = [name for name in ways if name not in alone]
        what = min(several, key=lambda name: n[name], default=next(iter(ways), items))
        groups = n[what]
        if not found:
            even = bool((values == neutral).all())
            told = f"all {len(values)} {items} are alike" if even else f"all {groups} {what} are alike"
            if not alike:
                told = f"one of the {what} has nearly all the weight, so nothing shows how others differ"
                return cls(value, n, neutral, problem=told, alone=alone)
            if limits is None:
                return cls(value, n, neutral, problem=f"{told}, so there is no standard error", alone=alone)
            (low, high), p_value = _of_identical(
                value, len(values) if even else groups, level, neutral, limits
            )
            ends = Interval(low, high, level, f"{told}; a further one may differ", 0)
            return cls(value, n, neutral, p_value, ends, told, "exact", alone=alone)
        test = _together(value - neutral, found, tuple(ways), level)
        first = next(iter(found.values()))
        error = f"t, {first.error.partition(' ')[0]}{' by ' * bool(ways)}{' and '.join(ways)}"
        low, high = test.low + neutral, test.high + neutral
        if limits is not None:
            low, high = max(limits[0], min(low, value)), min(limits[1], max(high, value))
        ends = Interval(low, high, level, f"{error}, {test.df:z.4g} df", 0)
        least = of_signs(groups, what).p_value
        if test.p_value < least:
            error = f"signs of {groups} {what}"
            return cls(value, n, neutral, least, ends, error, "exact", test, alone=alone)
        return cls(value, n, neutral, test.p_value, ends, error, test=test, alone=alone)

    @classmethod
    def share(
        cls,
        chosen: Sequence[bool] | npt.NDArray[np.bool_],
        clusters: Mapping[str, Sequence[str]] | None = None,
        level: float = 0.95,
        *,
        whole: float = 1.0,
        items: str = "items",
    ) -> Self:
        """The share of outcomes (n,) in parts of ``whole``, such as 100, against one half.

        By clusters, as `of` takes them, it is a mean as any other. Of items that are each on their own it has Wilson's
        interval and the exact binomial test.
        """
        n, successes = len(chosen), int(np.sum(chosen))
        if clusters or not n:
            values = whole * np.asarray(chosen, dtype=np.float64)
            return cls.of(values, clusters, level, neutral=whole / 2.0, limits=(0.0, whole), items=items)
        ends = wilson_interval(successes, n, level=level)
        found = Interval(whole * ends.low, whole * ends.high, level, ends.method, 0)
        p_value, half = binomial_test(successes, n), whole / 2.0
        return cls(whole * successes / n, {items: n}, half, p_value, found, "binomial", "exact")

    def estimate(
        self,
        name: str,
        unit: str,
        *,
        tested: bool = True,
        neutral: bool = True,
        limits: tuple[float, float] | None = None,
    ) -> Estimate:
        """The mean with its interval and, if ``tested``, its p-value; without a ``neutral`` value where it has none.

        ``limits`` are those of a mean, where a chart and a comparison have to know them.
        """
        p = self.p_value if tested else None
        return Estimate(
            name=name,
            value=self.value,
            unit=unit,
            neutral=self.neutral if neutral else None,
            limits=limits,
            n=dict(self.n),
            interval=ConfidenceInterval.of(self.interval) if self.interval else None,
            p_values=()
            if p is None
            else (PValue(name=self.error, value=p, kind=self.kind, alternative="two-sided"),),
        )


def shared(what: str, labels: Sequence[str]) -> dict[str, Sequence[str]]:
    """Labels (n,) as `Mean.of` takes clusters; none where each item has its own."""
    return {what: labels} if len(set(labels)) < len(labels) else {}


def least_p(clusters: Sequence[str], what: str) -> Attainable:
    """The smallest p that the mean of items of these clusters can have, known before anything is asked."""
    return of_signs(len(set(clusters)), what)


def equal_weights(labels: Sequence[str]) -> Floats:
    """(n,) What each item counts in a mean in which each label counts the same, however many items it has."""
    _, place, count = np.unique(np.asarray(labels, dtype=np.str_), return_inverse=True, return_counts=True)
    found: Floats = 1.0 / (max(1, len(count)) * count[place]) if len(count) else np.empty(0)
    return found


def _by_each(
    values: Floats, weights: Floats | None, ways: Mapping[str, Sequence[str]], level: float
) -> tuple[dict[str, RobustMean], bool, tuple[str, ...]]:
    """The mean with its error by each factor and by both; whether clusters are alike; which factors have one cluster."""
    both = {" and ".join(ways): ["\0".join(pair) for pair in zip(*ways.values(), strict=True)]}
    every: Mapping[str, Sequence[str] | None] = {**ways, **(both if len(ways) > 1 else {})} or {"items": None}
    found: dict[str, RobustMean] = {}
    alike, alone = False, []
    for name, labels in every.items():
        try:
            found[name] = robust_mean(values, weights, labels, level)
        except RegressionError:
            alone.append(name)
        except ZeroVarianceError:
            alike = True
    return found, alike, tuple(name for name in alone if name in ways)


def _together(away: float, found: Mapping[str, RobustMean], factors: Sequence[str], level: float) -> TTest:
    """The t test of a difference from all errors that there are."""
    own = [found[name] for name in factors if name in found] or list(found.values())
    variances = [one.se**2 for one in found.values()]
    if len(found) > len(factors) > 1:
        variances.append(variances[0] + variances[1] - variances[2])
    return TTest.of(away, max(variances) ** 0.5, min(one.df for one in own), level)


def _of_identical(
    value: float, groups: int, level: float, neutral: float, limits: tuple[float, float]
) -> tuple[tuple[float, float], float]:
    """The interval of G clusters of one value, and the p at which its end is the neutral value."""
    low, high = limits
    differs = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / groups)
    ends = (value - differs * (value - low), value + differs * (high - value))
    away = abs(value - neutral)
    if not away:
        return ends, 1.0
    far = value - low if value > neutral else high - value
    return ends, min(1.0, 2.0 * (1.0 - away / far) ** groups)
