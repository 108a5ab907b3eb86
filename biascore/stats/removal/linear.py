"""Linear maps that differ from the identity in few directions, applied to any number of rows in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_matrix

Float = TypeVar("Float", bound=np.floating[Any])

BLOCK = 16_384
"""Rows worked on at once: two blocks of 300 float32 take 39 MB, and a product of so many rows runs at full speed."""
SAME_DIRECTION = 1e-7
"""What is left of a direction, as a share of its length, when it already lies in the span of the others."""


@dataclass(frozen=True, slots=True, eq=False)
class LowRankMap:
    """x -> x - (x U) V' + c for rows x of d numbers; U ``read`` and V ``write`` (d, k), c ``offset`` (d,).

    An orthogonal projection has U = V = B, an orthonormal basis of what is removed; an oblique one has two.
    With k directions a row costs 4 d k operations, and a product with a d x d matrix 2 d d.
    """

    read: Floats
    write: Floats
    offset: Floats

    @classmethod
    def projection(cls, basis: ArrayLike) -> Self:
        """The orthogonal projection that removes the span of ``basis`` (d, k), whose columns are orthonormal.

        Raises ValueError where they are not, to 1e-6.
        """
        columns = np.asarray(basis, dtype=np.float64)
        if columns.ndim != 2:
            raise ValueError(f"the basis has shape {columns.shape}; pass (dimensions, directions)")
        if not np.allclose(columns.T @ columns, np.eye(columns.shape[1]), rtol=0.0, atol=1e-6):
            raise ValueError("the columns of the basis are not orthonormal; pass them through `orthonormal`")
        return cls(columns, columns, np.zeros(len(columns)))

    @property
    def dimensions(self) -> int:
        """d, the length of a row."""
        return len(self.read)

    @property
    def rank(self) -> int:
        """k, the number of directions that are removed."""
        return int(self.read.shape[1])

    def apply(self, rows: NDArray[Float], *, block: int = BLOCK) -> NDArray[Float]:
        """The rows (n, d) mapped: a new array of the same type, in addition to which only ``block`` rows are held.

        A row with NaN becomes a row of NaN. Raises ValueError on rows of another length.
        """
        if rows.ndim != 2 or rows.shape[1] != self.dimensions:
            raise ValueError(f"rows of shape {rows.shape} for a map of {self.dimensions} dimensions")
        # numpy takes a product with a single row in a loop of its own, nine times as long as one with two rows takes.
        one = [(0, 0), (0, int(self.rank == 1))]
        read = np.pad(self.read, one).astype(rows.dtype)
        write = np.ascontiguousarray(np.pad(self.write, one).T, dtype=rows.dtype)
        shifted = bool(self.offset.any())
        offset = self.offset.astype(rows.dtype)
        mapped = np.empty(rows.shape, dtype=rows.dtype)
        for start in range(0, len(rows), block):
            given, out = rows[start : start + block], mapped[start : start + block]
            np.matmul(given @ read, write, out=out)
            np.subtract(given, out, out=out)
            if shifted:
                out += offset
        return mapped

    def matrix(self) -> Floats:
        """The map without its offset as one matrix (d, d): rows @ matrix."""
        full: Floats = np.eye(self.dimensions) - self.read @ self.write.T
        return full


def orthonormal(directions: ArrayLike, beside: ArrayLike | None = None) -> Floats:
    """An orthonormal basis (d, k) of the rows of ``directions`` (m, d), in their order, by Gram and Schmidt.

    ``beside`` (d, j), orthonormal: only what is orthogonal to it counts. A direction that adds nothing (less
    than 1e-7 of its length lies outside the span of those before it) is left out, so k <= m.
    """
    rows = finite_matrix(directions, "directions")
    known = np.zeros((rows.shape[1], 0)) if beside is None else np.asarray(beside, dtype=np.float64)
    found = 0
    for row in rows:
        length = float(np.linalg.norm(row))
        if length == 0.0:
            continue
        rest = row / length
        for _ in range(2):  # the second pass takes out what rounding left: "twice is enough" (Kahan, Parlett)
            rest = rest - known @ (known.T @ rest)
        left = float(np.linalg.norm(rest))
        if left > SAME_DIRECTION:
            known = np.column_stack([known, rest / left])
            found += 1
    return known[:, known.shape[1] - found :]


def unit_rows(rows: ArrayLike) -> Floats:
    """The rows (n, d) at length one; raises ValueError that names the first zero row."""
    matrix = finite_matrix(rows, "rows")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    zero = np.flatnonzero(lengths[:, 0] == 0.0)
    if zero.size:
        raise ValueError(f"row {int(zero[0])} (counted from 0) is a zero vector, which has no direction")
    scaled: Floats = matrix / lengths
    return scaled


def top_components(rows: ArrayLike, count: int | None = None) -> LowRankMap:
    """Centre and remove the ``count`` principal components of greatest variance; rows (n, d).

    None: d / 100, rounded, at least one, the paper's rule. r(x) = x - m - sum u (u . (x - m)), m the mean of the
    rows; the paper's algorithm 1 writes u . x, which differs by the same constant for all words and leaves them off
    centre. Raises ValueError unless 1 <= count <= min(n, d). Source: Mu and Viswanath 2018 (ICLR).
    """
    x = finite_matrix(rows, "rows")
    dimensions = x.shape[1]
    number = max(1, round(dimensions / 100)) if count is None else count
    if not 1 <= number <= min(len(x), dimensions):
        raise ValueError(
            f"{number} components of {len(x)} vectors of {dimensions} dimensions; "
            f"pass a number from 1 to {min(len(x), dimensions)}"
        )
    mean = x.mean(axis=0)
    centred = x - mean
    basis = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :number]
    return LowRankMap(basis, basis, basis @ (basis.T @ mean) - mean)


NO_VARIANCE = 1e-10
"""A direction with less than this share of the largest variance is taken to have none: float32 rounds at 1e-7."""


def leace(rows: ArrayLike, concepts: ArrayLike) -> LowRankMap:
    """The affine map r that minimises E |r(x) - x|^2 under cov(r(x), z) = 0; x ``rows`` (n, d), z (n, m).

    r(x) = x - W+ P W (x - E x), W = (cov x)^(-1/2) (pseudo-inverse), P the orthogonal projection onto the columns of
    W cov(x, z). An oblique projection in general; the same r is optimal for every squared norm. ``concepts``: one
    column a class (0 or 1), or any numbers. Raises ValueError where the numbers of rows differ or are below 2.
    Source: Belrose et al. 2023, theorem 4.3 (NeurIPS).
    """
    x, z = finite_matrix(rows, "rows"), finite_matrix(concepts, "concepts")
    if len(x) != len(z) or len(x) < 2:
        raise ValueError(f"{len(x)} rows and {len(z)} concepts; pass one concept a row, and two rows or more")
    mean = x.mean(axis=0)
    centred, labels = x - mean, z - z.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(x))
    kept = values > NO_VARIANCE * max(float(values[-1]), 0.0)
    scales, axes = np.sqrt(values[kept]), vectors[:, kept]
    whiten, colour = (axes / scales) @ axes.T, (axes * scales) @ axes.T
    left, strengths, _ = np.linalg.svd(whiten @ (centred.T @ labels / len(x)), full_matrices=False)
    # One-hot columns add up to one: one singular value is nothing but rounding. None exceeds the deviation of z.
    told = left[:, strengths > 1e-8 * float(labels.std(axis=0).max())]
    read, write = whiten @ told, colour @ told
    return LowRankMap(read, write, write @ (read.T @ mean))


def one_hot(labels: ArrayLike) -> Floats:
    """Classes (n,) as columns of 0 and 1 (n, classes), in sorted order of the classes."""
    codes = np.asarray(labels)
    columns: Floats = (codes[:, None] == np.unique(codes)[None, :]).astype(np.float64)
    return columns
