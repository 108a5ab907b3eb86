"""The cells that words lie in, and how far their distribution is from even."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats.labels import ON_AXIS, cell_codes, cell_counts, distance_from_even


@pytest.mark.parametrize("k", [2, 3])
def test_cells_equal_a_loop_over_words(rng: np.random.Generator, k: int):
    scores = rng.normal(size=(k, 200))
    scores[:, 0] = 0.0
    scores[0, 1], scores[k - 1, 2] = 1e-14, 0.3
    codes = cell_codes(list(scores), tolerance=0.3)
    for word, code in zip(scores.T, codes, strict=True):
        if any(abs(b) <= 0.3 for b in word):
            assert code == ON_AXIS
        else:
            assert code == sum((b < 0) << (k - 1 - d) for d, b in enumerate(word))
    assert codes[2] == ON_AXIS  # a score at the tolerance lies on the axis
    assert cell_counts(codes, 2**k).tolist() == [int((codes == cell).sum()) for cell in range(2**k)]


def test_a_score_that_is_rounding_has_no_side():
    assert cell_codes([np.array([3e-17, 1e-9]), np.array([0.1, -0.1])]).tolist() == [ON_AXIS, 1]


def test_the_distance_from_even_is_what_would_have_to_move():
    assert distance_from_even([5, 5, 5, 5]) == 0
    assert distance_from_even([20, 0, 0, 0]) == pytest.approx(0.75)
    assert distance_from_even([12, 8, 0, 0]) == pytest.approx(0.5)
    assert np.isnan(distance_from_even([0, 0, 0, 0]))
    assert distance_from_even([[4, 0], [0, 2]]).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("scores", "tolerance", "told"),
    [
        ([], 0.0, "there are 0 dimensions"),
        ([np.ones(2)] * 7, 0.0, "there are 7"),
        ([np.ones(2)], -1.0, "tolerance"),
    ],
)
def test_wrong_input_is_named(scores: list[np.ndarray], tolerance: float, told: str):
    with pytest.raises(ValueError, match=told):
        cell_codes(scores, tolerance)
