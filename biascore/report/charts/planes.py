"""Items on a plane through whose middle the axes of two dimensions go, with the names of its quadrants."""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import Any, Final

import altair as alt

from biascore.basics.wording import counted
from biascore.report.charts.base import (
    NEUTRAL,
    ROWS,
    Drawing,
    Plot,
    Rows,
    in_colours,
    neutral_line,
    series,
    tooltip,
)
from biascore.report.charts.labels import (
    ACROSS,
    FONT_SIZE,
    LABELS,
    NARROW,
    Frame,
    Names,
    shortened,
    texts_at,
)
from biascore.report.items import column_problem, finite, has_values, rows_by_value
from biascore.report.texts import cell
from biascore.results.figures import Plane
from biascore.results.measurement import Measurement

LABELLED: Final = 4
"""So many items of each group are named, those with the greatest absolute values."""
UP: Final = 540
STRIP: Final = 40
"""The height of the strips above and below all points, in which the names of the quadrants stand."""
MARGIN: Final = 14
TICKS: Final = 9
MOST_UNEQUAL: Final = 3.0
"""Where one axis needs more than so many times the range of the other, each has its own scale."""
QUADRANTS: Final = alt.NamedData("corners")


def plane_plot(measurement: Measurement, plane: Plane) -> Plot | str:
    """The items that have a finite place on both axes; or why there is none of them."""
    problems = (column_problem(measurement.items, column) for column in (plane.x, plane.y))
    problem = next(filter(None, problems), "")
    if problem:
        return problem
    # By value, as the item chart has them, so that a group has the same colour in both.
    given = rows_by_value(measurement) if has_values(measurement) else []
    placed = [(item, finite(item[plane.x]), finite(item[plane.y])) for item in given]
    rows = [_row(item, x, y) for item, x, y in placed if x is not None and y is not None]
    if not rows:
        return "no item has a finite value on both axes"
    frame, equal = _frame(rows)
    wide, narrow = (_names(rows, frame, width) for width in (ACROSS, NARROW))
    below = [f"Horizontal axis: {plane.x}, from {plane.x_ends[0]} to {plane.x_ends[1]}."]
    below += [f"Vertical axis: {plane.y}, from {plane.y_ends[0]} to {plane.y_ends[1]}."]
    caption = (
        f"{counted(len(rows), 'item')} by {plane.x} and {plane.y}. "
        f"Named, where there is room, are the {LABELLED} of each group with the greatest absolute value "
        f"({measurement.item_value})."
    )
    if not equal:
        caption += " The two axes have different scales."
    missing = len(given) - len(rows)
    note = f"{missing} without a finite value on both axes not drawn." if missing else ""
    data = {
        ROWS.name: [{key: value for key, value in row.items() if key != "value"} for row in rows],
        NEUTRAL.name: [{"value": 0.0}],
        LABELS.name: wide,
        QUADRANTS.name: _quadrants(plane, frame),
    }
    layers = _layers([row["group"] for row in rows], frame, equal=equal)
    drawing = Drawing(layers, UP, data, meta=frame.meta(narrow))
    return Plot(drawing, below, caption, (note,), f"{plane.title}. {measurement.test_title}.")


def _row(item: dict[str, Any], x: float, y: float) -> dict[str, Any]:
    others = {key: value for key, value in item.items() if key not in ("item", "group")}
    # One text of fixed name: names of columns as titles in a tooltip would be part of an expression.
    columns = "\n".join(" ".join(f"{key}: {cell(value)}".split()) for key, value in others.items())
    value = finite(item["value"])
    return {"item": item["item"], "group": item["group"], "x": x, "y": y, "value": value, "columns": columns}


def _frame(rows: Rows) -> tuple[Frame, bool]:
    """Axes with 0 in the middle, and whether a unit is as long on both: it is where both can be read so."""
    x = max(abs(row["x"]) for row in rows) / (1 - 2 * MARGIN / ACROSS) or 1.0
    y = max(abs(row["y"]) for row in rows) / (1 - 2 * STRIP / UP) or 1.0
    equal = max(x / y, y / x) <= MOST_UNEQUAL
    if equal:
        unit = max(x / ACROSS, y / UP)
        x, y = unit * ACROSS, unit * UP
    return Frame((-x, x), (-y, y), UP), equal


def _names(rows: Rows, frame: Frame, width: float) -> Rows:
    """The names of the extremes that have room in a plot of that width, first the greatest of each group."""
    of_group: dict[str, Rows] = {}
    for row in rows:
        if row["value"] is not None:
            of_group.setdefault(row["group"], []).append(row)
    extremes = [sorted(group, key=lambda r: -abs(r["value"]))[:LABELLED] for group in of_group.values()]
    height, strip = width * UP / ACROSS, 0.8 * STRIP * width / ACROSS
    names = Names(frame, width, [frame.pixels(row["x"], row["y"], width) for row in rows])
    names.taken += [(0, 0, width, strip), (0, height - strip, width, height)]
    names.taken += [(width / 2 - 1, 0, width / 2 + 1, height), (0, height / 2 - 1, width, height / 2 + 1)]
    for row in (row for rank in zip_longest(*extremes) for row in rank if row is not None):
        names.add(shortened(str(row["item"])), (row["x"], row["y"]))
    return names.rows


def _quadrants(plane: Plane, frame: Frame) -> Rows:
    return [
        {
            "x": frame.x[right],
            "y": frame.y[top],
            "text": shortened(f"{plane.x_ends[right]}, {plane.y_ends[top]}", 60),
            "dx": 6 - 12 * right,
            "dy": 12 - 24 * (1 - top),
            "align": ("left", "right")[right],
        }
        for right in (0, 1)
        for top in (0, 1)
    ]


def _tick_step(frame: Frame) -> float:
    """The least distance of grid lines, as the longer axis has them: 1, 2 or 5 times a power of 10."""
    rough = 2 * max(frame.x[1], frame.y[1]) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return float(power * next(nice for nice in (1, 2, 5, 10) if rough / power <= nice * math.sqrt(2)))


def _layers(groups: list[str], frame: Frame, *, equal: bool) -> tuple[alt.Chart, ...]:
    fill, shape, _ = series("group", "Group", in_colours(groups).values())
    count = len(groups)
    size, opacity = (58.0, 0.9) if count <= 60 else (38.0, 0.75) if count <= 400 else (20.0, 0.6)
    axis = {"tickCount": TICKS} | ({"tickMinStep": _tick_step(frame)} if equal else {})
    points = alt.Chart(ROWS).mark_point(filled=True, size=size, opacity=opacity)
    return (
        neutral_line().encode(x=alt.X("value:Q", title=None)),
        neutral_line().encode(y=alt.Y("value:Q", title=None)),
        texts_at(QUADRANTS, FONT_SIZE + 1, "bold"),
        points.encode(
            x=frame.across("x", **axis),
            y=frame.upward("y", **axis),
            fill=fill,
            shape=shape,
            tooltip=tooltip(item="Item", group="Group", columns="Columns"),
        ),
        texts_at(LABELS, FONT_SIZE, "normal"),
    )
