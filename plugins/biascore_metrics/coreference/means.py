"""A mean over rows that are alike in several ways, such as sentences about the same occupations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import ConfidenceInterval, Estimate, PValue
from biascore.stats import Interval, RegressionError, RobustMean, ZeroVarianceError, robust_mean

Floats = npt.NDArray[np.float64]
NO_ROWS: Final = "there is nothing to measure"


@dataclass(frozen=True, slots=True)
class Mean:
    """A weighted mean, with a t test (CR2) for each way in which rows are clustered: the largest p and the widest interval.

    ``value`` is None without rows, ``tests`` are by what the clusters are called, ``problem`` says why there are none.
    ``alone``: clusters of which there is one only, so that nothing is said of others.
    """

    value: float | None
    n: Mapping[str, int]
    tests: Mapping[str, RobustMean]
    problem: str = ""
    alone: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        values: Floats,
        clusters: Mapping[str, Sequence[str]],
        level: float,
        weights: Floats | None = None,
    ) -> Mean:
        """Of values (n,), whose clusters are named in (n,) labels each; equal weights if None."""
        n = {"pairs": len(values)} | {name: len(set(labels)) for name, labels in clusters.items()}
        if not len(values):
            return cls(None, n, {}, NO_ROWS)
        value = float(np.average(values, weights=weights))
        tests, alone, problem = {}, [], ""
        for name, labels in clusters.items():
            try:
                tests[name] = robust_mean(values, weights, labels, level)
            except RegressionError as error:
                alone.append(name)
                problem = str(error)
            except ZeroVarianceError as error:
                problem = str(error)
        return cls(value, n, tests, "" if tests else problem, tuple(alone))

    def p_value(self, neutral: float = 0.0) -> float | None:
        """The largest."""
        return max((one.p_value(neutral) for one in self.tests.values()), default=None)

    @property
    def interval(self) -> Interval | None:
        """The widest: it excludes what the largest p-value rejects."""
        widest = max(self.tests.values(), key=lambda one: one.high - one.low, default=None)
        if widest is None:
            return None
        return Interval(widest.low, widest.high, widest.level, f"t, the widest of CR2 by {self._clusters}", 0)

    def estimate(self, name: str, unit: str, *, tested: bool = True) -> Estimate:
        """The mean with its interval and, if ``tested``, its p-value."""
        interval, p = self.interval, self.p_value()
        told = PValue(
            name=f"largest of CR2 t by {self._clusters}",
            value=p or 0.0,
            kind="asymptotic",
            alternative="two-sided",
        )
        return Estimate(
            name=name,
            value=self.value,
            unit=unit,
            neutral=0.0,
            n=dict(self.n),
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=(told,) if tested and p is not None else (),
        )

    @property
    def _clusters(self) -> str:
        return ", ".join(self.tests)
