"""The slope of one variable over another, with a standard error that holds for unequal variances.

HC3 (MacKinnon and White 1985, J. Econometrics 29:305) of least squares with an intercept, t with n - 2 degrees of freedom.
Points in clusters: CR2 with Satterthwaite degrees of freedom (Bell and McCaffrey 2002, Survey Methodology 28:169).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_vector
from biascore.stats.association import ZeroVarianceError
from biascore.stats.errors import RegressionError
from biascore.stats.wald import TTest

LEAST: Final = 5
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Slope:
    """Result of `slope`: its test, the coefficient of correlation, and the weight of each y in the slope (n,)."""

    test: TTest
    correlation: float
    weights: Floats
    error: str
    """How the standard error is made: HC3, or CR2."""


def slope(
    x: ArrayLike, y: ArrayLike, level: float = 0.95, *, clusters: Sequence[Hashable] | None = None
) -> Slope:
    """The slope of y over x, both (n,), in units of y for 1 of x; ``clusters`` (n,) name points that are alike.

    Raises RegressionError for an x that does not vary, or on fewer than five points, or clusters, in effect: (sum a²)² / sum
    a⁴, a being x less its mean, is 2 where two points far out determine the slope, and t is then too sure (16.8 % at a
    nominal 5); of clusters a² is their sum of it.
    ZeroVarianceError where y is on a line or does not vary; ValueError on arguments of another shape or not finite.
    """
    over, values = finite_vector(x, "x"), finite_vector(y, "y")
    if over.shape != values.shape:
        raise ValueError(f"x has {over.size} values and y {values.size}; pass as many of both")
    apart, up = over - over.mean(), values - values.mean()
    square = float(apart @ apart)
    if square <= (_ROUNDING * float(np.abs(over).max())) ** 2 * over.size:
        raise RegressionError("x does not vary, so that nothing has a slope over it")
    weights: Floats = apart / square
    place = np.unique(list(map(str, clusters)), return_inverse=True)[1] if clusters is not None else None
    alike = place is not None and place.max() + 1 < over.size
    shares = np.bincount(place, apart**2) if alike and place is not None else apart**2
    effective = square**2 / float(shares @ shares)
    if effective < LEAST:
        what = "clusters" if alike else "points"
        raise RegressionError(
            f"the slope rests on {effective:z.1f} of {len(shares)} {what} in effect, and {LEAST} are needed for a test"
        )
    found = float(weights @ values)
    rest = up - found * apart
    if alike and place is not None:
        se, df = _cr2(
            np.column_stack([np.full(over.size, over.size**-0.5), apart / square**0.5]), weights, rest, place
        )
    else:
        errors = weights * rest / (1.0 - 1.0 / over.size - apart**2 / square)
        se, df = float(np.sqrt(errors @ errors)), over.size - 2.0
    if se <= _ROUNDING * float(np.abs(weights * values).max(initial=0.0)) or not up.any():
        raise ZeroVarianceError(
            "the values do not vary beyond a line; check that the model distinguishes them"
        )
    total = float(up @ up)
    test = TTest.of(found, se, df, level)
    return Slope(test, found * (square / total) ** 0.5, weights, "CR2" if alike else "HC3")


def _cr2(basis: Floats, weights: Floats, rest: Floats, place: NDArray[np.intp]) -> tuple[float, float]:
    """Standard error and degrees of freedom; ``basis`` (n, 2) is orthonormal and spans intercept and x."""
    apart = np.eye(len(weights)) - basis @ basis.T
    columns, errors = [], []
    for cluster in range(place.max() + 1):
        own = place == cluster
        values, vectors = np.linalg.eigh(apart[np.ix_(own, own)])
        root = np.where(values > _ROUNDING, np.maximum(values, _ROUNDING) ** -0.5, 0.0)
        adjusted = (vectors * root) @ (vectors.T @ weights[own])
        errors.append(float(adjusted @ rest[own]))
        columns.append(apart[:, own] @ adjusted)
    product = np.array(columns) @ np.array(columns).T
    return float(np.linalg.norm(errors)), float(np.trace(product) ** 2 / (product**2).sum())
