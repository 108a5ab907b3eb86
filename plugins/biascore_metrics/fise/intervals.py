"""Intervals of shares of words that come in clusters, and of the distance of a distribution from even."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from biascore.designs.mean import Mean, shared
from biascore.stats import Interval
from biascore.stats.labels import Codes, distance_from_even

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

SAMPLES: Final = 5000
"""Multinomial samples behind the interval of a distance."""


def share_interval(members: npt.NDArray[np.bool_], clusters: Numbers, level: float) -> Interval | None:
    """Of the share of the words (n,) that are members, by clusters; None where nothing shows how clusters vary."""
    return Mean.share(members, shared("clusters", clusters.astype(str).tolist()), level).interval


def effective_words(codes: Codes, clusters: Numbers, cells: int, level: float) -> int:
    """How many independent words the placed ones (n,) are worth: n over the mean design effect of the cells' shares.

    First-order correction of Rao & Scott (1981, JASA 76:221); the quantile of Student's t with clusters - 1 degrees of
    freedom makes up for few clusters (Korn & Graubard 1998, Survey Methodology 24:193). At most n, at least 1.
    """
    n = codes.size
    _, place = np.unique(clusters, return_inverse=True)
    count = int(place.max()) + 1
    if count in (1, n):
        return min(count, n)
    between = within = 0.0
    for cell in range(cells):
        member = codes == cell
        share = float(member.mean())
        sums = np.bincount(place, weights=member - share)
        between += count / (count - 1) * float(sums @ sums) / n
        within += share * (1.0 - share)
    effect = max(1.0, between / within) if within > 0.0 else 1.0
    tail = (1.0 + level) / 2.0
    wider = float(stdtrit(count - 1, tail) / ndtri(tail)) ** 2
    return max(1, int(n / (effect * wider)))


def distance_interval(
    counts: tuple[int, ...], effective: int, *, level: float, rng: np.random.Generator
) -> Interval:
    """Interval of the distance from even that keeps its level also where the truth is even, and is wide elsewhere.

    A distance cannot be below 0, so its bootstrap distribution lies above it and a percentile interval never
    covers 0. Here instead: with probability ``level`` the true shares are no further from the observed ones than
    c, the quantile of that distance over multinomial samples; then, by the triangle inequality, the true distance
    from even is within c of the observed one. Samples are drawn with half a word added to every group, so that
    an empty group is not taken for an impossible one. ``effective`` is the size of a sample: `effective_words`.
    """
    cells = len(counts)
    shares = (np.array(counts) * effective / sum(counts) + 0.5) / (effective + 0.5 * cells)
    drawn = rng.multinomial(effective, shares, size=SAMPLES) / effective
    reach = float(np.quantile(0.5 * np.abs(drawn - shares).sum(axis=1), level))
    distance = float(distance_from_even(counts))
    furthest = 1.0 - 1.0 / cells
    low, high = max(0.0, distance - reach), min(furthest, distance + reach)
    return Interval(low, high, level, "multinomial region", SAMPLES)
