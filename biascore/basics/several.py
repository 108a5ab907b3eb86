"""One or several of something, as a caller in Python names them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def several(given: Any) -> tuple[Any, ...]:
    """What was given, as a tuple: a string is one, and so is what cannot be gone through."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
