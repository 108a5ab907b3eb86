"""``biascore words``: a stimuli file of the word lists in a table, to be edited and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascore.basics.tags import canonical_tag
from biascore.cli import loaded
from biascore.errors import OptionsError
from biascore.files.paths import user_path
from biascore.files.writing import write_file
from biascore.stimuli.given import as_toml
from biascore.terminal.console import say, stderr
from biascore.terminal.options import Force, Given, Option


def words(
    file: Annotated[Path, typer.Argument(help="The table: CSV, JSON or Parquet.", metavar="FILE")],
    out: Annotated[
        Path,
        typer.Argument(
            help="The file to write, in a folder of its language: lists/es/mine.toml.", metavar="OUT"
        ),
    ],
    option: Option = None,
    force: Force = False,
) -> None:
    """Write the word lists of a table (list and word, or a column for each list) and their test as a stimuli file."""
    target = user_path(out)
    language = canonical_tag(target.resolve().parent.name)
    if target.suffix != ".toml":
        raise OptionsError(
            f"{out} is no stimuli file by its name. Name it LISTS/LANGUAGE/NAME.toml: lists/es/mine.toml"
        )
    if target.exists() and not force:
        raise OptionsError(f"{out} is there already. Name another file, or replace it with --force")
    options = Given.of(option, of=["data"]).data
    test = loaded.engine(cache=None).data("words", str(file), language=language, name=target.stem, **options)
    write_file(target, as_toml(test).encode())
    folder = out.parent.parent
    say(f"{out} is written. Measure it: biascore measure weat REF {test.id} --stimuli {folder}", to=stderr)
