"""A model as reader of texts: it scores them, and what it says of two groups on neutral texts is measured first.

A regressor of emotions, say, may itself score texts about women and men unequally. A difference between texts about two
groups that it reads is theirs and its own together, so its own gap stands next to every result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from biascore.errors import CapabilityError, OptionsError
from biascore.models.model import Model
from biascore.readers.reading import Reading
from biascore.stats.association import ZeroVarianceError
from biascore.stats.bootstrap import Interval
from biascore.stats.robust_mean import robust_mean

LEAST_PAIRS: Final = 20
SCORED: Final = "scored"
NOT_SCORED: Final = "not scored"
SCORES: Final = (SCORED, NOT_SCORED)


@dataclass(frozen=True, slots=True)
class OwnGap:
    """What a reader gives the first of two groups more than the second on neutral texts, in the unit of its scores.

    ``interval`` is None where all ``n`` pairs differ by the same.
    """

    groups: tuple[str, str]
    gap: float
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True)
class ScoreReading(Reading):
    """``score``: what the model gives the text, None where that is no finite number; with the reader's own gap."""

    score: float | None = None
    own_gap: OwnGap | None = None


class ModelReader:
    """A model with the capability ``score``, and its own gap between two ``groups``.

    ``neutral`` are at least 20 pairs of texts, the first about the first group, that differ in the group only and have no
    other reason to be scored unequally. Raises OptionsError for fewer, or pairs that are no pairs; CapabilityError where the
    model scores no text.
    """

    outcomes: Final = SCORES

    def __init__(
        self,
        model: Model,
        quantity: str,
        neutral: Sequence[tuple[str, str]],
        groups: tuple[str, str],
        level: float = 0.95,
    ) -> None:
        pairs = list(dict.fromkeys(neutral))
        if len(pairs) < LEAST_PAIRS:
            raise OptionsError(
                f"{model.name} as a reader needs {LEAST_PAIRS} different pairs of neutral texts about {groups[0]} and "
                f"{groups[1]}, which show its own gap, and has {len(pairs)}. Add pairs such as en/readers/women_men"
            )
        alike = [pair for pair in pairs if not _is_pair(*pair)]
        if alike:
            raise OptionsError(
                f"{alike[0][0]!r} and {alike[0][1]!r} do not differ in the group only: a pair has as many words, and "
                "at most a third of them differ. Correct the pair"
            )
        self.model = model
        self.quantity = quantity
        scores = model.score([text for pair in pairs for text in pair], quantity).reshape(-1, 2)
        if not np.isfinite(scores).all():
            raise CapabilityError(
                f"{model.name} gives no score to a neutral text, so its own gap cannot be measured"
            )
        differences = scores[:, 0] - scores[:, 1]
        try:
            interval = robust_mean(differences, level=level).interval
        except ZeroVarianceError:
            interval = None
        self.own_gap = OwnGap(groups, float(differences.mean()), interval, len(pairs))

    def read(self, texts: Iterable[str]) -> tuple[ScoreReading, ...]:
        """The score of each text, in order."""
        asked = list(texts)
        return tuple(
            ScoreReading(SCORED, (), float(score), self.own_gap)
            if np.isfinite(score)
            else ScoreReading(NOT_SCORED, (), None, self.own_gap)
            for score in (self.model.score(asked, self.quantity) if asked else ())
        )


def _is_pair(one: str, other: str) -> bool:
    left, right = one.split(), other.split()
    differ = sum(a != b for a, b in zip(left, right, strict=False))
    return len(left) == len(right) and 0 < differ <= max(1, len(left) // 3)
