"""Fitting a Beta regression, and what a fit is asked: tests, effects on the scale of the scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats import effects
from biascore.stats._checks import Floats, within_range
from biascore.stats.association import ZeroVarianceError
from biascore.stats.beta.likelihood import Cells, Point
from biascore.stats.beta.scoring import invert, maximise
from biascore.stats.design import INTERCEPT, Contrast, Design, require_full_rank
from biascore.stats.errors import RegressionError
from biascore.stats.wald import TTest, Wald

MANY_AT_ENDS = 0.05
"""Where a larger share of the scores is exactly 0 or 1, what squeezing makes of them rules the estimates."""

DECIDES = 1.0
"""By how much t of a coefficient moves without the one score that a caution is about: the size of a standard error."""

Information: TypeAlias = Literal["observed", "expected"]

_EXPLAINED = 1e-13  # residual of the logits, relative: rounding


@dataclass(frozen=True, slots=True)
class LikelihoodRatio:
    """The test that the columns which a smaller design lacks have no effect."""

    chisq: float
    """Twice the difference of the log-likelihoods."""
    df: int
    """Columns that the smaller design lacks."""
    p_value: float
    """P(chi-square with df >= chisq)."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A Beta regression fitted by maximum likelihood; made by `fit`."""

    n: int
    """Rows."""
    design: Design
    coefficients: Mapping[str, TTest]
    """By column of the design, on the logit scale: log odds of the mean score."""
    phi: float
    """Precision: the variance of a score with mean mu is mu (1 - mu) / (1 + phi)."""
    log_phi: TTest
    """The logarithm of ``phi``, which is the parameter."""
    log_likelihood: float
    n_zero: int
    """Scores that are exactly 0."""
    n_one: int
    """Scores that are exactly 1."""
    squeezed: bool
    """Whether all scores were squeezed to (y (n - 1) + 1/2) / n."""
    wald: Wald
    """Parameters, log phi the last, with the covariance that all tests use; ``wald.kind`` says which it is."""
    steps: int
    """Steps of Fisher scoring."""
    cautions: tuple[str, ...]
    """What a reader has to know of this fit, as sentences."""
    _at: Point
    _decided: tuple[str, ...] = ()

    def test(self, contrast: Contrast, *, level: float = 0.95, df: float | None = None) -> TTest:
        """Test a contrast of the coefficients, on the logit scale; ``df=math.inf`` by the normal distribution.

        Raises RegressionError on an unknown column, ValueError on a level outside (0, 1).
        """
        return self.wald.test(np.append(self.design.vector(contrast), 0.0), level=level, df=df)

    def marginal_effects(self, *, level: float = 0.95, df: float | None = None) -> Mapping[str, TTest]:
        """The average marginal effect of each column but the intercept, in the unit of the scores (delta method).

        That is the average discrete change from the reference level, and of an interaction the average second
        difference: `biascore.stats.effects`. Raises RegressionError for a design that `treatment` did not code.
        """
        changes = effects.by_column(self.design)
        return MappingProxyType(
            {name: self.marginal_effect(change, level=level, df=df) for name, change in changes}
        )

    def marginal_effect(
        self, change: effects.Change, *, level: float = 0.95, df: float | None = None
    ) -> TTest:
        """The average marginal effect of another change, such as ``{"race": ("Latino", "Arab")}``.

        Raises RegressionError on a factor or level that the design does not have.
        """
        return self._predicted(effects.difference(self.design, change), level, df)

    def mean(self, at: Mapping[str, str], *, level: float = 0.95, df: float | None = None) -> TTest:
        """The mean score at these levels, averaged over the other factors as they are (its t test is of a mean of 0).

        Raises RegressionError on a factor or level that the design does not have.
        """
        return self._predicted(effects.mean_at(self.design, at), level, df)

    def with_information(self, kind: Information) -> Fit:
        """The fit with standard errors from the observed information (the default) or the expected (R's betareg)."""
        if kind not in ("observed", "expected"):
            raise RegressionError(f"the information is {kind!r}; pass 'observed' or 'expected'")
        inverse = self._bread(observed=kind == "observed")
        df = float(self.n - len(self.design.columns) - 1)
        return self._with(Wald(self.wald.estimates, inverse, df, f"{kind} information"))

    def likelihood_ratio(self, smaller: Fit) -> LikelihoodRatio:
        """Test this fit against one of the same scores with fewer columns.

        Raises RegressionError where the scores differ, or the smaller design is no part of this one.
        """
        from scipy.special import chdtrc

        if smaller.n != self.n or smaller._at.cells.constant != self._at.cells.constant:
            raise RegressionError("the two fits are of different scores; fit both to the same")
        more, fewer = self.design.matrix, smaller.design.matrix
        df = more.shape[1] - fewer.shape[1]
        left = fewer - more @ np.linalg.lstsq(more, fewer, rcond=None)[0]
        if df < 1 or np.linalg.norm(left) > 1e-8 * np.linalg.norm(fewer):
            raise RegressionError(
                f"columns {', '.join(smaller.design.columns)} are no part of {', '.join(self.design.columns)}; "
                "compare a fit with one that leaves some of its columns out"
            )
        chisq = max(0.0, 2.0 * (self.log_likelihood - smaller.log_likelihood))
        return LikelihoodRatio(chisq, df, float(chdtrc(df, chisq)))

    def _with(self, wald: Wald) -> Fit:
        return replace(
            self,
            wald=wald,
            coefficients=wald.each(self.design.columns),
            log_phi=TTest.of(float(wald.estimates[-1]), math.sqrt(float(wald.vcov[-1, -1])), wald.df),
            cautions=_ends(self.n, self.n_zero, self.n_one, self.squeezed) + wald.cautions + self._decided,
        )

    def _bread(self, *, observed: bool) -> Floats:
        inverse = invert(self._at.information(observed=observed))
        if inverse is None:
            raise RegressionError(
                f"the observed information of the Beta regression of {self.n} scores is not positive definite; "
                "use with_information('expected'), or least squares (biascore.stats.ols)"
            )
        return inverse

    def _predicted(self, of: effects.Predictions, level: float, df: float | None) -> TTest:
        from scipy.special import expit

        eta = of.rows @ self.wald.estimates[:-1]
        mu, slope = expit(eta), expit(eta) * expit(-eta)
        gradient = np.append((of.weights * slope) @ of.rows, 0.0)
        return self.wald.test(gradient, estimate=float(of.weights @ mu), level=level, df=df)


@within_range(
    "the Beta regression",
    "look at the scores, and use least squares (biascore.stats.ols) where they are far from any Beta distribution",
    RegressionError,
)
def fit(scores: ArrayLike, design: Design, *, squeeze: bool = False) -> Fit:
    """Fit logit E[score] = design @ coefficients with one precision, by maximum likelihood.

    ``scores`` (n,), in (0, 1). Scores that are exactly 0 or 1 have no likelihood: an error, or with ``squeeze`` all
    scores become (y (n - 1) + 1/2) / n where any is (Smithson and Verkuilen 2006, Psych. Methods 11:54), which the fit
    records. Standard errors come from the observed information (`Fit.with_information`), t tests have
    n - p - 1 degrees of freedom for p columns. Estimates are those of R's betareg and of statsmodels' BetaModel. Its
    optimisers fail where scores vary very little (bfgs: 30 of 60 sets fitted at a precision of 1e5, 8 at 1e7, none at 1e9)
    or very much (newton: 6 at 1, none at 0.3); this one fits 60 of 60 from 0.1 to 1e9, and 8640 scores in 6 ms where bfgs
    takes 9 times as long and newton 16 times (benchmarks/bench_beta.py).

    A caution names the lowest or highest score, whichever is farther from the next on the logit scale, where setting it to
    that one moves the t of a coefficient by more than `DECIDES`.

    Raises ZeroVarianceError where the scores do not vary, or not beyond the design; RegressionError where scores are
    masked, not real, not finite, outside [0, 1], or exactly 0 or 1 without ``squeeze``, where there are no more rows than
    parameters, where columns of the design are combinations of each other, and where no maximum is found.
    """
    values = design.scores(scores, further=1)
    ends = _require_unit(values, squeeze)
    if ends[2]:
        values = (values * (values.size - 1) + 0.5) / values.size
    found = _maximum(values, design, ends)
    decided = _decided(found, values, ends)
    return replace(found, cautions=found.cautions + decided, _decided=decided)


def _maximum(values: Floats, design: Design, ends: tuple[int, int, bool]) -> Fit:
    """The fit of scores in (0, 1), of which ``ends`` were 0, were 1, and whether they were squeezed."""
    cells = Cells.of(values, design)
    _require_estimable(cells, design)
    found = maximise(cells)
    estimates = found.at.parameters
    nothing = TTest(math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, math.nan)
    started = Fit(
        n=values.size,
        design=design,
        coefficients=MappingProxyType({}),
        phi=found.at.phi,
        log_phi=nothing,
        log_likelihood=found.at.log_likelihood,
        n_zero=ends[0],
        n_one=ends[1],
        squeezed=ends[2],
        wald=Wald(estimates, np.zeros((estimates.size, estimates.size)), math.nan, ""),
        steps=found.steps,
        cautions=(),
        _at=found.at,
    )
    return started.with_information("observed")


def _decided(fit: Fit, values: Floats, ends: tuple[int, int, bool]) -> tuple[str, ...]:
    """The caution that one score decides the fit, if it does."""
    from scipy.special import logit

    order = np.argsort(values, kind="stable")
    logits = logit(values[order])
    low, high = logits[1] - logits[0], logits[-1] - logits[-2]
    row, next_to = (order[0], order[1]) if low >= high else (order[-1], order[-2])
    nearer = values.copy()
    nearer[row] = values[next_to]
    try:
        other = _maximum(nearer, fit.design, ends).coefficients
    except (RegressionError, ZeroVarianceError):
        what = "no fit is possible"
    else:
        moved = {
            name: abs(one.t - other[name].t) for name, one in fit.coefficients.items() if name != INTERCEPT
        }
        name = max(moved, key=lambda name: moved[name], default="")
        if not name or not moved[name] > DECIDES:
            return ()
        what = f"p of {name} is {other[name].p_value:.2g} instead of {fit.coefficients[name].p_value:.2g}"
    return (
        f"the score {values[row]:.4g} in row {row} (counted from 0) decides this fit: with the next "
        f"{'lowest' if low >= high else 'highest'}, {values[next_to]:.4g}, in its place {what}",
    )


def _require_unit(values: Floats, squeeze: bool) -> tuple[int, int, bool]:
    """Numbers of zeros and of ones, and whether to squeeze."""
    outside = (values < 0.0) | (values > 1.0)
    if outside.any():
        first = int(np.argmax(outside))
        raise RegressionError(
            f"{np.count_nonzero(outside)} of {values.size} scores are outside [0, 1], the first {values[first]:g} in row "
            f"{first} (counted from 0); a Beta regression has no place for them: rescale the scores, or use least "
            "squares (biascore.stats.ols)"
        )
    if float(np.ptp(values)) == 0.0:
        raise ZeroVarianceError(
            f"all {values.size} scores are {values[0]:g}, so they do not vary; check that the model reads its input"
        )
    n_zero, n_one = int(np.count_nonzero(values == 0.0)), int(np.count_nonzero(values == 1.0))
    if n_zero + n_one and not squeeze:
        raise RegressionError(
            f"{n_zero} of {values.size} scores are exactly 0 and {n_one} exactly 1, where a Beta distribution has no "
            "likelihood; pass squeeze=True to move all scores to (y (n - 1) + 1/2) / n, which the result records, or use "
            "least squares (biascore.stats.ols)"
        )
    return n_zero, n_one, bool(n_zero + n_one)


def _require_estimable(cells: Cells, design: Design) -> None:
    """RegressionError where columns depend on each other, ZeroVarianceError where the design explains every score."""
    from scipy.linalg import qr

    weighted = cells.design * np.sqrt(cells.count)[:, np.newaxis]
    lengths = np.linalg.norm(weighted, axis=0)
    q, r, order = qr(weighted / np.where(lengths > 0.0, lengths, 1.0), mode="economic", pivoting=True)
    require_full_rank(r, order, design.columns)
    between = cells.centre * np.sqrt(cells.count)
    left = float(np.square(between - q @ (q.T @ between)).sum())
    within = float(np.square(cells.row_a - cells.row_b).sum())
    if left + within <= _EXPLAINED**2 * float(np.square(cells.centre) @ cells.count + len(cells.of_row)):
        raise ZeroVarianceError(
            "the scores do not vary beyond what the design explains (one value per group), so there is nothing to "
            "test with; pass more rows per group, or check that the model reads its input"
        )


def _ends(n: int, n_zero: int, n_one: int, squeezed: bool) -> tuple[str, ...]:
    if not squeezed:
        return ()
    share = (n_zero + n_one) / n
    told = f"{n_zero} of {n} scores are exactly 0 and {n_one} exactly 1, so all were squeezed to (y (n - 1) + 1/2) / n"
    if share > MANY_AT_ENDS:
        told += f"; these are {100 * share:.0f} % of the scores, and the estimates depend on how they are squeezed"
    return (told,)
