"""``biascore schema``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from biascore.cli import loaded
from biascore.schemas.making import VERSIONS, json_schema
from biascore.terminal.console import stdout


def schema(
    name: Annotated[str, typer.Argument(help=f"Of which files: {', '.join(VERSIONS)}.", metavar="FILES")],
) -> None:
    """Print the JSON Schema of audit files, stimuli files (with your plugins' kinds of test) or run.json."""
    made = json_schema(name, loaded.plugins().test_kinds)
    stdout.out(json.dumps(made, ensure_ascii=False, indent=1), highlight=False)
