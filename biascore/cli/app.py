"""The commands, each a thin layer over Engine and Run."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from biascore.audit import Audit
from biascore.cache import DiskCache, default_folder
from biascore.cli.console import Bars, print_json, print_run, stderr, stdout
from biascore.cli.inspect import list_app, plugins, show
from biascore.cli.plan import plan
from biascore.engine import DEFAULT_CACHE, Engine
from biascore.errors import OptionsError
from biascore.run import Run
from biascore.verify import verify_run

app = typer.Typer(
    help="Measure social bias in word embeddings, language models, regressors and translation systems.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
cache_app = typer.Typer(help="Answers kept from earlier runs.", no_args_is_help=True)
app.add_typer(list_app, name="list")
app.add_typer(cache_app, name="cache")
app.command()(plan)
app.command()(show)
app.command()(plugins)

EXIT_DIFFERENT = 3

Stimuli = Annotated[
    list[Path] | None, typer.Option(help="A folder of your own <language>/*.toml, beside the installed ones.")
]
Seed = Annotated[int | None, typer.Option(help="Seed of everything random.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Out = Annotated[Path | None, typer.Option(help="Folder to save the run in.")]
Report = Annotated[Path | None, typer.Option(help="HTML file to write the report to.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an earlier run or report.")]
NoCacheFlag = Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep answers.")]
Require = Annotated[
    list[str] | None, typer.Option(help="Requirement that must be loaded: 'biascore-plugin-slavic>=1'.")
]


@app.command()
def run(
    audit: Annotated[Path, typer.Argument(help="The audit file (TOML).")],
    out: Out = None,
    report: Report = None,
    seed: Seed = None,
    as_json: Json = False,
    force: Force = False,
    no_cache: NoCacheFlag = False,
    require_plugin: Require = None,
) -> None:
    """Run an audit file; an interrupted run goes on where it stopped.

    The run is saved in --out, or in a folder beside the audit file that is named after it.
    """
    chosen = Audit.load(audit)
    if seed is not None:
        chosen = chosen.model_copy(update={"seed": seed})
    target = out or audit.with_name(f"{audit.stem}-run")
    _refuse_existing(target, report, force)
    engine = _engine((), no_cache, require_plugin, chosen.seed)
    try:
        _deliver(engine.run(chosen), target, report, as_json, force)
    finally:
        engine.close()


@app.command()
def measure(
    metric: Annotated[str, typer.Argument(help="A metric, such as weat: biascore list metrics.")],
    model: Annotated[list[str], typer.Option(help="A model reference; repeat for several.")],
    tests: Annotated[list[str], typer.Option(help="A test or glob, such as 'en/weat*'; repeat for several.")],
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-o",
            help="A metric option, key=value (value as in TOML: ddof=0, level=token); repeat for several.",
        ),
    ] = None,
    model_option: Annotated[
        list[str] | None,
        typer.Option(help="An option of the models' adapter, key=value; repeat for several."),
    ] = None,
    stimuli: Stimuli = None,
    out: Out = None,
    report: Report = None,
    seed: Seed = None,
    as_json: Json = False,
    force: Force = False,
    no_cache: NoCacheFlag = False,
    require_plugin: Require = None,
) -> None:
    """Measure one metric on one or several models, without an audit file."""
    _refuse_existing(out, report, force)
    audit = Audit.from_parts(
        title=f"{metric} on {', '.join(model)}",
        models=[{"ref": ref, "options": _pairs(model_option)} for ref in model],
        measurements=[{"metric": metric, "tests": tests, "options": _pairs(option)}],
        seed=seed or 0,
    )
    engine = _engine(stimuli or (), no_cache, require_plugin, audit.seed)
    try:
        _deliver(engine.run(audit), out, report, as_json, force)
    finally:
        engine.close()


@app.command()
def report(
    run_folder: Annotated[Path, typer.Argument(help="A stored run.", metavar="RUN")],
    out: Annotated[Path | None, typer.Option(help="The HTML file (default: report.html in the run).")] = None,
    charts: Annotated[Path | None, typer.Option(help="Also write every chart as SVG and PNG here.")] = None,
    force: Force = False,
) -> None:
    """Write the report of a stored run: one HTML file that needs no network."""
    from biascore.report import write_charts, write_report

    loaded = Run.load(run_folder)
    stdout.print(
        str(write_report(loaded, out or run_folder / "report.html", overwrite=force)), highlight=False
    )
    if charts:
        for path in write_charts(loaded, charts):
            stdout.print(str(path), highlight=False)


@app.command()
def verify(
    run_folder: Annotated[Path, typer.Argument(help="A stored run.", metavar="RUN")],
    models: Annotated[bool, typer.Option(help="Also open every model and compare its digest.")] = False,
    stimuli: Stimuli = None,
    as_json: Json = False,
) -> None:
    """Re-derive the hashes of a stored run: results, item tables, stimuli and, on request, models."""
    checks = verify_run(run_folder, Engine(stimuli=stimuli or (), cache=None), models=models)
    if as_json:
        print_json([check.model_dump() for check in checks])
    else:
        for check in checks:
            stdout.print(
                f"{check.outcome:>10}  {check.what}  {check.detail}".rstrip(),
                highlight=False,
                markup=False,
                soft_wrap=True,
            )
    if any(check.outcome == "differs" for check in checks):
        raise typer.Exit(EXIT_DIFFERENT)


@cache_app.command("info")
def cache_info(as_json: Json = False) -> None:
    """Where the cache is, how many answers it holds, and its size."""
    info = DiskCache(default_folder()).info()
    if as_json:
        print_json(info.model_dump())
    else:
        stdout.print(f"{info.path}\n{info.answers} answers, {info.bytes / 1e6:.1f} MB", highlight=False)


@cache_app.command("clear")
def cache_clear(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete every kept answer; the next run asks its models again."""
    if not yes:
        typer.confirm("Delete all kept answers?", abort=True)
    stdout.print(f"{DiskCache(default_folder()).clear()} answers deleted", highlight=False)


def _engine(stimuli: Any, no_cache: bool, require: list[str] | None, seed: int) -> Engine:
    return Engine(
        stimuli=stimuli,
        cache=None if no_cache else DEFAULT_CACHE,
        seed=seed,
        progress=Bars(),
        require_plugins=require or (),
    )


def _refuse_existing(out: Path | None, report: Path | None, force: bool) -> None:
    """Before hours of work, not after them."""
    for path in (out, report):
        if path is not None and path.exists() and not force:
            raise OptionsError(f"{path} exists already. Give another name, or --force to replace it.")


def _deliver(result: Run, out: Path | None, report: Path | None, as_json: bool, force: bool) -> None:
    if out is not None:
        result.save(out, overwrite=force)
    if as_json:
        print_json(result.to_json())
    else:
        print_run(result)
    if out is not None:
        stderr.print(f"run saved in {out}", highlight=False, markup=False)
    if report is not None:
        from biascore.report import write_report

        stderr.print(
            f"report: {write_report(result, report, overwrite=force)}", highlight=False, markup=False
        )


def _pairs(options: list[str] | None) -> dict[str, Any]:
    """Options from ``key=value``; the value is read as TOML, and what is no TOML value is a string."""
    pairs: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionsError(f"{text!r} is not key=value. Write, for example: -o level=token")
        try:
            pairs[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            pairs[key] = value
    return pairs
