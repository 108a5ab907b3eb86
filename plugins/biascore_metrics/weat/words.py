"""The four lists of a WEAT test as vectors, and what is odd about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from biascore.plugins_api import Coverage, Level, Model, Test
from biascore.stats.exchange import Exchange, Named
from biascore_metrics.words import (
    RoleVectors,
    WordOptions,
    composed_warning,
    coverage_warnings,
    embed_words,
    exchange_of,
)

ROLES: Final = ("X", "Y", "A", "B")
OF_USABLE_WORDS: Final = ("exchanged", "specificity")
"""Conventions that depend on which words a model knows, so that they may differ between two that are compared."""


def embed_roles(
    model: Model, test: Test, level: Level, options: WordOptions
) -> tuple[RoleVectors, tuple[str, ...]]:
    """Embed every word of X, Y, A and B once; returns the vectors and what a reader must be warned of."""
    roles = embed_words(model, {role: test.roles[role].words for role in ROLES}, level, options)
    return roles, role_warnings(roles.words, roles.coverage)


def exchange_of_roles(
    test: Test, words: Mapping[str, Sequence[str]], roles: tuple[str, str], blocks: Named = ((), ())
) -> Exchange:
    """What of the usable words of two roles may be exchanged, by their lists; ``blocks`` as of `Exchange.of`."""
    one, other = roles
    return exchange_of((test.roles[one], test.roles[other]), (words[one], words[other]), blocks)


def role_warnings(words: Mapping[str, Sequence[str]], coverage: Coverage) -> tuple[str, ...]:
    """Warnings on the lists of a WEAT test: small or lost ones, words in two of them, unequal targets."""
    found = coverage_warnings(coverage)
    for one, other in combinations(ROLES, 2):
        both = [word for word in dict.fromkeys(words[one]) if word in words[other]]
        if both:
            found.append(f"in both {one} and {other}: {', '.join(both)}")
    found += composed_warning(coverage)
    if len(words["X"]) != len(words["Y"]):
        found.append(
            f"X and Y differ in size ({len(words['X'])} and {len(words['Y'])}); "
            "the permutation test keeps these sizes, where the papers assume equal ones"
        )
    return tuple(found)
