"""Label permutation tests: against loops, against all labellings, and for the rate at which they cry wolf."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from biascore.stats import ZeroVarianceError, permutation_test
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


def family_scores(labelled: Labelled) -> list[np.ndarray]:
    """Scores under every labelling of whole families, word by word in plain loops."""
    cosines, family = labelled.cosines.tolist(), labelled.family
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


def in_families(rng: np.random.Generator, n: int, a: str, b: str, lean: float = 0.0) -> Labelled:
    """Two lists of words, a letter for the family of each."""
    return Labelled.of(rng.normal(lean, 0.1, (n, len(a))), rng.normal(0.0, 0.1, (n, len(b))), a, b)


def unevenness(scores: tuple[np.ndarray, ...], tolerance: float = 0.0) -> float:
    cells = 2 ** len(scores)
    table = dict.fromkeys(itertools.product((True, False), repeat=len(scores)), 0)
    for word in zip(*scores, strict=True):
        if all(abs(b) > tolerance for b in word):
            table[tuple(b > 0 for b in word)] += 1
    n = sum(table.values())
    return sum((count - n / cells) ** 2 for count in table.values())


def near(drawn: float, exact: float, draws: int) -> bool:
    """Within four standard errors of a Monte-Carlo share, and the one that counts the observed labelling."""
    return abs(drawn - exact) <= 4 * math.sqrt(exact * (1 - exact) / draws) + 2 / draws


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
    monkeypatch.setattr("biascore.stats.labels._CHUNK", 64)
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


def test_families_are_of_one_list_and_words_without_a_name_are_their_own(rng: np.random.Generator):
    found = in_families(rng, 3, "xyx", "xzzz")  # x stands in both lists, for two families
    assert found.family == (0, 1, 0, 2, 3, 3, 3)
    assert found.families == (2, 2)
    assert found.smallest_p == pytest.approx(2 / 6)
    assert in_families(rng, 3, "xxy", "z").smallest_p == pytest.approx(1 / 3)
    assert found.centred().family == found.family
    assert in_families(rng, 3, "abc", "de").family == ()
    assert Labelled.of(np.ones((2, 3)), np.ones((2, 2)), families_b="zz").family == (0, 1, 2, 3, 3)


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


def test_labels_of_inflected_words_must_be_exchanged_by_family():
    # 300 sets without bias, 5 words of 4 forms a side with a cosine of .8. A test of level 5 % rejects more than 28
    # with probability below .001 (binomial), and one of level 10 % rejects 50 or more with one below .0002.
    rng = np.random.default_rng(31)
    names = np.repeat(np.arange(5), 4).tolist()
    by_word = by_family = 0
    for _ in range(300):
        topic = rng.standard_normal(30)
        words = topic + rng.standard_normal((40, 30))
        sides = []
        for _ in range(2):
            forms = math.sqrt(0.8) * np.repeat(rng.standard_normal((5, 30)), 4, axis=0)
            forms += math.sqrt(0.2) * rng.standard_normal((20, 30))
            lengths = np.outer(np.linalg.norm(words, axis=1), np.linalg.norm(forms, axis=1))
            sides.append(words @ forms.T / lengths)
        means = [side.mean(axis=0) for side in sides]
        word_test = permutation_test(*means, method="monte-carlo", draws=199, rng=rng)
        by_word += word_test.two_sided.p_value <= 0.05
        family_test = mean_bias_test(Labelled.of(*sides, names, names), draws=199, rng=rng)
        by_family += family_test.two_sided.p_value <= 0.05
    assert by_family <= 28, by_family
    assert by_word >= 50, by_word


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
        (lambda _: Labelled.of(np.ones((3, 2)), np.ones((3, 2)), "abc"), "families_a names 3 of 2 words"),
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


def shared_topic(
    rng: np.random.Generator, n: int, size: int, lean: float = 0.0
) -> tuple[Labelled, Labelled, Labelled]:
    """Two dimensions and an affect of random words, and targets that have a topic in common.

    With ``lean`` the first list of both dimensions lies in a direction in which the targets vary.
    """
    width = 40
    axis = np.zeros(width)
    axis[0] = 1.0
    topic = rng.standard_normal(width) / math.sqrt(width)
    words = topic + rng.standard_normal((n, width)) / math.sqrt(width)
    words += np.outer(rng.standard_normal(n), axis) * (lean > 0)
    found = []
    for _ in range(3):
        attributes = rng.standard_normal((2 * size, width)) / math.sqrt(width)
        attributes[:size] += lean * (axis + topic)
        cosines = (words @ attributes.T) / np.outer(
            np.linalg.norm(words, axis=1), np.linalg.norm(attributes, axis=1)
        )
        found.append(Labelled(cosines, size))
    return found[0], found[1], found[2]


def rejections(sets: int, lean: float = 0.0) -> dict[str, float]:
    rng = np.random.default_rng(77)
    p: dict[str, list[float]] = {"mean": [], "distribution": [], "interaction": [], "affect": []}
    for _ in range(sets):
        one, other, affect = shared_topic(rng, 60, 8, lean)
        p["mean"].append(mean_bias_test(one, draws=99, rng=rng).two_sided.p_value)
        p["distribution"].append(distribution_test([one, other], draws=199, rng=rng).test.p_value)
        p["interaction"].append(interaction_test(one, other, draws=199, rng=rng).deciding.p_value)
        codes = cell_codes([one.scores, other.scores])
        p["affect"] += [
            t.p_value for t in share_difference_tests(affect, codes, 4, draws=199, rng=rng)[:1] if t
        ]
    return {name: float(np.mean(np.array(values) <= 0.05)) for name, values in p.items()}


def test_false_rejections_stay_near_the_level_although_the_targets_share_a_topic():
    # 200 sets at 5 %: more than 22 rejections have probability below .0005 (binomial).
    for name, share in rejections(200).items():
        assert share <= 0.11, (name, share)


@pytest.mark.slow
def test_false_rejections_are_at_the_level_over_many_sets():
    # 2000 sets: four standard errors are 2 points. The interaction takes the larger of two p: it may be below.
    found = rejections(2000)
    for name in ("mean", "distribution", "affect"):
        assert 0.03 <= found[name] <= 0.07, found
    assert found["interaction"] <= 0.07, found


def test_a_bias_that_is_there_is_found():
    found = rejections(60, lean=0.6)
    assert found["mean"] > 0.8
    assert found["interaction"] > 0.8
