"""How often label permutation tests cry wolf, and that they find what is there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from biascore.stats import permutation_test
from biascore.stats.labels import (
    Labelled,
    cell_codes,
    distribution_test,
    interaction_test,
    mean_bias_test,
    share_difference_tests,
)


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
