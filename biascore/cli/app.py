"""The commands, each a thin layer over Engine and Run."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from biascore.audit import Audit
from biascore.cli.bundle import bundle
from biascore.cli.commands import App
from biascore.cli.console import print_json, say
from biascore.cli.delivery import Limits, Output, run_and_deliver
from biascore.cli.export import export
from biascore.cli.gender import gender
from biascore.cli.inspect import list_app, plugins, show
from biascore.cli.options import (
    Adjust,
    Data,
    DataOption,
    Force,
    Json,
    MaxCharacters,
    ModelOption,
    NoCache,
    Out,
    ReplaceModel,
    Report,
    Require,
    Seed,
    Stimuli,
    TimeLimit,
    Warnings,
    Without,
    chosen_audit,
    data_files,
    pairs,
)
from biascore.cli.plan import plan
from biascore.cli.verify import verify
from biascore.errors import OptionsError
from biascore.models.cache import default_cache
from biascore.results.run import Run
from biascore.results.run_files import REPORT_FILE
from biascore.stats import Adjustment
from biascore.stimuli.dataset import default_test_name


def _version(asked: bool) -> None:
    if asked:
        say(f"biascore {metadata.version('biascore')}")
        raise typer.Exit


app = App(
    help="Measure social bias in word embeddings, language models, regressors and translation systems.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
cache_app = App(help="Answers kept from earlier runs.", no_args_is_help=True)
app.add_typer(list_app, name="list")
app.add_typer(cache_app, name="cache")
app.command()(plan)
app.command()(show)
app.command()(plugins)
app.command()(export)
app.command()(verify)
app.command()(bundle)
app.command()(gender)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What all commands take."""


@app.command()
def run(
    audit: Annotated[Path, typer.Argument(help="The audit file (TOML).")],
    model: ReplaceModel = None,
    without: Without = None,
    out: Out = None,
    report: Report = None,
    seed: Seed = None,
    adjust: Adjust = None,
    warnings: Warnings = False,
    as_json: Json = False,
    force: Force = False,
    no_cache: NoCache = False,
    require_plugin: Require = None,
    max_characters: MaxCharacters = None,
    time_limit: TimeLimit = None,
) -> None:
    """Run an audit file; a run that was interrupted, or of which a part failed, goes on where it stopped.

    The run is saved in --out, or in a folder beside the audit file that is named after it.
    """
    chosen = chosen_audit(audit, seed, model, without, adjust)
    if require_plugin:
        chosen = chosen.model_copy(update={"require_plugins": (*chosen.require_plugins, *require_plugin)})
    target = out or audit.with_name(f"{audit.stem}-run")
    output = Output(target, report, as_json, warnings, force)
    run_and_deliver(chosen, output, Limits(max_characters, time_limit, no_cache))


@app.command()
def measure(
    metric: Annotated[str, typer.Argument(help="A metric, such as weat: biascore list metrics.")],
    model: Annotated[list[str], typer.Option(help="A model reference; repeat for several.")],
    tests: Annotated[
        list[str] | None, typer.Option(help="A test or glob, such as 'en/weat*'; repeat for several.")
    ] = None,
    data: Data = None,
    language: Annotated[str | None, typer.Option(help="The language of --data, such as en.")] = None,
    data_option: DataOption = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-o",
            help="A metric option, key=value (value as in TOML: ddof=0, level=token); repeat for several.",
        ),
    ] = None,
    model_option: ModelOption = None,
    stimuli: Stimuli = None,
    out: Out = None,
    report: Report = None,
    seed: Seed = None,
    adjust: Adjust = None,
    warnings: Warnings = False,
    as_json: Json = False,
    force: Force = False,
    no_cache: NoCache = False,
    require_plugin: Require = None,
    max_characters: MaxCharacters = None,
    time_limit: TimeLimit = None,
) -> None:
    """Measure one metric on one or several models, without an audit file."""
    files = data_files(data, language, data_option)
    wanted = [*(tests or ()), *(f"{one['language']}/{default_test_name(one['source'])}" for one in files)]
    if not wanted:
        raise OptionsError(
            "nothing is named to measure. Add --tests 'en/weat*' or --data crows-pairs:pairs.csv"
        )
    audit = Audit.from_parts(
        title=f"{metric} on {', '.join(model)}",
        models=[{"ref": ref, "options": pairs(model_option)} for ref in model],
        measurements=[{"metric": metric, "tests": wanted, "options": pairs(option)}],
        data=files,
        seed=seed or 0,
        adjust=adjust or Adjustment.BENJAMINI_HOCHBERG,
        stimuli=[str(folder) for folder in stimuli or ()],
        require_plugins=require_plugin or (),
    )
    output = Output(out, report, as_json, warnings, force)
    run_and_deliver(audit, output, Limits(max_characters, time_limit, no_cache))


@app.command()
def report(
    run_folder: Annotated[Path, typer.Argument(help="A stored run.", metavar="RUN")],
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


@cache_app.command("info")
def cache_info(as_json: Json = False) -> None:
    """Where the cache is, how many answers it holds, and its size."""
    info = default_cache().info()
    if as_json:
        print_json(info.model_dump())
    else:
        say(f"{info.path or 'no cache'}\n{info.answers} answers, {info.bytes / 1e6:.1f} MB")


@cache_app.command("clear")
def cache_clear(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete every kept answer; the next run asks its models again."""
    if yes or typer.confirm("Delete all kept answers?"):
        say(f"{default_cache().clear()} answers deleted")
