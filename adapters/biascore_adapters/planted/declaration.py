"""What a locator declares: effects by concept or by test, and the tests that these names represent."""

from __future__ import annotations

import math
from typing import Final

from biascore.api.planting import CONDITIONS, World
from biascore.api.stimuli import Catalogue, Test
from biascore.designs.pairs.test import SentencePairsTest
from biascore.errors import RefError, UnknownNameError

MAX_EFFECT: Final = 1.9
AUDIT: Final = "audit-"
"""How the names of the long tests begin that ``biascore audit`` measures."""


def parse_declaration(locator: str) -> tuple[dict[str, float], World]:
    """Read ``gender=0.5,en/weat6=-1,topics.XY=0.3``: effects by concept or test, and the conditions of the world.

    Raises RefError for anything else, or an effect beyond +-1.9.
    """
    declared: dict[str, float] = {}
    conditions: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in locator.split(","))):
        name, equals, number = part.partition("=")
        if name.strip().partition(".")[0] in CONDITIONS:
            conditions[name.strip()] = number.strip()
            continue
        try:
            effect = float(number)
        except ValueError:
            effect = math.nan
        if not equals or not name.strip() or not abs(effect) <= MAX_EFFECT:
            raise RefError(
                f"planted:{locator}: {part!r} is not <concept or test>=<effect size within +-{MAX_EFFECT}>. "
                f"Write, for example, planted:gender=0.5"
            )
        declared.pop(name.strip(), None)  # so that the later entry also takes the later place
        declared[name.strip()] = effect
    world = World.of(locator, conditions)
    if world.axis == 0 and any(declared.values()):
        raise RefError(
            f"planted:{locator}: with axis=0 the attributes lie on no axis, and nothing can be associated with them. "
            "Declare the effect 0, or leave axis out"
        )
    return declared, world


def declared_effects(declared: dict[str, float], catalogue: Catalogue) -> list[tuple[Test, float]]:
    """The declared tests with their effects, by id; a test declared twice takes the later effect.

    Raises UnknownNameError for a name that is neither a concept nor matches a test, RefError where it represents a
    test of a kind that nothing can be planted in.
    """
    effects: dict[str, tuple[Test, float]] = {}
    for name, effect in declared.items():
        for test in _tests(name, catalogue):
            effects[test.id] = (test, effect)
    # In the order of ids, so that the same declaration in another order is the same model.
    return [found for _, found in sorted(effects.items())]


def _tests(name: str, catalogue: Catalogue) -> list[Test]:
    found = [one.build() for one in catalogue.index if one.concept == name and not _is_audit(one.id)]
    found = [test for test in found if _can_carry(test)] or found  # a concept has tests of other kinds, too
    if not found:
        try:
            found = list(catalogue.select(name))
        except UnknownNameError as error:
            own = (test for test in catalogue.tests if _can_carry(test) and not _is_audit(test.id))
            concepts = ", ".join(sorted({test.concept for test in own if test.concept}))
            raise UnknownNameError(
                f"planted: {name!r} is no concept ({concepts}) and no condition ({', '.join(CONDITIONS)}). {error}"
            ) from error
    refused = [test for test in found if not _can_carry(test)]
    if refused:
        shown = ", ".join(f"{test.id} ({test.kind})" for test in refused)
        kinds = sorted({test.kind for test in catalogue.tests if _can_carry(test)})
        raise RefError(
            f"planted: no effect can be planted in {shown}; it can in tests of kind {', '.join(kinds)}. "
            "Declare such tests by their ids, as in planted:en/weat6=1"
        )
    return found


def _is_audit(id: str) -> bool:
    """Whether it is one of the long tests, whose words are in more tests of a concept than a vector has room for."""
    return id.partition("/")[2].startswith(AUDIT)


def _can_carry(test: Test) -> bool:
    return bool(test.planted) or isinstance(test, SentencePairsTest) or test.contrast is not None
