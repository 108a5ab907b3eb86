"""Low-rank maps: the same as the matrix product, blockwise, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats.removal import LowRankMap, orthonormal, unit_rows

from .planted import axes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("block", [1, 7, 1000])
def test_blocks_give_what_one_product_gives(rng: np.random.Generator, dtype: type, block: int):
    rows = rng.standard_normal((25, 12)).astype(dtype)
    change = LowRankMap(rng.standard_normal((12, 3)), rng.standard_normal((12, 3)), rng.standard_normal(12))
    expected = rows.astype(np.float64) @ change.matrix() + change.offset
    got = change.apply(rows, block=block)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, atol=1e-4 if dtype is np.float32 else 1e-12)


def test_a_projection_removes_its_basis_and_nothing_else(rng: np.random.Generator):
    found = axes(rng, 5, 12)
    rows = rng.standard_normal((30, 12))
    change = LowRankMap.projection(found[:2].T)
    after = change.apply(rows)
    assert np.abs(after @ found[:2].T).max() < 1e-12
    np.testing.assert_allclose(after @ found[2:].T, rows @ found[2:].T, atol=1e-12)
    np.testing.assert_allclose(change.apply(after), after, atol=1e-12)


def test_a_projection_on_nothing_changes_no_bit(rng: np.random.Generator):
    rows = rng.standard_normal((4, 6)).astype(np.float32)
    np.testing.assert_array_equal(LowRankMap.projection(np.zeros((6, 0))).apply(rows), rows)


def test_a_lost_word_stays_lost_and_alone(rng: np.random.Generator):
    rows = rng.standard_normal((3, 6))
    rows[1] = np.nan
    after = LowRankMap.projection(axes(rng, 2, 6).T).apply(rows)
    assert np.isnan(after[1]).all()
    assert np.isfinite(after[[0, 2]]).all()


def test_a_basis_keeps_the_order_of_its_directions(rng: np.random.Generator):
    given = rng.standard_normal((4, 9))
    basis = orthonormal(given)
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-12)
    for count in range(1, 5):  # every prefix spans what the first directions span
        prefix = basis[:, :count]
        np.testing.assert_allclose(prefix @ (prefix.T @ given[:count].T), given[:count].T, atol=1e-12)


def test_directions_that_add_nothing_are_left_out(rng: np.random.Generator):
    one, other = rng.standard_normal((2, 9))
    assert orthonormal([one, 2 * one, one + other, other, np.zeros(9)]).shape == (9, 2)
    known = orthonormal([one])
    assert orthonormal([one, other], beside=known).shape == (9, 1)
    assert np.abs(known.T @ orthonormal([other], beside=known)).max() < 1e-12


def test_what_a_map_refuses(rng: np.random.Generator):
    with pytest.raises(ValueError, match="not orthonormal"):
        LowRankMap.projection(rng.standard_normal((5, 2)))
    with pytest.raises(ValueError, match=r"shape \(3, 4\) for a map of 5 dimensions"):
        LowRankMap.projection(axes(rng, 2, 5).T).apply(np.ones((3, 4)))
    with pytest.raises(ValueError, match=r"row 1 .* zero vector"):
        unit_rows([[1.0, 0.0], [0.0, 0.0]])
