"""Differences of two shares with score intervals, which keep their width where nothing differs: paired and independent."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import ndtri

from biascore.stats._checks import require_between
from biascore.stats.bootstrap import Interval
from biascore.stats.proportions import wilson_interval

_APART = 1e-12


def paired_difference(first_only: int, second_only: int, n: int, *, level: float = 0.95) -> Interval:
    """Tango's score interval of the difference of two shares of the same n items, first minus second, ends in [-1, 1].

    ``first_only`` and ``second_only`` are the items of which one of the two outcomes is 1. Raises ValueError unless both
    are 0 at least, n is 1 at least, and their sum is n at most. Source: Tango 1998, Statistics in Medicine 17:891, which
    Fagerland, Lydersen and Laake 2014 (Statistics in Medicine 33:2850) recommend.
    """
    if min(first_only, second_only) < 0 or n < 1 or first_only + second_only > n:
        raise ValueError(
            f"{first_only} and {second_only} items differ of {n}; pass counts with a sum of at most n, and n >= 1"
        )
    require_between(level, "level", 0.0, 1.0)
    z = float(ndtri((1.0 + level) / 2.0))
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
