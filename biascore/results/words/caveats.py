"""The caveats of a run as lines, each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from biascore.results.measurement import Measurement

_NAMED: Final = 3
"""Of a caveat that more measurements share, their number is given."""


def caveat_lines(measurements: Iterable[Measurement]) -> list[str]:
    """Each caveat once and in full, after the measurements that it concerns."""
    every = list(measurements)
    concerned: dict[str, list[Measurement]] = {}
    for measurement in every:
        for text in measurement.warnings:
            concerned.setdefault(text, []).append(measurement)
    return [f"{_named(some, len(every))}: {text}" for text, some in concerned.items()]


def _named(some: Sequence[Measurement], every: int) -> str:
    names = list(dict.fromkeys(f"{one.test}, {one.method} on {one.model}" for one in some))
    if len(names) <= _NAMED:
        return "; ".join(names)
    return (
        f"all {every} measurements" if len(some) == every else f"{len(some)} measurements, such as {names[0]}"
    )
