"""The likelihood, its derivatives and its maximum: against brute force, at both ends of the precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln, polygamma, psi

from biascore.stats import beta, ols
from biascore.stats.beta import remainders
from biascore.stats.beta.likelihood import Point

from .drawn import draw, log_likelihood, slopes

PRECISIONS = (0.03, 0.3, 1.0, 5.0, 50.0, 1e3, 1e5, 1e6, 1e7, 1e9)


def test_remainders_of_gamma_functions():
    x = np.geomspace(1e-3, 1e3, 200)
    whole = (x - 0.5) * np.log(x) - x + 0.5 * math.log(2.0 * math.pi)
    assert whole + remainders.log_gamma(x) == pytest.approx(gammaln(x), rel=1e-13, abs=1e-13)
    assert np.log(x) - remainders.digamma(x) == pytest.approx(psi(x), rel=1e-13, abs=1e-13)
    assert 1.0 / x + remainders.trigamma(x) == pytest.approx(polygamma(1, x), rel=1e-13)


@pytest.mark.parametrize("remainder", [remainders.log_gamma, remainders.digamma, remainders.trigamma])
def test_remainders_go_on_smoothly_where_the_series_begins(remainder):
    below, above = remainder(np.array([16.0 * (1.0 - 1e-12), 16.0]))
    assert below == pytest.approx(above, rel=1e-11)


@pytest.mark.parametrize("phi", [0.3, 30.0, 3e4])
def test_the_likelihood_is_that_of_scipy(phi: float):
    fit = draw(1, 200, phi).fit(squeeze=True)
    drawn = draw(1, 200, phi)
    scores = (drawn.scores * 199 + 0.5) / 200 if fit.squeezed else drawn.scores
    found = log_likelihood(scores, drawn.design.matrix, fit.wald.estimates)
    assert fit.log_likelihood == pytest.approx(found, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("phi", [0.5, 30.0, 3e4])
@pytest.mark.parametrize("order", [1, 2])
def test_score_and_observed_information_are_the_derivatives(phi: float, order: int):
    drawn = draw(2, 120, phi, order=order, races=3)
    fit = drawn.fit(squeeze=True)
    cells = fit._at.cells
    se = np.sqrt(np.diag(fit.wald.vcov))
    away = fit.wald.estimates + 0.5 * se  # the score is 0 at the maximum
    at = Point.of(cells, away)
    assert at is not None

    def value(parameters: np.ndarray) -> float:
        point = Point.of(cells, parameters)
        assert point is not None
        return point.log_likelihood

    def score(parameters: np.ndarray) -> np.ndarray:
        point = Point.of(cells, parameters)
        assert point is not None
        return point.score()

    assert at.score() == pytest.approx(slopes(value, away, 1e-4 * se), rel=1e-5, abs=1e-5 / se.min())
    information = -slopes(score, away, 1e-4 * se) * np.outer(se, se)
    assert at.information(observed=True) * np.outer(se, se) == pytest.approx(information, rel=1e-6, abs=1e-7)


def test_expected_information_is_the_mean_of_the_observed():
    drawn = draw(3, 60, 4.0, order=1)
    fit = drawn.fit()
    mu = 1.0 / (1.0 + np.exp(-drawn.design.matrix @ fit.wald.estimates[:-1]))
    rng = np.random.default_rng(4)
    observed = []
    for _ in range(400):
        scores = rng.beta(mu * fit.phi, (1.0 - mu) * fit.phi)
        cells = type(fit._at.cells).of(scores, drawn.design)
        at = Point.of(cells, fit.wald.estimates)
        assert at is not None
        observed.append(at.information(observed=True))
    expected = fit._at.information(observed=False)
    error = np.std(observed, axis=0) / math.sqrt(len(observed))
    assert (np.abs(np.mean(observed, axis=0) - expected) < 4.5 * error + 1e-9).all()


@pytest.mark.parametrize("phi", [0.3, 3.0, 300.0])
@pytest.mark.parametrize("races", [2, 3])
def test_no_search_finds_a_higher_likelihood(phi: float, races: int):
    drawn = draw(5, 150, phi, races=races)
    scores = np.clip(drawn.scores, 1e-12, 1.0 - 1e-12)
    fit = beta.fit(scores, drawn.design)
    found = minimize(
        lambda parameters: -log_likelihood(scores, drawn.design.matrix, parameters),
        np.append(np.zeros(len(drawn.design.columns)), 1.0),
        method="Nelder-Mead",
        options={"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-7, "fatol": 1e-10, "adaptive": True},
    )
    assert fit.log_likelihood >= -found.fun - 1e-6
    assert fit.wald.estimates == pytest.approx(found.x, abs=2e-3)


def _is_maximum(fit: beta.Fit) -> None:
    at = fit._at
    score, vcov = at.score(), fit.wald.vcov
    assert math.sqrt(score @ vcov @ score) < 1e-6  # in standard errors
    for k, se in enumerate(np.sqrt(np.diag(vcov))):
        for side in (-0.05, 0.05):
            moved = fit.wald.estimates.copy()
            moved[k] += side * se
            point = Point.of(at.cells, moved)
            assert point is not None
            assert point.log_likelihood < fit.log_likelihood


@pytest.mark.parametrize("phi", PRECISIONS)
def test_every_precision_converges(phi: float):
    for seed in range(6):
        n = int(np.random.default_rng(seed).integers(40, 400))
        drawn = draw(seed, n, phi, order=1 + seed % 2, races=2)
        fit = drawn.fit(squeeze=True)
        _is_maximum(fit)
        assert fit.steps <= 20


def test_scores_as_wide_as_numbers_go():
    drawn = draw(8, 300, 0.02)
    scores = np.clip(drawn.scores, 1e-300, 1.0 - 1e-16)
    _is_maximum(beta.fit(scores, drawn.design))


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-8])
def test_scores_that_vary_in_their_last_digits(spread: float):
    """Of a few values, as rounded scores have; precision up to 1e16."""
    drawn = draw(9, 120, 50.0, order=1)
    scores = 0.95 + spread * np.round(5 * drawn.scores)
    fit = beta.fit(scores, drawn.design)
    assert math.sqrt(fit._at.score() @ fit.wald.vcov @ fit._at.score()) < 1e-4
    # So little variation is that of a normal distribution: least squares has the same effects and tests.
    least = ols.fit(scores, drawn.design)
    for name, levels in drawn.design.levels.items():
        change = {name: (levels[1], levels[0])}
        found, expected = fit.marginal_effect(change), least.marginal_effect(change)
        assert found.estimate == pytest.approx(expected.estimate, rel=100 * spread + 1e-6)
        assert found.t == pytest.approx(expected.t, rel=0.02)


def test_few_rows_and_large_effects():
    for seed in range(15):
        drawn = draw(seed, 14, 3.0, order=1, spread=1.5)
        _is_maximum(beta.fit(np.clip(drawn.scores, 1e-9, 1 - 1e-9), drawn.design))


@pytest.mark.parametrize("phi", [0.3, 1e6])
def test_estimates_recover_what_was_drawn(phi: float):
    """Coverage of 95 % intervals in 100 sets: 95 % but for 3.2 standard errors of 2.2 points."""
    rng = np.random.default_rng(11)
    design = draw(0, 300, 1.0).design
    truth = np.array([-0.2, 0.1, 0.3, -0.1])
    mu = 1.0 / (1.0 + np.exp(-design.matrix @ truth))
    held = np.zeros(5)
    for _ in range(100):
        scores = np.clip(rng.beta(mu * phi, (1.0 - mu) * phi), 1e-300, 1.0 - 1e-16)
        fit = beta.fit(scores, design)
        tests = [*fit.coefficients.values(), fit.log_phi]
        held += [
            test.low <= value <= test.high for test, value in zip(tests, [*truth, math.log(phi)], strict=True)
        ]
    assert (np.abs(held / 100 - 0.95) < 0.07).all()


def test_exchanging_zero_and_one_changes_signs_alone():
    drawn = draw(6, 200, 20.0)
    one, other = beta.fit(drawn.scores, drawn.design), beta.fit(1.0 - drawn.scores, drawn.design)
    assert one.wald.estimates[:-1] == pytest.approx(-other.wald.estimates[:-1], abs=1e-9)
    assert one.phi == pytest.approx(other.phi)


def test_the_order_of_rows_changes_nothing():
    drawn = draw(7, 100, 20.0)
    back = type(drawn.design)(drawn.design.matrix[::-1], drawn.design.columns)  # no cells: a row each
    one, other = drawn.fit(), beta.fit(drawn.scores[::-1], back)
    assert one.wald.estimates == pytest.approx(other.wald.estimates, abs=1e-10)
    assert one.wald.vcov == pytest.approx(other.wald.vcov, rel=1e-7)
    assert one.log_likelihood == pytest.approx(other.log_likelihood)
