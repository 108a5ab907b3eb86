"""``biascore plan``: what a run will cost, before it does."""

from __future__ import annotations

from typing import Annotated

import typer

from biascore.cli import loaded
from biascore.cli.options import (
    AuditFile,
    PriceIn,
    PriceOut,
    PricePerMillion,
    ReplaceModel,
    Seed,
    Without,
    chosen_audit,
)
from biascore.engine.prices import Prices
from biascore.models.pipeline.cache import DEFAULT_CACHE
from biascore.terminal.console import print_json, print_rows, say
from biascore.terminal.options import Json, NoCache
from biascore.terminal.progress import SignsOfLife


def plan(
    audit: AuditFile,
    probe: Annotated[
        bool,
        typer.Option("--probe/--no-probe", help="Send a few queries to local models, to estimate the time."),
    ] = True,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Rehearse every metric: takes about as long as a run without its model. Without, some counts are bounds.",
        ),
    ] = False,
    price_per_million: PricePerMillion = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    model: ReplaceModel = None,
    without: Without = None,
    seed: Seed = None,
    no_cache: NoCache = False,
    as_json: Json = False,
) -> None:
    """Dry run: count the queries, passes, tokens, requests and characters that a run of an audit file needs.

    Every model is opened, and metrics ask placeholders instead of it; nothing is kept.
    """
    prices = Prices(characters=price_per_million, tokens_in=price_in, tokens_out=price_out)
    chosen = chosen_audit(audit, seed, model, without)
    engine = loaded.engine(cache=None if no_cache else DEFAULT_CACHE, progress=SignsOfLife())
    try:
        found = engine.plan(chosen, probe=probe, whole=exact or prices.given)  # a bound has no price
    finally:
        engine.close()
    price = found.price(prices) if prices.given else None
    if as_json:
        priced = {} if price is None else {"price": price.model_dump(mode="json")}
        print_json({**found.to_json(), **priced})
        return
    header, *rows = found.table
    print_rows(header, rows, title=found.title, dense=True)
    for sentence in price.told if price is not None else ():
        say(sentence)
    for note in found.notes:
        say(note, style="dim")
