"""Rows as pictures: which share an axis, where on it everything lies, and the same in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final, NamedTuple

from biascore.basics.wording import MINUS, counted, shown
from biascore.results.rows import Axis, Mark, Row, spans
from biascore.results.verdicts import DEVIATIONS

_MARGIN: Final = 0.07
"""This share of an axis is left empty at each end, for its labels."""
_TICKS: Final = (9, 5)
"""So many labels have room on an axis over the page, and on one of several columns."""


class Tick(NamedTuple):
    """A label of an axis: where, its number, and what it is, such as no bias."""

    at: float
    text: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from ``low`` to ``high``, whose places are per cent of its width."""

    name: str
    unit: str
    neutral: float | None
    low: float
    high: float
    ticks: tuple[Tick, ...]

    @property
    def label(self) -> str:
        """Its name, with the unit where this says more: ``CrowS-Pairs score (%)``, ``effect size d``."""
        return (
            self.name if self.unit in self.name or self.unit == DEVIATIONS else f"{self.name} ({self.unit})"
        )

    def at(self, value: float) -> float:
        """Where a value lies."""
        return _at(value, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A mark with its places: its value, and the ends of its interval."""

    state: str
    at: float
    low: float | None
    high: float | None
    told: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A row on its axis: the bound, the neutral value, its lead, and the other tests; ``told`` says it in words."""

    bound: tuple[float, float] | None
    neutral: float | None
    chance: float | None
    lead: Drawn
    others: tuple[Drawn, ...]
    told: str


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows that share a scale, each with its lane; without a scale there is nothing to draw of them."""

    scale: Scale | None
    rows: tuple[tuple[Row, Lane | None], ...]

    @property
    def by_name(self) -> dict[str, list[tuple[Row, Lane | None]]]:
        """The rows of each name, such as those of several models."""
        of: dict[str, list[tuple[Row, Lane | None]]] = {}
        for row, drawn in self.rows:
            of.setdefault(row.name, []).append((row, drawn))
        return of


def panels(rows: Sequence[Row], *, columns: bool = False) -> tuple[Panel, ...]:
    """The rows by the unit and the neutral value of their axes, in their order; what cannot be drawn last.

    ``columns``: they are drawn in several, so that fewer labels have room.
    """
    of: dict[tuple[str, float | None] | None, list[Row]] = {}
    for row in rows:
        of.setdefault((row.axis.unit, row.axis.neutral) if row.axis else None, []).append(row)
    undrawn = of.pop(None, [])
    found = [_panel(some, columns) for some in of.values()]
    return (*found, *([Panel(None, tuple((row, None) for row in undrawn))] if undrawn else []))


def _panel(rows: Sequence[Row], columns: bool) -> Panel:
    scale = scale_of(rows, _TICKS[columns])
    return Panel(scale, tuple((row, lane(row, scale)) for row in rows))


def scale_of(rows: Sequence[Row], most: int = _TICKS[0]) -> Scale:
    """One scale for rows of one unit and neutral value, as far as their marks, bounds and neutral value reach.

    ``most``: so many labels have room.
    """
    reach = spans(rows)
    axes = list(reach)
    low, high = min(one for one, _ in reach.values()), max(one for _, one in reach.values())
    if high <= low:
        low, high = low - 0.5, high + 0.5
    room = _MARGIN * (high - low)
    low, high = low - room, high + room
    names = list(dict.fromkeys(axis.name for axis in axes))
    bounds = {axis.bound for axis in axes}
    neutral = axes[0].neutral
    by_chance = {axis.chance for axis in axes}
    meant = {axis.meant for axis in axes}
    known = [] if neutral is None else [(neutral, meant.pop() if len(meant) == 1 else "no difference")]
    chance = by_chance.pop() if len(by_chance) == 1 else None
    bound = bounds.pop() if len(bounds) == 1 else None
    return Scale(
        name=" and ".join(names) if len(names) < 3 else f"{len(names)} estimates",
        unit=axes[0].unit,
        neutral=neutral,
        low=low,
        high=high,
        ticks=tuple(_ticks(low, high, known, bound, chance, most)),
    )


def _ticks(
    low: float,
    high: float,
    known: Sequence[tuple[float, str]],
    bound: float | None,
    chance: float | None,
    most: int,
) -> list[Tick]:
    """The neutral value; what chance gives, the ends of the bound and round numbers, where these have room."""
    apart = (high - low) / most
    named = list(known)
    others = [(chance, "by chance")] if chance is not None else []
    if bound:
        others += [(value + side, "bound") for value, _ in known for side in (-bound, bound)]
    for value, what in others:
        if all(abs(value - one) >= apart for one, _ in named):
            named.append((value, what))
    step = _round_up(1.5 * apart)
    places = max(0, -floor(log10(step))) if step < 1 else 0
    every = [round(number * step, places) for number in range(ceil(low / step), floor(high / step) + 1)]
    plain = [(value, "") for value in every if all(abs(value - one) >= apart for one, _ in named)]
    return [
        Tick(_at(value, low, high), _number(value), what)
        for value, what in sorted([*named, *plain])
        if low <= value <= high
    ]


def lane(row: Row, scale: Scale) -> Lane | None:
    """A row on a scale; None where there is nothing to draw."""
    if row.lead is None or row.axis is None:
        return None
    axis = row.axis
    bound = None
    if axis.neutral is not None and axis.bound:
        bound = scale.at(axis.neutral - axis.bound), scale.at(axis.neutral + axis.bound)
    return Lane(
        bound=bound,
        neutral=None if axis.neutral is None else scale.at(axis.neutral),
        chance=None if axis.chance is None else scale.at(axis.chance),
        lead=_drawn(row.lead, scale),
        others=tuple(_drawn(one, scale) for one in row.others),
        told=_told(row, axis),
    )


def _told(row: Row, axis: Axis) -> str:
    """The picture in words."""
    interval = f", interval {row.interval}" if row.interval else ", no interval"
    parts = [f"{row.name}: {axis.name} {row.value}{interval}, {row.state}"]
    if row.others:
        values = [one.value for one in row.others]
        ends = _number(min(values)), _number(max(values))
        where = f"at {ends[0]}" if ends[0] == ends[1] else f"from {ends[0]} to {ends[1]}"
        parts.append(f"{counted(len(values), 'other test')} {where}")
    if axis.neutral is not None:
        around = f", bound ±{shown(axis.bound)}" if axis.bound else ""
        parts.append(f"{axis.meant} is {_number(axis.neutral)}{around}")
    if axis.chance is not None:
        parts.append(f"chance alone gives {shown(axis.chance)} on average")
    return "; ".join(parts)


def _drawn(mark: Mark, scale: Scale) -> Drawn:
    return Drawn(
        state=mark.state,
        at=scale.at(mark.value),
        low=None if mark.low is None else scale.at(mark.low),
        high=None if mark.high is None else scale.at(mark.high),
        told=f"{mark.test}: {shown(mark.value)}, {mark.state}",
    )


def _at(value: float, low: float, high: float) -> float:
    return round(100 * (value - low) / (high - low), 2)


def _round_up(step: float) -> float:
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** floor(log10(step))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= step * (1 - 1e-9))


def _number(value: float) -> str:
    return f"{value:z.3g}".replace("-", MINUS)
