"""The p-values of permutation tests, by name, the deciding one first.

Words of X and of Y are about two topics, and those of A and of B are another sample; an association between them has to
hold against both. With A and B fixed, permuting X and Y asks whether X - Y is orthogonal to A - B, which two topics
hardly ever are, whatever A and B hold. So the larger of the two p-values decides, as in crossed designs (Clark 1973).
"""

from __future__ import annotations

from typing import Final, Literal

from biascore.plugins_api import PValue
from biascore.stats import PermutationTest, Tail

LARGER: Final = "the larger of two"


def crossed_p_values(
    own: PermutationTest, across: PermutationTest, alternative: Literal["two-sided", "greater"], labels: str
) -> tuple[PValue, ...]:
    """The larger p of two tests of one statistic, which decides; that of the lists across; the papers' own.

    ``own`` permutes the lists that the papers permute; ``across`` the other two, whose ``labels`` ("attribute") name it.
    """
    papers = permutation_p_values(own, alternative)
    others = permutation_p_values(across, alternative)[:2]
    return (
        *(
            max(pair, key=lambda p: p.value).model_copy(update={"name": f"{pair[0].name}, {LARGER}"})
            for pair in zip(papers, others, strict=False)
        ),
        *(p.model_copy(update={"name": f"{p.name}, {labels} labels"}) for p in others),
        *papers,
    )


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
