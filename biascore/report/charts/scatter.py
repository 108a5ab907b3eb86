"""Measurements of a run as points: one estimate against another, below a limit where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import numpy as np

from biascore.basics.visible import visible_in
from biascore.report.charts.base import (
    GRID_COLOUR,
    INK,
    NEUTRAL,
    NEUTRAL_COLOUR,
    ROWS,
    WIDTH,
    Chart,
    Drawing,
    Look,
    Rows,
    Undrawn,
    distinct,
    neutral_line,
    series,
    shared_neutral,
    specification,
    whiskers,
    with_unit,
)
from biascore.report.charts.joined import Entry, of_what
from biascore.report.charts.labels import BESIDE_LINES, FONT_SIZE, Box, Spot, place, shortened, text_width
from biascore.report.charts.planes import ACROSS, AXIS_WIDTH, LABELS, MARGIN, NARROW, texts_at
from biascore.report.texts import counted, number
from biascore.results.figures import Limit, Point

UP: Final = 440
SAMPLED: Final = 240
"""Places along the limit at which labels look for room and keep off it."""
LONGEST_LIMIT: Final = 44
FEW: Final = 60
"""More points than this are drawn smaller."""
ALONG: Final = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9)
"""Where the name of the limit may stand along its visible part."""

WHISKER_STEPS: Final = 12

Place = tuple[float, float]
LIMIT: Final = alt.NamedData("limit")
LEVEL: Final = alt.NamedData("level")
"""The neutral value of the upward axis; that of the axis across is in the data set of neutral values."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the edges of the plot stand for."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def around(cls, rows: Rows, neutrals: tuple[float | None, float | None], limit: Limit | None) -> _Frame:
        """All points with their intervals, the neutral values, and the limit where it is nearest to a point."""
        across = [row[key] for row in rows for key in ("x", "x_low", "x_high")]
        up = [row[key] for row in rows for key in ("y", "y_low", "y_high")]
        nearest = [height for row in rows if (height := _height(limit, row["x"])) is not None]
        left, right = _ends([*across, neutrals[0]], ACROSS)
        bottom, top = _ends([*up, neutrals[1], min(nearest, default=None)], UP)
        return cls(left, right, bottom, top)

    def pixels(self, x: float, y: float, across: float) -> Place:
        """Where a place lies in a plot of that width, from its upper left corner."""
        return (
            (x - self.left) / (self.right - self.left) * across,
            (self.top - y) / (self.top - self.bottom) * across * UP / ACROSS,
        )

    def along(self, limit: Limit | None) -> list[Place]:
        """Places along the part of the limit that is within the frame."""
        places = [(float(x), _height(limit, float(x))) for x in np.linspace(self.left, self.right, SAMPLED)]
        return [(x, y) for x, y in places if y is not None and self.bottom <= y <= self.top]


def scatter_chart(
    entries: Sequence[Entry], name: str, note: str, looks: Mapping[str, Look]
) -> Chart | Undrawn:
    """A point for each measurement that has both estimates, named where there is room."""
    figure = entries[0].figure
    assert isinstance(figure, Point)
    drawn = [entry for entry in entries if None not in (entry.xy[0].value, entry.xy[1].value)]
    if not drawn:
        return Undrawn(figure.title, "no measurement has a value of both estimates")
    rows = [_row(entry) for entry in drawn]
    across, up = ([entry.xy[axis] for entry in drawn] for axis in (0, 1))
    neutrals = shared_neutral(across), shared_neutral(up)
    frame = _Frame.around(rows, neutrals, figure.limit)
    names = _names(drawn)
    wide, narrow = (_labels(names, rows, frame, figure.limit, width) for width in (ACROSS, NARROW))
    named = [with_unit(one[0].name, one[0].unit) for one in (across, up)]
    caption = (
        f"{figure.title}{of_what(drawn)}: {up[0].name} against {across[0].name}, "
        f"{counted(len(drawn), 'measurement')}. {whiskers(estimate.interval for estimate in (*across, *up))}"
    )
    notes = [note] if note else []
    if len(drawn) < len(entries):
        notes.append(f"{len(entries) - len(drawn)} without a value of both and so not drawn.")
    if figure.limit and frame.along(figure.limit):
        caption += f" The dashed line is the {figure.limit.name}."
    elif figure.limit:
        notes.append(f"The {figure.limit.name} lies outside of the picture.")
    caption += _neutrals_told(neutrals)
    drawing = Drawing(
        _layers(len(rows), frame, [looks[model] for model in distinct(row["series"] for row in rows)]),
        UP,
        {
            ROWS.name: rows,
            NEUTRAL.name: [{"value": neutrals[0]}] if neutrals[0] is not None else [],
            LEVEL.name: [{"value": neutrals[1]}] if neutrals[1] is not None else [],
            LIMIT.name: [{"x": x, "y": y} for x, y in figure.limit.corners] if figure.limit else [],
            LABELS.name: wide,
        },
    )
    below = [f"Horizontal axis: {named[0]}.", f"Vertical axis: {named[1]}."]
    spec = specification(drawing, below, caption)
    spec["usermeta"] = {
        "besidePlot": WIDTH - ACROSS,
        "heightToWidth": UP / ACROSS,
        "narrow": visible_in(narrow),
    }
    return Chart(name, caption, " ".join(notes), spec, figure.title)


def _row(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {"series": entry.measurement.model, **entry.told}
    said = []
    for axis, estimate in zip("xy", entry.xy, strict=True):
        interval, value = estimate.interval, estimate.value
        assert value is not None
        row |= {
            axis: value,
            f"{axis}_low": interval.low if interval else value,
            f"{axis}_high": interval.high if interval else value,
        }
        ends = f" ({number(interval.low)} to {number(interval.high)})" if interval else ""
        said.append(f"{' '.join(estimate.name.split())}: {number(value)}{ends}")
    # One text of fixed name: names of estimates as titles in a tooltip would be part of an expression.
    return row | {"values": "\n".join(said)}


def _names(drawn: Sequence[Entry]) -> list[str]:
    """What stands at each point: its subject where subjects differ, else its model where models do."""
    if len(distinct(entry.subject for entry in drawn)) > 1:
        return [shortened(entry.subject) if entry.subject else "" for entry in drawn]
    models = [entry.measurement.model for entry in drawn]
    return [shortened(model) for model in models] if len(distinct(models)) > 1 else ["" for _ in drawn]


def _labels(names: Sequence[str], rows: Rows, frame: _Frame, limit: Limit | None, across: float) -> Rows:
    """The names that have room in a plot of that width, first that of the limit; they keep off its line."""
    edge = Box(0, 0, across, across * UP / ACROSS)
    points = [frame.pixels(row["x"], row["y"], across) for row in rows]
    line = frame.along(limit)
    taken = [Box(x - 2, y - 2, x + 2, y + 2) for x, y in (frame.pixels(*at, across) for at in line)]
    labels: Rows = []
    if limit and line:
        text = shortened(limit.name, LONGEST_LIMIT)
        drawn = [frame.pixels(x, y, across) for row in rows for x, y in _inked(row)]
        found = _beside(line, text, drawn, taken, frame, across)
        if found is not None:
            at, spot = found
            taken.append(spot.box(frame.pixels(*at, across), text_width(text)))
            labels.append(_label(text, *at, spot))
    named = [(name, row, point) for name, row, point in zip(names, rows, points, strict=True) if name]
    spots = place([(name, point) for name, _, point in named], points, taken, edge, BESIDE_LINES)
    kept = ((name, row, spot) for (name, row, _), spot in zip(named, spots, strict=True) if spot is not None)
    return labels + [_label(name, row["x"], row["y"], spot) for name, row, spot in kept]


def _beside(
    line: Sequence[Place],
    text: str,
    drawn: Sequence[Place],
    taken: Sequence[Box],
    frame: _Frame,
    across: float,
) -> tuple[Place, Spot] | None:
    """Where the name of a line covers least of what is drawn, in pixels, and nothing of the line; None for nowhere."""
    edge = Box(0, 0, across, across * UP / ACROSS)
    free: list[tuple[float, int, Place, Spot]] = []
    for at in (line[int(share * (len(line) - 1))] for share in ALONG):
        for spot in BESIDE_LINES:
            box = spot.box(frame.pixels(*at, across), text_width(text))
            if box.within(edge) and not any(box.overlaps(other) for other in taken):
                free.append((sum(map(box.holds, drawn)), len(free), at, spot))
    if not free:
        return None
    _, _, at, spot = min(free, key=lambda one: one[:2])
    return at, spot


def _inked(row: dict[str, Any]) -> list[Place]:
    """Places on the two intervals of a point."""
    shares = [i / WHISKER_STEPS for i in range(WHISKER_STEPS + 1)]
    level = [(row["x_low"] + s * (row["x_high"] - row["x_low"]), row["y"]) for s in shares]
    return level + [(row["x"], row["y_low"] + s * (row["y_high"] - row["y_low"])) for s in shares]


def _label(text: str, x: float, y: float, spot: Spot) -> dict[str, Any]:
    return {"x": x, "y": y, "text": text, "dx": spot.dx, "dy": spot.dy, "align": spot.align}


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


def _neutrals_told(neutrals: tuple[float | None, float | None]) -> str:
    across, up = neutrals
    lines = [f"the upright line at {across:g}"] if across is not None else []
    lines += [f"the level line at {up:g}"] if up is not None else []
    if not lines:
        return ""
    told = " and ".join(lines)
    return f" {told[0].upper()}{told[1:]} {'stands' if len(lines) == 1 else 'stand'} for no bias."


def _layers(count: int, frame: _Frame, looks: Sequence[Look]) -> tuple[alt.Chart, ...]:
    fill, shape, stroke = series("series", "Model", looks)
    x_scale = alt.Scale(domain=[frame.left, frame.right], nice=False, zero=False)
    y_scale = alt.Scale(domain=[frame.bottom, frame.top], nice=False, zero=False)

    # Every layer names the same scale: it would else be widened to the data of those that name none.
    def across(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x_scale, axis=_axis(20))

    def up(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=_axis(AXIS_WIDTH))

    base = alt.Chart(ROWS)
    interval = base.mark_rule(strokeWidth=1.2, opacity=0.45, aria=False).encode(stroke=stroke)
    points = base.mark_point(filled=True, size=66 if count <= FEW else 36, opacity=0.95).encode(
        x=across("x"),
        y=up("y"),
        fill=fill,
        shape=shape,
        tooltip=[
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("about:N", title="About"),
            alt.Tooltip("test:N", title="Test"),
            alt.Tooltip("values:N", title="Values"),
        ],
    )  # fmt: skip
    level = alt.Chart(LEVEL).mark_rule(color=NEUTRAL_COLOUR, strokeWidth=1.3, aria=False)
    limit = alt.Chart(LIMIT).mark_line(clip=True, strokeDash=[6, 4], strokeWidth=1.6, color=INK, aria=False)
    return (
        neutral_line().encode(x=across("value")),
        level.encode(y=up("value")),
        limit.encode(x=across("x"), y=up("y")),
        interval.encode(x=across("x_low"), x2=alt.X2("x_high"), y=up("y")),
        interval.encode(y=up("y_low"), y2=alt.Y2("y_high"), x=across("x")),
        points,
        texts_at(LABELS, FONT_SIZE, "normal").encode(x=across("x"), y=up("y")),
    )


def _axis(extent: int) -> alt.Axis:
    """An axis that takes a fixed room, so that the plot keeps its proportions; its title stands below the chart."""
    return alt.Axis(title=None, gridColor=GRID_COLOUR, tickCount=8, minExtent=extent, maxExtent=extent)
