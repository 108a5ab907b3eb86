"""A mean over rows that are clustered in several ways."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import robust_mean
from biascore_metrics.coreference.means import NO_ROWS, Mean

VALUES = np.array([0.5, 1.5, -0.25, 2.0, 1.0, 0.75])
WAYS = {"a": ["x", "x", "y", "y", "z", "z"], "b": ["1", "2", "3", "1", "2", "3"]}


def test_the_largest_p_and_the_widest_interval() -> None:
    alone = {name: robust_mean(VALUES, None, labels) for name, labels in WAYS.items()}
    found = Mean.of(VALUES, WAYS, 0.95)
    widest = max(alone.values(), key=lambda one: one.high - one.low)
    assert found.p_value() == max(one.p_value() for one in alone.values())
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (widest.low, widest.high)
    assert found.n == {"pairs": 6, "a": 3, "b": 3}


def test_one_cluster_leaves_the_test_to_the_other_way_and_is_named() -> None:
    found = Mean.of(VALUES, WAYS | {"b": ["1"] * 6}, 0.95)
    assert (list(found.tests), found.alone, found.problem) == (["a"], ("b",), "")


def test_no_rows_and_no_variance_have_no_test() -> None:
    none = Mean.of(np.empty(0), {"a": []}, 0.95)
    assert (none.value, none.p_value(), none.interval, none.problem) == (None, None, None, NO_ROWS)
    same = Mean.of(np.ones(6), WAYS, 0.95)
    assert (same.value, same.p_value()) == (1.0, None)
    assert "do not vary" in same.problem


def test_weights_count() -> None:
    weights = np.array([3.0, 1, 1, 1, 1, 1])
    assert Mean.of(VALUES, WAYS, 0.95, weights).value == pytest.approx(np.average(VALUES, weights=weights))
