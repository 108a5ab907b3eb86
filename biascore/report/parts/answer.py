"""The first screen: the result in a sentence, a picture of every ground, and what to make of it; the rest folded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from biascore.audits.next_steps import next_steps
from biascore.basics.wording import and_more, capital, counted, some_of
from biascore.report.lanes import panels
from biascore.report.parts.part import Part
from biascore.report.texts import day, duration, when
from biascore.results.failure import Failure
from biascore.results.gates import gates_line
from biascore.results.harmless import HarmlessAudits
from biascore.results.left_out import not_asked, not_asked_line
from biascore.results.rows import FAILED, Axis, Row, failed_row, ground_rows
from biascore.results.run import Run
from biascore.results.sensitivity import seen_lines
from biascore.results.verdicts import Role, State
from biascore.results.words.answers import Answer, findings
from biascore.results.words.effects import moved
from biascore.results.words.result import (
    by_model,
    change_lines,
    check_sums,
    hint_line,
    longer_lines,
    lost_lines,
    missed_line,
    noun_of,
    scale_lines,
    shared_of,
    total,
)
from biascore.results.words.sentence import results_of
from biascore.stats import Adjustment

SIDE_BY_SIDE: Final = 4
"""So many models stand side by side; more are rows of a matrix."""
STATES: Final = (
    State.DETECTED,
    State.HINT,
    State.NEGLIGIBLE,
    State.INCONCLUSIVE,
    State.DESCRIBED,
    State.NOT_MEASURED,
)
"""The order in which states are counted and grounds are shown."""
_OTHERS: Final = (Role.CHANGE, Role.DESCRIPTION)
_WHAT_FOR: Final = {
    Role.FINDING: "of models in use",
    Role.CONTROL: "of models with a known bias",
    Role.BASELINE: "of harmless associations",
    Role.CHANGE: "of changes by a transform",
    Role.DESCRIPTION: "that describe",
}


def answer(run: Run) -> Part:
    """The result of models in use; controls, baselines, changes and descriptions apart."""
    found = run.answers
    own = findings(found)
    tested = [
        m
        for m, said in zip(run, run.verdicts, strict=True)
        if said.role is Role.FINDING and m.alpha and m.p_value is not None
    ]
    rows = _rows(run, own)
    models = list(dict.fromkeys([*(one.model for one in own), *(row.model for row in rows)]))
    columns = 1 < len(models) <= SIDE_BY_SIDE
    values: dict[str, Any] = {
        "run": run,
        "about": _about(run, models),
        "checked": check_sums(found),
        "gates": gates_line(run.gates),
        "outcome": "failed"
        if not all(gate.passed for gate in run.gates)
        else "warned"
        if any(gate.warned for gate in run.gates)
        else "passed",
        "missed": missed_line(found, run.sensitivities),
        "results": results_of(found, run.failed, run.harmless),
        "only": _only(run, found),
        "bar": _bar(own, run.failed),
        "models": models,
        "layout": "columns" if columns else "matrix" if len(models) > 1 else "rows",
        "panels": panels(rows, columns=columns),
        "matrix": _matrix(rows, own, models) if len(models) > SIDE_BY_SIDE else (),
        "of": {one.strongest: one for one in own},
        "harmless": any(run[number].specificity for one in own for number in one.numbers),
        "levels": _levels(run, own),
        "bounded": _bounds(run, own),
        "undecided": _undecided(run, own),
        "make": _make(run, own, tested),
        "steps": next_steps(run),
        "made": headline_of(run),
        "lost": lost_lines(run, found),
        "scales": (*scale_lines(run, found), *longer_lines(run, found)),
        "findings": own,
        "changes": change_lines(run),
        "others": [
            one
            for one in found
            if one.role in _OTHERS and not all(moved(run[number]) for number in one.numbers)
        ],
        "adjusted": run.adjustment is not Adjustment.NONE,
        "words": [
            (one, len(some) if place == 0 else 0)
            for some in by_model(found).values()
            for place, one in enumerate(some)
        ],
    }
    return Part("answer", "The answer", "answer", values, "Answer")


def _rows(run: Run, own: Sequence[Answer]) -> list[Row]:
    """A row for each ground, what is decided first, and one for what failed on a model for one reason."""
    rows = ground_rows(own, run.measurements, run.verdicts)
    order = [state.value for state in STATES]
    lost: dict[tuple[str, str], list[Failure]] = {}
    for one in run.failed:
        lost.setdefault((one.model, one.message), []).append(one)
    failed = [
        failed_row(some[0]).model_copy(
            update={
                "name": some_of(list(dict.fromkeys(one.test for one in some)), 2),
                "counts": f"{len(some)} measurements" if len(some) > 1 else "",
            }
        )
        for some in lost.values()
    ]
    return [*sorted(rows, key=lambda row: order.index(row.state)), *failed]


def _about(run: Run, models: Sequence[str]) -> list[str]:
    """What was measured and when, in a few words each; a model that the title names is not named again."""
    who = (
        [counted(len(models), "model")]
        if len(models) > 1
        else [one for one in models if one not in run.title]
    )
    kinds = [str(model.facts.get("kind") or "") for model in run.models if [model.name] == list(models)]
    return [*filter(None, (*who, *kinds)), day(run.provenance.started)]


def headline_of(run: Run) -> str:
    """What ran when, on how much, and what for."""
    made = run.provenance
    roles = [said.role for said in run.verdicts]
    what_for = ", ".join(f"{roles.count(role)} {text}" for role, text in _WHAT_FOR.items() if role in roles)
    tests = len({m.test for m in run})
    models = {m.model for m in run}
    both = len(run.duplicates)  # which are no more models than there are
    pairs = len({before for before, _ in run.duplicates})
    again = f", {pairs} of them before and after a transform" if pairs else ""
    return (
        f"On {when(made.started)}, biascore {made.biascore_version} ran {counted(tests, 'test')} on "
        f"{counted(len(models) - both, 'model')}{again} in {duration(made.finished - made.started)}: "
        f"{counted(len(run), 'measurement')}{f' ({what_for})' if len(set(roles)) > 1 else ''}."
    )


def _only(run: Run, found: Sequence[Answer]) -> str:
    """What is measured where no model in use is tested."""
    if findings(found) or run.failed:
        return ""
    if not found:
        return "This run holds no measurements."
    if any(one.role in (Role.CONTROL, Role.BASELINE) for one in found):
        controls = "control models were" if run.controls else "harmless associations were"
        return f"Only {controls} measured."
    return "Nothing was tested for bias: these measurements describe, or are of changes by a transform."


def _bar(own: Sequence[Answer], failed: Sequence[Failure]) -> dict[str, Any]:
    """How many tests have which state, from where and how wide on the bar (%); nothing where no model in use has any."""
    counts = total(own)
    parts = [(state.value, counts.of_state(state)) for state in STATES if state is not State.DESCRIBED]
    every = [(state, count) for state, count in (*parts, (FAILED, len(failed))) if count]
    noun = "measurement" if failed else noun_of(own)
    whole, before, parts_of = sum(count for _, count in every), 0, []
    for state, count in every:
        parts_of.append((state, count, 100 * before / whole, 100 * count / whole))
        before += count
    return {"parts": parts_of, "of": counted(whole, noun)} if every else {}


def _matrix(
    rows: Sequence[Row], own: Sequence[Answer], models: Sequence[str]
) -> tuple[list[str], list[tuple[str, list[Row | None], list[Row]]]]:
    """The grounds, and for each model its row on each of them, and what failed."""
    concepts = list(dict.fromkeys(one.concept for one in own))
    of = {one.strongest: one for one in own}
    at = {(row.model, of[row.link].concept): row for row in rows if row.link is not None}
    failed = [row for row in rows if row.state == FAILED]
    return concepts, [
        (model, [at.get((model, one)) for one in concepts], [row for row in failed if row.model == model])
        for model in models
    ]


def _levels(run: Run, own: Sequence[Answer]) -> str:
    """The levels of the intervals: ``95 %``."""
    ends = [run[one.strongest].headline.interval for one in own]
    return " or ".join(dict.fromkeys(f"{100 * one.level:g} %" for one in ends if one))


def _bounds(run: Run, own: Sequence[Answer]) -> list[float]:
    """The bounds of the rows, each once."""
    bounds = [Axis.of(run[one.strongest]).bound for one in own]
    return list(dict.fromkeys(one for one in bounds if one is not None))


def _undecided(run: Run, own: Sequence[Answer]) -> dict[str, Any]:
    """How many tests decide nothing, on which grounds, and what they could have seen."""
    counts = total(own)
    wholly = [one.about for one in own if one.state is State.INCONCLUSIVE]
    partly = [
        f"{one.counts.inconclusive} of {one.counts.measurements} of {one.about}"
        for one in sorted(own, key=lambda one: -one.counts.inconclusive)
        if one.counts.inconclusive and one.state is not State.INCONCLUSIVE
    ]
    grounds = [f"all of {and_more(wholly, 3)}" if wholly else "", and_more(partly, 2)]
    where = "; ".join(filter(None, grounds)) if len(by_model(own)) == 1 else ""
    numbers = [number for one in own for number in one.numbers]
    seen = run.sensitivities
    return {
        "many": counts.inconclusive,
        "of": counted(counts.measurements, noun_of(own)),
        "where": capital(where),
        "seen": seen_lines([(run[number].test, seen[number]) for number in numbers]),
        "lost": counts.not_measured,
        "failed": len(run.failed),
        "not_asked": not_asked_line(run),
        "left": not_asked(run),
    }


def _make(run: Run, own: Sequence[Answer], tested: Sequence[Any]) -> list[str]:
    """How much to make of what was found: luck, harmless groups, and what no test shows."""
    of = by_model(own)

    def told(one: HarmlessAudits) -> str:
        where = f" ({one.model})" if len(of) > 1 else ""
        return f"{capital(one.told(shared_of(of[one.model])))}{where}."

    lines = [told(one) for one in run.harmless if one.model in of]
    if not lines and len(tested) > 1:
        lines.append(_luck(run, sum(one.alpha or 0.0 for one in tested), len(tested)))
    return [*lines, *filter(None, [hint_line(own)])]


def _luck(run: Run, by_chance: float, many: int) -> str:
    few = "fewer than one" if by_chance < 0.75 else f"about {round(by_chance)}"
    adjusted = (
        f"; the adjustment ({run.adjustment.shown}, over the measurements on one model) corrects for that."
        if run.adjustment is not Adjustment.NONE
        else ". The p-values are not adjusted for that, as the audit asked."
    )
    return f"Of {many} measurements {few} would look significant by luck{adjusted}"
