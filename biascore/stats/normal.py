"""The quantile of the normal distribution at one probability.

By the standard library (Wichura 1988, AS 241): importing ``scipy.special`` would take longer than to measure a test.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

from biascore.stats._checks import require_between

_STANDARD: Final = NormalDist()


def normal_quantile(p: float) -> float:
    """The x below which a standard normal variable lies with probability ``p``; raises ValueError for no probability."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p is {p!r}; pass a probability")
    if p in (0.0, 1.0):
        return math.inf if p else -math.inf
    return _STANDARD.inv_cdf(p)


def critical_value(level: float) -> float:
    """The z that holds ``level`` of a standard normal distribution within -z and z; raises ValueError outside (0, 1)."""
    require_between(level, "level", 0.0, 1.0)
    return normal_quantile((1.0 + level) / 2.0)
