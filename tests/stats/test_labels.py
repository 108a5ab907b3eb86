"""Label permutation tests: against loops, and against all labellings."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from biascore.stats import ZeroVarianceError
from biascore.stats.labels import (
    ON_AXIS,
    Labelled,
    cell_codes,
    cell_counts,
    distance_from_even,
    distribution_test,
    interaction_test,
    mean_bias_test,
    share_difference_tests,
)

from .labellings import in_families, near, unevenness


def dimension(rng: np.random.Generator, n: int, a: int, b: int, lean: float = 0.0) -> Labelled:
    return Labelled.of(rng.normal(lean, 0.1, (n, a)), rng.normal(0.0, 0.1, (n, b)))


def all_scores(labelled: Labelled) -> list[np.ndarray]:
    """Scores under every labelling, word by word in plain loops."""
    cosines, a = labelled.cosines.tolist(), labelled.n_a
    every = range(len(cosines[0]))
    return [
        np.array(
            [
                math.fsum(row[i] for i in chosen) / a
                - math.fsum(row[i] for i in every if i not in chosen) / labelled.n_b
                for row in cosines
            ]
        )
        for chosen in itertools.combinations(every, a)
    ]


def test_scores_are_the_difference_of_mean_cosines(rng: np.random.Generator):
    found = dimension(rng, 4, 3, 2)
    expected = [sum(row[:3]) / 3 - sum(row[3:]) / 2 for row in found.cosines.tolist()]
    assert found.scores == pytest.approx(expected, abs=1e-15)
    assert (found.n, found.n_a, found.n_b) == (4, 3, 2)


def test_relabelled_scores_are_scores_of_some_labelling_and_all_of_them_come_up(rng: np.random.Generator):
    found = dimension(rng, 3, 2, 3)
    every = np.array(all_scores(found))
    drawn = np.concatenate(list(found.relabelled(400, rng)), axis=1).T
    assert drawn.shape == (400, 3)
    nearest = np.abs(drawn[:, None] - every[None]).max(axis=2)
    assert nearest.min(axis=1).max() < 1e-12
    assert len(set(nearest.argmin(axis=1))) == math.comb(5, 2)


def test_blocks_of_draws_add_up(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("biascore.stats.exchange._CHUNK", 64)
    dimensions = [dimension(rng, 9, 3, 4), dimension(rng, 9, 2, 11)]
    assert sum(block.shape[1] for block in dimensions[1].relabelled(50, rng)) == 50
    test = distribution_test(dimensions, draws=50, rng=rng).test
    assert 0 <= test.n_ge <= test.draws == 50


@pytest.mark.parametrize("k", [2, 3])
def test_cells_equal_a_loop_over_words(rng: np.random.Generator, k: int):
    scores = rng.normal(size=(k, 200))
    scores[:, 0] = 0.0
    scores[0, 1], scores[k - 1, 2] = 1e-14, 0.3
    codes = cell_codes(list(scores), tolerance=0.3)
    for word, code in zip(scores.T, codes, strict=True):
        if any(abs(b) <= 0.3 for b in word):
            assert code == ON_AXIS
        else:
            assert code == sum((b < 0) << (k - 1 - d) for d, b in enumerate(word))
    assert codes[2] == ON_AXIS  # a score at the tolerance lies on the axis
    assert cell_counts(codes, 2**k).tolist() == [int((codes == cell).sum()) for cell in range(2**k)]


def test_a_score_that_is_rounding_has_no_side():
    assert cell_codes([np.array([3e-17, 1e-9]), np.array([0.1, -0.1])]).tolist() == [ON_AXIS, 1]


def test_the_distance_from_even_is_what_would_have_to_move():
    assert distance_from_even([5, 5, 5, 5]) == 0
    assert distance_from_even([20, 0, 0, 0]) == pytest.approx(0.75)
    assert distance_from_even([12, 8, 0, 0]) == pytest.approx(0.5)
    assert np.isnan(distance_from_even([0, 0, 0, 0]))
    assert distance_from_even([[4, 0], [0, 2]]).tolist() == [0.5, 0.5]


def test_mean_bias_equals_all_labellings(rng: np.random.Generator):
    found = dimension(rng, 12, 4, 3, lean=0.08)
    means = [float(scores.mean()) for scores in all_scores(found)]
    test = mean_bias_test(found, draws=10, rng=rng)
    assert test.method == "exact"
    assert test.statistic == pytest.approx(float(found.scores.mean()), abs=1e-15)
    observed = abs(float(found.scores.mean()))
    assert test.two_sided.p_value == pytest.approx(np.mean(np.abs(means) >= observed - 1e-12))


@pytest.mark.parametrize(("k", "tolerance"), [(2, 0.0), (3, 0.0), (2, 0.02)])
def test_the_distribution_test_agrees_with_all_labellings(rng: np.random.Generator, k: int, tolerance: float):
    dimensions = [dimension(rng, 15, 2, 3, lean=0.05) for _ in range(k)]
    observed = tuple(d.scores for d in dimensions)
    every = [unevenness(s, tolerance) for s in itertools.product(*map(all_scores, dimensions))]
    exact = float(np.mean(np.array(every) >= unevenness(observed, tolerance) - 1e-9))
    found = distribution_test(dimensions, tolerance=tolerance, draws=20_000, rng=rng)
    assert found.test.statistic == pytest.approx(unevenness(observed, tolerance), abs=1e-9)
    assert near(found.test.p_value, exact, 20_000)
    assert found.test.p_value == (1 + found.test.n_ge) / 20_001
    assert found.test.mc_se == pytest.approx(
        math.sqrt(found.test.p_value * (1 - found.test.p_value) / 20_000)
    )


def test_the_expected_distance_is_the_mean_over_labellings(rng: np.random.Generator):
    dimensions = [dimension(rng, 10, 2, 2, lean=0.05) for _ in range(2)]
    every = [
        float(distance_from_even(cell_counts(cell_codes(scores), 4)))
        for scores in itertools.product(*map(all_scores, dimensions))
    ]
    found = distribution_test(dimensions, draws=20_000, rng=rng)
    assert found.expected_distance == pytest.approx(np.mean(every), abs=4 * np.std(every) / math.sqrt(20_000))


def test_saturation_is_the_share_of_labellings_with_all_words_in_one_cell(rng: np.random.Generator):
    dimensions = []
    for _ in range(2):
        attributes = rng.normal(0, 1, 5)
        cosines = attributes + rng.normal(0, 0.3, (8, 5))
        dimensions.append(Labelled(cosines, 2))
    every = [
        cell_counts(cell_codes(scores), 4).max() == 8
        for scores in itertools.product(*map(all_scores, dimensions))
    ]
    exact = float(np.mean(every))
    assert 0.1 < exact < 0.9
    assert near(distribution_test(dimensions, draws=20_000, rng=rng).saturated, exact, 20_000)


def test_the_interaction_test_agrees_with_all_labellings(rng: np.random.Generator):
    first = dimension(rng, 12, 3, 3)
    second = Labelled(np.hstack([first.cosines[:, :4], dimension(rng, 12, 1, 1).cosines]), 3)
    found = interaction_test(first, second, draws=20_000, rng=rng)
    observed = float(np.corrcoef(first.scores, second.scores)[0, 1])
    assert found.correlation == pytest.approx(observed, abs=1e-12)
    for fixed, moved, test in ((first, second, found.given_first), (second, first, found.given_second)):
        every = [abs(np.corrcoef(fixed.scores, scores)[0, 1]) for scores in all_scores(moved)]
        exact = float(np.mean(np.array(every) >= abs(observed) - 1e-9))
        assert near(test.p_value, exact, 20_000)
    assert found.deciding.p_value == max(found.given_first.p_value, found.given_second.p_value)


def test_the_affect_tests_agree_with_all_labellings(rng: np.random.Generator):
    affect = dimension(rng, 14, 3, 3, lean=0.02)
    codes = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 3, 3, 3, ON_AXIS, ON_AXIS], dtype=np.int8)

    def difference(scores: np.ndarray, cell: int) -> float:
        own = [s > 0 for s, c in zip(scores, codes, strict=True) if c == cell]
        rest = [s > 0 for s, c in zip(scores, codes, strict=True) if c not in (cell, ON_AXIS)]
        return sum(own) / len(own) - sum(rest) / len(rest)

    found = share_difference_tests(affect, codes, 4, draws=20_000, rng=rng)
    assert found[2] is None
    for cell in (0, 1, 3):
        test = found[cell]
        assert test is not None
        observed = difference(affect.scores, cell)
        assert test.statistic == pytest.approx(observed, abs=1e-12)
        every = np.array([abs(difference(scores, cell)) for scores in all_scores(affect)])
        assert near(test.p_value, float(np.mean(every >= abs(observed) - 1e-9)), 20_000)


def test_a_cell_that_holds_every_word_has_nothing_to_differ_from(rng: np.random.Generator):
    found = share_difference_tests(dimension(rng, 5, 2, 2), np.zeros(5, dtype=np.int8), 4, draws=10, rng=rng)
    assert found == (None, None, None, None)


def test_scores_that_do_not_vary_have_no_correlation(rng: np.random.Generator):
    flat = Labelled.of(np.full((6, 2), 0.3), np.full((6, 2), 0.1))
    with pytest.raises(ZeroVarianceError, match="all 6 scores"):
        interaction_test(dimension(rng, 6, 2, 2), flat, draws=10, rng=rng)


def test_labellings_without_variance_count_against_the_finding(rng: np.random.Generator):
    # Only the first attribute of the second dimension varies over the words, and so does every score with it.
    column = rng.normal(size=(6, 1))
    moved = Labelled.of(np.hstack([column, column]), np.zeros((6, 2)))
    found = interaction_test(Labelled.of(column, np.zeros((6, 1))), moved, draws=500, rng=rng)
    assert found.correlation == pytest.approx(1.0)
    assert found.given_first.n_ge == 500  # the two copies cancel in four labellings of six


def test_words_on_every_axis_have_no_expected_distance(rng: np.random.Generator):
    found = distribution_test([dimension(rng, 5, 2, 2)] * 2, tolerance=1.9, draws=20, rng=rng)
    assert found.counts == (0, 0, 0, 0)
    assert found.expected_distance is None
    assert found.test.p_value == 1.0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda r: distribution_test([dimension(r, 4, 2, 2)] * 2, draws=0, rng=r), "draws is 0"),
        (lambda r: mean_bias_test(in_families(r, 4, "aab", "cde"), draws=0, rng=r), "draws is 0"),
        (
            lambda r: distribution_test([dimension(r, 4, 2, 2), dimension(r, 5, 2, 2)], draws=9, rng=r),
            "4, 5 words",
        ),
        (lambda _: cell_codes([]), "0 dimensions"),
        (lambda _: cell_codes([np.ones(2)] * 7), "7 dimensions"),
        (lambda _: cell_codes([np.ones(2)], tolerance=-0.1), "tolerance is -0.1"),
        (
            lambda r: share_difference_tests(
                dimension(r, 4, 2, 2), np.zeros(3, dtype=np.int8), 4, draws=9, rng=r
            ),
            "4 words and codes",
        ),
        (lambda _: Labelled.of(np.ones((3, 2)), np.ones((4, 2))), "3 words"),
        (lambda _: Labelled.of(np.ones((3, 2)), np.ones((3, 2)), "abc"), "families names 3 of 2 words"),
        (lambda _: Labelled.of(np.ones((3, 0)), np.ones((3, 2))), "at least one column"),
    ],
)
def test_wrong_input_is_named(rng: np.random.Generator, call, text: str):
    with pytest.raises(ValueError, match=text):
        call(rng)


def test_the_seed_fixes_every_p():
    results = []
    for _ in range(2):
        rng = np.random.default_rng(5)
        one, other = dimension(rng, 20, 4, 4), dimension(rng, 20, 4, 4)
        codes = cell_codes([one.scores, other.scores])
        results.append(
            (
                distribution_test([one, other], draws=200, rng=rng),
                interaction_test(one, other, draws=200, rng=rng),
                share_difference_tests(one, codes, 4, draws=200, rng=rng),
            )
        )
    assert results[0] == results[1]
