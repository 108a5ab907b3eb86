"""Labels that families of words keep together: against loops, and against all labellings of families."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from biascore.stats.labels import (
    Labelled,
    cell_codes,
    distribution_test,
    interaction_test,
    mean_bias_test,
    share_difference_tests,
)

from .labellings import in_families, near, unevenness


def family_scores(labelled: Labelled) -> list[np.ndarray]:
    """Scores under every labelling of whole families, word by word in plain loops."""
    cosines, family = labelled.cosines.tolist(), labelled.exchange.unit
    in_a = len(set(family[: labelled.n_a]))
    found = []
    for chosen in itertools.combinations(sorted(set(family)), in_a):
        of_a = [i for i, number in enumerate(family) if number in chosen]
        of_b = [i for i, number in enumerate(family) if number not in chosen]
        found.append(
            np.array(
                [
                    math.fsum(row[i] for i in of_a) / len(of_a) - math.fsum(row[i] for i in of_b) / len(of_b)
                    for row in cosines
                ]
            )
        )
    return found


def test_families_are_of_one_list_and_words_without_a_name_are_their_own(rng: np.random.Generator):
    found = in_families(rng, 3, "xyx", "xzzz")  # x stands in both lists, for two families
    assert found.exchange.unit == (0, 1, 0, 2, 3, 3, 3)
    assert found.families == (2, 2)
    assert found.smallest_p == pytest.approx(2 / 6)
    assert in_families(rng, 3, "xxy", "z").smallest_p == pytest.approx(1 / 3)
    assert found.centred().exchange == found.exchange
    assert in_families(rng, 3, "abc", "de").exchange.plain
    assert Labelled.of(np.ones((2, 3)), np.ones((2, 2)), families_b="zz").exchange.unit == (0, 1, 2, 3, 3)


def test_words_that_are_families_of_their_own_change_nothing():
    cosines = np.random.default_rng(8).normal(0, 0.1, (12, 9))
    results = []
    for names in ((), ("abcd", "efghi")):
        rng = np.random.default_rng(9)
        one = Labelled.of(cosines[:, :4], cosines[:, 4:], *names)
        other = Labelled.of(cosines[:, 3:7], np.hstack([cosines[:, :3], cosines[:, 7:]]), *names)
        codes = cell_codes([one.scores, other.scores])
        results.append(
            (
                mean_bias_test(one, draws=50, rng=rng),
                distribution_test([one, other], draws=50, rng=rng),
                interaction_test(one, other, draws=50, rng=rng),
                share_difference_tests(one, codes, 4, draws=50, rng=rng),
            )
        )
    assert results[0] == results[1]


def test_relabelled_families_stay_together_and_all_labellings_come_up(rng: np.random.Generator):
    found = in_families(rng, 3, "aab", "cddd")
    every = np.array(family_scores(found))
    drawn = np.concatenate(list(found.relabelled(600, rng)), axis=1).T
    nearest = np.abs(drawn[:, None] - every[None]).max(axis=2)
    assert nearest.min(axis=1).max() < 1e-12
    counts = np.bincount(nearest.argmin(axis=1), minlength=6)
    assert all(near(count / 600, 1 / 6, 600) for count in counts)
    observed = np.abs(every - found.scores).max(axis=1)
    assert observed.min() < 1e-12


@pytest.mark.parametrize(
    ("a", "b", "method"),
    [
        ("aabbcc", "ddeeff", "exact"),
        ("aab", "cccdef", "exact"),
        ("aabbbcdefgh", "ijjklllmnop", "monte-carlo"),
    ],
)
def test_the_mean_bias_over_families_agrees_with_all_labellings(rng, a: str, b: str, method: str):
    found = in_families(rng, 10, a, b, lean=0.05)
    means = np.array([scores.mean() for scores in family_scores(found)])
    observed = float(found.scores.mean())
    test = mean_bias_test(found, draws=2000, rng=rng)
    assert (test.method, test.nx, test.ny) == (method, len(set(a)), len(set(b)))
    assert test.n_partitions == len(means)
    assert test.statistic == pytest.approx(observed, abs=1e-15)
    for tail, at_least in (
        (test.greater, means >= observed - 1e-12),
        (test.two_sided, np.abs(means) >= abs(observed) - 1e-12),
    ):
        exact = float(np.mean(at_least))
        if method == "exact":
            assert tail.p_value == pytest.approx(exact)
            assert tail.n_total == len(means)
            assert tail.n_gt < tail.n_ge
        else:
            assert tail.p_value == (1 + tail.n_ge) / 2001
            assert near(tail.p_value, exact, 2000)


def test_no_labelling_of_families_is_more_extreme_than_the_smallest_p(rng: np.random.Generator):
    for a, b in (("aabc", "defff"), ("aab", "cddefg")):
        far = Labelled.of(np.ones((4, len(a))), np.zeros((4, len(b))), a, b)
        test = mean_bias_test(far, draws=500, rng=rng)
        assert test.two_sided.p_value == pytest.approx(far.smallest_p)


def test_the_other_tests_over_families_agree_with_all_labellings(rng: np.random.Generator):
    draws = 20_000
    one, other = in_families(rng, 14, "aab", "cddd", lean=0.04), in_families(rng, 14, "abbc", "dd", lean=0.02)
    observed = (one.scores, other.scores)
    every = [unevenness(s) for s in itertools.product(family_scores(one), family_scores(other))]
    found = distribution_test([one, other], draws=draws, rng=rng)
    assert near(found.test.p_value, np.mean(np.array(every) >= unevenness(observed) - 1e-9), draws)

    interaction = interaction_test(one, other, draws=draws, rng=rng)
    seen = abs(np.corrcoef(*observed)[0, 1])
    for fixed, moved, test in (
        (one, other, interaction.given_first),
        (other, one, interaction.given_second),
    ):
        reached = [abs(np.corrcoef(fixed.scores, s)[0, 1]) >= seen - 1e-9 for s in family_scores(moved)]
        assert near(test.p_value, np.mean(reached), draws)

    codes = np.repeat(np.array([0, 1], dtype=np.int8), 7)

    def difference(scores: np.ndarray) -> float:
        return abs(np.mean(scores[:7] > 0) - np.mean(scores[7:] > 0))

    reached = [difference(scores) >= difference(one.scores) - 1e-9 for scores in family_scores(one)]
    test = share_difference_tests(one, codes, 2, draws=draws, rng=rng)[0]
    assert test is not None
    assert near(test.p_value, np.mean(reached), draws)
