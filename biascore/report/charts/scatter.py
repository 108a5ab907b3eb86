"""Measurements of a run as points: one estimate against another, below a limit where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt
import numpy as np

from biascore.basics.wording import counted
from biascore.report.charts.base import (
    INK,
    NEUTRAL,
    NEUTRAL_COLOUR,
    ROWS,
    Drawing,
    Look,
    Plot,
    Rows,
    distinct,
    neutral_line,
    series,
    shared_neutral,
    tooltip,
    whiskers,
    with_unit,
)
from biascore.report.charts.joined import MEASURED, Entry, of_what
from biascore.report.charts.labels import (
    ACROSS,
    BESIDE,
    CORNERS,
    FONT_SIZE,
    LABELS,
    NARROW,
    Frame,
    Names,
    Place,
    shortened,
    texts_at,
)
from biascore.report.texts import number
from biascore.results.figures import Limit, Point
from biascore.results.words.effects import ends_of

UP: Final = 440
MARGIN: Final = 14
SAMPLED: Final = 240
"""Places along the limit that names keep off."""
LONGEST_LIMIT: Final = 44
FEW: Final = 60
"""More points than this are drawn smaller."""
TICKS: Final = 8

LIMIT: Final = alt.NamedData("limit")
LEVEL: Final = alt.NamedData("level")
"""The neutral value of the upward axis; that of the axis across is in the data set of neutral values."""


def scatter_plot(entries: Sequence[Entry], looks: Mapping[str, Look]) -> Plot | str:
    """A point for each measurement that has both estimates, named where there is room."""
    figure = entries[0].figure
    assert isinstance(figure, Point)
    drawn = [entry for entry in entries if None not in (entry.xy[0].value, entry.xy[1].value)]
    if not drawn:
        return "no measurement has a value of both estimates"
    rows = [_row(entry) for entry in drawn]
    across, up = ([entry.xy[axis] for entry in drawn] for axis in (0, 1))
    neutrals = shared_neutral(across), shared_neutral(up)
    frame = _frame(rows, neutrals, figure.limit)
    visible = _visible(figure.limit, frame)
    wide, narrow = (_names(drawn, rows, frame, figure.limit, visible, width) for width in (ACROSS, NARROW))
    caption = (
        f"{figure.title}{of_what(drawn)}: {across[0].name} and {up[0].name}, "
        f"{counted(len(drawn), 'measurement')}. {whiskers(estimate.interval for estimate in (*across, *up))}"
    )
    left_out = len(entries) - len(drawn)
    notes = [f"{left_out} without a value of both and so not drawn."] if left_out else []
    if visible and figure.limit:
        caption += f" The dashed line is the {figure.limit.name}."
    elif figure.limit:
        notes.append(f"The {figure.limit.name} lies outside of the picture.")
    caption += _describe_neutrals(neutrals)
    data: dict[str, Rows] = {
        ROWS.name: rows,
        NEUTRAL.name: [{"value": neutrals[0]}] if neutrals[0] is not None else [],
        LEVEL.name: [{"value": neutrals[1]}] if neutrals[1] is not None else [],
        LIMIT.name: [{"x": x, "y": y} for x, y in figure.limit.corners] if figure.limit else [],
        LABELS.name: wide,
    }
    layers = _layers(len(rows), frame, [looks[model] for model in distinct(row["series"] for row in rows)])
    axes = zip(("Horizontal", "Vertical"), (across[0], up[0]), strict=True)
    below = [f"{axis} axis: {with_unit(one.name, one.unit)}." for axis, one in axes]
    below += _directions(drawn, figure)
    return Plot(Drawing(layers, UP, data, meta=frame.meta(narrow)), below, caption, tuple(notes))


def _directions(drawn: Sequence[Entry], figure: Point) -> list[str]:
    """What lies up or right of no bias, and what on the other side; none where the headline is on no axis or they differ."""
    some = [entry.measurement for entry in drawn]
    ends = {ends_of(one)[:2] for one in some}
    above, below = ends.pop() if len(ends) == 1 else ("", "")
    for name, places in ((figure.x, ("Right", "left")), (figure.y, ("Up", "down"))):
        if below and all(one.headline.name.endswith(name) for one in some):
            return [f"{places[0]}: {above};", f"{places[1]}: {below}."]
    return []


def _row(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {"series": entry.measurement.model, **entry.told}
    said = []
    for axis, estimate in zip("xy", entry.xy, strict=True):
        interval, value = estimate.interval, estimate.value
        assert value is not None
        low, high = (interval.low, interval.high) if interval else (value, value)
        row |= {axis: value, f"{axis}_low": low, f"{axis}_high": high}
        ends = f" ({number(low)} to {number(high)})" if interval else ""
        said.append(f"{' '.join(estimate.name.split())}: {number(value)}{ends}")
    # One text of fixed name: names of estimates as titles in a tooltip would be part of an expression.
    return row | {"values": "\n".join(said)}


def _frame(rows: Rows, neutrals: tuple[float | None, float | None], limit: Limit | None) -> Frame:
    """All points with their intervals, the neutral values, and the limit where it is nearest to a point."""
    across = [row[key] for row in rows for key in ("x", "x_low", "x_high")]
    up = [row[key] for row in rows for key in ("y", "y_low", "y_high")]
    nearest = [height for row in rows if (height := _height(limit, row["x"])) is not None]
    return Frame(
        _ends([*across, neutrals[0]], ACROSS), _ends([*up, neutrals[1], min(nearest, default=None)], UP), UP
    )


def _ends(values: Sequence[float | None], pixels: float) -> tuple[float, float]:
    """The least and the greatest value with a margin beyond each, for an axis of that length."""
    given = [value for value in values if value is not None]
    low, high = min(given), max(given)
    margin = (high - low) * MARGIN / (pixels - 2 * MARGIN) or 0.5
    return low - margin, high + margin


def _height(limit: Limit | None, x: float) -> float | None:
    """How far up the limit is at ``x``; None beyond its ends."""
    if limit is None or not limit.corners[0][0] <= x <= limit.corners[-1][0]:
        return None
    at, heights = np.array(limit.corners).T
    return float(np.interp(x, at, heights))


def _visible(limit: Limit | None, frame: Frame) -> list[Place]:
    """Places along the part of the limit that is within the frame."""
    places = [(x, _height(limit, x)) for x in np.linspace(*frame.x, SAMPLED).tolist()]
    return [(x, y) for x, y in places if y is not None and frame.y[0] <= y <= frame.y[1]]


def _names(
    drawn: Sequence[Entry],
    rows: Rows,
    frame: Frame,
    limit: Limit | None,
    visible: Sequence[Place],
    width: float,
) -> Rows:
    """The names that have room in a plot of that width: of the limit, then subjects or models where these differ."""
    names = Names(
        frame, width, [frame.pixels(row["x"], row["y"], width) for row in rows], (*CORNERS, *BESIDE)
    )
    line = [frame.pixels(x, y, width) for x, y in visible]
    names.taken += [(x - 2, y - 2, x + 2, y + 2) for x, y in line]
    text = shortened(limit.name, LONGEST_LIMIT) if limit else ""
    names.add(text, *visible[:: 1 + len(visible) // 10])
    several = len(distinct(entry.subject for entry in drawn)) > 1
    models = len(distinct(entry.measurement.model for entry in drawn)) > 1
    for entry, row in zip(drawn, rows, strict=True):
        name = entry.subject if several else entry.measurement.model if models else ""
        if name:
            names.add(shortened(name), (row["x"], row["y"]))
    return names.rows


def _describe_neutrals(neutrals: tuple[float | None, float | None]) -> str:
    across, up = neutrals
    lines = [f"the vertical line at {across:g}"] if across is not None else []
    lines += [f"the horizontal line at {up:g}"] if up is not None else []
    if not lines:
        return ""
    told = " and ".join(lines)
    return f" {told[0].upper()}{told[1:]} {'means' if len(lines) == 1 else 'mean'} no bias."


def _layers(count: int, frame: Frame, looks: Sequence[Look]) -> tuple[alt.Chart, ...]:
    fill, shape, stroke = series("series", "Model", looks)

    # Every layer names the same scale: it would else be widened to the data of those that name none.
    def at(x: str, y: str) -> dict[str, Any]:
        return {"x": frame.across(x, tickCount=TICKS), "y": frame.upward(y, tickCount=TICKS)}

    base = alt.Chart(ROWS)
    interval = base.mark_rule(strokeWidth=1.2, opacity=0.45, aria=False).encode(stroke=stroke)
    points = base.mark_point(filled=True, size=66 if count <= FEW else 36, opacity=0.95)
    level = alt.Chart(LEVEL).mark_rule(color=NEUTRAL_COLOUR, strokeWidth=1.3, aria=False)
    limit = alt.Chart(LIMIT).mark_line(clip=True, strokeDash=[6, 4], strokeWidth=1.6, color=INK, aria=False)
    return (
        neutral_line().encode(x=at("value", "")["x"]),
        level.encode(y=at("", "value")["y"]),
        limit.encode(**at("x", "y")),
        interval.encode(**at("x_low", "y"), x2=alt.X2("x_high")),
        interval.encode(**at("x", "y_low"), y2=alt.Y2("y_high")),
        points.encode(**at("x", "y"), fill=fill, shape=shape, tooltip=tooltip(**MEASURED, values="Values")),
        texts_at(LABELS, FONT_SIZE, "normal").encode(**at("x", "y")),
    )
