"""Cosines that are not held as an array, against the array."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import cosine_matrix
from biascore.stats.cosines import Cosines
from biascore.stats.two_way import two_way_intervals

RNG = np.random.default_rng(2)
U, V = RNG.normal(size=(40, 6)) * RNG.uniform(0.01, 100, size=(40, 1)), RNG.normal(size=(25, 6))
HELD, FACTORS = cosine_matrix(U, V), Cosines.of(U, V)


def test_is_the_array_in_all_that_is_asked_of_it() -> None:
    places = np.array([3, 1, 1])
    for one, other in (
        (FACTORS, HELD),
        (FACTORS.T, HELD.T),
        (FACTORS[:7], HELD[:7]),
        (FACTORS[places], HELD[places]),
        (FACTORS[:, places], HELD[:, places]),
        (FACTORS[5:, :9], HELD[5:, :9]),
    ):
        assert (one.shape, one.size, len(one)) == (other.shape, other.size, len(other))
        np.testing.assert_allclose(np.asarray(one), other, atol=1e-15)
        for axis in (0, 1):
            np.testing.assert_allclose(one.mean(axis=axis), other.mean(axis=axis), atol=1e-15)
        weights = RNG.normal(size=(3, len(other)))
        np.testing.assert_allclose(weights @ one, weights @ other, atol=1e-12)


def test_no_array_is_made_of_it_unasked() -> None:
    for wrong in (lambda: np.abs(FACTORS), lambda: HELD + FACTORS):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize(("u", "v"), [(U, V[:, :5]), (np.zeros((1, 6)), V), (U, np.full((1, 6), np.nan))])
def test_refuses_what_cosine_matrix_refuses_in_its_words(u: np.ndarray, v: np.ndarray) -> None:
    with pytest.raises(ValueError) as held:  # noqa: PT011, whichever it is
        cosine_matrix(u, v)
    with pytest.raises(ValueError) as factors:  # noqa: PT011
        Cosines.of(u, v)
    assert str(factors.value) == str(held.value)


def test_two_way_intervals_are_those_of_the_array() -> None:
    found, expected = (
        two_way_intervals(
            table, 18, 11, resamples=200, rng=np.random.default_rng(5), rows=[*range(38), 0, 20]
        )
        for table in (FACTORS, HELD)
    )
    for one, other in ((found.effect, expected.effect), (found.difference, expected.difference)):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
        assert (one.resamples, one.n_degenerate) == (other.resamples, other.n_degenerate)
