"""The one mean of items in clusters: its error, few clusters, clusters that are all alike, and how often it errs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from biascore.designs import Mean, equal_weights
from biascore.designs.mean import Floats, least_p, shared
from biascore.stats import robust_mean

from .mean_worlds import WORLDS

VALUES = np.array([0.5, 1.5, -0.25, 2.0, 1.0, 0.75])
WAYS = {"a": ["x", "x", "y", "y", "z", "z"], "b": ["1", "2", "3", "1", "2", "3"]}
SIGNED = (-1.0, 1.0)


def of(
    values: list[float] | Floats, clusters: list[int] | Floats, neutral: float = 0.0, **more: object
) -> Mean:
    labels = {"templates": [str(one) for one in clusters]}
    return Mean.of(np.asarray(values, dtype=float), labels, neutral=neutral, **more)  # type: ignore[arg-type]


def test_two_factors_add_up_less_what_they_share_and_give_no_less_than_any() -> None:
    a, b = (robust_mean(VALUES, None, labels) for labels in WAYS.values())
    both = robust_mean(VALUES)
    found = Mean.of(VALUES, WAYS)
    assert found.test is not None
    variances = (a.se**2, b.se**2, both.se**2, a.se**2 + b.se**2 - both.se**2)
    assert found.test.se**2 == pytest.approx(max(variances))
    assert found.test.df == min(a.df, b.df)
    assert found.n == {"items": 6, "a": 3, "b": 3}


def test_t_has_the_smaller_degrees_of_freedom_of_two_factors_in_either_order() -> None:
    values = np.random.default_rng(2).normal(0.5, 1, 24)
    ways = {"few": [str(k % 3) for k in range(24)], "many": [str(k // 3) for k in range(24)]}
    few, many = (robust_mean(values, None, labels).df for labels in ways.values())
    assert few < many
    for order in (("few", "many"), ("many", "few")):
        found = Mean.of(values, {name: ways[name] for name in order})
        assert found.test is not None
        assert found.test.df == few


def test_labels_that_are_all_different_are_no_clusters() -> None:
    assert shared("pairs", ["1", "2", "3"]) == {}
    assert shared("pairs", ["1", "1", "1"]) == {"pairs": ["1", "1", "1"]}


def test_one_factor_is_the_robust_mean() -> None:
    rng = np.random.default_rng(0)
    values, labels = rng.normal(0.3, 1, 60), np.arange(60) % 12
    expected = robust_mean(values, None, labels)
    found = of(values, labels)
    assert found.test is not None
    assert found.interval is not None
    assert (found.p_value, found.test.df) == pytest.approx((expected.p_value(), expected.df))
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))


def test_items_on_their_own_have_the_error_of_unequal_variances() -> None:
    found = Mean.of(VALUES, neutral=0.5)
    assert found.p_value == pytest.approx(robust_mean(VALUES).p_value(0.5))


def test_one_cluster_leaves_the_test_to_the_other_factor_and_is_named() -> None:
    found = Mean.of(VALUES, WAYS | {"b": ["1"] * 6})
    expected = robust_mean(VALUES, None, WAYS["a"])
    assert found.test is not None
    assert (found.test.se, found.alone, found.problem) == (pytest.approx(expected.se), ("b",), "")
    assert found.p_value == max(expected.p_value(), 0.25)


def test_one_cluster_alone_has_no_test_and_no_interval() -> None:
    found = of([0.2, 0.4, 0.1], [1, 1, 1])
    assert (found.value, found.p_value, found.interval) == (pytest.approx(0.7 / 3), None, None)
    assert found.problem


def test_without_items_there_is_nothing() -> None:
    none = Mean.of(np.empty(0), {"a": []})
    assert (none.value, none.p_value, none.interval) == (None, None, None)
    assert none.problem


def test_weights_count() -> None:
    weights = np.array([3.0, 1, 1, 1, 1, 1])
    expected = np.average(VALUES, weights=weights)
    assert Mean.of(VALUES, WAYS, weights=weights).value == pytest.approx(expected)
    labels = ["a", "a", "a", "b"]
    assert equal_weights(labels).tolist() == pytest.approx([1 / 6] * 3 + [1 / 2])


@pytest.mark.parametrize("groups", [2, 3, 5, 6, 10, 25])
def test_no_p_is_below_that_of_all_signs_alike(groups: int) -> None:
    values = 1.0 + np.random.default_rng(groups).normal(0, 1e-4, (groups, 4)).ravel()
    found = of(values, np.repeat(np.arange(groups), 4))
    assert found.test is not None
    assert found.p_value == max(found.test.p_value, 2.0 ** (1 - groups))
    assert (found.p_value <= 0.05) == (groups >= 6)
    assert least_p([str(k) for k in range(groups)], "templates").p_value == 2.0 ** (1 - groups)


@pytest.mark.parametrize("groups", [1, 2, 5, 6, 10, 25])
@pytest.mark.parametrize("value", [1.0, -1.0])
def test_clusters_all_at_a_limit_have_the_exact_test_and_interval_of_clusters(
    groups: int, value: float
) -> None:
    found = of(np.full(4 * groups, value), np.repeat(np.arange(groups), 4), limits=SIGNED)
    if groups == 1:
        assert found.p_value is None
        return
    assert found.interval is not None
    assert found.p_value == pytest.approx(binomtest(groups, groups).pvalue)
    far = 2 * beta.ppf(0.025, groups, 1) - 1
    ends = (found.interval.low, found.interval.high)
    assert ends == pytest.approx((far, 1.0) if value > 0 else (-1.0, -far))


def test_items_are_counted_where_none_departs_from_the_neutral_value() -> None:
    labels = np.repeat(np.arange(24), 8)
    found = of(np.zeros(192), labels, limits=SIGNED)
    differs = beta.ppf(0.975, 1, 192)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high, found.p_value) == pytest.approx((-differs, differs, 1.0))
    balanced = of(np.tile([1.0, -1.0], 96), labels, limits=SIGNED)  # templates are alike, answers are not
    assert balanced.interval is not None
    assert balanced.interval.high == pytest.approx(beta.ppf(0.975, 1, 24))


def test_what_counts_items_is_the_neutral_value_and_not_zero() -> None:
    labels = np.repeat(np.arange(24), 8)
    even = of(np.full(192, 0.5), labels, 0.5, limits=(0.0, 1.0))
    assert even.interval is not None
    assert even.interval.high == pytest.approx(0.5 + 0.5 * beta.ppf(0.975, 1, 192))
    none = of(np.zeros(192), labels, 0.5, limits=(0.0, 1.0))
    assert none.p_value == pytest.approx(binomtest(24, 24).pvalue)


@pytest.mark.parametrize("value", [0.2, -0.7])
def test_clusters_alike_between_the_limits_may_differ_to_either(value: float) -> None:
    found = of(np.full(80, value), np.repeat(np.arange(20), 4), limits=SIGNED)
    differs = beta.ppf(0.975, 1, 20)  # of 20 none differs
    assert found.interval is not None
    assert found.interval.low == pytest.approx(value - differs * (value + 1))
    assert found.interval.high == pytest.approx(value + differs * (1 - value))
    assert found.p_value is not None
    excluded = not found.interval.low <= 0 <= found.interval.high
    assert (found.p_value <= 0.05) == excluded


def test_alike_without_limits_is_not_tested() -> None:
    found = of(np.ones(40), np.repeat(np.arange(10), 4))
    assert (found.value, found.p_value, found.interval) == (1.0, None, None)
    assert "10 templates" in found.problem


def test_the_interval_stays_within_the_limits_and_holds_the_value() -> None:
    values = np.array([1.0] * 30 + [-1.0])
    found = of(values, np.repeat(np.arange(8), 4)[:31], limits=SIGNED)
    assert found.interval is not None
    assert found.value is not None
    assert -1 <= found.interval.low < found.value <= found.interval.high <= 1


# In worlds where nothing is biased (`mean_worlds`).


@pytest.mark.parametrize("name", WORLDS)
def test_an_even_model_is_rarely_detected_and_the_interval_holds_the_truth(name: str) -> None:
    rng, sets = np.random.default_rng(1), 400
    found = [WORLDS[name](rng, 0.0) for _ in range(sets)]
    rejected = np.mean([one.p_value is not None and one.p_value <= 0.05 for one in found])
    assert rejected <= 0.065 + 2 * (0.065 * 0.935 / sets) ** 0.5
    tested = [one for one in found if one.interval is not None and min(one.n.values()) > 5]
    if tested:
        covered = np.mean([one.interval.low <= 0 <= one.interval.high for one in tested if one.interval])
        assert covered >= 0.925 - 2 * (0.925 * 0.075 / sets) ** 0.5
        for one in tested:
            assert one.interval is not None
            assert one.p_value is not None
            assert (one.p_value > 0.05) == (one.interval.low <= 0 <= one.interval.high)
