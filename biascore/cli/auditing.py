"""``biascore audit``: one model, without an audit file: the tests that it can answer, its run, report and audit file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from biascore.audits.audit import Audit
from biascore.audits.making import grounds_of, not_planted
from biascore.basics.surface import audit_file
from biascore.calibration.simulation import QUICK
from biascore.cli.delivery import RunOptions, engine_of, run_and_deliver, taking_run_options
from biascore.engine.engine import Engine
from biascore.engine.plan import duration
from biascore.errors import MissingExtraError, OptionsError
from biascore.files.paths import user_path
from biascore.files.writing import write_file
from biascore.models.model import Model
from biascore.terminal.console import say, stderr
from biascore.terminal.options import Given, Option, StimuliFolders

MINUTES: Final = 15
"""An audit that takes longer starts with ``--yes`` alone."""


@taking_run_options
def audit(
    ref: Annotated[
        str,
        typer.Argument(help="A model, such as hf:bert-base-cased or fasttext:cc.en.300.bin.", metavar="REF"),
    ],
    ground: Annotated[
        list[str] | None,
        typer.Option(
            "--ground",
            help="Only tests of this ground, such as gender or age; repeat for several.",
            metavar="GROUND",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="The language of the tests; en by default.", metavar="CODE"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="One test of each ground.")] = False,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            help="Of a translator: a language to translate to, such as es; repeat for several.",
            metavar="CODE",
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help=f"Start even if it takes more than {MINUTES} minutes.")
    ] = False,
    option: Option = None,
    stimuli: StimuliFolders = None,
    *,
    given: RunOptions,
) -> None:
    """Audit a model: measure the tests that fit it, with controls and baselines, and write run, report and audit file.

    They are saved as audit-MODEL, audit-MODEL.html and audit-MODEL.toml, or by the name of --out.
    """
    options = Given.of(option, of=("model",))
    out = given.out or Path(f"audit-{_named(ref)}")
    if out.name in ("", ".."):
        raise OptionsError(f"--out {out} names no folder to make. Name one, such as --out {out / 'audit'}")
    file, report = out.with_name(f"{out.name}.toml"), given.report or _report(out)
    given = replace(given, out=out, report=report, open=given.open and report is not None)
    with engine_of(given, stimuli or ()) as engine:
        engine.seed = given.seed or 0
        if given.adjust is not None:
            engine.adjust = given.adjust
        with engine.model(ref, **options.model) as model:
            chosen = engine.audit(model, grounds=ground or (), language=language, quick=quick, to=to or ())
            chosen = chosen.of_release(given.line, given.release)
            if stimuli:
                chosen = chosen.model_copy(
                    update={"stimuli": tuple(str(user_path(one).resolve()) for one in stimuli)}
                )

            new = not user_path(file).exists()

            def first(resumed: bool) -> None:
                _keep(chosen, file, force=given.force)
                if not resumed:
                    seconds = _show_plan(engine, chosen, model)
                    if seconds > MINUTES * 60 and not yes:
                        raise OptionsError(_too_long(quick=quick))

            try:
                with audit_file():
                    run_and_deliver(chosen, given, engine, (model,), first)
            finally:
                if (
                    new and not user_path(out).exists()
                ):  # without a run, its audit would stand in the way of the next try
                    user_path(file).unlink(missing_ok=True)


def _named(ref: str) -> str:
    """The reference as part of a file name."""
    return re.sub(r"[^\w.]+", "-", ref).strip("-.") or "model"


def _report(out: Path) -> Path | None:
    """Where the page goes, or None where what makes it is not installed, which is said."""
    from biascore.report import check_installed

    try:
        check_installed()
    except MissingExtraError as error:
        say(f"no report is written: {error}", to=stderr)
        return None
    return out.with_name(f"{out.name}.html")


def _keep(audit: Audit, file: Path, *, force: bool) -> None:
    """Write the audit file; raises OptionsError where there is another one, which may have gates of the user."""
    text, place = audit.to_toml(), user_path(file)
    if place.exists() and not force and place.read_text(encoding="utf-8", errors="replace") != text:
        raise OptionsError(
            f"{file} is there and is another audit. Run that one with biascore run {file}, choose another name with "
            "--out, or replace it with --force"
        )
    write_file(place, text.encode())


def _too_long(*, quick: bool) -> str:
    less = (
        "fewer grounds with --ground"
        if quick
        else "one test of each ground with --quick, or fewer with --ground"
    )
    return f"this takes more than {MINUTES} minutes, and nothing was measured. Start it with --yes, or choose {less}"


def _show_plan(engine: Engine, audit: Audit, model: Model) -> float:
    """Say what will be measured, and how long asking the model takes, in seconds; 0 where that is not known."""
    entries = [one for one in audit.measurements if one.models == (model.name,)]
    fast = tuple(
        one.model_copy(update={"options": {**one.options, **_fewer(engine, one.metric)}}) for one in entries
    )
    alone = audit.model_copy(update={"models": audit.models[:1], "measurements": fast})
    total = engine.plan(alone, (model,), whole=False).total
    bound = "" if total.counts == "exact" else "at most " if total.counts == "at most" else "about "
    seconds = total.seconds
    tests = [engine.catalogue.select(test)[0] for one in entries for test in one.tests]
    grounds = sorted({ground for test in tests for ground in grounds_of(test)} - {"baseline"})
    metrics = ", ".join(dict.fromkeys(one.metric for one in entries))
    took = "" if seconds is None else f", {'about ' if seconds >= 1 else ''}{duration(seconds)}"
    if untouched := not_planted(model, audit):
        say(untouched, to=stderr, style="yellow", label="note:")
    say(
        f"{len(tests)} tests with {metrics} ({', '.join(grounds)}): {bound}{total.asked:,} queries to {model.name}{took}, "
        "and about a second a test to compute",
        to=stderr,
    )
    return seconds or 0.0


def _fewer(engine: Engine, metric: str) -> dict[str, int]:
    taken = engine.plugins.metrics.get(metric).option_type.model_fields
    return {name: value for name, value in QUICK.items() if name in taken}
