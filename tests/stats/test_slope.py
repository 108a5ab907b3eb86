"""The slope with HC3 errors: as statsmodels has it, and what cannot have one."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import pearsonr, t

from biascore.stats import RegressionError, ZeroVarianceError
from biascore.stats.slope import slope


@pytest.mark.parametrize("n", [16, 30, 60])
def test_it_is_that_of_statsmodels(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.uniform(0, 1, n)
    y = 0.7 * x + rng.normal(0, 0.2 + x)
    found = slope(x, y, 0.9)
    other = sm.OLS(y, sm.add_constant(x)).fit(cov_type="HC3", use_t=True)
    assert found.test.estimate == pytest.approx(other.params[1])
    assert found.test.se == pytest.approx(other.bse[1])
    assert found.test.p_value == pytest.approx(2 * t.sf(abs(other.tvalues[1]), n - 2))
    assert (found.test.low, found.test.high) == pytest.approx(tuple(other.conf_int(0.1)[1]))
    assert found.correlation == pytest.approx(pearsonr(x, y).statistic)
    assert found.weights @ y == pytest.approx(found.test.estimate)


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ([0, 1, 2], [1, 2, 4], "2.0 of 3 points"),
        ([0, 1, *[0.5] * 20], [*range(22)], "2.0 of 22 points"),
        ([0.3] * 5, [1, 2, 3, 4, 6], "x does not vary"),
        ([0, 0, 0, 0, 1], [1, 2, 3, 4, 6], "1.5 of 5 points"),
    ],
)
def test_what_has_no_slope(x: list[float], y: list[float], said: str) -> None:
    with pytest.raises(RegressionError, match=said):
        slope(x, y)


@pytest.mark.parametrize("y", [[1] * 10, [*range(10)]])
def test_a_line_has_no_error(y: list[float]) -> None:
    with pytest.raises(ZeroVarianceError, match="do not vary beyond a line"):
        slope(range(10), y)


def test_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="x has 4 values and y 5"):
        slope([1, 2, 3, 4], [1, 2, 3, 4, 5])
