"""Estimates of all measurements of a run: how each is distributed, or one row for each measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import altair as alt
import numpy as np

from biascore.report.charts.base import (
    INK,
    NEUTRAL_COLOUR,
    ROWS,
    UPRIGHT,
    Chart,
    Drawing,
    Look,
    Rows,
    Undrawn,
    distinct,
    in_greys,
    interval_columns,
    label_axis,
    label_step,
    series,
    shared_neutral,
    specification,
    unique,
    value_axis,
    whiskers,
    with_unit,
    wrapped,
)
from biascore.report.charts.forest import side_by_side
from biascore.report.charts.items import van_der_corput
from biascore.report.charts.joined import Entry, of_what, row_labels
from biascore.report.texts import counted
from biascore.results.figures import Band, Dots

BOXES_FROM: Final = 5
"""Fewer values than this are shown as points alone: quartiles would say no more than they do."""
POINTS_UP_TO: Final = 30
"""Of more measurements than this only the values beyond the whiskers are shown as points."""
REACH: Final = 1.5
"""Whiskers end at the last value within so many interquartile ranges of the box (Tukey 1977)."""
BOX_STEP: Final = 30
BOX_HEIGHT: Final = 18

SHADES: Final = ("#fdf8ea", "#f9ebc4", "#f4d999", "#ecc066", "#dfa336")
"""From pale to dark, all paler than the greys of points."""
MARGIN: Final = 0.04
"""Shades go beyond the values by so much of their range."""

BOXES: Final = alt.NamedData("boxes")
BANDS: Final = alt.NamedData("bands")


def boxes_chart(entries: Sequence[Entry], name: str, note: str, looks: Mapping[str, Look]) -> Chart | Undrawn:
    """For each label the values of all measurements, as a box where there are enough of them, and as points."""
    title = entries[0].figure.title
    labels = distinct(label for entry in entries for label, _ in entry.estimates)
    shown = dict(zip(labels, unique([wrapped(label) for label in labels]), strict=True))
    of_label: dict[str, Rows] = {label: [] for label in labels}
    without = 0
    for entry in entries:
        for label, estimate in entry.estimates:
            row = {"label": shown[label], "value": estimate.value, "series": entry.measurement.model}
            if estimate.value is None:
                without += 1
            else:
                of_label[label].append(row | entry.told)
    drawn = [rows for rows in of_label.values() if rows]
    if not drawn:
        return Undrawn(title, "none of its estimates has a value")
    boxes = [_box(rows) for rows in drawn if len(rows) >= BOXES_FROM]
    by_model = len(entries) <= POINTS_UP_TO
    points = [row for rows in drawn for row in _points(rows, only_beyond=not by_model)]
    estimates = [estimate for entry in entries for _, estimate in entry.estimates]
    neutral = shared_neutral(estimates)
    caption = f"{title}{of_what(entries)}: {counted(len(entries), 'measurement')}. "
    caption += _explained(boxes, drawn, by_model=by_model)
    if neutral is not None:
        caption += f" The upright line at {neutral:g} stands for no bias."
    notes = [note] if note else []
    notes += [f"{counted(without, 'value')} not estimable and so not drawn."] if without else []
    step = label_step([rows[0]["label"] for rows in drawn], BOX_STEP)
    data = {ROWS.name: points, BOXES.name: boxes}
    by_looks = [looks[model] for model in distinct(row["series"] for row in points)] if by_model else []
    drawing = Drawing(_layers(by_looks), step, data).with_neutral(neutral)
    spec = specification(drawing, with_unit(title, estimates[0].unit), caption)
    return Chart(name, caption, " ".join(notes), spec, title)


def dots_chart(entries: Sequence[Entry], name: str, note: str) -> Chart | Undrawn:
    """A row for each measurement with its estimates, side by side by label."""
    title = entries[0].figure.title
    rows = [
        {
            "label": label,
            "series": series_name,
            "value": estimate.value,
            **interval_columns(estimate.interval),
            **entry.told,
        }
        for entry, label in zip(entries, unique(row_labels(entries)), strict=True)
        for series_name, estimate in entry.estimates
    ]
    drawn = [row for row in rows if row["value"] is not None]
    if not drawn:
        return Undrawn(title, "none of its estimates has a value")
    estimates = [estimate for entry in entries for _, estimate in entry.estimates]
    neutral = shared_neutral(estimates)
    caption = f"{title}{of_what(entries)}: {counted(len(entries), 'measurement')}. "
    caption += whiskers(estimate.interval for estimate in estimates if estimate.value is not None)
    bands = entries[0].figure.bands if isinstance(entries[0].figure, Dots) else ()
    if bands:
        caption += (
            f" Shaded: {', '.join(f'{band.name} from {band.low:g} to {band.high:g}' for band in bands)}."
        )
    notes = [note] if note else []
    if len(drawn) < len(rows):
        notes.append(f"{counted(len(rows) - len(drawn), 'value')} not estimable and so not drawn.")
    tooltip = [
        alt.Tooltip("series:N", title="Estimate"),
        *_measured(),
        alt.Tooltip("value:Q", title="Value", format=".4~r"),
        alt.Tooltip("interval:N", title="Interval"),
    ]
    looks = in_greys(row["series"] for row in drawn)
    drawing = side_by_side(drawn, "Estimate", tooltip, looks).with_neutral(neutral)
    drawing = _shaded(drawing, bands, drawn, neutral)
    spec = specification(drawing, with_unit(title, estimates[0].unit), caption)
    return Chart(name, caption, " ".join(notes), spec, title)


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


def _box(rows: Rows) -> dict[str, Any]:
    values = np.array([row["value"] for row in rows])
    q1, median, q3 = np.quantile(values, (0.25, 0.5, 0.75))
    low, high = _reach(values)
    return {
        "label": rows[0]["label"],
        "value": float(median),
        "q1": float(q1),
        "q3": float(q3),
        "low": low,
        "high": high,
        "n": len(rows),
    }


def _reach(values: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float]:
    """The least and the greatest value that whiskers reach."""
    q1, q3 = np.quantile(values, (0.25, 0.75))
    within = values[(values >= q1 - REACH * (q3 - q1)) & (values <= q3 + REACH * (q3 - q1))]
    return float(within.min()), float(within.max())


def _points(rows: Rows, *, only_beyond: bool) -> Rows:
    """The rows to draw as points, spread apart in their label's row."""
    if only_beyond and len(rows) >= BOXES_FROM:
        low, high = _reach(np.array([row["value"] for row in rows]))
        rows = [row for row in rows if not low <= row["value"] <= high]
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


def _layers(by_model: Sequence[Look]) -> tuple[alt.Chart, ...]:
    """Boxes below points; only where all measurements are points do these have the colours of their models."""
    box_tooltip = [
        alt.Tooltip("label:N", title="Of"),
        alt.Tooltip("value:Q", title="Median", format=".4~r"),
        alt.Tooltip("q1:Q", title="Lower quartile", format=".4~r"),
        alt.Tooltip("q3:Q", title="Upper quartile", format=".4~r"),
        alt.Tooltip("n:Q", title="Values"),
    ]
    tooltip = [
        alt.Tooltip("label:N", title="Of"),
        *_measured(),
        alt.Tooltip("value:Q", title="Value", format=".4~r"),
    ]
    base = alt.Chart(BOXES).encode(y=label_axis(), tooltip=box_tooltip)
    whisker = base.mark_rule(color=INK, strokeWidth=1.2, aria=False).encode(
        x=alt.X("low:Q"), x2=alt.X2("high")
    )
    box = base.mark_rule(color=NEUTRAL_COLOUR, opacity=0.5, strokeWidth=BOX_HEIGHT).encode(
        x=alt.X("q1:Q"), x2=alt.X2("q3")
    )
    median = base.mark_point(
        shape=UPRIGHT, size=BOX_HEIGHT**2, strokeWidth=2.5, color=INK, opacity=1, aria=False
    ).encode(x=value_axis())
    points = alt.Chart(ROWS).mark_point(filled=True, size=30, opacity=0.8, color=INK).encode(
        y=label_axis(),
        yOffset=alt.YOffset("spread:Q", scale=alt.Scale(domain=[-0.2, 1.2])),
        x=value_axis(),
        tooltip=tooltip,
    )  # fmt: skip
    if by_model:
        fill, shape, _ = series("series", "Model", by_model)
        points = points.encode(fill=fill, shape=shape)
    return (whisker, box, median, points)


def _measured() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("about:N", title="About"),
        alt.Tooltip("test:N", title="Test"),
    ]
