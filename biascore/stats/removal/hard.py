"""Hard debiasing: a subspace from pairs of words, removed from all but some words, pairs set at equal distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_matrix
from biascore.stats.removal.linear import unit_rows


@dataclass(frozen=True, slots=True, eq=False)
class PairSubspace:
    """An orthonormal ``basis`` (d, k); ``shares`` of the pairs' variance that each component explains, all of them."""

    basis: Floats
    shares: Floats


def pair_subspace(first: ArrayLike, second: ArrayLike, count: int = 1) -> PairSubspace:
    """The top ``count`` principal components of pairs of unit rows, each pair centred on its mean; (n, d) each.

    Raises ValueError where the shapes differ, all pairs are of equal vectors, or ``count`` exceeds what the pairs
    span. Source: Bolukbasi et al. 2016 (NeurIPS), section 6, step 1.
    """
    a, b = unit_rows(first), unit_rows(second)
    if a.shape != b.shape:
        raise ValueError(
            f"the two sides of the pairs have shapes {a.shape} and {b.shape}; pass one row a word"
        )
    half = (a - b) / 2.0
    _, strengths, axes = np.linalg.svd(np.concatenate([half, -half]), full_matrices=False)
    spanned = int(np.count_nonzero(strengths > 1e-10 * strengths[0])) if strengths[0] > 0.0 else 0
    if not 1 <= count <= spanned:
        raise ValueError(
            f"{count} directions of pairs that span {spanned}; pass a number from 1 to {spanned}"
        )
    variances = strengths**2
    basis = axes[:count].T
    # A sign that does not hang on the library: the first words of the pairs lie on the positive side.
    basis = basis * np.where((half @ basis).sum(axis=0) < 0.0, -1.0, 1.0)
    return PairSubspace(basis, variances / variances.sum())


def neutralised(rows: ArrayLike, basis: ArrayLike) -> Floats:
    """Rows (n, d) without what lies in ``basis`` (d, k), at length one.

    A zero row, or one that lies in the basis whole, has no rest and becomes zero.
    """
    vectors, columns = finite_matrix(rows, "rows"), finite_matrix(basis, "basis")
    rest = vectors - (vectors @ columns) @ columns.T
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    nothing = lengths <= 1e-7 * np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = np.where(nothing, 0.0, rest / np.where(nothing, 1.0, lengths))
    return scaled


def equalised(first: ArrayLike, second: ArrayLike, basis: ArrayLike) -> tuple[Floats, Floats]:
    """Pairs (n, d) that differ in ``basis`` (d, k) alone, at length one: as near to any neutralised word as each other.

    With m the mean of the two unit rows and v its part outside the basis, each becomes v + sqrt(1 - |v|^2) times the
    unit vector of its own part, less the mean's, in the basis. Raises ValueError that names a pair whose words do not
    differ in the basis. Source: Bolukbasi et al. 2016, section 6, step 2a.
    """
    a, b, columns = unit_rows(first), unit_rows(second), finite_matrix(basis, "basis")
    mean = (a + b) / 2.0
    outside = mean - (mean @ columns) @ columns.T
    inside = ((a - b) / 2.0) @ columns
    lengths = np.linalg.norm(inside, axis=1, keepdims=True)
    alike = np.flatnonzero(lengths[:, 0] < 1e-7)
    if alike.size:
        raise ValueError(f"the words of pair {int(alike[0])} (counted from 0) do not differ in the subspace")
    room = np.sqrt(np.clip(1.0 - (outside**2).sum(axis=1, keepdims=True), 0.0, None))
    apart = room * (inside / lengths) @ columns.T
    return outside + apart, outside - apart
