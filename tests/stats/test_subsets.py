"""Random subsets: each of the size asked for, all equally likely, and their sums those of their members."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2

from biascore.stats.subsets import Subsets, drawn_subsets, sums_of


def members_of(subsets: Subsets, n: int) -> np.ndarray:
    """(rows, n) Whether each is in each subset."""
    return np.unpackbits(subsets, axis=0, count=n).T.astype(bool)


@pytest.mark.parametrize(
    ("n", "size"),
    [
        (6, 3),
        (8, 4),
        (9, 5),
        (10, 3),
        (11, 2),
        (12, 1),
        (7, 5),
        (17, 1),
    ],  # one coin, two, none; bytes full or not
)
def test_every_subset_is_as_likely_as_any_other(n: int, size: int) -> None:
    subsets = dict.fromkeys(combinations(range(n), size), 0)
    draws = 200 * len(subsets)
    drawn = members_of(drawn_subsets(n, size, draws, np.random.default_rng(n + size)), n)
    assert drawn.shape == (draws, n)
    for row in drawn:
        subsets[tuple(np.flatnonzero(row).tolist())] += 1  # KeyError for another size
    statistic = sum((count - 200) ** 2 / 200 for count in subsets.values())
    assert len(subsets) == math.comb(n, size)
    assert 1e-4 < chi2.sf(statistic, len(subsets) - 1) < 1 - 1e-4


@pytest.mark.parametrize(("n", "size"), [(5, 5), (5, 0), (64, 32), (130, 50), (1000, 499), (4000, 3)])
def test_all_are_of_the_size_and_sums_are_those_of_the_members(n: int, size: int) -> None:
    rng = np.random.default_rng(1)
    subsets, scores = drawn_subsets(n, size, 300, rng), rng.standard_normal(n)
    members = members_of(subsets, n)
    assert set(members.sum(axis=1)) == {size}
    np.testing.assert_allclose(sums_of(subsets, scores), members @ scores, atol=1e-10)
    expected, error = size / n, math.sqrt(size / n * (1 - size / n) / 300)
    assert np.abs(members.mean(axis=0) - expected).max() <= 5.5 * error + 3 / 300


def test_no_rows_are_no_subsets() -> None:
    assert members_of(drawn_subsets(4, 2, 0, np.random.default_rng(0)), 4).shape == (0, 4)
