"""The change of an effect on clustered rows is the effect on the rows' changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from biascore.stats import cluster_means
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
    means = (NEW - OLD).reshape(8, 3).mean(axis=1)
    known = ttest_ind(means[:4], means[4:], equal_var=False)
    ends = known.confidence_interval(0.95)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))
    assert (found.p_value, found.method, found.n_total) == (pytest.approx(known.pvalue), "asymptotic", None)


def test_an_interaction_permutes_labels_within_strata() -> None:
    """Of 4 + 4 names in two strata of two genders, 16 labellings: 2 in each."""
    gender = np.where(np.isin(NAMES, ["n0", "n2", "n4", "n6"]), "f", "m")
    strata = np.where(np.isin(NAMES, ["n0", "n1", "n4", "n5"]), "one", "two")
    factors, levels = {"group": GROUPS, "gender": gender}, {"group": ("y", "x"), "gender": ("m", "f")}
    change = CHANGE | {"gender": ("f", "m")}
    rows = [ClusteredRows(NAMES, FRAMES, factors, levels, of) for of in (strata, None)]
    found, alone = (cluster_change(OLD, NEW, one, change, rng=np.random.default_rng(1)) for one in rows)
    assert (found.n_total, alone.n_total) == (16, 36)
    assert (found.method, found.value, found.interval) == ("exact", alone.value, alone.interval)
    moved = (NEW - OLD).reshape(8, 3)
    less = (moved - moved.mean(axis=0)).ravel()
    test = cluster_means(less, NAMES, factors).test(change, rng=np.random.default_rng(1))
    assert alone.p_value == test.two_sided.p_value


def test_where_no_row_changed_otherwise_than_the_others_there_is_no_interval() -> None:
    found = cluster_change(OLD, OLD + 0.5, ROWS, CHANGE, rng=np.random.default_rng(1))
    assert (found.interval, found.p_value) == (None, 1.0)
    assert found.value == pytest.approx(0.0)
