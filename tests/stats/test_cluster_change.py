"""The change of an effect on clustered rows is the effect on the rows' changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from biascore.stats import ols
from biascore.stats.cluster_change import ClusteredRows, cluster_change, cluster_effect
from biascore.stats.welch import welch

NAMES = np.repeat([f"n{i}" for i in range(8)], 3)
GROUPS = np.repeat(["x", "y"], 12)
FRAMES = np.tile(["f", "g", "h"], 8)
ROWS = ClusteredRows(NAMES, FRAMES, {"group": GROUPS}, {"group": ("y", "x")})
CHANGE = {"group": ("x", "y")}
RNG = np.random.default_rng(15)
OLD = RNG.normal(size=24)
NEW = OLD + RNG.normal(size=24) + np.where(GROUPS == "x", 1.0, 0.0)


def test_in_balanced_rows_the_effect_is_a_difference_of_means() -> None:
    assert cluster_effect(OLD, ROWS, CHANGE) == pytest.approx(OLD[:12].mean() - OLD[12:].mean())


def test_the_change_its_interval_and_its_test_are_those_of_the_differences() -> None:
    found = cluster_change(OLD, NEW, ROWS, CHANGE)
    assert found.value == pytest.approx(cluster_effect(NEW - OLD, ROWS, CHANGE))
    means = (NEW - OLD).reshape(8, 3).mean(axis=1)
    known = ttest_ind(means[:4], means[4:], equal_var=False)
    ends = known.confidence_interval(0.95)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))
    assert (found.p_value, found.method, found.n_total) == (pytest.approx(known.pvalue), "asymptotic", None)


def test_an_interaction_has_welchs_t_too() -> None:
    gender = np.where(np.isin(NAMES, ["n0", "n1", "n4", "n5"]), "f", "m")
    factors, levels = {"group": GROUPS, "gender": gender}, {"group": ("y", "x"), "gender": ("m", "f")}
    found = cluster_change(
        OLD, NEW, ClusteredRows(NAMES, FRAMES, factors, levels), CHANGE | {"gender": ("f", "m")}
    )
    cells = (NEW - OLD).reshape(4, 2, 3).mean(axis=2)  # x f, x m, y f, y m
    parts = cells.var(axis=1, ddof=1) / 2
    value, t = cells.mean(axis=1) @ [1, -1, -1, 1], student(df=parts.sum() ** 2 / (parts**2).sum())
    assert found.interval is not None
    assert (found.value, found.p_value) == pytest.approx((value, 2 * t.sf(abs(value) / parts.sum() ** 0.5)))
    assert (found.interval.low, found.interval.high) == pytest.approx(
        tuple(value + parts.sum() ** 0.5 * t.ppf([0.025, 0.975]))
    )


def test_clusters_vary_within_strata() -> None:
    strata = np.where(np.isin(NAMES, ["n0", "n1", "n4", "n5"]), "one", "two")
    found = cluster_change(OLD, NEW, replace(ROWS, strata=strata), CHANGE)
    fit = ols.fit(NEW - OLD, ROWS.design, absorb={"frame": FRAMES})
    assert found.p_value == welch(fit, NAMES, CHANGE, within=strata).p_value
    assert found.p_value != cluster_change(OLD, NEW, ROWS, CHANGE).p_value


def test_where_no_row_changed_otherwise_than_the_others_there_is_no_interval() -> None:
    found = cluster_change(OLD, OLD + 0.5, ROWS, CHANGE)
    assert (found.interval, found.p_value) == (None, 1.0)
    assert found.value == pytest.approx(0.0)
