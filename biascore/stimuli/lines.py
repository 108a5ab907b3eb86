"""Where a key is in a TOML text, for error messages; ``tomllib`` does not keep positions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

KeyPath = tuple[str | int, ...]

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"^\s*(\[\[?)\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(rf"^\s*({_DOTTED})\s*=")


def line_of(text: str, path: Sequence[str | int], document: Mapping[str, object]) -> int | None:
    """The line (from 1) of ``path`` in ``text``, or of the nearest table around it, or None.

    A search by pattern, not a parser: a line inside a multi-line string may be taken for a key. A wrong
    line costs the reader a moment; a second TOML parser would cost the project more.
    """
    lines = text.splitlines()
    known = _positions(lines, document)
    wanted = tuple(path)
    value = _value_at(document, wanted)
    while wanted:
        if wanted in known:
            line = known[wanted]
            if wanted != tuple(path) and isinstance(value, str):
                return _line_with(lines, line, value)
            return line
        wanted = wanted[:-1]
    return None


def _positions(lines: Sequence[str], document: Mapping[str, object]) -> dict[KeyPath, int]:
    positions: dict[KeyPath, int] = {}
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    for number, line in enumerate(lines, start=1):
        header = _HEADER.match(line)
        if header:
            path = _resolve(_split(header[2]), counts)
            if header[1] == "[[":
                index = counts.get(path, -1) + 1
                counts[path] = index
                positions.setdefault(path, number)
                path = (*path, index)
            # The last row of a nested array looks like a header; a header names a table that exists.
            if isinstance(_value_at(document, path), Mapping):
                table = path
                positions.setdefault(table, number)
            continue
        assignment = _ASSIGNMENT.match(line)
        if assignment:
            positions.setdefault((*table, *_split(assignment[1])), number)
    return positions


def _resolve(keys: KeyPath, counts: Mapping[KeyPath, int]) -> KeyPath:
    path: KeyPath = ()
    for key in keys[:-1]:
        path = (*path, key)
        if path in counts:
            path = (*path, counts[path])
    return (*path, *keys[-1:])


def _split(dotted: str) -> KeyPath:
    return tuple(_unquote(key) for key in re.findall(_KEY, dotted))


def _unquote(key: str) -> str:
    if key.startswith("'"):
        return key[1:-1]
    if key.startswith('"'):
        try:
            return str(json.loads(key))
        except ValueError:  # an escape that TOML has and JSON has not
            return key[1:-1]
    return key


def _value_at(document: object, path: KeyPath) -> object:
    value = document
    for key in path:
        if not isinstance(value, Mapping | list):
            return None
        try:
            value = value[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _line_with(lines: Sequence[str], first: int, value: str) -> int:
    for number in range(first, len(lines) + 1):
        if f'"{value}"' in lines[number - 1] or f"'{value}'" in lines[number - 1]:
            return number
    return first
