"""The aggregates of GEST over stereotypes, as pure functions on arrays (Pikuliak et al. 2023, sections 4.1.1, 4.2.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from biascore.stats import Interval
from biascore.stats.bootstrap import BatchStatistic, Samples

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


def rate_statistic(male: Mask, pseudo: float = 0.0) -> BatchStatistic:
    """f_s, or g_s, of a batch of resamples of the samples of each stereotype, for ``bootstrap_interval``.

    ``pseudo`` samples, half of them masculine, are added to each stereotype: z^2 for Agresti and Coull's centres.
    """
    return _over_stereotypes(male, np.where(male, 1.0 / male.sum(), -1.0 / (~male).sum()), pseudo)


def level_statistic(male: Mask, pseudo: float = 0.0) -> BatchStatistic:
    """f_m of a batch of resamples, for ``bootstrap_interval``; ``pseudo`` as in ``rate_statistic``."""
    return _over_stereotypes(male, np.where(male, 0.5 / male.sum(), 0.5 / (~male).sum()), pseudo)


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


def _over_stereotypes(male: Mask, weights: Floats, pseudo: float) -> BatchStatistic:
    def statistic(batch: Samples) -> Floats:
        means = [(part.sum(axis=1) + pseudo / 2) / (part.shape[1] + pseudo) for part in _expect(batch, male)]
        return np.stack(means, axis=1) @ weights

    return statistic


def _expect(batch: Samples, male: Mask) -> Sequence[Floats]:
    if len(batch) != male.size:
        raise ValueError(f"{len(batch)} stereotypes in the batch and {male.size} in the mask; pass as many")
    return batch
