"""The Agresti-Coull interval of a share, whose centre GEST prints as the share itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

from biascore.stats._checks import require_between
from biascore.stats.bootstrap import Interval


@dataclass(frozen=True, slots=True)
class AgrestiCoull:
    """The centre of the interval, a share drawn towards 1/2, and the interval, cut to [0, 1]."""

    centre: float
    interval: Interval


def critical_value(level: float) -> float:
    """The z that holds ``level`` of a standard normal distribution within -z and z."""
    require_between(level, "level", 0.0, 1.0)
    return float(ndtri((1.0 + level) / 2.0))


def agresti_coull(successes: int, trials: int, *, level: float = 0.95) -> AgrestiCoull:
    """Agresti and Coull's interval: z^2/2 successes and as many failures are added, then Wald's is taken.

    n' = n + z^2, centre c = (s + z^2/2) / n', half-width z sqrt(c (1 - c) / n'); the centre is Wilson's, and
    it depends on the level. Raises ValueError unless 0 <= successes <= trials and trials >= 1. Source: Agresti
    and Coull 1998, The American Statistician 52:119.
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(
            f"{successes} successes of {trials} trials; pass counts with 0 <= successes <= trials and trials >= 1"
        )
    z = critical_value(level)
    adjusted = trials + z * z
    centre = (successes + z * z / 2.0) / adjusted
    half = z * math.sqrt(centre * (1.0 - centre) / adjusted)
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return AgrestiCoull(centre, Interval(low, high, level, "Agresti-Coull", resamples=0))
