"""How a message names what its reader can change: an option of the command line, a key of the audit file, or an argument."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_commands = 0
_files = 0


@contextmanager
def command_line() -> Iterator[None]:
    """While a command runs, messages name its options."""
    global _commands
    _commands += 1
    try:
        yield
    finally:
        _commands -= 1


@contextmanager
def audit_file() -> Iterator[None]:
    """While a command runs an audit from a file, messages name its keys for the options of metrics."""
    global _files
    _files += 1
    try:
        yield
    finally:
        _files -= 1


def option(name: str, value: str) -> str:
    """The words for an option of a metric: ``-o way=text``, ``options = { way = "text" }``, or ``way='text'``."""
    if _files:
        return f'options = {{ {name} = "{value}" }} under [[measurements]] of the audit file'
    return either(f"-o {name}={value}", f"{name}={value!r}")


def either(option: str, argument: str) -> str:
    """The words for the command line while a command runs, else those for Python: ``--force``, ``overwrite=True``."""
    return option if _commands else argument
