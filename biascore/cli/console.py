"""What the command line prints: tables for people, JSON for programs, progress on a terminal only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from biascore.measurement import format_p
from biascore.progress import Advance
from biascore.run import Run
from biascore.visible import visible, visible_json


class Shown(Console):
    """A console that shows what other people's texts hold, instead of obeying it.

    Without emoji: "hf:package:name" would show a parcel.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, emoji=False)

    def render_str(self, text: str, **how: Any) -> Text:
        """The text as it is to be printed; ``how`` is rich's. Everything printed comes by here, cells too."""
        return super().render_str(visible(text), **how)


stdout = Shown()
stderr = Shown(stderr=True)

_COLOURS = {"detected": "red", "negligible": "green", "inconclusive": "yellow"}


class Bars:
    """Progress bars on standard error, gone when done; silent where that is no terminal."""

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        """A bar of ``total`` steps."""
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
            task = progress.add_task(visible(label), total=total)
            yield lambda steps: progress.advance(task, steps)


def say(text: object, *, to: Console = stdout) -> None:
    """A plain line, as it is: no markup read into it, never wrapped."""
    to.print(str(text), highlight=False, markup=False, soft_wrap=True)


def _wide() -> Console:
    """Standard output; as wide as a table wants where it is no terminal."""
    return stdout if stdout.is_terminal else Shown(width=220)


def print_json(value: object) -> None:
    """JSON on standard output, readable and in UTF-8."""
    stdout.out(visible_json(json.dumps(value, ensure_ascii=False, indent=1)), highlight=False)


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """A table whose cells are shown as they are, wide where the output is not a terminal."""
    table = Table(*columns, title=escape(title) or None, title_justify="left")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    console = _wide()
    console.print(table)


def print_run(run: Run) -> None:
    """The run's table, what the verdicts mean, and how many questions were asked."""
    table = Table(
        "model",
        "test",
        "metric",
        "effect",
        "interval",
        "p",
        "p adjusted",
        "verdict",
        "lost",
        title=escape(run.title),
    )
    for measurement, said in zip(run.measurements, run.verdicts, strict=True):
        head = measurement.headline
        interval = head.interval
        colour = _COLOURS[said.verdict.value]
        table.add_row(
            escape(measurement.model),
            escape(measurement.test),
            escape(", ".join(filter(None, [measurement.method, measurement.subject]))),
            "-" if head.value is None else f"{head.value:.3f}",
            "-" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}",
            "-" if measurement.p_value is None else format_p(measurement.p_value),
            "-" if said.p_adjusted is None else format_p(said.p_adjusted),
            f"[{colour}]{said.verdict.value}[/]" + (f"\n{said.note}" if said.note else ""),
            str(len(measurement.coverage.missing)),
        )
    console = _wide()
    console.print(table)
    for measurement in run:
        if measurement.headline.value is None:
            where = f"{measurement.metric} {measurement.test} on {measurement.model}"
            say(f"not measured: {where}: {measurement.reason}", to=console)
    console.print("inconclusive is not unbiased: the data tell neither a bias nor its absence", style="dim")
    counts = run.questions
    asked = f"{counts.asked} asked of the model(s), {counts.cached} answered from the cache, {counts.repeated} repeats"
    nothing = "; the models were asked nothing" if counts.put and not counts.asked else ""
    console.print(f"questions: {counts.put} put: {asked}{nothing}", style="dim", highlight=False)
