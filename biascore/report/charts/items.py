"""The items of a measurement by value: a labelled dot for each, or a strip for each group where they are many."""

from __future__ import annotations

import math
from typing import Final

import altair as alt

from biascore.report.charts.base import (
    INK,
    ROWS,
    Chart,
    Drawing,
    Rows,
    distinct,
    in_colours,
    safe,
    series,
    specification,
    unique,
    value_axis,
)
from biascore.report.charts.histograms import HISTOGRAM, STRIP_HEIGHT, UPRIGHT_MEDIANS, histograms
from biascore.report.items import MOST_ITEMS, Item, plotted_items
from biascore.results.measurement import Measurement

LABELLED_ITEMS: Final = 60
"""More items than this are drawn as a strip for each group, with their names in the tooltips only."""
ITEM_STEP: Final = 15


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
        drawing = histograms(values)
        caption = f"All {len(items):,} items of {named}, by value. {HISTOGRAM} {UPRIGHT_MEDIANS}"
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
