"""One or several of something, as a caller in Python names them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar

from biascore.errors import OptionsError

E = TypeVar("E", bound=StrEnum)


def several(given: Any) -> tuple[Any, ...]:
    """What was given, as a tuple: a string is one, and so is what cannot be gone through."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


def one_of(kind: type[E], value: str, name: str) -> E:
    """The member of an enum that an argument called ``name`` names; raises OptionsError for another value."""
    try:
        return kind(value)
    except ValueError:
        raise OptionsError(f"{name}={value!r} is none of: {', '.join(kind)}. Choose one of them") from None
