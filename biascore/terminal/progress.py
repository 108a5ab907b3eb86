"""Signs of life on standard error: bars on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from functools import partial
from typing import Final

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from biascore.basics.progress import Advance, Step
from biascore.basics.threads import started
from biascore.basics.visible import visible
from biascore.terminal.console import say, stderr

SECONDS: Final = 30.0
"""Between two lines."""


class _OfMany(ProgressColumn):
    """A column that is empty for a task of one step, whose label says all."""

    def __init__(self, column: ProgressColumn) -> None:
        super().__init__()
        self._column = column

    def render(self, task: Task) -> Text:
        """The column, or nothing."""
        return self._column(task) if (task.total or 0) > 1 else Text()  # type: ignore[return-value]


class SignsOfLife:
    """The tasks available, each within the one before: a row each, gone when done, or a line every 30 seconds."""

    def __init__(self, every: float = SECONDS, tell: Callable[[str], None] | None = None) -> None:
        self._every = every
        self._tell = tell or (lambda line: say(line, to=stderr))
        self._steps: list[Step] = []
        self._told: float | None = None
        self._bars: Progress | None = None

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        """A task of ``total`` steps."""
        step = Step(label, total)
        self._steps.append(step)
        try:
            with self._row(step) if stderr.is_terminal else self._lines(step) as advance:
                yield advance
        finally:
            self._steps.remove(step)

    def note(self, text: str) -> None:
        """What is to be known before the work goes on, as a line."""
        self._tell(text)

    @contextmanager
    def _row(self, step: Step) -> Iterator[Advance]:
        if self._bars is not None:
            row = self._bars.add_task(visible(step.label), total=step.total)
            bars = self._bars
            try:
                yield lambda steps: bars.advance(row, steps)
            finally:
                bars.remove_task(row)
            return
        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        always = TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        with Progress(*always, *map(_OfMany, columns), console=stderr, transient=True) as self._bars:
            try:
                with self._row(step) as advance:
                    yield advance
            finally:
                self._bars = None

    @contextmanager
    def _lines(self, step: Step) -> Iterator[Advance]:
        def advance(steps: int) -> None:
            step.done += steps

        if len(self._steps) > 1:
            yield advance
            return
        if self._told is None:
            self._told = time.monotonic()
        over = threading.Event()
        # A thread, for one call of a model may take longer than that.
        telling = started(partial(self._show_until, over), "biascore-progress")
        try:
            yield advance
        finally:
            over.set()
            wait([telling])

    def _show_until(self, over: threading.Event) -> None:
        while True:
            last = self._told or 0.0
            if over.wait(max(0.0, last + self._every - time.monotonic())):
                return
            self._told = time.monotonic()
            self._tell("still at work: " + "; ".join(map(str, list(self._steps))))
