"""From a placement to the numbers of a measurement: values, intervals and p-values by the name of their estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import EVERY_ITEM, ConfidenceInterval, Contrast, Estimate, FiseTest, PValue
from biascore.stats import Attainable, Interval, ZeroVarianceError, holm
from biascore.stats.attainable import of_draws
from biascore.stats.labels import (
    DistributionTest,
    DrawnTest,
    InteractionTest,
    Labelled,
    distance_from_even,
    distribution_test,
    interaction_test,
    mean_bias_test,
)
from biascore_metrics.fise import statistics as names
from biascore_metrics.fise.affect import Affects
from biascore_metrics.fise.intervals import (
    difference_interval,
    distance_interval,
    effective_words,
    joint_intervals,
    share_interval,
)
from biascore_metrics.fise.leanings import LABELS, Leaning
from biascore_metrics.fise.options import PlacementOptions
from biascore_metrics.fise.placement import Placement, axis_cosine
from biascore_metrics.fise.rows import rows_of
from biascore_metrics.fise.statistics import WeightedStatistics
from biascore_metrics.fise.targets import Embedded

FEW_FAMILIES: Final = 5
"""With fewer a side a p-value of 0.05, adjusted for the number of tests, is hard to reach or out of reach."""
DOMINANT: Final = 3.0
"""Words that vary so many times as far along an axis leave the tests of signs and correlations half of their power."""


@dataclass(slots=True)
class Findings:
    """What was found, by the name of the estimate; a name that is missing was not estimable."""

    words: int = 0
    pairs: int | None = None
    """Independent units of the words: pairs of forms, families, or as many as words."""
    unit: str = "pairs"
    """What these are called."""
    values: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, Interval] = field(default_factory=dict)
    p_values: dict[str, tuple[PValue, ...]] = field(default_factory=dict)
    n: dict[str, Mapping[str, int]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    leanings: dict[str, Leaning] = field(default_factory=dict)
    """The mean bias of every dimension."""
    strongest: str = ""
    """The dimension whose mean bias has the smallest adjusted p: its estimate is the headline."""
    adjusted: dict[str, float] = field(default_factory=dict)
    """Holm-adjusted p-value of the mean bias of every dimension."""
    attainable: Attainable | None = None
    """The smallest p that they can give."""

    @property
    def sizes(self) -> dict[str, int]:
        """The number of words, and of pairs or families where it differs."""
        return {"words": self.words} | (
            {self.unit: self.pairs} if self.pairs and self.pairs != self.words else {}
        )

    def estimates(self, test: FiseTest) -> tuple[Estimate, ...]:
        """All estimates of a test, the same ones whatever was found: first the one that the verdict is about."""
        rows = list(rows_of(test))
        headline = names.equal_name(self.strongest) if self.strongest else rows[0][0]
        return tuple(self._estimate(test, *row) for row in sorted(rows, key=lambda row: row[0] != headline))

    def _estimate(self, test: FiseTest, name: str, unit: str, neutral: float | None) -> Estimate:
        interval = self.intervals.get(name)
        return Estimate(
            name=name,
            value=self.values.get(name),
            unit=unit,
            neutral=neutral,
            chance=self.values.get(names.EXPECTED) if name == names.DISTANCE else None,
            n=self.n.get(name, self.sizes),
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=self.p_values.get(name, ()),
            sides=_sides(test, name),
            estimator=self._from_items(name),
        )

    def _from_items(self, name: str) -> Contrast | None:
        """How a mean bias follows from the items; not where forms of one word stand among them, which vary together."""
        columns = {names.mean_name(one): one for one in self.leanings}
        columns |= {names.equal_name(one): names.equal_column(one) for one in self.leanings}
        if name not in columns or self.pairs != self.words:
            return None
        return Contrast(column=columns[name], groups={EVERY_ITEM: 1.0})


def _sides(test: FiseTest, name: str) -> tuple[str, str] | None:
    """Where the words lean to above and below 0 of a mean bias, by the names of the lists of its dimension."""
    for one in test.dimensions:
        if name in (names.mean_name(one.name), names.equal_name(one.name), names.standardised_name(one.name)):
            a, b = (f"{test.targets.name} lean to {side.name}".replace("_", " ") for side in (one.A, one.B))
            return a, b
    return None


def find(
    placement: Placement,
    embedded: Embedded,
    affects: Affects,
    options: PlacementOptions,
    rng: np.random.Generator,
) -> Findings:
    """Compute everything; tests, intervals and affects draw from streams of their own."""
    tests, words, affect, leanings = rng.spawn(4)
    pairs = 1 + int(placement.pairs.max())
    found = Findings(words=len(placement.codes), pairs=pairs, unit=placement.unit)
    statistics = WeightedStatistics.of(placement, affects.scores)
    for name, value in statistics(np.ones((1, found.words))).items():
        if np.isfinite(value[0]):
            found.values[name] = float(value[0])
    # One weight for a pair, so that its forms are drawn together: they are no independent words.
    found.intervals |= joint_intervals(
        lambda weights: statistics(weights[:, placement.pairs]),
        pairs,
        level=options.confidence,
        method=options.bootstrap,
        resamples=options.resamples,
        rng=words,
    )
    _add_distance(found, placement, options, tests, words)
    _add_dimensions(found, placement, options, tests)
    _add_leanings(found, placement, options, leanings)
    _add_pairs(found, placement, embedded, options, tests)
    _add_shares(found, placement, affects, options, affect)
    _add_deciding(found, placement)
    return found


def _add_distance(
    found: Findings,
    placement: Placement,
    options: PlacementOptions,
    tests: np.random.Generator,
    words: np.random.Generator,
) -> None:
    placed = sum(placement.counts)
    found.n[names.DISTANCE] = found.n[names.EXPECTED] = found.sizes | {"words": placed}
    result: DistributionTest = distribution_test(
        placement.labelled, tolerance=placement.tolerance, draws=options.draws, rng=tests
    )
    if result.expected_distance is not None:
        found.values[names.EXPECTED] = result.expected_distance
    if not placed:
        return
    if result.saturated > options.alpha:
        found.cautions.append(
            f"{100 * result.saturated:.2g} % of random labellings put all words into one group, so no distribution "
            "could be told from chance: seen from the attribute words, the words lie in one direction. Read the mean "
            "biases, whose tests do not saturate"
        )
    found.values[names.DISTANCE] = float(distance_from_even(placement.counts))
    found.intervals[names.DISTANCE] = distance_interval(
        placement.counts,
        effective_words(placement.pairs[~placement.on_axis]),
        level=options.confidence,
        resamples=options.resamples,
        rng=words,
    )
    found.p_values[names.DISTANCE] = (_drawn("label permutation of the distribution", result.test),)


def _add_dimensions(
    found: Findings, placement: Placement, options: PlacementOptions, rng: np.random.Generator
) -> None:
    for name, dimension in zip(placement.names, placement.labelled, strict=True):
        test = mean_bias_test(dimension, draws=options.draws, rng=rng)
        p_value = PValue(
            name=LABELS,
            value=test.two_sided.p_value,
            kind=test.method,
            alternative="two-sided",
            n=test.two_sided.n_total,
            se=test.two_sided.mc_se,
        )
        sizes = {**found.sizes, "A": dimension.n_a, "B": dimension.n_b}
        if dimension.families != (dimension.n_a, dimension.n_b):
            sizes |= dict(zip(("families A", "families B"), dimension.families, strict=True))
        found.cautions += _few_families(name, dimension)
        for estimate in (names.mean_name(name), names.standardised_name(name)):
            found.n[estimate] = sizes
            if estimate in found.values:
                # Over labels the p is that of the mean; the standard deviation only gives it a scale.
                found.p_values[estimate] = (p_value,)


def _add_pairs(
    found: Findings,
    placement: Placement,
    embedded: Embedded,
    options: PlacementOptions,
    rng: np.random.Generator,
) -> None:
    dimensions = list(zip(placement.names, placement.labelled, strict=True))
    for (one, first), (other, second) in combinations(dimensions, 2):
        cosine = axis_cosine(one, other, embedded)
        if cosine is not None:
            found.values[names.axes_name(one, other)] = cosine
        try:
            test: InteractionTest = interaction_test(first, second, draws=options.draws, rng=rng)
        except ZeroVarianceError:
            continue  # the correlation has no value either
        found.p_values[names.interaction_name(one, other)] = (
            _drawn("label permutation, the larger of two", test.deciding),
            _drawn(f"labels of {other} permuted", test.given_first),
            _drawn(f"labels of {one} permuted", test.given_second),
        )


def _add_leanings(
    found: Findings, placement: Placement, options: PlacementOptions, rng: np.random.Generator
) -> None:
    for name, dimension, tightness in zip(
        placement.names, placement.labelled, placement.tightness, strict=True
    ):
        one = Leaning.of(
            name,
            dimension,
            tightness,
            placement.pairs,
            alpha=options.alpha,
            draws=options.draws,
            rng=rng,
        )
        found.leanings[name] = one
        found.p_values[names.equal_name(name)] = one.p_values
        found.n[names.equal_name(name)] = found.n[names.mean_name(name)]
        if one.scatters:
            (found.cautions if one.explained else found.warnings).append(_scatter(one))
    for name, ratio in zip(placement.names, placement.dominance, strict=True):
        found.warnings += _add_dominance(found, name, ratio, "the interactions")


def _add_dominance(found: Findings, name: str, ratio: float | None, tests: str) -> list[str]:
    """The estimate of how far an axis dominates, and a warning where that takes the power of ``tests``."""
    estimate = names.dominance_name(name)
    found.n[estimate] = found.sizes
    if ratio is None:
        return []
    found.values[estimate] = ratio
    if ratio <= DOMINANT:
        return []
    return [
        f"the words vary {ratio:.2g} times as far along {name} as in other directions, so that labels permuted give nearly "
        f"the same axis again: the tests of {tests} hardly find anything there, and a large p-value of them says nothing"
    ]


def _scatter(one: Leaning) -> str:
    lists = (
        f"{one.name}.A scatters {one.scatter.ratio:.3g} times as far as {one.name}.B (p = "
        f"{one.scatter.test.two_sided.p_value:.3g}), which moves all words towards the tighter list"
    )
    left = f"at equal tightness the mean bias of {one.whole:+.3g} is {one.equalled:+.3g}"
    if one.explained:
        return f"{lists}. That alone may be the finding ({left}), so nothing is said to be detected"
    tested = "" if one.comparable else "; lists of so unlike size are tested as they are"
    return f"{lists}: {left}{tested}"


def _add_deciding(found: Findings, placement: Placement) -> None:
    """Put before the p of the strongest mean bias the same adjusted for the number of dimensions (Holm).

    Distribution and interactions have no part in it: lists that share a component bend both, however even the words are.
    """
    if names.DISTANCE not in found.p_values:
        return
    single = {name: one.p_values[0] for name, one in found.leanings.items()}
    found.adjusted = dict(zip(single, map(float, holm([p.value for p in single.values()])), strict=True))
    found.strongest = min(found.adjusted, key=found.adjusted.__getitem__)
    deciding = single[found.strongest].model_copy(
        update={
            "name": f"smallest of {len(single)} dimensions, Holm-adjusted",
            "value": found.adjusted[found.strongest],
            "se": None,
        }
    )
    headline = names.equal_name(found.strongest)
    found.p_values[headline] = (deciding, *found.p_values[headline])
    least = (_attainable(name, one, found.leanings[name]) for name, one in _by_name(placement).items())
    found.attainable = min(least, key=lambda one: one.p_value).adjusted(len(single), "dimensions")


def _attainable(name: str, dimension: Labelled, leaning: Leaning) -> Attainable:
    counted = Attainable(dimension.smallest_p, dimension.exchange.told(f"words of {name}"))
    if leaning.labels.method == "exact":
        return counted
    return max(counted, of_draws(leaning.labels.two_sided.n_total), key=lambda one: one.p_value)


def _by_name(placement: Placement) -> dict[str, Labelled]:
    return dict(zip(placement.names, placement.labelled, strict=True))


def _add_shares(
    found: Findings,
    placement: Placement,
    affects: Affects,
    options: PlacementOptions,
    rng: np.random.Generator,
) -> None:
    placed = sum(placement.counts)
    _settle(found, names.ON_AXIS, found.words - placed, placement.pairs, options.confidence)
    for group, count in zip(placement.groups, placement.counts, strict=True):
        name, pairs = names.share_name(group), placement.pairs[~placement.on_axis]
        _settle(found, name, count, pairs, options.confidence)
    for name, affect in affects.by_name.items():
        found.warnings += _few_families(name, affect.labelled)
        found.warnings += _add_dominance(found, name, affect.dominance, f"{name} by group")
        differences = affect.differences(placement, draws=options.draws, rng=rng)
        known = np.isfinite(affect.scores)
        for code, group in enumerate(placement.groups):
            estimate, excess = names.affect_name(name, group), names.excess_name(name, group)
            inside = placement.codes == code
            pairs, others = (placement.pairs[known & one & ~placement.on_axis] for one in (inside, ~inside))
            positive = round(found.values.get(estimate, 0.0) * len(pairs))
            _settle(found, estimate, positive, pairs, options.confidence)
            if excess not in found.values:
                continue
            found.n[excess] = {"words": len(pairs), "words of others": len(others)}
            there = round((found.values[estimate] - found.values[excess]) * len(others))
            interval = difference_interval(
                found.intervals.pop(excess, None), (positive, pairs), (there, others), options.confidence
            )
            found.intervals[excess] = interval
            difference = differences[code]
            if difference is not None:
                found.p_values[excess] = (_drawn(f"labels of {name} permuted", difference),)


def _settle(found: Findings, name: str, successes: int, pairs: npt.NDArray[np.intp], level: float) -> None:
    """Give a share its sample size, and its interval where resampling has none, from the pairs of its words."""
    found.n[name] = {"words": len(pairs)}
    interval = share_interval(found.intervals.pop(name, None), successes, pairs, level)
    if interval is not None:
        found.intervals[name] = interval


def _few_families(name: str, lists: Labelled) -> list[str]:
    """That the labels of a dimension or an affect can be exchanged in few ways, if so."""
    a, b = lists.families
    if min(a, b) >= FEW_FAMILIES:
        return []
    labellings = lists.exchange.labellings
    return [
        f"{name}.A and {name}.B hold {a} and {b} independent words (forms of one word count once), whose labels can "
        f"be exchanged in {labellings} ways only: that alone gives no p-value below {lists.smallest_p:.2g}"
    ]


def _drawn(name: str, test: DrawnTest) -> PValue:
    return PValue(
        name=name,
        value=test.p_value,
        kind="monte-carlo",
        alternative="two-sided",
        n=test.draws,
        se=test.mc_se,
    )
