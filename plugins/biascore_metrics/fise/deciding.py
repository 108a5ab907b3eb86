"""The verdict of a placement, its findings named by dimension."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from biascore.plugins_api import FiseTest
from biascore.stats import Decision, Verdict, decide, holm
from biascore_metrics.fise.findings import Findings
from biascore_metrics.fise.options import PlacementOptions
from biascore_metrics.fise.placement import Placement
from biascore_metrics.fise.statistics import (
    DISTANCE,
    EXPECTED,
    axes_name,
    interaction_name,
    mean_name,
)


def decision_of(
    test: FiseTest, found: Findings, placement: Placement, options: PlacementOptions
) -> tuple[Decision, str]:
    """The verdict with its reason, and why the distance is held against no bound; empty where it is."""
    p_value = found.adjusted[found.strongest]
    interval = found.intervals[DISTANCE]
    decision = decide(
        p_value,
        interval,
        alpha=options.alpha,
        bound=options.bound,
        of="the distance",
        attainable=found.attainable,
    )
    verdict, reason = decision.verdict, decision.reason
    withheld = ""
    if verdict is Verdict.NEGLIGIBLE:
        # Words of one group can lie further out than those of the others: an even spread is not no bias.
        even = f"The distribution is nonetheless even within the bound: {reason[0].lower()}{reason[1:]}"
        if p_value <= options.alpha:
            verdict = Verdict.DETECTED
            reason = f"The p-value {p_value:.3g} is at most {options.alpha:g}. {even}"
        elif withheld := _beside(found, placement, options):
            verdict, reason = Verdict.INCONCLUSIVE, f"Not negligible, for {withheld}. {even}"
    sentences = [
        reason,
        *(_of_dimension(test, found, name, options.alpha) for name in placement.names),
        *(_of_pair(found, *pair) for pair in combinations(placement.names, 2)),
        _of_distribution(found, placement),
    ]
    return Decision(verdict, " ".join(filter(None, sentences))), withheld


def _beside(found: Findings, placement: Placement, options: PlacementOptions) -> str:
    """What does not suffice to detect a bias, and is no sign of its absence either: labels alone, and interactions."""
    single = {name: found.p_values.get(name, ()) for name in map(mean_name, placement.names)}
    single |= {
        name: found.p_values.get(name, ())
        for name in (interaction_name(*pair) for pair in combinations(placement.names, 2))
    }
    tested = {name: p_values[0].value for name, p_values in single.items() if p_values}
    adjusted = dict(zip(tested, map(float, holm(list(tested.values()))), strict=True))
    told = [f"{name} (p = {p:.3g})" for name, p in adjusted.items() if p <= options.alpha]
    return f"labels permuted seldom give such a {' or '.join(told)}" if told else ""


def _of_dimension(test: FiseTest, found: Findings, name: str, alpha: float) -> str:
    leaning, adjusted = found.leanings[name], found.adjusted[name]
    lists = next(dimension for dimension in test.dimensions if dimension.name == name)
    side = lists.A.name if leaning.value > 0 else lists.B.name
    told = "Finding" if adjusted <= alpha else "No finding"
    _, labels, words = leaning.p_values
    sentence = (
        f"{told} on {name}: the mean bias is {leaning.value:+.3f}{f' towards {side}' if leaning.value else ''} "
        f"(adjusted p = {adjusted:.3g}; labels {labels.value:.3g}, words {words.value:.3g})"
    )
    if leaning.explained:
        return f"{sentence}, which the scatter of its lists may explain."
    return f"{sentence}."


def _of_pair(found: Findings, one: str, other: str) -> str:
    """The interaction beside the cosine of the axes: it does not decide."""
    name = interaction_name(one, other)
    p_values, axes = found.p_values.get(name, ()), found.values.get(axes_name(one, other))
    if not p_values or axes is None:
        return ""
    return (
        f"The {name} is {found.values[name]:+.3g} (p = {p_values[0].value:.3g}) where the axes themselves have a cosine of "
        f"{axes:+.3g}, and does not decide."
    )


def _of_distribution(found: Findings, placement: Placement) -> str:
    if EXPECTED in found.values:
        by_chance = f"random labels give {found.values[EXPECTED]:.3g} on average"
    else:
        by_chance = "random labels put no word into a group"
    counts = placement.counts
    fullest = int(np.argmax(counts))
    return (
        f"The distance is {found.values[DISTANCE]:.3g} (p = {found.p_values[DISTANCE][0].value:.3g}), and {by_chance}. "
        f"The fullest group is {placement.groups[fullest]} with {counts[fullest]} of {sum(counts)} words; "
        f"even would be {sum(counts) / len(counts):.4g}."
    )
