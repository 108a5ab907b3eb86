from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biascore.stats import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=7)


def closed_bonferroni(p: list[float]) -> list[float]:
    """Holm closes Bonferroni: the largest Bonferroni p over all sub-families that hold the test."""
    indices = range(len(p))
    families = [f for size in range(1, len(p) + 1) for f in combinations(indices, size)]
    return [max(min(1.0, len(f) * min(p[j] for j in f)) for f in families if i in f) for i in indices]


def step_up(p: list[float]) -> list[float]:
    """The least level at which Benjamini and Hochberg's rule rejects each hypothesis, by its definition."""
    m = len(p)
    levels = sorted(m * value / rank for value in p for rank in range(1, m + 1))

    def rejected(i: int, level: float) -> bool:
        passing = [k for k in range(1, m + 1) if m * sorted(p)[k - 1] / k <= level]
        return bool(passing) and p[i] <= sorted(p)[max(passing) - 1]

    return [min(1.0, next(level for level in levels if rejected(i, level))) for i in range(m)]


@given(p_values)
@settings(deadline=None)
def test_holm_is_the_closure_of_bonferroni(p: list[float]) -> None:
    assert holm(p) == pytest.approx(closed_bonferroni(p))


@given(p_values)
@settings(deadline=None)
def test_benjamini_hochberg_is_the_least_level_that_rejects(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(step_up(p))


def test_the_fifteen_p_values_of_benjamini_and_hochberg_1995() -> None:
    p = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
        0.6528, 0.7590, 1.0000,
    ]  # fmt: skip
    assert int((benjamini_hochberg(p) <= 0.05).sum()) == 4  # the paper: four, and three by Bonferroni
    assert int((holm(p) <= 0.05).sum()) == 3


@given(p_values, st.data())
@settings(deadline=None)
def test_missing_tests_stay_missing_and_do_not_count(p: list[float], data: st.DataObject) -> None:
    holes = data.draw(st.lists(st.booleans(), min_size=len(p), max_size=len(p)))
    with_holes = [None if hole else value for value, hole in zip(p, holes, strict=True)]
    kept = [value for value in with_holes if value is not None]
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(with_holes)
        assert np.isnan(adjusted).tolist() == holes
        assert adjusted[~np.array(holes)].tolist() == adjust(kept).tolist()


def test_edges() -> None:
    assert holm([]).shape == (0,)
    assert np.isnan(benjamini_hochberg([None, math.nan])).all()
    assert holm(np.array([0.01, np.nan, 0.04]))[[0, 2]] == pytest.approx([0.02, 0.04])
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match=r"p\[1\] is"):
            adjust([0.5, 1.5])
