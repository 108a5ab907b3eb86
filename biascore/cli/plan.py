"""``biascore plan``: what a run will cost, before it does."""

from __future__ import annotations

from typing import Annotated

import typer

from biascore.cli.console import print_json, print_rows, say
from biascore.cli.options import AuditFile, Json, NoCache, ReplaceModel, Seed, Without, chosen_audit
from biascore.cli.progress import SignsOfLife
from biascore.engine import DEFAULT_CACHE, Engine


def plan(
    audit: AuditFile,
    probe: Annotated[
        bool,
        typer.Option("--probe/--no-probe", help="Send a few queries to local models, to estimate the time."),
    ] = True,
    price_per_million: Annotated[
        float | None,
        typer.Option(
            help="What a service charges for a million characters, in any currency.", min=0, metavar="NUMBER"
        ),
    ] = None,
    model: ReplaceModel = None,
    without: Without = None,
    seed: Seed = None,
    no_cache: NoCache = False,
    as_json: Json = False,
) -> None:
    """Dry run: count the queries, passes, tokens and characters that a run of an audit file needs.

    Every model is opened, and every metric gets placeholders instead of answers; nothing is kept.
    """
    chosen = chosen_audit(audit, seed, model, without)
    engine = Engine(cache=None if no_cache else DEFAULT_CACHE, progress=SignsOfLife())
    try:
        found = engine.plan(chosen, probe=probe)
    finally:
        engine.close()
    if as_json:
        print_json(found.to_json())
        return
    header, *rows = found.table
    print_rows(header, rows, title=found.title, dense=True)
    if price_per_million is not None:
        say(found.price(price_per_million))
    for note in found.notes:
        say(note, style="dim")
