"""What touches the verdicts of a run, as lines: in brief or in full, what several measurements share once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from biascore.basics.wording import but
from biascore.results.measurement import Measurement

_NAMED: Final = 3
"""Lines that more measurements share than this say how many."""


def caveat_lines(measurements: Iterable[Measurement]) -> list[str]:
    """A line for each test and its caveats, two at most: the doubts, and the cautions where nothing says them in brief."""
    return _lines(measurements, lambda m: but(m.in_brief).removeprefix("but "))


def warning_lines(measurements: Iterable[Measurement]) -> list[str]:
    """A line for each test and its warnings, in full."""
    return _lines(measurements, lambda m: "; ".join(m.warnings))


def _lines(measurements: Iterable[Measurement], text_of: Callable[[Measurement], str]) -> list[str]:
    """Method and model are named where a test was measured more than once."""
    shown: dict[tuple[str, str], list[Measurement]] = {}
    for measurement in measurements:
        shown.setdefault((measurement.test, text_of(measurement)), []).append(measurement)
    count = Counter(test for (test, _), of in shown.items() for _ in of)
    return [
        f"{test}{f' ({_named(of)})' if count[test] > 1 else ''}: {text}"
        for (test, text), of in shown.items()
        if text
    ]


def _named(measurements: Sequence[Measurement]) -> str:
    names = dict.fromkeys(map(_name, measurements))
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{len(names)} measurements, such as {next(iter(names))}"


def _name(measurement: Measurement) -> str:
    return f"{measurement.method} on {measurement.model}"
