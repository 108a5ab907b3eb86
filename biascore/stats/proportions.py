"""Shares of yes-no outcomes: Wilson's and Agresti and Coull's intervals, the exact test against 1/2, differences of two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

from biascore.stats.bootstrap import Interval
from biascore.stats.normal import critical_value


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
    z = critical_value(level)
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
    from scipy.special import bdtr

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


@dataclass(frozen=True, slots=True)
class AgrestiCoull:
    """The centre of the interval, a share drawn towards 1/2, and the interval, cut to [0, 1]."""

    centre: float
    interval: Interval


def agresti_coull(successes: int, trials: int, *, level: float = 0.95) -> AgrestiCoull:
    """Agresti and Coull's interval: z^2/2 successes and as many failures are added, then Wald's is taken.

    n' = n + z^2, centre c = (s + z^2/2) / n', half-width z sqrt(c (1 - c) / n'); the centre is Wilson's, and
    it depends on the level. Raises ValueError unless 0 <= successes <= trials and trials >= 1. Source: Agresti
    and Coull 1998, The American Statistician 52:119.
    """
    _check_counts(successes, trials)
    z = critical_value(level)
    adjusted = trials + z * z
    centre = (successes + z * z / 2.0) / adjusted
    half = z * math.sqrt(centre * (1.0 - centre) / adjusted)
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return AgrestiCoull(centre, Interval(low, high, level, "Agresti-Coull", resamples=0))


_APART = 1e-12


def paired_difference(first_only: int, second_only: int, n: int, *, level: float = 0.95) -> Interval:
    """Tango's score interval of the difference of two shares of the same n items, first minus second, ends in [-1, 1].

    ``first_only`` and ``second_only`` are the items of which one of the two outcomes is 1. Raises ValueError unless both
    are 0 at least, n is 1 at least, and their sum is n at most. Source: Tango 1998, Statistics in Medicine 17:891, which
    Fagerland, Lydersen and Laake 2014 (Statistics in Medicine 33:2850) recommend.
    """
    from scipy.optimize import brentq

    if min(first_only, second_only) < 0 or n < 1 or first_only + second_only > n:
        raise ValueError(
            f"{first_only} and {second_only} items differ of {n}; pass counts with a sum of at most n, and n >= 1"
        )
    z = critical_value(level)
    found = (first_only - second_only) / n

    def excess(difference: float, sign: float) -> float:
        """n times observed minus true difference, less ``sign`` z standard errors given the true one."""
        b = -first_only - second_only + (2 * n - first_only + second_only) * difference
        c = -second_only * difference * (1.0 - difference)
        share = (math.sqrt(max(0.0, b * b - 8.0 * n * c)) - b) / (4.0 * n)
        variance = max(0.0, n * (2.0 * share + difference * (1.0 - difference)))
        return first_only - second_only - n * difference - sign * z * math.sqrt(variance)

    # At the observed difference itself the excess may be 0 for want of variance, which is no end.
    low = brentq(excess, -1.0, found - _APART, args=(1.0,)) if found > -1.0 else -1.0
    high = brentq(excess, found + _APART, 1.0, args=(-1.0,)) if found < 1.0 else 1.0
    return Interval(float(low), float(high), level, "Tango's score", resamples=0)


def independent_difference(
    first: tuple[int, int], second: tuple[int, int], *, level: float = 0.95
) -> Interval:
    """Newcombe's interval of the difference of two independent shares, (successes, trials) each, from Wilson's of both.

    Raises ValueError as `wilson_interval` does. Source: Newcombe 1998, Statistics in Medicine 17:873, method 10.
    """
    (a, n), (b, m) = first, second
    one, two = wilson_interval(a, n, level=level), wilson_interval(b, m, level=level)
    p, q = a / n, b / m
    low = p - q - math.hypot(p - one.low, two.high - q)
    high = p - q + math.hypot(one.high - p, q - two.low)
    return Interval(low, high, level, "Newcombe", resamples=0)
