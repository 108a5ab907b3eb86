"""The slope with HC3 errors: as statsmodels has it, and what cannot have one."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.linalg import sqrtm
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


def test_clusters_take_cr2_with_bell_and_mccaffreys_degrees_of_freedom() -> None:
    rng = np.random.default_rng(4)
    sizes = [2, 3, 4, 5, 6, 7, 8, 9]
    place = np.repeat(np.arange(len(sizes)), sizes)
    x, y = rng.uniform(0, 1, place.size), rng.normal(0, 1, place.size) + rng.normal(0, 1, len(sizes))[place]
    found = slope(x, y, clusters=place.tolist())
    design = sm.add_constant(x)
    bread = np.linalg.inv(design.T @ design)
    apart = np.eye(x.size) - design @ bread @ design.T
    meat, columns = np.zeros((2, 2)), []
    for cluster in range(len(sizes)):
        own = place == cluster
        root = np.linalg.inv(sqrtm(apart[np.ix_(own, own)]))
        score = design[own].T @ root @ (apart @ y)[own]
        meat += np.outer(score, score)
        columns.append(apart[:, own] @ root @ design[own] @ bread[:, 1])
    product = np.array(columns) @ np.array(columns).T
    assert found.test.se == pytest.approx((bread @ meat @ bread)[1, 1] ** 0.5)
    assert found.test.df == pytest.approx(np.trace(product) ** 2 / (product**2).sum())
    assert (found.error, slope(x, y, clusters=range(x.size)).error, slope(x, y).error) == (
        "CR2",
        "HC3",
        "HC3",
    )


def test_sectors_that_lean_together_keep_the_level_only_where_they_are_named() -> None:
    rng = np.random.default_rng(2)
    sectors = np.repeat(np.arange(15), 4)
    rejected = np.zeros(2)
    for _ in range(300):
        x = np.linspace(0, 1, 15)[sectors] + rng.normal(0, 0.05, 60)
        y = rng.normal(0, 1, 15)[sectors] + rng.normal(0, 1, 60)
        rejected += [slope(x, y, clusters=by).test.p_value <= 0.05 for by in (sectors.tolist(), None)]
    assert rejected[0] / 300 < 0.075
    assert rejected[1] / 300 > 0.2


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


def test_few_clusters_have_no_slope() -> None:
    x = np.linspace(0, 1, 20)
    with pytest.raises(RegressionError, match=r"of 4 clusters in effect"):
        slope(x, x**2, clusters=[*"abcd"] * 5)


@pytest.mark.parametrize("y", [[1] * 10, [*range(10)]])
def test_a_line_has_no_error(y: list[float]) -> None:
    with pytest.raises(ZeroVarianceError, match="do not vary beyond a line"):
        slope(range(10), y)


def test_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="x has 4 values and y 5"):
        slope([1, 2, 3, 4], [1, 2, 3, 4, 5])
