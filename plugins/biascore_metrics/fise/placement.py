"""Where target words lie: their scores on each dimension, the group of each, and the words most typical of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.designs.words import counterparts
from biascore.stats import cosine_matrix
from biascore.stats.exchange import Exchange
from biascore.stats.labels import ON_AXIS, Codes, Labelled, cell_codes, cell_counts
from biascore.stats.tightness import Tightness
from biascore_metrics.fise.clusters import Clusters, Floats, scaled
from biascore_metrics.fise.items import Dimension, FiseTest
from biascore_metrics.fise.targets import Embedded, units_of

AXIS: Final = "on an axis"


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension: the cosines of the target words with its attribute words, and how tight its two lists are."""

    name: str
    labelled: Labelled
    tightness: Tightness

    @classmethod
    def of(cls, dimension: Dimension, embedded: Embedded, alpha: float) -> Axis:
        """Within counterparts, unless these leave too few labellings for any p-value to be as small as ``alpha``."""
        roles = f"{dimension.name}.A", f"{dimension.name}.B"
        a, b = (embedded.lists.vectors[role] for role in roles)
        words, _ = used = embedded.lists.words[roles[0]], embedded.lists.words[roles[1]]
        exchange = exchanged(dimension, used, alpha)
        cosines = np.hstack([cosine_matrix(embedded.vectors, own) for own in (a, b)])
        among = np.concatenate([a, b])
        labelled = Labelled(cosines, len(words), exchange)
        return cls(dimension.name, labelled, Tightness.of(cosine_matrix(among, among), exchange))

    @property
    def scores(self) -> Floats:
        """b_d(w) of each word (n,), equation 11 of Puttick & Kurpicz-Briki 2025."""
        return self.labelled.scores

    @property
    def equalled(self) -> Floats:
        """The same at equal tightness of the lists (n,)."""
        return self.tightness.equalled(self.labelled)

    def direction(self, embedded: Embedded) -> Floats:
        """That whose product with a target's unit vector is its score at equal tightness."""
        a, b = (
            scaled(embedded.lists.vectors[f"{self.name}.{side}"].astype(np.float64)).mean(axis=0)
            for side in "AB"
        )
        q = self.tightness.difference
        return np.asarray((1.0 - q) * a - (1.0 + q) * b)


@dataclass(frozen=True, slots=True)
class Placement:
    """The target words in the space of k dimensions: one group for each combination of sides."""

    axes: tuple[Axis, ...]
    groups: tuple[str, ...]
    """The 2^k groups in the order of their codes: ``men white``, ``men black``, ..."""
    codes: Codes
    """The group of each word (n,), or `ON_AXIS`."""
    clusters: Clusters
    """Which words are no independent observations."""

    @classmethod
    def of(cls, test: FiseTest, embedded: Embedded, tolerance: float, alpha: float) -> Placement:
        """Place the targets; every list must have a word. Scores within the tolerance of 0 lie on an axis."""
        axes = tuple(Axis.of(dimension, embedded, alpha) for dimension in test.dimensions)
        directions = np.stack([axis.direction(embedded) for axis in axes])
        units = units_of(embedded.targets)
        clusters = Clusters.made(embedded.vectors, units, directions, declared=bool(test.targets.families))
        return cls(axes, group_names(test), cell_codes([axis.scores for axis in axes], tolerance), clusters)

    @property
    def counts(self) -> tuple[int, ...]:
        """Words in each group."""
        return tuple(map(int, cell_counts(self.codes, len(self.groups))))

    @property
    def on_axis(self) -> npt.NDArray[np.bool_]:
        """Which words lie in no group: (n,)."""
        return np.asarray(self.codes == ON_AXIS)

    def group_of(self, word: int) -> str:
        """The group of a word by its row."""
        return AXIS if self.codes[word] == ON_AXIS else self.groups[self.codes[word]]

    def projections(self) -> Floats:
        """Projection of each word on the diagonal of its group, sum |b_d| / sqrt k; NaN on an axis: (n,).

        Puttick & Kurpicz-Briki 2025, section 2.5.1, for k = 2.
        """
        lengths = sum(np.abs(axis.scores) for axis in self.axes) / math.sqrt(len(self.axes))
        return np.where(self.on_axis, np.nan, lengths)

    def ranks(self, top: int) -> list[int | None]:
        """Rank of each word within its group by projection, 1 first, None beyond ``top`` and on an axis."""
        projections = self.projections()
        ranks: list[int | None] = [None] * len(projections)
        for code in range(len(self.groups)):
            members = np.flatnonzero(self.codes == code)
            best = members[np.argsort(-projections[members], kind="stable")][:top]
            for rank, word in enumerate(best, start=1):
                ranks[word] = rank
        return ranks


def group_names(test: FiseTest) -> tuple[str, ...]:
    """A name for each combination of sides, dimensions in the order of the test, the sides of A first."""
    sides = [(dimension.A.name, dimension.B.name) for dimension in test.dimensions]
    return tuple(" ".join(names) for names in product(*sides))


def exchanged(dimension: Dimension, used: tuple[Sequence[str], Sequence[str]], alpha: float) -> Exchange:
    """What may be exchanged of the ``used`` words of both lists: families, within counterparts where enough are there.

    A word that is kept twice is one family, so every word is named, declared or not.
    """
    lists = dimension.A, dimension.B
    one, other = (own.families_of(some) for own, some in zip(lists, used, strict=True))
    sizes = len(one), len(other)
    return Exchange.of(sizes, families=(one, other), counterparts=counterparts(lists, used)).reaching(alpha)
