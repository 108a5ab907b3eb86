"""The weighted mean with a robust error, against statsmodels, against CR2 by dense matrices, and its failures."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy import linalg, stats

from biascore.stats import RegressionError, ZeroVarianceError, robust_mean

Floats = NDArray[np.float64]


def drawn(n: int = 40) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(5)
    weights = np.exp(rng.normal(0, 1.0, n))
    return 0.7 + rng.normal(size=n) / weights, weights


def dense_cr2(
    values: Floats, weights: Floats, labels: NDArray[np.int64], within: float
) -> tuple[float, float]:
    """Standard error and df as Pustejovsky & Tipton 2018 write them, equations 6, 7 and 11, with Phi = I and X = 1."""
    n, share = len(values), weights / weights.sum()
    residual_maker = np.eye(n) - np.outer(np.ones(n), share)
    residuals, vectors, variance = residual_maker @ values, [], 0.0
    for label in np.unique(labels):
        rows = residual_maker[labels == label]
        adjust = np.real(linalg.fractional_matrix_power(rows @ rows.T, -0.5))
        mine = adjust @ share[labels == label]
        vectors.append(rows.T @ mine)
        variance += float(mine @ residuals[labels == label]) ** 2
    together = np.where(labels[:, None] == labels, within, 0.0)
    np.fill_diagonal(together, 1.0)
    products = np.array(vectors) @ together @ np.array(vectors).T
    return float(np.sqrt(variance)), float(np.trace(products) ** 2 / np.trace(products @ products))


def test_without_clusters_it_is_hc3_of_weighted_least_squares_on_a_constant() -> None:
    values, weights = drawn()
    got = robust_mean(values, 3.0 * weights)
    fit = sm.WLS(values, np.ones(len(values)), weights=weights).fit(cov_type="HC3")
    assert got.mean == pytest.approx(fit.params[0], rel=1e-12)
    assert got.se == pytest.approx(fit.bse[0], rel=1e-12)
    assert got.df == pytest.approx(weights.sum() ** 2 / (weights @ weights) - 1)
    t = stats.t(got.df, got.mean, got.se)
    assert (got.low, got.high) == pytest.approx(t.interval(0.95))
    assert got.p_value(0.5) == pytest.approx(2 * stats.t.sf(abs(got.mean - 0.5) / got.se, got.df))
    assert (got.n, got.n_clusters) == (40, None)
    assert got == robust_mean(values, 3.0 * weights, np.arange(40))  # labels that are all different


@pytest.mark.parametrize("within", [0.0, 0.35, 1.0, None])
@pytest.mark.parametrize("weighted", [False, True])
def test_by_clusters_it_is_cr2_with_degrees_of_freedom_for_errors_that_go_together(
    weighted: bool, within: float | None
) -> None:
    """Those of Bell and McCaffrey where errors do not, by dense matrices."""
    values, weights = drawn()
    if not weighted:
        weights = np.ones(40)
    weights[:3] *= [1.0, 0.0, 4.0]
    labels = np.repeat([0, 1, 2, 3, 4, 5, 6], [1, 1, 2, 3, 5, 9, 19])
    values = 0.05 * values + 3.0 * np.sin(3.0 * labels)
    got = robust_mean(values, weights, [f"t{label}" for label in labels], within=within)
    if within is None:
        apart = values - np.average(values, weights=weights)
        pairs = [
            apart[i] * apart[j] for i in range(40) for j in range(40) if i != j and labels[i] == labels[j]
        ]
        within = float(np.clip(np.mean(pairs) / np.mean(apart**2), 0.0, 1.0))
        assert 0.1 < within < 1.0
    se, df = dense_cr2(values, weights, labels, within)
    assert (got.se, got.df) == pytest.approx((se, df), rel=1e-9)
    assert (got.n, got.n_clusters) == (40, 7)


def test_errors_that_differ_within_clusters_have_the_degrees_of_freedom_of_independent_ones() -> None:
    values, _ = drawn()
    labels = np.repeat([0, 1, 2, 3, 4, 5, 6], [2, 2, 2, 4, 6, 8, 16])
    values = 5.0 * (-1.0) ** np.arange(40) + 0.05 * values
    got = robust_mean(values, clusters=labels)
    assert got.df == robust_mean(values, clusters=labels, within=0.0).df
    assert got.df != pytest.approx(robust_mean(values, clusters=labels, within=0.5).df)


def test_equal_clusters_of_equal_weight_are_a_t_test_of_their_means() -> None:
    values, _ = drawn()
    got = robust_mean(values, clusters=np.arange(40) % 8)
    expected = stats.ttest_1samp([values[k::8].mean() for k in range(8)], 0)
    assert (got.p_value(), got.df) == pytest.approx((expected.pvalue, 7))


@pytest.mark.parametrize(
    ("values", "weights", "clusters", "error", "told"),
    [
        ([1.0], None, None, RegressionError, "one item has nearly all"),
        ([1.0, 2.0], None, ["a", "a"], RegressionError, "one cluster has nearly all"),
        ([1.0, 2.0], [1.0, 0.0], None, RegressionError, "one item has nearly all"),
        ([1.0, 2.0, 3.0], [1.0, 1.0, 0.0], ["a", "a", "b"], RegressionError, "one cluster has nearly all"),
        ([1.0, 2.0, 4.0], [1e7, 1.0, 2.0], None, RegressionError, "nearly all the weight"),
        ([0.1] * 3, [1.0, 2.0, 3.0], None, ZeroVarianceError, "all 3 items have the same mean"),
        (
            [0.3, 0.1 + 0.2, 0.3],
            None,
            None,
            ZeroVarianceError,
            "all 3 items have the same mean",
        ),  # but by rounding
        ([0.1] * 3, None, ["a", "a", "b"], ZeroVarianceError, "all 2 clusters have the same mean"),
        ([1.0, 2.0], [1.0, -1.0], None, ValueError, "negative"),
        ([1.0, 2.0], [1.0], None, ValueError, "1 weights for 2 values"),
        ([1.0, np.nan], None, None, ValueError, "NaN"),
    ],
)
def test_what_has_no_error_is_refused(
    values: list[float],
    weights: list[float] | None,
    clusters: list[str] | None,
    error: type[Exception],
    told: str,
) -> None:
    with pytest.raises(error, match=told):
        robust_mean(values, weights, clusters)
