"""The items of a measurement by value: a labelled dot for each, or a strip for each group where they are many."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import altair as alt
import numpy as np

from biascore.report.charts.base import (
    INK,
    ROWS,
    Chart,
    Drawing,
    Rows,
    Undrawn,
    distinct,
    in_colours,
    safe,
    series,
    specification,
    unique,
    value_axis,
)
from biascore.report.items import (
    MOST_ITEMS,
    Item,
    column_problem,
    finite,
    has_values,
    plotted_items,
    rows_by_value,
)
from biascore.report.texts import counted
from biascore.results.figures import Histogram
from biascore.results.measurement import Measurement

LABELLED_ITEMS: Final = 60
"""More items than this are drawn as a strip for each group, with their names in the tooltips only."""
ITEM_STEP: Final = 15
STRIP_HEIGHT: Final = 74
BINS: Final = 80
"""Items too many to hold one by one are counted in so many bins."""

HISTOGRAM: Final = (
    "The taller a bar, the more of the items of its group lie there. Upright lines are medians."
)
MEDIANS: Final = alt.NamedData("medians")


def item_chart(measurement: Measurement, number: int) -> Chart | None:
    """The items of a measurement by value, or None where there is nothing to see.

    That is where no item has a value, and where many have one of two: yes and no make no distribution.
    """
    items, missing = plotted_items(measurement)
    if not items or (len(items) > LABELLED_ITEMS and len({item.value for item in items}) < 3):
        return None
    groups = distinct(item.group for item in items)
    named = " and ".join(groups) if len(groups) < 5 else f"{len(groups)} groups"
    caption = f"The {len(items)} items of {named}, by value."
    if len(items) <= LABELLED_ITEMS:
        drawing = _dots(items)
    elif len(items) <= MOST_ITEMS:
        drawing = _strips(items)
        caption += " Upright lines are medians."
    else:
        values: dict[str, list[float]] = {}
        for item in items:
            values.setdefault(item.group, []).append(item.value)
        drawing = _histograms(values)
        caption = f"All {len(items):,} items of {named}, by value. {HISTOGRAM}"
    note = f"{missing} without a finite value not drawn." if missing else ""
    name = f"items-{number:04d}-{safe(measurement.method)}-{safe(measurement.test)}"
    drawing = drawing.with_neutral(measurement.item_neutral)
    spec = specification(drawing, measurement.item_value, f"{measurement.test_title}. {caption}")
    return Chart(name, caption, note, spec, "Items")


def _dots(items: list[Item]) -> Drawing:
    labels = unique([" ".join(item.name.split()) or "(empty)" for item in items])
    rows: Rows = [
        {"label": label, "item": i.name, "group": i.group, "value": i.value, "low": i.low, "high": i.high}
        for label, i in zip(labels, items, strict=True)
    ]
    y = alt.Y("label:N", sort=None, title=None, axis=alt.Axis(grid=True))
    base = alt.Chart(ROWS).encode(y=y, tooltip=_item_tooltip(items))
    looks = in_colours(item.group for item in items)
    fill, shape, stroke = series("group", "Group", looks.values())
    point = base.mark_point(filled=True, size=52, opacity=1).encode(x=value_axis(), fill=fill, shape=shape)
    interval = base.mark_rule(strokeWidth=1.4, aria=False).encode(
        x=alt.X("low:Q"), x2=alt.X2("high"), stroke=stroke
    )
    layers = (interval, point) if any(item.low is not None for item in items) else (point,)
    return Drawing(layers, alt.Step(ITEM_STEP), {ROWS.name: rows})


def _strips(items: list[Item]) -> Drawing:
    groups = distinct(item.group for item in items)
    seen = dict.fromkeys(groups, 0)
    rows: Rows = []
    for item in items:
        seen[item.group] += 1
        spread = van_der_corput(seen[item.group])
        rows.append({"item": item.name, "group": item.group, "value": item.value, "spread": spread})
        if item.low is not None:
            rows[-1] |= {"low": item.low, "high": item.high}
    fill, shape, _ = series("group", "Group", in_colours(groups).values())
    y = alt.Y("group:N", sort=None, title=None, axis=alt.Axis(grid=False))
    base = alt.Chart(ROWS).encode(y=y)
    size, opacity = (34.0, 0.75) if len(items) <= 400 else (16.0, 0.5)
    points = base.mark_point(filled=True, size=size, opacity=opacity).encode(
        x=value_axis(),
        yOffset=alt.YOffset("spread:Q", scale=alt.Scale(domain=[-0.15, 1.15])),
        fill=fill,
        shape=shape,
        tooltip=_item_tooltip(items),
    )
    # A tick for the median has no y offset, and so stands across the whole strip.
    median = base.mark_tick(thickness=2.5, size=STRIP_HEIGHT * 0.8, color=INK, opacity=0.9).encode(
        x=alt.X("median(value):Q")
    )
    return Drawing((points, median), STRIP_HEIGHT * len(groups), {ROWS.name: rows})


def histogram_chart(measurement: Measurement, figure: Histogram, name: str) -> Chart | Undrawn:
    """The items of each group by a column, or why they cannot be drawn."""
    problem = column_problem(measurement.items, figure.column)
    if problem:
        return Undrawn(figure.title, problem)
    values: dict[str, list[float]] = {}
    missing = 0
    # By value, as the item chart has them, so that a group has the same colour in both.
    for row in rows_by_value(measurement) if has_values(measurement) else []:
        found = finite(row[figure.column])
        if found is None or (figure.log and found <= 0):
            missing += 1
        else:
            values.setdefault(row["group"], []).append(found)
    if len({value for of_group in values.values() for value in of_group}) < 2:
        return Undrawn(figure.title, "its items do not have two values that can be drawn")
    count = counted(sum(map(len, values.values())), "item")
    caption = f"{figure.title}: {count}. {HISTOGRAM}{' The axis is logarithmic.' if figure.log else ''}"
    note = f"{missing} without a value that can be drawn." if missing else ""
    drawing = _histograms(values, log=figure.log)
    spec = specification(drawing, figure.column, f"{measurement.test_title}. {caption}")
    return Chart(f"{name}-{safe(figure.title)}", caption, note, spec, figure.title)


def _histograms(values: Mapping[str, list[float]], *, log: bool = False) -> Drawing:
    """A strip for each group with the shares of its items by value, its tallest bar as high as that of the others."""
    scaled = {group: np.log(some) if log else np.array(some) for group, some in values.items()}
    least = min(some.min() for some in scaled.values())
    greatest = max(some.max() for some in scaled.values())
    share = np.linspace(0.0, 1.0, BINS + 1)
    # Not from the width of the range, which can be infinite; sorted, as rounding can put neighbours out of order.
    edges = np.sort(least * (1 - share) + greatest * share)
    ends = np.exp(edges) if log else edges
    rows: Rows = []
    for group, of_group in scaled.items():
        counts = np.histogram(of_group, edges)[0]
        rows += [
            {"group": group, "low": low, "high": high, "count": count, "height": count / int(counts.max())}
            for low, high, count in zip(ends.tolist(), ends[1:].tolist(), counts.tolist(), strict=False)
            if count
        ]
    medians: Rows = [{"group": group, "value": float(np.median(some))} for group, some in values.items()]
    fill, _, _ = series("group", "Group", in_colours(values).values())
    y = alt.Y("group:N", sort=None, title=None, axis=alt.Axis(grid=False))
    tooltip = [
        alt.Tooltip("group:N", title="Group"),
        alt.Tooltip("low:Q", title="From", format=".4f"),
        alt.Tooltip("high:Q", title="To", format=".4f"),
        alt.Tooltip("count:Q", title="Items", format=","),
    ]
    tall = alt.Size("height:Q", scale=alt.Scale(domain=[0, 1], range=[0, STRIP_HEIGHT * 0.9]), legend=None)
    bars = alt.Chart(ROWS).mark_bar(orient="horizontal", opacity=0.7).encode(
        x=_axis("low", log=log), x2=alt.X2("high"), y=y, size=tall, fill=fill, tooltip=tooltip
    )  # fmt: skip
    lines = alt.Chart(MEDIANS).mark_tick(
        thickness=2.5, size=STRIP_HEIGHT * 0.8, color=INK, opacity=0.9, aria=False
    )
    median = lines.encode(x=_axis("value", log=log), y=y)
    data = {ROWS.name: rows, MEDIANS.name: medians}
    return Drawing((bars, median), STRIP_HEIGHT * len(values), data)


def _axis(field: str, *, log: bool) -> alt.X:
    axis = value_axis(field)
    return axis.scale(type="log", nice=False) if log else axis


def _item_tooltip(items: list[Item]) -> list[alt.Tooltip]:
    tooltip = [
        alt.Tooltip("item:N", title="Item"),
        alt.Tooltip("group:N", title="Group"),
        alt.Tooltip("value:Q", title="Value", format=".4f"),
    ]
    if any(item.low is not None for item in items):
        tooltip += [
            alt.Tooltip("low:Q", title="Interval from", format=".4f"),
            alt.Tooltip("high:Q", title="Interval to", format=".4f"),
        ]
    return tooltip


def van_der_corput(index: int) -> float:
    """The base-2 low-discrepancy sequence in [0, 1): spreads neighbours apart without a random generator."""
    digits = f"{index:b}"[::-1]
    return int(digits, 2) / math.ldexp(1.0, len(digits))
