"""The effect of a factor on rows that come in clusters, measured twice on the same rows: its change.

Least squares is linear in the scores, so that the change of an effect is the effect on the rows' changes: with fixed
effects of frames, Welch's t over clusters, or of an interaction clustered standard errors for the interval, and labels
permuted over the clusters' mean changes for the test.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from biascore.stats import ols
from biascore.stats._checks import Floats, finite_vector
from biascore.stats.association import MIN_RELATIVE_SPREAD, ZeroVarianceError
from biascore.stats.bootstrap import Interval
from biascore.stats.cluster_permutation import cluster_means
from biascore.stats.contrasts import Change
from biascore.stats.design import Design, treatment
from biascore.stats.errors import RegressionError
from biascore.stats.wald import TTest
from biascore.stats.welch import welch

Texts = npt.NDArray[np.str_]
FRAME: Final = "frame"
STRATUM: Final = "\0stratum"
DRAWS: Final = 10_000
NAME: Final = "changes permuted over the clusters"
WELCH: Final = "Welch's t of the clusters' changes"
INTERVAL: Final = "t, fixed effects of frames, clustered (CR2)"


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredRows:
    """Rows (n,) with the cluster and the frame of each, and its level of each factor; ``levels``, the reference first.

    No factor may be called ``STRATUM``.
    """

    clusters: Texts
    frames: Texts
    factors: Mapping[str, Texts]
    levels: Mapping[str, tuple[str, ...]]
    strata: Texts | None = None
    """Within which clusters vary and their labels are exchanged, in addition to the other factors; None for everywhere."""

    @property
    def design(self) -> Design:
        """All factors with their interactions."""
        return treatment(self.factors, levels=self.levels, order=len(self.factors))


def cluster_effect(values: ArrayLike, rows: ClusteredRows, change: Mapping[str, tuple[str, str]]) -> float:
    """The average effect of a change of levels on values (n,), with a fixed effect of each frame, in their unit.

    Raises RegressionError or ZeroVarianceError as `ols.fit` does.
    """
    fit = ols.fit(finite_vector(values, "values"), rows.design, absorb={FRAME: rows.frames})
    return float(fit.marginal_effect(dict(change)).estimate)


def cluster_change(
    old: ArrayLike,
    new: ArrayLike,
    rows: ClusteredRows,
    change: Mapping[str, tuple[str, str]],
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    rng: np.random.Generator,
) -> Change:
    """The change of `cluster_effect` from ``old`` to ``new`` (n,), the same rows in the same order.

    Of one factor test and interval are Welch's t over clusters. That of an interaction permutes labels over the clusters'
    mean changes (each row's less that of its frame): being of this level has nothing to do with how far a cluster moved.

    Raises RegressionError or ZeroVarianceError where there is no effect, and RegressionError where a group has one cluster.
    """
    before, after = cluster_effect(old, rows, change), cluster_effect(new, rows, change)
    moved = finite_vector(new, "new") - finite_vector(old, "old")
    found = Change(
        before, after, after - before, None, "", 1.0, NAME if len(change) > 1 else WELCH, "exact", 1
    )
    if np.ptp(moved) <= MIN_RELATIVE_SPREAD * max(1.0, float(np.abs(moved).max())):
        return replace(found, problem="no row changed otherwise than the others")
    if len(change) == 1:
        try:
            fit = ols.fit(moved, rows.design, absorb={FRAME: rows.frames})
            one = welch(fit, rows.clusters, change, within=rows.strata, level=level)
        except ZeroVarianceError as error:
            return replace(found, problem=str(error))
        interval = Interval(one.low, one.high, level, WELCH, 0)
        return replace(found, interval=interval, p_value=one.p_value, method="asymptotic", n_total=None)
    try:
        strata = {} if rows.strata is None else {STRATUM: rows.strata}
        means = cluster_means(_less_frames(moved, rows.frames), rows.clusters, {**rows.factors, **strata})
        test = means.test(dict(change), draws=draws, rng=rng)
    except ZeroVarianceError as error:
        return replace(found, problem=str(error))
    ends, problem = None, "its clusters do not show how it varies"
    with suppress(RegressionError, ZeroVarianceError):
        clustered = ols.fit(moved, rows.design, absorb={FRAME: rows.frames}).clustered(rows.clusters)
        tested: TTest = clustered.marginal_effect(dict(change), level=level)
        if tested.se:
            ends, problem = Interval(tested.low, tested.high, level, INTERVAL, 0), ""
    tail = test.two_sided
    return replace(
        found,
        interval=ends,
        problem=problem,
        p_value=tail.p_value,
        method=test.method,
        n_total=tail.n_total,
    )


def _less_frames(values: Floats, frames: Texts) -> Floats:
    _, frame = np.unique(frames, return_inverse=True)
    means = np.bincount(frame, weights=values) / np.bincount(frame)
    less: Floats = values - means[frame]
    return less
