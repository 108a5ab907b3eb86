"""Writing TOML: the part of it that an audit needs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def schema_line(kind: str) -> str:
    """The first line of a file of this kind, by which an editor finds the schema next to it.

    No file of the installation is named: the path would be right on one machine only.
    """
    return f"#:schema ./{kind}.schema.json"


def dumps(document: Mapping[str, Any]) -> str:
    """A document of plain values, lists, mappings (written in one line) and lists of tables.

    Raises TypeError for a value that TOML has not, such as None.
    """
    plain, tables = [], []
    for key, value in document.items():
        if isinstance(value, list | tuple) and value and all(isinstance(item, Mapping) for item in value):
            tables += [f"\n[[{_key(key)}]]\n" + _lines(item) for item in value]
        else:
            plain.append(f"{_key(key)} = {_value(value)}\n")
    return "".join(plain + tables)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in table.items())


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: object) -> str:
    if isinstance(value, str):
        # JSON's escapes are TOML's too; DEL alone has to be escaped besides.
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Mapping):
        pairs = [f"{_key(key)} = {_value(item)}" for key, item in value.items()]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_value, value)) + "]"
    raise TypeError(f"TOML has no form for {value!r}")
