"""Intervals of shares and ratios, and the test of the largest difference, against other implementations and enumeration."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import fisher_exact
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from biascore.stats.ratios import clopper_pearson, largest_difference, ratio_intervals

Z = 1.959963984540054


@pytest.mark.parametrize(("x", "n"), [(0, 7), (3, 10), (7, 7), (499, 1000)])
def test_clopper_pearson_against_statsmodels(x: int, n: int):
    found = clopper_pearson(x, n)
    assert (found.low, found.high) == pytest.approx(proportion_confint(x, n, method="beta"), abs=1e-12)


@pytest.mark.parametrize(
    "counts", [(5, 20, 9, 30), (1, 50, 3, 40), (300, 1000, 400, 900), (0, 10, 3, 9), (9, 30, 5, 20)]
)
def test_koopman_against_statsmodels(counts: tuple[int, int, int, int]):
    x, n, y, m = counts
    low, high = ratio_intervals((np.array([x]), np.array([n])), (np.array([y]), np.array([m])))
    expected = confint_proportions_2indep(*counts, compare="ratio", method="score", correction=False)
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("counts", [(49, 50, 40, 40), (20, 20, 5, 5), (1, 1000, 1, 3), (7, 9, 3, 11)])
def test_the_ends_are_where_the_score_is_the_quantile(counts: tuple[int, int, int, int]):
    """Also where everybody is selected, which statsmodels 0.14 gets wrong: its interval is above the ratio."""
    x, n, y, m = counts

    def score(ratio: float) -> float:
        def loss(q: float) -> float:
            cells = ((ratio * q, x), (1 - ratio * q, n - x), (q, y), (1 - q, m - y))
            return -sum(k * math.log(max(p, 1e-300)) for p, k in cells if k)

        q = minimize_scalar(loss, bounds=(0, min(1, 1 / ratio)), method="bounded", options={"xatol": 1e-14}).x
        p = ratio * q
        return (x / n - ratio * y / m) / math.sqrt(p * (1 - p) / n + ratio**2 * q * (1 - q) / m)

    low, high = ratio_intervals((np.array([x]), np.array([n])), (np.array([y]), np.array([m])))
    assert score(low[0]) == pytest.approx(Z, abs=2e-3)
    assert score(high[0]) == pytest.approx(-Z, abs=2e-3)
    assert low[0] < x / n / (y / m) < high[0]


def test_ends_without_a_success():
    zero, ten, three = np.array([0, 3, 0]), np.array([10, 10, 10]), np.array([3, 0, 0])
    low, high = ratio_intervals((zero, ten), (three, ten))
    assert low[0] == 0.0 < high[0] < math.inf
    assert 0.0 < low[1] < high[1] == math.inf
    assert (low[2], high[2]) == (0.0, math.inf)


def test_the_other_way_round_is_the_reciprocal():
    a, b = (np.array([7, 30]), np.array([9, 200])), (np.array([3, 44]), np.array([11, 150]))
    (low, high), (other_low, other_high) = ratio_intervals(a, b), ratio_intervals(b, a)
    assert low == pytest.approx(1 / other_high)
    assert high == pytest.approx(1 / other_low)


def test_two_groups_of_equal_size_against_fisher():
    cells, successes, one = np.array([20, 20]), np.array([3, 10]), np.eye(2, dtype=np.bool_)
    found = largest_difference(cells, [one], successes, draws=200_000, rng=np.random.default_rng(0))
    assert found.p_value == pytest.approx(fisher_exact([[3, 17], [10, 10]]).pvalue, abs=0.002)


def test_every_assignment_of_a_few_people():
    """Two tables over four cells of 2, 1, 2 and 2 people, three of them selected: all 35 assignments counted."""
    cells, successes = np.array([2, 1, 2, 2]), np.array([2, 1, 0, 0])
    tables = [np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.bool_), np.eye(4, dtype=np.bool_)]
    owner = np.repeat(np.arange(4), cells)

    def largest(chosen: np.ndarray) -> tuple[float, float]:
        apart, ratio = 0.0, 1.0
        for table in tables:
            sizes, shares = table @ cells, (table @ chosen) / (table @ cells)
            for i, j in combinations(range(len(sizes)), 2):
                apart = max(apart, abs(shares[i] - shares[j]) / math.sqrt(1 / sizes[i] + 1 / sizes[j]))
            ratio = min(ratio, shares.min() / shares.max())
        return apart, ratio

    every = [largest(np.bincount(owner[list(who)], minlength=4)) for who in combinations(range(7), 3)]
    observed = largest(successes)[0]
    found = largest_difference(cells, tables, successes, draws=100_000, rng=np.random.default_rng(1))
    assert found.p_value == pytest.approx(np.mean([one >= observed - 1e-9 for one, _ in every]), abs=0.006)
    assert found.smallest_ratio == pytest.approx(np.mean([ratio for _, ratio in every]), abs=0.006)


def test_all_or_nobody_selected_differ_in_nothing():
    one = np.eye(2, dtype=np.bool_)
    for successes in (np.array([0, 0]), np.array([5, 9])):
        found = largest_difference(
            np.array([5, 9]), [one], successes, draws=100, rng=np.random.default_rng(0)
        )
        assert (found.p_value, found.smallest_ratio) == (1.0, 1.0)


def test_what_cannot_be_compared():
    one = np.eye(2, dtype=np.bool_)
    with pytest.raises(ValueError, match="a group has no people"):
        largest_difference(np.array([5, 0]), [one], np.array([1, 0]), draws=10, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="pass 0 <= successes"):
        clopper_pearson(3, 2)
