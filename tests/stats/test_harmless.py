"""Ranks among pairs of harmless groups and their permutation tests, against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations
from typing import Literal

import numpy as np
import pytest

from biascore.stats.harmless import (
    Rank,
    group_means,
    leave_two_out,
    mean_rank,
    p_of_groups,
    p_of_labels,
    pair_effects,
    rank,
)

UNITS, FIRST, GROUPS = 9, 4, 7


def d(scores: np.ndarray, ddof: int = 1) -> float:
    """The effect size of scores of which the first are of one list."""
    return float((scores[:FIRST].mean() - scores[FIRST:].mean()) / scores.std(ddof=ddof))


@pytest.mark.parametrize("ddof", [0, 1])
def test_pair_effects_are_those_of_the_difference_of_two_groups(
    rng: np.random.Generator, ddof: Literal[0, 1]
) -> None:
    means = rng.normal(size=(UNITS, GROUPS))
    found = pair_effects(means, FIRST, ddof)
    for i, j in permutations(range(GROUPS), 2):
        assert found[i, j] == pytest.approx(d(means[:, i] - means[:, j], ddof))
    assert np.diag(found).tolist() == [0.0] * GROUPS


def test_a_pair_that_does_not_vary_reaches_every_effect(rng: np.random.Generator) -> None:
    means = rng.normal(size=(UNITS, 1)) + np.array([0.0, 3.0])
    assert np.isinf(pair_effects(means, FIRST, 1)[0, 1])


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("effect", [-0.7, 0.2, 1.1])
def test_a_rank_counts_the_pairs_that_reach_the_effect_and_the_effect_itself(
    rng: np.random.Generator, effect: float, alternative: Literal["two-sided", "greater"]
) -> None:
    effects = pair_effects(rng.normal(size=(UNITS, GROUPS)), FIRST, 1)

    def share(left: list[int]) -> float:
        one_order = combinations if alternative == "two-sided" else permutations
        every = [effects[pair] for pair in one_order(left, 2)]
        reached = [abs(one) >= abs(effect) if alternative == "two-sided" else one >= effect for one in every]
        return (1 + sum(reached)) / (1 + len(every))

    every = list(range(GROUPS))
    without = [share([one for one in every if one != gone]) for gone in every]
    found = rank(effect, effects, alternative)
    assert (found.share, found.low, found.high) == pytest.approx((share(every), min(without), max(without)))
    assert found.pairs == GROUPS * (GROUPS - 1) // (2 if alternative == "two-sided" else 1)


def test_an_effect_that_ties_with_a_pair_is_reached_by_it() -> None:
    effects = np.array([[0.0, 0.5, 0.1], [-0.5, 0.0, 0.2], [-0.1, -0.2, 0.0]])
    assert rank(0.5, effects, "two-sided").share == pytest.approx(2 / 4)
    assert rank(0.5 + 1e-6, effects, "two-sided").share == pytest.approx(1 / 4)


def test_ranks_of_draws_are_averaged() -> None:
    both = [Rank(0.02, 10, 0.01, 0.03), Rank(0.04, 10, 0.03, 0.09)]
    found = mean_rank(both)
    assert (found.share, found.low, found.high) == pytest.approx((0.03, 0.02, 0.06))
    assert found.pairs == 10


def test_a_harmless_pair_is_ranked_among_those_that_hold_neither_of_its_groups(
    rng: np.random.Generator,
) -> None:
    effects = pair_effects(rng.normal(size=(UNITS, GROUPS)), FIRST, 1)
    expected = []
    for pair in combinations(range(GROUPS), 2):
        others = [abs(effects[one]) for one in combinations(range(GROUPS), 2) if not {*one} & {*pair}]
        expected.append((1 + sum(one >= abs(effects[pair]) for one in others)) / (1 + len(others)))
    assert leave_two_out(effects).tolist() == pytest.approx(expected)


def test_means_are_over_so_many_words_of_each_group(rng: np.random.Generator) -> None:
    scores = rng.normal(size=(UNITS, 9))
    short, long = np.arange(3), np.arange(3, 9)
    found = group_means(scores, [short, long], 3, rng)
    assert found[:, 0].tolist() == pytest.approx(scores[:, short].mean(axis=1).tolist())
    possible = [scores[0, list(some)].mean() for some in combinations(long, 3)]
    assert min(abs(found[0, 1] - one) for one in possible) < 1e-12
    again = [group_means(scores, [long], 3, rng)[0, 0] for _ in range(20)]
    assert len(set(again)) > 1
    np.testing.assert_allclose(group_means(scores, [long], 6, rng)[:, 0], scores[:, long].mean(axis=1))


def test_p_of_labels_is_that_of_each_pair_by_itself(rng: np.random.Generator) -> None:
    """With all labellings but the observed one listed, the p-values are exact."""
    means = rng.normal(size=(UNITS, GROUPS))
    chosen = [np.isin(np.arange(UNITS), some) for some in combinations(range(UNITS), FIRST)]
    every = np.array([np.where(one, 1 / FIRST, -1 / (UNITS - FIRST)) for one in chosen])
    observed, others = every[0], every[1:]
    found = p_of_labels(means, [others[:50], others[50:]], observed)
    expected = []
    for i, j in combinations(range(GROUPS), 2):
        differences = every @ (means[:, i] - means[:, j])
        expected.append(np.mean(np.abs(differences) >= abs(differences[0]) - 1e-9))
    assert found.tolist() == pytest.approx(expected)


def test_a_constant_difference_is_never_significant() -> None:
    means = np.ones((UNITS, 2)) * np.array([1.0, 5.0])
    weights = np.array([1 / FIRST] * FIRST + [-1 / (UNITS - FIRST)] * (UNITS - FIRST))
    assert p_of_labels(means, [np.tile(weights[::-1], (99, 1))], weights).tolist() == [1.0]


@pytest.mark.parametrize("sizes", [(4, 4, 4), (4, 5, 6)])
def test_p_of_groups_is_near_the_exact_one(sizes: tuple[int, ...], rng: np.random.Generator) -> None:
    values = [rng.normal(0.8 * place, 1, size) for place, size in enumerate(sizes)]
    found = p_of_groups(values, 20_000, rng)
    expected = []
    for one, other in combinations(values, 2):
        pooled = np.concatenate([one, other])
        sums = [pooled[list(some)].mean() for some in combinations(range(pooled.size), one.size)]
        rest = [(pooled.sum() - mean * one.size) / other.size for mean in sums]
        differences = np.abs(np.array(sums) - rest)
        expected.append(np.mean(differences >= differences[0] - 1e-9))
    np.testing.assert_allclose(found, expected, atol=0.015)


def _of_words(rng: np.random.Generator) -> np.ndarray:
    return p_of_groups([rng.normal(size=8) for _ in range(60)], 999, rng)


def _of_units(rng: np.random.Generator) -> np.ndarray:
    weights = np.repeat([1 / 8, -1 / 8], 8)
    draws = rng.permuted(np.tile(weights, (999, 1)), axis=1)
    return p_of_labels(rng.normal(size=(16, 60)), [draws], weights)


@pytest.mark.parametrize("p_values", [_of_words, _of_units])
def test_p_of_pairs_without_an_effect_are_uniform(
    p_values: Callable[[np.random.Generator], np.ndarray], rng: np.random.Generator
) -> None:
    small = [np.mean(p_values(rng) <= 0.05) for _ in range(30)]
    assert 0.03 <= np.mean(small) <= 0.07
