"""Shares of yes-no outcomes: the Wilson interval and the exact binomial test against one half."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

from scipy.special import bdtr, ndtri

from biascore.stats._checks import require_between
from biascore.stats.bootstrap import Interval


@dataclass(frozen=True, slots=True)
class Rate:
    """``count`` of ``trials``, and the interval of the share at ``level``."""

    count: int
    trials: int
    low: float
    high: float
    level: float

    @classmethod
    def of(cls, count: int, trials: int, level: float = 0.95) -> Self:
        """With Wilson's interval; raises as `wilson_interval` does."""
        found = wilson_interval(count, trials, level=level)
        return cls(count, trials, found.low, found.high, level)

    @property
    def share(self) -> float:
        """``count`` / ``trials``."""
        return self.count / self.trials


def wilson_interval(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share, ends in [0, 1], without continuity correction.

    It keeps near its level for small samples and for shares of 0 and 1, where Wald's has width 0. Raises
    ValueError unless 0 <= successes <= trials and trials >= 1. Source: Wilson 1927, JASA 22:209; Brown, Cai
    and DasGupta 2001, Statistical Science 16:101.
    """
    _check_counts(successes, trials)
    require_between(level, "level", 0.0, 1.0)
    z = float(ndtri((1.0 + level) / 2.0))
    return Interval(*_wilson(successes / trials, trials, z), level, "Wilson", resamples=0)


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    room = z * z / n
    centre = (share + room / 2.0) / (1.0 + room)
    half = math.sqrt(share * (1.0 - share) * room + room * room / 4.0) / (1.0 + room)
    # Exactly 0 or 1 there in theory, and rounding would leave 1e-17.
    return 0.0 if share == 0.0 else centre - half, 1.0 if share == 1.0 else centre + half


def binomial_test(successes: int, trials: int) -> float:
    """Exact two-sided p-value of the hypothesis that either outcome has probability 1/2 (the sign test).

    P(|K - n/2| >= |k - n/2|); valid, and 1 where the halves are as equal as they can be. Raises ValueError
    unless 0 <= successes <= trials and trials >= 1.
    """
    _check_counts(successes, trials)
    if abs(2 * successes - trials) <= 1:
        return 1.0  # exactly, where the sum of probabilities would round
    lower_tail = float(bdtr(min(successes, trials - successes), trials, 0.5))
    return min(1.0, 2.0 * lower_tail)


def _check_counts(successes: int, trials: int) -> None:
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(
            f"{successes} successes of {trials} trials; pass counts with 0 <= successes <= trials and trials >= 1"
        )
