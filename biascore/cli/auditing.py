"""``biascore audit``: one model, without an audit file: the tests that it can answer, its run, report and audit file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Final

import typer

from biascore.archive.resume import unfinished
from biascore.audits.audit import Audit
from biascore.audits.first_file import commented
from biascore.audits.making import grounds_of, leaves_out, not_planted
from biascore.basics.surface import audit_file
from biascore.basics.wording import duration
from biascore.cli.delivery import RunOptions, engine_of, run_and_deliver, taking_run_options
from biascore.cli.options import Audited, Design, Language, PriceIn, PriceOut, PricePerMillion, To
from biascore.engine.engine import Engine
from biascore.engine.plan import Plan, QuestionPlan
from biascore.engine.prices import Prices
from biascore.errors import MissingExtraError, OptionsError
from biascore.files.paths import user_path
from biascore.files.writing import write_file
from biascore.metric import DESIGNS
from biascore.models.model import Model
from biascore.models.questions.cost import Cost
from biascore.terminal.console import say, stderr
from biascore.terminal.options import Given, Option, StimuliFolders
from biascore.terminal.progress import SignsOfLife

MINUTES: Final = 15
"""An audit that takes longer starts with ``--yes`` or a named design alone."""
COMPUTED: Final = 1.5
"""Seconds that statistics and keeping take for a test. Measured, with the start: 20 s of GloVe's 11 tests and controls
(`benchmarks.real_models`)."""
BUSY: Final = 1.5
"""Times its processor time that asking takes by the clock, from which on the first line says so."""


@taking_run_options
def audit(
    ref: Audited,
    ground: Annotated[
        list[str] | None,
        typer.Option(
            "--ground",
            help="Only tests of this ground, such as gender or age; repeat for several.",
            metavar="GROUND",
        ),
    ] = None,
    language: Language = None,
    design: Design = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short for --design small.")] = False,
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Recommend the largest design that takes this long at most on this model; start it with --yes.",
            min=0,
            metavar="NUMBER",
        ),
    ] = None,
    price_per_million: PricePerMillion = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    to: To = None,
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
    prices = Prices(characters=price_per_million, tokens_in=price_in, tokens_out=price_out)
    if minutes is not None and (quick or design):
        raise OptionsError("--minutes recommends a design, and one is named. Keep one of them")
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

            def of_design(name: str | None) -> Audit:
                made = engine.audit(
                    model, grounds=ground or (), language=language, design=name, quick=quick, to=to or ()
                )
                folders = tuple(str(user_path(one).resolve()) for one in stimuli or ())
                return made.of_release(given.line, given.release).model_copy(update={"stimuli": folders})

            every = [of_design(name) for name in (DESIGNS if minutes is not None else (design,))]
            begun = [one for one in every if not given.force and unfinished(user_path(out), one)]
            chosen = begun[0] if begun else every[0]
            if minutes is not None and not begun:
                chosen = _recommended(engine, every, model, minutes)
                if not yes:
                    say("nothing was measured. Start it with that, or with --yes", to=stderr)
                    return

            new = not user_path(file).exists()

            def first(resumed: bool) -> None:
                _keep(chosen, file, force=given.force)
                if not resumed:
                    seconds = _show_plan(engine, chosen, model, prices)
                    if seconds > MINUTES * 60 and not (yes or quick or design):
                        raise OptionsError(
                            f"this takes more than {MINUTES} minutes, and nothing was measured. Start it with --yes or "
                            f"--design {chosen.design}, or ask less: --design small, or fewer grounds with --ground"
                        )

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
    """Write the audit file; raises OptionsError where there is another one, which may have gates of the user.

    One that says the same stays as it is, with the comments of its user.
    """
    place = user_path(file)
    if place.exists() and _says(place, audit):
        return
    if place.exists() and not force:
        raise OptionsError(
            f"{file} is there and is another audit. Run that one with biascore run {file}, choose another name with "
            "--out, or replace it with --force"
        )
    write_file(place, commented(audit, quote(str(file))).encode())


def _says(file: Path, audit: Audit) -> bool:
    try:
        return Audit.load(file).model_dump() == audit.model_dump()
    except OptionsError:
        return False


def _planned(engine: Engine, audit: Audit, model: Model, *, probe: bool = True) -> Plan:
    """What the audit asks of the model, controls aside."""
    entries = tuple(one for one in audit.measurements if one.models == (model.name,))
    alone = audit.model_copy(update={"models": audit.models[:1], "measurements": entries})
    return engine.plan(alone, (model,), probe=probe, whole=False)


def _show_plan(engine: Engine, audit: Audit, model: Model, prices: Prices) -> float:
    """Say what will be measured, and how long it takes, in seconds; 0 where that is not known."""
    found = _planned(engine, audit, model)
    if untouched := not_planted(model, audit):
        say(untouched, to=stderr, style="yellow", label="note:")
    total = found.total
    asked = _told(engine, audit, total, total.seconds, total.processor_seconds)
    say(f"{asked} to {model.name}", to=stderr)
    for line in _price_lines(found, prices):
        say(line, to=stderr)
    signs = engine.progress
    if isinstance(signs, SignsOfLife):
        signs.expect({f"{row.model}: {row.hook}": (row.asked, row.seconds) for row in found.rows})
    return total.seconds or 0.0


def _told(
    engine: Engine, audit: Audit, total: QuestionPlan, seconds: float | None, processor: float | None = None
) -> str:
    """The tests of an audit, its queries, and the time of these and of computing."""
    entries = [one for one in audit.measurements if one.models == audit.measurements[0].models]
    tests = [engine.catalogue.select(test)[0] for one in entries for test in one.tests]
    grounds = sorted({ground for test in tests for ground in grounds_of(test)} - {"baseline"})
    metrics = ", ".join(dict.fromkeys(one.metric for one in entries))
    bound = "" if total.counts == "exact" else "at most " if total.counts == "at most" else "about "
    took = "" if seconds is None else f", about {duration(seconds + COMPUTED * len(tests))}"
    own = (processor or 0.0) + COMPUTED * len(tests)
    # A service has its own processors; here a clock that is far ahead says that others use these.
    if seconds is not None and processor and not total.cost.requests and seconds > BUSY * own:
        took += f" while this machine is as busy as now ({duration(own)} of processor time)"
    return f"{audit.design}: {len(tests)} tests with {metrics} ({', '.join(grounds)}): {bound}{total.asked:,} queries{took}"


def _price_lines(found: Plan, prices: Prices) -> Iterator[str]:
    """What a service that may charge is sent, and its price where prices are given."""
    paid = [row.cost for row in found.rows if row.paid and row.asked]
    cost = sum(paid, start=Cost.none())
    parts = {
        "requests": cost.requests,
        "tokens in": cost.tokens,
        "tokens out": cost.tokens_out,
        "characters": cost.characters,
    }
    if told := ", ".join(f"{number:,} {name}" for name, number in parts.items() if number):
        yield f"the service is sent at most {told}"
    if paid and prices.given:
        yield from found.price(prices).told
    elif paid:
        yield "no price is known: give --price-in and --price-out (per million tokens), or --price-per-million (characters)"


def _recommended(engine: Engine, designs: list[Audit], model: Model, minutes: float) -> Audit:
    """The largest design that takes so long at most, by one batch of the largest; says what each leaves out.

    Raises OptionsError where none does, or no time is known.
    """
    plans = [_planned(engine, one, model, probe=one is designs[-1]).total for one in designs]
    most = plans[-1]
    if most.seconds is None:
        raise OptionsError(f"the time of {model.name} is not known. Name a design: --design {DESIGNS[0]}")
    each = most.seconds / max(1, most.asked)
    for audit, plan in zip(designs, plans, strict=True):
        left = leaves_out(audit, designs[-1]) or "leaves out nothing"
        say(f"{_told(engine, audit, plan, each * plan.asked)}; it {left}", to=stderr)
    fitting = [a for a, plan in zip(designs, plans, strict=True) if each * plan.asked <= 60 * minutes]
    if not fitting:
        raise OptionsError(
            f"no design takes {minutes:g} minutes at most on {model.name}. Give more --minutes, or fewer grounds with "
            "--ground"
        )
    say(f"recommended for {minutes:g} minutes: --design {fitting[-1].design}", to=stderr)
    return fitting[-1]
