"""A mean over rows that are alike in one or two ways, such as sentences about the same occupations.

With two, the variance is V_1 + V_2 - V_12, each CR2 by its own clusters (Cameron, Gelbach & Miller 2011, JBES 29:238); no
less than any of the three, as the difference of estimates may come out too small; t with the smaller of both df.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import ConfidenceInterval, Estimate, PValue
from biascore.stats import Interval, RegressionError, RobustMean, TTest, ZeroVarianceError, robust_mean

Floats = npt.NDArray[np.float64]
NO_ROWS: Final = "there is nothing to measure"


@dataclass(frozen=True, slots=True)
class Mean:
    """A weighted mean and its t test, clustered by each of the factors in ``by``.

    ``value`` is None without rows, ``problem`` says why there is no test. ``alone``: factors of which one level has nearly
    all weight, so that nothing is said of others.
    """

    value: float | None
    n: Mapping[str, int]
    test: TTest | None = None
    by: tuple[str, ...] = ()
    problem: str = ""
    alone: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        values: Floats,
        factors: Mapping[str, Sequence[str]],
        level: float,
        weights: Floats | None = None,
        rows: str = "pairs",
    ) -> Mean:
        """Of values (n,), called ``rows``; their levels on one or two factors are (n,) each; equal weights if None."""
        n = {rows: len(values)} | {name: len(set(labels)) for name, labels in factors.items()}
        if not len(values):
            return cls(None, n, problem=NO_ROWS)
        value = float(np.average(values, weights=weights))
        ways = dict(factors)
        if len(factors) > 1:
            ways[" and ".join(factors)] = ["\0".join(both) for both in zip(*factors.values(), strict=True)]
        found: dict[str, RobustMean] = {}
        problem, alone = "", []
        for name, labels in ways.items():
            try:
                found[name] = robust_mean(values, weights, labels, level)
            except RegressionError as error:
                alone.append(name)
                problem = str(error)
            except ZeroVarianceError as error:
                problem = str(error)
        if not found:
            return cls(value, n, problem=problem, alone=tuple(alone))
        own = [found[name] for name in factors if name in found] or list(found.values())
        variances = [one.se**2 for one in found.values()]
        if len(found) > len(factors) > 1:
            variances.append(variances[0] + variances[1] - variances[2])
        test = TTest.of(value, max(variances) ** 0.5, min(one.df for one in own), level)
        return cls(value, n, test, tuple(factors), alone=tuple(alone))

    @property
    def interval(self) -> Interval | None:
        """The t interval."""
        if self.test is None:
            return None
        method = f"t, {self._error}, {self.test.df:.4g} df"
        return Interval(self.test.low, self.test.high, self.test.level, method, 0)

    def estimate(self, name: str, unit: str, *, tested: bool = True) -> Estimate:
        """The mean with its interval and, if ``tested``, its p-value."""
        told = [
            PValue(name=f"t, {self._error}", value=one.p_value, kind="asymptotic", alternative="two-sided")
            for one in (self.test,)
            if one and tested
        ]
        interval = ConfidenceInterval.of(self.interval) if self.interval else None
        return Estimate(
            name=name,
            value=self.value,
            unit=unit,
            neutral=0.0,
            n=dict(self.n),
            interval=interval,
            p_values=tuple(told),
        )

    @property
    def _error(self) -> str:
        return f"CR2 by {' and '.join(self.by)}"
