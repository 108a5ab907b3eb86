"""A board as one page: a table of models and grounds, what changed from release to release, and what is in no row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from biascore.basics.wording import counted, signed, true_minus
from biascore.board import Board
from biascore.board.model import Cell, Line, Step
from biascore.comparing.words import NOT_UNCHANGED
from biascore.report.page import filled
from biascore.results.comparison import Outcome
from biascore.results.estimates import format_p
from biascore.results.rows import Axis
from biascore.results.verdicts import State
from biascore.terminal.pictures import DRAWN

STEPS: Final = {
    one.value: DRAWN.marks[one.value] for one in (Outcome.INCREASED, Outcome.DECREASED, Outcome.CHANGED_SIGN)
}
_WIDTH, _HEIGHT, _EDGE = 46, 32, 3
_NAMED: Final = 3
"""So many gaps of one reason are named; more are counted."""


class Moved(NamedTuple):
    """A change that was shown."""

    line: Line
    cell: Cell
    step: Step


class Gap(NamedTuple):
    """Why steps are not joined, and where."""

    why: str
    where: tuple[str, ...]


def render_board(found: Board) -> str:
    """The board as one HTML document without any reference to another file but the reports it links to."""
    spans = _spans(found)
    checks = [(line, one) for line in found.lines for one in line.checks]
    return filled(
        "board.html.j2",
        ("style.css", "board.css"),
        ("board.js",),
        board=found,
        answer=answer_of(found),
        counts=_counts(found),
        marks=DRAWN.marks,
        arrows=STEPS,
        picture=lambda line, cell: picture(line, cell, spans),
        told=told,
        moved=list(_moved(found)),
        outcomes=_outcomes(found),
        gaps=gaps_of(found),
        named=_NAMED,
        missed=[(line, one) for line, one in checks if one.passed is False],
        checks=checks,
        not_unchanged=NOT_UNCHANGED,
        change=_change,
    )


def answer_of(found: Board) -> str:
    """The board in a sentence: in how many models bias was detected, and what changed since the release before."""
    lines = found.lines
    if not lines:
        return "No model in use: see below what these runs are."
    unmeasured = sum(not any(cell.number for cell in line.cells) for line in lines)
    detected = sum(any(cell.state == State.DETECTED for cell in line.cells) for line in lines)
    parts = [f"At least one test detected bias in {detected} of {counted(len(lines), 'model')}"]
    if unmeasured:
        parts.append(f"{unmeasured} could not be measured")
    last = [cell.last for line in lines for cell in line.cells if cell.last is not None and cell.last.outcome]
    if last:
        by = Counter(step.outcome for step in last)
        shown = [f"{by[name]} {name}" for name in STEPS if by[name]]
        shown[:1] = [f"{counted(int(one.split()[0]), 'effect')} {one.partition(' ')[2]}" for one in shown[:1]]
        parts.append(f"since the release before, {', '.join(shown) if shown else 'no change was shown'}")
    return "; ".join(parts) + "."


def _counts(found: Board) -> list[tuple[str, int]]:
    by = Counter(cell.state for line in found.lines for cell in line.cells)
    return [(state, by[state]) for state in DRAWN.marks if by[state]]


def _outcomes(found: Board) -> str:
    by = Counter(
        step.outcome for line in found.lines for cell in line.cells for step in cell.steps if step.outcome
    )
    return ", ".join(f"{by[outcome.value]:,} {outcome}" for outcome in Outcome if by[outcome.value])


def _moved(found: Board) -> Iterator[Moved]:
    for line in found.lines:
        for cell in line.cells:
            yield from (Moved(line, cell, step) for step in reversed(cell.steps) if step.shown)


def gaps_of(found: Board) -> tuple[Gap, ...]:
    """The steps that are not joined, by reason, the most frequent first."""
    by: dict[str, list[str]] = {}
    for line in found.lines:
        for cell in line.cells:
            for step in cell.steps:
                if step.refused:
                    where = f"{line.name}, {cell.ground}, {step.old} to {step.new}"
                    by.setdefault("; ".join(step.refused), []).append(where)
    return tuple(Gap(why, tuple(where)) for why, where in sorted(by.items(), key=lambda one: -len(one[1])))


def _spans(found: Board) -> dict[Axis, tuple[float, float]]:
    """From where to where each axis reaches on the whole board, so that its pictures can be compared."""
    ends: dict[Axis, list[float]] = {}
    for cell in (cell for line in found.lines for cell in line.cells):
        if cell.axis is None:
            continue
        some = ends.setdefault(cell.axis, [])
        some += [
            value for one in cell.points for value in (one.value, one.low, one.high) if value is not None
        ]
        if cell.axis.neutral is not None:
            bound = cell.axis.bound or 0.0
            some += [cell.axis.neutral - bound, cell.axis.neutral + bound]
    return {axis: (min(some), max(some)) for axis, some in ends.items()}


def picture(line: Line, cell: Cell, spans: Mapping[Axis, tuple[float, float]]) -> Markup:
    """The lead test over the releases: points, joined where they were compared, and the interval of the newest."""
    if cell.axis is None:
        return Markup("")
    low, high = spans[cell.axis]
    many = len(line.releases)

    def y(value: float) -> str:
        share = (value - low) / (high - low) if high > low else 0.5
        return f"{_HEIGHT - _EDGE - share * (_HEIGHT - 2 * _EDGE):z.1f}"

    def x(number: int) -> str:  # the newest release is at the right, as in every other cell
        place = number + many - len(cell.points)
        return (
            f"{_EDGE + place / max(many - 1, 1) * (_WIDTH - 2 * _EDGE):z.1f}"
            if many > 1
            else f"{_WIDTH / 2:z.1f}"
        )

    parts = []
    if (neutral := cell.axis.neutral) is not None:
        if cell.axis.bound:
            top, bottom = y(neutral + cell.axis.bound), y(neutral - cell.axis.bound)
            parts.append(f'<rect y="{top}" width="{_WIDTH}" height="{float(bottom) - float(top):z.1f}"/>')
        parts.append(f'<path class="n" d="M0 {y(neutral)}h{_WIDTH}"/>')
    joined = []
    for number, point in enumerate(cell.points):
        if point.value is None:
            continue
        step = cell.steps[number - 1] if number else None
        joined.append(f"{'L' if step is not None and step.outcome else 'M'}{x(number)} {y(point.value)}h0")
    parts.append(f'<path class="l" d="{"".join(joined)}"/>')
    last = cell.points[-1]
    if last.value is not None:
        where = x(len(cell.points) - 1)
        if last.low is not None and last.high is not None:
            parts.append(f'<path class="i" d="M{where} {y(last.low)}V{y(last.high)}"/>')
        parts.append(f'<circle cx="{where}" cy="{y(last.value)}" r="2.2"/>')
    drawn = Markup("".join(parts))  # numbers only
    return Markup('<svg viewBox="0 0 {} {}" aria-hidden="true">{}</svg>').format(_WIDTH, _HEIGHT, drawn)


def told(line: Line, cell: Cell) -> str:
    """A cell in words, for those who do not see it."""
    of = f" in {cell.count} of {counted(cell.measurements, 'measurement')}" if cell.measurements else ""
    text = f"{cell.state}{of}. Lead test {cell.title}, {cell.lead_state}"
    if cell.value:
        text += f": {cell.value}{f', {cell.interval}' if cell.interval else ''}"
    if len(cell.points) > 1:
        text += f". By release: {'; '.join(_releases(cell))}"
    if cell.groups:
        text += f". No difference shown to models with {' or '.join(cell.groups)}"
    return f"{line.name}, {cell.ground}: {text}."


def _releases(cell: Cell) -> Iterator[str]:
    for number, point in enumerate(cell.points):
        value = point.state if point.value is None else true_minus(f"{point.value:z.2f}")
        step = cell.steps[number - 1] if number else None
        how = "" if step is None else f" ({step.outcome or 'not compared'})"
        yield f"{point.release} {value}{how}"


def _change(step: Step) -> str:
    """``+0.21 (+0.02 to +0.40), adjusted p 0.003``."""

    assert step.change is not None
    text = true_minus(signed(step.change, ".2f"))
    if step.low is not None and step.high is not None:
        text += true_minus(f" ({signed(step.low, '.2f')} to {signed(step.high, '.2f')})")
    return text if step.p_adjusted is None else f"{text}, adjusted p {format_p(step.p_adjusted)}"


__all__: Sequence[str] = ["render_board"]
