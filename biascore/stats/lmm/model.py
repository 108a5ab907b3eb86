"""Fitting a weighted linear mixed model, and what a fit is asked: tests, shares of variance, bootstrap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, require_between, within_range
from biascore.stats.design import Contrast, Design, Factor, finite_rows
from biascore.stats.errors import RegressionError
from biascore.stats.lmm.bootstrap import Bootstrap, Kind, replicate
from biascore.stats.lmm.estimate import Estimate, estimate, search
from biascore.stats.lmm.inference import FTest, Uncertainty
from biascore.stats.lmm.r2 import ResidualVariance, RSquared, require_residual, shares
from biascore.stats.lmm.reml import evaluate
from biascore.stats.wald import TTest

SINGULAR = 1e-4
"""A random intercept whose standard deviation is below this share of sigma makes a fit singular (lme4's isSingular)."""

MAX_WORK = 4 * 10**9
"""c^2 (q + c) of a fit, q being the levels of the largest group and c those of all others: a minute or two, and 1 GB."""

FEW_LEVELS = 5
"""With fewer levels than this, the variance of a random intercept is poorly determined."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A weighted linear mixed model with crossed random intercepts, fitted by REML; made by `fit`."""

    n: int
    """Rows."""
    design: Design
    coefficients: Mapping[str, TTest]
    """By column of the design: estimate, standard error, Satterthwaite t test and 95 % interval."""
    vcov: Floats
    """(p, p): covariance of the coefficients."""
    variances: Mapping[str, float]
    """tau^2 of each random intercept, in squared units of the scores; exactly 0 where it is estimated to be zero."""
    residual_variance: float
    """sigma^2: the residual variance of a row with weight 1."""
    theta: Mapping[str, float]
    """tau / sigma of each random intercept, as lme4 has it."""
    criterion: float
    """-2 x restricted log-likelihood, with all constants (lme4's REMLcrit)."""
    singular: bool
    """Whether some theta is below `SINGULAR`."""
    effects: Mapping[str, Mapping[str, float]]
    """Predictions (BLUPs) of each level's effect, by random intercept."""
    cautions: tuple[str, ...]
    """What a reader has to know of this fit, as sentences."""
    _estimate: Estimate
    _uncertainty: Uncertainty

    def test(self, contrast: Contrast, *, level: float = 0.95) -> TTest:
        """Test a contrast of coefficients: Satterthwaite t and its interval at ``level``.

        Raises RegressionError on an unknown column, ValueError on a level outside (0, 1).
        """
        require_between(level, "level", 0.0, 1.0)
        return self._uncertainty.t_test(self._estimate.coefficients, self.design.vector(contrast), level)

    def joint(self, contrasts: str | Sequence[Contrast]) -> FTest:
        """Test that all coefficients of a term (by its name), or several contrasts, are 0: F with Fai-Cornelius df.

        Contrasts may depend on each other; the numerator counts those that do not. With few levels the denominator
        depends a little on which contrasts say the hypothesis (Fai and Cornelius 1996): of a term they are its
        columns, as with lmerTest's contest(), where its anova() takes others. Raises RegressionError on an
        unknown term or column.
        """
        if isinstance(contrasts, str):
            if contrasts not in self.design.terms:
                raise RegressionError(
                    f"the design has no term {contrasts}; choose from {', '.join(self.design.terms) or '(none)'}"
                )
            contrasts = [{column: 1.0} for column in self.design.terms[contrasts]]
        if len(contrasts) == 0:
            raise RegressionError("there are no contrasts to test; pass at least one, or the name of a term")
        rows = np.array([self.design.vector(contrast) for contrast in contrasts])
        return self._uncertainty.f_test(self._estimate.coefficients, rows)

    def r2(self, residual: ResidualVariance = "unit-weight") -> RSquared[float]:
        """Shares of variance: marginal, conditional, and the part of each term of the design.

        "unit-weight" is what partR2 computes, and depends on the unit of the weights; "mean-variance" and
        "mean-weight" do not. See `ResidualVariance`.
        """
        of = self._estimate
        require_residual(residual)
        fixed = of.variance_fixed(of.coefficients[np.newaxis])
        without = of.variances_without(
            of.scores, of.shift[np.newaxis], lambda cross, scores: search(cross, scores).coefficients
        )
        random = np.array([sum(self.variances.values())])
        noise = np.array([self.residual_variance * of.noise[residual]])
        found = shares(residual, fixed, random, noise, self._by_term(without, 1))
        part = {term: float(value[0]) for term, value in found.part.items()}
        return RSquared(residual, float(found.marginal[0]), float(found.conditional[0]), part)

    def contributions(self, contrast: Contrast, scores: ArrayLike, clusters: ArrayLike) -> Floats:
        """What each row (n,) adds to a contrast of coefficients; all together they are its estimate.

        ``scores`` are those that were fitted, ``clusters`` (n,) names what is sampled, such as the word of a row. A cluster
        adds an equal share of the estimate and the influence of its rows: the contrast times the covariance of the
        coefficients times x_i w_i e_i / sigma^2, with e_i what neither fixed nor random effects explain (the sums over
        clusters are what a cluster-robust variance squares; Liang and Zeger 1986, Biometrika 73:13). Raises RegressionError
        on an unknown column.
        """
        of = self._estimate
        vector = self.design.vector(contrast)
        left = finite_rows(scores, "scores") - self.design.matrix @ of.coefficients
        for factor, effects in zip(of.rows.factors, of.effects(), strict=True):
            left -= effects[factor.codes]
        influence = (
            (self.design.matrix @ (self.vcov @ vector)) * of.rows.weights * left / self.residual_variance
        )
        _, place, size = np.unique(np.asarray(clusters), return_inverse=True, return_counts=True)
        found: Floats = influence + float(vector @ of.coefficients) / (size.size * size[place])
        return found

    def bootstrap(
        self, kind: Kind = "model", *, resamples: int = 1000, rng: np.random.Generator
    ) -> Bootstrap:
        """Parametric bootstrap: draw new random effects and residuals, fit again, ``resamples`` times.

        "model" draws residuals with variance sigma^2 / weight, as the model has them, from cross-products: its cost
        does not depend on the number of rows. "lme4" draws them with variance sigma^2 in every row and then fits
        with the weights, as simulate() of lme4 and so partR2 (Stoffel, Nakagawa and Schielzeth 2021) do; take it
        only to compare with intervals that were made that way. Where weights are below 1 its residuals are too
        small. Measured coverage of 95 % intervals, weights 1 / pseudo-perplexity, 6 templates x 10 words (400 data
        sets, standard error 1.1 points at 95 %, seed 20240501, benchmarks/bench_lmm_coverage.py):

            rows  effect           part R^2 (unit-weight)   part R^2 (mean-variance)   coefficient
             600     0.8   model         94.8                     93.5                    94.5
                           lme4          75.2                      1.5                    61.5
            1500     0.8   model         93.8                     94.8                    95.0
                           lme4          77.0                      0.0                    60.0
            1500     0.3   model         96.0                     95.2                    95.0
                           lme4          75.2                     14.2                    60.0

        and in 3 to 4 of 100 of the sets with the larger effect lme4's interval excludes the R^2 it is an interval of.
        Raises RegressionError on options out of range.
        """
        of = self._estimate
        found = replicate(of, kind, resamples, rng)
        tau2 = found.gamma * (found.sigma2[:, np.newaxis] / of.cross.scales)
        variances = dict(zip(of.cross.names, tau2.T, strict=True))
        ratios = np.sqrt(found.gamma / of.cross.scales)
        return Bootstrap(
            kind=kind,
            resamples=resamples,
            n_degenerate=found.n_degenerate,
            coefficients=found.coefficients,
            residual_variance=found.sigma2,
            variances=MappingProxyType({name: variances[name] for name in self.variances}),
            singular_share=float((ratios < SINGULAR).any(axis=1).mean()),
            design=self.design,
            fixed=of.variance_fixed(found.coefficients),
            without=MappingProxyType(self._by_term(found.without, len(found.sigma2))),
            noise=of.noise,
        )

    def criterion_at(self, theta: Mapping[str, float]) -> float:
        """The REML criterion at other tau / sigma, of every random intercept by name; fixed effects and sigma follow.

        Raises RegressionError unless ``theta`` names each of them once, with a finite number of at least 0.
        """
        if set(theta) != set(self.theta) or not all(0.0 <= value < math.inf for value in theta.values()):
            raise RegressionError(
                f"theta is {dict(theta)}; pass a number of at least 0 for each of {', '.join(self.theta)}"
            )
        of = self._estimate
        gamma = np.array([theta[name] ** 2 for name in of.cross.names]) * of.cross.scales
        return of.criterion(evaluate(of.cross, of.scores, gamma[np.newaxis]))

    def _by_term(self, without: Mapping[str, Floats], count: int) -> dict[str, Floats]:
        """Every term; those without which the fixed part is constant over the rows leave no variance."""
        return {term: without.get(term, np.zeros(count)) for term in self.design.terms}


@within_range("the mixed model", "give scores or weights in another unit", RegressionError)
def fit(
    scores: ArrayLike,
    design: Design,
    *,
    groups: Mapping[str, ArrayLike],
    weights: ArrayLike | None = None,
) -> Fit:
    """Fit scores = design @ coefficients + one random intercept per group + residual, by REML.

    ``scores`` (n,), in any unit. ``groups``: labels (n,) by name, as many crossed or nested factors as there are; the
    intercepts of factor k are N(0, tau_k^2). ``weights`` (n,), above 0, default 1: the residual of a row is
    N(0, sigma^2 / weight). They are used as given: multiplied by c they give sigma^2 times c and the same coefficients,
    standard errors and tests.

    A variance whose best estimate is zero is exactly 0. A group with one level is left out, and one with fewer than
    `FEW_LEVELS` kept, each with a caution. Same model as lme4's ``lmer(scores ~ design + (1 | group) + …, weights)``
    with lmerTest (Bates, Maechler, Bolker and Walker 2015, JSS 67(1); Kuznetsova, Brockhoff and Christensen 2017,
    JSS 82(13)). Time is O(n) once for the cross-products; then no step touches the rows.

    Raises ZeroVarianceError where the scores do not vary beyond the design; RegressionError where scores, weights or
    labels are masked, missing, not real, not finite or of different length, a weight is not above 0, columns of the design
    are combinations of each other, there are no more rows than columns or than the rank of design and groups, a group has
    a level per row or more levels than `MAX_WORK` allows, two groups are the same, the design determines a group's levels,
    design and groups explain every score, or numbers are beyond 64 bits.
    """
    values = design.scores(scores)
    n = values.size
    weighed = np.ones(n) if weights is None else finite_rows(weights, "weights")
    if weighed.size != n:
        raise RegressionError(f"there are {n} scores and {weighed.size} weights; pass one per score")
    if not (weighed > 0.0).all():
        raise RegressionError(
            f"weights is {weighed[weighed <= 0.0][0]:g} in row {int(np.argmax(weighed <= 0.0))} (counted from 0), and "
            f"{np.count_nonzero(weighed <= 0.0)} of {n} rows are not above 0; leave those rows out and report them"
        )
    factors, cautions = _factors(groups, n)
    _require_few(factors)
    found = estimate(design, factors, values, weighed)
    gamma = found.gamma / found.cross.scales
    ratio = dict(zip(found.cross.names, gamma.tolist(), strict=True))
    order = [factor.name for factor in factors]
    uncertainty = Uncertainty.of(
        found.cross, found.scores, found.profile, found.gamma, found.basis.from_basis
    )
    theta = {name: math.sqrt(ratio[name]) for name in order}
    small = [name for name in order if theta[name] < SINGULAR]
    cautions += [
        f"the variance of {name} is estimated to be zero (a singular fit)"
        if theta[name] == 0.0
        else f"the standard deviation of {name} is below {SINGULAR:g} of sigma, which lme4 calls a singular fit"
        for name in small
    ]
    effects = {
        factor.name: MappingProxyType(dict(zip(factor.levels, values.tolist(), strict=True)))
        for factor, values in zip(found.rows.factors, found.effects(), strict=True)
    }
    whole = Fit(
        n=n,
        design=design,
        coefficients=MappingProxyType({}),
        vcov=uncertainty.vcov,
        variances=MappingProxyType({name: found.sigma2 * ratio[name] for name in order}),
        residual_variance=found.sigma2,
        theta=MappingProxyType(theta),
        criterion=found.criterion(found.profile),
        singular=bool(small),
        effects=MappingProxyType({name: effects[name] for name in order}),
        cautions=tuple(cautions),
        _estimate=found,
        _uncertainty=uncertainty,
    )
    tests = {name: whole.test({name: 1.0}) for name in design.columns}
    return replace(whole, coefficients=MappingProxyType(tests))


def _require_few(factors: Sequence[Factor]) -> None:
    """Raise RegressionError where the groups have more levels than a fit could take in minutes."""
    *others, largest = sorted(len(factor.levels) for factor in factors) or [0]
    if sum(others) ** 2 * (largest + sum(others)) > MAX_WORK:
        levels = " and ".join(f"{factor.name} {len(factor.levels):,}" for factor in factors)
        raise RegressionError(
            f"the groups have too many levels for a mixed model, {levels}; 1,200 levels of each of two are about as many as "
            "can be fitted. Leave the group with fewer levels out, or fit part of the rows"
        )


def _factors(groups: Mapping[str, ArrayLike], n: int) -> tuple[tuple[Factor, ...], list[str]]:
    kept: list[Factor] = []
    cautions = []
    for name, labels in groups.items():
        factor = Factor.of(name, labels)
        if factor.codes.size != n:
            raise RegressionError(
                f"group {name} has {factor.codes.size} labels for {n} scores; pass one per score"
            )
        count = len(factor.levels)
        if count == 1:
            cautions.append(
                f"{name} has one level ({factor.levels[0]}), so its variance cannot be estimated: it is left out"
            )
            continue
        if count == n:
            raise RegressionError(
                f"group {name} has a level for each of the {n} rows, so its variance cannot be separated from the "
                f"residual's; leave {name} out of groups"
            )
        for other in kept:
            if factor.same_groups(other):
                raise RegressionError(
                    f"groups {other.name} and {name} put the rows into the same groups, so only the sum of their "
                    "variances shows; leave one out"
                )
        if count < FEW_LEVELS:
            cautions.append(
                f"{name} has {count} levels; with fewer than {FEW_LEVELS} its variance is poorly determined"
            )
        kept.append(factor)
    return tuple(kept), cautions
