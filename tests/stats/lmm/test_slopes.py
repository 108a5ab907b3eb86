"""Random slopes: the fit against statsmodels, the dense likelihood, and the t test over units where these are alike."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import pytest
import statsmodels.api as sm

from biascore.stats import RegressionError
from biascore.stats.design import Design
from biascore.stats.lmm import Slopes, fit_slopes, unit_fits

Floats = npt.NDArray[np.float64]
COLUMNS = ("(Intercept)", "age", "female")


def drawn(
    seed: int, *, units: int = 25, sd: float = 0.7, alike: bool = False
) -> tuple[Floats, Design, npt.NDArray[np.str_]]:
    """Units of 12 rows, or 7 to 12 of them, with coefficients of their own."""
    rng = np.random.default_rng(seed)
    whole = np.array([(1.0, age, female) for age in (-1.2, 0.0, 1.2) for female in (0.0, 1.0)] * 2)
    parts = [whole if alike else whole[rng.permutation(12)[: rng.integers(7, 13)]] for _ in range(units)]
    matrix = np.concatenate(parts)
    unit = np.repeat(np.arange(units), [len(part) for part in parts])
    own = rng.normal([1.0, 0.2, -0.3], [1.0, sd, sd], (units, 3))
    own[:, 2] += 0.5 * own[:, 1]
    scores = (matrix * own[unit]).sum(axis=1) + rng.normal(0, 0.8, len(matrix))
    return scores, Design(matrix, COLUMNS), unit.astype(np.str_)


def whole(design: Design, unit: npt.NDArray[np.str_], between: Floats, noise: float) -> Floats:
    """The n x n covariance matrix of the scores."""
    x = design.matrix
    same = unit[:, np.newaxis] == unit
    return np.where(same, x @ between @ x.T, 0.0) + noise * np.eye(len(x))


def deviance(
    scores: Floats, design: Design, unit: npt.NDArray[np.str_], between: Floats, noise: float
) -> float:
    """-2 x the restricted log-likelihood from it."""
    x, v = design.matrix, whole(design, unit, between, noise)
    inverse = np.linalg.inv(v)
    information = x.T @ inverse @ x
    left = scores - x @ np.linalg.solve(information, x.T @ inverse @ scores)
    logs = sum(float(np.linalg.slogdet(one)[1]) for one in (v, information))
    return logs + float(left @ inverse @ left) + (x.shape[0] - x.shape[1]) * float(np.log(2 * np.pi))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_fit_is_that_of_statsmodels(seed: int):
    scores, design, unit = drawn(seed)
    found = fit_slopes(scores, design, unit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of statsmodels, on its way to the minimum
        other = sm.MixedLM(scores, design.matrix, unit, exog_re=design.matrix).fit(reml=True)
    assert found.converged
    assert not found.cautions
    assert [one.estimate for one in found.coefficients.values()] == pytest.approx(other.fe_params, rel=2e-4)
    assert found.criterion == pytest.approx(-2 * other.llf, abs=1e-5)
    # Its errors come from a Hessian of all parameters; those of generalised least squares are compared below.
    assert [one.se for one in found.coefficients.values()] == pytest.approx(other.bse_fe, rel=5e-3)
    assert found.covariance == pytest.approx(np.asarray(other.cov_re), rel=2e-2, abs=5e-3)
    assert found.residual_variance == pytest.approx(other.scale, rel=2e-3)


@pytest.mark.parametrize("sd", [0.7, 0.0])
def test_the_criterion_is_the_restricted_likelihood_and_no_other_covariance_is_better(sd: float):
    scores, design, unit = drawn(4, units=9, sd=sd)
    found = fit_slopes(scores, design, unit)
    here = deviance(scores, design, unit, found.covariance, found.residual_variance)
    assert found.converged
    assert found.criterion == pytest.approx(here, abs=1e-6)
    rng = np.random.default_rng(0)
    root = np.linalg.cholesky(found.covariance + 1e-9 * np.eye(3))
    for _ in range(30):
        other = root @ (np.eye(3) + 0.1 * rng.standard_normal((3, 3)))
        noise = found.residual_variance * rng.lognormal(0, 0.1)
        assert deviance(scores, design, unit, other @ other.T, noise) > here - 1e-6


def test_coefficients_and_their_errors_are_generalised_least_squares():
    scores, design, unit = drawn(4)
    found = fit_slopes(scores, design, unit)
    inverse = np.linalg.inv(whole(design, unit, found.covariance, found.residual_variance))
    vcov = np.linalg.inv(design.matrix.T @ inverse @ design.matrix)
    expected = vcov @ design.matrix.T @ inverse @ scores
    assert [one.estimate for one in found.coefficients.values()] == pytest.approx(expected, rel=1e-9)
    assert [one.se for one in found.coefficients.values()] == pytest.approx(np.sqrt(np.diag(vcov)), rel=1e-9)


def test_of_units_with_the_same_rows_it_is_the_t_test_over_units():
    scores, design, unit = drawn(5, alike=True)
    found, own = fit_slopes(scores, design, unit), unit_fits(scores, design, unit).coefficients
    errors = own.std(axis=0, ddof=1) / len(own) ** 0.5
    assert [one.estimate for one in found.coefficients.values()] == pytest.approx(own.mean(axis=0), rel=1e-6)
    assert [one.se for one in found.coefficients.values()] == pytest.approx(errors, rel=1e-4)


def test_least_squares_of_a_unit_and_the_weights_of_its_rows():
    scores, design, unit = drawn(6)
    found = unit_fits(scores, design, unit)
    for place, name in enumerate(found.names):
        rows = unit == name
        expected = np.linalg.lstsq(design.matrix[rows], scores[rows], rcond=None)[0]
        assert found.coefficients[place] == pytest.approx(expected, rel=1e-9)
        assert scores[rows] @ found.weights[rows] == pytest.approx(expected, rel=1e-9)


def test_a_unit_that_does_not_determine_its_coefficients_is_named():
    scores, design, unit = drawn(7)
    matrix = design.matrix.copy()
    matrix[unit == "3", 2] = 1.0
    alike = Design(matrix, COLUMNS)
    own = unit_fits(scores, alike, unit)
    assert [name for name, one in zip(own.names, own.coefficients, strict=True) if np.isnan(one).any()] == [
        "3"
    ]
    with pytest.raises(
        RegressionError, match=r"rows of 3 do not determine its coefficients .*leave those out"
    ):
        fit_slopes(scores, alike, unit)


def test_a_search_that_is_cut_short_is_not_converged():
    cut = fit_slopes(*drawn(8), iterations=1)
    whole = fit_slopes(*drawn(8))
    assert isinstance(cut, Slopes)
    assert not cut.converged
    assert whole.converged
    assert whole.criterion < cut.criterion


def test_few_units_and_no_variance_between_them_are_cautions():
    few = fit_slopes(*drawn(9, units=3))
    assert any("3 units hardly determine" in one for one in few.cautions)
    assert any("singular" in one for one in fit_slopes(*drawn(10, sd=0.0, alike=True)).cautions)


def test_what_cannot_be_fitted_is_an_error_with_its_reason():
    scores, design, unit = drawn(11)
    with pytest.raises(RegressionError, match="need two units"):
        fit_slopes(scores, design, np.full(len(unit), "one"))
    with pytest.raises(RegressionError, match="explain every score exactly"):
        fit_slopes(design.matrix @ [1.0, 2.0, 3.0], design, unit)
    with pytest.raises(RegressionError, match="units; pass one per score"):
        fit_slopes(scores, design, unit[:-1])
