"""The first screen: the result in sentences, its gates, and whether the tests find what is known."""

from __future__ import annotations

from typing import Any, Final

from biascore.report.parts.part import Part
from biascore.results.gates import gates_line
from biascore.results.run import Run
from biascore.results.verdicts import Role
from biascore.results.words.answers import Answer, findings
from biascore.results.words.effects import moved
from biascore.results.words.result import (
    by_model,
    change_lines,
    checks_of,
    hint_line,
    longer_lines,
    lost_lines,
    missed_line,
    scale_lines,
)
from biascore.stats import Adjustment

_OTHERS: Final = (Role.CHANGE, Role.DESCRIPTION)


def answer(run: Run) -> Part:
    """One row for each model and concept; controls, changes and descriptions apart."""
    found = run.answers
    own = findings(found)
    tested = [
        m
        for m, said in zip(run, run.verdicts, strict=True)
        if said.role is Role.FINDING and m.alpha and m.p_value is not None
    ]
    values: dict[str, Any] = {
        "run": run,
        "gates": gates_line(run.gates),
        "outcome": "failed"
        if not all(gate.passed for gate in run.gates)
        else "warned"
        if any(gate.warned for gate in run.gates)
        else "passed",
        "lines": run.result_lines,
        "lost": lost_lines(run, found),
        "missed": missed_line(found),
        "hint": hint_line(found),
        "scales": (*scale_lines(run, found), *longer_lines(run, found)),
        "inconclusive": any(one.counts.inconclusive for one in own),
        "findings": own,
        "checks": checks_of(found, run.harmless),
        "changes": change_lines(run),
        "others": [
            one
            for one in found
            if one.role in _OTHERS and not all(moved(run[number]) for number in one.numbers)
        ],
        "tested": 0 if run.harmless else len(tested),
        "by_chance": sum(measurement.alpha or 0.0 for measurement in tested),
        "adjusted": run.adjustment is not Adjustment.NONE,
        "rows": _rows(found),
    }
    return Part("answer", "The answer", "answer", values, "Answer")


def _rows(found: tuple[Answer, ...]) -> list[tuple[Answer, int]]:
    """The answers model by model, and how many rows a model has from here on, 0 where it is named above."""
    return [
        (one, len(some) if place == 0 else 0)
        for some in by_model(found).values()
        for place, one in enumerate(some)
    ]
