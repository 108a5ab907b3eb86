"""All-but-the-top: what varies most is gone, and the rest is as it was."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats.removal import top_components

from .planted import DIMENSIONS, axes


def test_the_mean_and_the_planted_components_are_removed(rng: np.random.Generator):
    found = axes(rng, 3)
    noise = rng.standard_normal((500, DIMENSIONS)) / np.sqrt(DIMENSIONS)
    rows = noise + rng.standard_normal((500, 2)) * [5.0, 3.0] @ found[:2] + 10.0 * found[2]
    change = top_components(rows, 2)
    after = change.apply(rows)
    cosines = np.abs(change.read.T @ found[:2].T)
    assert cosines[0, 0] > 0.95
    assert cosines[1, 1] > 0.95
    np.testing.assert_allclose(after.mean(axis=0), 0.0, atol=1e-10)
    assert np.abs(after @ change.read).max() < 1e-10
    kept = noise - noise.mean(axis=0)
    np.testing.assert_allclose(after, kept - (kept @ change.read) @ change.read.T, atol=0.2)


def test_it_is_the_singular_value_decomposition_of_the_centred_rows(rng: np.random.Generator):
    rows = rng.standard_normal((80, 10)) @ rng.standard_normal((10, 10)) + 3.0
    centred = rows - rows.mean(axis=0)
    u, s, v = np.linalg.svd(centred, full_matrices=False)
    s[:3] = 0.0
    np.testing.assert_allclose(top_components(rows, 3).apply(rows), u * s @ v, atol=1e-9)


@pytest.mark.parametrize(("dimensions", "count"), [(40, 1), (300, 3), (768, 8)])
def test_the_papers_number_of_components(rng: np.random.Generator, dimensions: int, count: int):
    assert top_components(rng.standard_normal((20, dimensions))).rank == count


@pytest.mark.parametrize("count", [0, 6])
def test_a_number_out_of_bounds_is_refused(rng: np.random.Generator, count: int):
    with pytest.raises(ValueError, match="pass a number from 1 to 5"):
        top_components(rng.standard_normal((5, 9)), count)
