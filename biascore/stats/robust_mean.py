"""A weighted mean whose standard error holds whatever the variances of the items are.

Weights usually state that an item's variance is proportional to 1 / weight. Here they choose what is estimated and nothing
else: the standard error comes from the residuals. For m = sum(w d) / sum(w), with weights scaled to sum to 1,

    SE² = sum (w_i (d_i - m) / (1 - w_i))²        t with 1 / sum(w²) - 1 degrees of freedom

which is HC3 (MacKinnon and White 1985, J. Econometrics 29:305) of weighted least squares on a constant, w_i being the
leverage of an item. Where items come in clusters it is CR2 (Pustejovsky and Tipton 2018, JBES 36:672; working model: equal
and independent errors) with Satterthwaite's degrees of freedom for errors that go together within a cluster as much as the
residuals do (Imbens and Kolesar 2016, REStat 98:701). For independent errors they are Bell and McCaffrey's, which are too
many where clusters are unequal and alike within: three of 100 items and twenty of 8 reject 14 % at a nominal 5, and 6 % so
(benchmarks/bench_mean.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_vector, require_between
from biascore.stats.association import ZeroVarianceError
from biascore.stats.bootstrap import Interval
from biascore.stats.errors import RegressionError
from biascore.stats.wald import TTest

_ROUNDING = 1e-12
_LEAST_DF = 0.1  # effective units - 1: with fewer degrees of freedom stdtrit loses its accuracy


@dataclass(frozen=True, slots=True)
class RobustMean:
    """Result of `robust_mean`; mean, se, low and high are in the unit of the values."""

    mean: float
    se: float
    df: float
    """Degrees of freedom of the standard error: of HC3 effective items - 1, of CR2 Satterthwaite's."""
    low: float
    high: float
    level: float
    """Confidence level of low to high."""
    n: int
    """Items."""
    n_clusters: int | None
    """None where every item is on its own."""

    @property
    def error(self) -> str:
        """What the standard error is."""
        return "HC3" if self.n_clusters is None else "CR2 by cluster"

    @property
    def interval(self) -> Interval:
        """low to high, with what they are from."""
        return Interval(self.low, self.high, self.level, f"t, {self.error}, {self.df:z.4g} df", 0)

    def test(self, neutral: float = 0.0) -> TTest:
        """The two-sided t test that the mean is ``neutral``, of their difference."""
        return TTest.of(self.mean - neutral, self.se, self.df, self.level)

    def p_value(self, neutral: float = 0.0) -> float:
        """Two-sided, of the hypothesis that the mean is ``neutral``."""
        return self.test(neutral).p_value


def robust_mean(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    *,
    within: float | None = None,
) -> RobustMean:
    """The mean of values (n,) with weights (n,), equal if None, and its error, by clusters if labels (n,) are given.

    Labels that are all different are no clusters. ``within`` is the correlation of two errors of a cluster that degrees of
    freedom are for, between 0 and 1; None takes that of the residuals. Raises RegressionError where one item, or cluster,
    has nearly all the weight or is the only one, ZeroVarianceError where the values do not vary, ValueError on arguments of
    another shape, not finite, or negative.
    """
    from scipy.special import stdtrit

    require_between(level, "level", 0.0, 1.0)
    if within is not None and not 0.0 <= within <= 1.0:
        raise ValueError(f"within is {within!r}; pass a correlation between 0 and 1, or None")
    given = finite_vector(values, "values")
    share = _shares(given, weights)
    mean = float(share @ given)
    apart = given - mean
    place, count = _places(clusters, given.size)
    several = count < given.size
    unit = "cluster" if several else "item"
    by_unit = np.bincount(place, weights=share)
    if 1.0 / float(by_unit @ by_unit) - 1.0 < _LEAST_DF:
        raise RegressionError(
            f"one {unit} has nearly all the weight, so nothing shows how much the mean varies"
        )
    if several:
        variance, df = _cr2(apart, share, place, _correlation(apart, place) if within is None else within)
    else:
        variance, df = _hc3(apart, share)
    se = math.sqrt(variance)
    if se <= _ROUNDING * float(np.abs(given).max()):
        raise ZeroVarianceError(
            f"all {count} {unit}s have the same mean, so there is no standard error; check that the "
            "model distinguishes them"
        )
    half = se * float(stdtrit(df, (1.0 + level) / 2.0))
    return RobustMean(mean, se, df, mean - half, mean + half, level, given.size, count if several else None)


def _shares(values: Floats, weights: ArrayLike | None) -> Floats:
    """The weights, scaled to a sum of 1."""
    given = np.ones(values.size) if weights is None else finite_vector(weights, "weights")
    if given.shape != values.shape:
        raise ValueError(f"there are {given.size} weights for {values.size} values; pass one for each")
    if given.min() < 0.0 or given.max() == 0.0:
        raise ValueError("weights must not be negative, and not all 0")
    scaled = given / given.max()  # so that no sum overflows
    shares: Floats = scaled / scaled.sum()
    return shares


def _places(clusters: ArrayLike | None, n: int) -> tuple[NDArray[np.intp], int]:
    """Of each item the number of its cluster, and how many there are."""
    if clusters is None:
        return np.arange(n), n
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ValueError(f"clusters has shape {labels.shape} for {n} values; pass a label for each")
    _, place = np.unique(labels, return_inverse=True)
    return place, int(place.max()) + 1


def _hc3(apart: Floats, share: Floats) -> tuple[float, float]:
    error = share * apart / (1.0 - share)
    return float(error @ error), 1.0 / float(share @ share) - 1.0


def _correlation(apart: Floats, place: NDArray[np.intp]) -> float:
    """The mean product of two residuals of a cluster over the mean square of all, within 0 and 1."""
    size = np.bincount(place)
    sums, squares = np.bincount(place, weights=apart), np.bincount(place, weights=apart**2)
    pairs, total = float((size * (size - 1.0)).sum()), float(squares.sum())
    if not pairs or not total:
        return 0.0
    return min(1.0, max(0.0, float((sums**2 - squares).sum()) / pairs / (total / apart.size)))


def _cr2(apart: Floats, share: Floats, place: NDArray[np.intp], within: float) -> tuple[float, float]:
    """Variance and degrees of freedom; each cluster's matrices are a unit matrix plus one of rank 2, and so is theirs.

    With H = 1 w', cluster g has B_g = [(I - H)(I - H)']_gg = I - 1 w_g' - w_g 1' + (w'w) 1 1', and a_g = B_g^(-1/2) w_g.
    """
    square = float(share @ share)
    adjusted = np.zeros(share.size)
    if share.min() == share.max():  # then w and 1 are parallel, and B is scaled along them
        size = np.bincount(place)
        adjusted = share / np.sqrt(1.0 - 2.0 * share * size[place] + square * size[place])
    else:
        for mine in np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1]):
            adjusted[mine] = _adjusted(share[mine], square)
    sums = np.bincount(place, weights=adjusted * apart)
    # The error of cluster g is p_g' e, with p_g = (a_g in its place) - (1'a_g) w. Of G = (p_g' V p_h): trace² / trace of G².
    # V has 1 on its diagonal and r within clusters: (1 - r) of the unit matrix, and r of one block of ones a cluster. With
    # s_g = 1'a_g and W_g = 1'w_g the first gives a_g'a_g less a matrix of rank 2, and the second s_g² less one.
    own, cross, total = (
        np.bincount(place, weights=adjusted * by) for by in (adjusted, share, np.ones(share.size))
    )
    of_cluster = np.bincount(place, weights=share)
    apart_too = 1.0 - within
    spread = apart_too * own + within * total**2
    low_rank = np.column_stack([cross, total, total * of_cluster])
    middle = apart_too * square + within * float(of_cluster @ of_cluster)
    kernel = np.array([[0.0, -apart_too, 0.0], [-apart_too, middle, -within], [0.0, -within, 0.0]])
    diagonal = np.einsum("gi,ij,gj->g", low_rank, kernel, low_rank)
    inner = kernel @ (low_rank.T @ low_rank)
    trace = float((spread + diagonal).sum())
    of_square = float(spread @ spread + 2.0 * spread @ diagonal + np.trace(inner @ inner))
    return float(sums @ sums), trace**2 / of_square


def _adjusted(share: Floats, square: float) -> Floats:
    """B^(-1/2) w of one cluster, in the plane of 1 and w, outside of which B is the unit matrix."""
    if not share.any():
        return share
    ones = np.ones(share.size)
    basis, sizes, _ = np.linalg.svd(np.column_stack([ones, share / share.max()]), full_matrices=False)
    basis = basis[:, sizes > _ROUNDING * sizes[0]]
    on, by = basis.T @ ones, basis.T @ share
    inside = np.eye(len(on)) - np.outer(on, by) - np.outer(by, on) + square * np.outer(on, on)
    values, vectors = np.linalg.eigh(inside)
    adjusted: Floats = basis @ (vectors @ ((vectors.T @ by) / np.sqrt(values)))
    return adjusted
