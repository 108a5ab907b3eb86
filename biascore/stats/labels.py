"""Tests that permute the labels of attribute words: for target words placed by several pairs of lists (FISE).

Each target word has a score on each dimension, s(w, A, B). The null hypothesis of a dimension is that the labels
A and B of its attribute words could be exchanged. Target words are never permuted or taken for a sample here:
they share topics, so tests that treat them as independent (chi-square, Fisher's exact test, a t test over words)
reject a true null hypothesis far too often. Permuting labels keeps the targets, and with them all that they have
in common, as they are.

Words that are forms of one another ("bianco", "bianca") have nearly the same vectors, so their labels cannot be
exchanged one by one: that would reject a true null hypothesis far too often. Families of words are exchanged as a
whole, as many to A as A has. A mean is always one over words, so families of unequal size change its denominators.

If families are exchangeable every p-value is valid: (1 + draws at least as extreme) / (1 + draws) (Davison and
Hinkley 1997; Phipson and Smyth 2010). Counts are compared as whole numbers, so ties are exact.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_matrix
from biascore.stats.association import MIN_RELATIVE_SPREAD, ZeroVarianceError, association
from biascore.stats.exchange import Exchange, Named, blocks, exchange_test
from biascore.stats.permutation import PermutationTest

Codes: TypeAlias = NDArray[np.int8]

ROUNDING: Final = 1e-12
"""A difference of mean cosines nearer to 0 than this is rounding, and has no sign."""
ON_AXIS: Final = -1
"""The code of a word that lies in no cell."""
MAX_DIMENSIONS: Final = 6
"""So that the codes of cells fit a byte; six dimensions already make 64 cells."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Cosines (n, a + b) of n target words with the attribute words of one dimension, those of A first."""

    cosines: Floats
    n_a: int
    declared: Exchange | None = None
    """What of the attribute words may be exchanged; None where each is exchanged with any."""

    @classmethod
    def of(
        cls,
        with_a: ArrayLike,
        with_b: ArrayLike,
        families_a: Sequence[Hashable] = (),
        families_b: Sequence[Hashable] = (),
        *,
        counterparts: Named = ((), ()),
    ) -> Labelled:
        """From cosines (n, a) with A and (n, b) with B; raises ValueError as `association` does.

        ``families_a`` and ``families_b`` name the family of each word, or are empty where each is its own; words of
        two lists are of two families. ``counterparts`` are those of `Exchange.of`. Raises ValueError for a wrong number
        of names.
        """
        association(with_a, with_b)
        a, b = finite_matrix(with_a, "with_a"), finite_matrix(with_b, "with_b")
        exchange = Exchange.of(
            (a.shape[1], b.shape[1]), families=(families_a, families_b), counterparts=counterparts
        )
        return cls(np.hstack([a, b]), a.shape[1], exchange)

    @property
    def exchange(self) -> Exchange:
        """What of the attribute words may be exchanged."""
        return self.declared or Exchange.of((self.n_a, self.n_b))

    @property
    def n(self) -> int:
        """Number of target words."""
        return int(self.cosines.shape[0])

    @property
    def n_b(self) -> int:
        """Number of attribute words labelled B."""
        return int(self.cosines.shape[1]) - self.n_a

    @property
    def families(self) -> tuple[int, int]:
        """Numbers of families labelled A and B, at most those of words."""
        return self.exchange.units

    @property
    def smallest_p(self) -> float:
        """The smallest two-sided p that so many families allow; of equal numbers two labellings are as extreme."""
        return self.exchange.smallest_p()

    @property
    def scores(self) -> Floats:
        """s(w, A, B) of every target word: (n,)."""
        return association(self.cosines[:, : self.n_a], self.cosines[:, self.n_a :])

    def centred(self) -> Labelled:
        """The same with every attribute's mean cosine taken away, so that all scores have mean 0."""
        return replace(self, cosines=self.cosines - self.cosines.mean(axis=0))

    def relabelled(self, draws: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Scores under ``draws`` random labellings of the families, in blocks of shape (n, some)."""
        exchange = self.exchange
        for labels in exchange.drawn(draws, rng, max(self.cosines.shape)):
            yield self.cosines @ exchange.weights(labels).T


@dataclass(frozen=True, slots=True)
class DrawnTest:
    """A statistic, how many random labellings give one at least as extreme, and how many were drawn."""

    statistic: float
    n_ge: int
    draws: int

    @property
    def p_value(self) -> float:
        """The valid p-value, never 0."""
        return (1 + self.n_ge) / (1 + self.draws)

    @property
    def mc_se(self) -> float:
        """Monte-Carlo standard error of the p-value."""
        return math.sqrt(self.p_value * (1.0 - self.p_value) / self.draws)


@dataclass(frozen=True, slots=True)
class DistributionTest:
    """Are the words spread more unevenly over the cells than random labels would spread them?"""

    counts: tuple[int, ...]
    """Words in each cell."""
    test: DrawnTest
    """Of U, the sum over cells of (words in the cell - words in any cell / cells)^2."""
    expected_distance: float | None
    """Mean of `distance_from_even` over the labellings; None where every word lies on an axis in all of them."""
    saturated: float
    """Share of the labellings that put all words into one cell: where it is above alpha, nothing can be detected."""


@dataclass(frozen=True, slots=True)
class InteractionTest:
    """Do the scores on two dimensions go together more than random labels of either would make them?"""

    correlation: float
    """Pearson's correlation of the two scores over the target words."""
    given_first: DrawnTest
    """Of |correlation|, labels of the second dimension permuted and those of the first kept."""
    given_second: DrawnTest
    """The reverse."""

    @property
    def deciding(self) -> DrawnTest:
        """The one of the two with the larger p-value: dependence is claimed only where both allow it."""
        return max(self.given_first, self.given_second, key=lambda test: test.p_value)


def cell_codes(scores: Sequence[Floats], tolerance: float = 0.0) -> Codes:
    """The cell of each word from its scores on k dimensions, k arrays of one shape: codes 0 to 2^k - 1.

    The first dimension is the highest bit; a bit is 0 on the side of A (score above 0) and 1 on that of B. A word
    with a score within ``tolerance`` of 0, or nearer than rounding, lies on an axis: `ON_AXIS`. Raises ValueError
    for no dimension or more than `MAX_DIMENSIONS`, and for a negative tolerance.
    """
    if not 1 <= len(scores) <= MAX_DIMENSIONS:
        raise ValueError(f"there are {len(scores)} dimensions; pass 1 to {MAX_DIMENSIONS}")
    if not tolerance >= 0.0:
        raise ValueError(f"tolerance is {tolerance!r}; pass 0 or a number above")
    codes = np.zeros(scores[0].shape, dtype=np.int8)
    on_axis = np.zeros(scores[0].shape, dtype=np.bool_)
    for score in scores:
        codes = (2 * codes + (score < 0.0)).astype(np.int8)
        on_axis |= np.abs(score) <= max(tolerance, ROUNDING)
    codes[on_axis] = ON_AXIS
    return codes


def cell_counts(codes: Codes, cells: int) -> NDArray[np.int64]:
    """Words in each cell: codes of shape (n, ...) give (cells, ...)."""
    return np.stack([np.count_nonzero(codes == cell, axis=0) for cell in range(cells)])


def distance_from_even(counts: ArrayLike) -> Floats:
    """Total variation distance of the shares of cells from equal ones: counts (cells, ...) give (...).

    Half the sum of |share - 1/cells|: the share of words that would have to move to make all cells equal. NaN
    where there are no words.
    """
    numbers = np.asarray(counts, dtype=np.float64)
    total = numbers.sum(axis=0)
    with np.errstate(invalid="ignore"):
        shares = numbers / total
    distance: Floats = np.asarray(0.5 * np.abs(shares - 1.0 / len(numbers)).sum(axis=0))
    return distance


def mean_bias_test(dimension: Labelled, *, draws: int, rng: np.random.Generator) -> PermutationTest:
    """Label permutation test of the mean score over the target words; exact up to about 23 + 23 families.

    The mean score is the difference of two means, over A and over B, of each attribute's mean cosine with the
    targets, so it is the two-sample test of those numbers (`exchange_test`). Families of unequal sizes and counterparts
    are exact up to ``draws`` labellings. Raises ValueError for draws < 1.
    """
    _require_valid([dimension], draws)
    means = dimension.cosines.mean(axis=0)
    return exchange_test(
        means[: dimension.n_a], means[dimension.n_a :], dimension.exchange, draws=draws, rng=rng
    )


def distribution_test(
    dimensions: Sequence[Labelled], *, tolerance: float = 0.0, draws: int, rng: np.random.Generator
) -> DistributionTest:
    """Label permutation test of the distribution of words over the 2^k cells of k dimensions.

    The labels of all dimensions are permuted, each independently; they hold the same target words in one order.
    Signs saturate: where the words have much in common, random labels send all of them to one side too, and a
    stronger bias cannot make the distribution less even than that; the mean scores still show it. Raises ValueError
    as `cell_codes` does, and for draws < 1 or unequal numbers of words.
    """
    _require_valid(dimensions, draws)
    cells = 2 ** len(dimensions)
    counts = cell_counts(cell_codes([d.scores for d in dimensions], tolerance), cells)
    observed = int(_unevenness(counts))
    n_ge = drawn = in_one = 0
    distances = 0.0
    for scores in _in_step(dimensions, draws, rng):
        numbers = cell_counts(cell_codes(scores, tolerance), cells)
        n_ge += int(np.count_nonzero(_unevenness(numbers) >= observed))
        distance = distance_from_even(numbers)
        known = np.isfinite(distance)
        distances += float(distance[known].sum())
        drawn += int(known.sum())
        in_one += int(np.count_nonzero(numbers.max(axis=0) == dimensions[0].n))
    return DistributionTest(
        counts=tuple(map(int, counts)),
        test=DrawnTest(observed / cells**2, n_ge, draws),
        expected_distance=distances / drawn if drawn else None,
        saturated=in_one / draws,
    )


def interaction_test(
    first: Labelled, second: Labelled, *, draws: int, rng: np.random.Generator
) -> InteractionTest:
    """Label permutation test of the correlation between the scores on two dimensions.

    It stands in for Fisher's exact test of the table of signs, which rejects wherever the axes of the two
    dimensions are not at right angles to the shared topic of the words. Raises ZeroVarianceError where the scores
    on a dimension do not vary, ValueError for draws < 1 or unequal numbers of words.
    """
    _require_valid([first, second], draws)
    unit = [_unit(dimension.scores) for dimension in (first, second)]
    correlation = float(np.clip(unit[0] @ unit[1], -1.0, 1.0))
    return InteractionTest(
        correlation,
        given_first=_correlation_test(unit[0], second, correlation, draws, rng),
        given_second=_correlation_test(unit[1], first, correlation, draws, rng),
    )


def share_difference_tests(
    affect: Labelled, codes: Codes, cells: int, *, draws: int, rng: np.random.Generator
) -> tuple[DrawnTest | None, ...]:
    """Per cell, the difference between its share of words with a score above 0 and that of all other cells.

    ``codes`` (n,) are the cells of the words and stay as they are; the labels of the affect's attribute words are
    permuted, and |difference| counts. None for a cell without words, or that holds all of them.
    """
    _require_valid([affect], draws)
    if codes.shape != (affect.n,):
        raise ValueError(f"there are {affect.n} words and codes of shape {codes.shape}; pass one per word")
    member = (codes == np.arange(cells)[:, np.newaxis]).astype(np.float64)
    size = member.sum(axis=1)
    total = size.sum()

    def excess(scores: Floats) -> Floats:
        """(difference of shares) x size x rest, a whole number: (n, m) give (cells, m)."""
        positive = member @ (scores > ROUNDING)
        number: Floats = positive * total - positive.sum(axis=0) * size[:, np.newaxis]
        return number

    observed = excess(affect.scores[:, np.newaxis])
    n_ge = np.zeros(cells, dtype=np.int64)
    for scores in affect.relabelled(draws, rng):
        n_ge += np.count_nonzero(np.abs(excess(scores)) >= np.abs(observed), axis=1)
    scale = size * (total - size)
    return tuple(
        DrawnTest(float(observed[cell, 0] / scale[cell]), int(n_ge[cell]), draws) if scale[cell] else None
        for cell in range(cells)
    )


def _in_step(
    dimensions: Sequence[Labelled], draws: int, rng: np.random.Generator
) -> Iterator[tuple[Floats, ...]]:
    """Blocks of relabelled scores of all dimensions, equally many draws in each."""
    for rows in blocks(draws, max(max(d.cosines.shape) for d in dimensions)):
        yield tuple(next(dimension.relabelled(rows, rng)) for dimension in dimensions)


def _unevenness(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """cells^2 x U, a whole number: counts (cells, ...) give (...)."""
    cells = len(counts)
    squares: NDArray[np.int64] = ((cells * counts - counts.sum(axis=0)) ** 2).sum(axis=0)
    return squares


def _correlation_test(
    fixed: Floats, moved: Labelled, correlation: float, draws: int, rng: np.random.Generator
) -> DrawnTest:
    n_ge = 0
    for scores in moved.centred().relabelled(draws, rng):
        length = np.sqrt((scores**2).sum(axis=0))
        # Without variance there is no correlation; "at least as extreme" is the cautious way to count it.
        reach = (abs(correlation) - ROUNDING) * length
        n_ge += int(np.count_nonzero((np.abs(fixed @ scores) >= reach) | (length <= ROUNDING)))
    return DrawnTest(correlation, n_ge, draws)


def _unit(scores: Floats) -> Floats:
    centred = scores - scores.mean()
    length = float(np.linalg.norm(centred))
    if length <= MIN_RELATIVE_SPREAD * max(1.0, float(np.abs(scores).max())) * math.sqrt(scores.size):
        raise ZeroVarianceError(
            f"all {scores.size} scores on a dimension are equal (to 12 digits), so there is no correlation; "
            "check that the model gives different vectors to different words"
        )
    unit: Floats = centred / length
    return unit


def _require_valid(dimensions: Sequence[Labelled], draws: int) -> None:
    if draws < 1:
        raise ValueError(f"draws is {draws}; pass at least 1")
    if len({dimension.n for dimension in dimensions}) > 1:
        raise ValueError(
            f"the dimensions hold {', '.join(str(d.n) for d in dimensions)} words; pass the same words in each"
        )
