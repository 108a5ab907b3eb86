"""Can these tests find a bias? Controls and baselines, which are no findings, with what they show of the tests."""

from __future__ import annotations

from typing import NamedTuple

from biascore.report.lanes import Lane, Scale, lane, panels
from biascore.report.parts.part import Part
from biascore.results.rows import Row, ground_rows
from biascore.results.run import Run
from biascore.results.verdicts import Role
from biascore.results.words.result import Check, checks_of

_ROLES = (Role.CONTROL, Role.BASELINE)


class Checked(NamedTuple):
    """A check with its row, and the lane of that where there is one."""

    check: Check
    row: Row | None
    lane: Lane | None


class Strip(NamedTuple):
    """Checks that share a scale."""

    scale: Scale | None
    checks: list[Checked]


def checks(run: Run) -> Part | None:
    """A row for each control and baseline, and a sentence for what harmless groups give; nothing where there is none."""
    found = run.answers
    every = checks_of(found, run.harmless)
    if not every:
        return None
    rows = ground_rows([one for one in found if one.role in _ROLES], run.measurements, run.verdicts)
    of = {one.answer.strongest: one for one in every if one.answer.role in _ROLES}
    strips = [
        Strip(
            panel.scale,
            [
                Checked(of[row.link], row, lane(row, panel.scale) if panel.scale else None)
                for row, _ in panel.rows
                if row.link is not None
            ],
        )
        for panel in panels(rows)
    ]
    values = {
        "strips": strips,
        "harmless": [one for one in every if one.answer.role not in _ROLES],
    }
    return Part("checks", "Can these tests find a bias?", "checks", values, "Checks")
