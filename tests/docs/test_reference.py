"""The tables of the command line's page come from the program."""

from __future__ import annotations

import runpy

from biascore.cli import codes

from .sandbox import ROOT

MADE = runpy.run_path(str(ROOT / "docs" / "reference.py"))
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_the_page_has_the_tables_of_the_program() -> None:
    assert MADE["written"](PAGE) == PAGE, "run: python docs/reference.py"


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
