"""The change of an effect on clustered rows is the effect on the rows' changes."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import cluster_means, ols
from biascore.stats.cluster_change import ClusteredRows, cluster_change, cluster_effect

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
    found = cluster_change(OLD, NEW, ROWS, CHANGE, rng=np.random.default_rng(1))
    assert found.value == pytest.approx(cluster_effect(NEW - OLD, ROWS, CHANGE))
    fit = ols.fit(NEW - OLD, ROWS.design, absorb={"frame": FRAMES}).clustered(NAMES)
    of = fit.marginal_effect(CHANGE)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((of.low, of.high))
    moved = (NEW - OLD).reshape(8, 3)
    less = (moved - moved.mean(axis=0)).ravel()
    test = cluster_means(less, NAMES, {"group": GROUPS}).test(CHANGE, rng=np.random.default_rng(1))
    assert (found.p_value, found.method) == (test.two_sided.p_value, "exact")
    assert found.n_total == 70


def test_labels_are_exchanged_within_strata() -> None:
    """Of 4 + 4 names in two strata, 36 labellings: 6 in each."""
    strata = np.where(np.isin(NAMES, ["n0", "n1", "n4", "n5"]), "one", "two")
    rows = ClusteredRows(NAMES, FRAMES, {"group": GROUPS}, {"group": ("y", "x")}, strata)
    found = cluster_change(OLD, NEW, rows, CHANGE, rng=np.random.default_rng(1))
    alone = cluster_change(OLD, NEW, ROWS, CHANGE, rng=np.random.default_rng(1))
    assert (found.n_total, alone.n_total) == (36, 70)
    assert (found.value, found.interval) == (alone.value, alone.interval)


def test_where_no_row_changed_otherwise_than_the_others_there_is_no_interval() -> None:
    found = cluster_change(OLD, OLD + 0.5, ROWS, CHANGE, rng=np.random.default_rng(1))
    assert (found.interval, found.p_value) == (None, 1.0)
    assert found.value == pytest.approx(0.0)
