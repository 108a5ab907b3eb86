"""Inverted permutation tests against the test itself, put to one shift after another."""

from __future__ import annotations

import math

import numpy as np
import pytest

from biascore.stats import (
    ZeroVarianceError,
    bootstrap_effect,
    effect_interval,
    effect_size,
    permutation_test,
    shift_interval,
)
from biascore.stats.inversion import _inverted_effect

LIMIT = 2.0  # of d for equal sizes, with ddof 0


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def two_sided(x: np.ndarray, y: np.ndarray) -> float:
    return permutation_test(x, y, rng=rng()).two_sided.p_value


@pytest.mark.parametrize(("nx", "ny"), [(5, 5), (6, 6), (4, 7), (7, 4), (3, 9)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_holds_the_shifts_that_the_test_does_not_reject(nx: int, ny: int, level: float) -> None:
    draw = np.random.default_rng([nx, ny])
    x, y = draw.normal(size=nx) + 0.7, draw.exponential(size=ny)
    found = shift_interval(x, y, level=level, rng=rng())
    assert found.method == "inverted permutation test, exact"
    assert found.resamples == math.comb(nx + ny, nx)
    for shift in np.linspace(-6, 6, 97):
        rejected = two_sided(x - shift, y) <= 1 - level + 1e-12
        assert rejected != (found.low <= shift <= found.high), shift
    for end, outwards in ((found.low, -1e-6), (found.high, 1e-6)):
        assert two_sided(x - end - outwards, y) <= 1 - level + 1e-12
        assert two_sided(x - end + outwards, y) > 1 - level


def test_so_few_scores_reject_no_shift() -> None:
    found = shift_interval([1.0, 2.0, 3.0], [0.0, 0.5, 0.7], rng=rng())
    assert (found.low, found.high) == (-math.inf, math.inf)
    x, y = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.5, 0.7])
    d = _inverted_effect(x, y, 0, 0.95, 5000, rng(), None)
    assert (d.low, d.high) == (-LIMIT, LIMIT)


def test_drawn_partitions_come_near_all_of_them() -> None:
    draw = np.random.default_rng(2)
    x, y = draw.normal(size=10) + 1, draw.normal(size=10)
    exact = shift_interval(x, y, rng=rng())
    z = np.append(x, x.mean())  # one more score: too many partitions to take all
    drawn = shift_interval(z, y, draws=40_000, rng=rng())
    assert drawn.method == "inverted permutation test, monte-carlo"
    assert drawn.resamples == 40_000
    assert drawn.low == pytest.approx(exact.low, abs=0.12)
    assert two_sided(z - drawn.low, y) == pytest.approx(0.05, abs=0.005)
    assert two_sided(z - drawn.high, y) == pytest.approx(0.05, abs=0.005)


def test_ends_as_effect_sizes_are_those_of_the_shifted_scores() -> None:
    draw = np.random.default_rng(3)
    x, y = draw.normal(size=8) + 1, draw.normal(size=7)
    shifts = shift_interval(x, y, rng=rng())
    for ddof in (0, 1):
        d = _inverted_effect(x, y, ddof, 0.95, 5000, rng(), None)
        for end, shift in ((d.low, shifts.low), (d.high, shifts.high)):
            moved = x - (x.mean() - y.mean()) + shift
            assert end == pytest.approx(effect_size(moved, y, ddof), rel=1e-12)


def test_the_default_never_contradicts_the_test_and_else_is_studentized() -> None:
    disagreed = 0
    for seed in range(120):
        draw = np.random.default_rng(seed)
        x, y = draw.exponential(size=8) + draw.choice([-1.2, 0, 0.6, 1.2]), draw.exponential(size=8)
        p = two_sided(x, y)
        plain = bootstrap_effect(x, y, resamples=400, rng=np.random.default_rng(1))
        tested = effect_interval(x, y, p_two_sided=p, resamples=400, rng=np.random.default_rng(1))
        assert (p <= 0.05) != (tested.low <= 0 <= tested.high)
        if (p <= 0.05) != (plain.low <= 0 <= plain.high):
            assert tested == plain
        else:
            disagreed += 1
            assert tested.method.endswith("by the inverted permutation test")
            same = tested.high == plain.high if x.mean() > y.mean() else tested.low == plain.low
            assert same
    assert 5 < disagreed < 60


def test_a_sure_test_beside_an_interval_around_0() -> None:
    """Lists that lie apart, with one outlier: p is the smallest there is, and the bootstrap alone says anything."""
    x = np.array([0.09, 0.08, 0.09, 0.11, 0.08, 0.10, 0.10, 0.12])
    y = np.array([-0.24, -0.01, -0.02, 0.00, 0.00, 0.00, -0.01, 0.00])
    p = two_sided(x, y)
    plain = bootstrap_effect(x, y, rng=rng())
    tested = effect_interval(x, y, p_two_sided=p, rng=rng())
    assert p == pytest.approx(2 / 12870)
    assert plain.low < -1
    assert tested.low > 0.5
    assert tested.high == plain.high


def test_scores_that_do_not_vary_within_their_lists_have_no_interval_of_d() -> None:
    with pytest.raises(ZeroVarianceError, match="neither x nor y varies"):
        effect_interval([1.0] * 5, [0.0] * 5, p_two_sided=0.008, rng=rng())


@pytest.mark.parametrize(("level", "draws"), [(0.0, 10), (1.0, 10), (0.95, 0)])
def test_options_out_of_range(level: float, draws: int) -> None:
    with pytest.raises(ValueError, match=r"level|draws"):
        shift_interval([1.0, 2.0], [0.0, 1.0], level=level, draws=draws, rng=rng())
