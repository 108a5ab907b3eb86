"""Which target words are no independent observations, and how far words resemble their neighbours.

Words come in kinds: occupations of one sector lean alike, so a standard error over words is too small by two and more.
Where the list of targets declares its kinds (``families``) these are the clusters; elsewhere they are made from the vectors.
Words that are close to each other *on* an axis score alike by construction, so clusters are made without the axes, and
neighbours are near in what the score leaves over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.designs.mean import Mean, shared
from biascore.stats.labels import ROUNDING

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

NEAREST: Final = 4
SHUFFLES: Final = 999
MOST: Final = 5000
"""So many words, or families, are compared with each other at most; pairs of more take too much memory."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of each target word (n,), numbered from 0, and the vectors that tell which words are near (n, d)."""

    of: Numbers
    declared: bool
    """Whether the list declares them, or they were made from the vectors."""
    vectors: Floats
    """The words' vectors of length 1, centred."""
    apart: Numbers
    """The number of each word's family, or pair of forms where none is declared: a neighbour is of another one (n,)."""

    @classmethod
    def made(cls, vectors: Floats, units: Numbers, axes: Floats, *, declared: bool) -> Clusters:
        """From vectors (n, d), the family or pair of each word (n,), and the axes (k, d).

        Where none is ``declared``: average linkage (Sokal & Michener 1958) of the units, cut into as many clusters as the
        square root of their number. Ward's linkage and one cluster for six words leave up to 11 and 26 % false positives
        where sectors are few; fewer clusters cost power.
        """
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = unit - unit.mean(axis=0)
        if declared:
            return cls(units, True, unit, units)
        basis, sizes, _ = np.linalg.svd(axes.T, full_matrices=False)
        basis = basis[:, sizes > ROUNDING]
        off = _scaled(unit - unit @ basis @ basis.T)
        count = np.bincount(units).astype(np.float64)
        means = np.zeros((count.size, off.shape[1]))
        np.add.at(means, units, off)
        return cls(_linked(means / count[:, np.newaxis])[units], False, unit, units)

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.of.max()) + 1

    @property
    def unit(self) -> str:
        """What they are called with the sizes of an estimate."""
        return "families" if self.declared else "clusters"

    def mean(self, scores: Floats, level: float) -> Mean:
        """The mean of scores (n,) by clusters, or families."""
        return Mean.of(scores, shared(self.unit, self.of.astype(str).tolist()), level, items="words")

    def told(self) -> str:
        """What they are, for the reader of a measurement."""
        made = (
            "families of the list"
            if self.declared
            else "clusters of the vectors, average linkage, off the axes"
        )
        drawn = "" if self.declared or self.apart.max() < MOST else f", linked by {MOST:,} of them"
        return f"{self.of.size} words of {self.count} {made}{drawn}"

    def neighbours(self, scores: Floats, rng: np.random.Generator) -> tuple[float, float] | None:
        """The correlation of words' scores (n,) with the mean of their nearest neighbours', and 95 % of its shuffles.

        The score is regressed out of the vectors, so that words that are long in its direction are no neighbours for that.
        Regression takes k s_i s_j / S too much of the product of two of n words (S the sum of squared scores, k the mean
        square of what is left), which is given back as a further coordinate. None where there are too few words of other
        families, or nothing varies. Of more than `MOST` words so many are drawn.
        """
        vectors, apart = self.vectors, self.apart
        if scores.size > MOST:
            drawn = np.sort(rng.permutation(scores.size)[:MOST])
            scores, vectors, apart = scores[drawn], vectors[drawn], apart[drawn]
        centred = scores - scores.mean()
        square = float(centred @ centred)
        if square <= ROUNDING**2:
            return None
        left = vectors - np.outer(centred, centred @ vectors) / square
        back = np.sqrt((left**2).sum(axis=1).mean() / square) * centred
        off = _scaled(np.column_stack([left, back]))
        near = off @ off.T
        near[apart[:, np.newaxis] == apart] = -np.inf
        nearest = np.argsort(-near, axis=1, kind="stable")[:, :NEAREST]
        if not np.isfinite(np.take_along_axis(near, nearest, axis=1)).all() or nearest.shape[1] < NEAREST:
            return None
        shuffled = np.stack([scores, *(rng.permutation(scores) for _ in range(SHUFFLES))])
        around = shuffled[:, nearest].mean(axis=2)
        both = [one - one.mean(axis=1, keepdims=True) for one in (shuffled, around)]
        lengths = np.prod([np.linalg.norm(one, axis=1) for one in both], axis=0)
        if lengths.min() <= ROUNDING:
            return None
        found = np.einsum("ij,ij->i", *both) / lengths
        return float(found[0]), float(np.quantile(found[1:], 0.95))


def most_clusters(units: int) -> int:
    """Into how many clusters so many words, or pairs, are cut at most where no families are declared."""
    return max(2, round(math.sqrt(units))) if units > 2 else units


def _scaled(rows: Floats) -> Floats:
    """Rows of length 1; those of none stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.where(lengths > ROUNDING, rows / np.maximum(lengths, ROUNDING), 0.0))


def _linked(rows: Floats) -> Numbers:
    """The cluster of each row, numbered from 0.

    Of more than `MOST` rows, as many, evenly spread, are linked, and the others are of the cluster with the nearest mean.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(rows) < 3:
        return np.arange(len(rows))
    some = rows[np.linspace(0, len(rows) - 1, min(MOST, len(rows))).round().astype(np.intp)]
    found = fcluster(linkage(some, "average"), most_clusters(len(rows)), "maxclust")
    _, numbers = np.unique(found, return_inverse=True)
    if len(some) < len(rows):
        means = np.stack([some[numbers == one].mean(axis=0) for one in range(numbers.max() + 1)])
        numbers = ((means**2).sum(axis=1) - 2.0 * rows @ means.T).argmin(axis=1)
        _, numbers = np.unique(numbers, return_inverse=True)
    return numbers.astype(np.intp)
