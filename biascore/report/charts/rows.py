"""Rows of estimates: points with their intervals, side by side where several series have the same row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt

from biascore.report.charts.base import (
    EDGES,
    HINTS,
    LEFT_HALVES,
    NEUTRAL_COLOUR,
    NUMBER,
    PUBLISHED,
    ROWS,
    UPRIGHT,
    Drawing,
    Look,
    Rows,
    Told,
    distinct,
    edges,
    interval_lines,
    label_axis,
    label_step,
    series,
    tooltip,
    value_axis,
)

SERIES_STEP: Final = 14
PUBLISHED_COLOUR: Final = "#6e6e6e"
ESTIMATE: Final[dict[str, Told]] = {"value": ("Value", NUMBER), "interval": "Interval"}


def side_by_side(
    rows: Rows,
    title: str,
    told: list[alt.Tooltip],
    looks: Mapping[str, Look],
    domain: tuple[float, float] | None = None,
    published: Rows | None = None,
    parted: Sequence[str] = (),
) -> Drawing:
    """Points with intervals: a row for each ``label``, in which each ``series`` has a height of its own.

    A stroke is drawn at what chance gives, where a row says it; a point is filled by the share that its row says in
    ``filled``: whole, half or not at all. ``published`` are grey diamonds in the rows of their ``label``, and a line is
    drawn above those of ``parted``.
    """
    names = distinct(row["series"] for row in rows)
    lanes = _in_lanes(rows, names)
    scale = alt.Scale(domain=[-lanes / 2 - 0.2, lanes / 2 + 0.2], nice=False, zero=False)
    offset = alt.YOffset("lane:Q", scale=scale)
    base = alt.Chart(ROWS).encode(y=label_axis(), yOffset=offset, tooltip=told)
    fill, shape, stroke = series("series", title, [looks[name] for name in names])
    point = base.mark_point(filled=True, size=62, opacity=1).encode(
        x=value_axis(domain=domain), fill=fill, shape=shape
    )
    if any("filled" in row for row in rows):
        inside = alt.FillOpacity("inside:Q", scale=None, legend=None)
        point = point.mark_point(filled=True, size=62, opacity=1, strokeWidth=1.6).encode(
            stroke=stroke, fillOpacity=inside
        )
    layers = [interval_lines(base, 1.6, stroke=stroke), point]
    data = {ROWS.name: rows}
    halves = _halves(rows, {name: looks[name] for name in names})
    if halves:
        data[HINTS.name] = halves
        half = alt.Chart(HINTS).mark_point(filled=True, size=62, opacity=1, aria=False)
        colour, shape = (
            alt.Fill("colour:N", scale=None, legend=None),
            alt.Shape("half:N", scale=None, legend=None),
        )
        layers.append(
            half.encode(x=value_axis(domain=domain), y=label_axis(), yOffset=offset, fill=colour, shape=shape)
        )
    if parted:
        data[EDGES.name] = [{"label": label} for label in parted]
        layers.append(edges())
    if any(row.get("chance") is not None for row in rows):
        chance = base.mark_point(
            shape=UPRIGHT, size=220, strokeWidth=2.5, color=NEUTRAL_COLOUR, opacity=1, aria=False
        )
        layers.insert(0, chance.encode(x=alt.X("chance:Q")))
    if published:
        data[PUBLISHED.name] = published
        marks = alt.Chart(PUBLISHED).mark_point(
            shape="diamond", filled=False, size=90, color=PUBLISHED_COLOUR, opacity=1
        )
        said = [*tooltip(what="Published"), alt.Tooltip("value:Q"), *tooltip(source="In")]
        layers.insert(0, marks.encode(x=value_axis(domain=domain), y=label_axis(), tooltip=said))
    step = label_step([row["label"] for row in rows], SERIES_STEP * lanes + 10)
    return Drawing(tuple(layers), step, data)


def _halves(rows: Rows, looks: Mapping[str, Look]) -> Rows:
    """The left halves of the points that are half filled; a point has nothing ``inside`` unless it is filled whole."""
    halves = []
    for row in rows:
        if "filled" in row:
            row["inside"] = int(row["filled"])
        if 0 < row.get("filled", 0) < 1:
            look = looks[row["series"]]
            place = {key: row[key] for key in ("label", "lane", "value")}
            halves.append({**place, "colour": look.colour, "half": LEFT_HALVES[look.shape]})
    return halves


def _in_lanes(rows: Rows, names: Sequence[str]) -> int:
    """Give each row its lane among those of its label, which lie about its middle; return how many a label has at most."""
    of_label: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        of_label.setdefault(row["label"], []).append(row)
    for some in of_label.values():
        some.sort(key=lambda row: names.index(row["series"]))
        for place, row in enumerate(some):
            row["lane"] = place - (len(some) - 1) / 2
    return max(map(len, of_label.values()))
