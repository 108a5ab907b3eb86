"""Linear mixed models whose coefficients all vary between units: scores ~ X + (X | unit), by REML.

With ordinary least squares in each unit, b_g = (X_g'X_g)^-1 X_g'y_g, the scores are b_g ~ N(beta, D + sigma^2 (X_g'X_g)^-1)
and, independently, what is left within the units ~ sigma^2 chi^2, so that no step touches the rows (Laird and Ware 1982,
Biometrics 38:963). Where all units have the same X and D is not at its bound, beta is the mean of the b_g, and its standard
error theirs over the units.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, within_range
from biascore.stats.design import Design, Factor
from biascore.stats.errors import RegressionError
from biascore.stats.wald import TTest

ITERATIONS: Final = 1000
_STEEP: Final = 1e-3
"""Of -2 x the restricted log-likelihood, by a standardised parameter: a larger slope is no minimum."""
_SINGULAR: Final = 1e-6
"""An eigenvalue of the correlations of random coefficients below this is none."""
_AGAIN: Final = 5
_DEPENDENT: Final = 1e-9
_NO_NOISE: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """A mixed model with all coefficients random by unit; made by `fit_slopes`."""

    n: int
    """Rows."""
    units: int
    coefficients: Mapping[str, TTest]
    """By column of the design: mean over the population of units, Wald z test and 95 % interval."""
    covariance: Floats
    """(p, p): D, between units, in squared units of the scores."""
    residual_variance: float
    criterion: float
    """-2 x restricted log-likelihood, with all constants."""
    converged: bool
    """Whether the criterion is at a minimum; where it is not, nothing of the fit is to be relied on."""
    cautions: tuple[str, ...]
    """What a reader has to know of this fit, as sentences."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitFits:
    """Least squares in each unit."""

    names: tuple[str, ...]
    coefficients: Floats
    """(G, p); NaN in units whose own rows do not determine them."""
    inverses: Floats
    """(G, p, p): (X_g'X_g)^-1; NaN there."""
    left: float
    """Residual sum of squares of all other units."""
    df: int
    """Rows of these less G p."""
    weights: Floats
    """(n, p): what each row counts in the coefficients of its unit; NaN there."""


def unit_fits(scores: ArrayLike, design: Design, units: ArrayLike) -> UnitFits:
    """Ordinary least squares of scores (n,) within each of the units (n,).

    Raises RegressionError where scores or units are missing, not finite or of another number than the design's rows.
    """
    values = design.scores(scores)
    factor = Factor.of("unit", units)
    if factor.codes.size != values.size:
        raise RegressionError(
            f"there are {values.size} scores and {factor.codes.size} units; pass one per score"
        )
    count, p = len(factor.levels), len(design.columns)
    coefficients, inverses = np.full((count, p), np.nan), np.full((count, p, p), np.nan)
    weights = np.full((values.size, p), np.nan)
    left, df = 0.0, 0
    order = np.argsort(factor.codes, kind="stable")
    for g, rows in enumerate(np.split(order, np.cumsum(np.bincount(factor.codes, minlength=count))[:-1])):
        x = design.matrix[rows]
        u, sizes, vt = np.linalg.svd(x, full_matrices=False)
        if len(rows) < p or sizes[-1] <= _DEPENDENT * sizes[0]:
            continue
        weights[rows] = (u / sizes) @ vt
        coefficients[g] = values[rows] @ weights[rows]
        inverses[g] = (vt.T / sizes**2) @ vt
        left += float(np.square(values[rows] - x @ coefficients[g]).sum())
        df += len(rows) - p
    return UnitFits(factor.levels, coefficients, inverses, left, df, weights)


@within_range("the mixed model", "give scores in another unit", RegressionError)
def fit_slopes(
    scores: ArrayLike, design: Design, units: ArrayLike, *, iterations: int = ITERATIONS
) -> Slopes:
    """Fit scores = X (beta + b_unit) + residual, b_unit ~ N(0, D) with D unrestricted, by REML.

    ``scores`` (n,), ``units`` labels (n,). Same model as lme4's ``scores ~ X + (X | unit)`` and statsmodels'
    ``MixedLM(re_formula=X)``. Where no minimum is found within ``iterations``, ``converged`` is False. Raises
    RegressionError where a unit's own rows do not determine its coefficients, where there are fewer than two units or as
    many coefficients as rows, or where nothing is left for the residual.
    """
    fits = unit_fits(scores, design, units)
    undetermined = [name for name, own in zip(fits.names, fits.coefficients, strict=True) if np.isnan(own[0])]
    if undetermined:
        raise RegressionError(
            f"the rows of {undetermined[0]} do not determine its coefficients ({len(undetermined)} such of "
            f"{len(fits.names)}); leave those out and report them"
        )
    if len(fits.names) < 2 or fits.df < 1:
        raise RegressionError(
            f"there are {len(fits.names)} units, and {fits.df} rows more than their coefficients; random coefficients need "
            "two units and one row more"
        )
    whole = float(np.square(design.scores(scores)).sum())
    if fits.left <= _NO_NOISE * whole:
        raise RegressionError(
            "the coefficients of the units explain every score exactly, so there is no residual variance; compare the units "
            "directly"
        )
    return _fitted(fits, design, iterations)


def _fitted(fits: UnitFits, design: Design, iterations: int) -> Slopes:
    from scipy.optimize import minimize

    count, p = fits.coefficients.shape
    noise = fits.left / fits.df
    # In residual standard deviations and columns of a like size, so that one bound fits all slopes.
    size = np.sqrt(np.diagonal(fits.inverses, axis1=1, axis2=2).mean(axis=0))
    b = fits.coefficients / (size * math.sqrt(noise))
    inverses = fits.inverses / np.outer(size, size)
    lower = np.tril_indices(p)
    between = np.cov(b, rowvar=False, ddof=1).reshape(p, p) - inverses.mean(axis=0)
    values, vectors = np.linalg.eigh(between)
    start = np.linalg.cholesky((vectors * np.maximum(values, 1e-2)) @ vectors.T)
    problem = _Problem(b, inverses, fits.df, lower)
    x = np.append(start[lower], 0.0)
    for _ in range(_AGAIN):  # anew from where rounding ended a line search, with a fresh curvature
        found = minimize(
            problem,
            x,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": iterations,
                "maxfun": 10 * iterations,
                "ftol": 1e-14,
                "gtol": 1e-6,
                "maxcor": 30,
            },
        )
        x = found.x
        steep = float(np.abs(found.jac).max())
        if steep <= _STEEP or found.nit >= iterations:
            break
    factor, sigma2 = problem.parts(found.x)
    beta, vcov = problem.mean(factor @ factor.T, sigma2)
    unit = size * math.sqrt(noise)
    covariance = (factor @ factor.T) * np.outer(unit, unit)
    tests = {
        name: TTest.of(float(beta[k] * unit[k]), float(math.sqrt(vcov[k, k]) * unit[k]), math.inf)
        for k, name in enumerate(design.columns)
    }
    rows = fits.df + count * p
    # Of the scale of the scores and columns, and |X_g'X_g|, which the criterion of the b_g alone leaves out.
    constant = (rows - p) * math.log(2 * math.pi) + fits.df * math.log(noise)
    constant -= float(np.linalg.slogdet(fits.inverses)[1].sum())
    constant += (count - 1) * float(np.log(unit**2).sum())
    return Slopes(
        n=rows,
        units=count,
        coefficients=MappingProxyType(tests),
        covariance=covariance,
        residual_variance=sigma2 * noise,
        criterion=float(found.fun) + constant,
        converged=bool(np.isfinite(found.fun) and steep <= _STEEP),
        cautions=tuple(_warnings(covariance, count)),
    )


def _warnings(covariance: Floats, count: int) -> list[str]:
    found = []
    p = len(covariance)
    if count <= p:
        found.append(f"{count} units hardly determine the covariance of {p} random coefficients")
    spread = np.sqrt(np.diag(covariance))
    scaled = covariance / np.outer(spread, spread) if spread.all() else np.zeros((p, p))
    if not np.linalg.eigvalsh(scaled)[0] > _SINGULAR:
        found.append("a combination of the random coefficients has no variance (a singular fit)")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """-2 x the restricted log-likelihood of standardised coefficients, and its gradient; x is L of D = LL', ln sigma^2."""

    b: Floats
    inverses: Floats
    df: int
    lower: tuple[np.ndarray, np.ndarray]

    def parts(self, x: Floats) -> tuple[Floats, float]:
        p = self.b.shape[1]
        factor = np.zeros((p, p))
        factor[self.lower] = x[:-1]
        return factor, math.exp(float(x[-1]))

    def mean(self, between: Floats, sigma2: float) -> tuple[Floats, Floats]:
        """beta and its covariance."""
        precision = np.linalg.inv(between + sigma2 * self.inverses)
        vcov = np.linalg.inv(precision.sum(axis=0))
        return vcov @ np.einsum("gij,gj->i", precision, self.b), vcov

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        factor, sigma2 = self.parts(x)
        total = factor @ factor.T + sigma2 * self.inverses
        precision = np.linalg.inv(total)
        information = precision.sum(axis=0)
        vcov = np.linalg.inv(information)
        apart = self.b - vcov @ np.einsum("gij,gj->i", precision, self.b)
        scaled = np.einsum("gij,gj->gi", precision, apart)
        value = (
            self.df * (math.log(sigma2) + 1.0 / sigma2)
            + float(np.linalg.slogdet(total)[1].sum())
            + float((apart * scaled).sum())
            + float(np.linalg.slogdet(information)[1])
        )
        slope = precision - scaled[:, :, np.newaxis] * scaled[:, np.newaxis] - precision @ vcov @ precision
        of_sigma = self.df * (1.0 - 1.0 / sigma2) + sigma2 * float((slope * self.inverses).sum())
        of_factor = 2.0 * slope.sum(axis=0) @ factor
        return value, np.append(of_factor[self.lower], of_sigma)
