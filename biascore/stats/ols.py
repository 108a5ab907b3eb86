"""Least squares through statsmodels, fixed effects of one factor, and errors clustered by one (CR2).

    fit = ols.fit(scores, treatment({"race": races, "gender": genders}, order=2))
    fit.coefficients["race: Latino"]                         # estimate, se, df, t, p_value, low, high
    stars(fit.coefficients["race: Latino"].p_value)
    ols.fit(scores, design, absorb={"frame": frames}).clustered(names).marginal_effect({"race": ("Latino", "Arab")})

Scores may be any numbers, and coefficients are in their unit. The classical t tests assume that rows are independent and
vary equally. Clustered ones assume neither: CR2 with the degrees of freedom of Bell and McCaffrey (Pustejovsky and Tipton
2018, JBES 36:672), which statsmodels does not have. Its CR1 rejects too often with few clusters: with 3 names a cell in 9.5
to 11.5 % where there is nothing. statsmodels is imported by the first fit, since it takes longer than most commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats import effects
from biascore.stats._checks import Floats, require_between
from biascore.stats.association import ZeroVarianceError
from biascore.stats.design import Codes, Contrast, Design, Factor, require_full_rank
from biascore.stats.errors import RegressionError
from biascore.stats.wald import TTest, Wald

_EXPLAINED = 1e-13  # residual, relative: rounding
_NOTHING = 1e-8  # of a variance or an eigenvalue: rounding
_WHOLE = 200  # rows of a cluster whose block is decomposed as it is, in the cube of their number
_FORM = 2**24  # numbers of a form of clusters by clusters held at once: 128 MiB


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
    absorbed: Factor | None
    """The factor whose fixed effects are absorbed."""
    wald: Wald
    """Coefficients with their classical covariance."""
    _matrix: Floats
    _residuals: Floats

    def test(self, contrast: Contrast, *, level: float = 0.95) -> TTest:
        """Test a contrast of the coefficients.

        Raises RegressionError on an unknown column, ValueError on a level outside (0, 1).
        """
        return self.wald.test(self.design.vector(contrast), level=level)

    def marginal_effect(self, change: effects.Change, *, level: float = 0.95) -> TTest:
        """The average effect of a change, such as ``{"race": ("Latino", "Arab")}``, other factors as they are in the rows.

        Raises RegressionError on a factor or level that the design does not have.
        """
        return self.wald.test(_gradient(self.design, change), level=level)

    def clustered(self, labels: ArrayLike) -> Clustered:
        """Tests that allow rows of one cluster to depend on each other; ``labels`` (n,).

        Raises RegressionError on labels that are missing or of another number, and on one cluster alone.
        """
        clusters = _factor("clusters", labels, self.n)
        if len(clusters.levels) < 2:
            raise RegressionError("all rows are of one cluster; pass labels of several")
        return Clustered.of(self, clusters)


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """A fit whose errors are clustered: CR2, with degrees of freedom of each contrast's own; made by `Fit.clustered`."""

    fit: Fit
    clusters: Factor
    _bread: Floats
    """(p, p): (X'X)^-1."""
    _adjusted: Floats
    """(n, p): of each cluster A X, where A is the inverse root of its block of I - H."""
    _lost: Floats
    """(n, p): what of X lies where that block is 0, so that residuals do not depend on it."""

    @classmethod
    def of(cls, fit: Fit, clusters: Factor) -> Clustered:
        """Adjust each cluster's rows by its own block of I - H, the fixed effects included."""
        x, frame = fit._matrix, fit.absorbed
        bread: Floats = np.asarray(np.linalg.inv(x.T @ x), dtype=np.float64)
        frames = np.arange(fit.n) if frame is None else frame.codes
        shares = np.zeros(fit.n) if frame is None else 1.0 / np.bincount(frame.codes)[frame.codes]
        adjusted, lost = np.empty_like(x), np.empty_like(x)
        order = np.argsort(clusters.codes, kind="stable")
        for own in np.split(order, np.cumsum(np.bincount(clusters.codes))[:-1]):
            adjusted[own], lost[own] = _adjusted(x[own], bread, frames[own], shares[own])
        return cls(fit, clusters, bread, adjusted, lost)

    def marginal_effect(self, change: effects.Change, *, level: float = 0.95) -> TTest:
        """The average effect of a change with its clustered t test; its standard error is 0 where clusters do not differ.

        Raises RegressionError where one cluster alone determines it, as a name that is the only one of its group.
        """
        require_between(level, "level", 0.0, 1.0)
        fit, codes = self.fit, self.clusters.codes
        gradient = _gradient(fit.design, change)
        along = self._bread @ gradient
        weights = self._adjusted @ along  # (n,)
        if np.linalg.norm(self._lost @ along) > _NOTHING * np.linalg.norm(fit._matrix @ along):
            raise RegressionError(
                "one cluster alone determines this effect, so that nothing tells how it varies; each group needs two"
            )
        count = len(self.clusters.levels)
        sums = np.bincount(codes, weights=weights * fit._residuals, minlength=count)
        variance = float(sums @ sums)
        alone = float(np.sum((weights * fit._residuals) ** 2))
        se = 0.0 if variance <= _NOTHING * alone else variance**0.5
        estimate = float(gradient @ fit.wald.estimates)
        return TTest.of(estimate, se, self._df(weights), level)

    def _df(self, weights: Floats) -> float:
        """Satterthwaite's, of the quadratic form that the variance is, for independent rows that vary equally."""
        codes, count = self.clusters.codes, len(self.clusters.levels)
        sums = np.zeros((count, self.fit._matrix.shape[1]))
        np.add.at(sums, codes, self.fit._matrix * weights[:, np.newaxis])
        own = np.bincount(codes, weights=weights**2, minlength=count)
        by_frame, sizes = np.zeros((count, 0)), np.ones(0, dtype=np.intp)
        if self.fit.absorbed is not None:
            frame = self.fit.absorbed
            by_frame, sizes = np.zeros((count, len(frame.levels))), np.bincount(frame.codes)
            np.add.at(by_frame, (codes, frame.codes), weights)
        trace = squares = 0.0
        for start in range(0, count, step := max(1, _FORM // count)):
            some = slice(start, start + step)
            form = np.zeros((own[some].size, count))
            np.fill_diagonal(form[:, start:], own[some])
            form -= sums[some] @ self._bread @ sums.T
            form -= (by_frame[some] / sizes) @ by_frame.T
            trace += float(np.trace(form[:, start:]))
            squares += float(np.sum(form**2))
        return trace**2 / squares


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
    from statsmodels.regression.linear_model import OLS

    values = design.scores(scores)
    if float(np.ptp(values)) == 0.0:
        raise ZeroVarianceError(
            f"all {values.size} scores are {values[0]:g}, so they do not vary; check that the model reads its input"
        )
    around = values - values.mean()
    matrix, factor = design.matrix, None
    if absorb is not None:
        factor = _absorbed(absorb, values.size)
        design = _columns(design, np.flatnonzero(np.ptp(matrix, axis=0) > 0.0))
        matrix, values, around = (_within(of, factor) for of in (design.matrix, values, values))
    levels = 0 if factor is None else len(factor.levels)
    parameters = matrix.shape[1] + levels
    if values.size <= parameters:
        raise RegressionError(
            f"there are {values.size} rows for {matrix.shape[1]} columns and {levels} fixed effects; "
            "pass more rows, or absorb a factor with fewer levels"
        )
    _require_estimable(matrix, design, factor)
    model = OLS(values, matrix)
    model.df_resid = values.size - parameters
    found = model.fit(method="qr")
    rss = float(found.ssr)
    if rss <= _EXPLAINED**2 * float(values @ values + values.size * np.square(np.asarray(scores)).max()):
        raise ZeroVarianceError(
            "the scores do not vary beyond what the design explains (one value per group), so there is nothing to "
            "test with; pass more rows per group, or check that the model reads its input"
        )
    wald = Wald(np.asarray(found.params), np.asarray(found.cov_params()), float(model.df_resid), "classical")
    return Fit(
        n=values.size,
        design=design,
        coefficients=wald.each(design.columns),
        residual_variance=float(found.scale),
        r2=1.0 - rss / float(around @ around),
        absorbed=factor,
        wald=wald,
        _matrix=matrix,
        _residuals=np.asarray(found.resid),
    )


def _adjusted(x: Floats, bread: Floats, frames: Codes, shares: Floats) -> tuple[Floats, Floats]:
    """A X of the rows (m, p) of a cluster, A the inverse root of their block of I - H, and what of X lies where that is 0.

    ``shares``: of each row 1 / the rows of its frame in all clusters. Of many rows those that are alike are one, times the
    root of their number: differences within them are eigenvectors of the block that are orthogonal to X.
    """
    if len(x) <= _WHOLE or np.unique(frames).size < frames.size:
        return _halved(x, bread, (frames[:, np.newaxis] == frames) * shares)
    rows, alike, count = np.unique(
        np.column_stack([x, shares]), axis=0, return_inverse=True, return_counts=True
    )
    root = np.sqrt(count)[:, np.newaxis]
    found, lost = _halved(root * rows[:, :-1], bread, np.diag(rows[:, -1]))
    alike = alike.ravel()  # numpy 2.0.0 gives it a second axis
    return (found / root)[alike], (lost / root)[alike]


def _halved(x: Floats, bread: Floats, absorbed: Floats) -> tuple[Floats, Floats]:
    """`_adjusted`, where ``absorbed`` (m, m) is what the fixed effects take of the block."""
    values, vectors = np.linalg.eigh(np.eye(len(x)) - x @ bread @ x.T - absorbed)
    kept = values > _NOTHING
    along = vectors.T @ x
    found = vectors[:, kept] @ (along[kept] / np.sqrt(values[kept])[:, np.newaxis])
    return found, vectors[:, ~kept] @ along[~kept]


def _gradient(design: Design, change: effects.Change) -> Floats:
    of = effects.difference(design, change)
    gradient: Floats = of.weights @ of.rows
    return gradient


def _require_estimable(matrix: Floats, design: Design, absorbed: Factor | None) -> None:
    """Raise RegressionError where columns are combinations of each other; statsmodels would share the effect out."""
    from scipy.linalg import qr

    lengths = np.linalg.norm(matrix, axis=0)
    # What is left of a column by the absorbed levels is rounding where they determine it.
    gone = lengths <= 1e-7 * np.linalg.norm(design.matrix, axis=0)
    if gone.any():
        names = ", ".join(name for name, none in zip(design.columns, gone, strict=True) if none)
        why = f"is the same in all rows of a level of {absorbed.name}" if absorbed else "is 0 in every row"
        raise RegressionError(f"{names} {why}, so its effect cannot be estimated; leave it or absorb out")
    _, r, order = qr(matrix / lengths, mode="economic", pivoting=True)
    require_full_rank(r, order, design.columns)


def _absorbed(absorb: Mapping[str, ArrayLike], n: int) -> Factor:
    if len(absorb) != 1:
        raise RegressionError(
            f"absorb names {', '.join(absorb) or 'no factor'}; pass one factor, and give others to the design"
        )
    name, labels = next(iter(absorb.items()))
    return _factor(name, labels, n)


def _factor(name: str, labels: ArrayLike, n: int) -> Factor:
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
