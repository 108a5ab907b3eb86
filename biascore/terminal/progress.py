"""Signs of life on standard error: bars on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import dataclass
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
from biascore.basics.wording import duration
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


class _Left(ProgressColumn):
    """How long all that is expected still takes, in the first row."""

    def __init__(self, signs: SignsOfLife) -> None:
        super().__init__()
        self._signs = signs

    def render(self, task: Task) -> Text:
        """It, or nothing."""
        return Text("" if task.id else self._signs.left)


@dataclass(slots=True)
class _Ahead:
    """Steps of tasks of one label that are ahead, and the seconds that they are expected to take, None where not known."""

    total: int
    seconds: float | None
    done: int = 0
    took: float = 0.0

    @property
    def left(self) -> float:
        """Seconds, as those that are done took; before, as expected."""
        each = self.took / self.done if self.done else (self.seconds or 0.0) / max(1, self.total)
        return max(0, self.total - self.done) * each


class SignsOfLife:
    """The tasks available, each within the one before: a row each, gone when done, or a line every 30 seconds.

    Once it is known what to ``expect``, how long that still takes is said.
    """

    def __init__(self, every: float = SECONDS, tell: Callable[[str], None] | None = None) -> None:
        self._every = every
        self._tell = tell or (lambda line: say(line, to=stderr))
        self._steps: list[Step] = []
        self._told: float | None = None
        self._bars: Progress | None = None
        self._ahead: dict[str, _Ahead] = {}

    def expect(self, steps: Mapping[str, tuple[int, float | None]]) -> None:
        """By label how many steps tasks will have in all, and the seconds that these take, None where not known."""
        self._ahead = {label: _Ahead(*one) for label, one in steps.items() if one[0]}

    @property
    def left(self) -> str:
        """How long what is expected still takes, as far as it is known; empty where nothing is."""
        seconds = sum(one.left for one in self._ahead.values())
        return f"about {duration(seconds)} left" if seconds >= 1 else ""

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        """A task of ``total`` steps."""
        step = Step(label, total)
        self._steps.append(step)
        try:
            with self._row(step) if stderr.is_terminal else self._lines(step) as advance:
                yield self._counted(label, advance)
        finally:
            self._steps.remove(step)

    def note(self, text: str) -> None:
        """What is to be known before the work goes on, as a line."""
        self._tell(text)

    def _counted(self, label: str, advance: Advance) -> Advance:
        """The same, with how many steps were done in what time."""
        ahead, since = self._ahead.get(label), time.monotonic()
        if ahead is None:
            return advance

        def both(steps: int) -> None:
            nonlocal since
            now = time.monotonic()
            ahead.done, ahead.took, since = ahead.done + steps, ahead.took + now - since, now
            advance(steps)

        return both

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
        always = TextColumn("{task.description}", markup=False), TimeElapsedColumn(), _Left(self)
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
            told = [*map(str, list(self._steps)), *filter(None, [self.left])]
            self._tell("still at work: " + "; ".join(told))
