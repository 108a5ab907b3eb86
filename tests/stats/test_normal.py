"""The quantile of the normal distribution, against SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

from biascore.stats.normal import critical_value, normal_quantile


def test_it_is_scipys_but_for_rounding() -> None:
    rng = np.random.default_rng(0)
    shares, tails = rng.random(20_000), 10.0 ** -rng.uniform(0, 300, 5_000)
    middle = np.exp(-2.0) * np.array([1 - 1e-15, 1, 1 + 1e-15])
    every = np.concatenate([shares, tails, 1 - tails[tails > 1e-16], middle, 1 - middle, [0.5, 0.0, 1.0]])
    found = np.array([normal_quantile(p) for p in every.tolist()])
    np.testing.assert_array_max_ulp(found, ndtri(every), maxulp=8)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_the_critical_value_leaves_half_of_the_rest_on_either_side(level: float) -> None:
    assert math.erf(critical_value(level) / math.sqrt(2)) == pytest.approx(level, abs=1e-15)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan, math.inf])
def test_no_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="pass a probability"):
        normal_quantile(p)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_no_level_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level is"):
        critical_value(level)
