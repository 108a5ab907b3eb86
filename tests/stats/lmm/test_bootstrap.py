"""Replicates from cross-products against replicates drawn and fitted row by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from biascore.stats import lmm
from biascore.stats.lmm.bootstrap import draw
from biascore.stats.lmm.cross_products import responses

from .dense import Data, simulate

LEVELS = {"word": 9, "template": 5}


@pytest.fixture(scope="module")
def data() -> Data:
    return simulate(71, 150, LEVELS, {"word": 0.8, "template": 0.4}, genders=3, spread=1.2)


@pytest.fixture(scope="module")
def fit(data: Data) -> lmm.Fit:
    return data.fit()


def rows_drawn(data: Data, fit: lmm.Fit, count: int, sd, rng: np.random.Generator):
    """Scores less their fixed part, (n, count), drawn row by row, and the draws of effects and residuals."""
    names = fit._estimate.cross.names
    effects = {name: rng.standard_normal((count, len(fit.effects[name]))) for name in names}
    noise = sd * rng.standard_normal((count, len(data.scores)))
    parts = [
        np.sqrt(fit.variances[name]) * effects[name][:, level_codes(data.groups[name])] for name in names
    ]
    return (sum(parts) + noise).T


def level_codes(labels):
    """Places of the levels in their order as texts."""
    order = sorted(map(str, np.unique(labels)))
    return np.array([order.index(str(label)) for label in labels])


def test_lme4s_bootstrap_is_the_row_by_row_one_in_value(data: Data, fit: lmm.Fit):
    """Given the same draws: effects of the larger group first, then the rows."""
    drawn = fit.bootstrap("lme4", resamples=12, rng=np.random.default_rng(3))
    rng = np.random.default_rng(3)
    effects = rng.standard_normal((12, 14))
    noise = np.sqrt(fit.residual_variance) * rng.standard_normal((150, 12)).T
    fixed = data.design.matrix @ [test.estimate for test in fit.coefficients.values()]
    for b in range(12):
        scores = fixed + noise[b]
        for name, part in (("word", effects[b, :9]), ("template", effects[b, 9:])):
            scores = scores + np.sqrt(fit.variances[name]) * part[level_codes(data.groups[name])]
        one = data.with_scores(scores).fit()
        assert drawn.coefficients[b] == pytest.approx(
            [t.estimate for t in one.coefficients.values()], rel=1e-6
        )
        assert drawn.residual_variance[b] == pytest.approx(one.residual_variance)
        assert {k: v[b] for k, v in drawn.variances.items()} == pytest.approx(dict(one.variances), rel=1e-5)
        for residual in ("unit-weight", "mean-variance", "mean-weight"):
            found, expected = drawn.r2_replicates(residual), one.r2(residual)
            assert found.marginal[b] == pytest.approx(expected.marginal, rel=1e-5)
            assert found.conditional[b] == pytest.approx(expected.conditional, rel=1e-5)


@pytest.mark.parametrize("kind", ["model", "lme4"])
def test_draws_have_the_distribution_of_rows(data: Data, fit: lmm.Fit, kind: lmm.Kind):
    """Every cross-product, and sums of them: Kolmogorov-Smirnov against 4000 draws of every row."""
    of = fit._estimate
    sd = np.sqrt(of.sigma2 / data.weights) if kind == "model" else np.sqrt(of.sigma2)
    rng = np.random.default_rng(11)
    short = draw(of, kind, 4000, rng)
    long = responses(of.rows, rows_drawn(data, fit, 4000, sd, rng))
    directions = rng.standard_normal((6, of.cross.between.shape[1]))
    p_values = [
        stats.ks_2samp(a, b).pvalue
        for a, b in [
            (short.square, long.square),
            *zip(short.between.T, long.between.T, strict=True),
            *zip((short.within @ directions.T).T, (long.within @ directions.T).T, strict=True),
            # Jointly: products of what is drawn in different ways.
            ((short.within**2).sum(axis=1), (long.within**2).sum(axis=1)),
            (short.square * short.within[:, 0] ** 2, long.square * long.within[:, 0] ** 2),
        ]
    ]
    assert min(p_values) > 0.05 / len(p_values) / 5


def test_draws_have_the_variances_that_the_model_gives(fit: lmm.Fit):
    """Within groups of words: sigma^2 C'WC, and what templates add to it; 4 standard errors of 20 000 draws."""
    of = fit._estimate
    cross = of.cross
    root, inverse = cross.root()
    assert root @ root.T == pytest.approx(cross.within, abs=1e-10)
    assert inverse @ root == pytest.approx(np.eye(root.shape[1]), abs=1e-10)
    templates = cross.within[:, : cross.rest]
    expected = of.sigma2 * (cross.within + of.gamma[1] * templates @ templates.T)
    drawn = draw(of, "model", 20_000, np.random.default_rng(12))
    directions = np.random.default_rng(13).standard_normal((8, len(expected)))
    found = (drawn.within @ directions.T).var(axis=0)
    assert found == pytest.approx(np.einsum("ij,jk,ik->i", directions, expected, directions), rel=0.04)
    # The largest group: its own effects and theirs of templates and residuals, divided by the root of its weight.
    between = of.sigma2 * (1.0 + of.gamma[0] * cross.first)
    between += of.sigma2 * of.gamma[1] * np.square(cross.between[:, : cross.rest]).sum(axis=1)
    assert drawn.between.var(axis=0) == pytest.approx(between, rel=0.04)


def test_a_factor_in_another_and_constant_weights_are_drawn_alike():
    """The rank of what is drawn: templates within two domains, and words of one gender each."""
    base = simulate(72, 160, {"word": 10, "template": 6}, {"word": 0.5, "template": 0.5}, spread=0.0)
    groups = {**base.groups, "domain": base.groups["template"] // 3}
    data = Data(base.scores, base.groups["word"] % 2, groups, base.weights)
    fit = data.fit()
    of = fit._estimate
    rng = np.random.default_rng(5)
    short = draw(of, "model", 4000, rng)
    noise = np.sqrt(of.sigma2 / data.weights)
    long = responses(of.rows, rows_drawn(data, fit, 4000, noise, rng))
    for a, b in ((short.square, long.square), ((short.within**2).sum(axis=1), (long.within**2).sum(axis=1))):
        assert stats.ks_2samp(a, b).pvalue > 1e-3


def test_after_the_cross_products_nothing_touches_the_rows(fit: lmm.Fit):
    """Evaluations, tests, shares of variance and the model's bootstrap, with the rows taken away."""
    blind = replace(fit, _estimate=replace(fit._estimate, rows=None))
    assert blind.criterion_at(fit.theta) == fit.criterion_at(fit.theta)
    assert blind.test({"gender: 1": 1, "gender: 2": -1}) == fit.test({"gender: 1": 1, "gender: 2": -1})
    assert blind.joint("gender") == fit.joint("gender")
    assert blind.r2("mean-variance") == fit.r2("mean-variance")
    a, b = (one.bootstrap(resamples=50, rng=np.random.default_rng(1)) for one in (blind, fit))
    assert a.r2() == b.r2()
    assert a.interval({"gender: 1": 1}) == b.interval({"gender: 1": 1})


def test_intervals_are_percentiles_of_the_replicates(fit: lmm.Fit):
    drawn = fit.bootstrap(resamples=400, rng=np.random.default_rng(2))
    contrast = fit.design.difference("gender", "1", "2")
    values = drawn.coefficients[:, 1] - drawn.coefficients[:, 2]
    found = drawn.interval(contrast, level=0.9)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))
    assert (found.level, found.resamples, found.n_degenerate) == (0.9, 400, 0)
    assert found.method == "parametric bootstrap (model), percentile"
    part = drawn.r2("mean-weight").part["gender"]
    shares = drawn.r2_replicates("mean-weight").part["gender"]
    assert (part.low, part.high) == pytest.approx(tuple(np.quantile(shares, [0.025, 0.975])))


def test_the_part_of_each_of_two_terms_is_fitted_anew_in_each_replicate(data: Data):
    rng = np.random.default_rng(8)
    kind = (data.gender + (rng.random(150) < 0.3)) % 2
    design = lmm.treatment({"gender": data.gender, "kind": kind})
    fit = lmm.fit(data.scores + kind, design, groups=data.groups, weights=data.weights)
    drawn = fit.bootstrap("lme4", resamples=5, rng=np.random.default_rng(4))
    shares = drawn.r2_replicates()
    rng = np.random.default_rng(4)
    fixed = design.matrix @ [test.estimate for test in fit.coefficients.values()]
    of = fit._estimate
    effects = rng.standard_normal((5, 14))
    noise = np.sqrt(of.sigma2) * rng.standard_normal((150, 5)).T
    for b in range(5):
        scores = fixed + noise[b]
        for name, part in (("word", effects[b, :9]), ("template", effects[b, 9:])):
            scores = scores + np.sqrt(fit.variances[name]) * part[level_codes(data.groups[name])]
        one = lmm.fit(scores, design, groups=data.groups, weights=data.weights)
        for term in ("gender", "kind"):
            assert shares.part[term][b] == pytest.approx(one.r2().part[term], rel=1e-5, abs=1e-12)


def test_the_same_generator_gives_the_same_replicates(fit: lmm.Fit):
    for kind in ("model", "lme4"):
        one, two, other = (
            fit.bootstrap(kind, resamples=20, rng=np.random.default_rng(seed)).residual_variance
            for seed in (1, 1, 2)
        )
        assert one.tolist() == two.tolist()
        assert one.tolist() != other.tolist()


def test_lme4s_bootstrap_may_exclude_its_own_estimate():
    """Weights below 1: residuals drawn without them are too small, and so is the variance fitted to them."""
    data = simulate(
        73, 1500, {"word": 10, "template": 6}, {"word": 0.3, "template": 0.3}, effect=1.0, log_weight=-4.0
    )
    fit = data.fit()
    model, lme4 = (
        fit.bootstrap(kind, resamples=300, rng=np.random.default_rng(1)) for kind in ("model", "lme4")
    )
    estimate = fit.r2().marginal
    assert model.r2().marginal.low < estimate < model.r2().marginal.high
    assert lme4.r2().marginal.low > estimate


def test_zero_variances_are_counted():
    data = simulate(74, 100, {"word": 6}, {"word": 0.0})
    drawn = data.fit().bootstrap(resamples=300, rng=np.random.default_rng(1))
    zeros = np.mean(drawn.variances["word"] == 0.0)
    assert 0.3 < zeros <= drawn.singular_share < 0.9
    assert drawn.n_degenerate == 0


@pytest.mark.slow
def test_both_ways_of_drawing_fit_alike(data: Data, fit: lmm.Fit):
    """R^2, coefficients and variances of 500 replicates against 500 data sets drawn and fitted row by row."""
    drawn = fit.bootstrap(resamples=500, rng=np.random.default_rng(21))
    of = fit._estimate
    fixed = data.design.matrix @ [test.estimate for test in fit.coefficients.values()]
    noise = np.sqrt(of.sigma2 / data.weights)
    rows = rows_drawn(data, fit, 500, noise, np.random.default_rng(22))
    fits = [data.with_scores(fixed + one).fit() for one in rows.T]
    r2 = drawn.r2_replicates()
    for found, expected in (
        (r2.marginal, [one.r2().marginal for one in fits]),
        (r2.conditional, [one.r2().conditional for one in fits]),
        (drawn.coefficients[:, 1], [one.coefficients["gender: 1"].estimate for one in fits]),
        (drawn.residual_variance, [one.residual_variance for one in fits]),
        (drawn.variances["template"], [one.variances["template"] for one in fits]),
    ):
        assert stats.ks_2samp(found, expected).pvalue > 0.002
