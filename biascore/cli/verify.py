"""``biascore verify``: whether a stored run is as it was written, and whether its inputs are those that are available."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from biascore.archive.attest import statement_checks
from biascore.archive.check import Check
from biascore.archive.opening import opened
from biascore.archive.verify import verify_run
from biascore.cli import codes
from biascore.cli.options import Inputs, named_refs
from biascore.errors import OptionsError
from biascore.report import PAGES, PDF
from biascore.results.run import read_run
from biascore.terminal.console import print_json, say
from biascore.terminal.options import Json


def verify(
    places: Annotated[
        list[Path],
        typer.Argument(
            help="The folder of a stored run, or an archive; before it a report, or a statement of "
            "biascore attest (.json), to see whether it is of that run.",
            metavar="[REPORT] RUN",
        ),
    ],
    models: Annotated[bool, typer.Option(help="Also open every model and compare its digest.")] = False,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Where a model of the run is now; repeat for several.", metavar="NAME=REF"),
    ] = None,
    stimuli: Inputs = None,
    as_json: Json = False,
) -> None:
    """Recompute the hashes and verdicts of a stored run or archive, and compare its inputs and (--models) models."""
    report, run = _report_and_run(places)
    refs = named_refs(model, _labels(run) if model else ())
    checks = () if report is None else _of_report(report, run)
    checks += verify_run(run, models=models or bool(refs), stimuli=stimuli or (), refs=refs)
    if as_json:
        print_json([check.model_dump() for check in checks])
    else:
        for check in checks:
            # On one line: a name with a line feed would look like a check of its own.
            what, detail = (" ".join(text.split()) for text in (check.what, check.detail))
            say(f"{check.outcome:>10}  {what}  {detail}".rstrip())
        if not (models or refs):
            say("The models were not opened: add --models for that.")
    outcomes = {check.outcome for check in checks}
    if "differs" in outcomes:
        raise typer.Exit(codes.DIFFERENT)
    if "not here" in outcomes:
        raise typer.Exit(codes.NOT_VERIFIED)


def _report_and_run(places: list[Path]) -> tuple[Path | None, Path]:
    """The two arguments; raises OptionsError for a report without its run."""
    *reports, run = places
    page = run.suffix.lower() in PAGES
    if len(reports) > 1 or page:
        text = f"{run} is a report, and its run is not named. " if page else ""
        raise OptionsError(f"{text}Write: biascore verify {quote(str(run if page else reports[0]))} RUN")
    if reports and reports[0].suffix.lower() == PDF:
        raise OptionsError(f"{reports[0]} is a PDF, and only a page as HTML can be compared. Name that one")
    return (reports[0] if reports else None), run


def _of_report(report: Path, place: Path) -> tuple[Check, ...]:
    from biascore.report.whose import whose

    with opened(place) as found:
        if report.suffix.lower() == ".json":
            return tuple(statement_checks(report, found.run))
        stored = read_run(found.run)[1]
    if stored is None:
        return ()  # what is wrong with the run is said next
    return tuple(
        Check(what=one.what, outcome=one.outcome, detail=one.detail) for one in whose(report, stored)
    )


def _labels(path: Path) -> list[str]:
    with opened(path) as found:
        stored = read_run(found.run)[1]
    return [used.name for used in stored.models] if stored else []
