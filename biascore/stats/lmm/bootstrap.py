"""Parametric bootstrap: new scores from the fitted model, fitted again, from cross-products.

The cross-products of new scores are drawn, not the scores: with weighted noise e ~ N(0, sigma^2 W^-1),
(Z_1'WZ_1)^(-1/2) Z_1'We ~ N(0, sigma^2 I), and independently of it what C has within the groups of factor 1 is
N(0, sigma^2 within) with rank r, and the sum of squares there is that of its r independent parts plus
sigma^2 chi^2 with n - q_1 - r degrees of freedom. So a replicate costs the same whatever the number of rows, and has
exactly the distribution that drawing every row would give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from biascore.stats._checks import Floats, require_between
from biascore.stats.bootstrap import Interval
from biascore.stats.design import Contrast, Design
from biascore.stats.errors import RegressionError
from biascore.stats.lmm.cross_products import CrossProducts, Responses, responses
from biascore.stats.lmm.estimate import Estimate
from biascore.stats.lmm.r2 import ResidualVariance, RSquared, require_residual, shares
from biascore.stats.lmm.reml import minimise

Kind: TypeAlias = Literal["model", "lme4"]
"""How a replicate draws its residuals: with variance sigma^2 / weight, as the model says, or sigma^2 in every row."""

_CHUNK = 2**21  # numbers in an array of one batch of replicates: 16 MiB
_START_ABOVE_ZERO = 0.5  # log(1 + gamma)


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Replicates of a fit, of which intervals are quantiles (R's type 7)."""

    kind: Kind
    resamples: int
    """Replicates drawn."""
    n_degenerate: int
    """Of them, those whose fit did not converge; they are left out of everything below."""
    coefficients: Floats
    """(B, p), in the order of ``design.columns``."""
    residual_variance: Floats
    """(B,)."""
    variances: Mapping[str, Floats]
    """(B,) per random intercept; exactly 0 where it is estimated to be zero."""
    singular_share: float
    """Share of replicates whose fit is singular (see `Fit.singular`)."""
    design: Design
    fixed: Floats
    """(B,): variance of the fixed part over the rows."""
    without: Mapping[str, Floats]
    """(B,) per term: the same of the model without it."""
    noise: Mapping[ResidualVariance, float]
    """By which the residual variance is multiplied for each kind of R^2."""

    def interval(self, contrast: Contrast, *, level: float = 0.95) -> Interval:
        """Percentile interval of a contrast of coefficients, in the unit of the scores."""
        return self._interval(self.coefficients @ self.design.vector(contrast), level)

    def r2(self, residual: ResidualVariance = "unit-weight", *, level: float = 0.95) -> RSquared[Interval]:
        """Percentile intervals of `Fit.r2`."""
        drawn = self.r2_replicates(residual)
        part = {term: self._interval(values, level) for term, values in drawn.part.items()}
        return RSquared(
            residual, self._interval(drawn.marginal, level), self._interval(drawn.conditional, level), part
        )

    def r2_replicates(self, residual: ResidualVariance = "unit-weight") -> RSquared[Floats]:
        """`Fit.r2` of each replicate: arrays (B,)."""
        require_residual(residual)
        random = sum(self.variances.values(), start=np.zeros(len(self.fixed)))
        noise = self.residual_variance * self.noise[residual]
        return shares(residual, self.fixed, random, noise, self.without)

    def _interval(self, values: Floats, level: float) -> Interval:
        require_between(level, "level", 0.0, 1.0)
        low, high = np.quantile(values, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        method = f"parametric bootstrap ({self.kind}), percentile"
        return Interval(float(low), float(high), level, method, self.resamples, self.n_degenerate)


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """What a bootstrap draws, by the internal order of the factors."""

    coefficients: Floats
    """(B, p): of the columns of the design."""
    sigma2: Floats
    """(B,)."""
    gamma: Floats
    """(B, K)."""
    without: Mapping[str, Floats]
    """(B,) per term of ``Estimate.reductions``."""
    n_degenerate: int


def replicate(of: Estimate, kind: Kind, resamples: int, rng: np.random.Generator) -> Replicates:
    """Draw and fit ``resamples`` sets of scores.

    Raises RegressionError on options out of range, and where no replicate could be fitted.
    """
    if resamples < 2:
        raise RegressionError(f"resamples is {resamples}; pass at least 2, and 1000 for a stable interval")
    if kind not in ("model", "lme4"):
        raise RegressionError(f"kind is {kind!r}; pass 'model' or 'lme4'")
    scores = draw(of, kind, resamples, rng)
    cross, gamma = of.cross, of.gamma
    # From the estimate, but not from the bound, where a criterion with two minima could hold it.
    start = np.maximum(np.log1p(gamma), _START_ABOVE_ZERO)
    width = cross.between.shape[1]
    step = max(1, _CHUNK // (width * max(width, len(cross.first))))
    found = []
    without: dict[str, list[Floats]] = {term: [] for term in of.reductions}
    for begin in range(0, resamples, step):
        part = scores[np.arange(begin, min(begin + step, resamples))]
        starts = np.broadcast_to(start, (len(part.square), gamma.size))
        found.append(minimise(cross, part, starts))

        def solve(other: CrossProducts, reduced: Responses, starts: Floats = starts) -> Floats:
            return minimise(other, reduced, starts).coefficients

        shift = np.broadcast_to(of.coefficients, (len(starts), cross.p))
        for term, values in of.variances_without(part, shift, solve).items():
            without[term].append(values)
    converged = np.concatenate([one.converged for one in found])
    if not converged.any():
        raise RegressionError(
            "none of the replicates could be fitted, so there is no interval; fit with fewer groups"
        )
    return Replicates(
        of.coefficients
        + np.concatenate([one.coefficients for one in found])[converged] @ of.basis.from_basis.T,
        np.concatenate([one.rss for one in found])[converged] / of.df,
        np.concatenate([one.gamma for one in found])[converged],
        {term: np.concatenate(values)[converged] for term, values in without.items()},
        int(np.count_nonzero(~converged)),
    )


def draw(of: Estimate, kind: Kind, count: int, rng: np.random.Generator) -> Responses:
    """Cross-products of ``count`` sets of scores drawn from a fit, less its fixed part."""
    cross, sigma = of.cross, math.sqrt(of.sigma2)
    effects = (
        rng.standard_normal((count, sum(cross.sizes))) * sigma * np.sqrt(np.repeat(of.gamma, cross.sizes))
    )
    noise = _model_noise(of, count, rng) if kind == "model" else _lme4_noise(of, count, rng)
    first = len(cross.first)
    moved = np.concatenate([effects[:, first:], np.zeros((count, cross.p))], axis=1)
    scores = noise.plus(cross, moved)
    return Responses(scores.between + np.sqrt(cross.first) * effects[:, :first], scores.within, scores.square)


def _model_noise(of: Estimate, count: int, rng: np.random.Generator) -> Responses:
    """e ~ N(0, sigma^2 / weight): its cross-products by their distribution."""
    cross, sigma = of.cross, math.sqrt(of.sigma2)
    root, _ = cross.root()
    rank = root.shape[1]
    between = rng.standard_normal((count, len(cross.first)))
    parts = rng.standard_normal((count, rank))
    square = np.square(parts).sum(axis=1) + rng.chisquare(cross.n - len(cross.first) - rank, size=count)
    return Responses(sigma * between, sigma * parts @ root.T, sigma**2 * square)


def _lme4_noise(of: Estimate, count: int, rng: np.random.Generator) -> Responses:
    """e ~ N(0, sigma^2) in every row, drawn row by row: its weighted squares are no chi^2."""
    sigma, n = math.sqrt(of.sigma2), of.cross.n
    step = max(1, _CHUNK // n)
    parts = [
        responses(of.rows, sigma * rng.standard_normal((n, min(step, count - begin))))
        for begin in range(0, count, step)
    ]
    return Responses(
        np.concatenate([part.between for part in parts]),
        np.concatenate([part.within for part in parts]),
        np.concatenate([part.square for part in parts]),
    )
