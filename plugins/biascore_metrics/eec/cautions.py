"""What makes a difference between groups of names something else than what the model makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from biascore.api.metrics import Caveat, caveats_of
from biascore.api.support import listed
from biascore_metrics.eec.fits import Effect, Fitted
from biascore_metrics.eec.items import EquityTest

DIGITS: Final = 6
"""Scores that differ less are the same but for the rounding of a batch."""
SMALL: Final = 0.2
"""Of the standard deviation of the scores: larger bounds are none of a small effect, as of WEAT's d."""
NEARLY_CONSTANT: Final = 1e-3
"""Scores with a smaller standard deviation say next to nothing of sentences."""


def caveats(
    fitted: Sequence[Fitted], tests: Sequence[EquityTest], first: Effect, unasked: str
) -> Iterator[Caveat]:
    """All but of the bound; ``first`` is the headline, ``unasked`` says which emotions the model lacks."""
    repeats = len({person for one in fitted for person in one.rows.repeats})
    if repeats:
        text = (
            f"{repeats} person(s) have the sentences of another one of their group and are not counted again"
        )
        yield Caveat(text, verdict=False)
    yield from sorted((c for one in fitted for c in _indistinguishable(one)), key=lambda one: not one.verdict)
    rows, factors = fitted[0].rows, agreeing_factors(tests)
    if factors and rows.agreement.any():
        # Where templates without such words decide, too, grammar alone cannot.
        decides = first.free is None and bool({*factors} & {*first.change})
        templates = ", ".join(sorted({*rows["template"][rows.agreement].tolist()}, key=_natural))
        told = " and ".join(factors)
        yield Caveat(
            f"in template {templates} words agree with the {told} of the person, so that grammar tells it whatever the "
            f"name; effects with {told} may be of these words. Measure the other templates alone with "
            "templates=agreement-free",
            decides,
            "words that agree with the person tell it, too" if decides else "",
        )
    details = [unasked, *_untested(fitted)] if unasked else [*_untested(fitted)]
    for one in fitted:
        if (sd := float(np.std(one.scores))) < NEARLY_CONSTANT:
            details.append(
                f"{one.emotion}: the scores hardly vary (standard deviation {sd:z.2g}), so that the model makes next to "
                "nothing of the sentences; check that it reads them"
            )
    details += [f"{one.emotion}: {text}" for one in fitted if one.smooth for text in one.smooth.cautions]
    yield from caveats_of(dict.fromkeys(details), verdict=False)


def wide_bound(fitted: Sequence[Fitted], bound: float) -> Iterator[Caveat]:
    """Of effects that the default bound calls negligible: emotions whose scores vary too little for it."""
    for one in fitted:
        sd = float(np.std(one.scores))
        if bound > SMALL * sd:
            text = (
                f"{one.emotion}: the bound of {bound:g} is {bound / sd:z.2g} of the scores' standard deviation ({sd:z.2g}), "
                "so that negligible says little; state a smaller one"
            )
            yield Caveat(text, True, "the bound is large for scores that vary so little")


def agreeing_factors(tests: Sequence[EquityTest]) -> tuple[str, ...]:
    """The factors that words of templates agree with; of a corpus given as sentences gender, which grammars know.

    Of several corpora those of any, by the names of the first.
    """
    found = set()
    for test in tests:
        names = list(test.factors)
        known = [name for name in names if name in test.grammar.agreement]
        found |= {
            names.index(name) for name in known or (["gender"] if test.given and "gender" in names else [])
        }
    return tuple(name for place, name in enumerate(tests[0].factors) if place in found)


def _indistinguishable(fitted: Fitted) -> Iterator[Caveat]:
    """Names that get the same scores in every frame; where half of a group's do, that touches the verdict."""
    import pandas as pd  # slow to import, and only frames need it

    rows = fitted.rows
    columns = {"person": rows["person"], "frame": rows.frame, "score": fitted.scores.round(DIGITS)}
    scored = pd.DataFrame({"cell": rows.cell, **columns}).sort_values(["frame", "score"])
    names = scored.groupby(["cell", "person"]).agg(tuple).reset_index("cell")
    many, distinct = names["cell"].value_counts(), names.drop_duplicates()["cell"].value_counts()
    alike = [cell for cell in rows.cells if distinct[cell] < many[cell]]
    if alike:
        told = "; ".join(f"{distinct[cell]} of {many[cell]} in {cell}" for cell in alike)
        half = any(2 * distinct[cell] <= many[cell] for cell in alike)
        yield Caveat(
            f"{fitted.emotion}: the model does not distinguish all names; different ones are {told}. Names that it does not "
            "know say nothing of their group",
            half,
            "the model does not distinguish half of the names" if half else "",
        )


def _untested(fitted: Sequence[Fitted]) -> Iterator[str]:
    """The effects that have no p-value, by the reason."""
    found: dict[str, list[str]] = {}
    for effect in (effect for one in fitted for effect in one.effects if effect.untested):
        found.setdefault(effect.untested, []).append(f"{effect.emotion}: {effect.levels}")
    return (f"not tested: {listed(names)}, for {why}" for why, names in found.items())


def _natural(id: str) -> list[tuple[int, str]]:
    return [(len(part.lstrip("0")) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", id)]
