"""Items along a column of numbers, such as the steps of a transform: a line for each group, its intervals as a band."""

from __future__ import annotations

from typing import Any, Final

import altair as alt

from biascore.basics.wording import counted
from biascore.report.charts.base import (
    GRID_COLOUR,
    ITEM,
    ITEM_INTERVAL,
    NEUTRAL,
    ROWS,
    Drawing,
    Plot,
    Rows,
    distinct,
    in_colours,
    neutral_line,
    series,
    tooltip,
)
from biascore.report.items import column_problem, finite, has_values
from biascore.results.figures import Lines
from biascore.results.measurement import Measurement

HEIGHT: Final = 320


def lines_plot(measurement: Measurement, figure: Lines) -> Plot | str:
    """The items of the groups that the figure names, in the order of its column, or why they cannot be drawn."""
    problem = column_problem(measurement.items, figure.x)
    if problem:
        return problem
    given = measurement.items.to_pylist() if has_values(measurement) else []
    own = [row for row in given if row["group"] in figure.groups]
    rows = [row for item in own if (row := _row(item, figure.x)) is not None]
    if not rows:
        return f"no item of its groups has a value and a {figure.x}"
    groups = [group for group in figure.groups if any(row["group"] == group for row in rows)]
    rows.sort(key=lambda row: (groups.index(row["group"]), row["x"]))
    caption = f"{figure.title}: {counted(len(rows), 'value')} of {' and '.join(groups)}."
    if any(row["low"] is not None for row in rows):
        caption += " Bands are the confidence intervals of the single values, not of their differences."
    if figure.neutral is not None:
        caption += f" The level line is at {figure.neutral:g}."
    missing = len(own) - len(rows)
    note = f"{missing} without a value not drawn." if missing else ""
    neutral: Rows = [] if figure.neutral is None else [{"value": figure.neutral}]
    drawing = Drawing(_layers(groups, rows), HEIGHT, {ROWS.name: rows, NEUTRAL.name: neutral})
    return Plot(drawing, f"Horizontal axis: {figure.x}.", caption, (note,))


def _row(item: dict[str, Any], column: str) -> dict[str, Any] | None:
    x, value = finite(item[column]), finite(item["value"])
    if x is None or value is None:
        return None
    low, high = finite(item.get("ci_low")), finite(item.get("ci_high"))
    return {"item": item["item"], "group": item["group"], "x": x, "value": value, "low": low, "high": high}


def _layers(groups: list[str], rows: Rows) -> tuple[alt.Chart, ...]:
    looks = list(in_colours(groups).values())
    fill, shape, stroke = series("group", "Group", looks)
    whole = len(distinct(str(row["x"]) for row in rows))
    across = alt.Axis(title=None, grid=False, tickCount=min(whole, 20), tickMinStep=1)
    x = alt.X("x:Q", scale=alt.Scale(zero=False, nice=False, padding=8), axis=across)
    up = alt.Axis(title=None, gridColor=GRID_COLOUR, tickCount=8)
    y = alt.Y("value:Q", stack=None, scale=alt.Scale(zero=False), axis=up)
    base = alt.Chart(ROWS).encode(x=x)
    # A scale of its own, as strokes have: were that of the points shared, their legends would not be merged.
    colours = alt.Scale(range=[look.colour for look in looks])
    band = base.mark_area(opacity=0.15, aria=False).encode(
        y=alt.Y("low:Q", stack=None),
        y2=alt.Y2("high"),
        color=alt.Color("group:N", legend=None, sort=None, scale=colours),
    )
    line = base.mark_line(strokeWidth=1.8, aria=False).encode(y=y, stroke=stroke)
    points = base.mark_point(filled=True, size=46, opacity=1)
    told = tooltip(**ITEM, **ITEM_INTERVAL)
    level = neutral_line().encode(y=alt.Y("value:Q", title=None))
    return level, band, line, points.encode(y=y, fill=fill, shape=shape, tooltip=told)
