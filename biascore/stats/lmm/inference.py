"""Tests of fixed effects with Satterthwaite's degrees of freedom.

The variance of a contrast is itself estimated; its sampling variance, by the delta method from the curvature of the
REML criterion, gives the degrees of freedom of the t that has the same one (Satterthwaite 1946; as lmerTest does it:
Kuznetsova, Brockhoff and Christensen 2017, JSS 82(13), section 2). A variance that is estimated to be zero is
known to be zero for this purpose, and drops out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.lmm.cross_products import CrossProducts, Responses
from biascore.stats.lmm.reml import Profile, Solved
from biascore.stats.wald import TTest

_FLAT = 1e-10  # curvature below this share of the largest says nothing of its direction
_RANK = math.sqrt(np.finfo(float).eps)  # of the contrasts of a joint test: lmerTest's tolerance
_EQUAL = 1e-8  # degrees of freedom closer than this are the same: lmerTest's tolerance


@dataclass(frozen=True, slots=True)
class FTest:
    """The joint test that several contrasts are all 0."""

    f: float
    """Mean of the squared t of uncorrelated combinations of the contrasts."""
    df_num: int
    """Number of linearly independent contrasts."""
    df_den: float
    """Of Fai and Cornelius (1996), from Satterthwaite's degrees of freedom of each combination."""
    p_value: float
    """P(F >= f) under the hypothesis."""


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Covariance of the fixed effects, and its degrees of freedom."""

    vcov: Floats
    """(p, p): covariance of the coefficients."""
    derivatives: Floats
    """(m, p, p): derivatives of ``vcov`` in the m variance parameters that are not zero."""
    parameters: Floats
    """(m, m): covariance of the estimated parameters."""

    @classmethod
    def of(
        cls, cross: CrossProducts, of: Responses, at: Profile, gamma: Floats, from_basis: Floats
    ) -> Uncertainty:
        """At the optimum ``gamma`` (K,), of which ``at`` is the profile; coefficients are from_basis @ U's.

        Parameters are log(1 + gamma_k) of the positive ones, and log sigma^2; at an optimum any smooth choice
        gives the same degrees of freedom.
        """
        df = cross.n - cross.p
        sigma2 = float(at.rss[0]) / df
        unscaled, moves = _covariance(cross, of, gamma)
        free = np.flatnonzero(gamma > 0.0)
        change = 1.0 + gamma[free]
        curvature = np.empty((free.size + 1, free.size + 1))
        form = -at.norm[0] + 2.0 * at.form[0] / sigma2
        curvature[:-1, :-1] = form[np.ix_(free, free)] * np.outer(change, change)
        gradient = at.trace[0, free] - at.slope[0, free] / sigma2  # 0, but for rounding
        curvature[:-1, :-1] += np.diag(gradient * change)
        curvature[-1, :-1] = curvature[:-1, -1] = at.slope[0, free] * change / sigma2
        curvature[-1, -1] = df
        values, vectors = np.linalg.eigh(curvature)
        kept = values > _FLAT * values[-1]
        vcov = sigma2 * from_basis @ unscaled @ from_basis.T
        vcov = (vcov + vcov.T) / 2.0
        moved = [sigma2 * c * from_basis @ moves[k] @ from_basis.T for k, c in zip(free, change, strict=True)]
        inverse = 2.0 * (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
        return cls(vcov, np.array([*moved, vcov]), inverse)

    def variance(self, contrast: Floats) -> tuple[float, float]:
        """The variance of a contrast (p,) and its degrees of freedom."""
        variance = float(contrast @ self.vcov @ contrast)
        gradient = np.einsum("i,mij,j->m", contrast, self.derivatives, contrast)
        return variance, 2.0 * variance**2 / float(gradient @ self.parameters @ gradient)

    def t_test(self, coefficients: Floats, contrast: Floats, level: float) -> TTest:
        """Test one contrast (p,) of the coefficients (p,)."""
        variance, df = self.variance(contrast)
        return TTest.of(float(contrast @ coefficients), math.sqrt(variance), df, level)

    def f_test(self, coefficients: Floats, contrasts: Floats) -> FTest:
        """Test that several contrasts (q, p) are all 0 (lmerTest's contestMD)."""
        from scipy.special import fdtrc

        values, vectors = np.linalg.eigh(contrasts @ self.vcov @ contrasts.T)
        kept = values > _RANK * values[-1]
        combined = vectors[:, kept].T @ contrasts
        squares = np.square(combined @ coefficients) / values[kept]
        dfs = np.array([self.variance(one)[1] for one in combined])
        f, q = float(squares.mean()), int(kept.sum())
        df_den = _denominator(dfs)
        return FTest(f, q, df_den, float(fdtrc(q, df_den, f)))


def _denominator(dfs: Floats) -> float:
    if float(np.ptp(dfs)) < _EQUAL:
        return float(dfs.mean())
    if (dfs <= 2.0).any():
        return 2.0
    expected = float((dfs / (dfs - 2.0)).sum())
    return 2.0 * expected / (expected - dfs.size)


def _covariance(cross: CrossProducts, of: Responses, gamma: Floats) -> tuple[Floats, list[Floats]]:
    """(U'V^-1 U)^-1 (p, p), and its derivatives in gamma_k: that times U'V^-1 Z_k Z_k'V^-1 U times that."""
    at = Solved.of(cross, of, gamma[np.newaxis])
    design = slice(cross.rest, None)
    spread = at.spread[0, :, design]
    first = (at.shrink[0] * np.sqrt(cross.first))[:, np.newaxis] * (cross.between @ spread)
    rest = at.to_rest[0, design]
    effects = [first.T, *(rest[:, part] for part in cross.slices)]
    return spread[design], [one @ one.T for one in effects[: gamma.size]]
