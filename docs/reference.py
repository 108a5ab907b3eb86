"""The tables of docs/cli.md, docs/citing.md and docs/plugins.md, made from the program: python docs/reference.py

Commands and exit codes are written into the page, between comments. The options of every command and metric, whom to cite,
and the clauses of the contracts, are in the site only: mkdocs calls ``on_page_markdown`` as a hook.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer.main
from typer.testing import CliRunner

from biascore.cli import codes
from biascore.cli.app import app
from biascore.cli.others import OTHERS
from biascore.plugins.loading import Plugins
from biascore.testing.contract import CLAUSES

PAGE = Path(__file__).resolve().parent / "cli.md"
ROOT: Any = typer.main.get_command(app)
COMMANDS = {
    name: command
    for name in ROOT.list_commands(None)
    if (command := ROOT.commands[name]).rich_help_panel != OTHERS
}
"""Also those of plugins that ship."""
DIALOG = 'data-md-component="search" role="dialog"'


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its name, in the order of ``biascore --help``."""
    for name, command in COMMANDS.items():
        below = getattr(command, "commands", {})
        yield from ((f"{name} {one}", below[one]) for one in below) if below else [(name, command)]


def command_table() -> str:
    """Every command, with its arguments and its summary; those of a group together."""
    rows = []
    for name, command in COMMANDS.items():
        if below := getattr(command, "commands", {}):
            given = ["\\|".join(below)]
        else:
            taken = [one for one in parameters(command) if one.param_type_name == "argument"]
            given = [argument(one) for one in taken]
        rows.append(f"| `biascore {' '.join([name, *given])}` | {cell(command.help)} |")
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def code_table() -> str:
    """Every exit code, with the docstring of its constant."""
    body = ast.parse(Path(codes.__file__).read_text(encoding="utf-8")).body
    rows = [
        f"| {ast.literal_eval(constant.value)} | {cell(ast.literal_eval(text.value))} |"
        for constant, text in pairwise(body)
        if isinstance(constant, ast.AnnAssign) and constant.value and isinstance(text, ast.Expr)
    ]
    return "\n".join(["| code | meaning |", "|---|---|", *rows])


def option_tables() -> str:
    """The options of every command, under a heading each."""
    parts = []
    for name, command in commands():
        given = [one for one in parameters(command) if one.param_type_name == "option"]
        rows = [f"| `{'`, `'.join(one.opts)}` | {cell(one.help or '')} |" for one in given]
        if rows:
            parts.append("\n".join([f"### `{name}`\n", "| option | meaning |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def metric_texts() -> str:
    """What ``biascore show`` prints of every metric that ships, under a heading each."""
    metrics = Plugins().metrics
    ours = [name for name in metrics.names if metrics.owner(name).dist == "biascore"]
    shown = {name: CliRunner().invoke(app, ["show", name]).stdout.strip() for name in ours}
    return "\n\n".join(f"### `{name}`\n\n```text\n{text}\n```" for name, text in shown.items())


def clause_table() -> str:
    """Every clause of every contract, in the words that a failure shows."""
    rows = ["| clause | promise |", "|---|---|"]
    for kind, clauses in CLAUSES.items():
        rows += [f"| **{kind}** | |", *(f"| `{name}` | {text} |" for name, text in clauses.items())]
    return "\n".join(rows)


def parameters(command: Any) -> list[Any]:
    """What the command takes; its module is imported for it."""
    found: list[Any] = command.make_context("biascore", [], resilient_parsing=True).command.params
    return found


def argument(one: Any) -> str:
    """The name of an argument, in brackets where it may be left out, with dots where there may be several."""
    name = one.metavar or str(one.name).upper()
    if " " in name:  # says it itself
        return name
    name = name if one.required else f"[{name}]"
    return name if one.nargs == 1 or name.endswith("...") else f"{name}..."


def cell(text: str) -> str:
    """The text on one line, for a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("``", "`")


def paper_table() -> str:
    """Every metric and transform that ships, with its paper; those of one paper together."""
    plugins = Plugins()
    by_paper: dict[str, list[str]] = {}
    for found in (plugins.metrics, plugins.transforms):
        for name in found.names:
            if found.owner(name).dist == "biascore":
                by_paper.setdefault(found.get(name).reference, []).append(f"`{name}`")
    rows = [f"| {', '.join(names)} | {cell(paper)} |" for paper, names in by_paper.items()]
    return "\n".join(["| metric or transform | cite |", "|---|---|", *rows])


def source_table() -> str:
    """Every file of tests and word lists that ships: its tests, and whom it is from, with DOI and licence."""
    folder = PAGE.parents[1] / "wordlists" / "biascore_wordlists"
    rows = ["| file, tests | source | licence |", "|---|---|---|"]
    for path in sorted(folder.glob("*/*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        meta, language = document["meta"], path.parent.name
        parts = [
            one
            for section in document.values()
            if isinstance(section, dict)
            for one in section.values()
            if isinstance(one, dict)
        ]
        doi = f" [{meta['doi']}](https://doi.org/{meta['doi']})" if "doi" in meta else ""
        sources = dict.fromkeys([meta["source"] + doi, *(one["source"] for one in parts if "source" in one)])
        licences = dict.fromkeys([meta["licence"], *(one["licence"] for one in parts if "licence" in one)])
        tests = "".join(f"<br>`{language}/{name}`" for name in document.get("tests", {}))
        told = (
            f"{language}/{path.name}{tests}",
            *("<br>".join(map(cell, some)) for some in (sources, licences)),
        )
        rows.append(f"| {' | '.join(told)} |")
    return "\n".join(rows)


def written(page: str) -> str:
    """The page of the command line with its tables made anew."""
    for name, table in (("commands", command_table()), ("exit codes", code_table())):
        before, start, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        if not end:
            raise ValueError(f"{PAGE.name} has no place for {name}")
        page = f"{before}{start}\n{table}\n\n{end}{after}"
    return page


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page: the options go where their comment is."""
    for place, text in (
        ("<!-- options -->", option_tables),
        ("<!-- metrics -->", metric_texts),
        ("<!-- clauses -->", clause_table),
        ("<!-- papers -->", paper_table),
        ("<!-- sources -->", source_table),
    ):
        if place in markdown:
            markdown = markdown.replace(place, text())
    return markdown


def on_post_page(output: str, **_: Any) -> str:
    """Called by mkdocs for each page: the theme's search dialog gets a name, which screen readers say."""
    return output.replace(DIALOG, f'{DIALOG} aria-label="Search"')


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
