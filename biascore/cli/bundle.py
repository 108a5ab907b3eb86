"""``biascore bundle``: a run with what is needed to check it, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascore.archive.bundle import write_bundle
from biascore.cli.options import Inputs, StoredRun
from biascore.terminal.console import print_rows, say, stderr
from biascore.terminal.options import Force


def bundle(
    run: StoredRun,
    out: Annotated[Path | None, typer.Option(help="The ZIP file. Default: RUN.zip.", metavar="FILE")] = None,
    stimuli: Inputs = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            help="A file that may not be passed on, as the run names it; repeat for several.", metavar="FILE"
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Write a run, its audit, your word lists, data, mappings and the versions of packages into one archive (ZIP)."""
    target = out or run.absolute().with_name(f"{run.absolute().name}.zip")
    done = write_bundle(run, target, stimuli=stimuli or (), leave_out=leave_out or (), overwrite=force)
    rows = [
        (part.used.file, part.place or f"not in it: {part.why}", part.used.licence) for part in done.parts
    ]
    print_rows(("file", "in the archive", "licence"), rows)
    say("Whoever passes it on passes on what is in it, under these licences.")
    say(f"archive: {done.path}. Check it with: biascore verify {done.path}", to=stderr)
