"""The mean bias of a dimension: the side of its words, and whether labels and words both reject.

Labels of attribute words permuted, with the target words fixed, and target words drawn anew, with the attribute words fixed,
are two conditionings, and neither holds the other. Real lists and any few words give the first, lists without a meaning and
words of one topic the second. A bias of the lists on words like these needs both (Clark 1973).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from biascore.api.metrics import PValue
from biascore.designs.mean import Mean
from biascore.stats import PermutationTest
from biascore.stats.labels import Labelled
from biascore.stats.tightness import Tightness, direction_test
from biascore_metrics.fise.clusters import Clusters

LABELS: Final = "label permutation"
WORDS: Final = "t over words, by clusters"
LARGER: Final = "the larger of labels and words"


@dataclass(frozen=True, slots=True)
class Leaning:
    """The mean bias of one dimension at equal tightness of its lists, and its two tests."""

    value: float
    labels: PermutationTest
    words: Mean
    """Without a p-value where the words do not vary, or are all of one cluster."""

    @classmethod
    def of(
        cls,
        dimension: Labelled,
        tightness: Tightness,
        clusters: Clusters,
        *,
        level: float,
        draws: int,
        rng: np.random.Generator,
    ) -> Leaning:
        """``clusters`` are those of the words."""
        scores = tightness.equalled(dimension)
        labels = direction_test(dimension, tightness, draws=draws, rng=rng)
        return cls(float(scores.mean()), labels, clusters.mean(scores, level))

    @property
    def p_values(self) -> tuple[PValue, ...]:
        """The larger, then that of the labels and that of the words."""
        labels = PValue.of(self.labels.two_sided, self.labels.method, "two-sided", LABELS)
        # Words that do not vary say nothing of other words like these.
        p = 1.0 if self.words.p_value is None else self.words.p_value
        words = PValue(name=WORDS, value=p, kind="asymptotic", alternative="two-sided")
        larger = max(labels, words, key=lambda one: one.value)
        return larger.model_copy(update={"name": LARGER}), labels, words
