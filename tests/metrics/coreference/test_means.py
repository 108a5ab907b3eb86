"""A mean over rows that are clustered in several ways."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import robust_mean
from biascore_metrics.coreference.means import NO_ROWS, Mean

VALUES = np.array([0.5, 1.5, -0.25, 2.0, 1.0, 0.75])
WAYS = {"a": ["x", "x", "y", "y", "z", "z"], "b": ["1", "2", "3", "1", "2", "3"]}


def test_the_variance_is_the_sum_less_that_of_both_and_no_less_than_any() -> None:
    a, b = (robust_mean(VALUES, None, labels) for labels in WAYS.values())
    both = robust_mean(VALUES)
    found = Mean.of(VALUES, WAYS, 0.95)
    assert found.test is not None
    variances = (a.se**2, b.se**2, both.se**2, a.se**2 + b.se**2 - both.se**2)
    assert found.test.se**2 == pytest.approx(max(variances))
    assert found.test.df == min(a.df, b.df)
    assert found.n == {"pairs": 6, "a": 3, "b": 3}


def test_one_factor_is_the_robust_mean() -> None:
    expected = robust_mean(VALUES, None, WAYS["a"])
    found = Mean.of(VALUES, {"a": WAYS["a"]}, 0.95)
    assert found.test is not None
    assert (found.test.p_value, found.test.df) == (expected.p_value(), expected.df)


def test_one_cluster_leaves_the_test_to_the_other_way_and_is_named() -> None:
    found = Mean.of(VALUES, WAYS | {"b": ["1"] * 6}, 0.95)
    expected = robust_mean(VALUES, None, WAYS["a"])
    assert found.test is not None
    assert (found.test.se, found.alone, found.problem) == (pytest.approx(expected.se), ("b",), "")


def test_no_rows_and_no_variance_have_no_test() -> None:
    none = Mean.of(np.empty(0), {"a": []}, 0.95)
    assert (none.value, none.test, none.interval, none.problem) == (None, None, None, NO_ROWS)
    same = Mean.of(np.ones(6), WAYS, 0.95)
    assert (same.value, same.test) == (1.0, None)
    assert "do not vary" in same.problem


def test_weights_count() -> None:
    weights = np.array([3.0, 1, 1, 1, 1, 1])
    assert Mean.of(VALUES, WAYS, 0.95, weights).value == pytest.approx(np.average(VALUES, weights=weights))
