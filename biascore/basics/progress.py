"""Progress of long work, told to whoever listens; the library itself is silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]


class Progress(Protocol):
    """Shows tasks that advance in steps."""

    def task(self, label: str, total: int) -> AbstractContextManager[Advance]:
        """A task of ``total`` steps; the value entered is called with the number of steps done."""

    def note(self, text: str) -> None:
        """What is to be known before the work goes on."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:  # noqa: ARG002
        """A task that nobody sees."""
        yield lambda _steps: None

    def note(self, text: str) -> None:
        """Nobody hears it."""
