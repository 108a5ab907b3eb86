"""A run on the terminal: its tables, what failed, caveats, and last the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from rich.console import Console

from biascore.audits.next_steps import next_steps
from biascore.basics.frozen import Scalar
from biascore.basics.visible import visible
from biascore.basics.wording import counted, true_minus
from biascore.cli.ending import print_ending
from biascore.cli.rows import COLOURS, GAP, harmless, print_line, state_told, write
from biascore.models.transforms.transform import IN_SHORT
from biascore.results.estimates import describe, format_p
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.table_notes import conventions
from biascore.results.verdicts import Role, RunVerdict, State
from biascore.results.words.caveats import caveat_lines
from biascore.stats import Adjustment
from biascore.terminal.console import wide
from biascore.terminal.pictures import glyphs_of, widest

_TITLES: Final = {
    Role.FINDING: "Findings",
    Role.BASELINE: "Baselines (they check the tests)",
    Role.DESCRIPTION: "Descriptions (nothing is tested)",
    Role.CHANGE: "Changes by a transform",
    Role.CONTROL: "Controls (they check the tests)",
}
_HEADS: Final = ("test", "value", "interval", "p", "p adj.", "state", "harmless", "lost")
_LEAST_IMPORTANT: Final = ("p", "lost", "p adj.", "harmless", "interval")
"""Columns that go first where there is no room; they are named, and --verbose and the report have all."""
_RIGHT: Final = frozenset({"value", "p", "p adj."})
_FACTS: Final = 3
"""Of a transform that does not say in short what it learnt, so many facts are shown."""
_CAVEATS: Final = 3
"""The most frequent caveats that are named; the others are counted."""
_NAMED: Final = 3
"""Failures for one reason of which more are named than this are counted."""


class Line(NamedTuple):
    """A measurement and what the run says of it."""

    measurement: Measurement
    said: RunVerdict


class Row(NamedTuple):
    """The cells of a measurement under `_HEADS`, the colour of its state, and lines beneath it."""

    cells: tuple[str, ...]
    colour: str
    more: tuple[str, ...]


def print_run(run: Run, *, verbose: bool = False) -> None:
    """The run's tables, what was not measured or failed, its caveats, and last the result.

    ``verbose``: also every estimate and p-value, conventions, coverage and caveats in full; in a pipe as wide as they need.
    """
    console = wide() if verbose else wide(80)
    write(run.title, to=console, style="bold")
    lines = [Line(*pair) for pair in zip(run, run.verdicts, strict=True)]
    left_out: dict[str, None] = {}
    for role, title in _TITLES.items():
        some = [line for line in lines if line.said.role is role]
        if some:
            left_out |= _print_table(console, title, some, adjusted=run.adjustment is not Adjustment.NONE)
    for measurement in run:
        if "headline" in measurement.conventions and measurement.headline.value is not None:
            where = f"{measurement.test} on {measurement.model}"
            write(f"effect of {where}: {measurement.headline.name}", to=console)
    for measurement in run:
        if measurement.headline.value is None:
            where = f"{measurement.metric} {measurement.test} on {measurement.model}"
            write(f"not measured: {where}: {measurement.reason}", to=console)
    for text in _learnt(run):
        write(text, to=console)
    if verbose:
        _print_details(console, run)
    _print_notes(console, run, lines)
    _print_caveats(console, run, left_out, verbose=verbose)
    _print_failed(console, run)
    print_ending(console, run, next_steps(run))


def _print_notes(console: Console, run: Run, lines: Sequence[Line]) -> None:
    """How p-values were adjusted, what inconclusive means, and what the tests could detect."""
    console_lines = [*filter(None, [run.duplicates_line])]
    if run.adjustment is Adjustment.NONE:
        console_lines.append("p-values are not adjusted for the number of measurements (adjust = none)")
    else:
        console_lines.append(
            f"p-values are adjusted over the measurements on one model ({run.adjustment.shown})"
        )
    if any(State.of(*line) is State.INCONCLUSIVE for line in lines):
        console_lines += ["inconclusive does not mean unbiased", *run.seen_lines]
    for text in console_lines:
        write(text, to=console)
    counts = run.questions
    nothing = "; the models were asked nothing" if counts.put and not counts.asked else ""
    planted = sum(model.questions.asked for model in run.models if model.control is not None)
    models = "models" if sum(model.control is None for model in run.models) > 1 else "model"
    whom = ((counts.asked - planted, f"the {models}"), (planted, "planted models"))
    sent = ", ".join(f"{many:,} to {some}" for many, some in whom if many) or "none"
    text = f"queries: {counts.put:,} (sent: {sent}; {counts.cached:,} from the cache, {counts.repeated:,} repeats){nothing}"
    write(text, to=console, style="dim")
    if run.harmless:
        many, seconds = len(run.harmless[0].counts), run.provenance.harmless_seconds
        text = f"harmless audits: {many:,} a model in {seconds:z.1f} s, no query"
        write(text, to=console, style="dim")


def _learnt(run: Run) -> Iterator[str]:
    """What each transform learnt, for each model and level."""
    for model in run.models:
        for used in model.transforms:
            for fit in used.fits:
                yield f"transform {used.name} of {model.name}, {fit.level} level: {_in_short(fit.facts)}"


def _in_short(facts: Mapping[str, Scalar]) -> str:
    """What a reader in a hurry needs; all facts are in the record and in the report."""
    short = facts.get(IN_SHORT)
    if short:
        return f"{short}. All facts: --json, --report"
    first = ", ".join(f"{name} {_fact(value)}" for name, value in islice(facts.items(), _FACTS))
    more = len(facts) - _FACTS
    return f"{first or 'learnt'}{f', and {more} more facts: --json, --report' if more > 0 else ''}"


def _fact(value: Scalar) -> str:
    return f"{value:z.3g}" if isinstance(value, float) else str(value)


def _print_failed(console: Console, run: Run) -> None:
    """What could not be measured, each reason once."""
    reasons: dict[str, list[str]] = {}
    for failure in run.failed:
        reasons.setdefault(failure.message, []).append(failure.what)
    for reason, lost in reasons.items():
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        write(f"{', '.join(lost[:_NAMED])}{more}: {reason}", to=console, style="bold red", label="failed:")
    if run.failed:
        later = " (transient)" if all(failure.may_pass for failure in run.failed) else ""
        text = (
            f"{len(run.failed)} of {len(run.failed) + len(run)} measurements failed{later}. When the cause is gone, run the "
            "command again: it asks only what is missing"
        )
        write(text, to=console, style="bold")


def _print_table(console: Console, title: str, lines: Sequence[Line], *, adjusted: bool) -> dict[str, None]:
    """A table for each model and metric, which stand above it; returns the columns for which there is no room."""
    left_out: dict[str, None] = {}
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.measurement.model, line.measurement.method), []).append(line)
    for (model, method), some in groups.items():
        lost = "" if _any_lost(some) else "nothing lost"
        write("", to=console)
        above = filter(None, [title, f"model {model}", f"metric {method}", lost])
        write(" · ".join(above), to=console, style="bold")
        rows = [_row(console, line) for line in some]
        left_out |= dict.fromkeys(_print_rows(console, rows, adjusted=adjusted, lost=not lost))
    return left_out


def _print_rows(console: Console, rows: Sequence[Row], *, adjusted: bool, lost: bool) -> list[str]:
    """One line a test; returns the columns that the width has no room for, the least important first."""
    unused = {*([] if adjusted else ["p adj."]), *([] if lost else ["lost"])}
    columns = [
        _Column(head, place, widest([head, *(row.cells[place] for row in rows)]))
        for place, head in enumerate(_HEADS)
        if head not in unused and any(row.cells[place] for row in rows)
    ]
    left_out = []
    for head in _LEAST_IMPORTANT:
        if _width(columns) > console.width and any(one.head == head for one in columns):
            columns = [one for one in columns if one.head != head]
            left_out.append(head)
    # A name that leaves the others no room has a line of its own.
    alone = _width(columns) > console.width
    if alone:
        columns[0] = columns[0]._replace(width=0)
    glyphs = glyphs_of(console.encoding)
    print_line(console, [one.cell(one.head if one.width else "") for one in columns], glyphs, "dim")
    for row in rows:
        if alone:
            write(row.cells[0], to=console)
        cells = [one.cell(row.cells[one.place] if one.width else "", row.colour) for one in columns]
        print_line(console, cells, glyphs)
        for text in row.more:
            write(f"    {text}", to=console, style="dim")
    return left_out


class _Column(NamedTuple):
    """A column of `_HEADS`, and its width."""

    head: str
    place: int
    width: int

    def cell(self, text: str, colour: str = "") -> tuple[str, int, str]:
        """A text of it, which `print_line` takes."""
        aligned = text.rjust(self.width) if self.head in _RIGHT else text
        return aligned, self.width, colour if self.head == "state" else ""


def _width(columns: Sequence[_Column]) -> int:
    return sum(one.width for one in columns) + GAP * (len(columns) - 1)


def _row(console: Console, line: Line) -> Row:
    measurement, said = line
    value, low, high = measurement.headline.texts()
    first = measurement.first
    more = "" if first is None else describe(first)
    cells = (
        " ".join(filter(None, [measurement.test, measurement.subject])),
        true_minus(value) or "-",
        true_minus(f"{low} to {high}") if low else "-",
        "-" if measurement.p_value is None else format_p(measurement.p_value),
        "-" if said.p_adjusted is None else format_p(said.p_adjusted),
        "-" if said.role is Role.DESCRIPTION else state_told(measurement, said),
        harmless(measurement, said, glyphs_of(console.encoding)),
        _lost(measurement),
    )
    colour = "" if said.role is Role.DESCRIPTION else COLOURS.get(State.of(measurement, said).value, "")
    return Row(tuple(map(visible, cells)), colour, tuple(filter(None, [more])))


def _lost(measurement: Measurement) -> str:
    coverage = measurement.coverage
    return f"{len(coverage.missing)}/{sum(coverage.given.values())}"


def _any_lost(lines: Sequence[Line]) -> bool:
    return any(line.measurement.coverage.missing for line in lines)


def _print_caveats(console: Console, run: Run, left_out: Iterable[str], *, verbose: bool) -> None:
    """Warnings of the run; the caveats of its measurements, counted, or in full; and where the columns ``left_out`` are."""
    for line in run.warnings:
        write(line, to=console, style="yellow", label="warning:")
    if verbose:
        for line in caveat_lines(run):
            write(line, to=console, style="yellow", label="caveat:")
        return
    touched = [measurement for measurement in run if measurement.warnings]
    if touched:
        every = [text for measurement in touched for text in measurement.warnings]
        often = Counter(text for measurement in touched for text in measurement.in_brief).most_common(
            _CAVEATS
        )
        more = len(set(every)) - len(often)
        tests = len({measurement.test for measurement in touched})
        some = [f"{text} ({count})" for text, count in often]
        some += [f"and {more} more"] if often and more > 0 else []
        told = "; ".join(some)
        text = f"{len(every)} on {counted(tests, 'test')}{told and f': {told}'}"
        write(text, to=console, style="yellow", label="caveats:")
    narrow = f" (no room here for {', '.join(left_out)})" if left_out else ""
    text = f"All estimates, p-values, conventions and caveats: --verbose, --report{narrow}"
    write(text, to=console, style="dim")


def _print_details(console: Console, run: Run) -> None:
    """All numbers of each measurement, then conventions, shared ones once."""
    for measurement in run:
        write(f"{measurement.method} {measurement.test} on {measurement.model}", to=console, style="bold")
        lost = ", ".join(f"{word.word} ({word.role}: {word.reason})" for word in measurement.coverage.lost)
        lines = [
            measurement.reason,
            *map(describe, measurement.estimates),
            f"harmless groups: {measurement.specificity.full}" if measurement.specificity else "",
            f"lost: {lost}" if lost else "",
        ]
        for line in filter(None, lines):
            write(f"  {line}", to=console)
    for line in conventions(run):
        write(line, to=console)
