"""The warnings of a run as lines: those that touch a verdict, what several measurements share once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from biascore.results.measurement import Measurement

_NAMED: Final = 3
"""Warnings that more measurements share than this say how many."""


def warning_lines(measurements: Iterable[Measurement], *, every: bool = False) -> tuple[list[str], int]:
    """A line for each test and set of warnings that touch a verdict (``every``: of all), and how many others there are."""
    shown: dict[tuple[str, tuple[str, ...]], list[Measurement]] = {}
    others = 0
    for measurement in measurements:
        some = tuple(one for one in measurement.warnings if every or one in measurement.cautions)
        others += len(measurement.warnings) - len(some)
        if some:
            shown.setdefault((measurement.test, some), []).append(measurement)
    return [f"{test} ({_named(of)}): {'; '.join(some)}" for (test, some), of in shown.items()], others


def _named(measurements: Sequence[Measurement]) -> str:
    names = dict.fromkeys(f"{measurement.method} on {measurement.model}" for measurement in measurements)
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{len(names)} measurements, such as {next(iter(names))}"
