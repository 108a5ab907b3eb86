"""What makes a difference between groups of names something else than what the model makes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from biascore.api.metrics import Caveat
from biascore.api.support import listed
from biascore_metrics.eec.fits import Fitted
from biascore_metrics.eec.rows import Rows
from biascore_metrics.eec.sentences import EquityTest

GENDER: Final = "gender"
DIGITS: Final = 6
"""Scores that differ less are the same but for the rounding of a batch."""
NOT_TOLD_APART: Final = "the model does not tell all names apart"
BY_GRAMMAR: Final = "so that grammar tells it"
SMALL: Final = 0.2
"""Of the standard deviation of the scores: larger bounds are none of a small effect, as of WEAT's d."""
NEARLY_CONSTANT: Final = 1e-3
"""Scores with a smaller standard deviation say next to nothing of sentences."""


def profiles(fitted: Fitted) -> dict[str, tuple[int, int]]:
    """By cell, how many different rows of scores its names have over the frames, and how many names it has."""
    rows = fitted.rows
    by_name: dict[str, dict[str, list[tuple[str, float]]]] = {cell: {} for cell in rows.cells}
    for cell, person, frame, score in zip(
        rows.cell.tolist(), rows.person.tolist(), rows.frame.tolist(), fitted.scores.tolist(), strict=True
    ):
        by_name[cell].setdefault(person, []).append((frame, round(score, DIGITS)))
    return {
        cell: (len({tuple(sorted(of)) for of in names.values()}), len(names))
        for cell, names in by_name.items()
    }


def indistinguishable(fitted: Sequence[Fitted]) -> list[Caveat]:
    """Names that get the same scores in every frame; where half of a group's do, that touches the verdict."""
    caveats = []
    for one in fitted:
        found = profiles(one)
        alike = {cell: counts for cell, counts in found.items() if counts[0] < counts[1]}
        if not alike:
            continue
        told = "; ".join(f"{distinct} of {names} in {cell}" for cell, (distinct, names) in alike.items())
        text = (
            f"{one.emotion}: {NOT_TOLD_APART}; different ones are {told}. Names that it does not "
            "know say nothing of their group"
        )
        half = any(2 * distinct <= names for distinct, names in alike.values())
        caveats.append(Caveat(text, half, "the model does not tell half of the names apart" if half else ""))
    return sorted(caveats, key=lambda one: not one.verdict)


def agreeing_factors(tests: Sequence[EquityTest]) -> tuple[str, ...]:
    """The factors that words of templates agree with; of a corpus given as sentences gender, which grammars know.

    Of several corpora those of any, by the names of the first.
    """
    found = set()
    for test in tests:
        names = list(test.factors)
        known = [name for name in names if name in test.grammar.agreement]
        found |= {names.index(name) for name in known or ([GENDER] if test.given and GENDER in names else [])}
    return tuple(name for place, name in enumerate(tests[0].factors) if place in found)


def agreement(tests: Sequence[EquityTest], rows: Rows) -> str:
    """In which templates words agree with the person, as a sentence; "" where none does."""
    agreeing = agreeing_factors(tests)
    if not agreeing or not rows.agreement.any():
        return ""
    templates = ", ".join(sorted(set(rows.template[rows.agreement].tolist()), key=_natural))
    factors = " and ".join(agreeing)
    return (
        f"in template {templates} words agree with the {factors} of the person, {BY_GRAMMAR} whatever the name; "
        f"effects with {factors} may be of these words. Measure the other templates alone with "
        "templates=agreement-free"
    )


def untested(fitted: Sequence[Fitted]) -> tuple[str, ...]:
    """The effects that have no p-value, by the reason."""
    found: dict[str, list[str]] = {}
    for one in fitted:
        for effect in one.effects:
            if effect.untested:
                found.setdefault(effect.untested, []).append(f"{one.emotion}: {' x '.join(effect.level)}")
    return tuple(f"not tested: {listed(names)}, for {why}" for why, names in found.items())


def nearly_constant(fitted: Sequence[Fitted]) -> tuple[str, ...]:
    """Warnings of scores that hardly vary."""
    deviations: Mapping[str, float] = {one.emotion: float(np.std(one.scores)) for one in fitted}
    return tuple(
        f"{emotion}: the scores hardly vary (standard deviation {sd:.2g}), so that the model makes next to nothing of the "
        "sentences; check that it reads them"
        for emotion, sd in deviations.items()
        if sd < NEARLY_CONSTANT
    )


def wide_bound(fitted: Sequence[Fitted], bound: float) -> list[Caveat]:
    """Of effects that the default bound calls negligible: emotions whose scores vary too little for it."""
    found = []
    for one in fitted:
        sd = float(np.std(one.scores))
        if bound > SMALL * sd:
            text = (
                f"{one.emotion}: the bound of {bound:g} is {bound / sd:.2g} of the scores' standard deviation ({sd:.2g}), "
                "so that negligible says little; state a smaller one"
            )
            found.append(Caveat(text, True, "the bound is large for scores that vary so little"))
    return found


def _natural(id: str) -> list[tuple[int, str]]:
    return [(len(part.lstrip("0")) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", id)]
