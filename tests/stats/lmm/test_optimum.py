"""Where the criterion is smallest: exact zeros, more than one minimum, and what does not move it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from biascore.stats import lmm
from biascore.stats.lmm.cross_products import Responses
from biascore.stats.lmm.reml import evaluate, minimise

from .dense import Data, gradient, hessian, simulate


def internals(data: Data):
    return data.fit()._estimate


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_derivatives_are_those_of_the_criterion(count: int):
    names = "abcd"[:count]
    data = simulate(20 + count, 90, dict(zip(names, (11, 5, 7, 6), strict=False)), dict.fromkeys(names, 1.0))
    of = internals(data)
    rng = np.random.default_rng(count)
    gamma = rng.lognormal(0, 1, size=count)

    def criterion(at):
        return float(evaluate(of.cross, of.scores, at[np.newaxis]).criterion(of.df)[0])

    first, second = evaluate(of.cross, of.scores, gamma[np.newaxis]).derivatives(of.df)
    assert first[0] == pytest.approx(gradient(criterion, gamma), rel=1e-6, abs=1e-7)
    assert second[0] == pytest.approx(hessian(criterion, gamma), rel=1e-4, abs=1e-5)


def test_derivatives_at_zero_are_limits():
    of = internals(simulate(30, 80, {"a": 7, "b": 6, "c": 5}, dict.fromkeys("abc", 1.0)))
    for zero in itertools.product([0.0, 1.0], repeat=3):
        exact = evaluate(of.cross, of.scores, np.array([zero])).derivatives(of.df)
        near = evaluate(of.cross, of.scores, np.maximum([zero], 1e-9)).derivatives(of.df)
        for a, b in zip(exact, near, strict=True):
            assert a == pytest.approx(b, rel=1e-6, abs=1e-6)


def test_a_variance_of_zero_is_exactly_zero():
    """The template means are made equal, so that no variance is left for them."""
    data = simulate(31, 120, {"word": 8, "template": 5}, {"word": 1.0, "template": 0.0}, spread=0.0)
    rest = data.scores.copy()
    for level in range(5):
        rows = data.groups["template"] == level
        rest[rows] -= rest[rows].mean()
    fit = data.with_scores(rest).fit()
    assert fit.theta["template"] == fit.variances["template"] == 0.0
    assert fit.theta["word"] > 0.0
    assert fit.singular
    assert fit.cautions == ("the variance of template is estimated to be zero (a singular fit)",)
    assert set(fit.effects["template"].values()) == {0.0}
    # Moving it from zero makes the criterion rise: the bound is the minimum.
    assert fit.criterion_at({**fit.theta, "template": 0.05}) > fit.criterion
    alone = lmm.fit(rest, data.design, groups={"word": data.groups["word"]}, weights=data.weights)
    assert fit.criterion == pytest.approx(alone.criterion, abs=1e-9)
    for name, test in alone.coefficients.items():
        other = fit.coefficients[name]
        assert (other.estimate, other.se, other.df) == pytest.approx(
            (test.estimate, test.se, test.df), rel=1e-8
        )


def test_a_small_variance_is_singular_by_the_same_bound_as_lme4s():
    data = simulate(32, 200, {"word": 10}, {"word": 1.0}, spread=0.0)
    fit = data.fit()
    assert not fit.singular
    # In a unit of the weights in which sigma is 1e5 times larger, theta is below lme4's tolerance of 1e-4.
    large = lmm.fit(data.scores, data.design, groups=data.groups, weights=data.weights * 1e10)
    assert large.singular
    assert large.cautions == (
        "the standard deviation of word is below 0.0001 of sigma, which lme4 calls a singular fit",
    )
    assert large.variances["word"] == pytest.approx(fit.variances["word"])


@pytest.mark.parametrize("seed", range(4))
def test_no_start_finds_a_better_minimum(seed: int):
    """Few rows with weights over many decades: criteria with more than one minimum."""
    data = simulate(40 + seed, 36, {"a": 6, "b": 5, "c": 3}, {"a": 1.0, "b": 0.3, "c": 0.0}, spread=3.0)
    of = internals(data)
    rng = np.random.default_rng(seed)
    starts = rng.uniform(0.0, 9.0, size=(100, 3))
    others = minimise(of.cross, of.scores[np.zeros(100, dtype=np.intp)], starts)
    assert others.converged.all()
    assert of.profile.criterion(of.df)[0] <= others.criterion.min() + 1e-8
    # Every minimum found meets the conditions of Karush, Kuhn and Tucker.
    first, _ = evaluate(of.cross, of.scores[np.zeros(100, dtype=np.intp)], others.gamma).derivatives(of.df)
    first = first * (1.0 + others.gamma)
    assert np.abs(first[others.gamma > 0.0]).max(initial=0.0) < 1e-5
    assert first[others.gamma == 0.0].min(initial=0.0) > -1e-9


def test_many_responses_at_once_are_each_alone():
    data = simulate(50, 60, {"a": 8, "b": 5}, {"a": 0.3, "b": 0.0})
    of = internals(data)
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(12, 60))
    fits = [data.with_scores(one).fit() for one in noise]
    singles = [fit._estimate.scores for fit in fits]
    together = Responses(
        np.concatenate([one.between for one in singles]),
        np.concatenate([one.within for one in singles]),
        np.concatenate([one.square for one in singles]),
    )
    found = minimise(of.cross, together, np.ones((12, 2)))
    assert found.converged.all()
    assert found.gamma == pytest.approx(np.array([fit._estimate.gamma for fit in fits]), rel=1e-6, abs=1e-12)
    assert (found.gamma == 0.0).any()


def test_the_unit_of_the_weights_changes_only_what_it_must():
    data = simulate(60, 90, {"a": 8, "b": 5}, {"a": 1.0, "b": 0.5}, genders=3)
    one = data.fit()
    for factor in (1e-6, 7.0, 1e6):
        other = lmm.fit(data.scores, data.design, groups=data.groups, weights=factor * data.weights)
        assert other.residual_variance == pytest.approx(factor * one.residual_variance)
        assert other.variances == pytest.approx(one.variances)
        assert other.criterion == pytest.approx(one.criterion, abs=1e-8)
        for name, test in one.coefficients.items():
            got = other.coefficients[name]
            assert (got.estimate, got.se, got.df) == pytest.approx(
                (test.estimate, test.se, test.df), rel=1e-7
            )
        assert other.joint("gender").df_den == pytest.approx(one.joint("gender").df_den, rel=1e-7)
        for residual in ("mean-variance", "mean-weight"):
            assert other.r2(residual).marginal == pytest.approx(one.r2(residual).marginal)
        assert other.r2().marginal != pytest.approx(one.r2().marginal, rel=0.05)


def test_order_and_names_change_nothing():
    data = simulate(61, 90, {"a": 8, "b": 8}, {"a": 1.0, "b": 0.5})
    one = data.fit()
    order = np.random.default_rng(0).permutation(90)
    names = np.array(["zeta", "Eta", "theta", "iota", "kappa", "ß", "mu", "nu"])
    other = lmm.fit(
        data.scores[order],
        lmm.treatment({"gender": data.gender[order]}),
        groups={"b": data.groups["b"][order], "a": names[data.groups["a"]][order]},
        weights=data.weights[order],
    )
    assert other.criterion == pytest.approx(one.criterion, abs=1e-9)
    assert dict(other.variances) == pytest.approx(dict(one.variances))
    assert list(other.variances) == ["b", "a"]
    assert {names[int(k)]: v for k, v in one.effects["a"].items()} == pytest.approx(other.effects["a"])


def test_shift_and_scale_of_the_scores():
    data = simulate(62, 90, {"a": 8, "b": 5}, {"a": 1.0, "b": 0.5}, effect=2.0)
    one, other = data.fit(), data.with_scores(1e6 + 1e-3 * data.scores).fit()
    a, b = one.coefficients["gender: 1"], other.coefficients["gender: 1"]
    assert (b.estimate, b.se) == pytest.approx((1e-3 * a.estimate, 1e-3 * a.se), rel=1e-5)
    assert (b.df, b.t) == pytest.approx((a.df, a.t), rel=1e-5)
    assert other.r2().marginal == pytest.approx(one.r2().marginal, rel=1e-5)
