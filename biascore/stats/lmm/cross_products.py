"""Weighted cross-products of design, groups and scores: all of the rows that a fit has to see.

Notation: W = diag(weights); Z_1 .. Z_K the 0-1 columns of the grouping factors, each divided by the root of the mean
weight of its levels, so that a variance ratio of about 1 is where a factor begins to show; U an orthonormal
basis of the design, U'WU = I; C = [Z_2 .. Z_K, U]. Factor 1 is the one with most levels. Z_1'WZ_1 is diagonal, so
its random effects are eliminated in closed form, and what is left to factorise has the size of C alone. For that
every cross-product is kept as the sum of a part between the groups of factor 1 and a part within them
(Henderson 1984; the elimination is the first block of the sparse Cholesky factor of Bates et al. 2015, section 3.4).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from biascore.stats._checks import Floats
from biascore.stats.design import Design, Factor, require_full_rank

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_NESTED = 1e-12  # of a sum of squares within groups is rounding error
_SINGULAR = 1e-11  # an eigenvalue of a correlation matrix below this share of the largest is rounding error


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A design matrix X = U R with U'WU = I."""

    columns: Floats
    """U, (n, p)."""
    to_basis: Floats
    """R, (p, p): coefficients of U are R times those of X."""
    from_basis: Floats
    """The inverse of R."""
    log_det: float
    """log |X'WX|."""

    @classmethod
    def of(cls, design: Design, weights: Floats) -> Basis:
        """Orthonormalise the columns; RegressionError names those that are combinations of the others."""
        from scipy.linalg import qr

        root = np.sqrt(weights)[:, np.newaxis]
        weighted = design.matrix * root
        lengths = np.linalg.norm(weighted, axis=0)
        scaled = weighted / np.where(lengths > 0.0, lengths, 1.0)
        q, r, order = qr(scaled, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(r))
        require_full_rank(r, order, design.columns)
        full: Floats = np.empty(r.shape)
        full[:, order] = r * lengths[order]
        log_det = 2.0 * float(np.log(diagonal).sum() + np.log(lengths).sum())
        inverse = np.asarray(np.linalg.inv(full), dtype=np.float64)
        return cls(q / root, full, inverse, log_det)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What a fit sees of the rows, kept to take cross-products of further scores."""

    weights: Floats
    factors: tuple[Factor, ...]
    """By falling number of levels."""
    basis: Floats
    """U, (n, p)."""


@dataclass(frozen=True, slots=True, eq=False)
class CrossProducts:
    """Cross-products of the columns, the same whatever the scores."""

    n: int
    p: int
    names: tuple[str, ...]
    """Of the factors, factor 1 first."""
    sizes: tuple[int, ...]
    """Levels of each factor."""
    scales: Floats
    """(K,): mean weight of a level, by which the variance ratios of each factor are multiplied."""
    between: Floats
    """(q_1, c): (Z_1'WZ_1)^(-1/2) Z_1'WC."""
    within: Floats
    """(c, c): C'WC less between'between."""
    first: Floats
    """(q_1,): diagonal of Z_1'WZ_1, mean 1."""

    @property
    def rest(self) -> int:
        """How many columns of C belong to factors 2 .. K."""
        return sum(self.sizes[1:])

    @property
    def slices(self) -> tuple[slice, ...]:
        """Where in C the factors 2 .. K are."""
        ends = np.cumsum((0, *self.sizes[1:])).tolist()
        return tuple(slice(a, b) for a, b in itertools.pairwise(ends))

    def root(self) -> tuple[Floats, Floats]:
        """L (c, rank) with LL' = within, and its pseudo-inverse (rank, c)."""
        size = np.diag(self.within)
        whole = size + np.square(self.between).sum(axis=0)
        length = np.sqrt(np.where(size > _NESTED * whole, size, 0.0))
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0.0)
        values, vectors = np.linalg.eigh(self.within * inverse[:, np.newaxis] * inverse)
        kept = values > _SINGULAR * max(1.0, float(values[-1]))
        root, vectors = np.sqrt(values[kept]), vectors[:, kept]
        return length[:, np.newaxis] * vectors * root, (inverse[:, np.newaxis] * vectors / root).T

    def reduced(self, columns: Floats) -> CrossProducts:
        """The same groups with the design U times ``columns`` (p, r), which are orthonormal."""
        from scipy.linalg import block_diag

        keep = block_diag(np.eye(self.rest), columns)
        return replace(
            self,
            p=columns.shape[1],
            between=self.between @ keep,
            within=keep.T @ self.within @ keep,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """Cross-products of B columns of scores with the columns C and with themselves."""

    between: Floats
    """(B, q_1)."""
    within: Floats
    """(B, c)."""
    square: Floats
    """(B,): sum of weighted squares within the groups of factor 1."""

    def __getitem__(self, chosen: NDArray[np.intp]) -> Responses:
        return Responses(self.between[chosen], self.within[chosen], self.square[chosen])

    def plus(self, cross: CrossProducts, coefficients: Floats) -> Responses:
        """The same scores plus C times ``coefficients`` (B, c)."""
        moved = coefficients @ cross.within
        return Responses(
            self.between + coefficients @ cross.between.T,
            self.within + moved,
            self.square + (coefficients * (moved + 2.0 * self.within)).sum(axis=1),
        )

    def reduced(self, columns: Floats) -> Responses:
        """Those with a design of fewer columns; see `CrossProducts.reduced`."""
        from scipy.linalg import block_diag

        keep = block_diag(np.eye(self.within.shape[1] - columns.shape[0]), columns)
        return Responses(self.between, self.within @ keep, self.square)


def cross_products(rows: Rows) -> CrossProducts:
    """One pass over the rows, O(n (p + K^2))."""
    weights, factors, basis = rows.weights, rows.factors, rows.basis
    n, p = basis.shape
    names = tuple(factor.name for factor in factors)
    sizes = tuple(len(factor.levels) for factor in factors)
    scales = np.array([weights.sum() / size for size in sizes])
    centred = np.stack([_centred(rows, column) for column in basis.T], axis=1)
    rest = factors[1:]
    design = centred.T @ (centred * weights[:, np.newaxis])
    if not factors:
        return CrossProducts(n, p, names, sizes, scales, np.zeros((0, p)), design, np.zeros(0))
    first = np.bincount(factors[0].codes, weights, sizes[0])
    blocks = [
        _table(weights, factors[0], factor) / math.sqrt(s) for factor, s in zip(rest, scales[1:], strict=True)
    ]
    blocks.append(np.stack([np.bincount(factors[0].codes, weights * u, sizes[0]) for u in basis.T], axis=1))
    between = np.concatenate(blocks, axis=1) / np.sqrt(first)[:, np.newaxis]
    q = sum(sizes[1:])
    within = np.empty((q + p, q + p))
    within[q:, q:] = design
    grid = [
        [_table(weights, a, b) / math.sqrt(s * t) for b, t in zip(rest, scales[1:], strict=True)]
        for a, s in zip(rest, scales[1:], strict=True)
    ]
    if rest:
        within[:q, :q] = np.block(grid) - between[:, :q].T @ between[:, :q]
    within[:q, q:] = _sums(rows, centred * weights[:, np.newaxis], scales)
    within[q:, :q] = within[:q, q:].T
    return CrossProducts(n, p, names, sizes, scales, between, within, first / scales[0])


def responses(rows: Rows, scores: Floats) -> Responses:
    """Cross-products of columns of scores (n, B), of which the design may be taken out or not."""
    weighted = scores * rows.weights[:, np.newaxis]
    scales = np.array([rows.weights.sum() / len(factor.levels) for factor in rows.factors])
    if not rows.factors:
        return Responses(
            np.zeros((scores.shape[1], 0)),
            (rows.basis.T @ weighted).T,
            np.einsum("ib,ib->b", weighted, scores),
        )
    first = rows.factors[0]
    total = np.bincount(first.codes, rows.weights, len(first.levels))
    sums = _indicators(first) @ weighted
    centred = scores - (sums / total[:, np.newaxis])[first.codes]
    weighted = centred * rows.weights[:, np.newaxis]
    within = np.concatenate([_sums(rows, weighted, scales), rows.basis.T @ weighted])
    return Responses(
        (sums / np.sqrt(total)[:, np.newaxis]).T, within.T, np.einsum("ib,ib->b", weighted, centred)
    )


def _centred(rows: Rows, column: Floats) -> Floats:
    """A column less its weighted mean in each group of factor 1."""
    if not rows.factors:
        return column
    codes = rows.factors[0].codes
    means = np.bincount(codes, rows.weights * column) / np.bincount(codes, rows.weights)
    centred: Floats = column - means[codes]
    return centred


def _sums(rows: Rows, columns: Floats, scales: Floats) -> Floats:
    """Sums of columns (n, m) in the levels of factors 2 .. K: (q_rest, m)."""
    parts = [
        (_indicators(factor) @ columns) / math.sqrt(s)
        for factor, s in zip(rows.factors[1:], scales[1:], strict=True)
    ]
    return np.concatenate([np.zeros((0, columns.shape[1])), *parts])


def _indicators(factor: Factor) -> csr_array:
    from scipy.sparse import csr_array

    n = factor.codes.size
    return csr_array((np.ones(n), (factor.codes, np.arange(n))), shape=(len(factor.levels), n))


def _table(weights: Floats, a: Factor, b: Factor) -> Floats:
    """Sums of weights by level of two factors: (levels of a, levels of b)."""
    rows, columns = len(a.levels), len(b.levels)
    sums = np.bincount(a.codes * columns + b.codes, weights, rows * columns)
    return np.asarray(sums, dtype=np.float64).reshape(rows, columns)
