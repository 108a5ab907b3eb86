"""The commands, each a thin layer over Engine and Run."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from biascore.cli.bundle import bundle
from biascore.cli.calibrate import calibrate_command
from biascore.cli.commands import App
from biascore.cli.compare import compare
from biascore.cli.console import print_json, say
from biascore.cli.export import export
from biascore.cli.gender import gender
from biascore.cli.inspect import list_app, plugins, show
from biascore.cli.measuring import measure, run
from biascore.cli.mitigate import mitigate_command
from biascore.cli.options import Force, Json, StoredRun
from biascore.cli.plan import plan
from biascore.cli.train_scorer import train_scorer_command
from biascore.cli.verify import verify
from biascore.models.cache import default_cache
from biascore.results.run import Run
from biascore.results.run_files import REPORT_FILE


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
app.command("mitigate")(mitigate_command)
app.command("train-scorer")(train_scorer_command)
app.command()(verify)
app.command()(compare)
app.command()(bundle)
app.command()(gender)
app.command()(run)
app.command()(measure)
app.command("calibrate")(calibrate_command)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What all commands take."""


@app.command()
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
