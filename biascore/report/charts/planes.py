"""Items on a plane through whose middle the axes of two dimensions go, with the names of its quadrants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final, Literal

import altair as alt

from biascore.basics.visible import visible_in
from biascore.report.charts.base import (
    GRID_COLOUR,
    INK,
    NEUTRAL,
    PADDING,
    ROWS,
    WIDTH,
    Chart,
    Drawing,
    Rows,
    Undrawn,
    in_colours,
    neutral_line,
    safe,
    series,
    specification,
)
from biascore.report.charts.labels import FONT_SIZE, Box, Point, place, shortened
from biascore.report.items import column_problem, finite, has_values, rows_by_value
from biascore.report.texts import cell, counted
from biascore.results.figures import Plane
from biascore.results.measurement import Measurement

LABELLED: Final = 4
"""So many items of each group are named, those with the greatest absolute values."""
AXIS_WIDTH: Final = 46
ACROSS: Final = WIDTH - AXIS_WIDTH - 2 * PADDING
UP: Final = 540
NARROW: Final = 300
"""The width of the plot on a telephone, for which labels are placed a second time."""
STRIP: Final = 40
"""The height of the strips above and below all points, in which the names of the quadrants stand."""
MARGIN: Final = 14
TICKS: Final = 9
MOST_UNEQUAL: Final = 3.0
"""Where one axis needs more than so many times the range of the other, each has its own scale."""

LABELS: Final = alt.NamedData("labels")
CORNERS: Final = alt.NamedData("corners")


@dataclass(frozen=True, slots=True)
class _Spread:
    """What the ends of the two axes stand for, both the same distance from 0."""

    x: float
    y: float

    @classmethod
    def of(cls, rows: Rows) -> _Spread:
        """Equal scales where both axes can be read with them; points keep off the edges."""
        x = max(abs(row["x"]) for row in rows) / (1 - 2 * MARGIN / ACROSS) or 1.0
        y = max(abs(row["y"]) for row in rows) / (1 - 2 * STRIP / UP) or 1.0
        if max(x / y, y / x) > MOST_UNEQUAL:
            return cls(x, y)
        unit = max(x / ACROSS, y / UP)
        return cls(unit * ACROSS, unit * UP)

    @property
    def step(self) -> float:
        """The least distance of grid lines, as the longer axis has them: 1, 2 or 5 times a power of 10."""
        rough = 2 * max(self.x, self.y) / TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        return power * next(nice for nice in (1, 2, 5, 10) if rough / power <= nice * math.sqrt(2))

    @property
    def equal(self) -> bool:
        """Whether a unit is as long on both axes."""
        return abs(self.x * UP - self.y * ACROSS) < 1e-9 * self.x * UP

    def pixels(self, row: dict[str, Any], across: float) -> Point:
        """Where a row lies in a plot of that width, from its upper left corner."""
        return ((row["x"] / self.x + 1) * across / 2, (1 - row["y"] / self.y) * across * UP / ACROSS / 2)


def plane_chart(measurement: Measurement, plane: Plane, name: str) -> Chart | Undrawn:
    """The items that have a finite place on both axes; or why there is none of them."""
    problems = (column_problem(measurement.items, column) for column in (plane.x, plane.y))
    problem = next(filter(None, problems), "")
    if problem:
        return Undrawn(plane.title, problem)
    # By value, as the item chart has them, so that a group has the same colour in both.
    given = rows_by_value(measurement) if has_values(measurement) else []
    rows = [row for row in map(_row, given, [plane] * len(given)) if row is not None]
    if not rows:
        return Undrawn(plane.title, "no item has a finite value on both axes")
    spread = _Spread.of(rows)
    wide, narrow = (_labels(rows, spread, across) for across in (ACROSS, NARROW))
    below = [f"Horizontal axis: {plane.x}, from {plane.x_ends[0]} to {plane.x_ends[1]}."]
    below += [f"Vertical axis: {plane.y}, from {plane.y_ends[0]} to {plane.y_ends[1]}."]
    caption = (
        f"{counted(len(rows), 'item')} by {plane.x} and {plane.y}. "
        f"Named, where there is room, are the {LABELLED} of each group with the greatest absolute value "
        f"({measurement.item_value})."
    )
    if not spread.equal:
        caption += " The two axes have different scales."
    missing = len(given) - len(rows)
    note = f"{missing} without a finite value on both axes not drawn." if missing else ""
    drawn = [{key: value for key, value in row.items() if key != "value"} for row in rows]
    drawing = Drawing(
        _layers([row["group"] for row in rows], spread),
        UP,
        {
            ROWS.name: drawn,
            NEUTRAL.name: [{"value": 0.0}],
            LABELS.name: wide,
            CORNERS.name: _corners(plane, spread),
        },
    )
    spec = specification(drawing, below, f"{plane.title}. {measurement.test_title}. {caption}")
    # A page of another width keeps the proportions, and a narrow one takes the labels that it has room for.
    spec["usermeta"] = {
        "besidePlot": WIDTH - ACROSS,
        "heightToWidth": UP / ACROSS,
        "narrow": visible_in(narrow),
    }
    return Chart(f"{name}-{safe(plane.title)}", caption, note, spec, plane.title)


def _row(item: dict[str, Any], plane: Plane) -> dict[str, Any] | None:
    x, y = finite(item[plane.x]), finite(item[plane.y])
    if x is None or y is None:
        return None
    others = {key: value for key, value in item.items() if key not in ("item", "group")}
    # One text of fixed name: names of columns as titles in a tooltip would be part of an expression.
    columns = "\n".join(f"{' '.join(f'{key}: {cell(value)}'.split())}" for key, value in others.items())
    return {
        "item": item["item"],
        "group": item["group"],
        "x": x,
        "y": y,
        "value": finite(item["value"]),
        "columns": columns,
    }


def _labels(rows: Rows, spread: _Spread, across: float) -> Rows:
    """The names of the extremes that have room in a plot of that width, first the greatest of each group."""
    of_group: dict[str, Rows] = {}
    for row in rows:
        if row["value"] is not None:
            of_group.setdefault(row["group"], []).append(row)
    extremes = [sorted(group, key=lambda r: -abs(r["value"]))[:LABELLED] for group in of_group.values()]
    chosen = [row for rank in zip_longest(*extremes) for row in rank if row is not None]
    up = across * UP / ACROSS
    strip = STRIP * across / ACROSS
    middle = across / 2
    frame = Box(0, 0, across, up)
    corners = [Box(0, 0, across, strip * 0.8), Box(0, up - strip * 0.8, across, up)]
    lines = [Box(middle - 1, 0, middle + 1, up), Box(0, up / 2 - 1, across, up / 2 + 1)]
    texts = [shortened(str(row["item"])) for row in chosen]
    named = [(text, spread.pixels(row, across)) for text, row in zip(texts, chosen, strict=True)]
    spots = place(named, [spread.pixels(row, across) for row in rows], [*corners, *lines], frame)
    return [
        {"x": row["x"], "y": row["y"], "text": text, "dx": spot.dx, "dy": spot.dy, "align": spot.align}
        for row, text, spot in zip(chosen, texts, spots, strict=True)
        if spot is not None
    ]


def _corners(plane: Plane, spread: _Spread) -> Rows:
    sides: Sequence[tuple[int, str]] = ((0, "left"), (1, "right"))
    return [
        {
            "x": spread.x * (2 * across - 1),
            "y": spread.y * (2 * up - 1),
            "text": shortened(f"{plane.x_ends[across]}, {plane.y_ends[up]}", 60),
            "dx": 6 - 12 * across,
            "dy": 12 - 24 * (1 - up),
            "align": align,
        }
        for across, align in sides
        for up in (0, 1)
    ]


def _layers(groups: Sequence[str], spread: _Spread) -> tuple[alt.Chart, ...]:
    x = alt.X("x:Q", scale=_scale(spread.x), axis=_axis(spread, 20))
    y = alt.Y("y:Q", scale=_scale(spread.y), axis=_axis(spread, AXIS_WIDTH))
    fill, shape, _ = series("group", "Group", in_colours(groups).values())
    count = len(groups)
    size, opacity = (58.0, 0.9) if count <= 60 else (38.0, 0.75) if count <= 400 else (20.0, 0.6)
    points = alt.Chart(ROWS).mark_point(filled=True, size=size, opacity=opacity).encode(
        x=x,
        y=y,
        fill=fill,
        shape=shape,
        tooltip=[
            alt.Tooltip("item:N", title="Item"),
            alt.Tooltip("group:N", title="Group"),
            alt.Tooltip("columns:N", title="Columns"),
        ],
    )  # fmt: skip
    return (
        neutral_line().encode(x=alt.X("value:Q", title=None)),
        neutral_line().encode(y=alt.Y("value:Q", title=None)),
        texts_at(CORNERS, FONT_SIZE + 1, "bold"),
        points,
        texts_at(LABELS, FONT_SIZE, "normal"),
    )


def _scale(end: float) -> alt.Scale:
    return alt.Scale(domain=[-end, end], nice=False)


def _axis(spread: _Spread, extent: int) -> alt.Axis:
    """An axis that takes a fixed room, so that the plot keeps its proportions; without a title, as those of values."""
    axis = alt.Axis(title=None, gridColor=GRID_COLOUR, tickCount=TICKS, minExtent=extent, maxExtent=extent)
    if spread.equal:
        axis.tickMinStep = spread.step
    return axis


def texts_at(data: alt.NamedData, size: int, weight: Literal["normal", "bold"]) -> alt.Chart:
    """Texts at places of the plane, each shifted and aligned as its row says."""
    dx, dy, align = (alt.ExprRef(f"datum.{name}") for name in ("dx", "dy", "align"))
    marks = alt.Chart(data).mark_text(
        dx=dx,
        dy=dy,
        align=align,
        baseline="middle",
        limit=alt.ExprRef("width / 2 - 12"),
        fontSize=size,
        fontWeight=weight,
        color=INK,
        aria=False,
    )
    texts: alt.Chart = marks.encode(x=alt.X("x:Q", title=None), y=alt.Y("y:Q", title=None), text="text:N")
    return texts
