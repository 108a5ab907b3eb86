"""Progress of long work, for those who listen; the library itself is silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

Advance = Callable[[int], None]


@dataclass(slots=True)
class Step:
    """A task at work, and how far it is; a task of one step is its label alone."""

    label: str
    total: int
    done: int = 0

    def __str__(self) -> str:
        return f"{self.label}, {self.done} of {self.total}" if self.total > 1 else self.label


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
