"""Rows of a benchmark's file with their lines: JSON Lines with nested objects, and tables whose cells hold such as text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

from biascore.api.formats import nested_records, parse_json, read_table
from biascore.api.support import did_you_mean, listed, quoted
from biascore.errors import DataError

T = TypeVar("T")
_WHOLE: Final = re.compile(r"-?\d{1,18}", re.ASCII)
LONGEST: Final = 10_000
MARK: Final = "\ufeff"


@lru_cache(maxsize=8192)
def literal(text: str) -> Any:
    """The list or table that stands as text in a cell, as JSON or as Python writes it; read, never evaluated.

    Raises ValueError where it is neither, or longer than ``LONGEST``.
    """
    if len(text) > LONGEST:
        raise ValueError(f"has {len(text):,} characters, and at most {LONGEST:,} are read of a list")
    try:
        return parse_json(text)
    except ValueError:
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash that stands for itself
            return ast.literal_eval(text.strip())
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError) as problem:
        raise ValueError("is no list that JSON or Python would write") from problem


@dataclass(frozen=True, slots=True)
class Row:
    """One record: where it stands, and its fields by name: text, numbers, lists and objects."""

    place: str
    fields: Mapping[str, Any]

    def error(self, name: str, problem: str) -> DataError:
        """An error that names the place, the field and what it holds; ``problem`` ends with the next step."""
        return DataError(f"{self.place}: {name} is {quoted(self.fields.get(name))}, {problem}")

    def optional(self, name: str) -> str:
        """Text or a number as text, without blanks at its ends; empty where it is blank or not there."""
        value = self.fields.get(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return "" if value is None else str(value).strip()

    def text(self, name: str) -> str:
        """The same; raises DataError where it is blank."""
        found = self.optional(name)
        if not found:
            raise DataError(f"{self.place}: {name} is blank or missing. Fill it in, or delete the row")
        return found

    def whole(self, name: str) -> int:
        """A whole number, also written as 9.0; raises DataError."""
        value = self.text(name).removesuffix(".0")
        if not _WHOLE.fullmatch(value):
            raise self.error(name, "and no whole number. Correct it")
        return int(value)

    def one_of(self, name: str, known: Mapping[str, T]) -> T:
        """What the text means; raises DataError for another one."""
        found = self.text(name)
        if found not in known:
            hint = did_you_mean(found, known)
            raise self.error(name, f"and can be {listed([*known])}. {hint}Correct it")
        return known[found]

    def value(self, name: str) -> Any:
        """A list or object, also as text, or from columns such as ``answer_info.ans0``; raises DataError."""
        found = self.fields.get(name)
        if found is None:
            parts = {key.removeprefix(f"{name}."): key for key in self.fields if key.startswith(f"{name}.")}
            if not parts:
                raise DataError(f"{self.place}: {name} is missing. Fill it in, or delete the row")
            return {part: self._part(key) for part, key in parts.items()}
        if not isinstance(found, str):
            return found
        try:
            return literal(found)
        except ValueError as problem:
            raise self.error(name, f'which {problem}. Write it as ["one", "two"]') from problem

    def _part(self, key: str) -> Any:
        """The content of the column of a part: text where it is no list, such as a version."""
        try:
            return self.value(key)
        except DataError:
            return self.fields[key]

    def strings(self, name: str) -> tuple[str, ...]:
        """A list of texts; raises DataError."""
        return self._strings(name, self.value(name))

    def lists(self, name: str, *keys: str) -> list[tuple[str, ...]]:
        """The lists of texts that an object has by these keys; raises DataError."""
        found = self.value(name)
        own = {str(key): one for key, one in found.items()} if isinstance(found, dict) else {}
        if not {*keys} <= own.keys():
            needed = " and ".join(filter(None, (", ".join(keys[:-1]), keys[-1])))
            raise self.error(name, f"and needs {needed}. Correct it")
        return [self._strings(f"{name}.{key}", own[key]) for key in keys]

    def _strings(self, name: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise DataError(
                f'{self.place}: {name} is {quoted(value)}, and no list of texts. Write it as ["one", "two"]'
            )
        return tuple(value)


def read_rows(path: Path, display: str, encoding: str) -> tuple[Sequence[str], list[Row]]:
    """The names of the fields of a file (of objects: of its first row), and its rows; raises DataError."""
    nested = nested_records(path, display, encoding=encoding, flag="-o data.encoding")
    if nested and any(name.startswith(MARK) for name in nested[0][1]):  # left there by what made JSON of CSV
        nested = [(place, {name.lstrip(MARK): one for name, one in row.items()}) for place, row in nested]
    if nested is not None:
        return tuple(nested[0][1]) if nested else (), [Row(*one) for one in nested]
    table = read_table(path, display, (), None, encoding=encoding)
    return table.columns, [Row(f"{display}, {table.unit} {row.line}", row.fields) for row in table.rows]
