"""How texts for people are written: a minus, what stands with a verdict, and what is long: cut, or the first of many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MAX_LISTED: Final = 10
MAX_QUOTED: Final = 60
MAX_PROBLEMS: Final = 10
MAX_RUN: Final = 260  # no file of a path has a longer name
NOT_UNBIASED: Final = "Inconclusive is not unbiased: the data tell neither a bias nor its absence"
"""What has to be said wherever a verdict may be inconclusive."""
MINUS: Final = "\N{MINUS SIGN}"
_HYPHEN_BEFORE_NUMBER: Final = re.compile(r"(?<![\w.])-(?=\d)")
_LONG: Final = re.compile(rf"[^\s/]{{{MAX_RUN + 1},}}")


def quoted(value: object, longest: int = MAX_QUOTED) -> str:
    """The value as Python writes it; a long one is cut, and says so: ``'aaaa'... (9,000 characters)``."""
    if isinstance(value, str):
        return repr(value) if len(value) <= longest else f"{value[:longest]!r}... ({len(value):,} characters)"
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text):,} characters)"


def listed(names: Sequence[object], most: int = MAX_LISTED, none: str = "none") -> str:
    """The first few in quotation marks: ``'a', 'b' and 7 more``."""
    shown = ", ".join(quoted(name) for name in names[:most])
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{shown}{more}" or none


def capital(text: str) -> str:
    """The text with a capital letter at its start, as a sentence has."""
    return text[:1].upper() + text[1:]


def true_minus(text: str) -> str:
    """The text with a minus in place of the hyphens before numbers."""
    return _HYPHEN_BEFORE_NUMBER.sub(MINUS, text)


def brief(text: str) -> str:
    """The text with every word cut that is longer than words are: a key or value of a file that somebody damaged."""
    return _LONG.sub(lambda run: f"{run[0][:MAX_RUN]}... ({len(run[0]):,} characters)", text)


def few(lines: Sequence[str], most: int = MAX_PROBLEMS) -> list[str]:
    """The first few problems of many, and how many there are beside."""
    more = [f"and {len(lines) - most:,} more problems"] if len(lines) > most else []
    return [*lines[:most], *more]
