"""The import contracts name every room; ``make lint`` checks them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOORS = {"api", "designs", "stats", "errors"}
"""What a plugin may import."""


@pytest.fixture(scope="module")
def linter() -> dict[str, Any]:
    """The settings of import-linter."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings: dict[str, Any] = tomllib.loads(text)["tool"]["importlinter"]
    return settings


def contract(linter: dict[str, Any], words: str) -> dict[str, Any]:
    """The one contract whose name holds these words."""
    (found,) = (one for one in linter["contracts"] if words in one["name"])
    return dict(found)


def test_every_room_is_a_door_or_closed_to_plugins(linter: dict[str, Any]) -> None:
    there = {
        path.stem
        for path in (ROOT / "biascore").iterdir()
        if (path / "__init__.py").exists() or path.suffix == ".py"
    }
    closed = {
        name.removeprefix("biascore.") for name in contract(linter, "public doors")["forbidden_modules"]
    }
    assert closed == there - {"__init__"} - DOORS


def test_nothing_is_left_out_of_the_contracts(linter: dict[str, Any]) -> None:
    assert linter["exclude_type_checking_imports"] is False
    assert contract(linter, "circle")["ancestors"] == linter["root_packages"]
    assert [one["name"] for one in linter["contracts"] if "ignore_imports" in one] == []


def test_the_page_on_architecture_shows_the_layers_in_their_order(linter: dict[str, Any]) -> None:
    layers = contract(linter, "higher one")["layers"]
    level = {name: number for number, layer in enumerate(layers) for name in layer.split(" | ")}
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]*`) \|", page, re.MULTILINE)
    shown = [name for cell in cells for name in re.findall(r"`(\w+)(?:/|\.py)`", cell)]
    assert sorted(shown) == sorted(level)
    assert [level[name] for name in shown] == sorted(level.values())


def test_contributing_names_rooms_and_tests_that_there_are() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", text, re.MULTILINE)[1:]
    named = [path for row in rows for cell in row for path in re.findall(r"`([\w./-]+)`", cell)]
    assert len(rows) > 10
    rooms = [path for path in named if "/" in path and not path.startswith("tests/")]
    tests = {path for path in named if path.startswith("tests/")}
    whole = [
        path
        if path.startswith(("biascore/", "plugins/", "wordlists/", "adapters/", "docs/"))
        else f"biascore/{path}"
        for path in rooms
    ]
    assert not [path for path in [*whole, *tests] if not (ROOT / path).exists()]
    folders = {f"tests/{path.parent.name}" for path in (ROOT / "tests").glob("*/test_*.py")}
    assert folders <= tests
