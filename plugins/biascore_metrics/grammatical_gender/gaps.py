"""The gap between the mean cosine of words of one gender and of two: over given pairs, and over all pairs of some nouns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from biascore.designs.same_words import Floats
from biascore.stats.bootstrap import Samples


class Gaps(Protocol):
    """What can be drawn again: two sets of that many units, and the means of cosines of those drawn."""

    @property
    def sizes(self) -> tuple[int, int]:
        """The units of each set: pairs of one and of two genders, or masculine and feminine nouns."""
        ...

    def means(self, place: int, batch: Samples) -> tuple[Floats, Floats]:
        """Mean cosine of pairs of one gender, and of two, (rows,) each, after one of the states of the model."""
        ...


@dataclass(frozen=True, slots=True)
class PairGaps:
    """Cosines of pairs of one gender and of two, by state (k, n), and those of their translations (n,), NaN for none."""

    same: Floats
    different: Floats
    reference: tuple[Floats, Floats] | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """The pairs of one gender and of two."""
        return self.same.shape[1], self.different.shape[1]

    def means(self, place: int, batch: Samples) -> tuple[Floats, Floats]:
        """Mean cosines of the pairs drawn."""
        same, different = (drawn.astype(np.intp) for drawn in batch)
        return self.same[place][same].mean(axis=1), self.different[place][different].mean(axis=1)

    def of_translations(self, batch: Samples) -> Floats:
        """The gap of the translations of the pairs drawn (rows,); NaN where none of them has one."""
        assert self.reference is not None
        same, different = (
            _mean_of_known(cosines[drawn.astype(np.intp)])
            for cosines, drawn in zip(self.reference, batch, strict=True)
        )
        return same - different


@dataclass(frozen=True, slots=True)
class NounGaps:
    """Unit vectors of masculine and of feminine nouns, by state: (n, d) each."""

    masculine: Sequence[Floats]
    feminine: Sequence[Floats]

    @property
    def sizes(self) -> tuple[int, int]:
        """The nouns of each gender."""
        return len(self.masculine[0]), len(self.feminine[0])

    def means(self, place: int, batch: Samples) -> tuple[Floats, Floats]:
        """Over all pairs of the nouns drawn; a noun that is drawn twice makes no pair with itself."""
        own = total = np.zeros(len(batch[0]))
        sums = []
        for unit, drawn in zip((self.masculine[place], self.feminine[place]), batch, strict=True):
            counts = _counts(drawn.astype(np.intp), len(unit))
            with_itself = (counts**2).sum(axis=1)
            sums.append(counts @ unit)
            own = own + (sums[-1] ** 2).sum(axis=1) - with_itself
            total = total + drawn.shape[1] ** 2 - with_itself
        across = (sums[0] * sums[1]).sum(axis=1) / (batch[0].shape[1] * batch[1].shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            return own / total, across

    def of_each(self, place: int) -> tuple[Floats, Floats]:
        """For each masculine and each feminine noun (n,): its mean cosine with its own gender less that with the other."""
        found = []
        both = (self.masculine[place], self.feminine[place])
        for unit, other in (both, both[::-1]):
            own = (unit @ unit.sum(axis=0) - 1) / (len(unit) - 1)
            found.append(own - unit @ other.mean(axis=0))
        return found[0], found[1]

    def contributions(self, place: int) -> Floats:
        """What each noun (n,), the masculine ones first, adds to the gap: an equal share, and its influence.

        Of each pair either noun has half. As it is drawn with its pairs, its influence is twice that of its half (Hoeffding
        1948, Annals of Mathematical Statistics 19:293).
        """
        sizes = self.sizes
        count, pairs = sum(sizes), sum(size * (size - 1) for size in sizes)
        own = []
        both = (self.masculine[place], self.feminine[place])
        for unit, other in (both, both[::-1]):
            across = unit @ other.mean(axis=0) / (2 * len(unit))
            own.append((unit @ unit.sum(axis=0) - 1) / pairs - across)
        halves = np.concatenate(own)
        found: Floats = 2 * halves - halves.sum() / count
        return found


def unit_rows(rows: npt.NDArray[np.float32]) -> Floats:
    """The vectors (n, d), none of them zero, at length one."""
    exact = rows.astype(np.float64)
    unit: Floats = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return unit


def _counts(drawn: npt.NDArray[np.intp], size: int) -> Floats:
    """How often each of so many was drawn: (rows, size)."""
    places = drawn + size * np.arange(len(drawn))[:, None]
    counts = np.bincount(places.ravel(), minlength=len(drawn) * size)
    return counts.reshape(len(drawn), size).astype(np.float64)


def _mean_of_known(cosines: Floats) -> Floats:
    known = np.isfinite(cosines)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: Floats = np.where(known, cosines, 0.0).sum(axis=1) / known.sum(axis=1)
    return mean
