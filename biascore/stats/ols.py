"""Ordinary least squares with t tests, clustered covariances and fixed effects of one factor.

    fit = ols.fit(scores, treatment({"race": races, "gender": genders}, order=2))
    fit.coefficients["race: Latino"]                         # estimate, se, df, t, p_value, low, high
    stars(fit.coefficients["race: Latino"].p_value)
    ols.fit(scores, design, absorb={"frame": frames}).clustered({"name": names})

Scores may be any numbers, 0 and 1 included, and coefficients are in their unit. In a saturated design they are
differences of cell means, whatever the distribution of the scores; the classical t tests beside them assume that rows are
independent and vary equally.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr, solve_triangular

from biascore.stats import clusters as by_clusters
from biascore.stats import effects
from biascore.stats._checks import Floats
from biascore.stats.association import ZeroVarianceError
from biascore.stats.design import Codes, Contrast, Design, Factor, require_full_rank
from biascore.stats.errors import RegressionError
from biascore.stats.wald import TTest, Wald

_EXPLAINED = 1e-13  # residual, relative: rounding


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A least squares regression; made by `fit`."""

    n: int
    """Rows."""
    design: Design
    """Without its intercept where fixed effects are absorbed."""
    coefficients: Mapping[str, TTest]
    """By column of the design, in the unit of the scores."""
    residual_variance: float
    """Residual sum of squares / (n - parameters)."""
    r2: float
    """Share of the variance of the scores that the design explains; within levels where fixed effects are absorbed."""
    absorbed: str | None
    """The factor whose fixed effects are absorbed, with its number of levels; None without."""
    wald: Wald
    """Coefficients with the covariance that all tests use; ``wald.kind`` says which it is."""
    cautions: tuple[str, ...]
    """What a reader has to know of this fit, as sentences."""
    _rows: by_clusters.Rows

    def test(self, contrast: Contrast, *, level: float = 0.95, df: float | None = None) -> TTest:
        """Test a contrast of the coefficients; ``df=math.inf`` by the normal distribution.

        Raises RegressionError on an unknown column, ValueError on a level outside (0, 1).
        """
        return self.wald.test(self.design.vector(contrast), level=level, df=df)

    def marginal_effects(self, *, level: float = 0.95, df: float | None = None) -> Mapping[str, TTest]:
        """The average effect of each column but the intercept, other factors as they are in the rows.

        Without interactions these are the coefficients; with them a coefficient is the effect at the reference level of
        the other factors. Raises RegressionError for a design that `treatment` did not code.
        """
        found = effects.by_column(self.design)
        return MappingProxyType({name: self._predicted(of, level, df) for name, of in found})

    def marginal_effect(
        self, change: effects.Change, *, level: float = 0.95, df: float | None = None
    ) -> TTest:
        """The average effect of another change, such as ``{"race": ("Latino", "Arab")}``.

        Raises RegressionError on a factor or level that the design does not have.
        """
        return self._predicted(effects.difference(self.design, change), level, df)

    def mean(self, at: Mapping[str, str], *, level: float = 0.95, df: float | None = None) -> TTest:
        """The mean score at these levels, averaged over the other factors as they are (its t test is of a mean of 0).

        Raises RegressionError on a factor or level that the design does not have, and where fixed effects are absorbed.
        """
        if self.absorbed is not None:
            raise RegressionError(
                f"the fixed effects of {self.absorbed} are absorbed, so only differences are estimated; ask a fit "
                "without absorb for means"
            )
        return self._predicted(effects.mean_at(self.design, at), level, df)

    def clustered(self, clusters: Mapping[str, ArrayLike]) -> Fit:
        """The fit with a covariance clustered by one or two variables: labels (n,) by name (`biascore.stats.clusters`).

        Raises RegressionError on labels that are missing or of another number and on a variable with one level,
        ZeroVarianceError where the clusters do not differ, so that all standard errors would be 0.
        """
        classical = _classical(self.wald.estimates, self._rows, self.residual_variance)
        return self._with(by_clusters.clustered(classical, self._rows, self.design, clusters))

    def _with(self, wald: Wald) -> Fit:
        return replace(self, wald=wald, coefficients=wald.each(self.design.columns), cautions=wald.cautions)

    def _predicted(self, of: effects.Predictions, level: float, df: float | None) -> TTest:
        return self.wald.test(of.weights @ of.rows, level=level, df=df)


def fit(scores: ArrayLike, design: Design, *, absorb: Mapping[str, ArrayLike] | None = None) -> Fit:
    """Fit scores = design @ coefficients + residual, by least squares.

    ``scores`` (n,), any finite numbers. ``absorb``: labels (n,) of one factor by its name, such as ``{"frame": frames}``,
    whose levels each get an intercept of their own that is not reported (scores and columns less their means in the
    level: Frisch and Waugh 1933); coefficients, standard errors and degrees of freedom are those with a column per
    level. Covariance: sigma^2 (X'X)^-1, t tests with n - parameters degrees of freedom; see `Fit.clustered`.

    Raises ZeroVarianceError where the scores do not vary, or not beyond the design; RegressionError where scores or
    labels are missing, not finite or of different number, where there are no more rows than parameters, and where columns
    are combinations of each other or of the levels absorbed.
    """
    values = design.scores(scores)
    if float(np.ptp(values)) == 0.0:
        raise ZeroVarianceError(
            f"all {values.size} scores are {values[0]:g}, so they do not vary; check that the model reads its input"
        )
    around = values - values.mean()
    matrix, absorbed, extra = design.matrix, None, 0
    if absorb is not None:
        factor = _absorbed(absorb, values.size)
        kept = np.flatnonzero(np.ptp(matrix, axis=0) > 0.0)
        design = _columns(design, kept)
        matrix, values, around = (_within(of, factor) for of in (design.matrix, values, values))
        absorbed, extra = f"{factor.name} ({len(factor.levels)})", len(factor.levels)
    parameters = matrix.shape[1] + extra
    if values.size <= parameters:
        raise RegressionError(
            f"there are {values.size} rows for {matrix.shape[1]} columns and {extra} levels of {absorbed}; "
            "pass more rows, or absorb a factor with fewer levels"
        )
    estimates, unscaled = _solve(matrix, values, design, absorbed)
    residuals = values - matrix @ estimates
    rss = float(residuals @ residuals)
    if rss <= _EXPLAINED**2 * float(values @ values + values.size * np.square(np.asarray(scores)).max()):
        raise ZeroVarianceError(
            "the scores do not vary beyond what the design explains (one value per group), so there is nothing to "
            "test with; pass more rows per group, or check that the model reads its input"
        )
    variance = rss / (values.size - parameters)
    rows = by_clusters.Rows(matrix * residuals[:, np.newaxis], unscaled, residuals, parameters)
    started = Fit(
        n=values.size,
        design=design,
        coefficients=MappingProxyType({}),
        residual_variance=variance,
        r2=1.0 - rss / float(around @ around),
        absorbed=absorbed,
        wald=_classical(estimates, rows, variance),
        cautions=(),
        _rows=rows,
    )
    return started._with(started.wald)


def _classical(estimates: Floats, rows: by_clusters.Rows, variance: float) -> Wald:
    df = float(len(rows.residuals) - rows.parameters)
    return Wald(estimates, variance * rows.bread, df, "classical")


def _solve(matrix: Floats, values: Floats, design: Design, absorbed: str | None) -> tuple[Floats, Floats]:
    """Coefficients (p,) and the inverse of X'X."""
    lengths = np.linalg.norm(matrix, axis=0)
    # What is left of a column by the absorbed levels is rounding where they determine it.
    gone = lengths <= 1e-7 * np.linalg.norm(design.matrix, axis=0)
    if gone.any():
        names = ", ".join(name for name, none in zip(design.columns, gone, strict=True) if none)
        why = f"is the same in all rows of a level of {absorbed}" if absorbed else "is 0 in every row"
        raise RegressionError(f"{names} {why}, so its effect cannot be estimated; leave it or absorb out")
    q, r, order = qr(matrix / lengths, mode="economic", pivoting=True)
    require_full_rank(r, order, design.columns)
    inverse = np.empty_like(r)
    inverse[order] = solve_triangular(r, np.eye(len(r)))
    inverse /= lengths[:, np.newaxis]
    return inverse @ (q.T @ values), inverse @ inverse.T


def _absorbed(absorb: Mapping[str, ArrayLike], n: int) -> Factor:
    if len(absorb) != 1:
        raise RegressionError(
            f"absorb names {', '.join(absorb) or 'no factor'}; pass one factor, and give others to the design"
        )
    name, labels = next(iter(absorb.items()))
    factor = Factor.of(name, labels)
    if factor.codes.size != n:
        raise RegressionError(f"{name} has {factor.codes.size} labels for {n} scores; pass one per score")
    return factor


def _within(values: Floats, factor: Factor) -> Floats:
    """(n,) or (n, p) less the means of the levels."""
    columns = values.reshape(len(values), -1)
    count = np.bincount(factor.codes)
    sums = [np.bincount(factor.codes, weights=column) for column in columns.T]
    left: Floats = columns - (np.stack(sums, axis=1) / count[:, np.newaxis])[factor.codes]
    return left.reshape(values.shape)


def _columns(design: Design, kept: Codes) -> Design:
    if not kept.size:
        raise RegressionError("the design has no column that varies; pass one, or leave absorb out")
    names = tuple(design.columns[place] for place in kept)
    terms = {term: tuple(one for one in own if one in names) for term, own in design.terms.items()}
    return replace(
        design,
        matrix=design.matrix[:, kept],
        columns=names,
        terms=MappingProxyType({term: own for term, own in terms.items() if own}),
        indicators=tuple(design.indicators[place] for place in kept) if design.indicators else (),
    )
