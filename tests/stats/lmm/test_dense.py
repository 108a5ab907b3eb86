"""A fit against the n x n covariance matrix, its derivatives taken numerically."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from biascore.stats import lmm

from .dense import Data, gradient, hessian, simulate

CASES = {
    "one factor": simulate(1, 60, {"a": 6}, {"a": 1.0}),
    "two crossed": simulate(2, 80, {"a": 5, "b": 7}, {"a": 0.8, "b": 1.5}, genders=3),
    "three crossed": simulate(3, 90, {"a": 9, "b": 5, "c": 6}, {"a": 0.5, "b": 1.0, "c": 2.0}),
    "four crossed": simulate(4, 70, {"a": 9, "b": 5, "c": 6, "d": 7}, dict.fromkeys("abcd", 1.0), genders=3),
    "extreme weights": simulate(5, 70, {"a": 5, "b": 7}, {"a": 1.0, "b": 1.0}, spread=4.0),
    "large effects": simulate(6, 70, {"a": 5, "b": 7}, {"a": 80.0, "b": 30.0}),
    "weak effects": simulate(12, 90, {"a": 6, "b": 8}, {"a": 0.0, "b": 0.0}),
}


def nested() -> Data:
    """Each word of one gender only, as where the words are gendered."""
    data = simulate(7, 90, {"word": 12, "template": 5}, {"word": 1.0, "template": 1.0})
    return Data(data.scores, data.groups["word"] % 2, data.groups, data.weights)


CASES["gender within word"] = nested()


@pytest.fixture(params=CASES)
def data(request: pytest.FixtureRequest) -> Data:
    return CASES[request.param]


def test_the_criterion_is_the_restricted_likelihood(data: Data):
    fit = data.fit()
    assert fit.criterion == pytest.approx(data.deviance(fit.variances, fit.residual_variance), abs=1e-8)
    assert fit.criterion == pytest.approx(fit.criterion_at(fit.theta), abs=1e-9)
    rng = np.random.default_rng(0)
    for scale in (0.0, 0.1, 1.0, 20.0):
        theta = {name: scale * rng.random() for name in data.groups}
        assert fit.criterion_at(theta) == pytest.approx(data.profiled(theta), abs=1e-8)


def test_no_other_variances_are_better(data: Data):
    fit = data.fit()
    rng = np.random.default_rng(1)
    for _ in range(20):
        theta = {name: value * rng.lognormal(0, 1) + 0.3 * rng.random() for name, value in fit.theta.items()}
        assert fit.criterion_at(theta) > fit.criterion - 1e-9


def test_coefficients_and_effects_are_generalised_least_squares(data: Data):
    fit = data.fit()
    at = fit.variances, fit.residual_variance
    found = [test.estimate for test in fit.coefficients.values()]
    assert found == pytest.approx(data.coefficients(*at), rel=1e-8, abs=1e-9)
    assert fit.vcov == pytest.approx(data.vcov(*at), rel=1e-8)
    for name in data.groups:
        effects = [fit.effects[name][str(level)] for level in np.unique(data.groups[name])]
        assert effects == pytest.approx(data.effects(name, *at), rel=1e-7, abs=1e-9)


def test_degrees_of_freedom_are_satterthwaites(data: Data):
    """From a numerical Hessian of the deviance in log variances, and a numerical gradient of the covariance."""
    fit = data.fit()
    free = [name for name, value in fit.variances.items() if value > 0.0]
    at = np.log([*(fit.variances[name] for name in free), fit.residual_variance])

    def variances(logs):
        return dict(zip(free, np.exp(logs[:-1]), strict=True)), float(np.exp(logs[-1]))

    curvature = hessian(lambda logs: data.deviance(*variances(logs)), at, step=0.01)
    moves = gradient(lambda logs: data.vcov(*variances(logs)), at)
    spread = 2.0 * np.linalg.inv(curvature)
    columns = fit.design.columns
    contrasts = np.vstack([np.eye(len(columns)), np.arange(1.0, len(columns) + 1.0)])
    for contrast in contrasts:
        test = fit.test(contrast)
        variance = contrast @ fit.vcov @ contrast
        slope = np.einsum("i,mij,j->m", contrast, moves, contrast)
        df = 2.0 * variance**2 / (slope @ spread @ slope)
        assert test.df == pytest.approx(df, rel=2e-5)
        estimate = contrast @ [one.estimate for one in fit.coefficients.values()]
        assert (test.estimate, test.se) == pytest.approx((estimate, np.sqrt(variance)))
        assert test.p_value == pytest.approx(2 * stats.t.sf(abs(test.t), test.df), rel=1e-9)
        assert (test.low, test.high) == pytest.approx(
            stats.t.interval(0.95, test.df, test.estimate, test.se), rel=1e-9
        )


@pytest.mark.parametrize("name", ["two crossed", "four crossed"])
def test_the_joint_test_is_a_wald_test_of_its_contrasts(name: str):
    fit = CASES[name].fit()
    joint = fit.joint("gender")
    beta = np.array([test.estimate for test in fit.coefficients.values()])[1:]
    assert joint.f == pytest.approx(beta @ np.linalg.solve(fit.vcov[1:, 1:], beta) / 2)
    assert joint.df_num == 2
    dfs = [fit.test(contrast).df for contrast in np.eye(3)[1:]]
    assert min(dfs) * 0.8 < joint.df_den < max(dfs) * 1.2
    assert joint.p_value == pytest.approx(stats.f.sf(joint.f, 2, joint.df_den), rel=1e-9)
    again = fit.joint([{"gender: 1": 1}, {"gender: 2": 1}, {"gender: 1": 1, "gender: 2": -1}])
    assert (again.f, again.df_num) == (pytest.approx(joint.f), 2)


def test_a_joint_test_of_one_contrast_is_its_t_test():
    fit = CASES["one factor"].fit()
    joint, test = fit.joint("gender"), fit.coefficients["gender: 1"]
    assert (joint.f, joint.df_den, joint.p_value) == pytest.approx((test.t**2, test.df, test.p_value))


def test_without_groups_it_is_weighted_least_squares():
    data = CASES["one factor"]
    fit = lmm.fit(data.scores, data.design, groups={}, weights=data.weights)
    x, root = data.design.matrix, np.sqrt(data.weights)
    beta, rss, *_ = np.linalg.lstsq(x * root[:, np.newaxis], data.scores * root)
    assert [test.estimate for test in fit.coefficients.values()] == pytest.approx(beta)
    assert fit.residual_variance == pytest.approx(rss[0] / 58)
    assert [test.df for test in fit.coefficients.values()] == pytest.approx([58, 58])
    assert (dict(fit.variances), fit.singular, fit.cautions) == ({}, False, ())
    assert fit.bootstrap(resamples=200, rng=np.random.default_rng(1)).n_degenerate == 0


def test_shares_of_variance_are_those_of_the_rows(data: Data):
    fit = data.fit()
    fixed = np.var(data.design.matrix @ [test.estimate for test in fit.coefficients.values()], ddof=1)
    random = sum(fit.variances.values())
    for residual, noise in {
        "unit-weight": 1.0,
        "mean-variance": np.mean(1.0 / data.weights),
        "mean-weight": 1.0 / np.mean(data.weights),
    }.items():
        r2 = fit.r2(residual)
        total = fixed + random + fit.residual_variance * noise
        assert r2.marginal == r2.part["gender"] == pytest.approx(fixed / total)
        assert r2.conditional == pytest.approx((fixed + random) / total)
        assert r2.residual == residual


def test_the_part_of_a_term_is_what_the_model_without_it_loses():
    data = CASES["two crossed"]
    rng = np.random.default_rng(4)
    kind = (data.gender + (rng.random(80) < 0.3)) % 2  # correlated with gender
    scores = 1000.0 + data.scores + 1.3 * kind
    both = lmm.treatment({"gender": data.gender, "kind": kind})
    fit = lmm.fit(scores, both, groups=data.groups, weights=data.weights)

    def fixed(design: lmm.Design) -> float:
        other = lmm.fit(scores, design, groups=data.groups, weights=data.weights)
        return float(np.var(design.matrix @ [test.estimate for test in other.coefficients.values()], ddof=1))

    total = fixed(both) + sum(fit.variances.values()) + fit.residual_variance
    for term, other in (("gender", "kind"), ("kind", "gender")):
        reduced = fixed(lmm.treatment({other: kind if other == "kind" else data.gender}))
        expected = max(0.0, fixed(both) - reduced) / total
        assert fit.r2().part[term] == pytest.approx(expected, rel=1e-7)
