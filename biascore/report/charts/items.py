"""The items of a measurement by value: a labelled dot for each, or a strip for each group where they are many."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import altair as alt

from biascore.report.charts.base import (
    INK,
    ITEM,
    ITEM_INTERVAL,
    ROWS,
    Drawing,
    Look,
    Plot,
    Rows,
    distinct,
    in_colours,
    interval_lines,
    series,
    tooltip,
    unique,
    value_axis,
)
from biascore.report.charts.histograms import HISTOGRAM, STRIP_HEIGHT, UPRIGHT_MEDIANS, histograms
from biascore.report.items import MOST_ITEMS, Item, plotted_items
from biascore.results.measurement import Measurement

LABELLED_ITEMS: Final = 60
"""More items than this are drawn as a strip for each group, with their names in the tooltips only."""
FEW: Final = 400
"""More items than this are smaller points."""
ITEM_STEP: Final = 15


def items_plot(measurement: Measurement) -> Plot | None:
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
        caption += f" {UPRIGHT_MEDIANS}"
    else:
        values: dict[str, list[float]] = {}
        for item in items:
            values.setdefault(item.group, []).append(item.value)
        drawing = histograms(values)
        caption = f"All {len(items):,} items of {named}, by value. {HISTOGRAM} {UPRIGHT_MEDIANS}"
    note = f"{missing} without a finite value not drawn." if missing else ""
    drawing = drawing.with_neutral(measurement.item_neutral)
    return Plot(drawing, measurement.item_value, caption, (note,))


def _dots(items: list[Item]) -> Drawing:
    labels = unique([" ".join(item.name.split()) or "(empty)" for item in items])
    rows = [
        {"label": label, **_row(item), "low": item.low, "high": item.high}
        for label, item in zip(labels, items, strict=True)
    ]
    looks, ends = _looks(items), any(item.low is not None for item in items)
    return Drawing(
        _dot_layers(looks, ends), alt.Step(ITEM_STEP), {ROWS.name: rows}, key=("dots", looks, ends)
    )


@cache
def _dot_layers(looks: tuple[Look, ...], ends: bool) -> tuple[alt.Chart, ...]:
    base, fill, shape, stroke = _points(looks, "label", ends=ends)
    points = base.mark_point(filled=True, size=52, opacity=1).encode(x=value_axis(), fill=fill, shape=shape)
    return (interval_lines(base, 1.4, stroke=stroke), points) if ends else (points,)


def _strips(items: list[Item]) -> Drawing:
    seen = dict.fromkeys((item.group for item in items), 0)
    rows: Rows = []
    for item in items:
        seen[item.group] += 1
        rows.append({**_row(item), "spread": van_der_corput(seen[item.group])})
        if item.low is not None:
            rows[-1] |= {"low": item.low, "high": item.high}
    looks, ends, many = _looks(items), any(item.low is not None for item in items), len(items) > FEW
    layers = _strip_layers(looks, ends, many)
    return Drawing(layers, STRIP_HEIGHT * len(seen), {ROWS.name: rows}, key=("strips", looks, ends, many))


@cache
def _strip_layers(looks: tuple[Look, ...], ends: bool, many: bool) -> tuple[alt.Chart, ...]:
    base, fill, shape, _ = _points(looks, "group", ends=ends)
    size, opacity = (16.0, 0.5) if many else (34.0, 0.75)
    spread = alt.YOffset("spread:Q", scale=alt.Scale(domain=[-0.15, 1.15]))
    points = base.mark_point(filled=True, size=size, opacity=opacity)
    # A tick for the median has no y offset, and so is as high as the whole strip.
    median = alt.Chart(ROWS).mark_tick(thickness=2.5, size=STRIP_HEIGHT * 0.8, color=INK, opacity=0.9)
    return (
        points.encode(x=value_axis(), yOffset=spread, fill=fill, shape=shape),
        median.encode(x=alt.X("median(value):Q"), y=_rows("group")),
    )


def _row(item: Item) -> dict[str, Any]:
    return {"item": item.name, "group": item.group, "value": item.value}


def _looks(items: list[Item]) -> tuple[Look, ...]:
    return tuple(in_colours(item.group for item in items).values())


def _points(
    looks: tuple[Look, ...], rows: str, *, ends: bool
) -> tuple[alt.Chart, alt.Fill, alt.Shape, alt.Stroke]:
    """Marks in rows of that column with the tooltip of an item, and the looks of the groups."""
    told = tooltip(**ITEM, **(ITEM_INTERVAL if ends else {}))
    return alt.Chart(ROWS).encode(y=_rows(rows), tooltip=told), *series("group", "Group", looks)


def _rows(column: str) -> alt.Y:
    return alt.Y(f"{column}:N", sort=None, title=None, axis=alt.Axis(grid=column == "label"))


def van_der_corput(index: int) -> float:
    """The base-2 low-discrepancy sequence in [0, 1): spreads neighbours apart without a random generator."""
    digits = f"{index:b}"[::-1]
    return int(digits, 2) / math.ldexp(1.0, len(digits))
