"""The charts of a report as Vega-Lite specifications: the page and the files for papers draw the same ones.

Field names and expressions are fixed here; texts of the user occur in a specification only as data values,
titles and descriptions, never inside an expression.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from biascore.measurement import ConfidenceInterval, Estimate, Measurement
from biascore.report.items import Item, plotted_items
from biascore.run import Run

WIDTH: Final = 720
FONT: Final = "Helvetica, Arial, 'Liberation Sans', sans-serif"
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette for all common kinds of colour blindness, less black and the faint yellow."""
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
"""One more shape than colours, so that 42 series differ in colour or shape before a pair repeats."""

INK: Final = "#333333"
GRID_COLOUR: Final = "#e4e4e4"
ZERO_COLOUR: Final = "#8a8a8a"

CONTROL_PICTURES: Final = {c: 0x2400 + c for c in range(32) if chr(c) not in "\t\n"} | {
    0x7F: 0x2421, 0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD
}  # fmt: skip

LABELLED_ITEMS: Final = 60
"""More items than this are drawn as a strip for each group, with their names in the tooltips only."""
LABEL_WIDTH: Final = 26
LABEL_LINES: Final = 3
TITLE_WIDTH: Final = 60
LINE_HEIGHT: Final = 14
SPLIT_LABEL: Final = "split(datum.label, '\\n')"
SERIES_STEP: Final = 14
ITEM_STEP: Final = 15
STRIP_HEIGHT: Final = 74

CONFIG: Final[dict[str, Any]] = {
    "font": FONT,
    "padding": 8,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12, "labelLineHeight": LINE_HEIGHT, "labelPadding": 6, "labelColor": INK,
        "gridColor": GRID_COLOUR, "domain": False, "ticks": False,
    },
    "axisY": {"labelLimit": 230},
    "title": {"fontSize": 12, "fontWeight": "normal", "color": INK, "offset": 10, "frame": "group"},
    "legend": {
        "orient": "top", "direction": "horizontal", "columns": 3, "labelLimit": 220, "labelFontSize": 12,
        "labelColor": INK, "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": INK,
        "symbolSize": 70, "offset": 12,
    },
}  # fmt: skip

ROWS: Final = alt.NamedData("rows")
Rows = list[dict[str, Any]]
Layers = alt.LayerChart | alt.FacetChart  # what altair says that a layered chart is


@dataclass(frozen=True, slots=True)
class Chart:
    """A specification with its file name (no suffix), its caption, and a note on what is not drawn."""

    name: str
    caption: str
    note: str
    spec: dict[str, Any]


def charts_of(run: Run) -> tuple[Chart, ...]:
    """All charts of a run in page order: the forest plots, then the item plots of its measurements."""
    items = (item_chart(measurement, number) for number, measurement in enumerate(run, start=1))
    return (*forest_charts(run), *(chart for chart in items if chart is not None))


def forest_charts(run: Run) -> tuple[Chart, ...]:
    """One forest plot of headline estimates for each metric and estimate, as their units differ."""
    families: dict[tuple[str, str, str], list[Measurement]] = {}
    for measurement in run:
        headline = measurement.headline
        families.setdefault((measurement.method, headline.name, headline.unit), []).append(measurement)
    charts = (_forest(number, family) for number, family in enumerate(families.values(), start=1))
    return tuple(chart for chart in charts if chart is not None)


def item_chart(measurement: Measurement, number: int) -> Chart | None:
    """The items of a measurement by value, or None where no item has one."""
    items, missing = plotted_items(measurement)
    if not items:
        return None
    groups = _distinct(item.group for item in items)
    named = " and ".join(groups) if len(groups) < 5 else f"{len(groups)} groups"
    caption = f"The {len(items)} items of {named}, by value."
    if len(items) <= LABELLED_ITEMS:
        chart, rows = _dots(items)
    else:
        chart, rows = _strips(items)
        caption += " Upright lines are medians."
    note = f"{missing} without a finite value not drawn." if missing else ""
    name = f"items-{number:04d}-{_safe(measurement.method)}-{_safe(measurement.test)}"
    spec = _specification(chart, rows, "Value of the item", f"{measurement.test_title}. {caption}")
    return Chart(name, caption, note, spec)


def axis_title(estimate: Estimate) -> str:
    """The name of an estimate with its unit, unless the name says it already."""
    named = not estimate.unit or estimate.unit.casefold() in estimate.name.casefold()
    return estimate.name if named else f"{estimate.name} ({estimate.unit})"


def _forest(number: int, family: list[Measurement]) -> Chart | None:
    drawn = [m for m in family if m.headline.value is not None]
    if not drawn:
        return None
    models = _distinct(m.model for m in drawn)
    places = _places(drawn)
    titles = {place: _wrapped(m.test_title or m.test) for place, m in zip(places, drawn, strict=True)}
    label_of = dict(zip(titles, _unique(list(titles.values())), strict=True))
    rows = [_forest_row(m, label_of[place]) for place, m in zip(places, drawn, strict=True)]

    lines = max(label.count("\n") + 1 for label in label_of.values())
    step = max(SERIES_STEP * len(models) + 10, LINE_HEIGHT * lines + 8)
    y = alt.Y(
        "label:N",
        sort=None,
        title=None,
        scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1),
        axis=alt.Axis(labelExpr=SPLIT_LABEL, labelOffset=_centred_labels(), grid=True, tickBand="extent"),
    )
    offset = alt.YOffset("model:N", sort=None, scale=alt.Scale(paddingOuter=0.4))
    x = _value_axis()
    tooltip = [
        alt.Tooltip("test:N", title="Test"),
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("value:Q", title="Estimate", format=".3f"),
        alt.Tooltip("interval:N", title="Interval"),
        alt.Tooltip("verdict:N", title="Verdict"),
    ]
    base = alt.Chart(ROWS).encode(y=y, yOffset=offset, tooltip=tooltip)
    fill, shape, stroke = _series("model", "Model")
    interval = base.mark_rule(strokeWidth=1.6, aria=False).encode(
        x=alt.X("low:Q"), x2=alt.X2("high"), stroke=stroke
    )
    point = base.mark_point(filled=True, size=62, opacity=1).encode(x=x, fill=fill, shape=shape)
    chart = alt.layer(interval, point).properties(height=alt.Step(step, **{"for": "position"}))

    first = drawn[0]
    caption = (
        f"{first.method}: {axis_title(first.headline)}, by test and model. "
        f"{_whiskers(m.headline.interval for m in drawn)}"
    )
    missing = len(family) - len(drawn)
    note = f"{missing} not estimable and so not drawn." if missing else ""
    name = f"forest-{number:02d}-{_safe(first.method)}-{_safe(first.headline.name)}"
    spec = _specification(chart, rows, axis_title(first.headline), f"Forest plot. {caption}")
    return Chart(name, caption, note, spec)


def _places(family: list[Measurement]) -> list[tuple[str, int]]:
    """The row of each measurement: its test, with a further row where a model took the same test again."""
    seen: dict[tuple[str, str], int] = {}
    places = []
    for measurement in family:
        pair = (measurement.test, measurement.model)
        seen[pair] = seen.get(pair, 0) + 1
        places.append((measurement.test, seen[pair]))
    return places


def _centred_labels() -> alt.ConditionalAxisNumber:
    """Vega centres the first line of a label on its row; this lifts longer labels by half of the rest."""
    offsets = [
        {"test": f"{SPLIT_LABEL}.length === {lines}", "value": -(lines - 1) * LINE_HEIGHT / 2}
        for lines in range(2, LABEL_LINES + 1)
    ]
    return alt.ConditionalAxisNumber(condition=offsets, value=0)  # type: ignore[no-untyped-call]


def _forest_row(measurement: Measurement, label: str) -> dict[str, Any]:
    estimate, interval = measurement.headline, measurement.headline.interval
    return {
        "label": label,
        "test": f"{measurement.test}: {measurement.test_title}",
        "model": measurement.model,
        "value": estimate.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "interval": "none" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}",
        "verdict": measurement.verdict.value,
    }


def _whiskers(intervals: Iterable[ConfidenceInterval | None]) -> str:
    levels = sorted({f"{100 * i.level:g}%" for i in intervals if i is not None})
    return f"Lines are {' or '.join(levels)} confidence intervals." if levels else "No intervals were made."


def _dots(items: list[Item]) -> tuple[Layers, Rows]:
    labels = _unique([" ".join(item.name.split()) or "(empty)" for item in items])
    rows: Rows = [
        {"label": label, "item": i.name, "group": i.group, "value": i.value, "low": i.low, "high": i.high}
        for label, i in zip(labels, items, strict=True)
    ]
    y = alt.Y("label:N", sort=None, title=None, axis=alt.Axis(grid=True))
    base = alt.Chart(ROWS).encode(y=y, tooltip=_item_tooltip(items))
    fill, shape, stroke = _series("group", "Group")
    point = base.mark_point(filled=True, size=52, opacity=1).encode(x=_value_axis(), fill=fill, shape=shape)
    interval = base.mark_rule(strokeWidth=1.4, aria=False).encode(
        x=alt.X("low:Q"), x2=alt.X2("high"), stroke=stroke
    )
    layers = (interval, point) if any(item.low is not None for item in items) else (point,)
    return alt.layer(*layers).properties(height=alt.Step(ITEM_STEP)), rows


def _strips(items: list[Item]) -> tuple[Layers, Rows]:
    groups = _distinct(item.group for item in items)
    seen = dict.fromkeys(groups, 0)
    rows: Rows = []
    for item in items:
        seen[item.group] += 1
        spread = _van_der_corput(seen[item.group])
        rows.append({"item": item.name, "group": item.group, "value": item.value, "spread": spread})
        if item.low is not None:
            rows[-1] |= {"low": item.low, "high": item.high}
    fill, shape, _ = _series("group", "Group")
    y = alt.Y("group:N", sort=None, title=None, axis=alt.Axis(grid=False))
    base = alt.Chart(ROWS).encode(y=y)
    size, opacity = (34.0, 0.75) if len(items) <= 400 else (16.0, 0.5)
    points = base.mark_point(filled=True, size=size, opacity=opacity).encode(
        x=_value_axis(),
        yOffset=alt.YOffset("spread:Q", scale=alt.Scale(domain=[-0.15, 1.15])),
        fill=fill,
        shape=shape,
        tooltip=_item_tooltip(items),
    )
    # A tick for the median has no y offset, and so stands across the whole strip.
    median = base.mark_tick(thickness=2.5, size=STRIP_HEIGHT * 0.8, color=INK, opacity=0.9).encode(
        x=alt.X("median(value):Q")
    )
    return alt.layer(points, median).properties(height=STRIP_HEIGHT * len(groups)), rows


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


def _value_axis() -> alt.X:
    """The horizontal axis, with a stronger line at zero.

    Its title stands below as the title of the chart: Vega-Lite builds expressions from the titles of axes.
    """
    zero = alt.ConditionalAxisColor(  # type: ignore[no-untyped-call]
        condition={"test": "datum.value === 0", "value": ZERO_COLOUR}, value=GRID_COLOUR
    )
    return alt.X("value:Q", axis=alt.Axis(title=None, gridColor=zero, tickCount=8))


def _series(field: str, title: str) -> tuple[alt.Fill, alt.Shape, alt.Stroke]:
    """Fill and shape of the points of a series, which share a legend, and the stroke of its intervals.

    No domain is given but order of appearance, as Vega-Lite writes the names of a domain into an expression.
    Strokes have a scale of their own: were it shared, the legends of colour and shape would not be merged.
    """
    legend = alt.Legend(title=title, symbolOpacity=1)
    return (
        alt.Fill(f"{field}:N", legend=legend, sort=None, scale=alt.Scale(range=list(COLOURS))),
        alt.Shape(f"{field}:N", legend=legend, sort=None, scale=alt.Scale(range=list(SHAPES))),
        alt.Stroke(f"{field}:N", legend=None, sort=None, scale=alt.Scale(range=list(COLOURS))),
    )


def _specification(chart: Layers, rows: Rows, below: str, description: str) -> dict[str, Any]:
    # Neither the rows nor the configuration go through altair: it would check and copy them for every chart.
    frame: dict[str, Any] = chart.properties(
        width=WIDTH,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        background="white",
    ).to_dict(validate=False)
    title = {"text": textwrap.wrap(below, TITLE_WIDTH) or "", "orient": "bottom", "anchor": "middle"}
    texts = {"title": title, "description": " ".join(description.split()), "datasets": {ROWS.name: rows}}
    return frame | {"config": CONFIG} | {key: _visible(value) for key, value in texts.items()}


def _visible(value: Any) -> Any:
    """Control characters as their pictures (U+2400...), as XML, and so an SVG file, cannot hold them."""
    if isinstance(value, str):
        return value.translate(CONTROL_PICTURES)
    if isinstance(value, dict):
        return {key: _visible(entry) for key, entry in value.items()}
    return [_visible(entry) for entry in value] if isinstance(value, list) else value


def _wrapped(text: str) -> str:
    lines = textwrap.wrap(text, LABEL_WIDTH, max_lines=LABEL_LINES, placeholder=" …")
    return "\n".join(lines) or "(untitled)"


def _unique(labels: list[str]) -> list[str]:
    """Number the repeats, as rows of equal label would be drawn on top of each other."""
    taken: dict[str, None] = {}
    for label in labels:
        number, free = 1, label
        while free in taken:
            number += 1
            free = f"{label} ({number})"
        taken[free] = None
    return list(taken)


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _van_der_corput(index: int) -> float:
    """The base-2 low-discrepancy sequence in [0, 1): spreads neighbours apart without a random generator."""
    digits = f"{index:b}"[::-1]
    return int(digits, 2) / math.ldexp(1.0, len(digits))


def _safe(text: str) -> str:
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in text)
    return "-".join(part for part in kept.split("-") if part)[:50] or "unnamed"
