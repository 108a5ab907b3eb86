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
from biascore_metrics.fise.clusters import Clusters
from biascore_metrics.fise.kind import Dimension, FiseTest
from biascore_metrics.fise.targets import Embedded

AXIS: Final = "on an axis"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Placement:
    """The target words in the space of k dimensions: one group for each combination of sides."""

    names: tuple[str, ...]
    """The dimensions."""
    groups: tuple[str, ...]
    """The 2^k groups in the order of their codes: ``men white``, ``men black``, ..."""
    labelled: tuple[Labelled, ...]
    """Cosines with the attribute words of each dimension."""
    scores: Floats
    """b_d(w) of shape (n, k), equation 11 of Puttick & Kurpicz-Briki 2025."""
    codes: Codes
    """The group of each word (n,), or `ON_AXIS`."""
    tolerance: float
    """Scores no further from 0 lie on an axis."""
    clusters: Clusters
    """Which words are no independent observations."""
    tightness: tuple[Tightness, ...]
    """How tight the two lists of each dimension are."""

    @classmethod
    def of(cls, test: FiseTest, embedded: Embedded, tolerance: float, alpha: float) -> Placement:
        """Place the targets; every list must have a word."""
        labelled = tuple(labelled_of(dimension, embedded, alpha) for dimension in test.dimensions)
        scores = [dimension.scores for dimension in labelled]
        tightness = tuple(
            Tightness.of(_among(dimension, embedded), one.exchange)
            for dimension, one in zip(test.dimensions, labelled, strict=True)
        )
        axes = np.stack([_axis(one, q, embedded) for one, q in zip(test.dimensions, tightness, strict=True)])
        return cls(
            tuple(dimension.name for dimension in test.dimensions),
            group_names(test),
            labelled,
            np.stack(scores, axis=1),
            cell_codes(scores, tolerance),
            tolerance,
            Clusters.made(embedded.vectors, embedded.units, axes, declared=bool(test.targets.families)),
            tightness,
        )

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
        lengths = np.abs(self.scores).sum(axis=1) / math.sqrt(len(self.names))
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


def labelled_of(dimension: Dimension, embedded: Embedded, alpha: float) -> Labelled:
    """Cosines of the targets with both lists of a dimension or an affect, and what of their words may be exchanged.

    Within counterparts, unless these leave too few labellings for any p-value to be as small as ``alpha``.
    """
    a, b = f"{dimension.name}.A", f"{dimension.name}.B"
    vectors, words = embedded.lists.vectors, embedded.lists.words
    used = words[a], words[b]
    exchange = exchanged(dimension, used, alpha)
    cosines = [cosine_matrix(embedded.vectors, vectors[role]) for role in (a, b)]
    return Labelled(np.hstack(cosines), len(used[0]), exchange)


def exchanged(dimension: Dimension, used: tuple[Sequence[str], Sequence[str]], alpha: float) -> Exchange:
    """What may be exchanged of the ``used`` words of both lists: families, within counterparts where enough are there.

    A word that is kept twice is one family, so every word is named, declared or not.
    """
    lists = dimension.A, dimension.B
    one, other = (own.families_of(some) for own, some in zip(lists, used, strict=True))
    sizes = len(one), len(other)
    return Exchange.of(sizes, families=(one, other), counterparts=counterparts(lists, used)).reaching(alpha)


def _among(dimension: Dimension, embedded: Embedded) -> Floats:
    """Cosines between the attribute words of a dimension, those of A first."""
    vectors = np.concatenate([embedded.lists.vectors[f"{dimension.name}.{side}"] for side in "AB"])
    return cosine_matrix(vectors, vectors)


def _axis(dimension: Dimension, tightness: Tightness, embedded: Embedded) -> Floats:
    """The direction whose product with a target's unit vector is its score at equal tightness."""
    a, b = (_unit(embedded.lists.vectors[f"{dimension.name}.{side}"]).mean(axis=0) for side in "AB")
    q = tightness.difference
    return np.asarray((1.0 - q) * a - (1.0 + q) * b)


def _unit(rows: npt.NDArray[np.float32]) -> Floats:
    wide = rows.astype(np.float64)
    return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True))
