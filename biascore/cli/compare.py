"""``biascore compare``: what changed between two runs, or between two models of one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from biascore.cli import codes
from biascore.cli.adjusting import Adjust
from biascore.cli.options import ShortForm, named_pair
from biascore.cli.rows import Entry, legend, print_entries, write
from biascore.comparing import Comparison, Difference, Outcome
from biascore.comparing import compare as compare_runs
from biascore.comparing.two_runs import loaded
from biascore.comparing.words import NOT_UNCHANGED, Section, answer, sections
from biascore.errors import OptionsError
from biascore.exporting.junit import junit_of_comparison
from biascore.exporting.other_tables import markdown_of_comparison
from biascore.report import check_installed, check_report, write_comparison
from biascore.results.rows import change_row
from biascore.terminal.console import print_json, say, stderr, stdout, wide
from biascore.terminal.options import Force, Json

_NAMED: Final = 5
"""So many tests are named; more are counted."""


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
    console = wide(80)
    titles = dict.fromkeys([found.old.title, found.new.title])
    write(" and ".join(titles) if len(titles) > 1 else f"{found.old.title}: old and new", to=console)
    write(answer(found), to=console, style="bold")
    if found.identical:
        return
    for section in sections(found):
        _print_section(console, section, several=len(found.models) > 1)
    cautions: dict[str, list[str]] = {}
    for one in found:
        for caution in one.cautions:
            cautions.setdefault(caution, []).append(one.test)
    for caution, tests in cautions.items():
        write(f"{caution}: {_some(tests)}", to=console, style="yellow", label="caveat:")
    for warning in found.warnings:
        write(warning, to=console, style="yellow", label="warning:")
    for refused in found.not_comparable:
        text = f"{refused.what} on {refused.old_model}: {'; '.join(refused.reasons)}"
        write(text, to=console, style="bold red", label="not comparable:")
    for text in found.failed:
        write(text, to=console, style="bold red", label="failed:")
    for which, names in (("old", found.only_old), ("new", found.only_new)):
        if names:
            write(f"only in the {which} run: {_some(names)}", to=console)
    if found.differences:
        write("", to=console)
        write(f"{NOT_UNCHANGED} All numbers, reasons and flipped items: --json, --report.", to=console)


def _some(names: Sequence[str]) -> str:
    """The first few names, each once, and how many more there are."""
    found = list(dict.fromkeys(names))
    more = len(found) - _NAMED
    return ", ".join([*found[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def _print_section(console: Console, section: Section, *, several: bool) -> None:
    """A row for each change that is not unchanged, those of an estimate on one axis; the rest in a line."""
    write("", to=console)
    write(f"{section.title}: {section.counts}", to=console, style="bold")
    for note in section.notes:
        write(note, to=console)
    tables: dict[str, list[Difference]] = {}
    for one in section.changes:
        if one.outcome is not Outcome.UNCHANGED:
            tables.setdefault(f"{one.method} · {one.estimate}", []).append(one)
    for title, some in tables.items():
        write(title, to=console)
        entries = [_entry(one, several=several) for one in some]
        print_entries(console, entries, "test", neutral="no change")
        levels = {one.change.interval.level for one in some if one.change.interval}
        write(
            legend(console, entries, level=levels.pop() if len(levels) == 1 else None),
            to=console,
            style="dim",
        )
    unchanged = [one for one in section.changes if one.outcome is Outcome.UNCHANGED]
    if unchanged:
        names = ", ".join(dict.fromkeys(one.test for one in unchanged))
        write(f"unchanged, within the bound ({len(unchanged)}): {names}", to=console)


def _entry(one: Difference, *, several: bool) -> Entry:
    """A change as a row: old and new value, p and notes beneath it."""
    row = change_row(0, one)
    models = one.models if several and one.old.model != one.new.model else ""
    return Entry(
        name=row.name,
        state=row.state,
        told=row.state,
        value=row.value,
        # A paragraph above the table names the estimate.
        axis=row.axis and row.axis.model_copy(update={"name": "change"}),
        mark=row.lead,
        more=("; ".join(filter(None, [row.says, row.interval, row.note, models])),),
    )
