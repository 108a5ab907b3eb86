"""``biascore compare``: what changed between two runs, or between two models of one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from biascore.basics.wording import figures
from biascore.cli import codes
from biascore.cli.adjusting import Adjust
from biascore.cli.options import ShortForm, named_pair
from biascore.comparing import Comparison, Difference, Outcome
from biascore.comparing import compare as compare_runs
from biascore.comparing.two_runs import loaded
from biascore.comparing.words import NOT_UNCHANGED, Section, answer, sections
from biascore.errors import OptionsError
from biascore.exporting.junit import junit_of_comparison
from biascore.exporting.other_tables import markdown_of_comparison
from biascore.report import check_installed, check_report, write_comparison
from biascore.results.comparison import item_of
from biascore.results.estimates import format_p
from biascore.terminal.console import print_json, say, stderr, stdout, wide
from biascore.terminal.options import Force, Json

_COLOURS: Final = {
    Outcome.INCREASED: "red",
    Outcome.CHANGED_SIGN: "red",
    Outcome.DECREASED: "green",
    Outcome.INCONCLUSIVE: "yellow",
}
_FLIPS: Final = 5
"""So many of the items that flipped are named."""
_NAMED: Final = 5
"""So many tests are named; more are counted."""
_LEAST_CHANGE: Final = 12
"""Columns that a change and its interval have at least."""


def compare(
    old: Annotated[Path, typer.Argument(help="A stored run: its folder, or its run.json.", metavar="OLD")],
    new: Annotated[
        Path | None,
        typer.Argument(
            help="The run to compare with it. Without it, --models names two models of OLD.", metavar="NEW"
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            help="The models to compare, by name in OLD and in NEW; repeat for several. Default: models of the same "
            "name, or the only one of each run.",
            metavar="OLD=NEW",
        ),
    ] = None,
    bound: Annotated[
        float | None,
        typer.Option(
            help="A change within this bound is unchanged, in the unit of each estimate. Default: the equivalence bound of "
            "each measurement.",
            metavar="NUMBER",
        ),
    ] = None,
    adjust: Adjust = None,
    report: Annotated[
        Path | None, typer.Option(help="File to write the comparison to: .html or .pdf.", metavar="FILE")
    ] = None,
    form: ShortForm = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Compare two runs, or two models of one run, test by test and item by item."""
    if report is not None:
        check_installed()
        check_report(report, overwrite=force)
    before = loaded(old)
    pairs = _pairs(models, list(dict.fromkeys(measurement.model for measurement in before)))
    found = compare_runs(before, new, pairs, bound=bound, adjustment=adjust)
    if form == "junit":
        stdout.out(junit_of_comparison(found), end="", highlight=False)
    elif form == "md":
        stdout.out(markdown_of_comparison(found), end="", highlight=False)
    elif as_json or form == "json":
        print_json(found.to_json())
    else:
        print_comparison(found)
    if report is not None:
        say(f"report: {write_comparison(found, report, overwrite=force)}", to=stderr)
    if not found.whole:
        raise typer.Exit(codes.PARTLY_FAILED)


def _pairs(texts: list[str] | None, there: Sequence[str]) -> dict[str, str] | None:
    """``OLD=NEW`` by old name, split behind one of the models that are ``there``, else at the first equals sign."""
    pairs: dict[str, str] = {}
    for text in texts or ():
        old, new = named_pair(text, there)
        if not (old and new):
            raise OptionsError(f"--models {text!r} is not OLD=NEW. Write, for example: --models bert=roberta")
        if old in pairs:
            raise OptionsError(
                f"--models {text!r}: {old!r} is compared with {pairs[old]!r} already. Name it once"
            )
        pairs[old] = new
    return pairs or None


def print_comparison(found: Comparison) -> None:
    """The answer first, then the changes, the items that flipped, and what could not be compared."""
    console = wide()
    titles = dict.fromkeys([found.old.title, found.new.title])
    say(" and ".join(titles) if len(titles) > 1 else f"{found.old.title}: old and new", to=console)
    say(answer(found), to=console, style="bold")
    if found.identical:
        return
    for section in sections(found):
        _print_section(console, section, several=len(found.models) > 1)
    cautions: dict[str, list[str]] = {}
    for one in found:
        for caution in one.cautions:
            cautions.setdefault(caution, []).append(one.test)
    for caution, tests in cautions.items():
        say(f"{caution}: {_some(tests)}", to=console, style="yellow", label="caveat:")
    for warning in found.warnings:
        say(warning, to=console, style="yellow", label="warning:")
    for refused in found.not_comparable:
        text = f"{refused.what} on {refused.old_model}: {'; '.join(refused.reasons)}"
        say(text, to=console, style="bold red", label="not comparable:")
    for text in found.failed:
        say(text, to=console, style="bold red", label="failed:")
    for which, names in (("old", found.only_old), ("new", found.only_new)):
        if names:
            say(f"only in the {which} run: {_some(names)}", to=console)
    if found.differences:
        say("", to=console)
        say(f"{NOT_UNCHANGED} All numbers, reasons and flipped items: --json, --report.", to=console)


def _some(names: Sequence[str]) -> str:
    """The first few names, each once, and how many more there are."""
    found = list(dict.fromkeys(names))
    more = len(found) - _NAMED
    return ", ".join([*found[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def _print_section(console: Console, section: Section, *, several: bool) -> None:
    """A table for each estimate of what is not unchanged; the rest in a line."""
    say("", to=console)
    say(f"{section.title}: {section.counts}", to=console, style="bold")
    for note in section.notes:
        say(note, to=console)
    tables: dict[str, list[Difference]] = {}
    for one in section.changes:
        if one.outcome is not Outcome.UNCHANGED:
            tables.setdefault(f"{one.method} · {one.estimate}", []).append(one)
    for title, some in tables.items():
        _print_table(console, title, some, several=several)
    unchanged = [one for one in section.changes if one.outcome is Outcome.UNCHANGED]
    if unchanged:
        names = ", ".join(dict.fromkeys(one.test for one in unchanged))
        say(f"unchanged, within the bound ({len(unchanged)}): {names}", to=console)


def _print_table(console: Console, title: str, some: Sequence[Difference], *, several: bool) -> None:
    heads = ("test", "old", "new", "change (interval)", "p adj.", "outcome")
    rows = [tuple(_cells(one, several=several)) for one in some]
    widths = [
        max(cell_len(line) for cell in (head, *column) for line in Text.from_markup(cell).plain.split("\n"))
        for head, column in zip(heads, zip(*rows, strict=True), strict=True)
    ]
    excess = sum(widths) + 2 * (len(widths) - 1) - console.width
    for place, least in ((3, _LEAST_CHANGE), (5, len(Outcome.INCONCLUSIVE)), (0, 0)):
        less = min(max(excess, 0), max(widths[place] - least, 0))
        widths[place], excess = widths[place] - less, excess - less
    say(title, to=console)
    table = Table(box=box.HORIZONTALS, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head, width in zip(heads, widths, strict=True):
        table.add_column(head, overflow="fold", width=width)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for one in some:
        if one.outcome is not Outcome.INCONCLUSIVE:
            _print_flips(console, one)


def _cells(one: Difference, *, several: bool) -> Iterator[str]:
    change, ends = one.change, one.change.interval
    old, new, moved, *interval = _numbers(one)
    models = one.models if several and one.old.model != one.new.model else ""
    outcome = f"[{_COLOURS[one.outcome]}]{one.outcome}[/]"
    notes = [one.note, "" if one.paired else "unpaired"]
    yield escape("\n".join(filter(None, [one.test, one.subject, models])))
    yield old
    yield new
    yield f"{moved} ({' to '.join(interval)})" if change.value is not None and ends else moved
    yield "-" if one.p_adjusted is None else format_p(one.p_adjusted)
    yield "\n".join(filter(None, [outcome, *notes]))


def _numbers(one: Difference) -> list[str]:
    """Old, new, change and the ends of its interval with the same decimals."""
    change, ends = one.change.value, one.change.interval
    values = [one.old.value, one.new.value, change, *([ends.low, ends.high] if ends else [])]
    known = [value for value in values if value is not None]
    low, high = (ends.low, ends.high) if ends else (0.0, change or 0.0)
    texts = iter(figures(low, high, *known)[2:])
    found = ["-" if value is None else next(texts) for value in values]
    return [*found[:2], *(text if text.startswith("-") else f"+{text}" for text in found[2:])]


def _print_flips(console: Console, one: Difference) -> None:
    if not one.flipped:
        return
    named = ", ".join(
        f"{item_of(row)} ({row['old']:z.3g} to {row['new']:z.3g})" for row in one.flips[:_FLIPS]
    )
    more = f" and {one.flipped - _FLIPS} more" if one.flipped > _FLIPS else ""
    text = f"{one.test}: {one.flipped} of {one.change.n['items']} items flipped: {named}{more}"
    say(text, to=console, style="dim")
