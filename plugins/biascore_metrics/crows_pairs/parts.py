"""Parts of a measurement that differ where all pairs together do not: opposite bias types, a lopsided mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from biascore.plugins_api import Estimate, PValue
from biascore.stats import holm
from biascore_metrics.crows_pairs.estimates import (
    EVEN,
    NEGATIVE,
    POSITIVE,
    bias_type_name,
    preference_interval,
    preference_test,
)
from biascore_metrics.crows_pairs.options import PairOptions
from biascore_metrics.crows_pairs.scored import ScoredPair, Scores, count


@dataclass(frozen=True, slots=True)
class Part:
    """A bias type, a direction or the mean difference: its value in words, its p, and whether it is itself small."""

    name: str
    value: str
    p_value: PValue
    negligible: bool
    """Whether its whole interval lies within the bound."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one measurement with their p-values, adjusted for their number (Holm)."""

    parts: tuple[Part, ...]
    adjusted: tuple[float, ...]

    @classmethod
    def of(cls, scores: Scores, mean: Estimate, options: PairOptions) -> Parts:
        """Bias types, B- and B+ by their pairs with a preference, and the mean difference.

        What holds all pairs is no part. The mean is small within the bound's own distance from 0 of normal differences:
        0.126 standard deviations where the bound is 5, as 55 % of them would be above 0.
        """
        parts = [*_shares(scores, options), *_mean(scores.pairs, mean, options)]
        adjusted = holm([one.p_value.value for one in parts])
        return cls(tuple(parts), tuple(map(float, adjusted)))

    def found(self, alpha: float) -> tuple[tuple[Part, float], ...]:
        """The parts that are told from chance at alpha and are not small themselves, with their adjusted p."""
        together = zip(self.parts, self.adjusted, strict=True)
        return tuple((part, p) for part, p in together if p <= alpha and not part.negligible)

    def told(self, alpha: float) -> str:
        """``B age (62.0 %, p = 0.001) and B race (38.0 %, p = 0.002)``, or an empty text."""
        return " and ".join(f"{part.name} ({part.value}, p = {p:.3g})" for part, p in self.found(alpha))

    def deciding(self, alpha: float) -> PValue:
        """The smallest adjusted p of those found; raises ValueError where none is."""
        part, p = min(self.found(alpha), key=lambda one: one[1])
        some = len(self.parts)
        name = (
            f"smallest of {some} parts, Holm-adjusted"
            if some > 1
            else f"{part.p_value.name} of the {part.name}"
        )
        return part.p_value.model_copy(update={"name": name, "value": p, "se": None})


def _shares(scores: Scores, options: PairOptions) -> Iterator[Part]:
    decided = [one for one in scores.pairs if one.preferred != "neutral"]
    subsets = {
        bias_type_name(name): [p for p in decided if p.pair.bias_type == name] for name in scores.bias_types
    }
    for name, direction in ((NEGATIVE, "stereo"), (POSITIVE, "antistereo")):
        subsets[name] = [one for one in decided if one.pair.stereo_antistereo == direction]
    for name, pairs in subsets.items():
        if 0 < len(pairs) < len(decided):
            yield _share(name, pairs, options)


def _share(name: str, pairs: Sequence[ScoredPair], options: PairOptions) -> Part:
    interval, bound = preference_interval(pairs, options.confidence), options.bound
    return Part(
        name,
        f"{100 * count(pairs, 'more') / len(pairs):.1f} %",
        preference_test(pairs),
        negligible=bound is not None
        and interval is not None
        and EVEN - bound <= interval.low
        and interval.high <= EVEN + bound,
    )


def _mean(pairs: Sequence[ScoredPair], mean: Estimate, options: PairOptions) -> Iterator[Part]:
    if not mean.p_values:
        return
    small = False
    if options.bound is not None and mean.interval is not None:
        spread = float(np.std([one.difference for one in pairs], ddof=1))
        limit = spread * float(ndtri((EVEN + options.bound) / 100))
        small = -limit <= mean.interval.low and mean.interval.high <= limit
    yield Part(mean.name, f"{mean.value:+.3g} {mean.unit}", mean.p_values[0], negligible=small)
