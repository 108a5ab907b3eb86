"""What help and lists import, and that their one-line summaries are those of the commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import get_type_hints

import pytest
import typer

import biascore
from biascore.basics.lazy import stated
from biascore.cli.app import app
from biascore.cli.commands import Later
from biascore.plugins.loading import Plugins

COMMAND = "from biascore.cli import main\nsys.argv = ['biascore', *{}]\nmain()"
MODELS = {"torch", "transformers", "onnxruntime", "openai", "requests"}
STATISTICS = {"scipy", "pandas", "sklearn", "statsmodels"}
DATA = {"numpy", "pyarrow"}
SERVICES = {"asyncio", "http.client", "filelock", "distributed"}
PAGES = {"jinja2", "altair", "IPython"}
PROGRAMS = {
    "--version": (["--version"], MODELS | STATISTICS | DATA | SERVICES | PAGES | {"pydantic", "pluggy"}),
    "--help": (["--help"], MODELS | STATISTICS | DATA | SERVICES | PAGES),
    "list metrics": (
        ["list", "metrics"],
        MODELS | STATISTICS | DATA | SERVICES | PAGES | {"pydantic", "biascore.metric", "biascore.stimuli"},
    ),
    "list tests": (
        ["list", "tests"],
        MODELS | STATISTICS | DATA | SERVICES | PAGES | {"biascore_metrics", "biascore_adapters"},
    ),
    "show en/weat6": (["show", "en/weat6"], MODELS | STATISTICS | DATA | SERVICES | PAGES),
    "measure": (
        ["measure", "weat", "planted:gender=1", "en/weat6", "--no-cache"],
        MODELS | STATISTICS | SERVICES | PAGES | {"pyarrow.compute", "biascore.engine.workers"},
    ),
    "Engine()": (
        "from biascore import Engine\nEngine(cache=None)",
        MODELS
        | STATISTICS
        | SERVICES
        | PAGES
        | {"pyarrow", "typer", "rich", "biascore_adapters", "biascore.metric"},
    ),
}
"""By what is run: arguments of the command line, or a program; and what is not imported for it."""


@pytest.mark.parametrize(("run", "unwanted"), PROGRAMS.values(), ids=PROGRAMS)
def test_nothing_is_imported_that_it_does_not_need(run: list[str] | str, unwanted: set[str]) -> None:
    program = run if isinstance(run, str) else COMMAND.format(run)
    lines = [
        "import atexit, sys",
        f"unwanted = {sorted(unwanted)}",
        "print_them = lambda: print([one for one in unwanted if one in sys.modules], file=sys.stderr)",
        "atexit.register(print_them)",
        program,
    ]
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "[]"
    assert done.stdout or isinstance(run, str)


def test_the_summary_of_what_ships_is_known_before_it_is_imported() -> None:
    plugins = Plugins()
    told = dict(plugins.metrics.summaries())
    assert {plugins.metrics.holder(name).record.status for name in told} == {"installed"}
    assert told == {one.name: one.summary for one in plugins.metrics.items()}
    assert len(told) > 20


def test_what_a_class_states_is_read_only_where_it_is_a_constant() -> None:
    assert stated("biascore_metrics.weat.weat", "Weat", "summary") == next(
        one.summary for one in Plugins().metrics.items() if one.name == "weat"
    )
    assert stated("biascore_metrics.weat.weat", "Weat", "requires") is None
    assert stated("biascore_metrics.weat.weat", "Watt", "summary") is None


def _later(group: typer.Typer) -> Iterator[tuple[str, str]]:
    """Target and summary of each command, those of plugins that ship too."""
    for command in group.registered_commands:
        if command.cls is not None and issubclass(command.cls, Later):
            yield command.cls.target, command.help or ""
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            yield from _later(inner.typer_instance)
    if group is app:
        commands = Plugins().commands
        yield from ((one.target, one.summary) for one in commands.items() if commands.owner(one.name).ships)


def test_a_summary_is_the_first_line_of_its_command() -> None:
    found = list(_later(app))
    assert len(found) > 15
    for target, summary in found:
        module, _, function = target.partition(":")
        doc = getattr(import_module(module), function).__doc__
        assert doc.strip().splitlines()[0] == summary, target


def test_an_option_whose_metavar_is_its_name_states_that_name() -> None:
    """typer 0.27 takes such a metavar for the name: there was no --ground, no --metric and no --method."""
    found = []
    for target, _ in _later(app):
        module, _, function = target.partition(":")
        for name, hint in get_type_hints(
            getattr(import_module(module), function), include_extras=True
        ).items():
            for option in getattr(hint, "__metadata__", ()):
                if option.metavar and option.metavar.lower() == name:
                    found.append((function, name, option))
    options = [one for one in found if isinstance(one[2], typer.models.OptionInfo)]
    assert {name for _, name, _ in options} >= {"ground", "method", "metric"}
    # In an Annotated the first argument, the name, goes by the name of "default".
    assert [name for _, name, option in options if not isinstance(option.default, str)] == []


ONE_OF_ALL = """
import sys
from biascore.plugins.loading import Plugins
plugins = Plugins()
before = {name for name in sys.modules if name.startswith(("biascore_", "torch"))}
metric = plugins.metrics.get("weat")
after = {name.split(".")[1] for name in sys.modules if name.startswith("biascore_metrics.")}
print(sorted(before), metric.name, sorted(after))
"""


def test_one_metric_imports_one_metric() -> None:
    done = subprocess.run([sys.executable, "-c", ONE_OF_ALL], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] weat ['weat']"


@pytest.mark.parametrize("module", [biascore])
def test_what_a_module_gives_out_late_is_what_it_names(module: object) -> None:
    names: Callable[[], list[str]] = module.__dir__  # type: ignore[assignment]
    assert set(module.__all__) <= set(names())  # type: ignore[attr-defined]
    assert all(getattr(module, name) is not None for name in module.__all__)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute 'Metrik'"):
        _ = module.Metrik  # type: ignore[attr-defined]


COLLECTED = """
import atexit, gc, sys
atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000, file=sys.stderr))
from biascore.cli import main
sys.argv = ["biascore", "list", "formats"]
main()
"""


def test_what_a_command_imported_is_searched_for_no_garbage() -> None:
    done = subprocess.run([sys.executable, "-c", COLLECTED], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "True True"
