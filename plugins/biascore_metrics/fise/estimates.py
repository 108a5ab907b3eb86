"""From a placement to the numbers of a measurement: the mean bias of each dimension, shares of groups, and affect.

Labels of attribute words permuted, with the target words fixed, and target words drawn anew, with the attribute words fixed,
are two conditionings, and neither holds the other. Real lists and any few words give the first, lists without a meaning and
words of one topic the second. A bias of the lists on words like these needs both (Clark 1973).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biascore.api.figures import Bars, Plane
from biascore.api.metrics import Caveat, ConfidenceInterval, Estimate, PValue, Total, caveats_of
from biascore.api.support import signed
from biascore.designs.clustered import p_of
from biascore.designs.mean import Mean
from biascore.stats import Attainable, Decision, Interval, PermutationTest, Verdict, decide, holm
from biascore.stats.attainable import of_draws, of_signs
from biascore.stats.labels import ROUNDING, distance_from_even
from biascore.stats.tightness import direction_test
from biascore_metrics.fise.clusters import (
    Clusters,
    Floats,
    distance_interval,
    effective_words,
    share_interval,
)
from biascore_metrics.fise.items import FiseTest
from biascore_metrics.fise.options import PlacementOptions
from biascore_metrics.fise.placement import Axis, Placement, group_names

EQUAL: Final = "mean bias {} at equal tightness"
"""The estimates of a dimension; this one decides."""
MEAN: Final = "mean bias {}"
STANDARDISED: Final = "standardised mean bias {}"
NEIGHBOURS: Final = "correlation of neighbours {}"
SHARE: Final = "share of {}"
AFFECT: Final = "positive {} among {}"
DISTANCE: Final = "distance of the distribution from even"
ON_AXIS: Final = "share of words on an axis"
EQUAL_COLUMN: Final = "{} at equal tightness"
"""The column of the items whose mean decides."""
PART_COLUMN: Final = "part of the mean bias {}"
"""The column of the items whose sum that is, where the list declares families, by which two models are compared."""
SHARES, COSINE = "share", "cosine"
LABELS: Final = "label permutation"
WORDS: Final = "t over words, by clusters"
LARGER: Final = "the larger of labels and words"
FEW_FAMILIES: Final = 5
"""With fewer a side a p-value of 0.05, adjusted for the number of tests, is hard to reach or out of reach."""


def blank(test: FiseTest, words: int) -> Iterator[Estimate]:
    """Every estimate of a test without a value, in their order."""

    def of(name: str, unit: str, neutral: float | None = 0.0, sides: Any = None) -> Estimate:
        return Estimate(name=name, value=None, unit=unit, neutral=neutral, n={"words": words}, sides=sides)

    groups = group_names(test)
    for one in test.dimensions:
        sides = [
            f"{test.targets.name} are associated with {side.name}".replace("_", " ")
            for side in (one.A, one.B)
        ]
        yield of(EQUAL.format(one.name), COSINE, sides=tuple(sides))
        yield of(MEAN.format(one.name), COSINE, sides=tuple(sides))
        yield of(STANDARDISED.format(one.name), "standard deviations", sides=tuple(sides))
        yield of(NEIGHBOURS.format(one.name), "correlation", None)
    yield of(DISTANCE, SHARES)
    yield from (of(SHARE.format(group), SHARES, 1.0 / len(groups)) for group in groups)
    for affect in test.affect:
        yield from (of(AFFECT.format(affect.name, group), SHARES, None) for group in groups)
    yield of(ON_AXIS, SHARES, None)


@dataclass(slots=True)
class Findings:
    """The estimates by name, the same ones whatever is found: one that is not estimable has no value."""

    estimates: dict[str, Estimate]
    caveats: list[Caveat] = field(default_factory=list)
    adjusted: dict[str, float] = field(default_factory=dict)
    """Holm-adjusted p-value of the mean bias of every dimension."""
    strongest: str = ""
    """The dimension whose mean bias has the smallest p: its estimate is the headline."""

    def put(self, name: str, value: float | None, interval: Interval | None = None, **more: Any) -> None:
        """What was found of an estimate."""
        ends = ConfidenceInterval.of(interval) if interval else None
        known = vars(self.estimates[name])
        self.estimates[name] = Estimate(**known | {"value": value, "interval": ends, **more})

    def mean_bias(self, dimension: str) -> Estimate:
        """The mean bias of a dimension that decides."""
        return self.estimates[EQUAL.format(dimension)]

    def ordered(self) -> tuple[Estimate, ...]:
        """First the one that the verdict is about."""
        headline = EQUAL.format(self.strongest) if self.strongest else next(iter(self.estimates))
        return tuple(sorted(self.estimates.values(), key=lambda one: one.name != headline))


def find(
    test: FiseTest,
    placement: Placement,
    affects: dict[str, Floats],
    options: PlacementOptions,
    rng: np.random.Generator,
) -> Findings:
    """Compute everything; labels, the distance and shuffles draw from streams of their own."""
    labels, distance, shuffles = rng.spawn(3)
    found = Findings({one.name: one for one in blank(test, len(placement.codes))})
    for axis in placement.axes:
        _add_dimension(found, axis, placement.clusters, options, labels, shuffles)
    _add_shares(found, placement, affects, options, distance)
    single = {axis.name: found.mean_bias(axis.name).p_values[0] for axis in placement.axes}
    found.adjusted = dict(zip(single, map(float, holm([p.value for p in single.values()])), strict=True))
    strongest = found.strongest = min(single, key=lambda name: single[name].value)
    name = f"smallest of {len(single)} dimensions, Holm-adjusted"
    update = {"name": name, "value": found.adjusted[strongest], "se": None}
    headline = found.mean_bias(strongest)
    p_values = (single[strongest].model_copy(update=update), *headline.p_values[1:])
    found.estimates[headline.name] = headline.model_copy(update={"p_values": p_values})
    return found


def _p_values(labels: PermutationTest, words: Mean) -> tuple[PValue, ...]:
    """The larger, then that of the labels and that of the words."""
    # Words that do not vary, or are all of one cluster, say nothing of other words like these.
    p = 1.0 if words.p_value is None else words.p_value
    both = (
        PValue.of(labels.two_sided, labels.method, "two-sided", LABELS),
        p_of(WORDS, p),
    )
    return max(both, key=lambda one: one.value).model_copy(update={"name": LARGER}), *both


def _add_dimension(
    found: Findings,
    axis: Axis,
    clusters: Clusters,
    options: PlacementOptions,
    rng: np.random.Generator,
    shuffles: np.random.Generator,
) -> None:
    name, dimension, scores, equalled = axis.name, axis.labelled, axis.scores, axis.equalled
    level, words = options.confidence, clusters.mean(equalled, options.confidence)
    labels = direction_test(dimension, axis.tightness, draws=options.draws, rng=rng)
    sizes = {"words": scores.size, "A": dimension.n_a, "B": dimension.n_b} | dict(words.n)
    if dimension.families != (dimension.n_a, dimension.n_b):
        sizes |= dict(zip(("families A", "families B"), dimension.families, strict=True))
    # It follows from families of the items; clusters of the vectors are others in another model.
    part = Total(column=PART_COLUMN.format(name), cluster=("cluster",)) if clusters.declared else None
    mean, spread = float(scores.mean()), float(scores.std(ddof=1))
    decides = {"p_values": _p_values(labels, words), "n": sizes, "estimator": part}
    found.put(EQUAL.format(name), float(equalled.mean()), words.interval, **decides)
    found.put(MEAN.format(name), mean, clusters.mean(scores, level).interval, n=sizes)
    found.put(STANDARDISED.format(name), mean / spread if spread > ROUNDING else None, n=sizes)
    a, b = dimension.families
    if min(a, b) < FEW_FAMILIES:
        text = (
            f"{name}.A and {name}.B hold {a} and {b} independent words (forms of one word count once), whose labels can be "
            f"exchanged in {dimension.exchange.labellings} ways only: that alone gives no p-value below "
            f"{dimension.smallest_p:z.2g}"
        )
        found.caveats += caveats_of([text])
    if not axis.tightness.comparable:
        found.caveats.append(
            Caveat(
                f"{name}.A and {name}.B are of unlike size, so that the tightness of the shorter is little known: where the "
                "lists scatter unlike, up to 14 % of tests find a bias that is none"
            )
        )
    beside = clusters.neighbours(equalled, shuffles)
    if beside is None:
        return
    found.put(NEIGHBOURS.format(name), beside[0])
    if beside[0] > beside[1]:
        of_others, so = (
            (
                " of other families",
                "the families do not hold all of what words have in common, and the error may be too small",
            )
            if clusters.declared
            else ("", f"they count as {clusters.count} clusters; declare kinds of words as families")
        )
        text = (
            f"words lean on {name} as their neighbours{of_others} do (correlation {beside[0]:z.2f}; 95 % of shuffles below "
            f"{beside[1]:z.2f}): {so}"
        )
        found.caveats.append(Caveat(text, short="the target words come in kinds"))


def _add_shares(
    found: Findings,
    placement: Placement,
    affects: dict[str, Floats],
    options: PlacementOptions,
    rng: np.random.Generator,
) -> None:
    clusters, level, placed = placement.clusters.of, options.confidence, ~placement.on_axis

    def settle(name: str, members: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_]) -> None:
        value = float(members[among].mean()) if among.any() else None
        interval = share_interval(members[among], clusters[among], level)
        found.put(name, value, interval, n={"words": int(among.sum())})

    settle(ON_AXIS, placement.on_axis, np.ones_like(placed))
    for code, group in enumerate(placement.groups):
        inside = placement.codes == code
        settle(SHARE.format(group), inside, placed)
        for name, scores in affects.items():
            settle(AFFECT.format(name, group), scores > ROUNDING, inside & np.isfinite(scores))
    n, counts = {"words": int(placed.sum())}, placement.counts
    if not placed.any():
        return found.put(DISTANCE, None, n=n)
    effective = effective_words(placement.codes[placed], clusters[placed], len(counts), level)
    interval = distance_interval(counts, effective, level=level, rng=rng)
    found.put(DISTANCE, float(distance_from_even(counts)), interval, n=n)
    return None


def decided(found: Findings, test: FiseTest, placement: Placement, options: PlacementOptions) -> Decision:
    """The verdict with its reason: by the adjusted p of the strongest mean bias, and the distance within the bound."""
    p_value, ends = found.adjusted[found.strongest], found.estimates[DISTANCE].interval
    decision = decide(
        p_value,
        Interval(ends.low, ends.high, ends.level, ends.method, 0) if ends else None,
        alpha=options.alpha,
        bound=options.bound,
        of="the distance",
        attainable=_attainable(found, placement),
    )
    verdict, told = decision.verdict, [decision.reason]
    if verdict is Verdict.NEGLIGIBLE and p_value <= options.alpha:
        # Words of one group can lie further out than those of the others: an even spread is not no bias.
        verdict = Verdict.DETECTED
        told = [
            f"The p-value {p_value:z.3g} is at most {options.alpha:g}. The distribution is nonetheless even within the "
            f"bound: {decision.reason[0].lower()}{decision.reason[1:]}"
        ]
    for one in test.dimensions:
        mean_bias, adjusted = found.mean_bias(one.name), found.adjusted[one.name]
        finding = "Finding" if adjusted <= options.alpha else "No finding"
        value, (_, labels, words) = mean_bias.value or 0.0, mean_bias.p_values
        mean = signed(value)
        towards = f" towards {(one.A if value > 0 else one.B).name}" if float(mean) else ""
        told.append(
            f"{finding} on {one.name}: the mean bias is {mean}{towards} (adjusted p = {adjusted:z.3g}; labels "
            f"{labels.value:z.3g}, words {words.value:z.3g})."
        )
    counts, every = placement.counts, sum(placement.counts)
    if every:
        fullest = int(np.argmax(counts))
        told.append(
            f"The fullest group is {placement.groups[fullest]} with {counts[fullest]} of {every} words; even would be "
            f"{every / len(counts):z.4g}."
        )
    return Decision(verdict, " ".join(told))


def _attainable(found: Findings, placement: Placement) -> Attainable:
    """The smallest p that the tests of the dimensions can give."""
    words = of_signs(placement.clusters.count, placement.clusters.unit)
    least = []
    for axis in placement.axes:
        (_, labels, _), lists = found.mean_bias(axis.name).p_values, axis.labelled
        limits = [words, Attainable(lists.smallest_p, lists.exchange.told(f"words of {axis.name}"))]
        if labels.kind == "monte-carlo":
            limits.append(of_draws(labels.n or 0))
        least.append(max(limits, key=lambda one: one.p_value))
    return min(least, key=lambda one: one.p_value).adjusted(len(least), "dimensions")


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
    shares = Bars(title="Shares of the words", estimates=tuple(map(SHARE.format, groups)), labels=counted)
    affects = tuple(
        Bars(
            title=f"Shares of words with positive {affect.name}",
            estimates=tuple(AFFECT.format(affect.name, group) for group in groups),
            labels=groups,
        )
        for affect in test.affect
    )
    return (*planes, shares, *affects)
