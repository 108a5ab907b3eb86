"""The table of results: one row for each measurement, grouped, to be sorted and filtered on the page."""

from __future__ import annotations

from dataclasses import dataclass

from biascore.report.parts.part import Part
from biascore.report.parts.remarks import remarks
from biascore.report.variants import method_names
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import Role, RunVerdict, State
from biascore.stats import Adjustment


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A measurement with what the run says of it, its state, and what would seem to contradict itself."""

    number: int
    measurement: Measurement
    said: RunVerdict
    state: State
    method: str
    remarks: tuple[str, ...]


_GROUPS = {
    Role.BASELINE: "Baselines: they check the tests",
    Role.CONTROL: "Controls: they check the tests",
    Role.CHANGE: "Changes by a transform",
    Role.DESCRIPTION: "Descriptions",
}


def results(run: Run) -> Part:
    """The rows in groups: findings by concept, then what is no finding."""
    names = method_names(run, folded=False)
    groups: dict[str, list[ResultRow]] = {}
    rows = [
        ResultRow(number, m, said, State.of(m, said), names[m.method], remarks(m, said))
        for number, (m, said) in enumerate(zip(run, run.verdicts, strict=True), start=1)
    ]
    rows.sort(key=lambda row: list(Role).index(row.said.role))
    for row in rows:
        name = _GROUPS.get(row.said.role) or row.measurement.concept or "No concept named"
        groups.setdefault(name, []).append(row)
    values = {
        "groups": list(groups.items()),
        "count": len(rows),
        "run": run,
        "constant": next(iter(dict.fromkeys(m.method for m in run))) if len(names) == 1 else "",
        "adjusted": run.adjustment is not Adjustment.NONE,
    }
    return Part("results", "Results", "results", values)
