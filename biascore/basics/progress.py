"""Progress of long work, for those who listen; the library itself is silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

Advance = Callable[[int], None]


@dataclass(slots=True)
class Step:
    """A task at work, how far it is, and for how long: of a task of one step the time alone moves."""

    label: str
    total: int
    done: int = 0
    since: float = field(default_factory=monotonic)

    def __str__(self) -> str:
        seconds = int(monotonic() - self.since)
        took = f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
        return f"{self.label} ({f'{self.done} of {self.total}, ' if self.total > 1 else ''}{took})"


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
