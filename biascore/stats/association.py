"""Cosines, the association of a word with two attribute sets, and the WEAT / SC-WEAT effect size."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_matrix, finite_vector

MIN_RELATIVE_SPREAD = 1e-12
"""A standard deviation below this share of the largest absolute score is rounding error, not variance."""


class ZeroVarianceError(ValueError):
    """An effect size asked of scores that do not vary, so that it would be a division by zero."""


def cosine_matrix(u: ArrayLike, v: ArrayLike) -> Floats:
    """Cosines between the rows of ``u`` (n, d) and of ``v`` (m, d): float64 (n, m), in [-1, 1].

    Raises ValueError naming the argument and the row index (from 0) of a zero vector or of a row with NaN or
    infinity, and where the two dimensions d differ.
    """
    rows, columns = finite_matrix(u, "u"), finite_matrix(v, "v")
    if rows.shape[1] != columns.shape[1]:
        raise ValueError(
            f"u has vectors of {rows.shape[1]} dimensions, v of {columns.shape[1]}; take both from one model"
        )
    cosines: Floats = unit_rows(rows, "u") @ unit_rows(columns, "v").T
    return np.clip(cosines, -1.0, 1.0, out=cosines)  # rounding can leave 1 + 2e-16, whose arccos would be NaN


def unit_rows(matrix: Floats, name: str = "vectors") -> Floats:
    """The rows (n, d) at length 1; raises ValueError with ``name`` and the index of a zero row."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest == 0.0)
    if zero.size:
        raise ValueError(
            f"row {int(zero[0])} of {name} (counted from 0) is a zero vector, which has no cosine; "
            "treat its word as out of vocabulary"
        )
    scaled = matrix / largest  # so that squares neither overflow nor vanish
    unit: Floats = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return unit


def association(cos_a: ArrayLike, cos_b: ArrayLike) -> Floats:
    """s(w, A, B) = mean cosine with A minus mean cosine with B, per word w: (n, a) and (n, b) give (n,).

    Raises ValueError where the numbers of words differ, a set is empty or a cosine is not finite. Source:
    Caliskan, Bryson and Narayanan 2017, Science 356:183, supplement; the same as Puttick's equation 1.
    """
    a, b = finite_matrix(cos_a, "cos_a").mean(axis=1), finite_matrix(cos_b, "cos_b").mean(axis=1)
    if a.size != b.size:
        raise ValueError(f"cos_a has {a.size} words and cos_b {b.size}; pass one row per word in both")
    difference: Floats = a - b
    return difference


def effect_size(x: ArrayLike, y: ArrayLike, ddof: Literal[0, 1] = 1) -> float:
    """(mean x - mean y) / standard deviation of x and y together, scores of shape (n,) each; no unit.

    For WEAT, x and y are s(w, A, B) of the target words (Caliskan et al. 2017); for SC-WEAT, the cosines of
    one word with A and with B. ``ddof`` 1 (sample deviation; Caliskan 2017, sent-bias, GG-WEAT code) gives a
    value smaller by sqrt((N - 1) / N) than ``ddof`` 0 (population deviation; WEFE). Raises ZeroVarianceError
    where the deviation is below 1e-12 of the largest absolute score, ValueError on empty or non-finite
    scores.
    """
    first, second = finite_vector(x, "x"), finite_vector(y, "y")
    if ddof not in (0, 1):
        raise ValueError(f"ddof is {ddof!r}; pass 1 (sample deviation) or 0 (population deviation)")
    pooled = np.concatenate([first, second])
    largest = float(np.abs(pooled).max())
    spread = float(np.std(pooled / largest, ddof=ddof)) if largest > 0.0 else 0.0
    if spread <= MIN_RELATIVE_SPREAD:
        raise ZeroVarianceError(
            f"all {pooled.size} scores are equal (to 12 digits), so there is no effect size; "
            "check that the model gives different vectors to different words"
        )
    difference = math.fsum(first / largest) / first.size - math.fsum(second / largest) / second.size
    return difference / spread
