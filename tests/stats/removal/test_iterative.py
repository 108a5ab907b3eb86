"""Iterative removal on planted directions: found, removed, and no more than that."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from biascore.stats import bootstrap_effect, effect_size
from biascore.stats.removal import (
    Fit,
    Labelled,
    LinearRule,
    LowRankMap,
    iterative_removal,
    linear_discriminant,
    padded_accuracy,
    support_vectors,
)

from .planted import DIMENSIONS, nouns, social_words, target_scores

PAIR = [(0, 1)]
CLASSIFIERS = pytest.mark.parametrize(
    "fit",
    [support_vectors(), support_vectors(solver="dual"), linear_discriminant()],
    ids=["svc", "dual", "lda"],
)


@CLASSIFIERS
def test_a_planted_direction_is_found_and_removed(rng: np.random.Generator, fit: Fit):
    planted = nouns(rng, 0.3, train=1000)
    found = iterative_removal(planted.train, planted.held_out, fit=fit, problems=PAIR, most=20)
    before, after = found.steps[0].fitted[0].held_out, found.steps[-1].fitted[0].held_out
    assert before.share > 0.93
    assert abs(found.basis[:, 0] @ planted.grammatical[1]) > 0.95
    assert found.stopped == "chance"
    assert found.steps[-1].at_chance
    assert after.interval.low <= 0.5 == after.chance
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(found.basis.shape[1]), atol=1e-10)


def test_a_planted_social_bias_survives_within_its_interval(rng: np.random.Generator):
    planted = nouns(rng, 0.3, train=1000)
    words = social_words(rng, planted)
    found = iterative_removal(planted.train, planted.held_out, fit=support_vectors(), problems=PAIR, most=20)
    x, y = target_scores(words)
    interval = bootstrap_effect(x, y, rng=rng)
    change = LowRankMap.projection(found.basis)
    after = effect_size(*target_scores(words, change))
    assert interval.low < after < interval.high
    assert after > 1.0
    # What the basis holds of the social direction is the sampling error of three directions of forty.
    assert np.linalg.norm(change.apply(planted.social[None])) > 0.9


@CLASSIFIERS
def test_where_nothing_is_planted_it_stops_at_once(rng: np.random.Generator, fit: Fit):
    planted = nouns(rng, 0.0)
    found = iterative_removal(planted.train, planted.held_out, fit=fit, problems=PAIR, most=20)
    assert (found.stopped, len(found.steps), found.basis.shape) == ("chance", 1, (DIMENSIONS, 0))


def test_the_maximum_is_kept_and_told(rng: np.random.Generator):
    planted = nouns(rng, 0.5)
    found = iterative_removal(planted.train, planted.held_out, fit=support_vectors(), problems=PAIR, most=0)
    assert (found.stopped, len(found.steps), found.basis.shape[1]) == ("maximum", 1, 0)
    found = iterative_removal(
        planted.train, planted.held_out, fit=support_vectors(), problems=PAIR, most=6, to_chance=False
    )
    assert (found.stopped, len(found.steps)) == ("maximum", 7)
    assert [step.directions for step in found.steps] == list(range(7))
    np.testing.assert_array_equal(found.basis_after(4), found.basis[:, :4])


def test_accuracy_counts_the_held_out_rows_and_not_the_training_rows(rng: np.random.Generator):
    """Fewer rows than dimensions: any labels can be learnt, and only held-out rows show that nothing is there."""
    planted = nouns(rng, 0.0, train=15)
    found = iterative_removal(
        planted.train, planted.held_out, fit=support_vectors(c=1e6), problems=PAIR, most=3
    )
    (fitted,) = found.steps[0].fitted
    assert fitted.train.share == 1.0
    assert fitted.held_out.trials == 300
    assert fitted.held_out.at_chance
    assert found.basis.shape[1] == 0


def test_three_classes_give_one_basis_from_all_pairs(rng: np.random.Generator):
    planted = nouns(rng, 0.7, classes=3)
    pairs = list(combinations(range(3), 2))
    found = iterative_removal(planted.train, planted.held_out, fit=support_vectors(), problems=pairs, most=20)
    assert found.stopped == "chance"
    assert [fitted.classes for fitted in found.steps[0].fitted] == pairs
    assert all(fitted.held_out.share > 0.95 for fitted in found.steps[0].fitted)
    assert all(fitted.held_out.at_chance for fitted in found.steps[-1].fitted)
    between = planted.grammatical[1:] - planted.grammatical[0]  # the plane in which the three classes differ
    left = LowRankMap.projection(found.basis).apply(between)
    assert (np.linalg.norm(left, axis=1) < 0.3 * np.linalg.norm(between, axis=1)).all()


def test_a_pair_at_chance_loses_no_direction_for_another_pair(rng: np.random.Generator):
    planted = nouns(rng, 0.7, classes=3)
    rows = planted.train.rows.copy()
    same = planted.train.labels == 2
    rows[same] += 0.7 * (
        planted.grammatical[1] - planted.grammatical[2]
    )  # class 2 now lies where class 1 does
    outer = planted.held_out.rows.copy()
    outer[planted.held_out.labels == 2] += 0.7 * (planted.grammatical[1] - planted.grammatical[2])
    found = iterative_removal(
        replace(planted.train, rows=rows), replace(planted.held_out, rows=outer),
        fit=support_vectors(), problems=[(0, 1), (1, 2)], most=1,
    )  # fmt: skip
    assert [fitted.held_out.at_chance for fitted in found.steps[0].fitted] == [False, True]
    assert found.basis.shape[1] == 1


def test_it_ends_where_no_direction_is_left(rng: np.random.Generator):
    train = Labelled.of([rng.standard_normal((50, 2)) + 4, rng.standard_normal((50, 2)) - 4])

    def constant(rows: np.ndarray, labels: np.ndarray) -> LinearRule:
        return LinearRule(np.array([[1.0, 0.0]]), lambda rows: np.zeros(len(rows), dtype=np.intp), True)

    found = iterative_removal(train, train, fit=constant, problems=PAIR, most=9, to_chance=False)
    assert (found.stopped, found.basis.shape) == ("exhausted", (2, 1))


def test_the_converged_solver_does_not_depend_on_order_or_seed(rng: np.random.Generator):
    planted = nouns(rng, 0.3)
    shuffled = rng.permutation(len(planted.train.labels))
    other = Labelled(planted.train.rows[shuffled], planted.train.labels[shuffled])
    bases = [
        iterative_removal(
            train, planted.held_out, fit=support_vectors(seed=seed), problems=PAIR, most=2, to_chance=False
        ).basis
        for seed, train in enumerate((planted.train, other))
    ]
    np.testing.assert_allclose(np.abs((bases[0] * bases[1]).sum(axis=0)), 1.0, atol=1e-6)


def test_a_class_without_rows_is_refused(rng: np.random.Generator):
    rows = rng.standard_normal((10, 3))
    one, two = Labelled.of([rows]), Labelled.of([rows, rows])
    with pytest.raises(ValueError, match="no training row is of class 1"):
        iterative_removal(one, two, fit=support_vectors(), problems=PAIR, most=1)
    with pytest.raises(ValueError, match="no held-out row is of class 1"):
        iterative_removal(two, one, fit=support_vectors(), problems=PAIR, most=1)


def test_empty_rows_pull_the_printed_accuracy_to_one_half():
    assert padded_accuracy(3000, 3000) == 0.75
    assert padded_accuracy(90, 100, rows=100) == 0.9
    assert padded_accuracy(50, 100) == 0.5
    with pytest.raises(ValueError, match="pass correct <= trials <= rows"):
        padded_accuracy(5, 7000)
