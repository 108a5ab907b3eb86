"""The picture of a calibration: how often an effect is detected, by size, and what is found of it."""

from __future__ import annotations

from typing import Any, Final

import altair as alt

from biascore.basics.visible import visible_in
from biascore.calibration.calibration import Calibration
from biascore.calibration.words import counted
from biascore.report.charts.base import COLOURS, CONFIG, NEUTRAL_COLOUR, SHAPES, with_unit

PANEL: Final = 330
HEIGHT: Final = 260
CELLS: Final = alt.NamedData("cells")
SMALLEST: Final = alt.NamedData("smallest")
POWER: Final = alt.NamedData("power")


def picture(found: Calibration) -> dict[str, Any]:
    """The Vega-Lite specification: the power curve of each size on the left, found against planted on the right."""
    names = {size.times: counted(size.items) for size in found.sizes}
    cells = [
        {
            "size": names[size.times],
            "planted": cell.effect,
            "detected": cell.rate.share,
            "low": cell.rate.low,
            "high": cell.rate.high,
            "found": cell.mean,
            "from": None if cell.spread is None else cell.spread[0],
            "to": None if cell.spread is None else cell.spread[1],
            "own": size.times == 1,
        }
        for size in found.sizes
        for cell in found.at(size.times)
    ]
    smallest = [
        {"size": names[size.times], "planted": found.smallest(size.times).planted, "detected": found.power}
        for size in found.sizes
        if found.smallest(size.times).planted is not None
    ]
    frame: dict[str, Any] = (
        alt.hconcat(_power(len(names)), _recovered())
        .properties(background="white", padding=8)
        .to_dict(validate=False)
    )
    lines = [
        f"{found.metric} on {found.test}, planted models. Left: how often an effect is detected, with 95 % intervals",
        f"(level line: {100 * found.power:g} %). Right: {with_unit(found.estimate, found.unit)} at the test's own size,",
        "its mean and 95 % of the models. Across: the planted effect.",
    ]
    title = {"text": lines, "orient": "bottom", "anchor": "start"}
    data = {"cells": cells, "smallest": smallest, "power": [{"detected": found.power}]}
    texts: dict[str, Any] = visible_in({"title": title, "description": " ".join(lines), "datasets": data})
    return frame | {"config": CONFIG} | texts


def _across() -> alt.X:
    return alt.X("planted:Q", scale=alt.Scale(domainMin=0), axis=alt.Axis(title=None, tickCount=8))


def _power(sizes: int) -> alt.LayerChart | alt.FacetChart:
    legend = alt.Legend(title=None, columns=1, orient="top", labelLimit=PANEL)
    colours = [COLOURS[i % len(COLOURS)] for i in range(sizes)]
    shapes = [SHAPES[i % len(SHAPES)] for i in range(sizes)]
    axis = alt.Axis(title=None, format="%", tickCount=5)
    up = alt.Y("detected:Q", scale=alt.Scale(domain=[0, 1]), axis=axis)
    scale = alt.Scale(range=colours)
    colour = alt.Color("size:N", sort=None, legend=None, scale=scale)
    base = alt.Chart(CELLS).encode(x=_across(), color=colour)
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", axis=axis), y2="high:Q")
    line = base.mark_line(strokeWidth=1.6).encode(y=up)
    shape = alt.Shape("size:N", sort=None, legend=legend, scale=alt.Scale(range=shapes))
    fill = alt.Fill("size:N", sort=None, legend=legend, scale=scale)
    dots = alt.Chart(CELLS).mark_point(size=50, opacity=1, strokeWidth=0)
    dots = dots.encode(x=_across(), y=up, fill=fill, shape=shape)
    level = alt.Chart(POWER).mark_rule(color=NEUTRAL_COLOUR, strokeDash=[4, 3]).encode(y=up)
    seen = alt.Chart(SMALLEST).mark_rule(strokeDash=[2, 3]).encode(x=_across(), color=colour)
    return alt.layer(level, band, seen, line, dots).properties(width=PANEL, height=HEIGHT)


def _recovered() -> alt.LayerChart | alt.FacetChart:
    base = alt.Chart(CELLS).transform_filter("datum.own").encode(x=_across())
    up = alt.Axis(title=None, tickCount=6)
    band = base.mark_area(opacity=0.2, color=COLOURS[0]).encode(
        y=alt.Y("from:Q", axis=up, scale=alt.Scale(zero=False)), y2="to:Q"
    )
    line = base.mark_line(point=True, color=COLOURS[0]).encode(y=alt.Y("found:Q", axis=up))
    return alt.layer(band, line).properties(width=PANEL, height=HEIGHT)
