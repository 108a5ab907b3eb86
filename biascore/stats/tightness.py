"""What the tightness of a list does to its mean cosines, and the test of a mean bias that takes it away.

Vectors of words lie round a common direction: the topic of their lists, or that of all words of a contextual model. A
list that scatters less round it has larger cosines with every word that lies in that direction, so that all words
seem associated with the tighter list, where only scatter distinguishes the lists. The same noise hides a bias where lists
scatter alike. Of two lists round one direction, with r_A and r_B the mean cosines within them and r_AB between them,

    q = (r_A - r_B) / (r_A + r_B + 2 r_AB)

is the relative difference of their tightness, and (1 - q) mean cos(w, A) - (1 + q) mean cos(w, B) has it taken away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.exchange import UNEQUAL, Exchange
from biascore.stats.labels import Labelled
from biascore.stats.permutation import PermutationTest
from biascore.stats.relabelling import relabelled_tails

CLEAR: Final = 3.0
"""Standard errors by which the mean cosine between two lists lies above 0 where they have a direction in common."""


@dataclass(frozen=True, slots=True)
class Tightness:
    """Cosines (m, m) between the attribute words of two lists, those of A first; words of one family count for nothing."""

    among: Floats
    exchange: Exchange
    apart: Floats
    """1 for two words of different families, else 0: (m, m)."""

    @classmethod
    def of(cls, among: Floats, exchange: Exchange) -> Self:
        """Of the words that ``exchange`` labels."""
        unit = np.array(exchange.unit)
        return cls(among, exchange, (unit[:, np.newaxis] != unit).astype(np.float64))

    @property
    def comparable(self) -> bool:
        """Whether the lists are near enough in size: one of few words varies more by itself (`UNEQUAL`)."""
        small, large = sorted(self.exchange.units)
        return small > 1 and large < UNEQUAL * small

    @property
    def difference(self) -> float:
        """q of the lists as they are: 0 where they have no direction in common."""
        return float(self.differences(np.array([self.exchange.first], dtype=np.float64))[0])

    def differences(self, labels: Floats) -> Floats:
        """q of labellings (rows, units), 1 for A: (rows,)."""
        a = labels[:, self.exchange.unit]
        b = 1.0 - a
        cosines = self.among * self.apart

        def mean(matrix: Floats, one: Floats, other: Floats) -> Floats:
            with np.errstate(
                invalid="ignore"
            ):  # a list of one family has no cosines within it, and no tightness
                found: Floats = ((one @ matrix) * other).sum(axis=1) / ((one @ self.apart) * other).sum(
                    axis=1
                )
            return found

        of_a, of_b, between = mean(cosines, a, a), mean(cosines, b, b), mean(cosines, a, b)
        spread = np.sqrt(np.maximum(mean(cosines * self.among, a, b) - between**2, 0.0))
        units = np.minimum(labels.sum(axis=1), (1.0 - labels).sum(axis=1))
        clear = (between > CLEAR * spread / np.sqrt(units)) & (of_a + of_b > 0.0)
        return np.where(clear, (of_a - of_b) / np.where(clear, of_a + of_b + 2.0 * between, 1.0), 0.0)

    def equalled(self, dimension: Labelled) -> Floats:
        """Scores (n,) without the difference of tightness."""
        q = self.difference
        a, b = dimension.cosines[:, : dimension.n_a], dimension.cosines[:, dimension.n_a :]
        found: Floats = (1.0 - q) * a.mean(axis=1) - (1.0 + q) * b.mean(axis=1)
        return found


def direction_test(
    dimension: Labelled, tightness: Tightness, *, draws: int, rng: np.random.Generator
) -> PermutationTest:
    """`mean_bias_test` of the mean score without the difference of tightness, which every labelling has its own of.

    Exact up to ``draws`` labellings. Raises ValueError for draws < 1.
    """
    if draws < 1:
        raise ValueError(f"draws is {draws}; pass at least 1")
    exchange = dimension.exchange
    means = dimension.cosines.mean(axis=0)
    # What all cosines have in common is kept here, unlike in a difference of means: it is what tightness multiplies.
    unit = np.array(exchange.unit)

    def statistic(labels: Floats) -> Floats:
        a = labels[:, unit]
        q = tightness.differences(labels)
        found: Floats = (1.0 - q) * (a @ means) / a.sum(axis=1) - (1.0 + q) * ((1.0 - a) @ means) / (
            1.0 - a
        ).sum(axis=1)
        return found

    exact = exchange.labellings <= draws
    greater, two_sided, _ = relabelled_tails(statistic, exchange, exact=exact, draws=draws, rng=rng)
    a, b = exchange.units
    return PermutationTest(
        statistic=float(statistic(np.array([exchange.first], dtype=np.float64))[0]),
        nx=a,
        ny=b,
        method="exact" if exact else "monte-carlo",
        n_partitions=exchange.labellings,
        greater=greater,
        two_sided=two_sided,
        exchange=exchange,
    )
