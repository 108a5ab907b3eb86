"""Progress in a notebook: one bar beneath the cell, gone when the work is done. Elsewhere the library is silent."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from biascore.basics.progress import Advance, Progress, Silent, Step
from biascore.basics.visible import visible

SECONDS: Final = 0.3
"""Between two drawings: a kernel that draws every question does little else."""


def progress_here() -> Progress:
    """A bar where this runs in the kernel of a notebook, otherwise nothing."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return NotebookBar() if shell is not None and hasattr(shell, "kernel") else Silent()


@dataclass(slots=True)
class NotebookBar:
    """The outermost task as a bar, with what is at work in it as well; ``show`` draws HTML in place of the last."""

    show: Callable[[str], None] | None = None
    every: float = SECONDS
    clock: Callable[[], float] = time.monotonic
    _steps: list[Step] = field(default_factory=list)
    _drawn: float = float("-inf")

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        """A task of ``total`` steps."""
        if not self._steps:
            self.show, self._drawn = self.show or _display(), float("-inf")
        step = Step(label, total)
        self._steps.append(step)
        self._draw()

        def advance(steps: int) -> None:
            step.done += steps
            self._draw()

        try:
            yield advance
        finally:
            self._steps.remove(step)
            if not self._steps and self.show is not None:
                self.show("")
                self.show = None

    def note(self, text: str) -> None:
        """Nothing: what is to be known is in the run as well, and a notebook shows that."""

    def _draw(self) -> None:
        if self.show is None or self.clock() - self._drawn < self.every:
            return
        self._drawn = self.clock()
        outer = self._steps[0]
        text = html.escape(visible("; ".join(map(str, self._steps))))
        self.show(f'<progress value="{outer.done}" max="{max(outer.total, 1)}"></progress> {text}')


def _display() -> Callable[[str], None]:
    from IPython import display

    shown: Any = display  # its functions have no types
    handle = shown.display(shown.HTML(""), display_id=True)
    return lambda text: handle.update(shown.HTML(text))
