"""The commands, each a thin layer over Engine and Run, in a module of its own that is imported when it is called.

What stands here is what a page of help shows: a test holds each summary to the first line of its command's docstring.
"""

from __future__ import annotations

from typing import Annotated, Final

import typer

from biascore.cli.commands import App
from biascore.cli.others import MAKE, Commands
from biascore.terminal.console import say

MEASURE: Final = "Measure"
READ: Final = "Read, compare and keep results"
LOOK: Final = "Look up what is installed"
NEXT: Final = """First steps

biascore doctor: is everything installed?

biascore list tests 'en/*': which tests are there?

biascore audit hf:./my-model: is this model biased?

biascore measure weat --model planted:gender=1.5 --tests en/weat6: a first measurement, without a download

biascore COMMAND --help: the options of a command
"""


def _version(asked: bool) -> None:
    if asked:
        from importlib import metadata

        say(f"biascore {metadata.version('biascore')}")
        raise typer.Exit


app = App(
    cls=Commands,
    help="Measure social bias in word embeddings, language models, regressors and translation systems.",
    epilog=NEXT,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.later(
    "biascore.cli.auditing:audit",
    "Audit a model: measure the tests that fit it, with controls and baselines, and write run, report and audit file.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.init:init",
    "Write a first audit file for a model, with comments and nothing measured: the tests that audit would choose.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.measuring:measure",
    "Measure one metric on one or several models, without an audit file.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.plan:plan",
    "Dry run: count the queries, passes, tokens, requests and characters that a run of an audit file needs.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.measuring:run",
    "Run an audit file. A run that was interrupted or failed in part resumes with the same command.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.calibrate:calibrate_command",
    "Measure models with a known bias: which effects a test detects, and how many words smaller ones need.",
    name="calibrate",
    panel=MEASURE,
)
app.later(
    "biascore.cli.report:report",
    "Write the report of a stored run: one HTML file that needs no network, or another form.",
    panel=READ,
)
app.later(
    "biascore.cli.compare:compare",
    "Compare two runs, or two models of one run, test by test and item by item.",
    panel=READ,
)
app.later(
    "biascore.cli.board:board",
    "Write many stored runs as one page: models over grounds and releases, and what changed between releases.",
    panel=READ,
)
app.later(
    "biascore.cli.gates:gate",
    "Check a stored run by the pass/fail rules (gates) of an audit file or of --gate; exit code 4 if one fails.",
    panel=READ,
)
app.later(
    "biascore.cli.mapping:mapping",
    "Show what a stored run offers to each item of a law, a rule or a standard, and what no run can show.",
    panel=READ,
)
app.later(
    "biascore.cli.verify:verify",
    "Recompute the hashes and verdicts of a stored run or archive, and compare its inputs and (--models) models.",
    panel=READ,
)
app.later(
    "biascore.cli.attest:attest",
    "Write what a run shows as an in-toto statement to sign: model digests, tests, gates, thresholds, sample sizes.",
    panel=READ,
)
app.later(
    "biascore.cli.bundle:bundle",
    "Write a run, its audit, your word lists, data, mappings and the versions of packages into one archive (ZIP).",
    panel=READ,
)
app.later(
    "biascore.cli.doctor:doctor",
    "Check environment, optional extras, plugins, cache and devices, and say how to fix each problem.",
    panel=LOOK,
)
app.later(
    "biascore.cli.inspect:show",
    "Show one test (words, source, licence, notes, published figures) or one metric (rule and options).",
    panel=LOOK,
)
app.later(
    "biascore.cli.inspect:plugins",
    "List the installed plugins: whether each was loaded, and if not, why. Always exits 0.",
    panel=LOOK,
)
app.later(
    "biascore.cli.schema:schema",
    "Print the JSON Schema of audit files, stimuli files (with your plugins' kinds of test) or run.json.",
    panel=LOOK,
)
app.later(
    "biascore.cli.gender:gender",
    "Detect the gender in which sentences refer to their speaker: masculine, feminine, none or conflict.",
    panel=LOOK,
)
app.later(
    "biascore.cli.words:words",
    "Write the word lists of a table (list and word, or a column for each list) and their test as a stimuli file.",
    panel=MAKE,
)
app.later(
    "biascore.cli.export:export",
    "Export a model (hf: to ONNX) and compare the answers of the copy with those of the original.",
    panel=MAKE,
)

list_app = App(
    help="List what is installed: adapters, metrics, transforms, formats, tests, languages, word lists.",
    no_args_is_help=True,
)
for name, summary in {
    "adapters": "The kinds of model that can be opened.",
    "metrics": "The metrics, one sentence each; the rest: biascore show METRIC.",
    "formats": "The formats of data files that become tests.",
    "transforms": "The transforms that a model's vectors can be taken through.",
    "tests": "The tests, one line each; the rest: --long, or biascore show TEST.",
    "languages": "The languages that have stimuli.",
    "wordlists": "The word lists, pairs and templates by address.",
}.items():
    list_app.later(f"biascore.cli.lists:{name}", summary)
app.add_typer(list_app, name="list", rich_help_panel=LOOK)

plugin_app = App(help="Begin a plugin.", no_args_is_help=True)
plugin_app.later(
    "biascore.cli.plugin:new",
    "Write a package for a new plugin, which can be installed and passes its own tests.",
)
app.add_typer(plugin_app, name="plugin", rich_help_panel=LOOK)

cache_app = App(help="Show or delete the answers kept from earlier runs.", no_args_is_help=True)
cache_app.later("biascore.cli.cache:info", "Where the cache is, how many answers it holds, and its size.")
cache_app.later("biascore.cli.cache:clear", "Delete all kept answers; the next run queries its models again.")
app.add_typer(cache_app, name="cache", rich_help_panel=LOOK)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What all commands take."""
