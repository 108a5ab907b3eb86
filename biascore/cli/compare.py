"""``biascore compare``: what changed between two runs, or between two models of one run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from biascore.cli import codes
from biascore.cli.adjusting import Adjust
from biascore.cli.console import print_json, say, stderr, wide
from biascore.cli.options import Force, Json
from biascore.comparing import Comparison, Difference, Outcome
from biascore.comparing import compare as compare_runs
from biascore.errors import OptionsError
from biascore.report import check_installed, check_report, write_comparison
from biascore.results.estimates import format_p
from biascore.results.verdicts import Role

_COLOURS: Final = {
    Outcome.GREW: "red",
    Outcome.TURNED: "red",
    Outcome.SHRANK: "green",
    Outcome.SAME: "green",
    Outcome.UNKNOWN: "yellow",
}
_FLIPS: Final = 5
"""So many of the items that flipped are named on the terminal."""


def compare(
    old: Annotated[Path, typer.Argument(help="A stored run: its folder, or its run.json.", metavar="OLD")],
    new: Annotated[
        Path | None,
        typer.Argument(help="The run to compare with it; left out, two models of OLD.", metavar="[NEW]"),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            help="Which model of OLD is compared with which of NEW, OLD=NEW by name; repeat for several. Default: those of "
            "the same name, or the only one of each.",
            metavar="OLD=NEW",
        ),
    ] = None,
    bound: Annotated[
        float | None,
        typer.Option(
            help="A change within it is too small to matter, in the unit of each estimate. Default: the bound of each "
            "measurement.",
        ),
    ] = None,
    adjust: Adjust = None,
    report: Annotated[Path | None, typer.Option(help="HTML file to write the comparison to.")] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Compare two runs, or two models of one run, test by test and item by item."""
    if report is not None:
        check_installed()
        check_report(report, overwrite=force)
    found = compare_runs(old, new, _pairs(models), bound=bound, adjustment=adjust)
    if as_json:
        print_json(found.to_json())
    else:
        print_comparison(found)
    if report is not None:
        say(f"report: {write_comparison(found, report, overwrite=force)}", to=stderr)
    if not found.whole:
        raise typer.Exit(codes.PARTLY_FAILED)


def _pairs(texts: list[str] | None) -> dict[str, str] | None:
    """``OLD=NEW`` by old name, split at the last equals sign: names of planted models hold some."""
    pairs: dict[str, str] = {}
    for text in texts or ():
        old, equals, new = text.rpartition("=")
        if not (old and equals and new):
            raise OptionsError(f"--models {text!r} is not OLD=NEW. Write, for example: --models bert=roberta")
        if old in pairs:
            raise OptionsError(
                f"--models {text!r}: {old!r} is compared with {pairs[old]!r} already. Name it once"
            )
        pairs[old] = new
    return pairs or None


def print_comparison(found: Comparison) -> None:
    """The changes, the items that flipped, what could not be compared, and the answer last."""
    console = wide()
    titles = dict.fromkeys([found.old.title, found.new.title])
    say(
        " and ".join(titles) if len(titles) > 1 else f"{found.old.title}: old and new",
        to=console,
        style="bold",
    )
    for old, new in found.models.items():
        say(f"{old} -> {new}" if old != new else f"{old}, in both runs", to=console)
    for role in Role:
        some = [one for one in found if one.role is role]
        if some:
            _print_table(console, role, some, several=len(found.models) > 1)
    for one in found:
        _print_flips(console, one)
    for one in found:
        for caution in one.cautions:
            say(f"{one.method} {one.test}: {caution}", to=console, style="yellow", label="warning:")
    for warning in found.warnings:
        say(warning, to=console, style="yellow", label="warning:")
    for refused in found.not_comparable:
        text = f"{refused.what} on {refused.old_model}: {'; '.join(refused.reasons)}"
        say(text, to=console, style="bold red", label="not comparable:")
    for text in found.failed:
        say(text, to=console, style="bold red", label="failed:")
    for which, names in (("old", found.only_old), ("new", found.only_new)):
        if names:
            say(f"only in the {which} run: {', '.join(names)}", to=console)
    say("", to=console)
    for text in _words(found):
        say(text, to=console)


def _print_table(console: Console, role: Role, some: list[Difference], *, several: bool) -> None:
    say("", to=console)
    say(f"{role.value.capitalize()}s", to=console)
    table = Table(box=box.HORIZONTALS, show_lines=True, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head in ("test\nmetric", "old\nnew", "change\ninterval", "p\nadjusted", "outcome\nflipped"):
        table.add_column(head, overflow="fold", no_wrap=head.startswith(("old", "p\n")))
    for one in some:
        change, ends = one.change, one.change.interval
        named = [one.test, ", ".join(filter(None, [one.method, one.subject])), one.estimate]
        if several and one.old.model != one.new.model:
            named.append(one.models)
        flips = "" if one.flipped is None else f"\n{one.flipped} of {change.n['items']} items"
        table.add_row(
            escape("\n".join(named)),
            f"{_number(one.old.value)}\n{_number(one.new.value)}",
            f"{_number(change.value, '+')}\n" + (f"{ends.low:+.2f} to {ends.high:+.2f}" if ends else "-"),
            f"{format_p(change.p_values[0].value) if change.p_values else '-'}\n"
            + ("-" if one.p_adjusted is None else format_p(one.p_adjusted)),
            f"[{_COLOURS[one.outcome]}]{one.outcome}[/]" + ("" if one.paired else "\nunpaired") + flips,
        )
    console.print(table)


def _print_flips(console: Console, one: Difference) -> None:
    if not one.flipped:
        return
    named = ", ".join(
        f"{row['item']} ({_number(row['old'])} to {_number(row['new'])})" for row in one.flips[:_FLIPS]
    )
    more = f" and {one.flipped - _FLIPS} more" if one.flipped > _FLIPS else ""
    say(f"flipped in {one.method} {one.test}: {named}{more}", to=console)


def _number(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.3f}"


def _words(found: Comparison) -> list[str]:
    counts = Counter(one.outcome for one in found)
    said = [f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome]]
    texts = [f"of {len(found)} change(s): {', '.join(said)}" if said else "nothing could be compared"]
    if found.not_comparable:
        texts.append(f"{len(found.not_comparable)} test(s) not comparable")
    if found.failed:
        texts.append(f"{len(found.failed)} measurement(s) had failed")
    if counts[Outcome.UNKNOWN]:
        texts.append("cannot tell is not unchanged: the data show neither a change nor its absence")
    return texts
