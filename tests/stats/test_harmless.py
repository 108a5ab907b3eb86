"""Ranks among pairs of harmless groups, and their permutation p-values, against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from biascore.stats import permutation_test
from biascore.stats.harmless import (
    NEAR,
    Rank,
    group_means,
    leave_two_out,
    mean_rank,
    p_of_groups,
    p_of_labels,
    pair_effects,
    rank,
)

Floats = npt.NDArray[np.float64]
FIRST, UNITS, GROUPS = 5, 12, 8


def means(seed: int = 1, groups: int = GROUPS) -> Floats:
    return np.random.default_rng(seed).normal(size=(UNITS, groups))


def d(one: Floats, other: Floats, ddof: int) -> float:
    """Effect size of the units' scores with two groups."""
    s = one - other
    return float((s[:FIRST].mean() - s[FIRST:].mean()) / s.std(ddof=ddof))


def sizes(effects: Floats, without: tuple[int, ...] = ()) -> list[float]:
    """|d| of each pair of groups, of those that are not left out."""
    kept = [group for group in range(len(effects)) if group not in without]
    return [abs(float(effects[pair])) for pair in combinations(kept, 2)]


def share(effect: float, every: list[float]) -> float:
    return (1 + sum(one >= abs(effect) - NEAR for one in every)) / (1 + len(every))


@pytest.mark.parametrize("ddof", [0, 1])
def test_the_effect_of_each_pair_is_that_of_its_scores(ddof: int) -> None:
    some = means()
    found = pair_effects(some, FIRST, 1 if ddof else 0)
    expected = [
        [0.0 if i == j else d(some[:, i], some[:, j], ddof) for j in range(GROUPS)] for i in range(GROUPS)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_pair_whose_scores_do_not_vary_reaches_every_effect() -> None:
    some = means()
    some[:, 1] = some[:, 0] + 2.0
    found = pair_effects(some, FIRST, 1)
    assert found[0, 1] == np.inf
    assert np.isfinite(np.delete(found[0], 1)).all()


def test_a_two_sided_rank_counts_pairs_and_its_range_leaves_each_group_out() -> None:
    effects = pair_effects(means(2), FIRST, 1)
    found = rank(-0.6, effects, "two-sided")
    without = [share(0.6, sizes(effects, (group,))) for group in range(GROUPS)]
    assert found.pairs == GROUPS * (GROUPS - 1) // 2
    assert found.share == pytest.approx(share(0.6, sizes(effects)))
    assert (found.low, found.high) == (pytest.approx(min(without)), pytest.approx(max(without)))
    assert found.low < found.share < found.high


def test_a_one_sided_rank_counts_both_orders_of_each_pair() -> None:
    effects = pair_effects(means(3), FIRST, 1)

    def one_sided(effect: float, without: tuple[int, ...] = ()) -> float:
        kept = [group for group in range(GROUPS) if group not in without]
        orders = [effects[i, j] for i in kept for j in kept if i != j]
        return (1 + sum(one >= effect - NEAR for one in orders)) / (1 + len(orders))

    for effect in (0.4, -0.4):
        found = rank(effect, effects, "greater")
        without = [one_sided(effect, (group,)) for group in range(GROUPS)]
        assert found.pairs == GROUPS * (GROUPS - 1)
        assert found.share == pytest.approx(one_sided(effect))
        assert (found.low, found.high) == (pytest.approx(min(without)), pytest.approx(max(without)))


def test_an_effect_that_none_reaches_has_the_smallest_share_and_a_tie_counts() -> None:
    effects = pair_effects(means(), FIRST, 1)
    largest = max(sizes(effects))
    pairs = GROUPS * (GROUPS - 1) // 2
    assert rank(10.0, effects, "two-sided").share == pytest.approx(1 / (1 + pairs))
    for tie in (largest, largest + NEAR / 10):  # but for rounding
        assert rank(tie, effects, "two-sided").share == pytest.approx(2 / (1 + pairs))


def test_the_rank_of_several_draws_is_the_mean_of_their_ranks() -> None:
    effects = pair_effects(means(5), FIRST, 1)
    for alternative in ("two-sided", "greater"):
        each = [rank(one, effects, alternative) for one in (0.2, 0.6, -1.1)]
        both = rank(np.array([0.2, 0.6, -1.1]), effects, alternative)
        assert both.pairs == each[0].pairs
        assert both.share == pytest.approx(np.mean([one.share for one in each]))
        assert both.low <= both.share <= both.high


def test_the_mean_of_ranks_is_over_draws() -> None:
    assert mean_rank([Rank(0.2, 10, 0.1, 0.3), Rank(0.4, 10, 0.3, 0.5)]) == Rank(
        pytest.approx(0.3), 10, pytest.approx(0.2), pytest.approx(0.4)
    )


def test_leave_two_out_ranks_each_pair_among_those_without_its_groups() -> None:
    effects = pair_effects(means(4), FIRST, 1)
    expected = [share(effects[pair], sizes(effects, pair)) for pair in combinations(range(GROUPS), 2)]
    np.testing.assert_allclose(leave_two_out(effects), expected)


def test_leave_two_out_shares_of_unrelated_groups_are_even() -> None:
    found = np.concatenate([leave_two_out(pair_effects(means(seed, 40), FIRST, 1)) for seed in range(40)])
    assert np.mean(found <= 0.05) == pytest.approx(0.05, abs=0.01)
    assert found.mean() == pytest.approx(0.5, abs=0.02)


def test_groups_are_represented_by_so_many_of_their_words() -> None:
    scores = means(5, 20)
    groups = [np.arange(3), np.arange(3, 20)]
    found = group_means(scores, groups, 4, np.random.default_rng(0))
    again = group_means(scores, groups, 4, np.random.default_rng(0))
    np.testing.assert_allclose(found[:, 0], scores[:, :3].mean(axis=1))
    possible = [scores[:, list(some)].mean(axis=1) for some in combinations(range(3, 20), 4)]
    assert any(np.allclose(found[:, 1], one) for one in possible)
    np.testing.assert_array_equal(found, again)


@pytest.mark.parametrize("decimals", [9, 1])
def test_p_of_labels_counts_labellings_that_reach_the_difference(decimals: int) -> None:
    """Of all labellings of 5 + 7 units, each once: the exact p but for the observed one, which is counted again.

    Of one decimal there are many that tie with the observed one.
    """
    some = means(6, 4).round(decimals)
    every = np.full((792, UNITS), -1 / (UNITS - FIRST))
    for row, first in zip(every, combinations(range(UNITS), FIRST), strict=True):
        row[list(first)] = 1 / FIRST
    found = p_of_labels(some, [every[:300], every[300:]], every[0])
    for p, (i, j) in zip(found, combinations(range(4), 2), strict=True):
        s = some[:, i] - some[:, j]
        exact = permutation_test(
            s[:FIRST], s[FIRST:], method="exact", rng=np.random.default_rng(0)
        ).two_sided.p_value
        assert p == pytest.approx((1 + 792 * exact) / 793)


def test_p_of_groups_is_that_of_a_permutation_test_of_their_words() -> None:
    """Within four standard errors of 20,000 draws, for groups of unlike size."""
    rng = np.random.default_rng(7)
    values = [rng.normal(shift, 1, size) for shift, size in ((0, 6), (1, 6), (0.6, 5), (-1, 7))]
    draws = 20_000
    found = p_of_groups(values, draws, np.random.default_rng(8))
    for p, (i, j) in zip(found, combinations(range(4), 2), strict=True):
        exact = permutation_test(
            values[i], values[j], method="exact", rng=np.random.default_rng(0)
        ).two_sided.p_value
        assert abs(p - exact) < 4 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws


@pytest.mark.parametrize("seed", [5, 7, 9])
def test_p_of_groups_counts_labellings_that_tie_with_the_words_of_the_groups(seed: int) -> None:
    """Eight words of one decimal: some 3 to 6 in 100 labellings are as far apart but for rounding."""
    rng = np.random.default_rng(seed)
    one, other = (rng.normal(size=4).round(1) for _ in range(2))
    exact = permutation_test(one, other, method="exact", rng=rng).two_sided.p_value
    (p,) = p_of_groups([one, other], 20_000, np.random.default_rng(1))
    assert p == pytest.approx(exact, abs=0.012)
