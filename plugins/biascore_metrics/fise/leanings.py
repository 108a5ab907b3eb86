"""The mean bias of a dimension: which side the words lean to, and whether labels, words and scatter let it be said.

Labels of attribute words permuted, with the target words fixed, and target words resampled, with the attribute words
fixed, are two conditionings, and neither holds the other. Real lists and any few words give the first, lists without a
meaning and words of one topic the second. A bias of the lists on words like these needs both (Clark 1973).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import PValue
from biascore.stats import PermutationTest, TTest
from biascore.stats.labels import Labelled
from biascore.stats.tightness import Scatter, Tightness, direction_test, scatter_test

LABELS: Final = "label permutation"
WORDS: Final = "t over words"
LARGER: Final = "the larger of labels and words"
LEFT: Final = 0.5
"""Where less than this part of a mean bias is left at equal tightness, scatter explains most of it."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Leaning:
    """The mean bias of one dimension: as it is (``whole``), at equal tightness of its lists (``equalled``), and its tests.

    Lists of unlike size are tested as they are, since the tightness of a few words is not known well enough.
    """

    name: str
    whole: float
    equalled: float
    comparable: bool
    labels: PermutationTest
    words: TTest
    scatter: Scatter
    alpha: float

    @classmethod
    def of(
        cls,
        name: str,
        dimension: Labelled,
        tightness: Tightness,
        units: npt.NDArray[np.intp],
        *,
        alpha: float,
        draws: int,
        rng: np.random.Generator,
    ) -> Leaning:
        """``units`` are the independent units (pairs, families) of the words (n,), numbered from 0."""
        return cls(
            name,
            whole=float(dimension.scores.mean()),
            equalled=float(tightness.equalled(dimension).mean()),
            comparable=tightness.comparable,
            labels=direction_test(dimension, tightness, draws=draws, rng=rng),
            words=mean_over_units(tightness.scores(dimension), units),
            scatter=scatter_test(tightness, draws=draws, rng=rng),
            alpha=alpha,
        )

    @property
    def value(self) -> float:
        """The mean bias that is tested."""
        return self.words.estimate

    @property
    def scatters(self) -> bool:
        """Whether the words of one list lie further from their mean than those of the other."""
        return self.scatter.test.two_sided.p_value <= self.alpha

    @property
    def explained(self) -> bool:
        """Whether unlike scatter may be all there is, where the test cannot take it away: in lists of unlike size."""
        left = self.equalled * math.copysign(1.0, self.whole)
        return self.scatters and not self.comparable and left < LEFT * abs(self.whole)

    @property
    def p_values(self) -> tuple[PValue, ...]:
        """The one that decides, then that of the labels and that of the words."""
        tail = self.labels.two_sided
        labels = PValue(
            name=LABELS,
            value=tail.p_value,
            kind=self.labels.method,
            alternative="two-sided",
            n=tail.n_total,
            se=tail.mc_se,
        )
        # Words that do not vary say nothing of other words like these.
        p = 1.0 if math.isnan(self.words.p_value) else self.words.p_value
        words = PValue(name=WORDS, value=p, kind="asymptotic", alternative="two-sided")
        larger = max(labels, words, key=lambda one: one.value)
        deciding = larger.model_copy(update={"name": LARGER})
        if self.explained:
            deciding = PValue(
                name="1, for scatter explains it", value=1.0, kind="exact", alternative="two-sided"
            )
        return deciding, labels, words


def mean_over_units(scores: Floats, units: npt.NDArray[np.intp]) -> TTest:
    """Student's t of the mean score (n,), with the variance between independent units (pairs, families) of words.

    NaN for fewer than two units, or where they do not vary.
    """
    mean, count = float(scores.mean()), int(units.max()) + 1
    sums = np.bincount(units, weights=scores - mean)
    reach = 1e-12 * max(1.0, float(np.abs(scores).max())) * math.sqrt(scores.size)
    length = float(np.linalg.norm(sums))
    if count < 2 or length <= reach:
        return TTest.of(mean, 0.0, max(1, count - 1))
    return TTest.of(mean, length * math.sqrt(count / (count - 1)) / scores.size, count - 1)
