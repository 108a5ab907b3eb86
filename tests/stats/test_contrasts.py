"""The change of a contrast, against brute force."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

from biascore.stats import ZeroVarianceError, effect_size
from biascore.stats.contrasts import contrast, contrast_change, unpaired_change

RNG = np.random.default_rng(15)
TWO = np.repeat([0, 1], [4, 5])
OLD = RNG.normal(size=9)
NEW = OLD + RNG.normal(size=9)
ANSWERS = np.array([1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0.0]), np.array([0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1.0])
ONE = np.zeros(12, dtype=np.intp)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize("ddof", [0, 1])
def test_with_weights_1_and_minus_1_over_the_deviation_it_is_the_effect_size(ddof: int) -> None:
    assert contrast(OLD, TWO, (1.0, -1.0), ddof) == pytest.approx(effect_size(OLD[:4], OLD[4:], ddof))
    assert contrast(OLD, TWO, (0.5, 2.0)) == pytest.approx(0.5 * OLD[:4].mean() + 2 * OLD[4:].mean())


def test_what_has_no_value_is_refused() -> None:
    with pytest.raises(ValueError, match="group 1"):
        contrast(OLD, np.zeros(9, dtype=np.intp), (1.0, -1.0))
    with pytest.raises(ZeroVarianceError):
        contrast(np.ones(9), TWO, (1.0, -1.0), 1)


def test_two_groups_are_tested_by_every_partition_of_the_standardised_changes() -> None:
    found = contrast_change(OLD, NEW, TWO, (1.0, -1.0), ddof=1, rng=rng())
    moved = NEW / NEW.std(ddof=1) - OLD / OLD.std(ddof=1)
    of = [abs(moved[list(x)].mean() - np.delete(moved, list(x)).mean()) for x in combinations(range(9), 4)]
    observed = abs(moved[:4].mean() - moved[4:].mean())
    assert found.value == pytest.approx(moved[:4].mean() - moved[4:].mean())
    assert found.p_value == pytest.approx(np.mean([one >= observed - 1e-12 for one in of]))
    assert found.new - found.old == found.value


def test_several_groups_are_tested_by_dealing_the_changes_out_anew() -> None:
    old, new, groups = OLD[:6], NEW[:6], np.array([0, 0, 1, 1, 2, 2])
    weights = (1.0, -0.5, -0.5)
    found = contrast_change(old, new, groups, weights, draws=20_000, rng=rng())
    each = np.array(weights)[groups] / 2
    every = [abs(np.array(order) @ each) for order in permutations(new - old)]
    p = np.mean([one >= abs((new - old) @ each) - 1e-12 for one in every])
    assert found.p_value == pytest.approx(p, abs=0.015)  # four standard errors of the draws


def test_a_share_is_tested_by_mcnemar_and_a_mean_by_flipped_signs() -> None:
    for old, new in (ANSWERS, (OLD, NEW)):
        groups = np.zeros(old.size, dtype=np.intp)
        found = contrast_change(old, new, groups, (100.0,), rng=rng())
        moved = new - old
        of = [abs(np.array(signs) @ moved) for signs in product((-1, 1), repeat=moved.size)]
        assert found.p_value == pytest.approx(np.mean([one >= abs(moved.sum()) - 1e-12 for one in of]))
        assert found.value == pytest.approx(100 * moved.mean())


def test_the_interval_of_a_share_adds_one_answer_each_way() -> None:
    # Bonett and Price 2012: (f12 + 1) / (n + 2), (f21 + 1) / (n + 2); here 1 and 4 of 12 pairs changed.
    up, down = 2 / 14, 5 / 14
    half = 1.959963985 * np.sqrt((up + down - (up - down) ** 2) / 14)
    found = contrast_change(*ANSWERS, ONE, (1.0,), rng=rng()).interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((up - down - half, up - down + half))


@pytest.mark.parametrize(
    ("weights", "groups", "ddof"),
    [((1.0, -1.0), TWO, 1), ((1.0,), np.zeros(9, dtype=np.intp), None), ((0.5, 0.5), TWO, None)],
)
def test_the_way_back_is_the_mirror_image_and_order_is_nothing(
    weights: tuple[float, ...], groups: np.ndarray, ddof: int | None
) -> None:
    there = contrast_change(OLD, NEW, groups, weights, ddof=ddof, rng=rng())
    back = contrast_change(NEW, OLD, groups, weights, ddof=ddof, rng=rng())
    assert (back.value, back.p_value) == pytest.approx((-there.value, there.p_value))
    assert there.interval is not None
    assert back.interval is not None
    assert (back.interval.low, back.interval.high) == pytest.approx(
        (-there.interval.high, -there.interval.low)
    )


def test_the_interval_does_not_contradict_the_test() -> None:
    for seed in range(12):
        one = np.random.default_rng(seed)
        old = one.normal(size=12)
        new = old + one.normal(0.3, 0.5, size=12)
        for weights, groups, ddof in (
            ((1.0,), np.zeros(12, dtype=np.intp), None),
            ((1.0, -1.0), ONE + np.arange(12) % 2, 1),
        ):
            found = contrast_change(old, new, groups, weights, ddof=ddof, resamples=200, rng=one)
            assert found.interval is not None
            holds_0 = found.interval.low < 0 < found.interval.high
            assert holds_0 == (found.p_value > 0.05)


def test_where_nothing_moved_there_is_no_interval_and_p_is_1() -> None:
    found = contrast_change(OLD, OLD, TWO, (1.0, -1.0), ddof=1, rng=rng())
    assert (found.value, found.interval, found.p_value) == (0.0, None, 1.0)
    assert found.problem


def test_unpaired_is_made_of_both_intervals_and_its_p_agrees_with_its_end() -> None:
    found = unpaired_change(0.5, (0.3, 0.8), 0.9, (0.6, 1.1), 0.95)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.4 - np.hypot(0.3, 0.3))
    assert found.interval.high == pytest.approx(0.4 + np.hypot(0.2, 0.2))
    assert (found.p_value < 0.05) == (found.interval.low > 0)
    at_the_end = unpaired_change(0.0, (-0.3, 0.3), 0.5, (0.1, 0.9), 0.95)
    assert at_the_end.interval is not None
    assert at_the_end.interval.low == pytest.approx(0.0, abs=1e-12)
    assert at_the_end.p_value == pytest.approx(0.05)
