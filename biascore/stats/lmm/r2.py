"""Shares of variance that a mixed model explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar, get_args

from biascore.stats._checks import Floats
from biascore.stats.bootstrap import Interval
from biascore.stats.errors import RegressionError

ResidualVariance: TypeAlias = Literal["unit-weight", "mean-variance", "mean-weight"]
"""What counts as the residual variance where rows have weights, so that each row has one of its own.

unit-weight: sigma^2, that of a row with weight 1, as partR2 (and R's performance and insight) take it. It depends on
the unit of the weights: with weights that are all below 1 it is smaller than the residual variance of any row,
so the share explained is larger than for any row. Take it to compare with published numbers.
mean-variance: sigma^2 times the mean of 1 / weight, the mean of the rows' residual variances: the share of the
variance of these scores. It does not depend on the unit; a few very small weights dominate it.
mean-weight: sigma^2 / mean weight, that of a row of mean weight, as if the weights had been scaled to mean 1. It
does not depend on the unit, nor much on a few small weights.
"""

_KINDS = get_args(ResidualVariance)

Number = TypeVar("Number", float, Floats, Interval)


@dataclass(frozen=True, slots=True)
class RSquared(Generic[Number]):
    """R^2 of a mixed model (Nakagawa and Schielzeth 2013, Methods Ecol. Evol. 4:133).

    Its members are numbers, intervals of them, or one number per bootstrap replicate.
    """

    residual: ResidualVariance
    """What counts as the residual variance."""
    marginal: Number
    """Explained by the fixed effects: var_fixed / (var_fixed + var_random + var_residual)."""
    conditional: Number
    """Explained by fixed and random effects: (var_fixed + var_random) / the same."""
    part: Mapping[str, Number]
    """Of each term: what var_fixed loses without it, at least 0, / the same (Stoffel, Nakagawa and Schielzeth
    2021, PeerJ 9:e11414)."""


def require_residual(residual: str) -> None:
    """Raise RegressionError unless ``residual`` names a `ResidualVariance`."""
    if residual not in _KINDS:
        raise RegressionError(f"residual is {residual!r}; pass one of {', '.join(_KINDS)}")


def shares(
    residual: ResidualVariance,
    fixed: Floats,
    random: Floats,
    noise: Floats,
    without: Mapping[str, Floats],
) -> RSquared[Floats]:
    """R^2 from variances of equal shape: of the fixed part, of random effects, residual, and without each term."""
    total = fixed + random + noise
    part = {term: (fixed - other).clip(min=0.0) / total for term, other in without.items()}
    return RSquared(residual, fixed / total, (fixed + random) / total, part)
