"""A line of releases: the runs of each release, and the lead test of each ground over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from biascore.board.model import Cell, Checked, Line, Point
from biascore.board.reading import Stored
from biascore.results.failure import Failure
from biascore.results.measurement import Measurement
from biascore.results.rows import FAILED, Axis, test_row
from biascore.results.series import leads_of
from biascore.results.verdicts import Role, State
from biascore.results.words.answers import NO_CONCEPT, Answer
from biascore.results.words.result import checks_of

_ROLES: Final = (Role.FINDING, Role.DESCRIPTION)


@dataclass(frozen=True)
class Entry:
    """A model in a stored run."""

    stored: Stored
    model: str

    @property
    def failed(self) -> list[Failure]:
        """What could not be measured on it."""
        return [one for one in self.stored.run.failed if one.model == self.model]

    @property
    def answers(self) -> list[Answer]:
        """What was found on it, by ground."""
        return [one for one in self.stored.answers if one.model == self.model and one.role in _ROLES]

    @property
    def label(self) -> str:
        """Its release, or the date of the run."""
        return self.stored.run.release or f"{datetime.fromtimestamp(self.stored.began, UTC):%Y-%m-%d}"


@dataclass(frozen=True)
class Place:
    """Where the measurement of a point lies: None where a release has none."""

    entry: Entry | None
    number: int | None


@dataclass(frozen=True)
class Lead:
    """The test that represents a ground on a line."""

    metric: str
    test: str
    subject: str = ""
    variant: str = ""

    def number(self, entry: Entry) -> int | None:
        """Its measurement in a run, of several with another setting the first."""
        found = [
            number
            for number, one in enumerate(entry.stored.run)
            if (one.model, one.metric, one.test) == (entry.model, self.metric, self.test)
            and (not self.subject or one.subject == self.subject)
        ]
        same = [number for number in found if entry.stored.run[number].variant == self.variant]
        return next(iter([*same, *found]), None)


@dataclass(frozen=True)
class DrawnCell:
    """A cell, and where each of its points was measured."""

    cell: Cell
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Drawn:
    """A row before releases are compared."""

    line: Line
    cells: tuple[DrawnCell, ...]


def entries_of(runs: Iterable[Stored]) -> dict[str, list[Entry]]:
    """The models in use of all runs by line, oldest run first."""
    found: dict[str, list[Entry]] = {}
    for one in sorted(runs, key=lambda one: (one.began, one.shown)):
        for model, line in one.lines.items():
            found.setdefault(line, []).append(Entry(one, model))
    return found


def line_of(name: str, entries: Sequence[Entry], out: Path) -> Drawn:
    """A line, whose entries are in the order of time."""
    releases: dict[str, list[Entry]] = {}
    for number, entry in enumerate(entries):  # without a release each run is one
        releases.setdefault(entry.stored.run.release or f"\0{number}", []).append(entry)
    newest = [*releases.values()][-1][::-1]
    first = newest[0]
    used = {model.name: model.ref for model in first.stored.run.models}
    grounds = dict.fromkeys(ground for entry in newest for ground in _grounds(entry))
    cells = tuple(_cell(ground, newest, [*releases.values()], out) for ground in grounds)
    shown = {place.entry.stored.shown for cell in cells for place in cell.places if place.entry is not None}
    return Drawn(
        Line(
            name=name,
            stated=bool(first.stored.run.line),
            model=first.model,
            ref=used.get(first.model, first.model),
            release=first.stored.run.release,
            label=first.label,
            began=first.stored.began,
            releases=tuple(some[-1].label for some in releases.values()),
            runs=tuple(entry.stored.shown for entry in entries),
            older=tuple(entry.stored.shown for entry in entries if entry.stored.shown not in shown)
            if shown
            else (),
            failed=tuple(one.what for entry in newest for one in entry.failed),
            checks=tuple(check for entry in newest for check in _checks(entry, out)),
            report=first.stored.report(out),
        ),
        cells,
    )


def _grounds(entry: Entry) -> list[str]:
    """The grounds that a run asks of a model, measured or not."""
    leads = (one.ground or NO_CONCEPT for one in leads_of(entry.stored.run) if one.model == entry.model)
    return list(dict.fromkeys([*leads, *(one.concept or NO_CONCEPT for one in entry.answers)]))


def _cell(ground: str, newest: Sequence[Entry], releases: Sequence[Sequence[Entry]], out: Path) -> DrawnCell:
    """A ground on a line: of several runs of the newest release the newest that asks for it."""
    entry = next(one for one in newest if ground in _grounds(one))
    lead = _lead(ground, entry)
    places = tuple(_place(lead, some) for some in releases)
    points = tuple(_point(lead, some, place) for some, place in zip(releases, places, strict=True))
    first = next((number for number, place in enumerate(places) if place.entry is not None), len(places) - 1)
    places, points = places[first:], points[first:]  # what was not asked for at first is no gap
    answer = next((one for one in entry.answers if (one.concept or NO_CONCEPT) == ground), None)
    number = places[-1].number
    report = entry.stored.report(out)
    drawn = [
        place.entry.stored.run[place.number] for place in places if place.entry and place.number is not None
    ]
    parts: dict[str, Any] = (
        {"title": drawn[-1].titled, "axis": Axis.of(drawn[-1])} if drawn else {"title": lead.test}
    )
    if number is not None and (at := places[-1].entry) is not None:
        row = test_row(number, at.stored.run.measurements, at.stored.verdicts)
        parts |= {"value": row.value, "interval": row.interval, "note": row.note, "number": number + 1}
    return DrawnCell(
        Cell(
            ground=ground,
            state=answer.state.value if answer is not None else FAILED,
            count=answer.counts.of_state(answer.state) if answer else 0,
            measurements=answer.counts.measurements if answer else 0,
            test=lead.test,
            metric=lead.metric,
            subject=lead.subject,
            lead_state=points[-1].state,
            points=points,
            link=f"{report}#m{number + 1}" if report and number is not None else report,
            **parts,
        ),
        places,
    )


def _lead(ground: str, entry: Entry) -> Lead:
    """The lead test of a ground: which the run states, or follows from it; with the subject of its first measurement."""
    found = next(
        one
        for one in leads_of(entry.stored.run)
        if one.model == entry.model and (one.ground or NO_CONCEPT) == ground
    )
    lead = Lead(found.metric, found.test)
    number = lead.number(entry)
    if number is None:
        return lead
    one = entry.stored.run[number]
    return Lead(one.metric, one.test, one.subject, one.variant)


def _place(lead: Lead, some: Sequence[Entry]) -> Place:
    """Where a release has the lead test: in the newest of its runs that asked for it."""
    for entry in reversed(some):
        number = lead.number(entry)
        if number is not None:
            return Place(entry, number)
        if any((one.metric, one.test) == (lead.metric, lead.test) for one in entry.failed):
            return Place(entry, None)
    return Place(None, None)


def _point(lead: Lead, some: Sequence[Entry], place: Place) -> Point:
    label = some[-1].label
    if place.entry is None:
        return Point(
            release=label,
            run=some[-1].stored.shown,
            state=State.NOT_MEASURED.value,
            why=f"{lead.test} is not in the run",
        )
    run, shown = place.entry.stored.run, place.entry.stored.shown
    if place.number is None:
        told = next(
            one.message for one in place.entry.failed if (one.metric, one.test) == (lead.metric, lead.test)
        )
        return Point(release=label, run=shown, state=FAILED, why=f"failed: {told}")
    one: Measurement = run[place.number]
    state = State.of(one, place.entry.stored.verdicts[place.number]).value
    head = one.headline
    ends = head.interval
    return Point(
        release=label,
        run=shown,
        state=state,
        value=head.value,
        low=ends.low if ends and head.value is not None else None,
        high=ends.high if ends and head.value is not None else None,
        why="" if head.value is not None else f"not measured: {one.reason}",
    )


def _checks(entry: Entry, out: Path) -> list[Checked]:
    """What controls, baselines and harmless groups of a run show."""
    run, report = entry.stored.run, entry.stored.report(out)
    return [
        Checked(
            told=one.line,
            passed=one.passed,
            link=f"{report}#m{one.answer.strongest + 1}" if report else "",
        )
        for one in checks_of(entry.stored.answers, run.harmless)
        if one.answer.role is Role.CONTROL or one.answer.model == entry.model
    ]
