"""``biascore attest``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from biascore.archive.attest import STATEMENT, statement, written
from biascore.cli.options import StoredRun
from biascore.files.paths import user_path
from biascore.files.writing import check_file, write_file
from biascore.terminal.console import say, stderr, stdout
from biascore.terminal.options import Force


def attest(
    run: StoredRun,
    out: Annotated[
        Path | None, typer.Option(help="Write the statement to this file.", metavar="FILE.json")
    ] = None,
    force: Force = False,
) -> None:
    """Write what a run shows as an in-toto statement to sign: model digests, tests, gates, thresholds, sample sizes."""
    text = written(statement(run))
    if out is None:
        stdout.out(text, end="", highlight=False)
        return
    write_file(check_file(user_path(out), overwrite=force, mark=STATEMENT.encode()), text.encode())
    said = f"biascore verify {quote(str(out))} {quote(str(run))}"
    say(f"{out} is written, unsigned. Compare it with its run: {said}", to=stderr)
