"""The p-values of one permutation test, by name, the deciding one first."""

from __future__ import annotations

from typing import Literal

from biascore.plugins_api import PValue
from biascore.stats import PermutationTest, Tail


def permutation_p_values(
    test: PermutationTest, alternative: Literal["two-sided", "greater"]
) -> tuple[PValue, ...]:
    """Valid one- and two-sided p, and the papers' strict one-sided p (Caliskan et al. 2017)."""
    one = _weak("one-sided", test, test.greater, "greater")
    two = _weak("two-sided", test, test.two_sided, "two-sided")
    strict = PValue(
        name="one-sided, strict",
        value=test.greater.p_strict,
        kind=test.method,
        alternative="greater",
        inequality="strict",
        n=test.greater.n_total,
    )
    return (two, one, strict) if alternative == "two-sided" else (one, two, strict)


def _weak(
    name: str, test: PermutationTest, tail: Tail, alternative: Literal["two-sided", "greater"]
) -> PValue:
    return PValue(
        name=name,
        value=tail.p_value,
        kind=test.method,
        alternative=alternative,
        n=tail.n_total,
        se=tail.mc_se,
    )
