"""``biascore plugin new``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascore.scaffold.new import KINDS, new_plugin
from biascore.terminal.console import say


def new(
    name: Annotated[
        str,
        typer.Argument(help="What it is called, such as my-model: the package is biascore-plugin-my-model."),
    ],
    kind: Annotated[str, typer.Option("--kind", help=f"What it brings: {', '.join(KINDS)}.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The new folder.", show_default="biascore-plugin-NAME here")
    ] = None,
) -> None:
    """Write a package for a new plugin, which can be installed and passes its own tests."""
    folder = new_plugin(name, kind, out)
    say(
        f"{folder} is written. Install it, and run its tests:\n  pip install -e '{folder}[dev]'\n  pytest {folder}"
    )
