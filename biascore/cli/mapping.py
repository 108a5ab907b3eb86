"""``biascore mapping``: what a stored run offers to the items of a law, a rule or a standard, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer
from rich.console import Console

from biascore.basics.suggest import did_you_mean
from biascore.cli import loaded
from biascore.cli.rows import write
from biascore.comparing.two_runs import loaded as stored_run
from biascore.engine.mappings import is_file, mapping_used
from biascore.errors import OptionsError, UnknownNameError
from biascore.exporting.other_tables import markdown_of_mappings
from biascore.results.mappings import SILENT, ItemResult, MappingUsed, OfferState
from biascore.results.run import Run
from biascore.terminal.console import print_json, stdout, wide
from biascore.terminal.options import Json

_STYLES: Final = {OfferState.OFFERED: "green", OfferState.PART: "yellow", OfferState.NOT: "dim"}


def mapping(
    run: Annotated[Path, typer.Argument(help="A stored run: its folder, or its run.json.", metavar="RUN")],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Mappings by name (biascore plugins lists them), or TOML files of your own. Default: those of its audit.",
            metavar="MAPPING",
        ),
    ] = None,
    form: Annotated[
        Literal["md", "json"] | None,
        typer.Option("--format", help="Print md or json instead of the list.", metavar="FORM"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what a stored run offers to each item of a law, a rule or a standard, and what no run can show."""
    stored = stored_run(run)
    found = _found(stored, names or [])
    if as_json or form == "json":
        print_json([{**one.model_dump(mode="json"), "items": [*map(_item, one.items)]} for one in found])
    elif form == "md":
        stdout.out(markdown_of_mappings(stored.title, found), end="", highlight=False)
    else:
        _print(found)


def _found(stored: Run, names: Sequence[str]) -> tuple[MappingUsed, ...]:
    """The mappings that are asked for, or those that the run holds; raises OptionsError for none."""
    plugins = loaded.plugins()
    shown = [one.name for one in plugins.mappings.items() if one.items]
    for name in names:
        if not is_file(name) and name not in plugins.mappings.known:
            hint = did_you_mean(name, shown)
            raise UnknownNameError(
                f"no mapping is called {name!r}. {hint}Those with items are: {', '.join(shown)}"
            )
    found = tuple(mapping_used(plugins, name, Path(), stored) for name in names) or stored.mappings
    if not names:  # of those of an audit, the grounds of the others stand in the report
        found = tuple(one for one in found if one.items) or found
    for one in found:
        if not one.items:
            raise OptionsError(
                f"{one.name} names articles of grounds alone, and has no items. Those with items are: {', '.join(shown)}"
            )
    if not found:
        raise OptionsError(
            f"the audit of this run names no mapping. Name one: {', '.join(shown)}, or a TOML file of "
            "your own, as docs/mappings.md shows"
        )
    return found


def _item(one: ItemResult) -> dict[str, object]:
    return {**one.model_dump(mode="json"), "state": one.state.value}


def _print(found: Sequence[MappingUsed]) -> None:
    console = wide(80)
    for one in found:
        write(f"{one.title} ({one.version})", to=console, style="bold")
        write(f"{one.name}: {one.in_short}", to=console)
        for item in one.items:
            _print_item(item, console)
        write("", to=console)
    write(SILENT, to=console)


def _print_item(one: ItemResult, console: Console) -> None:
    write("", to=console)
    write(f"{one.id}: {one.state}", to=console, style=_STYLES[one.state])
    write(f"asks: {one.words}", to=console)
    for offer in one.offers:
        write(f"- {offer.state}: {offer.what} ({offer.found})", to=console, style=_STYLES[offer.state])
    write(f"no run shows: {one.cannot}", to=console)


def print_mappings(run: Run) -> None:
    """A line for each mapping of a run: how much of what serves its items is there."""
    for one in run.mappings:
        if one.items:
            write(f"mapping {one.name}: {one.in_short}", to=wide(80))
