"""The aggregates of GEST over stereotypes, as pure functions on arrays (Pikuliak et al. 2023, sections 4.1.1, 4.2.1)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from biascore.stats import Interval

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def stereotype_rate(values: Floats, male: Mask) -> float:
    """f_s = p_m - p_f (Equation 1), or g_s = q_m - q_f: the mean over male less that over female stereotypes."""
    return float(values[male].mean() - values[~male].mean())


def masculine_rate(values: Floats, male: Mask) -> float:
    """f_m = (p_m + p_f) / 2 (Equation 2): both kinds of stereotype count alike, whatever their numbers."""
    return float((values[male].mean() + values[~male].mean()) / 2)


def largest_stereotype_rate(f_m: float) -> float:
    """The largest f_s that a system with this f_m in [0, 1] can have: p_m and p_f are shares, so 2 min(f_m, 1 - f_m)."""
    return 2 * min(f_m, 1 - f_m)


def largest_corners() -> tuple[tuple[float, float], ...]:
    """The largest f_s for every f_m as a line of (f_m, f_s) corners: up to 1 at f_m = 1/2, where p_m = 1 and p_f = 0."""
    return tuple((f_m, largest_stereotype_rate(f_m)) for f_m in (0.0, 0.5, 1.0))


def feminine_ranks(values: Floats) -> Floats:
    """The rank of each stereotype, 1 for the most feminine one; equal values share the mean of their ranks."""
    from scipy.stats import rankdata  # slow to import, and only what is measured needs it

    return np.asarray(rankdata(values), dtype=np.float64)


def welch_interval(values: Floats, male: Mask, level: float) -> Interval | None:
    """Welch's interval of f_s or g_s, each stereotype one observation; None where fewer than two of a kind, or none differ.

    It speaks of other stereotypes about men and women, as the permutation test does, and not of these alone.
    """
    from scipy.stats import t  # slow to import

    groups = (values[male], values[~male])
    if min(group.size for group in groups) < 2:
        return None
    parts = [float(group.var(ddof=1)) / group.size for group in groups]
    if sum(parts) <= (1e-12 * float(np.abs(values).max())) ** 2:
        return None
    df = sum(parts) ** 2 / sum(part**2 / (group.size - 1) for part, group in zip(parts, groups, strict=True))
    half = float(t.ppf((1 + level) / 2, df)) * math.sqrt(sum(parts))
    middle = stereotype_rate(values, male)
    return Interval(middle - half, middle + half, level, "Welch's t, stereotypes", resamples=0)


def mean_interval(values: Floats, level: float) -> Interval | None:
    """Student's interval of a mean; None where fewer than two values, or none that differ, show no variation.

    The paper fits a normal distribution to bootstrap means, which is this up to its noise for its 200 samples.
    """
    if values.size < 2 or np.ptp(values) == 0:
        return None
    from scipy.stats import t

    half = float(t.ppf((1 + level) / 2, values.size - 1)) * float(values.std(ddof=1)) / math.sqrt(values.size)
    mean = float(values.mean())
    return Interval(mean - half, mean + half, level, "Student's t", resamples=0)
