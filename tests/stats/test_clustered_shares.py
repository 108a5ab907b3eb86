"""CR2 from counts against least squares row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest

from biascore.stats import ols
from biascore.stats.clustered_shares import ClusteredShares
from biascore.stats.design import treatment

MEMBERS = np.array([[9, 3], [5, 0], [2, 8], [0, 4], [14, 6]])
SUCCESSES = np.array([[3, 2], [1, 0], [2, 5], [0, 1], [4, 5]])


def test_the_difference_of_two_shares_is_that_of_least_squares():
    rows = [
        (str(g), "ab"[k], float(i < SUCCESSES[g, k]))
        for g in range(5)
        for k in range(2)
        for i in range(MEMBERS[g, k])
    ]
    clusters, groups, scores = zip(*rows, strict=True)
    fit = ols.fit(scores, treatment({"group": np.array(groups)}, order=1))
    expected = fit.clustered(np.array(clusters)).marginal_effect({"group": ("a", "b")})
    found = ClusteredShares.of(SUCCESSES, MEMBERS)
    test = found.test({0: 1.0, 1: -1.0}, float(found.shares[0] - found.shares[1]))
    assert test is not None
    assert (test.estimate, test.se, test.df, test.p_value) == pytest.approx(
        (expected.estimate, expected.se, expected.df, expected.p_value), rel=1e-9
    )
    assert found.p_value(0, 1) == pytest.approx(expected.p_value)
    low, high = found.ratio(0, 1, 0.95)
    other_low, other_high = found.ratio(1, 0, 0.95)
    assert (low, high) == pytest.approx((1 / other_high, 1 / other_low))
    assert low < found.shares[0] / found.shares[1] < high


def test_what_one_cluster_alone_holds_cannot_be_compared():
    found = ClusteredShares.of(np.array([[3, 2], [0, 9]]), np.array([[6, 4], [0, 10]]))
    assert found.p_value(0, 1) == 1.0
    assert found.ratio(0, 1, 0.95) == (0.0, math.inf)
    assert found.share(0, 0.95) == (0.0, 1.0)


def test_clusters_that_do_not_vary_count_as_signs():
    found = ClusteredShares.of(np.tile([0, 9], (8, 1)), np.tile([9, 9], (8, 1)))
    assert found.p_value(0, 1) == 2 / 2**8
    assert found.ratio(0, 1, 0.95) == (math.inf, 0.0)  # Koopman's remains


def test_only_clusters_with_members_of_both_groups_count_as_signs():
    members = np.array([[9, 9]] * 5 + [[9, 0]] * 3)
    found = ClusteredShares.of(members * [0, 1], members)
    assert found.p_value(0, 1) == 2 / 2**5


def test_the_interval_of_a_share_lies_within_0_and_1():
    members = np.full((6, 2), 10)
    found = ClusteredShares.of(np.array([[0, 10]] * 3 + [[1, 9]] * 2 + [[6, 4]]), members)
    (low, high), (other_low, other_high) = (found.share(group, 0.95) for group in (0, 1))
    assert (low, other_high) == (0.0, 1.0)
    assert 0 < high < 1
    assert 0 < other_low < 1


def test_a_group_without_members():
    with pytest.raises(ValueError, match="a group has no members"):
        ClusteredShares.of(np.array([[1, 0]]), np.array([[2, 0]]))
