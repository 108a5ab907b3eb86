"""The four lists of a WEAT test as vectors, and what is odd about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from biascore.plugins_api import Coverage, Level, Model, Test
from biascore.stats import cosine_matrix
from biascore.stats.exchange import Exchange, Named
from biascore_metrics.words import (
    MAX_LOST_SHARE,
    RoleVectors,
    Vectors,
    WordOptions,
    composed_warning,
    coverage_warnings,
    embed_words,
    exchange_of,
)

ROLES: Final = ("X", "Y", "A", "B")
NEARLY: Final = 0.5
"""Words nearer than this part of the usual distance between two words of a test are near-duplicates ("pistol", "gun")."""
OF_USABLE_WORDS: Final = ("exchanged", "placebo lists")
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


def near_duplicates(
    test: Test, words: Mapping[str, Sequence[str]], vectors: Mapping[str, Vectors]
) -> tuple[str, ...]:
    """Lists of which more than a fifth of the words nearly repeat others that are not declared to be of their family.

    They are exchanged and resampled one by one, so p-values and intervals take them for more observations than they are.
    """
    everything = np.concatenate([vectors[role] for role in ROLES])
    distances = 1.0 - cosine_matrix(everything, everything)  # half of the squared ones between unit vectors
    limit = NEARLY**2 * distances.sum() / (len(distances) * (len(distances) - 1))
    found, start = [], 0
    for role in ROLES:
        own, count = words[role], len(words[role])
        near = distances[start : start + count, start : start + count] <= limit
        family = [test.roles[role].family_of(word) for word in own]
        start += count
        first: dict[int, int] = {}
        for place in range(count):
            others = (one for one in range(place) if near[place, one] and family[one] != family[place])
            one = next(others, None)
            if one is not None:
                first[place] = first.get(one, one)
        if len(first) > MAX_LOST_SHARE * count:
            groups = [
                [own[one], *(own[place] for place, of in first.items() if of == one)]
                for one in dict.fromkeys(first.values())
            ]
            found.append(
                f"{role}: {', '.join(' = '.join(group) for group in groups)} are nearly the same to this model, so its "
                f"{count} words are fewer observations, and p-values and intervals too good; declare them in a list of "
                f"yours as families = {json.dumps(groups, ensure_ascii=False)}"
            )
    return tuple(found)


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
