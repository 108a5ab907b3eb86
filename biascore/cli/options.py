"""Options that several commands take, and options given as ``key=value``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from biascore.errors import OptionsError

Stimuli = Annotated[
    list[Path] | None, typer.Option(help="A folder of your own <language>/*.toml, beside the installed ones.")
]
Seed = Annotated[int | None, typer.Option(help="Seed of everything random.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Out = Annotated[Path | None, typer.Option(help="Folder to save the run in.")]
Report = Annotated[Path | None, typer.Option(help="HTML file to write the report to.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what an earlier command wrote there.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep answers.")]
Require = Annotated[
    list[str] | None, typer.Option(help="Requirement that must be loaded: 'biascore-plugin-slavic>=1'.")
]
MaxCharacters = Annotated[
    int | None,
    typer.Option(
        help="Stop before more characters than this are sent to services with a key, which may charge.",
        min=0,
    ),
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(help="An option of the model's adapter, key=value; repeat for several."),
]


def pairs(options: list[str] | None) -> dict[str, Any]:
    """Options from ``key=value``; the value is read as TOML, and what is no TOML value is a string."""
    found: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionsError(f"{text!r} is not key=value. Write, for example: -o level=token")
        if key in found:
            raise OptionsError(f"the option {key!r} is given twice. Give it once")
        try:
            found[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            found[key] = value
    return found
