"""The four lists of a WEAT test as vectors, and what is odd about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from biascore.plugins_api import Caveat, Coverage, Test, caveats_of
from biascore.stats.exchange import Exchange, Named
from biascore_metrics.words import (
    composed_caveat,
    coverage_caveats,
    exchange_of,
)

ROLES: Final = ("X", "Y", "A", "B")
OF_USABLE_WORDS: Final = ("exchanged", "specificity")
"""Conventions that depend on which words a model knows, so that they may differ between two that are compared."""


def exchange_of_roles(
    test: Test, words: Mapping[str, Sequence[str]], roles: tuple[str, str], blocks: Named = ((), ())
) -> Exchange:
    """What of the usable words of two roles may be exchanged, by their lists; ``blocks`` as of `Exchange.of`."""
    one, other = roles
    return exchange_of((test.roles[one], test.roles[other]), (words[one], words[other]), blocks)


def role_caveats(
    words: Mapping[str, Sequence[str]], coverage: Coverage, *, brief: bool = True
) -> tuple[Caveat, ...]:
    """Of the lists of a WEAT test: small or lost ones, words in two of them, unequal targets."""
    found = []
    for one, other in combinations(ROLES, 2):
        both = [word for word in dict.fromkeys(words[one]) if word in words[other]]
        if both:
            found.append(f"in both {one} and {other}: {', '.join(both)}")
    if len(words["X"]) != len(words["Y"]):
        found.append(
            f"X and Y differ in size ({len(words['X'])} and {len(words['Y'])}); "
            "the permutation test keeps these sizes, where the papers assume equal ones"
        )
    details = (*caveats_of(found, verdict=False), *composed_caveat(coverage))
    return (*coverage_caveats(coverage, brief=brief), *details)
