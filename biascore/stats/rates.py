"""A share of trials with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri


@dataclass(frozen=True, slots=True)
class Rate:
    """``count`` of ``trials``, and the interval of the share at ``level``."""

    count: int
    trials: int
    low: float
    high: float
    level: float

    @property
    def share(self) -> float:
        """``count`` / ``trials``."""
        return self.count / self.trials


def wilson(count: int, trials: int, level: float = 0.95) -> Rate:
    """The score interval of a share (Wilson 1927), which also holds where nothing or all was counted.

    Raises ValueError for no trials, or a count that cannot be.
    """
    if trials < 1 or not 0 <= count <= trials:
        raise ValueError(
            f"{count} of {trials} is no share; pass a count of 0 to trials, and 1 trial at least"
        )
    z = float(ndtri((1 + level) / 2))
    share = count / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    # Where nothing, or all, was counted the end is 0, or 1, but for rounding.
    return Rate(
        count,
        trials,
        0.0 if count == 0 else max(0.0, centre - half),
        1.0 if count == trials else min(1.0, centre + half),
        level,
    )
