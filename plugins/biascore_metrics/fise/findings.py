"""From a placement to the numbers of a measurement: values, intervals and p-values by the name of their estimate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import Bars, ConfidenceInterval, Estimate, FiseTest, Plane, PValue
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
    distance_interval,
    effective_words,
    joint_intervals,
    share_interval,
)
from biascore_metrics.fise.options import PlacementOptions
from biascore_metrics.fise.placement import Placement, axis_cosine, group_names
from biascore_metrics.fise.statistics import WeightedStatistics
from biascore_metrics.fise.targets import Embedded

FEW_FAMILIES: Final = 5
"""With fewer a side a p-value of 0.05, adjusted for the number of tests, is hard to reach or out of reach."""
SHARE, COSINE, DEVIATIONS = "share", "cosine", "standard deviations"


@dataclass(slots=True)
class Findings:
    """What was found, by the name of the estimate; a name that is missing was not estimable."""

    words: int = 0
    pairs: int | None = None
    """Independent units of the words: pairs of forms, or as many as words."""
    values: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, Interval] = field(default_factory=dict)
    p_values: dict[str, tuple[PValue, ...]] = field(default_factory=dict)
    n: dict[str, Mapping[str, int]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    strongest: str = ""
    """The estimate whose test has the smallest adjusted p."""
    adjusted: dict[str, float] = field(default_factory=dict)
    """Holm-adjusted p-value of every test that decides, by its estimate."""
    attainable: Attainable | None = None
    """The smallest p that they can give."""

    @property
    def sizes(self) -> dict[str, int]:
        """The number of words, and of pairs where it differs."""
        return {"words": self.words} | ({"pairs": self.pairs} if self.pairs not in (None, self.words) else {})

    def estimates(self, test: FiseTest) -> tuple[Estimate, ...]:
        """All estimates of a test, the same ones whatever was found."""
        return tuple(self._estimate(*row) for row in _rows(test))

    def _estimate(self, name: str, unit: str, neutral: float | None) -> Estimate:
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
        )


def find(
    placement: Placement,
    embedded: Embedded,
    affects: Affects,
    options: PlacementOptions,
    rng: np.random.Generator,
) -> Findings:
    """Compute everything; tests, intervals and affects draw from streams of their own."""
    tests, words, affect = rng.spawn(3)
    pairs = 1 + int(placement.pairs.max())
    found = Findings(words=len(placement.codes), pairs=pairs)
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
    _add_pairs(found, placement, embedded, options, tests)
    _add_shares(found, placement, affects, options, affect)
    _add_deciding(found, placement, options)
    return found


def figures(test: FiseTest, placement: Placement) -> tuple[Plane | Bars, ...]:
    """The words on the plane of each pair of dimensions, the shares of the groups, and their affects."""
    groups = group_names(test)
    planes = tuple(
        Plane(
            title=f"Words by {one.name} and {other.name}",
            x=one.name,
            y=other.name,
            x_ends=(one.B.name, one.A.name),
            y_ends=(other.B.name, other.A.name),
        )
        for one, other in combinations(test.dimensions, 2)
    )
    counted = tuple(f"{group} ({count})" for group, count in zip(groups, placement.counts, strict=True))
    shares = Bars(title="Shares of the words", estimates=tuple(map(names.share_name, groups)), labels=counted)
    affects = tuple(
        Bars(
            title=f"Shares of words with positive {affect.name}",
            estimates=tuple(names.affect_name(affect.name, group) for group in groups),
            labels=groups,
        )
        for affect in test.affect
    )
    return (*planes, shares, *affects)


def _rows(test: FiseTest) -> Iterator[tuple[str, str, float | None]]:
    """Name, unit and neutral value of every estimate, the headline first."""
    groups = group_names(test)
    dimensions = [dimension.name for dimension in test.dimensions]
    yield names.DISTANCE, SHARE, 0.0
    yield names.EXPECTED, SHARE, None
    for dimension in dimensions:
        yield names.mean_name(dimension), COSINE, 0.0
        yield names.standardised_name(dimension), DEVIATIONS, 0.0
    for pair in combinations(dimensions, 2):
        yield names.interaction_name(*pair), "correlation", 0.0
        yield names.log_odds_name(*pair), "log odds ratio", 0.0
        yield names.axes_name(*pair), COSINE, None
    for group in groups:
        yield names.share_name(group), SHARE, 1.0 / len(groups)
    for affect in test.affect:
        for group in groups:
            yield names.affect_name(affect.name, group), SHARE, None
    yield names.ON_AXIS, SHARE, None


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
            name="label permutation",
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


def _add_deciding(found: Findings, placement: Placement, options: PlacementOptions) -> None:
    """Put before the headline's p the smallest of all tests of the placement, adjusted for their number (Holm).

    The test of the distribution alone would not do: it saturates where the words have much in common, so that
    it loses power as a bias grows, and the mean biases do not.
    """
    if names.DISTANCE not in found.p_values:
        return
    tests = [names.DISTANCE, *map(names.mean_name, placement.names)]
    tests += [names.interaction_name(*pair) for pair in combinations(placement.names, 2)]
    single = {name: found.p_values[name][0] for name in tests if name in found.p_values}
    found.adjusted = dict(zip(single, map(float, holm([p.value for p in single.values()])), strict=True))
    found.strongest = min(found.adjusted, key=found.adjusted.__getitem__)
    deciding = PValue(
        name=f"smallest of {len(single)} tests, Holm-adjusted",
        value=found.adjusted[found.strongest],
        kind=single[found.strongest].kind,
        alternative="two-sided",
        n=single[found.strongest].n,
    )
    found.p_values[names.DISTANCE] = (deciding, *found.p_values[names.DISTANCE])
    found.attainable = _attainable(placement, options).adjusted(len(single), "tests")


def _attainable(placement: Placement, options: PlacementOptions) -> Attainable:
    """Of the distribution, whose labellings are the most: those of every dimension are permuted."""
    by_name = dict(zip(placement.names, placement.labelled, strict=True))
    sizes = (f"{a} + {b} words of {name}" for name, (a, b) in ((n, d.families) for n, d in by_name.items()))
    lowest = math.prod(dimension.smallest_p for dimension in placement.labelled)
    counted = Attainable(lowest, f"all labellings of {', '.join(sizes)}")
    return max(counted, of_draws(options.draws), key=lambda one: one.p_value)


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
        differences = affect.differences(placement, draws=options.draws, rng=rng)
        for code, group in enumerate(placement.groups):
            estimate = names.affect_name(name, group)
            known = placement.pairs[(placement.codes == code) & np.isfinite(affect.scores)]
            positive = round(found.values.get(estimate, 0.0) * len(known))
            _settle(found, estimate, positive, known, options.confidence)
            difference = differences[code]
            if difference is not None:
                p_name = f"difference from the other groups, labels of {name} permuted"
                found.p_values[estimate] = (_drawn(p_name, difference),)


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
    labellings = math.comb(a + b, a)
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
