"""Messages name options of the command line only while a command runs: elsewhere they name arguments, as Python does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = [
    path
    for room in ("biascore", "adapters", "plugins/biascore_metrics", "plugins/biascore_transforms")
    for path in sorted((ROOT / room).rglob("*.py"))
    if not path.is_relative_to(ROOT / "biascore" / "cli")
    and not path.is_relative_to(ROOT / "biascore" / "scaffold")
    and not path.is_relative_to(ROOT / "biascore" / "terminal")
]
OTHERS = ("report/printing.py", "archive/contents.py", "testing/commands.py", "testing/contract.py")
OTHERS += ("testing/pytest_gates.py",)
"""The options of a browser; the README of a bundle, which tells of commands; what a command promises; pytest."""
FLAG = re.compile(r"(?<![\w-])--[a-z{][\w-]*")
COMMAND = re.compile(
    r"(?:biascore [a-z]+|pip install|gunzip|inspect log|hf download|lm-evaluation-harness)\b"
)


def text_of(node: ast.AST) -> str:
    """A string as it is written, with braces for what is put in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "{}"


def strings(tree: ast.AST) -> Iterator[ast.AST]:
    """All strings but docstrings and the words for the command line that ``either`` is given."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Call) and getattr(child.func, "id", "") == "either":
            yield from strings(ast.Tuple(elts=child.args[1:], ctx=ast.Load()))
        elif isinstance(child, ast.JoinedStr):
            yield child
            for part in child.values:
                yield from strings(part) if isinstance(part, ast.FormattedValue) else ()
        elif isinstance(child, ast.Constant):
            yield child
        else:
            yield from strings(child)


def flags(source: str) -> list[str]:
    """The options that strings name other than behind a command."""
    texts = [text_of(node) for node in strings(ast.parse(source))]
    return [
        text for text in texts for found in FLAG.finditer(text) if not COMMAND.search(text[: found.start()])
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('raise E(f"Give {x} with --name")', 1),
        ('raise E(f"--{name}-share is none")', 1),
        ("raise E(f\"Give {either('--name', 'name')}\")", 0),
        ("raise E(f\"Give {either('name', '--name')}\")", 1),
        ('raise E("See: biascore list tests --metric weat")', 0),
        ('def f():\n    """Reads --name."""', 0),
    ],
)
def test_what_is_looked_for_is_found(source: str, found: int) -> None:
    assert len(flags(source)) == found


def test_no_message_outside_of_the_commands_names_an_option_of_theirs() -> None:
    told = {
        str(path.relative_to(ROOT)): found
        for path in ROOMS
        if not str(path).endswith(OTHERS) and (found := flags(path.read_text(encoding="utf-8")))
    }
    assert told == {}
