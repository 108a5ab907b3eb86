"""The first screen: what the run answers, in sentences, and whether the ruler works."""

from __future__ import annotations

from typing import Any, Final

from biascore.report.parts.part import Part
from biascore.results.answers import Answer, findings, in_one_line, ruler_line
from biascore.results.run import Run
from biascore.results.verdicts import Role
from biascore.stats import Adjustment

_MOST_IN_A_LINE: Final = 3
"""Of more models than this, the table says it better than a sentence."""
_RULER: Final = (Role.CONTROL, Role.BASELINE)
_BESIDE: Final = (Role.CHANGE, Role.DESCRIPTION)


def answer(run: Run) -> Part:
    """One line for each model and concept; controls, changes and descriptions apart."""
    found = run.answers
    own = findings(found)
    tested = [
        m
        for m, said in zip(run, run.verdicts, strict=True)
        if said.role is Role.FINDING and m.alpha and m.p_value is not None
    ]
    values: dict[str, Any] = {
        "run": run,
        "line": in_one_line(found) if len({one.model for one in own}) <= _MOST_IN_A_LINE else "",
        "findings": own,
        "rulers": [(one, ruler_line(one)) for one in found if one.role in _RULER],
        "beside": [one for one in found if one.role in _BESIDE],
        "tested": len(tested),
        "by_chance": sum(measurement.alpha or 0.0 for measurement in tested),
        "adjusted": run.adjustment is not Adjustment.NONE,
        "only_alone": sum(one.counts.alone for one in own),
        "not_estimable": sum(m.headline.value is None for m in run),
        "rows": _rows(own),
    }
    return Part("answer", "The answer", "answer", values, "Answer")


def _rows(own: tuple[Answer, ...]) -> list[tuple[Answer, int]]:
    """The answers model by model, and how many rows a model has from here on, 0 where it is named above."""
    of_model: dict[str, list[Answer]] = {}
    for one in own:
        of_model.setdefault(one.model, []).append(one)
    return [
        (one, len(some) if place == 0 else 0) for some in of_model.values() for place, one in enumerate(some)
    ]
