"""The commands, each a thin layer over Engine and Run, in a module of its own that is imported when it is called.

What stands here is what a page of help shows: a test holds each summary to the first line of its command's docstring.
"""

from __future__ import annotations

from typing import Annotated, Final

import typer

from biascore.cli.commands import App
from biascore.cli.console import say

MEASURE: Final = "Measure"
READ: Final = "Read and keep what was found"
LOOK: Final = "See what there is"
MAKE: Final = "Change and train models"
NEXT: Final = """First steps

biascore doctor: is all in place?

biascore list tests 'en/*': what can be measured?

biascore measure weat --model planted:gender=1.5 --tests en/weat6: a first measurement, without any download

biascore COMMAND --help: what a command takes
"""


def _version(asked: bool) -> None:
    if asked:
        from importlib import metadata

        say(f"biascore {metadata.version('biascore')}")
        raise typer.Exit


app = App(
    help="Measure social bias in word embeddings, language models, regressors and translation systems.",
    epilog=NEXT,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.later(
    "biascore.cli.measuring:measure",
    "Measure one metric on one or several models, without an audit file.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.plan:plan",
    "Count the questions, passes, tokens and characters that a run of an audit file will cost.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.measuring:run",
    "Run an audit file; a run that was interrupted, or of which a part failed, goes on where it stopped.",
    panel=MEASURE,
)
app.later(
    "biascore.cli.calibrate:calibrate_command",
    "Measure planted models over a range of effects and sizes: what can be seen with these words, and what would be.",
    name="calibrate",
    panel=MEASURE,
)
app.later(
    "biascore.cli.report:report",
    "Write the report of a stored run: one HTML file that needs no network, or another form of it.",
    panel=READ,
)
app.later(
    "biascore.cli.compare:compare",
    "Compare two runs, or two models of one run, test by test and item by item.",
    panel=READ,
)
app.later(
    "biascore.cli.gates:gate",
    "Say whether a stored run passes the gates of an audit file, or of --gate; exit code 4 where it does not.",
    panel=READ,
)
app.later(
    "biascore.cli.verify:verify",
    "Derive the hashes and verdicts of a stored run again: results, item tables, stimuli and, on request, models.",
    panel=READ,
)
app.later(
    "biascore.cli.bundle:bundle",
    "Write a run, its audit, own word lists, data files and the versions of packages into one file.",
    panel=READ,
)
app.later(
    "biascore.cli.doctor:doctor",
    "Check environment, optional extras, plugins, cache and devices, and say what mends a problem.",
    panel=LOOK,
)
app.later(
    "biascore.cli.inspect:show",
    "One test in full: words, source, licence, notes, published figures; or one metric: its rule and its options.",
    panel=LOOK,
)
app.later(
    "biascore.cli.inspect:plugins",
    "Every plugin that is installed, whether it was loaded, and if not, why; always exits 0.",
    panel=LOOK,
)
app.later(
    "biascore.cli.gender:gender",
    "In which gender sentences speak of their speaker: masculine, feminine, none or conflict.",
    panel=LOOK,
)
app.later(
    "biascore.cli.export:export",
    "Export a model (hf: to ONNX), open the copy, and print how far its answers are from the original's.",
    panel=MAKE,
)
app.later(
    "biascore.cli.mitigate:mitigate_command",
    "Train a copy of a masked model on a corpus with gender swapped; a training that was interrupted goes on.",
    name="mitigate",
    panel=MAKE,
)
app.later(
    "biascore.cli.train_scorer:train_scorer_command",
    "Train a regressor for each emotion of a labelled file; the folder is a model: scorer:FOLDER.",
    name="train-scorer",
    panel=MAKE,
)

list_app = App(
    help="What is installed: adapters, metrics, transforms, formats, tests, languages, wordlists.",
    no_args_is_help=True,
)
for name, summary in {
    "adapters": "The kinds of model that can be opened.",
    "metrics": "The methods, what they need of a model, and the kinds of test they take.",
    "formats": "The formats of data files that become tests.",
    "transforms": "The transforms that a model's vectors can be taken through.",
    "tests": "The tests, by language.",
    "languages": "The languages that have stimuli.",
    "wordlists": "The word lists, pairs and templates by address.",
}.items():
    list_app.later(f"biascore.cli.inspect:{name}", summary)
app.add_typer(list_app, name="list", rich_help_panel=LOOK)

cache_app = App(help="Answers kept from earlier runs.", no_args_is_help=True)
cache_app.later("biascore.cli.cache:info", "Where the cache is, how many answers it holds, and its size.")
cache_app.later("biascore.cli.cache:clear", "Delete every kept answer; the next run asks its models again.")
app.add_typer(cache_app, name="cache", rich_help_panel=LOOK)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What all commands take."""
