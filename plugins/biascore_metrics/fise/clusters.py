"""Which target words are no independent observations, what that leaves of intervals, and how far neighbours are alike.

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
from biascore.stats import Interval
from biascore.stats.labels import ROUNDING, Codes, distance_from_even

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

NEAREST: Final = 4
SHUFFLES: Final = 999
SAMPLES: Final = 5000
"""Multinomial samples behind the interval of a distance."""
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
        off = scaled(unit - unit @ basis @ basis.T)
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
        off = scaled(np.column_stack([left, back]))
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


def share_interval(members: npt.NDArray[np.bool_], clusters: Numbers, level: float) -> Interval | None:
    """Of the share of the words (n,) that are members, by clusters; None where nothing shows how clusters vary."""
    return Mean.share(members, shared("clusters", clusters.astype(str).tolist()), level).interval


def effective_words(codes: Codes, clusters: Numbers, cells: int, level: float) -> int:
    """How many independent words the placed ones (n,) are worth: n over the mean design effect of the cells' shares.

    First-order correction of Rao & Scott (1981, JASA 76:221); the quantile of Student's t with clusters - 1 degrees of
    freedom makes up for few clusters (Korn & Graubard 1998, Survey Methodology 24:193). At most n, at least 1.
    """
    from scipy.special import ndtri, stdtrit

    n = codes.size
    _, place = np.unique(clusters, return_inverse=True)
    count = int(place.max()) + 1
    if count in (1, n):
        return min(count, n)
    between = within = 0.0
    for cell in range(cells):
        member = codes == cell
        share = float(member.mean())
        sums = np.bincount(place, weights=member - share)
        between += count / (count - 1) * float(sums @ sums) / n
        within += share * (1.0 - share)
    effect = max(1.0, between / within) if within > 0.0 else 1.0
    tail = (1.0 + level) / 2.0
    wider = float(stdtrit(count - 1, tail) / ndtri(tail)) ** 2
    return max(1, int(n / (effect * wider)))


def distance_interval(
    counts: tuple[int, ...], effective: int, *, level: float, rng: np.random.Generator
) -> Interval:
    """Interval of the distance from even that keeps its level also where the truth is even, and is wide elsewhere.

    A distance cannot be below 0, so its bootstrap distribution lies above it and a percentile interval never
    covers 0. Here instead: with probability ``level`` the true shares are no further from the observed ones than
    c, the quantile of that distance over multinomial samples; then, by the triangle inequality, the true distance
    from even is within c of the observed one. Samples are drawn with half a word added to every group, so that
    an empty group is not taken for an impossible one. ``effective`` is the size of a sample: `effective_words`.
    """
    cells = len(counts)
    shares = (np.array(counts) * effective / sum(counts) + 0.5) / (effective + 0.5 * cells)
    drawn = rng.multinomial(effective, shares, size=SAMPLES) / effective
    reach = float(np.quantile(0.5 * np.abs(drawn - shares).sum(axis=1), level))
    distance = float(distance_from_even(counts))
    furthest = 1.0 - 1.0 / cells
    low, high = max(0.0, distance - reach), min(furthest, distance + reach)
    return Interval(low, high, level, "multinomial region", SAMPLES)


def most_clusters(units: int) -> int:
    """Into how many clusters so many words, or pairs, are cut at most where no families are declared."""
    return max(2, round(math.sqrt(units))) if units > 2 else units


def scaled(rows: Floats) -> Floats:
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
