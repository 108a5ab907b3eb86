"""LEACE: the least change of vectors after which no linear classifier distinguishes the classes better than a constant."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_matrix
from biascore.stats.removal.linear import LowRankMap

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
