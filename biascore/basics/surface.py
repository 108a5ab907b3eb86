"""How a message names what its reader can change: an option of the command line, or an argument in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_commands = 0


@contextmanager
def command_line() -> Iterator[None]:
    """While a command runs, messages name its options."""
    global _commands
    _commands += 1
    try:
        yield
    finally:
        _commands -= 1


def either(option: str, argument: str) -> str:
    """The words for the command line while a command runs, else those for Python: ``--force``, ``overwrite=True``."""
    return option if _commands else argument
