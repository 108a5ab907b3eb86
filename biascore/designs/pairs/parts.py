"""Parts of a measurement that differ where all pairs together do not: opposite bias types, a lopsided mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from biascore.designs.pairs.estimates import (
    EVEN,
    NEGATIVE,
    PERCENT,
    POSITIVE,
    bias_type_name,
    preference,
)
from biascore.designs.pairs.options import PairOptions
from biascore.designs.pairs.scores import Paired
from biascore.results.estimates import ConfidenceInterval, Estimate, PValue
from biascore.stats import holm

Part = tuple[str, PValue, bool]
"""Its name and value in words, its p, and whether its whole interval is within the bound."""


def differing(scores: Paired, mean: Estimate, options: PairOptions) -> list[tuple[str, PValue]]:
    """The parts that are significant at alpha (Holm) and not small themselves, with their adjusted p, smallest first.

    They are the bias types, B- and B+ by their pairs with a preference, if they do not hold all pairs, and the mean
    difference. The mean is small within the bound's own distance from 0 of normal differences: 0.126 standard deviations
    where the bound is 5, as 55 % of them would be above 0.
    """
    parts = list(_parts(scores, mean, options))
    name = f"smallest of {len(parts)} part(s), Holm-adjusted"
    found = [
        (f"{told}, p = {p:.3g})", one.model_copy(update={"name": name, "value": float(p)}))
        for (told, one, small), p in zip(parts, holm([one.value for _, one, _ in parts]), strict=True)
        if p <= options.alpha and not small
    ]
    return sorted(found, key=lambda one: one[1].value)


def _parts(scores: Paired, mean: Estimate, options: PairOptions) -> Iterator[Part]:
    decided = [one for one in scores.pairs if one.preferred != "neutral"]
    subsets = {
        bias_type_name(name): [p for p in decided if p.pair.bias_type == name] for name in scores.bias_types
    }
    for name, direction in ((NEGATIVE, "stereo"), (POSITIVE, "antistereo")):
        subsets[name] = [one for one in decided if one.pair.stereo_antistereo == direction]
    bound = options.bound
    for name, pairs in subsets.items():
        if 0 < len(pairs) < len(decided):
            one = preference(pairs, options.confidence).estimate(name, PERCENT)
            yield f"{name} ({one.value:.1f} %", one.p_values[0], _within(one.interval, EVEN, bound)
    if mean.p_values:
        limit = bound and float(
            np.std([one.difference for one in scores.pairs], ddof=1) * ndtri((EVEN + bound) / 100)
        )
        told = f"{mean.name} ({mean.value:+.3g} {mean.unit}"
        yield told, mean.p_values[0], _within(mean.interval, 0.0, limit)


def _within(interval: ConfidenceInterval | None, neutral: float, bound: float | None) -> bool:
    if interval is None or bound is None:
        return False
    return neutral - bound <= interval.low and interval.high <= neutral + bound
