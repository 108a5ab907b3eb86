"""How many items of each group lie where, by a column of numbers, and what is estimated of those in a range."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt
import numpy as np

from biascore.basics.wording import counted
from biascore.report.charts.bars import names_problem
from biascore.report.charts.base import (
    INK,
    NEUTRAL_COLOUR,
    NUMBER,
    ROWS,
    Drawing,
    Plot,
    Rows,
    estimate_columns,
    in_colours,
    series,
    shared_neutral,
    sizes,
    tooltip,
    value_axis,
    whiskers,
    with_unit,
)
from biascore.report.items import column_problem, finite, has_values, rows_by_value
from biascore.results.estimates import Estimate
from biascore.results.figures import Histogram, Range
from biascore.results.measurement import Measurement

STRIP_HEIGHT: Final = 74
RANGES_HEIGHT: Final = 170
GAP: Final = 24
"""Between the estimates of ranges, which stand above, and the strips."""
BINS: Final = 80
"""Items too many to hold one by one are counted in so many bins."""

HISTOGRAM: Final = "The taller a bar, the more of the items of its group lie there."
UPRIGHT_MEDIANS: Final = "Upright lines are medians."
MEDIANS: Final = alt.NamedData("medians")
RANGES: Final = alt.NamedData("ranges")
NO_BIAS: Final = alt.NamedData("no bias")


def histogram_plot(measurement: Measurement, figure: Histogram) -> Plot | str:
    """The items of each group by a column, or why they cannot be drawn."""
    problem = column_problem(measurement.items, figure.column)
    if figure.only and not problem and figure.only[0] not in measurement.items.column_names:
        problem = f"the item table has no column “{figure.only[0]}”"
    if figure.ranges and not problem:
        problem = names_problem(measurement, [one.estimate for one in figure.ranges])
    if problem:
        return problem
    values: dict[str, list[float]] = {}
    missing = 0
    # By value, as the item chart has them, so that a group has the same colour in both.
    for row in rows_by_value(measurement) if has_values(measurement) else []:
        if figure.only and row[figure.only[0]] != figure.only[1]:
            continue
        found = finite(row[figure.column])
        if found is None or (figure.log and found <= 0):
            missing += 1
        else:
            values.setdefault(row["group"], []).append(found)
    if len({value for of_group in values.values() for value in of_group}) < 2:
        return "its items do not have two values that can be drawn"
    ranges = [(one, measurement.estimate(one.estimate)) for one in figure.ranges]
    count = counted(sum(map(len, values.values())), "item")
    told = _describe([estimate for _, estimate in ranges]) if ranges else UPRIGHT_MEDIANS
    caption = (
        f"{figure.title}: {count}. {HISTOGRAM} {told}{' The axis is logarithmic.' if figure.log else ''}"
    )
    notes = [f"{missing} without a value that can be drawn."] if missing else []
    drawing = histograms(values, log=figure.log, grid=not ranges)
    if ranges:
        drawing = _with_ranges(drawing, ranges, log=figure.log)
        absent = [f"{one.low:g} to {one.high:g}" for one, estimate in ranges if estimate.value is None]
        notes += [f"Without an estimate: {', '.join(absent)}."] if absent else []
    below = measurement.item_value if figure.column == "value" else figure.column
    return Plot(drawing, below, caption, tuple(notes))


def _describe(estimates: Sequence[Estimate]) -> str:
    """What is shown above the strips."""
    unit = with_unit("the estimate", estimates[0].unit)
    neutral = shared_neutral(estimates)
    line = f" The grey line at {neutral:g} means no bias." if neutral is not None else ""
    return (
        f"Above, a point is {unit} of the items in the range that the level line through it covers. "
        f"{whiskers(one.interval for one in estimates)}{line}"
    )


def _with_ranges(drawing: Drawing, ranges: Sequence[tuple[Range, Estimate]], *, log: bool) -> Drawing:
    """The estimates of ranges above the strips, cut where no items lie: one picture, as both have one axis of values."""
    height = STRIP_HEIGHT * len(drawing.data[MEDIANS.name])
    top = RANGES_HEIGHT + GAP
    below = alt.Y(
        "group:N",
        sort=None,
        title=None,
        axis=alt.Axis(grid=False),
        scale=alt.Scale(range=[top, top + height]),
    )
    ends = [end for row in drawing.data[ROWS.name] for end in (row["low"], row["high"])]
    rows: Rows = []
    for one, estimate in ranges:
        low, high = max(one.low, min(ends)), min(one.high, max(ends))
        if estimate.value is None or low >= high:
            continue
        middle = math.sqrt(low) * math.sqrt(high) if log else low / 2 + high / 2
        place = {"from": low, "to": high, "middle": middle, "range": f"{one.low:g} to {one.high:g}"}
        own = estimate_columns(estimate.value, estimate.interval)
        rows.append({**place, "estimate": own.pop("value"), **own, "n": sizes(estimate.n)})
    neutral = shared_neutral(estimate for _, estimate in ranges)
    axis = alt.Axis(orient="left", title="Estimate", grid=False, tickCount=6)
    y = alt.Y("estimate:Q", scale=alt.Scale(zero=False, range=[RANGES_HEIGHT, 0]), axis=axis)
    told = tooltip(range="Range", estimate=("Estimate", NUMBER), interval="Interval", n="n")
    base = alt.Chart(RANGES).encode(y=y, tooltip=told)
    middles = alt.X("middle:Q")
    level, upright = (base.mark_rule(strokeWidth=width, color=INK, aria=False) for width in (1.3, 1.8))
    over = (
        alt.Chart(NO_BIAS).mark_rule(color=NEUTRAL_COLOUR, strokeWidth=1.3, aria=False).encode(y=y),
        level.encode(x=alt.X("from:Q"), x2=alt.X2("to")),
        upright.encode(x=middles, y=alt.Y("low:Q"), y2=alt.Y2("high")),
        base.mark_point(filled=True, size=60, color=INK, opacity=1).encode(x=middles),
    )
    line: Rows = [] if neutral is None else [{"estimate": neutral}]
    data = drawing.data | {RANGES.name: rows, NO_BIAS.name: line}
    strips = tuple(layer.encode(y=below) for layer in drawing.layers)
    return Drawing(strips, top + height, data, over)


def histograms(values: Mapping[str, list[float]], *, log: bool = False, grid: bool = True) -> Drawing:
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
    told = tooltip(group="Group", low=("From", ".4f"), high=("To", ".4f"), count=("Items", ","))
    tall = alt.Size("height:Q", scale=alt.Scale(domain=[0, 1], range=[0, STRIP_HEIGHT * 0.9]), legend=None)
    bars = alt.Chart(ROWS).mark_bar(orient="horizontal", opacity=0.7).encode(
        x=_axis("low", log=log, grid=grid), x2=alt.X2("high"), y=y, size=tall, fill=fill, tooltip=told
    )  # fmt: skip
    lines = alt.Chart(MEDIANS).mark_tick(
        thickness=2.5, size=STRIP_HEIGHT * 0.8, color=INK, opacity=0.9, aria=False
    )
    median = lines.encode(x=_axis("value", log=log, grid=grid), y=y)
    data = {ROWS.name: rows, MEDIANS.name: medians}
    return Drawing((bars, median), STRIP_HEIGHT * len(values), data)


def _axis(field: str, *, log: bool, grid: bool) -> alt.X:
    axis = value_axis(field)
    if not grid:
        axis = axis.axis(title=None, tickCount=8, grid=False)
    return axis.scale(type="log", nice=False) if log else axis
