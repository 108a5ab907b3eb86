"""``biascore report``: the page of a stored run, and its charts as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascore.cli.console import say
from biascore.cli.options import Force, StoredRun
from biascore.results.run import Run
from biascore.results.run_files import REPORT_FILE


def report(
    run_folder: StoredRun,
    out: Annotated[Path | None, typer.Option(help="The HTML file (default: report.html in the run).")] = None,
    charts: Annotated[Path | None, typer.Option(help="Also write every chart as SVG and PNG here.")] = None,
    force: Force = False,
) -> None:
    """Write the report of a stored run: one HTML file that needs no network."""
    from biascore.report import check_report, write_charts, write_report

    loaded = Run.load(run_folder)
    check_report(out or run_folder / REPORT_FILE, overwrite=force)
    drawn = write_charts(loaded, charts, overwrite=force) if charts else ()
    for path in (write_report(loaded, out or run_folder / REPORT_FILE, overwrite=force), *drawn):
        say(path)
