"""Plots of points on two axes, and the names of points next to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, Literal
from unicodedata import east_asian_width

import altair as alt

from biascore.basics.visible import visible_in
from biascore.report.charts.base import GRID_COLOUR, INK, PADDING, WIDTH, Rows

AXIS_WIDTH: Final = 46
ACROSS: Final = WIDTH - AXIS_WIDTH - 2 * PADDING
NARROW: Final = 300
"""The width of the plot on a telephone and in a column of a journal, for which names are placed a second time."""
FONT_SIZE: Final = 11
LETTER: Final = 6.0
LINE: Final = 13
LONGEST: Final = 24
MOST_COVERED: Final = 1
"""A name that would cover more points than this is left out: neither it nor they could be read. Tooltips have all."""

Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels."""
Spot = tuple[int, int, Literal["left", "right", "center"]]
"""How many pixels a name is away from its point, and which part of the name is there."""
BESIDE: Final[tuple[Spot, ...]] = ((7, 0, "left"), (-7, 0, "right"), (0, -11, "center"), (0, 11, "center"))
CORNERS: Final[tuple[Spot, ...]] = ((5, -9, "left"), (5, 9, "left"), (-5, -9, "right"), (-5, 9, "right"))
"""For points with intervals through them."""
LABELS: Final = alt.NamedData("labels")


@dataclass(frozen=True, slots=True)
class Frame:
    """The ends of both axes of a plot that is ``up`` pixels high where it is ACROSS wide."""

    x: tuple[float, float]
    y: tuple[float, float]
    up: int

    def pixels(self, x: float, y: float, width: float) -> Place:
        """Where a point lies in a plot of that width, from its upper left corner."""
        (left, right), (bottom, top) = self.x, self.y
        height = width * self.up / ACROSS
        return (x - left) / (right - left) * width, (top - y) / (top - bottom) * height

    def across(self, name: str, **axis: Any) -> alt.X:
        """The horizontal axis of a column."""
        return alt.X(f"{name}:Q", scale=_scale(self.x), axis=_axis(20, axis))

    def upward(self, name: str, **axis: Any) -> alt.Y:
        """The vertical axis of a column."""
        return alt.Y(f"{name}:Q", scale=_scale(self.y), axis=_axis(AXIS_WIDTH, axis))

    def meta(self, narrow: Rows) -> dict[str, Any]:
        """What keeps the proportions of the plot at another width, and the names for a narrow one."""
        return {
            "besidePlot": WIDTH - ACROSS,
            "heightToWidth": self.up / ACROSS,
            "narrow": visible_in(narrow),
        }


@dataclass(slots=True)
class Names:
    """Names of points in a plot of that width: they cover no other name, nor the boxes that are taken at first."""

    frame: Frame
    width: float
    points: Sequence[Place]
    spots: Sequence[Spot] = BESIDE
    taken: list[Box] = field(default_factory=list)
    rows: Rows = field(default_factory=list)

    def add(self, text: str, *places: Place) -> None:
        """Write a name next to one of these places: where it covers the fewest points, if there is room for it."""
        wide, height = LETTER * _columns(text), self.width * self.frame.up / ACROSS
        found: list[tuple[int, int, Box, dict[str, Any]]] = []
        for place, (dx, dy, align) in product(places, self.spots):
            x, y = self.frame.pixels(*place, self.width)
            left = x + dx - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
            box = left, y + dy - LINE / 2, left + wide, y + dy + LINE / 2
            inside = left >= 0 and box[1] >= 0 and box[2] <= self.width and box[3] <= height
            if inside and not any(_overlap(box, other) for other in self.taken):
                covered = sum(_overlap(box, (*point, *point)) for point in self.points)
                row = {"x": place[0], "y": place[1], "text": text, "dx": dx, "dy": dy, "align": align}
                found.append((covered, len(found), box, row))
        covered, _, box, row = min(found, default=(MOST_COVERED + 1, 0, (0.0, 0.0, 0.0, 0.0), {}))
        if covered <= MOST_COVERED:
            self.taken.append(box)
            self.rows.append(row)


def texts_at(data: alt.NamedData, size: int, weight: Literal["normal", "bold"]) -> alt.Chart:
    """Texts at places of the plot, each shifted and aligned as its row says."""
    dx, dy, align = (alt.ExprRef(f"datum.{name}") for name in ("dx", "dy", "align"))
    limit = alt.ExprRef("width / 2 - 12")
    marks: alt.Chart = alt.Chart(data).mark_text(
        dx=dx, dy=dy, align=align, baseline="middle", limit=limit, fontSize=size, fontWeight=weight, color=INK,
        aria=False,
    )  # fmt: skip
    return marks.encode(x=alt.X("x:Q", title=None), y=alt.Y("y:Q", title=None), text="text:N")


def shortened(text: str, longest: int = LONGEST) -> str:
    """A text on one line, cut to so many characters with an ellipsis."""
    line = " ".join(text.split()) or "(empty)"
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def _scale(ends: tuple[float, float]) -> alt.Scale:
    return alt.Scale(domain=list(ends), nice=False, zero=False)


def _axis(extent: int, more: dict[str, Any]) -> alt.Axis:
    """An axis that takes a fixed room, so that the plot keeps its proportions; its title is below the chart."""
    return alt.Axis(title=None, gridColor=GRID_COLOUR, minExtent=extent, maxExtent=extent, **more)


def _columns(text: str) -> int:
    """The width of a text in letters; Chinese and Japanese ones count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
