"""Estimates of all measurements of a run: rows of dots, boxes by label, and maps of colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import altair as alt
import numpy as np

from biascore.report.charts.base import (
    EDGES,
    INK,
    NEUTRAL_COLOUR,
    NUMBER,
    ROWS,
    UPRIGHT,
    Drawing,
    Look,
    Plot,
    Rows,
    describe_neutral,
    distinct,
    edges,
    estimate_columns,
    in_greys,
    interval_lines,
    label_axis,
    label_step,
    not_drawn,
    series,
    shared_neutral,
    tooltip,
    unique,
    value_axis,
    whiskers,
    with_unit,
)
from biascore.report.charts.items import van_der_corput
from biascore.report.charts.joined import MEASURED, Entry, opening, row_labels, value_rows
from biascore.report.charts.rows import ESTIMATE, side_by_side
from biascore.results.figures import Band, Dots, Heat

SHADES: Final = ("#fdf8ea", "#f9ebc4", "#f4d999", "#ecc066", "#dfa336")
"""From pale to dark, all paler than the greys of points."""
MARGIN: Final = 0.04
"""Shades go beyond the values by so much of their range."""
BANDS: Final = alt.NamedData("bands")

BOXES_FROM: Final = 5
"""Fewer values than this are shown as points alone: quartiles would say no more than they do."""
POINTS_UP_TO: Final = 30
"""Of more measurements than this only the values beyond the whiskers are shown as points."""
REACH: Final = 1.5
"""Whiskers end at the last value within so many interquartile ranges of the box (Tukey 1977)."""
BOX_STEP: Final = 30
BOX_HEIGHT: Final = 18
BOXES: Final = alt.NamedData("boxes")

CELL_STEP: Final = 26
TOLD_UP_TO: Final = 16
"""Of so many columns each cell has room for its number."""
PALE: Final = (0.12, 0.84)
"""On colours between these parts of their scale a dark number is easier to read than a white one."""
COLUMN_WIDTH: Final = 40


def dots_plot(entries: Sequence[Entry], _looks: Mapping[str, Look]) -> Plot | str:
    """A row for each measurement with its estimates, side by side by label."""
    figure = entries[0].figure
    assert isinstance(figure, Dots)
    rows = [
        {"label": label, "series": name, **estimate_columns(one.value, one.interval), **entry.told}
        for entry, label in zip(entries, unique(row_labels(entries)), strict=True)
        for name, one in entry.estimates
    ]
    drawn = [row for row in rows if row["value"] is not None]
    if not drawn:
        return "none of its estimates has a value"
    estimates = [estimate for entry in entries for _, estimate in entry.estimates]
    neutral = shared_neutral(estimates)
    caption = f"{opening(entries)}. "
    caption += whiskers(estimate.interval for estimate in estimates if estimate.value is not None)
    if figure.bands:
        shades = ", ".join(f"{band.name} from {band.low:g} to {band.high:g}" for band in figure.bands)
        caption += f" Shaded: {shades}."
    told = tooltip(series="Estimate", **MEASURED, **ESTIMATE)
    looks = in_greys(row["series"] for row in drawn)
    drawing = side_by_side(drawn, "Estimate", told, looks).with_neutral(neutral)
    drawing = _shaded(drawing, figure.bands, drawn, neutral)
    note = not_drawn(len(rows) - len(drawn), "value")
    return Plot(drawing, with_unit(figure.title, estimates[0].unit), caption, (note,))


def _shaded(drawing: Drawing, bands: Sequence[Band], drawn: Rows, neutral: float | None) -> Drawing:
    """The drawing on the bands that its values and intervals reach, with their words in a legend; itself without."""
    values = [row[key] for row in drawn for key in ("value", "low", "high") if row[key] is not None]
    values += [] if neutral is None else [neutral]
    low, high = min(values), max(values)
    margin = MARGIN * (high - low) or MARGIN * abs(high) or MARGIN
    low, high = low - margin, high + margin
    if bands and low < bands[0].low <= low + margin:
        low = bands[0].low  # nothing lies below, such as a share of less than 0
    rows: Rows = [
        {"band": band.name, "start": max(band.low, low), "end": min(band.high, high)}
        for band in bands
        if max(band.low, low) < min(band.high, high)
    ]
    if not rows:
        return drawing
    scale = alt.Scale(domain=[low, high], nice=False)
    # Of another channel than the fill of points, whose scale and legend it would share.
    shade = alt.Color(
        "band:N",
        sort=None,
        scale=alt.Scale(range=list(SHADES[: len(rows)])),
        legend=alt.Legend(title="Shaded", symbolType="square", symbolOpacity=1),
    )
    shades = alt.Chart(BANDS).mark_rect(opacity=1, aria=False)
    layer = shades.encode(x=alt.X("start:Q", title=None, scale=scale), x2=alt.X2("end"), color=shade)
    return replace(drawing, layers=(layer, *drawing.layers), data=drawing.data | {BANDS.name: rows})


def boxes_plot(entries: Sequence[Entry], looks: Mapping[str, Look]) -> Plot | str:
    """For each label the values of all measurements, as a box where there are enough of them, and as points."""
    drawn, without = value_rows(entries, "series", [entry.measurement.model for entry in entries])
    if not drawn:
        return "none of its estimates has a value"
    boxes = [_box(rows) for rows in drawn if len(rows) >= BOXES_FROM]
    by_model = len(entries) <= POINTS_UP_TO
    points = [row for rows in drawn for row in _points(rows, only_beyond=not by_model)]
    estimates = [estimate for entry in entries for _, estimate in entry.estimates]
    neutral = shared_neutral(estimates)
    caption = f"{opening(entries)}. {_explained(boxes, drawn, by_model=by_model)}{describe_neutral(neutral)}"
    step = label_step([rows[0]["label"] for rows in drawn], BOX_STEP)
    by_looks = [looks[model] for model in distinct(row["series"] for row in points)] if by_model else []
    data = {ROWS.name: points, BOXES.name: boxes}
    drawing = Drawing(_boxes(by_looks), step, data).with_neutral(neutral)
    below = with_unit(entries[0].figure.title, estimates[0].unit)
    return Plot(drawing, below, caption, (not_drawn(without, "value"),))


def _box(rows: Rows) -> dict[str, Any]:
    """Quartiles, and how far the whiskers reach."""
    values = np.array([row["value"] for row in rows])
    q1, median, q3 = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    within = values[(values >= q1 - REACH * (q3 - q1)) & (values <= q3 + REACH * (q3 - q1))]
    ends = {"low": float(within.min()), "high": float(within.max())}
    return {"label": rows[0]["label"], "value": median, "q1": q1, "q3": q3, **ends, "n": len(rows)}


def _points(rows: Rows, *, only_beyond: bool) -> Rows:
    """The rows to draw as points, spread apart in their label's row."""
    if only_beyond and len(rows) >= BOXES_FROM:
        box = _box(rows)
        rows = [row for row in rows if not box["low"] <= row["value"] <= box["high"]]
    return [row | {"spread": van_der_corput(i)} for i, row in enumerate(rows, start=1)]


def _explained(boxes: Rows, drawn: Sequence[Rows], *, by_model: bool) -> str:
    if not boxes:
        return f"With fewer than {BOXES_FROM} measurements there are points, one for each, and no boxes."
    text = (
        "Boxes go from the lower to the upper quartile, with the median in them; whiskers end at the last value "
        f"within {REACH:g} interquartile ranges of the box."
    )
    if len(boxes) < len(drawn):
        text += f" Fewer than {BOXES_FROM} values are points without a box."
    return text + (" Points are the measurements." if by_model else " Points are measurements beyond them.")


def _boxes(by_model: Sequence[Look]) -> tuple[alt.Chart, ...]:
    """Boxes below points; only where all measurements are points do these have the colours of their models."""
    quartiles = {"q1": ("Lower quartile", NUMBER), "q3": ("Upper quartile", NUMBER), "n": ("Values", "")}
    told = tooltip(label="Of", value=("Median", NUMBER), **quartiles)
    base = alt.Chart(BOXES).encode(y=label_axis(), tooltip=told)
    box = base.mark_rule(color=NEUTRAL_COLOUR, opacity=0.5, strokeWidth=BOX_HEIGHT)
    median = base.mark_point(
        shape=UPRIGHT, size=BOX_HEIGHT**2, strokeWidth=2.5, color=INK, opacity=1, aria=False
    )
    points = alt.Chart(ROWS).mark_point(filled=True, size=30, opacity=0.8, color=INK).encode(
        y=label_axis(),
        yOffset=alt.YOffset("spread:Q", scale=alt.Scale(domain=[-0.2, 1.2])),
        x=value_axis(),
        tooltip=tooltip(label="Of", **MEASURED, value=("Value", NUMBER)),
    )  # fmt: skip
    if by_model:
        fill, shape, _ = series("series", "Model", by_model)
        points = points.encode(fill=fill, shape=shape)
    quartile_ends = box.encode(x=alt.X("q1:Q"), x2=alt.X2("q3"))
    return (interval_lines(base, 1.2), quartile_ends, median.encode(x=value_axis()), points)


def heat_plot(entries: Sequence[Entry], _looks: Mapping[str, Look]) -> Plot | str:
    """The estimates of every measurement, a column each; a line parts the groups of labels."""
    figure = entries[0].figure
    assert isinstance(figure, Heat)
    columns = unique([" ".join(label.split("\n")) for label in row_labels(entries, width=COLUMN_WIDTH)])
    of_label, without = value_rows(entries, "column", columns)
    # In the order of the labels, which is that of the axis, whatever the first measurement lacks.
    rows = [row for of_row in of_label for row in of_row]
    if not rows:
        return "none of its estimates has a value"
    values = [row["value"] for row in rows]
    low, high = min(values), max(values)
    for row in rows:
        part = (row["value"] - low) / (high - low) if high > low else 0.5
        row["dark"] = "no" if PALE[0] < part < PALE[1] else "yes"
    below, above = figure.ends
    caption = f"{opening(entries)}, a column each."
    if below and above:
        caption += f" {low:g} (dark orange) is {below}, {high:g} (dark purple) {above}."
    parted = _edges(figure, rows)
    if parted:
        caption += f" From above: {', '.join(dict.fromkeys(figure.groups))}, with a line between them."
    layers = _cells(told=len(columns) <= TOLD_UP_TO)
    step = label_step([row["label"] for row in rows], CELL_STEP)
    drawing = Drawing(layers, step, {ROWS.name: rows, EDGES.name: parted})
    unit = entries[0].estimates[0][1].unit
    return Plot(drawing, with_unit(figure.title, unit), caption, (not_drawn(without, "value"),))


def _edges(figure: Heat, rows: Rows) -> Rows:
    """The first label of each group but the first, above which a line is drawn."""
    shown = list(dict.fromkeys(row["label"] for row in rows))
    if len(shown) != len(figure.groups):
        return []
    pairs = zip(figure.groups, figure.groups[1:], shown[1:], strict=False)
    return [{"label": label} for before, group, label in pairs if group != before]


def _cells(*, told: bool) -> tuple[alt.Chart, ...]:
    axis = alt.Axis(
        title=None, orient="top", labelAngle=-40, labelAlign="left", labelLimit=170, grid=False, labelPadding=2
    )  # fmt: skip
    across = alt.X("column:N", sort=None, axis=axis, scale=alt.Scale(paddingInner=0.04, paddingOuter=0))
    base = alt.Chart(ROWS).encode(x=across, y=label_axis())
    scale = alt.Scale(scheme="purpleorange", reverse=True)
    cells = base.mark_rect().encode(
        color=alt.Color("value:Q", scale=scale, legend=None),
        tooltip=tooltip(label="Of", **MEASURED, value=("Value", ".3")),
    )
    layers = [cells, edges()]
    if told:
        inks = alt.Scale(domain=["no", "yes"], range=["#111111", "#ffffff"])
        numbers = base.mark_text(fontSize=11, aria=False)
        text = alt.Text("value:Q", format=".3")
        layers.append(numbers.encode(text=text, fill=alt.Fill("dark:N", scale=inks, legend=None)))
    return tuple(layers)
