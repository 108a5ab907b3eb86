from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy import stats

from biascore.stats.proportions import binomial_test, wilson_interval

COUNTS = [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (47, 94), (60, 94), (912, 1508), (1508, 1508)]


@pytest.mark.parametrize(("successes", "trials"), COUNTS)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_interval_is_scipys(successes: int, trials: int, level: float):
    expected = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    got = wilson_interval(successes, trials, level=level)
    assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert (got.level, got.method, got.resamples) == (level, "Wilson", 0)


def test_the_ends_solve_wilsons_equation():
    got = wilson_interval(17, 60, level=0.9)
    z = stats.norm.isf(0.05)
    for p in (got.low, got.high):  # the shares p that are just z standard errors of p from the observed one
        assert abs(17 / 60 - p) == pytest.approx(z * math.sqrt(p * (1 - p) / 60), abs=1e-12)


def test_no_success_and_nothing_else_have_an_end_on_the_border():
    assert wilson_interval(0, 7).low == 0.0
    assert wilson_interval(0, 7).high > 0.3
    assert wilson_interval(7, 7).high == 1.0


@pytest.mark.parametrize("trials", [1, 2, 7, 20])
def test_the_binomial_p_is_a_count_of_outcomes(trials: int):
    for successes in range(trials + 1):
        far = abs(2 * successes - trials)
        extreme = sum(math.comb(trials, k) for k in range(trials + 1) if abs(2 * k - trials) >= far)
        assert binomial_test(successes, trials) == pytest.approx(
            float(Fraction(extreme, 2**trials)), rel=1e-12
        )


@pytest.mark.parametrize(("successes", "trials"), COUNTS)
def test_the_binomial_p_is_scipys(successes: int, trials: int):
    assert binomial_test(successes, trials) == pytest.approx(
        stats.binomtest(successes, trials).pvalue, rel=1e-9, abs=1e-300
    )


@pytest.mark.parametrize("trials", [9, 60])
def test_the_binomial_p_is_valid(trials: int):
    outcomes = range(trials + 1)
    for alpha in (0.01, 0.05, 0.2, 0.5):
        rejected = sum(math.comb(trials, k) for k in outcomes if binomial_test(k, trials) <= alpha)
        assert rejected / 2**trials <= alpha


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes: int, trials: int):
    for function in (wilson_interval, binomial_test):
        with pytest.raises(ValueError, match=f"{successes} successes of {trials} trials"):
            function(successes, trials)
