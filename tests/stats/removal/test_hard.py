"""Hard debiasing against the properties that Bolukbasi et al. 2016 state."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import cosine_matrix
from biascore.stats.removal import equalised, neutralised, pair_subspace, unit_rows

from .planted import axes


def pairs(rng: np.random.Generator, gender: np.ndarray, count: int = 10) -> tuple[np.ndarray, np.ndarray]:
    shared = rng.standard_normal((count, len(gender))) / np.sqrt(len(gender))
    noise = 0.1 * rng.standard_normal((2, count, len(gender))) / np.sqrt(len(gender))
    return shared + 0.4 * gender + noise[0], shared - 0.4 * gender + noise[1]


def test_the_planted_direction_is_found_and_its_share_told(rng: np.random.Generator):
    gender = axes(rng, 1)[0]
    found = pair_subspace(*pairs(rng, gender))
    assert found.basis.shape == (len(gender), 1)
    assert found.basis[:, 0] @ gender > 0.95  # from the second words to the first
    assert found.shares[0] > 0.8
    assert found.shares.sum() == pytest.approx(1.0)


def test_the_subspace_is_that_of_the_papers_covariance(rng: np.random.Generator):
    first, second = pairs(rng, axes(rng, 1)[0])
    a, b = unit_rows(first), unit_rows(second)
    covariance = sum(
        np.outer(word - (x + y) / 2, word - (x + y) / 2) / 2
        for x, y in zip(a, b, strict=True)
        for word in (x, y)
    )
    values, vectors = np.linalg.eigh(covariance)
    found = pair_subspace(first, second, count=2)
    np.testing.assert_allclose(np.abs((found.basis * vectors[:, [-1, -2]]).sum(axis=0)), 1.0, atol=1e-10)
    np.testing.assert_allclose(found.shares[:2], values[[-1, -2]] / values.sum(), atol=1e-10)


def test_neutral_words_have_length_one_and_nothing_in_the_subspace(rng: np.random.Generator):
    basis = axes(rng, 2).T
    rows = rng.standard_normal((20, len(basis))) + basis[:, 0]
    after = neutralised(rows, basis)
    assert np.abs(after @ basis).max() < 1e-12
    np.testing.assert_allclose(np.linalg.norm(after, axis=1), 1.0)
    np.testing.assert_allclose(neutralised(after, basis), after, atol=1e-12)


def test_a_word_without_a_rest_becomes_zero(rng: np.random.Generator):
    basis = axes(rng, 1).T
    after = neutralised([np.zeros(len(basis)), 3 * basis[:, 0], rng.standard_normal(len(basis))], basis)
    assert np.linalg.norm(after, axis=1).round(12).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("count", [1, 2])
def test_pairs_are_as_near_to_any_neutral_word_as_each_other(rng: np.random.Generator, count: int):
    basis = axes(rng, count).T
    first, second = pairs(rng, basis[:, 0])
    one, other = equalised(first, second, basis)
    neutral = neutralised(rng.standard_normal((20, len(basis))), basis)
    np.testing.assert_allclose(cosine_matrix(neutral, one), cosine_matrix(neutral, other), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(np.concatenate([one, other]), axis=1), 1.0)
    outside = np.eye(len(basis)) - basis @ basis.T
    np.testing.assert_allclose(one @ outside, other @ outside, atol=1e-12)
    assert (
        (one - other) @ basis[:, 0] * np.sign((unit_rows(first) - unit_rows(second)) @ basis[:, 0]) > 0
    ).all()


def test_what_cannot_be_debiased_is_named(rng: np.random.Generator):
    basis = axes(rng, 1).T
    rows = rng.standard_normal((3, len(basis)))
    with pytest.raises(ValueError, match="1 directions of pairs that span 0"):
        pair_subspace(rows, rows)
    with pytest.raises(ValueError, match="4 directions of pairs that span 3"):
        pair_subspace(
            rows, rows[::-1] * [[1.0], [1.5], [2.0]] + 0.1 * rng.standard_normal(rows.shape), count=4
        )
    with pytest.raises(ValueError, match=r"shapes \(3, 40\) and \(2, 40\)"):
        pair_subspace(rows, rows[:2])
    with pytest.raises(ValueError, match=r"pair 0 .* do not differ in the subspace"):
        equalised(rows[:1], rows[:1], basis)
