from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from biascore.stats import ZeroVarianceError
from biascore.stats.paired import EXACT_MAX_DIFFERENCES, bootstrap_mean, sign_flip_test


def brute_force(differences: list[float]) -> tuple[int, int]:
    observed = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= observed - 1e-9 for one in sums), len(sums)


@pytest.mark.parametrize(
    "differences",
    [
        [2.5],
        [0.0, 0.0],
        [1.0, -1.0],
        [1.0, 1.0, 1.0, -1.0, 0.0],
        [0.1, 0.2, 0.3, -0.4, 0.5, 0.6, -0.7],
        [3.0, -1e-9, 1e9, 4.0],
    ],
)
def test_exact_p_is_a_count_of_all_signs(rng: np.random.Generator, differences: list[float]):
    got = sign_flip_test(differences, rng=rng)
    assert (got.n_ge, got.n_total) == brute_force(differences)
    assert got.p_value == got.n_ge / got.n_total
    assert (got.method, got.mc_se) == ("exact", None)
    assert got.statistic == pytest.approx(np.mean(differences))


def test_exact_p_is_scipys(rng: np.random.Generator):
    differences = rng.normal(0.4, 1, size=13)
    expected = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert sign_flip_test(differences, rng=rng).p_value == pytest.approx(expected.pvalue, abs=1e-12)


def test_drawn_p_is_near_the_exact_one(rng: np.random.Generator):
    n = EXACT_MAX_DIFFERENCES
    differences = rng.normal(0.35, 1, size=n)
    exact = sign_flip_test(differences, rng=rng)
    # One more difference, of no size, leaves every sum as it is and is one too many to count.
    drawn = sign_flip_test([*differences, 0.0], draws=40_000, rng=rng)
    assert (exact.method, drawn.method) == ("exact", "monte-carlo")
    assert drawn.mc_se is not None
    assert abs(drawn.p_value - exact.p_value) < 4 * drawn.mc_se
    assert drawn.p_value == (drawn.n_ge + 1) / (drawn.n_total + 1)


def test_order_and_scale_change_nothing():
    differences = np.random.default_rng(3).normal(0.2, 1, size=60)
    of = [
        sign_flip_test(values, draws=2000, rng=np.random.default_rng(5)).n_ge
        for values in (differences, differences[::-1], -differences, differences * 1e200)
    ]
    assert len(set(of)) == 1


@pytest.mark.parametrize("size", [12, 60])
def test_false_positives_stay_at_the_level(size: int):
    rng = np.random.default_rng(9)
    p = [sign_flip_test(rng.standard_t(3, size), draws=200, rng=rng).p_value for _ in range(1500)]
    for alpha in (0.05, 0.2):
        assert abs(np.mean(np.array(p) <= alpha) - alpha) < 4 * np.sqrt(alpha * (1 - alpha) / len(p))


def test_the_interval_is_the_bootstrap_t(rng: np.random.Generator):
    values = rng.exponential(size=30)
    got = bootstrap_mean(values, resamples=4000, rng=np.random.default_rng(1))
    drawn = np.random.default_rng(2).choice(values, size=(4000, 30))
    t = (drawn.mean(axis=1) - values.mean()) / stats.sem(drawn, axis=1)
    high, low = values.mean() - np.quantile(t, [0.025, 0.975]) * stats.sem(values)
    assert (got.low, got.high) == pytest.approx((low, high), abs=0.05)
    assert (got.method, got.resamples) == ("studentized", 4000)


def test_the_interval_covers_the_mean_of_skewed_values():
    rng = np.random.default_rng(17)
    covered = 0
    for _ in range(300):
        interval = bootstrap_mean(rng.exponential(size=40), resamples=400, rng=rng)
        covered += interval.low <= 1.0 <= interval.high
    assert 0.90 <= covered / 300 <= 0.99


def test_bad_input_is_refused(rng: np.random.Generator):
    with pytest.raises(ZeroVarianceError):
        bootstrap_mean([1.0, 1.0, 1.0], rng=rng)
    with pytest.raises(ValueError, match="one score"):
        bootstrap_mean([1.0], rng=rng)
    with pytest.raises(ValueError, match="differences is empty"):
        sign_flip_test([], rng=rng)
    with pytest.raises(ValueError, match="NaN"):
        sign_flip_test([1.0, float("nan")], rng=rng)
    with pytest.raises(ValueError, match="draws is 0"):
        sign_flip_test([1.0], draws=0, rng=rng)
