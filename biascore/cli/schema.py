"""``biascore schema``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from biascore.cli import loaded
from biascore.files.paths import user_path
from biascore.files.writing import check_file, write_file
from biascore.schemas.making import DIALECT, VERSIONS, json_schema
from biascore.terminal.console import stdout
from biascore.terminal.options import Force


def schema(
    name: Annotated[str, typer.Argument(help=f"Of which files: {', '.join(VERSIONS)}.", metavar="FILES")],
    out: Annotated[Path | None, typer.Option(help="Write it to this file.", metavar="FILE.json")] = None,
    force: Force = False,
) -> None:
    """Print the JSON Schema of audit files, stimuli files (with your plugins' kinds of test) or run.json."""
    made = json_schema(name, loaded.plugins().test_kinds)
    text = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
    if out is None:
        stdout.out(text, end="", highlight=False)
    else:
        write_file(check_file(user_path(out), overwrite=force, mark=DIALECT.encode()), text.encode())
