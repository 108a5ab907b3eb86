"""Commands of plugins: known without an import, run as biascore's own are, and harmless where they are broken."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from biascore.cli.app import app
from biascore.cli.commands import Later
from biascore.cli.others import MAKE, OTHERS
from biascore.command import OWN_COMMANDS
from biascore.plugins.loading import Plugins

from ..builders.plugin_dists import installed

HOOKS = """
from biascore.api.commands import Command, hookimpl

@hookimpl
def register_commands(register):
    for name in {names}:
        register(Command(name, "Greet somebody.", f"{package}.{{name}}:call"))
"""
GREET = '''
from biascore.api.commands import Json, print_json, say

def call(name: str, as_json: Json = False) -> None:
    """Greet somebody."""
    print("not the output")
    print_json({"greeted": name}) if as_json else say(f"Hello, {name}")
'''
BODIES = {
    "value": "raise ValueError('no such planet')",
    "data": "from biascore.errors import DataError; raise DataError('planets.csv has no rows. Give more')",
    "exit": "import typer; raise typer.Exit(3)",
    "quits": "import sys; sys.exit(0)",
    "key": "import os; raise RuntimeError('refused: ' + os.environ['OPENAI_API_KEY'])",
}
HELP = """
import sys
from biascore.cli import main
sys.argv = ["biascore", "--help"]
try:
    main()
except SystemExit:
    print([one for one in sys.modules if one.startswith(("biascore_emotions.", "biascore_training."))])
"""
Add = Callable[..., None]
Biascore = Callable[..., Any]


@pytest.fixture
def add(tmp_path: Path) -> Iterator[Add]:
    """``add("acme", greet=CODE)``: an installed distribution with a command for each module."""
    with ExitStack() as stack:

        def install(dist: str, hooks: str = HOOKS, **modules: str) -> None:
            package, source = dist.replace("-", "_"), tmp_path / dist
            (source / package).mkdir(parents=True)
            (source / "pyproject.toml").write_text(
                f'[project]\nname = "{dist}"\nversion = "1"\n'
                f'[project.entry-points.biascore]\n{dist} = "{package}"\n',
                encoding="utf-8",
            )
            own = hooks.format(names=list(modules), package=package)
            for name, text in {"__init__": own, **modules}.items():
                (source / package / f"{name}.py").write_text(text, encoding="utf-8")
            stack.enter_context(installed(source, tmp_path / "site"))

        yield install


def panels() -> dict[str, str]:
    """The panel of each command."""
    root: Any = typer.main.get_command(app)
    found = {name: root.commands[name] for name in root.list_commands(None)}
    return {name: one.rich_help_panel for name, one in found.items()}


def test_help_lists_a_command_without_importing_it(add: Add) -> None:
    add("acme", greet=GREET)
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "120"}).output
    assert re.search(r"greet +Greet somebody\. \(acme\)", shown)
    assert "acme.greet" not in sys.modules
    assert {name: panel for name, panel in panels().items() if panel == OTHERS} == {"greet": OTHERS}


def test_what_ships_stands_among_the_commands_of_biascore_and_nothing_of_it_is_imported() -> None:
    mine = {"mitigate", "train-scorer"}
    assert {name: panels()[name] for name in mine} == dict.fromkeys(mine, MAKE)
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['biascore_emotions.hooks']"


def test_the_reserved_names_are_the_commands_of_biascore() -> None:
    own = [command.name for command in app.registered_commands]
    own += [group.name for group in app.registered_groups]  # type: ignore[misc]
    assert set(own) == OWN_COMMANDS
    assert all(issubclass(one.cls, Later) for one in app.registered_commands if one.cls)


def test_its_output_is_what_it_says(add: Add) -> None:
    add("acme", greet=GREET)
    done = CliRunner().invoke(app, ["greet", "Ada"])
    assert (done.exit_code, done.stdout, done.stderr) == (0, "Hello, Ada\n", "not the output\n")
    assert '"greeted": "Ada"' in CliRunner().invoke(app, ["greet", "Ada", "--json"]).stdout
    assert "Greet somebody." in CliRunner().invoke(app, ["greet", "--help"]).stdout
    assert CliRunner().invoke(app, ["greet"]).exit_code == 2


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("value", 5, r"plugin 'acme' of acme 1: running the command value raised ValueError: no such planet"),
        ("data", 2, r"planets\.csv has no rows\. Give more"),
        ("exit", 3, ""),
        ("quits", 5, r"plugin 'acme' of acme 1: running the command quits called sys\.exit\(0\)"),
        ("key", 5, r"refused: \[OPENAI_API_KEY\]"),
    ],
)
def test_what_goes_wrong_in_it_is_one_line_and_an_exit_code(
    add: Add,
    biascore: Biascore,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    code: int,
    said: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-nobody-0123456789")
    add("acme", **{body: f"def call() -> None:\n    {BODIES[body]}\n"})
    shown = biascore(body, code=code).stderr
    assert re.search(said, shown)
    assert len(shown.splitlines()) == bool(said)
    assert "sk-a-key" not in shown


@pytest.mark.parametrize("resumes", [True, False])
def test_an_interrupted_command_says_whether_it_resumes(add: Add, biascore: Biascore, resumes: bool) -> None:
    hooks = HOOKS.replace(':call")', f':call", resumes={resumes})')
    add("acme", hooks=hooks, long="def call() -> None:\n    raise KeyboardInterrupt\n")
    shown = biascore("long", code=130).stderr
    assert "interrupted at: running the command long (plugin 'acme' of acme 1)." in shown
    assert ("the same command resumes from here" in shown) is resumes


@pytest.mark.parametrize("broken", ["import a_package_that_nobody_has\n", "other = 1\n", "call = 1\n"])
def test_a_broken_command_costs_its_own_name_alone(add: Add, biascore: Biascore, broken: str) -> None:
    add("acme", greet=GREET, broken=broken)
    shown = biascore("broken", code=5).stderr
    assert re.match(r"error: plugin 'acme' of acme 1: loading the command broken raised", shown)
    assert len(shown.splitlines()) == 1
    assert biascore("greet", "Ada").stdout == "Hello, Ada\n"
    assert "broken" in biascore("--help").stdout


def test_a_summary_is_shown_as_it_is(add: Add) -> None:
    add("acme", hooks=HOOKS.replace("Greet somebody.", "Greet [/b]\\x1b[31m."), greet=GREET)
    done = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "120"})
    assert done.exit_code == 0
    assert "Greet [/b]␛[31m. (acme)" in done.output


def test_no_command_of_biascore_is_shadowed(add: Add, biascore: Biascore) -> None:
    before = panels()
    add("acme", measure=GREET, mitigate=GREET, greet=GREET)
    assert panels() == before | {"greet": OTHERS}
    (record,) = [one for one in Plugins().records if one.dist == "acme"]
    assert record.status == "conflict"
    assert "command 'measure' is that of biascore itself, which ships with biascore" in record.reason
    assert "command 'mitigate' is that of plugin 'command-mitigate' of biascore" in record.reason
    assert record.provides == ("command measure", "command mitigate", "command greet")
    assert "Measure one metric" in biascore("measure", "--help").stdout
    assert "masked model" in biascore("mitigate", "--help").stdout


def test_two_strangers_conflict_and_keep_their_other_commands(add: Add, biascore: Biascore) -> None:
    add("acme", greet=GREET, one=GREET)
    add("other", greet=GREET, two=GREET)
    shown = biascore("greet", "Ada", code=2).stderr
    assert "command 'greet' is provided by plugin 'acme' of acme 1 and plugin 'other' of other 1" in shown
    assert len(shown.splitlines()) == 1
    assert {name for name, panel in panels().items() if panel == OTHERS} == {"one", "two"}
    assert biascore("two", "Ada").stdout == "Hello, Ada\n"


def test_an_unknown_command_says_what_failed_to_load(add: Add, biascore: Biascore) -> None:
    add("acme", hooks="import a_package_that_nobody_has\n", greet=GREET)
    shown = biascore("greet", "Ada", code=2).stderr
    assert "the plugin 'acme' of acme 1 is not loaded: ModuleNotFoundError" in shown
    assert "No such command 'greet'" in shown
