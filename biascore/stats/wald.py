"""Tests of estimates from their covariance: an estimate over its standard error, next to Student's t or the normal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from biascore.stats._checks import Floats, require_between

_NOTHING = 1e-14  # of the variance that uncorrelated estimates would have: rounding


@dataclass(frozen=True, slots=True)
class TTest:
    """A coefficient, or another estimate, with its two-sided t test; t, p-value and interval are NaN where se is 0."""

    estimate: float
    """In the unit of what is estimated: of a coefficient without a link, that of the scores."""
    se: float
    """Standard error, same unit."""
    df: float
    """Degrees of freedom; infinite where the test is by the normal distribution."""
    t: float
    """estimate / se."""
    p_value: float
    """Two-sided, of the hypothesis that what is estimated is 0."""
    low: float
    """Lower end of the t interval."""
    high: float
    """Upper end."""
    level: float
    """Confidence level of the interval."""

    @classmethod
    def of(cls, estimate: float, se: float, df: float, level: float = 0.95) -> TTest:
        """From an estimate, its standard error and the degrees of freedom of the latter."""
        from scipy.special import stdtr, stdtrit

        if se == 0.0:
            return cls(estimate, se, df, math.nan, math.nan, math.nan, math.nan, level)
        t = estimate / se
        half = se * float(stdtrit(df, (1.0 + level) / 2.0))
        p = min(1.0, 2.0 * float(stdtr(df, -abs(t))))
        return cls(estimate, se, df, t, p, estimate - half, estimate + half, level)

    def smallest_found(self, alpha: float, power: float = 0.8) -> float:
        """The true value, in the unit of the estimate, that such a test finds at ``alpha`` with that ``power``."""
        from scipy.special import stdtrit

        return self.se * float(stdtrit(self.df, 1.0 - alpha / 2.0) + stdtrit(self.df, power))


@dataclass(frozen=True, slots=True, eq=False)
class Wald:
    """Estimates (k,) with their covariance: what any combination of them is tested by."""

    estimates: Floats
    """(k,)"""
    vcov: Floats
    """(k, k)"""
    df: float
    """Degrees of freedom of the standard errors."""
    kind: str
    """What the covariance is, in words: ``classical``, ``clustered by name``."""
    cautions: tuple[str, ...] = ()
    """What a reader has to know of this covariance, as sentences."""

    def test(
        self, gradient: Floats, *, estimate: float | None = None, df: float | None = None, level: float = 0.95
    ) -> TTest:
        """Test the combination ``gradient`` (k,) of the estimates, or an ``estimate`` with that gradient.

        Raises ValueError on a level outside (0, 1).
        """
        require_between(level, "level", 0.0, 1.0)
        value = float(gradient @ self.estimates) if estimate is None else estimate
        variance = float(gradient @ self.vcov @ gradient)
        nothing = variance <= _NOTHING * float(gradient**2 @ np.diag(self.vcov))
        se = 0.0 if nothing else math.sqrt(variance)
        return TTest.of(value, se, self.df if df is None else df, level)

    def each(self, names: Sequence[str]) -> Mapping[str, TTest]:
        """The test of each of the first estimates, by their ``names``."""
        errors = np.sqrt(np.maximum(np.diag(self.vcov), 0.0))
        tests = {
            name: TTest.of(float(self.estimates[k]), float(errors[k]), self.df)
            for k, name in enumerate(names)
        }
        return MappingProxyType(tests)


def stars(p_value: float) -> str:
    """Asterisks as Câmara et al. 2022 print them: *** for p <= .01, ** for p <= .05, * for p <= .10, else none."""
    return "*" * sum(p_value <= bound for bound in (0.01, 0.05, 0.10))
