"""From scored pairs to shares and mean differences, each with its interval and test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.designs.pairs.scores import Paired, ScoredPair, clusters_of
from biascore.designs.pairs.test import SentencePair
from biascore.results.estimates import ConfidenceInterval, Estimate, PValue
from biascore.results.estimators import EVERY_ITEM, Contrast
from biascore.stats import Interval, RegressionError, RobustMean, ZeroVarianceError, holm, robust_mean
from biascore.stats.proportions import clustered_binomial_test, clustered_wilson_interval

B: Final = "stereotype score B"
PREFERRING: Final = "B of pairs with a preference"
NEGATIVE: Final = "B- (negative stereotypes of underprivileged groups)"
POSITIVE: Final = "B+ (positive stereotypes of privileged groups)"
NEUTRAL: Final = "neutral"
PUBLISHED: Final = "published metric score"
PUBLISHED_STEREO: Final = "published stereotype score"
PUBLISHED_ANTISTEREO: Final = "published antistereotype score"
MAX_NEUTRAL: Final = 0.05
NATS: Final = "nats"
EVEN: Final = 50.0
"""Percent: neither sentence is preferred."""
FROM_ITEMS: Final = Contrast(
    column="preferred", equal_to="more", groups={EVERY_ITEM: 100.0}, key=("item", "sent_less", "group")
)
"""How B follows from the items: the percentage of pairs whose more stereotypical sentence is preferred."""


def bias_type_name(bias_type: str) -> str:
    """The name of the share of one bias type."""
    return f"B {bias_type}"


@dataclass(frozen=True, slots=True)
class Shares:
    """The percentages of one measurement in their order; ``preferring`` decides the verdict."""

    headline: Estimate
    preferring: Estimate
    preferring_interval: Interval | None
    subsets: tuple[Estimate, ...]
    bias_types: tuple[Estimate, ...]
    published: tuple[Estimate, ...]

    @property
    def few_prefer(self) -> bool:
        """Whether so many pairs are neutral that B of those with a preference is the headline."""
        pairs, preferring = self.headline.n["pairs"], self.preferring.n["pairs"]
        return preferring > 0 and pairs - preferring > MAX_NEUTRAL * pairs


def shares(scores: Paired, level: float) -> Shares:
    """B of all pairs, of the subsets of section B.4 and of each bias type, and what the published code prints."""
    pairs = scores.pairs
    decided = [one for one in pairs if one.preferred != "neutral"]
    stereo, antistereo = (_of_direction(pairs, direction) for direction in ("stereo", "antistereo"))
    neutral = _percentage(
        NEUTRAL,
        [one.pair for one in pairs],
        [one.preferred == "neutral" for one in pairs],
        level,
        neutral=None,
    )
    every = [*(one.pair for one in pairs), *(pair for pair, _ in scores.lost)]
    chosen = [one.preferred == "more" for one in pairs] + [False] * len(scores.lost)
    return Shares(
        headline=share_of(B, pairs, level).model_copy(update={"estimator": FROM_ITEMS}),
        preferring=share_of(PREFERRING, decided, level),
        preferring_interval=preference_interval(decided, level),
        subsets=(share_of(NEGATIVE, stereo, level), share_of(POSITIVE, antistereo, level), neutral),
        bias_types=_bias_types(scores, level),
        published=(
            # The published code scores a pair that shares nothing, or whose sentences are equal, as neutral.
            _percentage(PUBLISHED, every, chosen, level, decided=decided),
            share_of(PUBLISHED_STEREO, _of_direction(decided, "stereo"), level),
            share_of(PUBLISHED_ANTISTEREO, _of_direction(decided, "antistereo"), level),
        ),
    )


def mean_of(
    differences: Sequence[float] | npt.NDArray[np.float64],
    clusters: Sequence[str],
    level: float,
    weights: npt.NDArray[np.float64] | None = None,
) -> RobustMean | str:
    """The mean of paired differences (n,), by clusters where one has several; or why there is none."""
    if not len(differences):
        return "no pair could be scored"
    try:
        return robust_mean(differences, weights, clusters, level)
    except (ZeroVarianceError, RegressionError) as error:
        return str(error)


def mean_estimate(name: str, found: RobustMean | str, n: int) -> Estimate:
    """A mean of n differences in nats, with its interval and test; no value where there is none."""
    if isinstance(found, str):
        return Estimate(name=name, value=None, unit=NATS, n={"pairs": n})
    return Estimate(
        name=name,
        value=found.mean,
        unit=NATS,
        n={"pairs": n} | ({"templates": found.n_clusters} if found.n_clusters else {}),
        interval=ConfidenceInterval.of(found.interval),
        p_values=(
            PValue(
                name=f"robust t, {found.error}",
                value=found.p_value(),
                kind="asymptotic",
                alternative="two-sided",
            ),
        ),
    )


def _of_direction(pairs: Sequence[ScoredPair], direction: str) -> list[ScoredPair]:
    return [one for one in pairs if one.pair.stereo_antistereo == direction]


def _bias_types(scores: Paired, level: float) -> tuple[Estimate, ...]:
    plain = [
        share_of(bias_type_name(name), [one for one in scores.pairs if one.pair.bias_type == name], level)
        for name in scores.bias_types
    ]
    adjusted = holm([one.p_values[0].value if one.p_values else None for one in plain])
    return tuple(
        one.model_copy(
            update={
                "p_values": (
                    *one.p_values,
                    _exact(f"{one.p_values[0].name}, Holm over bias types", float(p)),
                )
            }
        )
        if one.p_values
        else one
        for one, p in zip(plain, adjusted, strict=True)
    )


def share_of(name: str, pairs: Sequence[ScoredPair], level: float) -> Estimate:
    """The percentage of these pairs that prefer sent_more, with Wilson's interval and the binomial test."""
    chosen = [one.preferred == "more" for one in pairs]
    decided = [one for one in pairs if one.preferred != "neutral"]
    return _percentage(name, [one.pair for one in pairs], chosen, level, decided=decided)


def preference_test(decided: Sequence[ScoredPair]) -> PValue:
    """Of pairs with a preference: the binomial test of 1/2, in which the pairs of one template change sides together."""
    chosen, clusters = (
        [one.preferred == "more" for one in decided],
        clusters_of([one.pair for one in decided]),
    )
    several = len(set(clusters)) < len(clusters)
    return _exact(
        "sign-flip by template" if several else "binomial", clustered_binomial_test(chosen, clusters)
    )


def preference_interval(decided: Sequence[ScoredPair], level: float) -> Interval | None:
    """Wilson's interval in per cent, by templates where there are any; None for no pair, or one template of several."""
    return _interval([one.pair for one in decided], [one.preferred == "more" for one in decided], level)


def _interval(pairs: Sequence[SentencePair], chosen: Sequence[bool], level: float) -> Interval | None:
    clusters = clusters_of(pairs)
    if not clusters or len(set(clusters)) == 1 < len(clusters):
        return None
    found = clustered_wilson_interval(chosen, clusters, level=level)
    return Interval(100.0 * found.low, 100.0 * found.high, found.level, found.method, 0)


def _percentage(
    name: str,
    pairs: Sequence[SentencePair],
    chosen: Sequence[bool],
    level: float,
    *,
    decided: Sequence[ScoredPair] = (),
    neutral: float | None = EVEN,
) -> Estimate:
    """The percentage of ``pairs`` that are ``chosen``, with its interval, and the test of those that prefer a sentence.

    A share with a ``neutral`` value has none itself where no pair prefers a sentence: 0 would read as the strongest
    preference for the other ones, and 50 as evidence of balance.
    """
    known = len(pairs) > 0 and (len(decided) > 0 or neutral is None)
    interval = _interval(pairs, chosen, level) if known else None
    templates = len(set(clusters_of(pairs)))
    return Estimate(
        name=name,
        value=100.0 * sum(chosen) / len(pairs) if known else None,
        unit="%",
        neutral=neutral,
        n={"pairs": len(pairs)} | ({"templates": templates} if templates < len(pairs) else {}),
        interval=ConfidenceInterval.of(interval) if interval else None,
        p_values=(preference_test(decided),) if decided else (),
    )


def _exact(name: str, p: float) -> PValue:
    return PValue(name=name, value=p, kind="exact", alternative="two-sided")
