"""What a removal destroys in addition to what it removes: neighbours kept, variance removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_matrix
from biascore.stats.association import cosine_matrix

ROWS_AT_ONCE = 1024


def neighbours_kept(before: ArrayLike, after: ArrayLike, count: int = 10) -> Floats:
    """Per row, the share of its ``count`` nearest neighbours by cosine that stay among them: (n,), from 0 to 1.

    Neighbours are sought among the rows given (n, d), without the row itself; memory is proportional to 1,024 n. Raises
    ValueError where the shapes differ, a row is zero, or there are not more than ``count`` rows.
    """
    old, new = finite_matrix(before, "before"), finite_matrix(after, "after")
    if old.shape != new.shape:
        raise ValueError(f"before has shape {old.shape} and after {new.shape}; pass the same words in order")
    if not 1 <= count < len(old):
        raise ValueError(f"{count} neighbours among {len(old)} rows; pass more rows or a smaller count")
    kept = np.empty(len(old))
    for start in range(0, len(old), ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, len(old))
        first, second = (_nearest(rows, start, stop, count) for rows in (old, new))
        same = (first[:, :, None] == second[:, None, :]).any(axis=2)
        kept[start:stop] = same.mean(axis=1)
    return kept


def _nearest(
    rows: Floats, start: int, stop: int, count: int
) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    cosines = cosine_matrix(rows[start:stop], rows)
    cosines[np.arange(stop - start), np.arange(start, stop)] = -np.inf
    return np.argpartition(-cosines, count - 1, axis=1)[:, :count]


def variance_removed(before: ArrayLike, after: ArrayLike) -> float:
    """The share of the total variance of ``before`` (n, d) that ``after`` lacks; negative where it has more.

    Raises ValueError where the rows of ``before`` do not vary.
    """
    old, new = finite_matrix(before, "before"), finite_matrix(after, "after")
    total = float(((old - old.mean(axis=0)) ** 2).sum())
    if total == 0.0:
        raise ValueError("all rows are equal, so there is no variance of which a share could be removed")
    return 1.0 - float(((new - new.mean(axis=0)) ** 2).sum()) / total
