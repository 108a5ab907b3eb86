"""Score intervals of differences of shares, against published numbers, other implementations, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from statsmodels.stats.proportion import confint_proportions_2indep

from biascore.stats.proportions import independent_difference, paired_difference

Z = 1.959963984540054


def test_the_example_of_fagerland_and_others():
    found = paired_difference(1, 7, 21)
    assert (round(found.low, 3), round(found.high, 3)) == (-0.517, -0.026)


def test_nothing_differs_and_the_interval_has_a_width():
    found = paired_difference(0, 0, 278)
    assert found.high == pytest.approx(Z**2 / (278 + Z**2))
    assert found.low == pytest.approx(-found.high)


@pytest.mark.parametrize(("b", "c", "n"), [(5, 0, 5), (0, 5, 5), (3, 3, 6), (12, 4, 300), (1, 0, 2)])
def test_the_ends_are_where_the_score_is_the_quantile(b: int, c: int, n: int):
    def score(difference: float) -> float:
        """With the nuisance share that maximises the likelihood, searched for."""

        def loss(share: float) -> float:
            cells = ((share + difference, b), (share, c), (1 - 2 * share - difference, n - b - c))
            return -sum(k * math.log(max(p, 1e-300)) for p, k in cells if k)

        low, high = max(0.0, -difference), (1 - difference) / 2
        share = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
        return (b - c - n * difference) / math.sqrt(n * (2 * share + difference * (1 - difference)))

    found = paired_difference(b, c, n)
    for end, quantile in ((found.low, Z), (found.high, -Z)):
        if abs(end) < 1:
            assert score(end) == pytest.approx(quantile, abs=2e-3)
        else:
            assert end in (-1.0, 1.0)
    assert found.low <= (b - c) / n <= found.high


@pytest.mark.parametrize(("share", "apart", "n"), [(0.05, 0.0, 40), (0.1, 0.1, 100), (0.02, 0.0, 300)])
def test_paired_intervals_cover(share: float, apart: float, n: int):
    drawn = np.random.default_rng(5).multinomial(n, [share + apart, share, 1 - 2 * share - apart], size=2000)
    counts, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
    ends = [paired_difference(int(b), int(c), n) for b, c in counts]
    covered = sum(int(k) for k, one in zip(times, ends, strict=True) if one.low <= apart <= one.high)
    assert covered / 2000 > 0.935


def test_newcombe_against_statsmodels():
    found = independent_difference((56, 70), (48, 80))
    expected = confint_proportions_2indep(56, 70, 48, 80, compare="diff", method="newcomb")
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("counts", [(-1, 0, 5), (3, 3, 5), (0, 0, 0)])
def test_impossible_counts(counts: tuple[int, int, int]):
    with pytest.raises(ValueError, match="items differ of"):
        paired_difference(*counts)
