"""``biascore export``: a model written for another runtime, compared with the original before it is kept."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from biascore.cli.console import print_json, print_rows, say, stderr
from biascore.cli.options import Force, Given, Json, Option
from biascore.engine import Engine
from biascore.models.export import check_target, export_model


def export(
    ref: Annotated[
        str, typer.Argument(help="The model, such as hf:dbmdz/bert-base-italian-uncased.", metavar="REF")
    ],
    folder: Annotated[Path, typer.Argument(help="The folder to write.", metavar="DIR")],
    int8: Annotated[
        bool,
        typer.Option("--int8", help="Store weights in bytes, and round activations by row during inference."),
    ] = False,
    option: Option = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Export a model (hf: to ONNX) and compare the answers of the copy with those of the original."""
    check_target(folder, overwrite=force)  # before a model is opened
    engine = Engine(cache=None)
    options = Given.of(option, of=["model"])
    with engine.model(ref, **options.model) as original:
        done = export_model(engine.model, original, folder, int8=int8, overwrite=force)
    if as_json:
        print_json(asdict(done))
        return
    print_rows(
        ("quantity", "values", "largest deviation", "largest value"),
        [
            (one.quantity, str(one.values), f"{one.largest:.2e}", f"{one.magnitude:z.3g}")
            for one in done.deviations
        ],
        title=f"{done.ref} compared with {ref}",
    )
    say(f"exported: {done.ref}", to=stderr)
