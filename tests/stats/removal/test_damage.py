"""What a removal costs: neighbours and variance, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import cosine_matrix
from biascore.stats.removal import LowRankMap, neighbours_kept, variance_removed

from .planted import axes


def test_neighbours_are_counted_as_a_loop_counts_them(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("biascore.stats.removal.damage.ROWS_AT_ONCE", 7)
    before = rng.standard_normal((40, 8))
    after = LowRankMap.projection(axes(rng, 3, 8).T).apply(before)

    def nearest(rows: np.ndarray, word: int) -> set[int]:
        order = np.argsort(-cosine_matrix(rows, rows)[word])
        return set([i for i in order if i != word][:5])

    expected = [len(nearest(before, w) & nearest(after, w)) / 5 for w in range(40)]
    np.testing.assert_allclose(neighbours_kept(before, after, 5), expected)
    assert 0.2 < np.mean(expected) < 0.9


def test_what_changes_nothing_keeps_all(rng: np.random.Generator):
    rows = rng.standard_normal((20, 8))
    assert neighbours_kept(rows, 2 * rows).tolist() == [1.0] * 20
    assert variance_removed(rows, rows + 1.0) == pytest.approx(0.0)


def test_the_share_of_variance_is_that_of_the_planted_direction(rng: np.random.Generator):
    direction = axes(rng, 1, 10)
    rows = rng.standard_normal((5000, 1)) * 3.0 @ direction + rng.standard_normal((5000, 10))
    after = LowRankMap.projection(direction.T).apply(rows)
    assert variance_removed(rows, after) == pytest.approx(10 / 19, abs=0.02)
    assert variance_removed(rows, np.zeros_like(rows)) == 1.0


def test_what_cannot_be_compared_is_refused(rng: np.random.Generator):
    rows = rng.standard_normal((5, 3))
    with pytest.raises(ValueError, match="pass the same words in order"):
        neighbours_kept(rows, rows[:4])
    with pytest.raises(ValueError, match="5 neighbours among 5 rows"):
        neighbours_kept(rows, rows, 5)
    with pytest.raises(ValueError, match="all rows are equal"):
        variance_removed(np.ones((4, 3)), np.ones((4, 3)))
