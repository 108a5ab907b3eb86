"""The tables of the pages of the command line and of citations come from the program."""

from __future__ import annotations

import runpy
import tomllib

import yaml

from biascore.cli import codes
from biascore.plugins.loading import Plugins

from .sandbox import ROOT

MADE = runpy.run_path(str(ROOT / "docs" / "reference.py"))
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
CITING = (ROOT / "docs" / "citing.md").read_text(encoding="utf-8")


def test_the_page_has_the_tables_of_the_program() -> None:
    assert MADE["written"](PAGE) == PAGE, "run: python docs/reference.py"


def test_the_site_names_the_paper_of_every_metric_and_transform() -> None:
    page, plugins = MADE["on_page_markdown"](CITING), Plugins()
    ours = [
        (name, found.get(name).reference)
        for found in (plugins.metrics, plugins.transforms)
        for name in found.names
        if found.owner(name).dist == "biascore"
    ]
    assert len(ours) > 30
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    named = {name.strip("`| "): row[1].strip(" |") for row in rows for name in row[0].split(",")}
    assert [name for name, paper in ours if named.get(name) != paper] == []


def test_the_site_names_the_source_of_every_list() -> None:
    """Those that a test or a list states for itself, too; figures of other papers are no source of words."""
    page = MADE["on_page_markdown"](CITING)
    files = sorted((ROOT / "wordlists" / "biascore_wordlists").glob("*/*.toml"))
    assert len(files) > 50
    for path in files:
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {path.parent.name}/{path.name}")]
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        lists = [
            one for section in document.values() if isinstance(section, dict) for one in section.values()
        ]
        stated = [document["meta"], *(one for one in lists if isinstance(one, dict))]
        for key in ("source", "licence"):
            assert [one[key] for one in stated if key in one and MADE["cell"](one[key]) not in row] == []
        assert [name for name in document.get("tests", ()) if f"`{path.parent.name}/{name}`" not in row] == []


def test_the_file_for_citations_is_complete() -> None:
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert found["cff-version"] == "1.2.0"
    needed = {"title", "message", "abstract", "type", "authors", "version", "license", "keywords"}
    assert needed <= {name for name, value in found.items() if value}
    assert "docs/citing.md" in found["message"]


def test_every_exit_code_is_in_its_table() -> None:
    numbers = [value for value in vars(codes).values() if isinstance(value, int)]
    assert len(numbers) > 8
    assert [one for one in numbers if f"\n| {one} |" not in MADE["code_table"]()] == []


def test_the_site_lists_the_options_of_every_command_and_metric() -> None:
    page = MADE["on_page_markdown"](PAGE)
    assert all(f"### `{name}`\n" in page for name, _ in MADE["commands"]())
    assert "`--option`, `-o`" in page
    assert "### `weat`\n" in page
    assert "\n  ddof = 1" in page
