"""``biascore report``: a stored run as a page, with its charts as files, or in another form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from biascore.cli import loaded
from biascore.cli.options import Open, StoredRun
from biascore.cli.pages import open_page
from biascore.errors import OptionsError
from biascore.exporter import NO_FACTS
from biascore.results.run import Run
from biascore.results.run_files import REPORT_FILE
from biascore.terminal.console import say, stdout
from biascore.terminal.options import Force, pairs
from biascore.terminal.progress import SignsOfLife

EXAMPLE: Final = "-o source='our applicant tracking system'"


def report(
    run_folder: StoredRun,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write; a folder for forms with one file a model. Default: report.html in the run; other forms "
            "are printed.",
            metavar="PATH",
        ),
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(
            help="Also write every chart, and one for a slide (slide.png), as SVG, PDF and PNG here.",
            metavar="DIR",
        ),
    ] = None,
    chart_width: Annotated[
        float | None,
        typer.Option(
            help="Width of each chart; one and two columns of a journal are 85 and 175.", metavar="MM"
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="html, pdf, md, csv, json, latex, model-card, every-eval-ever, junit, cyclonedx, or one of a plugin. "
            "Default: by the ending of --out, or html.",
            metavar="FORM",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns of a table (csv, md, latex), as in test,effect,p; all for every one.",
            metavar="NAME,...",
        ),
    ] = None,
    estimates: Annotated[
        str | None,
        typer.Option(
            help="Estimates in a table in addition to the headlines, by name or glob, as in 'p_*'; all for every one.",
            metavar="NAME,...",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-o",
            help="A fact that a form asks for and no run holds, such as source='...' of ll144. Repeat for several.",
            metavar="NAME=TEXT",
        ),
    ] = None,
    open: Open = False,
    force: Force = False,
) -> None:
    """Write the report of a stored run: one HTML file that needs no network, or another form."""
    loaded = Run.load(run_folder)
    from biascore.report.forms import PAGE_FORMS, chosen_form, written

    form = chosen_form(out, form or "")
    if form == "pdf" and out is None:
        out = run_folder / "report.pdf"
    if form not in PAGE_FORMS:
        if open:
            raise OptionsError(f"--open opens a page, and {form} is none. Leave out --format, or --open")
        if charts is not None:
            raise OptionsError(
                f"--charts belongs to the HTML report. Write the charts first, and the {form} after them: biascore report "
                f"{run_folder} --charts {charts}"
            )
        chosen, globs = (given.split(",") if given else [] for given in (columns, estimates))
        facts = {name: str(value) for name, value in pairs(option, example=EXAMPLE).items()}
        if out is None:
            deliver(loaded, form, columns=chosen, estimates=globs, facts=facts)
            return
        for path in written(loaded, form, out, overwrite=force, columns=chosen, estimates=globs, facts=facts):
            say(path)
        return
    for name, given in (("columns", columns), ("estimates", estimates)):
        if given is not None:
            raise OptionsError(f"--{name} is for tables. Add --format csv, md or latex")
    if option:
        raise OptionsError("-o states a fact that a form asks for. Add --format ll144, or leave it out")
    from biascore.report import check_report, write_charts, write_report

    check_report(out or run_folder / REPORT_FILE, overwrite=force)
    drawn = write_charts(loaded, charts, width=chart_width, overwrite=force) if charts else ()
    page = write_report(loaded, out or run_folder / REPORT_FILE, overwrite=force, progress=SignsOfLife())
    for path in (page, *drawn):
        say(path)
    if open:
        open_page(out or run_folder / REPORT_FILE)


def deliver(
    run: Run,
    form: str,
    *,
    several: bool = False,
    columns: Sequence[str] = (),
    estimates: Sequence[str] = (),
    facts: Mapping[str, str] = NO_FACTS,
) -> None:
    """Print a run in this form.

    Raises OptionsError where it is several texts, one a model, no folder is named for them, and they may not be printed
    one after the other.
    """
    from biascore.exporting.forms import exported

    found = exported(run, form, loaded.plugins(), columns, estimates, facts)
    if len(found) > 1 and not several:
        raise OptionsError(
            f"{form} is one text for each model, and there are {len(found)}: {', '.join(one.of for one in found)}. Name a "
            f"folder for them: biascore report RUN --format {form} --out FOLDER"
        )
    stdout.out("\n".join(one.text for one in found), end="", highlight=False)
