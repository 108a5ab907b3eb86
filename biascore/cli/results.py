"""A run on the terminal: its tables, what failed, caveats, and last the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from textwrap import wrap
from typing import Final, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from biascore.basics.frozen import Scalar
from biascore.basics.wording import counted
from biascore.models.transforms.transform import IN_SHORT
from biascore.results.estimates import describe, format_p
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.table_notes import conventions
from biascore.results.verdicts import Role, RunVerdict, State, note_of
from biascore.results.words.answers import Answer, findings
from biascore.results.words.caveats import caveat_lines
from biascore.results.words.result import (
    by_model,
    change_lines,
    checks_of,
    hint_line,
    longer_lines,
    lost_lines,
    missed_line,
    quote_lines,
    scale_lines,
)
from biascore.stats import Adjustment
from biascore.terminal.console import print_list, say, wide

_COLOURS: Final = {
    State.DETECTED: "red",
    State.HINT: "magenta",
    State.NEGLIGIBLE: "green",
    State.INCONCLUSIVE: "yellow",
    State.NOT_MEASURED: "dim",
}
_TITLES: Final = {
    Role.FINDING: "Findings",
    Role.BASELINE: "Baselines (they check the tests)",
    Role.DESCRIPTION: "Descriptions (nothing is tested)",
    Role.CHANGE: "Changes by a transform",
    Role.CONTROL: "Controls (they check the tests)",
}
_LEAST_FOLDED: Final = 16
"""Columns that fold have at least so many characters where the table has a column for each value."""
_LEAST_NUMBERS: Final = 8
_NOTE: Final = 20
"""Notes under a verdict are broken into lines of so many characters."""
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
    """The cells of a measurement, as texts."""

    model: str
    test: str
    metric: str
    effect: str
    interval: str
    p: str
    adjusted: str
    verdict: str
    lost: str


def print_run(run: Run, *, verbose: bool = False) -> None:
    """The run's tables, what was not measured or failed, its caveats, and last the result.

    ``verbose``: also every estimate and p-value, conventions, coverage and caveats in full.
    """
    console = wide()
    say(run.title, to=console, style="bold")
    lines = [Line(*pair) for pair in zip(run, run.verdicts, strict=True)]
    for role, title in _TITLES.items():
        some = [line for line in lines if line.said.role is role]
        if some:
            _print_table(console, title, some, adjusted=run.adjustment is not Adjustment.NONE)
    for measurement in run:
        if "headline" in measurement.conventions and measurement.headline.value is not None:
            where = f"{measurement.test} on {measurement.model}"
            say(f"effect of {where}: {measurement.headline.name}", to=console)
    for measurement in run:
        if measurement.headline.value is None:
            where = f"{measurement.metric} {measurement.test} on {measurement.model}"
            say(f"not measured: {where}: {measurement.reason}", to=console)
    for text in _learnt(run):
        say(text, to=console)
    if verbose:
        _print_details(console, run)
    _print_notes(console, run, lines)
    _print_caveats(console, run, verbose=verbose)
    _print_failed(console, run)
    _print_result(console, run)


def _print_result(console: Console, run: Run) -> None:
    """The result in a sentence, a line for each concept, and whether the tests find what is known."""
    say("", to=console)
    for text in filter(None, [missed_line(run.answers)]):
        say(text, to=console, style="bold red")
    if run.controls and not findings(run.answers):
        text = "Only models with a known bias were measured, to check the tests. This says nothing of a model in use."
        say(text, to=console, style="bold")
    of, lines = by_model(run.answers), list(run.result_lines)
    for some in of.values() if len(lines) >= len(of) else ():
        say(lines.pop(0), to=console, style="bold")
        _print_concepts(console, some)
    for text in (*lines, *change_lines(run)):
        say(text, to=console, style="bold")
    told = (*([lost_lines] if len(run) > 1 else []), quote_lines, scale_lines, longer_lines)
    for text in filter(
        None, [hint_line(run.answers), *(line for of in told for line in of(run, run.answers))]
    ):
        say(text, to=console)
    for check in checks_of(run.answers, run.harmless):
        say(check.line, to=console, style="bold red" if check.passed is False else "", label="check:")
    if not run.gates and findings(run.answers):
        say("No pass/fail rule was set.", to=console)


def _print_concepts(console: Console, some: Sequence[Answer]) -> None:
    """A row for each concept: its state, effect and caveats."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(4):
        table.add_column(overflow="fold")
    for one in some:
        effect = one.spread.brief if one.spread else one.size.named if one.size else ""
        cells = (f"  {one.about}", _evidence(one), effect, "; ".join(one.caveats))
        table.add_row(*map(escape, cells))
    console.print(table)


def _evidence(one: Answer) -> str:
    """``hint in 1 of 7``: the table above has the tests."""
    return one.evidence.partition(";")[0].partition(" measurements")[0]


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
        say(text, to=console)
    counts = run.questions
    nothing = "; the models were asked nothing" if counts.put and not counts.asked else ""
    parts = f"{counts.asked} sent to the model, {counts.cached} from the cache, {counts.repeated} repeats"
    text = f"queries: {counts.put} ({parts}){nothing}"
    say(text, to=console, style="dim")
    if run.harmless:
        many, seconds = len(run.harmless[0].counts), run.provenance.harmless_seconds
        text = f"harmless audits: {many:,} a model in {seconds:z.1f} s, no query"
        say(text, to=console, style="dim")


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
        say(f"{', '.join(lost[:_NAMED])}{more}: {reason}", to=console, style="bold red", label="failed:")
    if run.failed:
        later = " (transient)" if all(failure.may_pass for failure in run.failed) else ""
        text = (
            f"{len(run.failed)} of {len(run.failed) + len(run)} measurements failed{later}. When the cause is gone, run the "
            "command again: it asks only what is missing"
        )
        say(text, to=console, style="bold")


def _print_table(console: Console, title: str, lines: Sequence[Line], *, adjusted: bool) -> None:
    """The table, as narrow as it must be: test and verdict are never shortened, what all rows share is named above it."""
    rows = [_row(line) for line in lines]
    same = {
        name: getattr(rows[0], name)
        for name in ("model", "metric", "lost")
        if len({getattr(row, name) for row in rows}) == 1 or (name == "lost" and not _any_lost(lines))
    }
    above = [title, *(f"{name} {value}" for name, value in same.items() if name != "lost")]
    if "lost" in same:
        above.append(f"lost {same['lost']}" if _any_lost(lines) else "nothing lost")
    say("", to=console)
    say(" · ".join(above), to=console)
    columns = [name for name in Row._fields if name not in same and (adjusted or name != "adjusted")]
    needed = sum(
        min(_LEAST_FOLDED, _width(rows, name)) if name in ("model", "metric") else _width(rows, name)
        for name in columns
    )
    if needed + 3 * len(columns) + 1 <= console.width:
        table = Table(*columns, min_width=None)
        for column, name in zip(table.columns, columns, strict=True):
            folds = name in ("model", "metric")
            column.overflow, column.no_wrap = "fold", not folds
        for row in rows:
            table.add_row(*(_cell(name, getattr(row, name)) for name in columns))
        console.print(table)
        return
    _print_narrow(console, rows, columns)


def _print_narrow(console: Console, rows: Sequence[Row], columns: Sequence[str]) -> None:
    """Several values to a column, one beneath the other."""
    heads = {
        "test": [name for name in ("test", "model", "metric") if name in columns],
        "effect": ["effect", "interval"],
        "p": [name for name in ("p", "adjusted") if name in columns],
        "verdict": ["verdict"],
        "lost": [name for name in ("lost",) if name in columns],
    }
    heads = {head: names for head, names in heads.items() if names}
    widths = {head: max(_width(rows, name) for name in names) for head, names in heads.items()}
    least = {"test": _width(rows, "test"), "effect": _LEAST_NUMBERS, "verdict": len(State.NOT_MEASURED)}
    found = {head: min(least.get(head, width), width) for head, width in widths.items()}
    free = console.width - sum(found.values()) - 2 * (len(heads) - 1)
    if free < 0:
        names = ["test", *(name for name in columns if name != "test")]
        cells = [[getattr(row, name).replace("\n", ", ") for name in names] for row in rows]
        print_list(console, names, cells)
        return
    for head in ("verdict", "effect", "test"):
        more = min(free, widths[head] - found[head])
        found[head] += more
        free -= more
    table = Table(box=box.HORIZONTALS, show_lines=True, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head, names in heads.items():
        table.add_column("\n".join(names), overflow="fold", width=found[head])
    for row in rows:
        table.add_row(
            *("\n".join(_cell(name, getattr(row, name)) for name in names) for names in heads.values())
        )
    console.print(table)


def _row(line: Line) -> Row:
    measurement, said = line
    head = measurement.headline
    effects, intervals = [], []
    for one in filter(None, (measurement.first, head)):
        value, low, high = one.texts()
        # Of two estimates each is named by the last word of its name, such as f_m and f_s.
        effects.append(" ".join([*([one.name.split()[-1]] if measurement.first else []), value or "-"]))
        intervals.append(f"{low} to {high}" if low else "-")
    notes = wrap(note_of(measurement, said), _NOTE)
    # p and verdict are of the headline, which is the second of two.
    above = "\n" if measurement.first else ""
    return Row(
        model=measurement.model,
        test=measurement.test,
        metric=", ".join(filter(None, [measurement.method, measurement.subject])),
        effect="\n".join(effects),
        interval="\n".join(intervals),
        p=above + ("-" if measurement.p_value is None else format_p(measurement.p_value)),
        adjusted=above + ("-" if said.p_adjusted is None else format_p(said.p_adjusted)),
        verdict="-"
        if said.role is Role.DESCRIPTION
        else "\n".join([State.of(measurement, said).value, *notes]),
        lost=_lost(measurement),
    )


def _lost(measurement: Measurement) -> str:
    coverage = measurement.coverage
    return f"{len(coverage.missing)}/{sum(coverage.given.values())}"


def _any_lost(lines: Sequence[Line]) -> bool:
    return any(line.measurement.coverage.missing for line in lines)


def _cell(name: str, text: str) -> str:
    if name != "verdict" or text == "-":
        return escape(text)
    verdict, _, note = text.partition("\n")
    return f"[{_COLOURS[State(verdict)]}]{verdict}[/]" + (f"\n{note}" if note else "")


def _width(rows: Iterable[Row], name: str) -> int:
    texts = [name, *(getattr(row, name) for row in rows)]
    return max(cell_len(part) for text in texts for part in text.split("\n"))


def _print_caveats(console: Console, run: Run, *, verbose: bool) -> None:
    """Warnings of the run; the caveats of its measurements, counted, or in full."""
    for line in run.warnings:
        say(line, to=console, style="yellow", label="warning:")
    if verbose:
        for line in caveat_lines(run):
            say(line, to=console, style="yellow", label="caveat:")
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
        say(text, to=console, style="yellow", label="caveats:")
    say("All estimates, p-values, conventions and caveats: --verbose, --report", to=console, style="dim")


def _print_details(console: Console, run: Run) -> None:
    """All numbers of each measurement, then conventions, shared ones once."""
    for measurement in run:
        say(f"{measurement.method} {measurement.test} on {measurement.model}", to=console, style="bold")
        lost = ", ".join(f"{word.word} ({word.role}: {word.reason})" for word in measurement.coverage.lost)
        lines = [
            measurement.reason,
            *map(describe, measurement.estimates),
            f"harmless groups: {measurement.specificity.full}" if measurement.specificity else "",
            f"lost: {lost}" if lost else "",
        ]
        for line in filter(None, lines):
            say(f"  {line}", to=console)
    for line in conventions(run):
        say(line, to=console)
