"""The REML estimate as arrays, found from cross-products, and what follows from it without names or rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.association import MIN_RELATIVE_SPREAD, ZeroVarianceError
from biascore.stats.design import Design, Factor
from biascore.stats.errors import RegressionError
from biascore.stats.lmm.cross_products import Basis, CrossProducts, Responses, Rows, cross_products, responses
from biascore.stats.lmm.r2 import ResidualVariance
from biascore.stats.lmm.reml import Optimum, Profile, evaluate, minimise

_UNIDENTIFIED = 1e-10  # of a factor's sum of squares is left once the design is taken out
_NO_NOISE = 1e-12  # of the sum of squares is left once design and groups are taken out
_TINY = 1e-140  # the square root of the least number that keeps all its digits, and some room
_UNEVEN = 1e15  # times the smallest weight
_STARTS = (0.0, 2.0, 6.0)  # log(1 + gamma) of all factors
_ALONE = 4.0  # log(1 + gamma) of one factor, the others 0, or the reverse

Solve: TypeAlias = Callable[[CrossProducts, Responses], Floats]
"""Gives the coefficients of U (B, p) of a model for B responses."""


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """A model without a term: how to come from the whole model's cross-products to its own."""

    columns: Floats
    """(p, r): orthonormal, what of U is left."""
    from_columns: Floats
    """(r, r): coefficients of the columns of the design that are left, from those of ``columns``."""
    covariance: Floats
    """(r, r): sample covariance over the rows of the columns of the design that are left."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Minimum of the REML criterion, with what it was found from (see `cross_products` for the notation)."""

    rows: Rows
    basis: Basis
    cross: CrossProducts
    scores: Responses
    """Of the scores less the design times ``shift``."""
    shift: Floats
    """(p,): weighted least squares."""
    profile: Profile
    """At ``gamma``."""
    gamma: Floats
    """(K,): scaled variance ratios."""
    covariance: Floats
    """(p, p): sample covariance (n - 1, unweighted) over the rows of the columns of the design."""
    constant: float
    """Of the criterion: log |X'WX| less the sum of log weights."""
    noise: Mapping[ResidualVariance, float]
    """By which sigma2 is multiplied for each kind of R^2."""
    reductions: Mapping[str, Reduction]
    """Of the terms without which the fixed part still varies over the rows."""

    @property
    def df(self) -> int:
        """n - p."""
        return self.cross.n - self.cross.p

    @property
    def sigma2(self) -> float:
        """Residual variance of a row with weight 1."""
        return float(self.profile.rss[0]) / self.df

    @property
    def coefficients(self) -> Floats:
        """(p,): of the columns of the design."""
        total: Floats = self.shift + self.basis.from_basis @ self.profile.rest[0, self.cross.rest :]
        return total

    def effects(self) -> tuple[Floats, ...]:
        """Predictions of the random effects (BLUPs), per factor of ``rows``."""
        if not self.gamma.size:
            return ()
        first = self.gamma[0] * self.profile.first[0]
        scaled = (first, *(self.profile.rest[0, part] for part in self.cross.slices))
        return tuple(one / math.sqrt(s) for one, s in zip(scaled, self.cross.scales, strict=True))

    def criterion(self, profile: Profile) -> float:
        """-2 x restricted log-likelihood, with its constants, of a profile of one response."""
        spread = 1.0 + math.log(2.0 * math.pi * float(profile.rss[0]) / self.df)
        return float(profile.log_det[0]) + self.constant + self.df * spread

    def variance_fixed(self, coefficients: Floats) -> Floats:
        """Variance over the rows of the fixed part, for coefficients of the design (B, p): (B,)."""
        return _quadratic(self.covariance, coefficients)

    def variances_without(self, scores: Responses, shift: Floats, solve: Solve) -> dict[str, Floats]:
        """That without each term of ``reductions``, fitted to ``scores`` plus the design times ``shift`` (B, p)."""
        found = {}
        moved = shift @ self.basis.to_basis.T
        for term, left in self.reductions.items():
            kept = moved @ left.columns
            lost = moved - kept @ left.columns.T
            whole = scores.plus(
                self.cross, np.concatenate([np.zeros((len(lost), self.cross.rest)), lost], axis=1)
            )
            coefficients = kept + solve(self.cross.reduced(left.columns), whole.reduced(left.columns))
            found[term] = _quadratic(left.covariance, coefficients @ left.from_columns.T)
        return found


def estimate(design: Design, factors: tuple[Factor, ...], scores: Floats, weights: Floats) -> Estimate:
    """Fit scores (n,) with weights (n,); the factors have at least two levels each."""
    _require_range(scores, weights)
    basis = Basis.of(design, weights)
    ordered = tuple(sorted(factors, key=lambda factor: (-len(factor.levels), factor.name)))
    rows = Rows(weights, ordered, basis.columns)
    shift, residual = np.zeros(len(design.columns)), scores
    for _ in range(2):  # twice, so that scores far from 0 leave no rounding of their own size
        shift = shift + basis.from_basis @ (basis.columns.T @ (weights * residual))
        residual = scores - design.matrix @ shift
    whole = math.sqrt(float(weights @ np.square(scores)))
    if math.sqrt(float(weights @ np.square(residual))) <= MIN_RELATIVE_SPREAD * whole:
        raise ZeroVarianceError(
            "the scores do not vary (to 12 digits) beyond what the design explains, so there is nothing to "
            "estimate; check that the model gives different scores to different rows"
        )
    cross = cross_products(rows)
    of = responses(rows, residual[:, np.newaxis])
    _require_identified(cross, rows)
    _require_noise(cross, of)
    gamma = search(cross, of).gamma[0]
    covariance = _covariance(design.matrix)
    return Estimate(
        rows=rows,
        basis=basis,
        cross=cross,
        scores=of,
        shift=shift,
        profile=evaluate(cross, of, gamma[np.newaxis]),
        gamma=gamma,
        covariance=covariance,
        constant=basis.log_det - float(np.log(weights).sum()),
        noise={
            "unit-weight": 1.0,
            "mean-variance": float((1.0 / weights).mean()),
            "mean-weight": 1.0 / float(weights.mean()),
        },
        reductions=_reductions(design, basis, covariance),
    )


def _require_range(scores: Floats, weights: Floats) -> None:
    """Raise RegressionError where squares of the scores would overflow or vanish, or weights are too uneven."""
    with np.errstate(over="ignore", under="ignore"):
        whole = math.sqrt(float(weights @ np.square(scores)))
    if not math.isfinite(whole) or (whole < _TINY and scores.any()):
        raise RegressionError(
            "the weighted sum of squared scores is beyond what a number of 64 bits holds; give scores or weights in "
            "another unit"
        )
    row = int(np.argmax(weights))
    if weights[row] > _UNEVEN * weights.min():
        raise RegressionError(
            f"weights go from {weights.min():g} to {weights[row]:g}, the latter in row {row} (counted from 0), and rows of "
            f"less than 1 / {_UNEVEN:g} of it are lost in rounding; leave such rows out and report them"
        )


def search(cross: CrossProducts, of: Responses) -> Optimum:
    """The lowest minimum for one response that several starts lead to; RegressionError where none does."""
    start = _starts(len(cross.sizes))
    found = minimise(cross, of[np.zeros(len(start), dtype=np.intp)], start)
    best = int(np.argmin(np.where(found.converged, found.criterion, np.inf)))
    if not found.converged[best]:
        raise RegressionError(
            "the REML criterion has no minimum that could be found; fit with fewer groups, and report these data"
        )
    return found[np.array([best])]


def _starts(factors: int) -> Floats:
    """Where the search begins, (starts, K): all factors alike, each alone, each left out.

    A criterion may have more than one minimum, most often with one variance or another at zero.
    """
    alike = np.repeat(np.array(_STARTS)[:, np.newaxis], factors, axis=1)
    if factors < 2:
        return alike
    alone = np.eye(factors) * _ALONE
    return np.concatenate([alike, alone, _ALONE - alone])


def _covariance(matrix: Floats) -> Floats:
    """Sample covariance of the columns (n - 1), exactly 0 for those that are constant."""
    centred = matrix - matrix.mean(axis=0)
    centred[:, (matrix == matrix[0]).all(axis=0)] = 0.0
    covariance: Floats = centred.T @ centred / (len(matrix) - 1)
    return covariance


def _reductions(design: Design, basis: Basis, covariance: Floats) -> dict[str, Reduction]:
    found = {}
    for term, columns in design.terms.items():
        left = [place for place, name in enumerate(design.columns) if name not in columns]
        kept = covariance[np.ix_(left, left)]
        if kept.any():
            q, r = np.linalg.qr(basis.to_basis[:, left])
            found[term] = Reduction(q, np.asarray(np.linalg.inv(r), dtype=np.float64), kept)
    return found


def _quadratic(form: Floats, vectors: Floats) -> Floats:
    value: Floats = ((vectors @ form) * vectors).sum(axis=1)
    return value.clip(min=0.0)


def _require_identified(cross: CrossProducts, rows: Rows) -> None:
    """Raise RegressionError where the design already tells the levels of a factor apart."""
    whole = cross.within + cross.between.T @ cross.between
    design = slice(cross.rest, None)
    # Sum of squares of each factor's columns, and what the design takes of it (U is orthonormal).
    parts = [(whole[part, part].trace(), np.square(whole[part, design]).sum()) for part in cross.slices]
    if rows.factors:
        taken = np.square(np.sqrt(cross.first)[:, np.newaxis] * cross.between[:, design]).sum()
        parts.insert(0, (cross.first.sum(), taken))
    for factor, (total, explained) in zip(rows.factors, parts, strict=True):
        if total - explained <= _UNIDENTIFIED * total:
            raise RegressionError(
                f"the levels of group {factor.name} are combinations of the columns of the design, so its "
                f"variance cannot be estimated; leave {factor.name} out of groups, or its columns out of the design"
            )


def _require_noise(cross: CrossProducts, of: Responses) -> None:
    """Raise RegressionError where groups and design explain every score."""
    _, inverse = cross.root()
    if cross.n - len(cross.first) - len(inverse) < 1:
        raise RegressionError(
            f"the groups and the design have as many levels as there are rows ({cross.n}), so nothing is left for "
            "the residual; pass more rows, or fewer groups"
        )
    left = float(of.square[0] - np.square(inverse @ of.within[0]).sum())
    if left <= _NO_NOISE * float(of.square[0] + np.square(of.between[0]).sum()):
        raise RegressionError(
            "the groups and the design explain every score exactly, so there is no residual variance to compare "
            "effects with; fit with fewer groups, or compare the scores directly"
        )
