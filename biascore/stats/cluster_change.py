"""The effect of a factor on rows that come in clusters, measured twice on the same rows: its change.

Least squares is linear in the scores, so that the change of an effect is the effect on the rows' changes: with fixed
effects of frames, Welch's t over clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from biascore.stats import ols
from biascore.stats._checks import finite_vector
from biascore.stats.association import MIN_RELATIVE_SPREAD, ZeroVarianceError
from biascore.stats.bootstrap import Interval
from biascore.stats.contrasts import Change
from biascore.stats.design import Design, treatment
from biascore.stats.welch import welch

Texts = npt.NDArray[np.str_]
FRAME: Final = "frame"
WELCH: Final = "Welch's t of the clusters' changes"


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredRows:
    """Rows (n,) with the cluster and the frame of each, and its level of each factor; ``levels``, the reference first."""

    clusters: Texts
    frames: Texts
    factors: Mapping[str, Texts]
    levels: Mapping[str, tuple[str, ...]]
    strata: Texts | None = None
    """Within which clusters vary, in addition to the factors; None for everywhere."""

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
) -> Change:
    """The change of `cluster_effect` from ``old`` to ``new`` (n,), the same rows in the same order, by Welch's t.

    Raises RegressionError or ZeroVarianceError where there is no effect, and RegressionError where a group has one cluster.
    """
    before, after = cluster_effect(old, rows, change), cluster_effect(new, rows, change)
    moved = finite_vector(new, "new") - finite_vector(old, "old")
    found = Change(before, after, after - before, None, "", 1.0, WELCH, "exact", 1)
    if np.ptp(moved) <= MIN_RELATIVE_SPREAD * max(1.0, float(np.abs(moved).max())):
        return replace(found, problem="no row changed otherwise than the others")
    try:
        fit = ols.fit(moved, rows.design, absorb={FRAME: rows.frames})
        test = welch(fit, rows.clusters, change, within=rows.strata, level=level)
    except ZeroVarianceError as error:
        return replace(found, problem=str(error))
    interval = Interval(test.low, test.high, level, WELCH, 0)
    return replace(found, interval=interval, p_value=test.p_value, method="asymptotic", n_total=None)
