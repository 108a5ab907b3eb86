"""From a placement to the numbers of a measurement: values, intervals and p-values by the name of their estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Caveat, ConfidenceInterval, Estimate, PValue, Total, caveats_of
from biascore.stats import Attainable, Decision, Interval, Verdict, decide, holm
from biascore.stats.attainable import of_draws, of_signs
from biascore.stats.labels import ROUNDING, Labelled, distance_from_even
from biascore_metrics.fise import rows as names
from biascore_metrics.fise.affect import Affects
from biascore_metrics.fise.intervals import distance_interval, effective_words, share_interval
from biascore_metrics.fise.kind import FiseTest
from biascore_metrics.fise.leanings import Leaning
from biascore_metrics.fise.options import PlacementOptions
from biascore_metrics.fise.placement import Placement

FEW_FAMILIES: Final = 5
"""With fewer a side a p-value of 0.05, adjusted for the number of tests, is hard to reach or out of reach."""


@dataclass(slots=True)
class Findings:
    """What was found, by the name of the estimate; a name that is missing was not estimable."""

    words: int = 0
    values: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, Interval] = field(default_factory=dict)
    p_values: dict[str, tuple[PValue, ...]] = field(default_factory=dict)
    n: dict[str, Mapping[str, int]] = field(default_factory=dict)
    caveats: list[Caveat] = field(default_factory=list)
    """Cautions that words lean as their neighbours do."""
    leanings: dict[str, Leaning] = field(default_factory=dict)
    """The mean bias of every dimension."""
    adjusted: dict[str, float] = field(default_factory=dict)
    """Holm-adjusted p-value of the mean bias of every dimension."""
    attainable: Attainable | None = None
    """The smallest p that they can give."""

    @property
    def strongest(self) -> str:
        """The dimension whose mean bias has the smallest p: its estimate is the headline."""
        return min(self.leanings, key=lambda name: self.leanings[name].p_values[0].value)

    def estimates(self, test: FiseTest) -> tuple[Estimate, ...]:
        """All estimates of a test, the same ones whatever was found: first the one that the verdict is about."""
        rows = list(names.rows_of(test))
        headline = names.equal_name(self.strongest) if self.leanings else rows[0][0]
        return tuple(self._estimate(test, *row) for row in sorted(rows, key=lambda row: row[0] != headline))

    def _estimate(self, test: FiseTest, name: str, unit: str, neutral: float | None) -> Estimate:
        interval = self.intervals.get(name)
        return Estimate(
            name=name,
            value=self.values.get(name),
            unit=unit,
            neutral=neutral,
            n=self.n.get(name, {"words": self.words}),
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=self.p_values.get(name, ()),
            sides=_sides(test, name),
            estimator=self._from_items(test, name),
        )

    def _from_items(self, test: FiseTest, name: str) -> Total | None:
        """How a deciding mean bias follows from families; clusters of the vectors are others in another model."""
        parts = {names.equal_name(one): names.part_column(one) for one in self.leanings}
        if name not in parts or not test.targets.families:
            return None
        return Total(column=parts[name], cluster=("cluster",))

    def decision(self, test: FiseTest, placement: Placement, options: PlacementOptions) -> Decision:
        """The verdict with its reason: by the adjusted p of the strongest mean bias, and the distance within the bound."""
        p_value = self.adjusted[self.strongest]
        decision = decide(
            p_value,
            self.intervals.get(names.DISTANCE),
            alpha=options.alpha,
            bound=options.bound,
            of="the distance",
            attainable=self.attainable,
        )
        verdict, reason = decision.verdict, decision.reason
        if verdict is Verdict.NEGLIGIBLE and p_value <= options.alpha:
            # Words of one group can lie further out than those of the others: an even spread is not no bias.
            verdict = Verdict.DETECTED
            reason = (
                f"The p-value {p_value:.3g} is at most {options.alpha:g}. The distribution is nonetheless even within "
                f"the bound: {reason[0].lower()}{reason[1:]}"
            )
        told = [self._told(test, name, options.alpha) for name in placement.names]
        counts = placement.counts
        if sum(counts):
            fullest = int(np.argmax(counts))
            told.append(
                f"The fullest group is {placement.groups[fullest]} with {counts[fullest]} of {sum(counts)} words; even "
                f"would be {sum(counts) / len(counts):.4g}."
            )
        return Decision(verdict, " ".join([reason, *told]))

    def _told(self, test: FiseTest, name: str, alpha: float) -> str:
        leaning, adjusted = self.leanings[name], self.adjusted[name]
        lists = next(dimension for dimension in test.dimensions if dimension.name == name)
        side = lists.A.name if leaning.value > 0 else lists.B.name
        _, labels, words = leaning.p_values
        return (
            f"{'Finding' if adjusted <= alpha else 'No finding'} on {name}: the mean bias is {leaning.value:+.3f}"
            f"{f' towards {side}' if leaning.value else ''} (adjusted p = {adjusted:.3g}; labels {labels.value:.3g}, words "
            f"{words.value:.3g})."
        )


def find(
    placement: Placement, affects: Affects, options: PlacementOptions, rng: np.random.Generator
) -> Findings:
    """Compute everything; labels, the distance and shuffles draw from streams of their own."""
    labels, distance, shuffles = rng.spawn(3)
    found = Findings(words=len(placement.codes))
    for place in range(len(placement.names)):
        _add_dimension(found, placement, place, options, labels, shuffles)
    _add_shares(found, placement, affects, options, distance)
    _add_deciding(found, placement)
    return found


def _add_dimension(
    found: Findings,
    placement: Placement,
    place: int,
    options: PlacementOptions,
    rng: np.random.Generator,
    shuffles: np.random.Generator,
) -> None:
    name, dimension, clusters = placement.names[place], placement.labelled[place], placement.clusters
    tightness, scores = placement.tightness[place], placement.scores[:, place]
    leaning = Leaning.of(
        dimension, tightness, clusters, level=options.confidence, draws=options.draws, rng=rng
    )
    found.leanings[name] = leaning
    equal, mean, standardised = (
        of(name) for of in (names.equal_name, names.mean_name, names.standardised_name)
    )
    found.values |= {equal: leaning.value, mean: float(scores.mean())}
    spread = float(scores.std(ddof=1))
    if spread > ROUNDING:
        found.values[standardised] = found.values[mean] / spread
    for estimate, words in ((equal, leaning.words), (mean, clusters.mean(scores, options.confidence))):
        if words.interval is not None:
            found.intervals[estimate] = words.interval
    found.p_values[equal] = leaning.p_values
    sizes = {"words": found.words, "A": dimension.n_a, "B": dimension.n_b} | dict(leaning.words.n)
    if dimension.families != (dimension.n_a, dimension.n_b):
        sizes |= dict(zip(("families A", "families B"), dimension.families, strict=True))
    found.n |= dict.fromkeys((equal, mean, standardised), sizes)
    found.caveats += caveats_of(_few_families(name, dimension))
    if not tightness.comparable:
        found.caveats.append(
            Caveat(
                f"{name}.A and {name}.B are of unlike size, so that the tightness of the shorter is little known: where the "
                "lists scatter unlike, up to 14 % of tests find a bias that is none"
            )
        )
    beside = clusters.neighbours(tightness.equalled(dimension), shuffles)
    if beside is not None:
        found.values[names.neighbours_name(name)], high = beside
        if beside[0] > high:
            text = (
                f"words lean on {name} as their neighbours{' of other families' if clusters.declared else ''} do "
                f"(correlation {beside[0]:.2f}; 95 % of shuffles below {high:.2f}): "
                + (
                    "the families do not hold all of what words have in common, and the error may be too small"
                    if clusters.declared
                    else f"they count as {clusters.count} clusters; declare kinds of words as families"
                )
            )
            found.caveats.append(Caveat(text, short="the target words come in kinds"))


def _add_shares(
    found: Findings,
    placement: Placement,
    affects: Affects,
    options: PlacementOptions,
    rng: np.random.Generator,
) -> None:
    clusters, level = placement.clusters.of, options.confidence

    def settle(name: str, members: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_]) -> None:
        found.n[name] = {"words": int(among.sum())}
        interval = share_interval(members[among], clusters[among], level)
        if among.any():
            found.values[name] = float(members[among].mean())
        if interval is not None:
            found.intervals[name] = interval

    placed = ~placement.on_axis
    settle(names.ON_AXIS, placement.on_axis, np.ones_like(placed))
    for code, group in enumerate(placement.groups):
        inside = placement.codes == code
        settle(names.share_name(group), inside, placed)
        for name, scores in affects.scores.items():
            settle(names.affect_name(name, group), scores > ROUNDING, inside & np.isfinite(scores))
    found.n[names.DISTANCE] = {"words": int(placed.sum())}
    if placed.any():
        effective = effective_words(placement.codes[placed], clusters[placed], len(placement.groups), level)
        found.values[names.DISTANCE] = float(distance_from_even(placement.counts))
        found.intervals[names.DISTANCE] = distance_interval(placement.counts, effective, level=level, rng=rng)


def _add_deciding(found: Findings, placement: Placement) -> None:
    """Adjust the p of the strongest mean bias for the number of dimensions (Holm)."""
    single = {name: one.p_values[0] for name, one in found.leanings.items()}
    found.adjusted = dict(zip(single, map(float, holm([p.value for p in single.values()])), strict=True))
    deciding = single[found.strongest].model_copy(
        update={
            "name": f"smallest of {len(single)} dimensions, Holm-adjusted",
            "value": found.adjusted[found.strongest],
            "se": None,
        }
    )
    headline = names.equal_name(found.strongest)
    found.p_values[headline] = (deciding, *found.p_values[headline][1:])
    words = of_signs(placement.clusters.count, placement.clusters.unit)
    least = [
        max(words, _attainable(name, dimension, found.leanings[name]), key=lambda one: one.p_value)
        for name, dimension in zip(placement.names, placement.labelled, strict=True)
    ]
    found.attainable = min(least, key=lambda one: one.p_value).adjusted(len(single), "dimensions")


def _attainable(name: str, dimension: Labelled, leaning: Leaning) -> Attainable:
    counted = Attainable(dimension.smallest_p, dimension.exchange.told(f"words of {name}"))
    if leaning.labels.method == "exact":
        return counted
    return max(counted, of_draws(leaning.labels.two_sided.n_total), key=lambda one: one.p_value)


def _few_families(name: str, lists: Labelled) -> list[str]:
    """That the labels of a dimension can be exchanged in few ways, if so."""
    a, b = lists.families
    if min(a, b) >= FEW_FAMILIES:
        return []
    return [
        f"{name}.A and {name}.B hold {a} and {b} independent words (forms of one word count once), whose labels can "
        f"be exchanged in {lists.exchange.labellings} ways only: that alone gives no p-value below {lists.smallest_p:.2g}"
    ]


def _sides(test: FiseTest, name: str) -> tuple[str, str] | None:
    """The sides of the words above and below 0 of a mean bias, by the names of the lists of its dimension."""
    for one in test.dimensions:
        if name in (names.mean_name(one.name), names.equal_name(one.name), names.standardised_name(one.name)):
            a, b = (
                f"{test.targets.name} are associated with {side.name}".replace("_", " ")
                for side in (one.A, one.B)
            )
            return a, b
    return None
