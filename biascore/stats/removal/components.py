"""All-but-the-top: the mean and the top principal components removed from all vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import finite_matrix
from biascore.stats.removal.linear import LowRankMap


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
