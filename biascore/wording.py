"""How messages quote what is long: a text cut, a list with the first few of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_LISTED: Final = 10
MAX_QUOTED: Final = 60


def quoted(value: object, longest: int = MAX_QUOTED) -> str:
    """The value as Python writes it, cut in the middle of nowhere but told: ``'aaaa'... (9,000 characters)``."""
    if isinstance(value, str):
        return repr(value) if len(value) <= longest else f"{value[:longest]!r}... ({len(value):,} characters)"
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text):,} characters)"


def listed(names: Sequence[object], most: int = MAX_LISTED, none: str = "none") -> str:
    """The first few in quotation marks: ``'a', 'b' and 7 more``."""
    shown = ", ".join(quoted(name) for name in names[:most])
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{shown}{more}" or none
