"""Where target words lie: their scores on each dimension, the group of each, and the words most typical of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import Dimension, FiseTest
from biascore.stats import cosine_matrix
from biascore.stats.labels import ON_AXIS, Codes, Labelled, cell_codes, cell_counts
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
    pairs: npt.NDArray[np.intp]
    """The pair of each word (n,), numbered from 0; without pairs of forms every word has a number of its own."""

    @classmethod
    def of(cls, test: FiseTest, embedded: Embedded, tolerance: float) -> Placement:
        """Place the targets; every list must have a word."""
        labelled = tuple(labelled_of(dimension, embedded) for dimension in test.dimensions)
        scores = [dimension.scores for dimension in labelled]
        return cls(
            tuple(dimension.name for dimension in test.dimensions),
            group_names(test),
            labelled,
            np.stack(scores, axis=1),
            cell_codes(scores, tolerance),
            tolerance,
            embedded.pairs,
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


def labelled_of(dimension: Dimension, embedded: Embedded) -> Labelled:
    """Cosines of the targets with both lists of a dimension or an affect, in the families of their usable words."""
    a, b = f"{dimension.name}.A", f"{dimension.name}.B"
    vectors, words = embedded.lists.vectors, embedded.lists.words
    return Labelled.of(
        cosine_matrix(embedded.vectors, vectors[a]),
        cosine_matrix(embedded.vectors, vectors[b]),
        [dimension.A.family_of(word) for word in words[a]],
        [dimension.B.family_of(word) for word in words[b]],
    )


def axis_cosine(one: str, other: str, embedded: Embedded) -> float | None:
    """Cosine between the axes of two dimensions, mean unit vector of A less that of B; None where one is zero.

    The correlation of the two scores over words that lie in no direction in particular.
    """
    axes = [_axis(dimension, embedded) for dimension in (one, other)]
    if not all(axis.any() for axis in axes):
        return None
    return float(cosine_matrix(axes[0][np.newaxis], axes[1][np.newaxis])[0, 0])


def _axis(dimension: str, embedded: Embedded) -> Floats:
    poles: Sequence[Floats] = [
        _unit(embedded.lists.vectors[f"{dimension}.{side}"]).mean(axis=0) for side in "AB"
    ]
    return np.asarray(poles[0] - poles[1])


def _unit(rows: npt.NDArray[np.float32]) -> Floats:
    wide = rows.astype(np.float64)
    return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True))
