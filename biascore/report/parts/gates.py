"""What the gates of an audit said of the run, and its scenarios with what was and was not tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from biascore.audits.evaluating_scenarios import without_scenario
from biascore.report.lanes import Lane, Scale, panels
from biascore.report.parts.part import Part
from biascore.results.gates import GateCheck, GateOutcome, GateResult
from biascore.results.mappings import SILENT
from biascore.results.rows import Row, test_row
from biascore.results.run import Run

_ORDER: Final = (GateOutcome.FAILS, GateOutcome.NOT_MEASURED, GateOutcome.UNDECIDED, GateOutcome.HOLDS)
_Key = tuple[str, str, str, str, str]


class Checked(NamedTuple):
    """A check with the row of its measurement and its lane, where there is one."""

    check: GateCheck
    row: Row | None
    lane: Lane | None


class Judged(NamedTuple):
    """A gate: the checks that keep it from passing, by scale, and the others by outcome."""

    gate: GateResult
    failing: list[tuple[Scale | None, list[Checked]]]
    others: list[tuple[GateOutcome, list[Checked]]]


def gates(run: Run) -> Part | None:
    """Each gate with what keeps it from passing first, a row a check; nothing where there is none."""
    if not run.gates:
        return None
    numbers = {
        (one.metric, one.variant, one.subject, one.test, one.model): place for place, one in enumerate(run)
    }
    rows = {
        key: test_row(place, run.measurements, run.verdicts)
        for key, place in numbers.items()
        if any(_key(check) == key for gate in run.gates for check in gate.checks)
    }
    judged = [_judged(gate, rows) for gate in sorted(run.gates, key=lambda one: one.passed)]
    return Part("gates", "Gates", "gates", {"judged": judged})


def _key(check: GateCheck) -> _Key:
    return check.metric, check.variant, check.subject, check.test, check.model


def _judged(gate: GateResult, rows: Mapping[_Key, Row]) -> Judged:
    failing = gate.failing
    rest = [one for one in gate.checks if one not in failing]
    of = {held: [_checked(one, rows) for one in rest if one.held is held] for held in _ORDER}
    return Judged(gate, list(_by_scale(failing, rows)), [(held, some) for held, some in of.items() if some])


def _checked(check: GateCheck, rows: Mapping[_Key, Row]) -> Checked:
    return Checked(check, rows.get(_key(check)), None)


def _by_scale(
    failing: Iterable[GateCheck], rows: Mapping[_Key, Row]
) -> Iterable[tuple[Scale | None, list[Checked]]]:
    """The checks by the scale of their measurements; those that were not measured last."""
    left = list(failing)
    for panel in panels(list({key: rows[key] for one in left if (key := _key(one)) in rows}.values())):
        lanes = {row.link: (row, lane) for row, lane in panel.rows}
        yield (
            panel.scale,
            [
                Checked(one, *lanes[row.link])
                for one in left
                if (row := rows.get(_key(one))) is not None and row.link in lanes
            ],
        )
    lost = [_checked(one, rows) for one in left if _key(one) not in rows]
    if lost:
        yield None, lost


def scenarios(run: Run) -> Part | None:
    """Each scenario as it was stated, what speaks of it, what was not tested, and what it could see."""
    if not run.scenarios:
        return None
    named = {name for scenario in run.scenarios for name in scenario.articles}
    values = {
        "scenarios": run.scenarios,
        "mappings": {one.name: one for one in run.mappings if one.name in named or not one.items},
        "without": without_scenario(run.scenarios),
        "finished": run.provenance.finished,
    }
    return Part(
        "scenarios", "Scenarios: who may be harmed, and what was not tested", "scenarios", values, "Scenarios"
    )


def mappings(run: Run) -> Part | None:
    """What the run offers to each item of a law, a rule or a standard; nothing where no mapping has items."""
    found = [one for one in run.mappings if one.items]
    if not found:
        return None
    values = {"mappings": found, "silent": SILENT}
    return Part(
        "mappings", "What this run offers to laws and standards", "mappings", values, "Laws and standards"
    )
