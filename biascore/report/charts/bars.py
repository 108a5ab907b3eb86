"""Some estimates of a measurement side by side, as bars from 0 with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from biascore.report.charts.base import (
    COLOURS,
    INK,
    LABEL_LINES,
    ROWS,
    Chart,
    Drawing,
    Undrawn,
    distinct,
    interval_columns,
    label_axis,
    label_step,
    safe,
    shared_neutral,
    specification,
    unique,
    value_axis,
    whiskers,
    with_unit,
    wrapped,
)
from biascore.results.estimates import Estimate
from biascore.results.figures import Bars, Boxes, Dots, Heat
from biascore.results.measurement import Measurement

BAR_STEP: Final = 30
MANY: Final = 20
"""Bars beyond which the size that all groups share is said once, and bars stand closer, so that they fit a screen."""
GROUP_COLOURS: Final = ("#CC79A7", "#56B4E9", "#E69F00")
CLOSE_STEP: Final = 16
CLOSE_WIDTH: Final = 34  # letters that an axis has room for


def bars_chart(measurement: Measurement, bars: Bars, name: str) -> Chart | Undrawn:
    """The named estimates in their order, or why they cannot be drawn."""
    problem = problem_of(bars, measurement)
    if problem:
        return Undrawn(bars.title, problem)
    pairs = labelled(bars, measurement)
    drawn = [(label, estimate) for label, estimate in pairs if estimate.value is not None]
    absent = [label for label, estimate in pairs if estimate.value is None]
    if not drawn:
        return Undrawn(bars.title, "none of its estimates has a value")
    sizes = {tuple(estimate.n.items()) for _, estimate in drawn}
    close = len(drawn) > MANY and len(sizes) == 1
    labels = unique(
        [wrapped(label, width=CLOSE_WIDTH) if close else _label(label, estimate) for label, estimate in drawn]
    )
    rows = [_row(estimate, label) for label, (_, estimate) in zip(labels, drawn, strict=True)]
    neutral = shared_neutral(estimate for _, estimate in drawn)
    group_of = dict(zip(bars.estimates, bars.groups, strict=False))
    grouped = bool(group_of) and neutral is not None
    if grouped:
        rows = [row | {"group": group_of[row["estimate"]], "from": neutral} for row in rows]
    caption = f"{bars.title}. {whiskers(estimate.interval for _, estimate in drawn)}"
    if neutral is not None:
        caption += f" The upright line at {neutral:g} stands for no bias{', and bars begin there' if grouped else ''}."
    shared = ", ".join(f"{count:,} {role}" for role, count in drawn[0][1].n.items())
    if close and shared:
        caption += f" Each of {shared}."
    note = f"Without a value, and so not drawn: {', '.join(absent)}." if absent else ""
    drawing = Drawing(
        _layers(distinct(group_of.values()) if grouped else []),
        label_step(labels, CLOSE_STEP if close else BAR_STEP),
        {ROWS.name: rows},
    ).with_neutral(neutral)
    below = with_unit(bars.title, drawn[0][1].unit)
    spec = specification(drawing, below, f"{measurement.test_title}. {caption}")
    return Chart(f"{name}-{safe(bars.title)}", caption, note, spec, bars.title)


def problem_of(figure: Bars | Boxes | Heat | Dots, measurement: Measurement) -> str:
    """Why the estimates that a figure names cannot stand on one axis, as a clause, or an empty text."""
    problem = names_problem(measurement, figure.estimates)
    if not problem and len(figure.labels) != len(figure.estimates):
        return f"it has {len(figure.labels)} labels for {len(figure.estimates)} estimates"
    if (
        not problem
        and isinstance(figure, Bars | Heat)
        and figure.groups
        and len(figure.groups) != len(figure.estimates)
    ):
        return f"it has {len(figure.groups)} groups for {len(figure.estimates)} estimates"
    return problem


def names_problem(measurement: Measurement, names: Sequence[str]) -> str:
    """Why the estimates of these names cannot stand on one axis, as a clause, or an empty text."""
    known = {estimate.name: estimate.unit for estimate in measurement.estimates}
    unknown = [name for name in names if name not in known]
    if unknown:
        return f"the measurement has no estimate “{unknown[0]}”"
    units = {known[name] for name in names}
    return "" if len(units) == 1 else f"its estimates have several units ({', '.join(sorted(units))})"


def labelled(figure: Bars | Boxes | Heat | Dots, measurement: Measurement) -> list[tuple[str, Estimate]]:
    """The estimates that a figure without a problem names, each with its label, in the order of the figure."""
    named = map(measurement.estimate, figure.estimates)
    return list(zip(figure.labels, named, strict=True))


def _label(label: str, estimate: Estimate) -> str:
    """The label with what was counted on a line of its own."""
    sizes = " + ".join(f"{count:,} {what}" for what, count in estimate.n.items())
    return wrapped(label, LABEL_LINES - 1) + (f"\n{wrapped(f'n = {sizes}', 1)}" if sizes else "")


def _row(estimate: Estimate, label: str) -> dict[str, Any]:
    return {
        "label": label,
        "estimate": estimate.name,
        "value": estimate.value,
        **interval_columns(estimate.interval),
        "n": ", ".join(f"{count:,} {role}" for role, count in estimate.n.items()),
    }


def _layers(groups: Sequence[str]) -> tuple[alt.Chart, ...]:
    tooltip = [
        alt.Tooltip("estimate:N", title="Estimate"),
        alt.Tooltip("value:Q", title="Value", format=".4~r"),
        alt.Tooltip("interval:N", title="Interval"),
        alt.Tooltip("n:N", title="n"),
    ]
    base = alt.Chart(ROWS).encode(y=label_axis(), tooltip=tooltip)
    if groups:
        # Not the colours that models begin with: a group of estimates is no model.
        scale = alt.Scale(range=[GROUP_COLOURS[place % len(GROUP_COLOURS)] for place in range(len(groups))])
        fill = alt.Fill("group:N", sort=None, scale=scale, legend=alt.Legend(title=None, symbolOpacity=1))
        bar = base.mark_bar(opacity=0.75).encode(x=value_axis(), x2=alt.X2("from"), fill=fill)
    else:
        bar = base.mark_bar(color=COLOURS[0], opacity=0.5).encode(x=value_axis(zero=True))
    interval = base.mark_rule(strokeWidth=1.8, color=INK, aria=False).encode(
        x=alt.X("low:Q"), x2=alt.X2("high")
    )
    return bar, interval
