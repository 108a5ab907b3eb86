"""The slope of one variable over another, with a standard error that holds for unequal variances.

HC3 (MacKinnon and White 1985, J. Econometrics 29:305) of least squares with an intercept, t with n - 2 degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

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


def slope(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Slope:
    """The slope of y over x, both (n,), in units of y for 1 of x.

    Raises RegressionError for an x that does not vary, or on fewer than five points in effect: (sum a²)² / sum a⁴, a being
    x less its mean, is 2 where two points far out determine the slope, and t is then too sure (16.8 % at a nominal 5).
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
    effective = square**2 / float((apart**2) @ (apart**2))
    if effective < LEAST:
        raise RegressionError(
            f"the slope rests on {effective:.1f} of {over.size} points in effect, and {LEAST} are needed for a test"
        )
    leverage = 1.0 / over.size + apart**2 / square
    found = float(weights @ values)
    errors = weights * (up - found * apart) / (1.0 - leverage)
    se = float(np.sqrt(errors @ errors))
    if se <= _ROUNDING * float(np.abs(weights * values).max(initial=0.0)) or not up.any():
        raise ZeroVarianceError("the values do not vary beyond a line; check that the model tells them apart")
    total = float(up @ up)
    return Slope(TTest.of(found, se, over.size - 2.0, level), found * (square / total) ** 0.5, weights)
