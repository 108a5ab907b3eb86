"""Intervals and tests by template, next to formulas written out again and to all permutations."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from biascore_metrics.bbq.findings import SIGNED, UNSIGNED
from biascore_metrics.bbq.inference import by_template, difference, permuted, ratio, uneven

RNG = np.random.default_rng(0)
TEMPLATES = np.repeat(np.arange(8), 10)
SCORES = RNG.choice([-1.0, 0.0, 1.0], 80, p=[0.2, 0.4, 0.4])


def test_templates_of_one_size_are_observations_of_a_t_test() -> None:
    found = by_template(SCORES, TEMPLATES, 0.9, SIGNED)
    means = SCORES.reshape(8, 10).mean(axis=1)
    expected = stats.ttest_1samp(means, 0.0)
    low, high = expected.confidence_interval(0.9)
    assert found.interval is not None
    assert (found.value, found.p_value) == pytest.approx((means.mean(), expected.pvalue))
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_answers_that_never_differ_have_an_interval_and_it_holds_them() -> None:
    for value in (-1.0, 0.0, 1.0):
        found = by_template(np.full(80, value), TEMPLATES, 0.95, SIGNED)
        assert found.interval is not None
        assert found.interval.low <= value <= found.interval.high
        assert 0 < found.interval.high - found.interval.low < 0.1
        assert found.p_value == pytest.approx(1.0) if value == 0 else (found.p_value or 1) < 1e-6
    accuracy = by_template(np.ones(80), TEMPLATES, 0.95, UNSIGNED).interval
    assert accuracy is not None
    assert (accuracy.high, accuracy.low < 1) == (1.0, True)


@pytest.mark.parametrize(("values", "why"), [(SCORES[:0], "no question"), (SCORES[:10], "one template")])
def test_less_than_two_templates_decide_nothing(values: np.ndarray, why: str) -> None:
    found = by_template(values, TEMPLATES[: len(values)], 0.95, SIGNED)
    assert (found.p_value, found.interval) == (None, None)
    assert why in found.problem


def test_a_ratio_has_the_error_of_its_linearisation() -> None:
    persons = np.abs(SCORES)
    found = ratio(SCORES, persons, TEMPLATES, 0.95, SIGNED)
    value = SCORES.sum() / persons.sum()
    left = (SCORES - value * persons).reshape(8, 10).sum(axis=1)
    error = math.sqrt(8 / 7 * (left @ left)) / persons.sum()  # Cochran 1977, Sampling Techniques, 6.4
    assert (found.value, found.se) == pytest.approx((value, error))
    assert ratio(0 * SCORES, 0 * persons, TEMPLATES, 0.95, SIGNED).value is None


def test_a_difference_of_accuracies_has_the_error_of_its_linearisation() -> None:
    right, pro = (SCORES > 0).astype(float), np.arange(80) % 2 == 0
    found = difference(right, pro, TEMPLATES, 0.95, SIGNED)
    by = [right[(t == TEMPLATES) & (pro == side)].mean() for t in range(8) for side in (True, False)]
    gaps = np.array(by[::2]) - np.array(by[1::2])
    assert (found.value, found.se) == pytest.approx((gaps.mean(), gaps.std(ddof=1) / math.sqrt(8)))


def drawn(scores: np.ndarray, pro: np.ndarray, templates: np.ndarray, draws: int = 40_000) -> float:
    found = permuted(scores, pro, templates, level=0.95, draws=draws, rng=np.random.default_rng(1))
    assert found.p_value is not None
    return found.p_value


def test_the_permutation_test_counts_what_all_permutations_are() -> None:
    templates = np.repeat(np.arange(3), 4)
    pro = np.tile([True, True, False, False], 3)
    became = np.array([1.0, 1, 0, -1, 1, 1, -1, 0, 1, 0, 1, 1])
    scores = np.where(pro, became, -became)

    def statistic(sides: np.ndarray) -> float:
        sums = (np.where(sides, became, -became)).reshape(3, 4).sum(axis=1)
        return (
            abs(sums.mean()) / math.sqrt(sums.var(ddof=1)) if sums.var() else (np.inf if sums.any() else 0.0)
        )

    ways = [np.isin(np.arange(4), some) for some in combinations(range(4), 2)]
    every = [statistic(np.concatenate(sides)) for sides in product(ways, repeat=3)]
    expected = np.mean(np.array(every) >= statistic(pro) * (1 - 1e-9))
    assert drawn(scores, pro, templates) == pytest.approx(expected, abs=0.01)


def test_right_answers_that_are_more_often_on_one_side_are_no_bias() -> None:
    pro = np.arange(80) % 10 < 7
    right = RNG.random(80) < 0.8
    scores = np.where(pro == right, 1.0, -1.0)
    assert uneven(scores, pro, TEMPLATES) == pytest.approx(0.4 * (2 * right.mean() - 1), abs=0.05)
    assert (by_template(scores, TEMPLATES, 0.95, SIGNED).p_value or 1) < 0.01
    assert drawn(scores, pro, TEMPLATES) > 0.05


def test_the_interval_and_the_permutation_test_agree() -> None:
    pro = np.arange(80) % 2 == 0
    for bias in (0.0, 0.1, 0.2, 0.3):
        right = RNG.random(80) < 0.7 + np.where(pro, bias, -bias)
        scores = np.where(pro == right, 1.0, -1.0)
        found = permuted(scores, pro, TEMPLATES, level=0.95, draws=4000, rng=np.random.default_rng(1))
        assert found.interval is not None
        assert found.p_value is not None
        assert (found.p_value <= 0.05) is not (found.interval.low <= 0.0 <= found.interval.high)
