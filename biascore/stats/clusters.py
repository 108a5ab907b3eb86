"""Covariances that allow rows of one cluster to depend on each other: the sandwich of Liang and Zeger (1986).

Of the rows of one name, all sentences share the name: they are no independent observations, and standard errors that
take them for such are too small. The sandwich sums the scores (derivatives of the criterion, one vector per row) over
each cluster: V = c I^-1 (sum over clusters of s s') I^-1, with I the information and c = G / (G - 1) (n - 1) / (n - k) for
G clusters, n rows and k parameters, as Stata and statsmodels have it; t tests have G - 1 degrees of freedom. With two
cluster variables V = V_1 + V_2 - V_12, where V_12 has a cluster for each pair, each term with its own c (Cameron,
Gelbach and Miller 2011, JBES 29:238); the degrees of freedom are those of the variable with fewer clusters. Where every
name is in the same frames, effects of frames that the design leaves out cancel in V_1 and in V_2 but not in V_12, which is
taken away: standard errors are then far too small, and a caution says so. Cluster by name alone there, or absorb the frames.
Measured coverage of 95 % intervals with 4 to 20 names in each of four cells, 35 frames: by name alone 91 to 96 %, by name
and frame 46 to 93 %, of independent rows 69 to 100 % (300 sets a case; tests/benchmarks/bench_beta_names.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats
from biascore.stats.association import ZeroVarianceError
from biascore.stats.design import INTERCEPT, Codes, Design, Factor
from biascore.stats.errors import RegressionError
from biascore.stats.wald import Wald

FEW_CLUSTERS = 20
"""With fewer clusters than this, clustered standard errors are known to be too small."""

_NOTHING = 1e-8  # of what rows that do not depend on each other would give: rounding
_MUCH_SMALLER = 0.81  # of a variance: a standard error that is less than nine tenths of the other


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What each row adds to a fit of n rows and k parameters."""

    scores: Floats
    """(n, k): derivatives of the criterion; their sums are 0."""
    bread: Floats
    """(k, k): the inverse of the information."""
    residuals: Floats
    """(n,), in the unit of the linear predictor: how far a row is from its cell."""
    parameters: int
    """Parameters estimated, those that were absorbed included: at least k."""


def clustered(fitted: Wald, rows: Rows, design: Design, clusters: Mapping[str, ArrayLike]) -> Wald:
    """The estimates with a covariance clustered by one or two variables: labels (n,) by name.

    Raises RegressionError on labels that are missing or of another number, on one cluster, and on more than two
    variables; ZeroVarianceError where the clusters do not differ, so that all standard errors would be 0.
    """
    if not 1 <= len(clusters) <= 2:
        raise RegressionError(
            f"there are {len(clusters)} cluster variables; pass one or two, as in {{'name': names}}"
        )
    factors = [_factor(name, labels, design.n) for name, labels in clusters.items()]
    parts = [_sandwich(factor.codes, len(factor.levels), rows) for factor in factors]
    cautions: list[str] = []
    vcov = parts[0]
    if len(factors) == 2:
        one, two = factors
        pairs, codes = np.unique(one.codes * len(two.levels) + two.codes, return_inverse=True)
        vcov, cautions = _positive(parts[0] + parts[1] - _sandwich(codes, pairs.size, rows))
        cautions += _smaller(vcov, parts, factors, design)
    cautions += _require_variation(fitted, vcov, factors, design)
    for factor in factors:
        cautions += _cautions(factor, rows, design)
    smallest = min(len(factor.levels) for factor in factors)
    told = " and ".join(f"{factor.name} ({len(factor.levels)})" for factor in factors)
    return Wald(fitted.estimates, vcov, float(smallest - 1), f"clustered by {told}", tuple(cautions))


def _factor(name: str, labels: ArrayLike, n: int) -> Factor:
    factor = Factor.of(name, labels)
    if factor.codes.size != n:
        raise RegressionError(f"{name} has {factor.codes.size} labels for {n} scores; pass one per score")
    if len(factor.levels) == 1:
        raise RegressionError(
            f"{name} has the one level {factor.levels[0]}, so it says nothing of how clusters vary; "
            "leave it out of clusters"
        )
    return factor


def _sandwich(codes: Codes, count: int, rows: Rows) -> Floats:
    n = codes.size
    sums = np.stack([np.bincount(codes, weights=column, minlength=count) for column in rows.scores.T], axis=1)
    factor = count / (count - 1.0) * (n - 1.0) / (n - rows.parameters)
    half = sums @ rows.bread
    vcov: Floats = factor * (half.T @ half)
    return vcov


def _positive(vcov: Floats) -> tuple[Floats, list[str]]:
    """V_1 + V_2 - V_12 may have negative eigenvalues; those become 0 (Cameron, Gelbach and Miller 2011)."""
    values, vectors = np.linalg.eigh(vcov)
    if values[0] >= -_NOTHING * values[-1]:
        return vcov, []
    kept: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    told = (
        "the covariance clustered by two variables had a negative eigenvalue, which is set to 0 (Cameron, Gelbach and "
        "Miller 2011)"
    )
    return kept, [told]


def _smaller(vcov: Floats, parts: Sequence[Floats], factors: Sequence[Factor], design: Design) -> list[str]:
    """What to say where two variables give a smaller standard error than one of them."""
    found = []
    for factor, part in zip(factors, parts, strict=True):
        less = np.diag(vcov) < _MUCH_SMALLER * np.diag(part)
        names = ", ".join(name for name, is_less in zip(design.columns, less, strict=False) if is_less)
        if names:
            both = " and ".join(one.name for one in factors)
            found.append(
                f"clustered by {both}, the standard error of {names} is smaller than by {factor.name} alone, as happens "
                "where an effect that all rows of a cluster share is not in the design: use the larger, or give the "
                "design its levels"
            )
    return found


def _require_variation(fitted: Wald, vcov: Floats, factors: list[Factor], design: Design) -> list[str]:
    """Set variances that are rounding to 0, and say so; ZeroVarianceError where all are, but for the intercept's."""
    flat = np.diag(vcov) <= _NOTHING**2 * np.diag(fitted.vcov)
    vcov[flat], vcov[:, flat] = 0.0, 0.0
    flat = flat[: len(design.columns)]
    if not flat.any():
        return []
    variables = " and ".join(factor.name for factor in factors)
    names = ", ".join(name for name, none in zip(design.columns, flat, strict=True) if none)
    if all(none for name, none in zip(design.columns, flat, strict=True) if name != INTERCEPT):
        raise ZeroVarianceError(
            f"clustered by {variables}, the standard error of {names} would be 0, because the scores do not depend on "
            f"{variables}; report that, and the standard errors that are not clustered"
        )
    return [f"the standard error of {names} clustered by {variables} is 0, so there is no test of it"]


def _cautions(factor: Factor, rows: Rows, design: Design) -> list[str]:
    count = len(factor.levels)
    found = []
    if count < FEW_CLUSTERS:
        found.append(
            f"{factor.name} has {count} clusters; with fewer than {FEW_CLUSTERS} clustered standard errors are too small"
        )
    if not design.codes:
        return found
    _, cell = design.cells()
    pairs, codes = np.unique(cell * count + factor.codes, return_inverse=True)
    if pairs.size > count:
        return found  # a cluster lies in several cells, and tells them apart by itself
    sums = np.bincount(codes, weights=rows.residuals)
    squares = np.bincount(codes, weights=rows.residuals**2)
    moved = np.abs(sums) > _NOTHING * np.sqrt(squares * np.bincount(codes))
    cell_of_pair = pairs // count
    for place in np.flatnonzero(np.bincount(cell_of_pair, weights=moved) == 0):
        row = int(np.argmax(cell == place))
        told = ", ".join(f"{name}: {design.levels[name][of[row]]}" for name, of in design.codes.items())
        own = np.count_nonzero(cell_of_pair == place)
        why = (
            f"has one {factor.name}"
            if own == 1
            else f"has the same mean score for all {own} of {factor.name}"
        )
        found.append(
            f"{told} {why}, so nothing tells how {factor.name} varies there, and standard errors are too small"
        )
    return found
