from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from biascore.stats import ZeroVarianceError, association, cosine_matrix, effect_size

finite = st.floats(-1e3, 1e3, allow_nan=False, width=32)


@given(st.lists(st.lists(finite, min_size=3, max_size=3), min_size=1, max_size=5))
@settings(deadline=None)
def test_cosines_equal_the_definition(rows: list[list[float]]) -> None:
    assume(all(any(abs(v) > 1e-3 for v in row) for row in rows))
    matrix = np.array(rows)
    cosines = cosine_matrix(matrix, matrix[::-1])
    for i, u in enumerate(rows):
        for j, v in enumerate(rows[::-1]):
            dot = math.fsum(a * b for a, b in zip(u, v, strict=True))
            assert cosines[i, j] == pytest.approx(dot / (math.hypot(*u) * math.hypot(*v)), abs=1e-12)
    assert np.abs(cosines).max() <= 1.0


def test_cosines_survive_vectors_of_extreme_length() -> None:
    cosines = cosine_matrix([[1e-300, 0.0], [1e300, 1e300]], [[1e300, 0.0]])
    assert cosines[:, 0] == pytest.approx([1.0, math.sqrt(0.5)])
    assert cosine_matrix(np.ones((1, 4), np.float32), np.ones((1, 4), np.float32)).dtype == np.float64


def test_zero_and_missing_vectors_are_named_by_row() -> None:
    good = np.eye(3)
    with pytest.raises(ValueError, match=r"row 1 of v .* zero vector"):
        cosine_matrix(good, [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match=r"u holds a NaN .* row 2"):
        cosine_matrix(np.where(np.arange(3)[:, None] == 2, np.nan, good), good)
    with pytest.raises(ValueError, match="3 dimensions, v of 2"):
        cosine_matrix(good, np.eye(2))
    with pytest.raises(ValueError, match="u has shape"):
        cosine_matrix([1.0, 2.0], good)


def test_association_is_the_difference_of_mean_cosines() -> None:
    s = association([[0.2, 0.4], [0.0, 0.1]], [[0.1, 0.1, 0.4], [0.3, 0.3, 0.3]])
    assert s == pytest.approx([0.1, -0.25])
    with pytest.raises(ValueError, match="2 words and cos_b 1"):
        association([[0.1], [0.2]], [[0.1]])
    with pytest.raises(ValueError, match="cos_b has shape"):
        association([[0.1]], np.empty((1, 0)))


@given(st.lists(finite, min_size=1, max_size=9), st.lists(finite, min_size=1, max_size=9))
@settings(deadline=None)
def test_effect_size_equals_the_standard_library(x: list[float], y: list[float]) -> None:
    assume(statistics.pstdev(x + y) > 1e-6 * max(map(abs, x + y)) > 0)
    difference = statistics.fmean(x) - statistics.fmean(y)
    sample, population = statistics.stdev(x + y), statistics.pstdev(x + y)
    assert effect_size(x, y) == pytest.approx(difference / sample, rel=1e-7, abs=1e-9)
    assert effect_size(x, y, ddof=0) == pytest.approx(difference / population, rel=1e-7, abs=1e-9)
    assert effect_size(y, x) == pytest.approx(-effect_size(x, y), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "y"), [([0.1] * 3, [0.1] * 4), ([0.0], [0.0]), ([1e6, 1e6 + 1e-9], [1e6]), ([0.3], [0.1 + 0.2])]
)
def test_scores_that_do_not_vary_have_no_effect_size(x: list[float], y: list[float]) -> None:
    with pytest.raises(ZeroVarianceError, match="equal"):
        effect_size(x, y)


def test_small_scores_that_vary_have_an_effect_size() -> None:
    tiny = effect_size([2e-300, 3e-300], [1e-300, 0.0])
    assert tiny == pytest.approx(effect_size([2.0, 3.0], [1.0, 0.0]))


def test_effect_size_refuses_bad_input() -> None:
    with pytest.raises(ValueError, match="x is empty"):
        effect_size([], [1.0])
    with pytest.raises(ValueError, match="y holds a NaN"):
        effect_size([1.0], [math.nan])
    with pytest.raises(ValueError, match="ddof is 2"):
        effect_size([1.0, 2.0], [3.0], ddof=2)  # type: ignore[arg-type]
