"""How texts for people are written: numbers, what is shown with a verdict, and what is long: cut, or the first of many."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

MAX_LISTED: Final = 10
MAX_QUOTED: Final = 60
MAX_PROBLEMS: Final = 10
MAX_CAVEATS: Final = 2
MAX_RUN: Final = 260  # no file of a path has a longer name
NOT_UNBIASED: Final = "Inconclusive does not mean unbiased: the data show neither a bias nor its absence"
"""Said wherever a verdict may be inconclusive."""
MINUS: Final = "\N{MINUS SIGN}"
ROUNDING: Final = 1e-12
"""How far apart, relative to numbers above 1, what is computed of the same answers in another order may be."""
_MOST_DECIMALS: Final = 9
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


def counted(count: int, noun: str) -> str:
    """A count with its noun: ``1 test``, ``3,000 tests``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def capital(text: str) -> str:
    """The text with a capital letter at its start, as a sentence has."""
    return text[:1].upper() + text[1:]


def true_minus(text: str) -> str:
    """The text with a minus in place of the hyphens before numbers."""
    return _HYPHEN_BEFORE_NUMBER.sub(MINUS, text)


def signed(value: float, form: str = ".3f") -> str:
    """A number with its sign, as a sentence has it: ``+0.012``, and ``0.000`` where it rounds to zero."""
    text = f"{value:+z{form}}"
    return text if float(text) else text[1:]


def equal(one: float, other: float) -> bool:
    """Whether two numbers are apart by no more than the rounding of what they were computed from."""
    return abs(one - other) <= ROUNDING * max(1.0, abs(one), abs(other))


def figures(low: float, high: float, *others: float, least: int = 2) -> tuple[str, ...]:
    """The ends of an interval, and numbers that are read with them, as texts with the same decimals.

    They have the decimals that show the width with two significant digits, so that the ends never look alike; at
    least ``least`` below 10, one fewer below 1,000 and two fewer above. Without a width the largest number decides.
    Texts have the hyphen, where a digit is left to have it; ``true_minus`` makes a minus of it.
    """
    values = (low, high, *others)
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    width = high - low
    if not math.isfinite(width) or width <= ROUNDING * largest:
        width = largest
    floor = max(least - (largest >= 10) - (largest >= 1000), 0)
    places = max(floor, 1 - math.floor(math.log10(width))) if width else floor
    if places > _MOST_DECIMALS:
        return tuple(f"{value:z.{places + math.floor(math.log10(largest))}e}" for value in values)
    return tuple(f"{value:z,.{places}f}" for value in values)


def but(caveats: Sequence[str]) -> str:
    """Caveats as a clause, two at most: ``but a list lost 7 of its 8 words``; empty where there are none."""
    more = len(caveats) - MAX_CAVEATS
    shown = [*caveats[:MAX_CAVEATS], *([f"{more} more, see details"] if more > 0 else [])]
    return f"but {', and '.join(shown)}" if shown else ""


def brief(text: str) -> str:
    """The text with every word cut that is longer than words are: a key or value of a file that somebody damaged."""
    return _LONG.sub(lambda run: f"{run[0][:MAX_RUN]}... ({len(run[0]):,} characters)", text)


def some_of(names: Sequence[str], most: int = 3) -> str:
    """The first few names, and how many more there are: ``a, b and 7 more``."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def and_more(names: Sequence[str], most: int) -> str:
    """The first few names, or how many more there are, as prose has it: ``a``, ``a and b``, ``a, b and 7 more``."""
    last = [*names[:most], *([f"{len(names) - most:,} more"] if len(names) > most else [])]
    return " and ".join(filter(None, [", ".join(last[:-1]), *last[-1:]]))


def few(problems: Sequence[T], told: Callable[[T], str], most: int = MAX_PROBLEMS) -> list[str]:
    """The first few problems of many as they are ``told``, and how many more there are."""
    more = [f"and {len(problems) - most:,} more problems"] if len(problems) > most else []
    return [*map(told, problems[:most]), *more]


def shown(value: float) -> str:
    """A number that stands alone as people read it: two or three digits that count, and a true minus."""
    return figures(value, value)[0].replace("-", MINUS) if value else "0"


def duration(seconds: float) -> str:
    """A time as people say it, to three digits at most."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else "under 1 s"
