"""``biascore board``: many stored runs on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascore.board import Board, make_board
from biascore.cli.options import Open
from biascore.cli.pages import open_page
from biascore.errors import OptionsError
from biascore.files.paths import user_path
from biascore.models.pipeline.cache import DEFAULT_CACHE, opened
from biascore.terminal.console import print_json, say, stderr
from biascore.terminal.options import Force, Json, NoCache
from biascore.terminal.progress import SignsOfLife


def board(
    folders: Annotated[
        list[Path],
        typer.Argument(help="Stored runs, or folders in which they lie.", metavar="FOLDER..."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="The page to write: .html or .pdf.", metavar="FILE")
    ] = None,
    as_json: Json = False,
    every_pair: Annotated[
        bool,
        typer.Option(
            "--every-pair", help="Compare every two models with each other, however many there are."
        ),
    ] = False,
    open: Open = False,
    no_cache: NoCache = False,
    force: Force = False,
) -> None:
    """Write many stored runs as one page: models over grounds and releases, and what changed between releases."""
    if out is None and not as_json:
        raise OptionsError("nothing says what to write. Add --out board.html, or --json")
    if open and out is None:
        raise OptionsError("--open opens a page, and none is written. Add --out board.html")
    if out is not None:
        from biascore.report import check_installed, check_report

        check_installed()
        check_report(out, overwrite=force)
    signs = SignsOfLife()
    kept = opened(None if no_cache else DEFAULT_CACHE)
    try:
        found = make_board(
            folders,
            out=Path() if out is None else user_path(out).parent,
            cache=kept,
            progress=signs,
            every_pair=every_pair,
        )
    finally:
        kept.close()
    if as_json:
        print_json(found.to_json())
    if out is not None:
        _write(found, out, force=force, open=open)


def _write(found: Board, out: Path, *, force: bool, open: bool) -> None:
    from biascore.report import write_board

    for one in found.unread:
        say(f"{one.run}: {one.why}", to=stderr, style="yellow", label="not in a row:")
    say(f"board: {write_board(found, out, overwrite=force)}", to=stderr)
    if open:
        open_page(out)
