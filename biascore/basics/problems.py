"""What is wrong with values that a user wrote (an audit file, options), in the words of what was written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from biascore.basics.suggest import did_you_mean

_MUST: Final = {
    "tuple_type": "must be a list, such as [{value}]",
    "list_type": "must be a list, such as [{value}]",
    "string_type": 'must be text in quotes, such as "{plain}"',
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "mapping_type": "must be a table, such as {{ key = 1 }}",
    "dict_type": "must be a table, such as {{ key = 1 }}",
    "model_type": "must be a table of its own",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "date_from_datetime_parsing": "must be a date, such as 2027-03-01",
    "date_from_datetime_inexact": "must be a date without a time, such as 2027-03-01",
    "string_pattern_mismatch": "is no code such as it, sr-Latn or pt-BR",
}
Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Where a value stands, and what is wrong with it, as a sentence that begins with its key."""

    where: Location
    text: str


def problems_of(error: ValidationError, model: type[BaseModel], *, list_known: bool = True) -> list[Problem]:
    """The problems of values that do not make a ``model``, each once; with the keys there are, for one there is not."""
    details = error.errors()
    near = {
        (*_parent(d), field)
        for d in details
        if d["type"] == "extra_forbidden"
        for field in _fields(model, _parent(d))
        if did_you_mean(str(d["loc"][-1]), [field])
    }
    # Counted once: a file of 64 KB can have thousands of problems, which must not all be compared with each other.
    at_or_inside = Counter(d["loc"][:depth] for d in details for depth in range(len(d["loc"]) + 1))
    found = []
    for detail in details:
        where = detail["loc"]
        if detail["type"] == "too_short" and at_or_inside[where] > 1:
            continue  # what is wrong inside leaves the list empty, and one message is enough for that
        if detail["type"] in ("missing", "too_short") and where in near:
            continue  # it is there, under a name that is told
        found.append(Problem(where, _text(detail, model, list_known)))
    return found


def _text(detail: ErrorDetails, model: type[BaseModel], list_known: bool) -> str:
    where, kind, value = detail["loc"], detail["type"], detail["input"]
    key = _shown(where, model)
    if kind == "missing" or (kind == "too_short" and value in ((), [])):
        return (
            f"{key} is missing" if kind == "missing" or key.startswith("[[") else f"{key} must not be empty"
        )
    if kind == "extra_forbidden":
        known = _fields(model, _parent(detail))
        hint = did_you_mean(str(where[-1]), known)
        there_are = f"There are: {', '.join(known) or 'none'}" if list_known else ""
        return f"{key} is not known here. {hint}{there_are}".rstrip().removesuffix(".")
    if kind in ("tuple_type", "list_type") and key.startswith("[[") and isinstance(value, Mapping):
        return f"{key} must be a list of tables, and is one table: write it with two brackets"
    if kind in _MUST:
        plain = str(value)[:60]
        must = _MUST[kind].format(value=f'"{plain}"' if isinstance(value, str) else plain, plain=plain)
        return f"{key} {must}" + ("" if kind == "model_type" else f", and is {_brief(value)}")
    said = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    if said.startswith("Input should be "):
        expected = said.removeprefix("Input should be ")
        hint = did_you_mean(value, re.findall(r"'([^']+)'", expected)) if isinstance(value, str) else ""
        return f"{key} must be {expected}, and is {_brief(value)}{f'. {hint}'.rstrip() if hint else ''}"
    return f"{key}: {said}" if where else said


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _parent(detail: ErrorDetails) -> Location:
    return detail["loc"][:-1]


def _shown(where: Location, model: type[BaseModel]) -> str:
    """The key as it is written in a file, and in which table where there are several of a kind."""
    if len(where) >= 2 and isinstance(where[1], int):
        table = f"[[{where[0]}]]" if _model_at(model, where[:2]) else str(where[0])
        inside = ".".join(map(str, where[2:]))
        return f"{inside} of {table} number {where[1] + 1}" if inside else f"{table} number {where[1] + 1}"
    if len(where) == 1 and _model_at(model, (where[0], 0)):
        return f"[[{where[0]}]]"
    return ".".join(map(str, where)) or "it"


def _fields(model: type[BaseModel], where: Sequence[str | int]) -> list[str]:
    found = _model_at(model, where)
    return list(found.model_fields) if found else []


def _model_at(model: type[BaseModel], where: Sequence[str | int]) -> type[BaseModel] | None:
    """The class of the table at a location, or None where it is no table with keys of its own."""
    current: Any = model
    for part in where:
        if isinstance(part, int):
            current = next(iter(get_args(current)), None)
        elif isinstance(current, type) and issubclass(current, BaseModel) and part in current.model_fields:
            current = current.model_fields[part].annotation
        else:
            return None
    return current if isinstance(current, type) and issubclass(current, BaseModel) else None
