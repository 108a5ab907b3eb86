"""The option of commands that adjust p-values, apart from the others: its type brings all of statistics."""

from __future__ import annotations

from typing import Annotated

import typer

from biascore.stats import Adjustment

Adjust = Annotated[
    Adjustment | None,
    typer.Option(
        help="How p-values are adjusted over the measurements on one model: benjamini-hochberg, holm or none.",
        metavar="METHOD",
    ),
]
