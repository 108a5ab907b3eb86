from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from biascore.stats import PermutationTest, Tail, exact_cost, normal_approximation, permutation_test

# Integers give exact sums and many ties; the floats are kept to three digits, as sums that differ by less
# than the tolerance are ties for the package and are not for a brute force in exact fractions.
tied_scores = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=6)
distinct_scores = st.lists(
    st.integers(-3000, 3000).map(lambda i: i / 1000), min_size=1, max_size=6, unique=True
)
scores = st.one_of(tied_scores, distinct_scores)


def exact(x: list[float], y: list[float]) -> PermutationTest:
    return permutation_test(x, y, method="exact", rng=np.random.default_rng(0))


def brute_force(x: list[float], y: list[float]) -> dict[str, tuple[int, int]]:
    """Counts by walking over every partition with rational means, so that no tolerance is needed."""
    pooled = [Fraction(value).limit_denominator(1000) for value in [*x, *y]]
    nx, ny = len(x), len(y)

    def mean_difference(chosen: tuple[int, ...]) -> Fraction:
        inside = sum((pooled[i] for i in chosen), Fraction())
        return inside / nx - (sum(pooled, Fraction()) - inside) / ny

    observed = mean_difference(tuple(range(nx)))
    others = [mean_difference(chosen) for chosen in combinations(range(nx + ny), nx)]
    return {
        "greater": (sum(s >= observed for s in others), sum(s > observed for s in others)),
        "two_sided": (
            sum(abs(s) >= abs(observed) for s in others),
            sum(abs(s) > abs(observed) for s in others),
        ),
    }


def counts(tail: Tail) -> tuple[int, int]:
    return tail.n_ge, tail.n_gt


@given(scores, scores)
@example([1.0], [1.0])
@example([0.0, 0.0, 0.0], [0.0, 0.0])
@example([0.1, 0.2], [0.3, 0.0])  # 0.1 + 0.2 != 0.3 + 0.0 in floating point, but the partition is a tie
@settings(max_examples=150, deadline=None)
def test_exact_counts_equal_brute_force(x: list[float], y: list[float]) -> None:
    result = exact(x, y)
    expected = brute_force(x, y)
    assert counts(result.greater) == expected["greater"]
    assert counts(result.two_sided) == expected["two_sided"]
    assert result.n_partitions == result.greater.n_total == math.comb(len(x) + len(y), len(x))


@pytest.mark.parametrize(("nx", "ny"), [(8, 8), (9, 7), (3, 12), (12, 3), (1, 15)])
def test_exact_counts_equal_brute_force_at_usual_sizes(nx: int, ny: int, rng: np.random.Generator) -> None:
    x = [round(v, 3) for v in rng.normal(0.4, 1, nx)]
    y = [round(v, 3) for v in rng.normal(0, 1, ny)]
    expected = brute_force(x, y)
    assert counts(exact(x, y).greater) == expected["greater"]
    assert counts(exact(x, y).two_sided) == expected["two_sided"]


@given(scores, scores)
@settings(deadline=None)
def test_swapping_the_sets_gives_the_complementary_counts(x: list[float], y: list[float]) -> None:
    forward, backward = exact(x, y), exact(y, x)
    assert backward.statistic == -forward.statistic
    assert forward.greater.n_ge + backward.greater.n_gt == forward.n_partitions
    assert counts(forward.two_sided) == counts(backward.two_sided)


@given(scores, scores, st.integers(-50, 50), st.sampled_from([1e-200, 1e-6, 0.3, 7.0, 1e250]))
@settings(deadline=None)
def test_shift_and_positive_scale_change_no_count(
    x: list[float], y: list[float], shift: int, scale: float
) -> None:
    moved = exact([scale * (v + shift) for v in x], [scale * (v + shift) for v in y])
    original = exact(x, y)
    assert counts(moved.greater) == counts(original.greater)
    assert counts(moved.two_sided) == counts(original.two_sided)


@given(st.permutations(range(9)), st.permutations(range(11)))
@settings(max_examples=30, deadline=None)
def test_the_order_of_words_changes_nothing(order_x: list[int], order_y: list[int]) -> None:
    source = np.random.default_rng(5)
    x, y = source.normal(0.3, 1, 9), source.normal(0, 1, 11)
    for method in ("exact", "monte-carlo"):
        results = [
            permutation_test(a, b, method=method, draws=500, rng=np.random.default_rng(1))
            for a, b in ((x, y), (x[order_x], y[order_y]))
        ]
        assert results[0] == results[1]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=7))
@settings(deadline=None)
def test_two_sided_is_twice_one_sided_for_equal_sizes(pairs: list[tuple[int, int]]) -> None:
    x, y = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    assume(sum(x) != sum(y))
    larger, smaller = (x, y) if sum(x) > sum(y) else (y, x)
    result = exact(larger, smaller)
    assert result.two_sided.n_ge == 2 * result.greater.n_ge  # each split has its mirror image


def test_two_sided_is_not_twice_one_sided_for_unequal_sizes() -> None:
    result = exact([5.0], [0.0, 1.0, 2.0, 3.0])  # means differ most for 5; no split is as far below
    assert (result.greater.p_value, result.two_sided.p_value) == (1 / 5, 1 / 5)


def test_rounding_noise_of_the_scores_breaks_no_tie() -> None:
    """Scores of two libraries differ in their last digits; the counts must be those of clean scores."""
    x, y = [1.0, 4.0, 2.0, 3.0, 3.0], [1.0, 2.0, 2.0, 3.0, 0.0, 1.0]
    noise = np.random.default_rng(6).uniform(-2e-13, 2e-13, 11)
    noisy = exact(list(np.array(x) + noise[:5]), list(np.array(y) + noise[5:]))
    assert counts(noisy.greater) == brute_force(x, y)["greater"]
    assert counts(noisy.two_sided) == brute_force(x, y)["two_sided"]


def test_sums_beyond_the_largest_float_do_not_overflow() -> None:
    x, y = [1.7e308, 1.6e308, 1.5e308], [1.4e308, 1.55e308, 1.3e308]
    small = exact([17.0, 16.0, 15.0], [14.0, 15.5, 13.0])
    assert counts(exact(x, y).greater) == counts(small.greater)
    assert exact(x, y).statistic == pytest.approx(1e307 * small.statistic)


def test_constant_scores_are_all_ties() -> None:
    result = exact([0.1] * 6, [0.1] * 9)
    assert result.greater.p_value == result.two_sided.p_value == 1.0
    assert result.greater.p_strict == result.two_sided.p_strict == 0.0


def test_the_largest_split_has_the_least_p_and_a_strict_p_of_zero() -> None:
    result = exact([5.0, 6.0, 7.0], [1.0, 2.0, 3.0])
    assert result.greater == Tail(n_ge=1, n_gt=0, n_total=20, p_value=0.05, p_strict=0.0, mc_se=None)
    assert result.statistic == 4.0


def test_exact_agrees_with_scipy_permutation_test(rng: np.random.Generator) -> None:
    stats = pytest.importorskip("scipy.stats")
    x, y = rng.normal(0.5, 1, 6), rng.normal(0, 1, 8)

    def mean_difference(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(a.mean(axis=axis) - b.mean(axis=axis))

    reference = stats.permutation_test((x, y), mean_difference, alternative="greater", n_resamples=np.inf)
    assert exact(list(x), list(y)).greater.p_value == pytest.approx(reference.pvalue, abs=1e-15)


def test_monte_carlo_agrees_with_exact_within_its_standard_error(rng: np.random.Generator) -> None:
    for nx, ny in ((12, 12), (6, 15), (15, 6)):
        x, y = rng.normal(0.5, 1, nx), rng.normal(0, 1, ny)
        true = permutation_test(x, y, method="exact", rng=rng)
        drawn = permutation_test(x, y, method="monte-carlo", draws=40_000, rng=rng)
        assert drawn.method == "monte-carlo"
        for tail, truth in ((drawn.greater, true.greater), (drawn.two_sided, true.two_sided)):
            assert tail.mc_se is not None
            assert tail.mc_se == pytest.approx(
                math.sqrt(truth.p_value * (1 - truth.p_value) / 40_000), rel=0.1
            )
            assert abs(tail.p_value - truth.p_value) < 4.5 * tail.mc_se
            assert tail.n_total == 40_000
            assert tail.p_value == (1 + tail.n_ge) / 40_001
            assert tail.p_strict == tail.n_gt / 40_000


def test_monte_carlo_counts_every_tie() -> None:
    drawn = permutation_test(
        [0.1] * 30, [0.1] * 40, method="monte-carlo", draws=50, rng=np.random.default_rng(0)
    )
    assert counts(drawn.greater) == counts(drawn.two_sided) == (50, 0)
    assert drawn.greater.p_value == 1.0


@pytest.mark.parametrize("chunk", [7 * 24, 2**20])
def test_monte_carlo_gives_the_exact_p_in_any_chunking(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from biascore.stats import permutation

    x, y = np.arange(12.0), np.arange(12.0) + 1.5
    truth = exact(x, y)
    monkeypatch.setattr(permutation, "_CHUNK", chunk)
    drawn = permutation_test(x, y, method="monte-carlo", draws=20_000, rng=np.random.default_rng(3))
    for found, tail in ((drawn.greater, truth.greater), (drawn.two_sided, truth.two_sided)):
        assert found.n_total == 20_000
        assert found.mc_se is not None
        assert abs(found.p_value - tail.p_value) < 4.5 * found.mc_se


def test_exact_result_is_the_same_in_any_chunking(monkeypatch: pytest.MonkeyPatch) -> None:
    from biascore.stats import permutation

    x, y = [float(i % 5) for i in range(9)], [float(i % 3) for i in range(12)]
    whole = exact(x, y)
    monkeypatch.setattr(permutation, "_CHUNK", 13)
    assert exact(x, y) == whole


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_p_is_valid_under_the_null(method: Literal["exact", "monte-carlo"]) -> None:
    """P(p <= a) <= a, and close to it; the bounds are five standard errors of 4000 simulated tests."""
    source = np.random.default_rng(77)
    tests = 4000
    p_one, p_two = [], []
    for _ in range(tests):
        pooled = source.standard_normal(13)
        result = permutation_test(pooled[:6], pooled[6:], method=method, draws=199, rng=source)
        p_one.append(result.greater.p_value)
        p_two.append(result.two_sided.p_value)
    for p in (np.array(p_one), np.array(p_two)):
        for alpha in (0.01, 0.05, 0.2, 0.5):
            rate, slack = np.mean(p <= alpha), 5 * math.sqrt(alpha * (1 - alpha) / tests)
            assert alpha - slack - 1 / 199 < rate < alpha + slack


def test_auto_is_exact_up_to_its_limit_and_monte_carlo_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    from biascore.stats import permutation

    monkeypatch.setattr(permutation, "AUTO_MAX_SUMS", exact_cost(6, 6))
    rng = np.random.default_rng(0)
    assert permutation_test(np.arange(6.0), np.arange(6.0), rng=rng).method == "exact"
    assert permutation_test(np.arange(6.0), np.arange(8.0), draws=9, rng=rng).method == "monte-carlo"


def test_auto_limit_covers_the_usual_word_lists() -> None:
    from biascore.stats.permutation import AUTO_MAX_SUMS, EXACT_MAX_SUMS

    assert exact_cost(23, 23) <= AUTO_MAX_SUMS < exact_cost(24, 24)
    assert exact_cost(25, 25) <= EXACT_MAX_SUMS < exact_cost(26, 26)
    assert exact_cost(4, 120) <= AUTO_MAX_SUMS  # C(124, 4) partitions, but few sums


@pytest.mark.parametrize(("nx", "ny"), [(1, 1), (3, 4), (2, 9), (9, 2)])
def test_exact_cost_counts_the_sums_that_are_kept(nx: int, ny: int) -> None:
    from biascore.stats.permutation import sorted_subset_sums

    values = np.random.default_rng(0).normal(size=nx + ny)
    kept = [sorted_subset_sums(half, min(nx, ny)) for half in (values[::2], values[1::2])]
    assert sum(sums.size for half in kept for sums in half) == exact_cost(nx, ny)


def test_a_generator_is_left_untouched_by_an_exact_test() -> None:
    rng = np.random.default_rng(8)
    permutation_test([1.0, 2.0], [3.0], rng=rng)
    assert rng.random() == np.random.default_rng(8).random()


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([], [1.0], "x is empty"),
        ([1.0], [], "y is empty"),
        ([1.0, math.nan], [1.0], "x holds a NaN or an infinity at score 1"),
        ([1.0], [math.inf], "y holds a NaN or an infinity at score 0"),
        ([[1.0]], [1.0], "x has shape"),
    ],
)
def test_scores_that_cannot_be_tested_are_refused(x: list[float], y: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        permutation_test(x, y, rng=np.random.default_rng(0))


def test_exact_beyond_memory_is_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match="monte-carlo"):
        permutation_test(np.arange(40.0), np.arange(40.0), method="exact", rng=np.random.default_rng(0))


def test_wrong_options_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="draws is 0"):
        permutation_test([1.0], [2.0], draws=0, rng=rng)
    with pytest.raises(ValueError, match="method is 'fast'"):
        permutation_test([1.0], [2.0], method="fast", rng=rng)  # type: ignore[arg-type]


def test_normal_approximation_is_the_normal_tail() -> None:
    # Phi(-1.96), and 8 + 8 words with d = 1.6: z = 1.6 * sqrt(4) = 3.2, its tail from a printed table.
    assert normal_approximation(1.959963985 * math.sqrt(2 / 5), 5, 5) == pytest.approx(0.025, abs=1e-9)
    assert normal_approximation(1.6, 8, 8) == pytest.approx(0.000687, abs=5e-7)
    assert normal_approximation(-1.6, 8, 8) == pytest.approx(1 - 0.000687, abs=5e-7)
    with pytest.raises(ValueError, match="at least 1"):
        normal_approximation(1.0, 0, 3)
    with pytest.raises(ValueError, match="finite"):
        normal_approximation(math.nan, 3, 3)
