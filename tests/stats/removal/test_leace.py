"""LEACE: no covariance with the classes is left, and no other map that does so changes the vectors less."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from biascore.stats.removal import Labelled, leace, one_hot, support_vectors

from .planted import DIMENSIONS, nouns

Floats = NDArray[np.float64]


def correlated(rng: np.random.Generator, classes: int, n: int = 300, d: int = 12) -> tuple[Floats, Floats]:
    labels = rng.integers(classes, size=n)
    means = 2.0 * rng.standard_normal((classes, d))
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + means[labels] + 5.0, one_hot(labels)


def covariance(x: Floats, z: Floats) -> Floats:
    return (x - x.mean(axis=0)).T @ (z - z.mean(axis=0)) / len(x)


def brute_force(x: Floats, z: Floats) -> Floats:
    """The constrained least squares problem solved as one linear system (Karush, Kuhn, Tucker), row by row of A.

    min tr (A - I) S (A - I)' under A C = 0, S = cov x, C = cov(x, z).
    """
    s, c = covariance(x, x), covariance(x, z)
    d, m = c.shape
    system = np.block([[s, c], [c.T, np.zeros((m, m))]])
    right = np.concatenate([s, np.zeros((m, d))])
    return np.linalg.lstsq(system, right, rcond=None)[0][:d].T


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_it_is_the_solution_of_the_constrained_problem(rng: np.random.Generator, classes: int):
    x, z = correlated(rng, classes)
    change = leace(x, z)
    after = change.apply(x)
    assert change.rank == classes - 1
    assert np.abs(covariance(after, z)).max() < 1e-10
    expected = x.mean(axis=0) + (x - x.mean(axis=0)) @ brute_force(x, z).T
    np.testing.assert_allclose(after, expected, atol=1e-8)
    np.testing.assert_allclose(after.mean(axis=0), x.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(change.apply(after), after, atol=1e-9)


def test_an_orthogonal_projection_changes_more(rng: np.random.Generator):
    x, z = correlated(rng, 2)
    direction = covariance(x, z[:, :1])
    direction /= np.linalg.norm(direction)
    centred = x - x.mean(axis=0)
    orthogonal = ((centred @ direction) ** 2).sum()
    assert ((leace(x, z).apply(x) - x) ** 2).sum() < 0.9 * orthogonal


def test_no_classifier_learns_the_classes_any_more(rng: np.random.Generator):
    planted = nouns(rng, 0.5)
    change = leace(planted.train.rows, one_hot(planted.train.labels))
    after = Labelled(change.apply(planted.train.rows), planted.train.labels)
    rule = support_vectors()(after.rows, after.labels)
    assert np.mean(rule.predict(after.rows) == after.labels) < 0.52
    # The planted direction is what was read; what was written differs where the noise is correlated with it.
    read = change.read[:, 0] / np.linalg.norm(change.read[:, 0])
    assert abs(read @ planted.grammatical[1]) > 0.95


def test_vectors_in_a_subspace_and_fewer_than_dimensions(rng: np.random.Generator):
    low = rng.standard_normal((60, 5)) @ rng.standard_normal((5, DIMENSIONS))
    z = one_hot(low[:, 0] > 0)
    assert np.abs(covariance(leace(low, z).apply(low), z)).max() < 1e-10
    few = rng.standard_normal((20, DIMENSIONS))
    z = one_hot(np.arange(20) % 2)
    assert np.abs(covariance(leace(few, z).apply(few), z)).max() < 1e-10


def test_where_classes_have_equal_means_nothing_is_removed(rng: np.random.Generator):
    half = rng.standard_normal((30, 6))
    x, z = np.concatenate([half, half]), one_hot([0] * 30 + [1] * 30)
    change = leace(x, z)
    np.testing.assert_allclose(change.apply(x), x, atol=1e-9)


def test_counts_must_agree(rng: np.random.Generator):
    with pytest.raises(ValueError, match="3 rows and 4 concepts"):
        leace(rng.standard_normal((3, 2)), np.ones((4, 1)))
