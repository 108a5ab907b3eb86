"""Gamma functions less their leading terms, to full precision at every size of the argument.

With a precision phi of a million, the terms of the likelihood of a Beta regression are a million times the likelihood
itself, and of the score for phi all but the eighth digit cancels. The leading terms cancel exactly, on paper; what is
left of each function is computed here, from the asymptotic series above `_LARGE` (Abramowitz and Stegun 1964, 6.1.41,
6.3.18 and 6.4.12; the first term left out is below 1e-15 of the whole) and from scipy below.
"""

from __future__ import annotations

import math

import numpy as np

from biascore.stats._checks import Floats

_LARGE = 16.0
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def log_gamma(x: Floats) -> Floats:
    """log Gamma(x) - [(x - 1/2) log x - x + 1/2 log 2 pi] of x > 0; about 1 / (12 x) where x is large."""
    from scipy.special import gammaln

    small, inverse = _parts(x)
    series = inverse * _polynomial(
        inverse**2, (1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360)
    )
    direct = gammaln(small) - ((small - 0.5) * np.log(small) - small + _HALF_LOG_2PI)
    return np.where(x < _LARGE, direct, series)


def digamma(x: Floats) -> Floats:
    """log x - psi(x) of x > 0; about 1 / (2 x) where x is large."""
    from scipy.special import psi

    small, inverse = _parts(x)
    square = inverse**2
    series = 0.5 * inverse + square * _polynomial(
        square, (1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760)
    )
    return np.where(x < _LARGE, np.log(small) - psi(small), series)


def trigamma(x: Floats) -> Floats:
    """psi'(x) - 1 / x of x > 0; about 1 / (2 x^2) where x is large."""
    from scipy.special import zeta

    small, inverse = _parts(x)
    square = inverse**2
    series = 0.5 * square + square * inverse * _polynomial(
        square, (1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730)
    )
    return np.where(x < _LARGE, zeta(2.0, small) - 1.0 / small, series)


def _parts(x: Floats) -> tuple[Floats, Floats]:
    """x where it is small, and 1 / x where it is large, each with a harmless number elsewhere."""
    return np.minimum(x, _LARGE), 1.0 / np.maximum(x, _LARGE)


def _polynomial(x: Floats, coefficients: tuple[float, ...]) -> Floats:
    value = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = value * x + coefficient
    return value
