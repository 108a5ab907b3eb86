"""Some estimates of a measurement side by side, as bars from no bias, or else from 0, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from biascore.report.charts.base import (
    COLOURS,
    LABEL_LINES,
    ROWS,
    Drawing,
    Plot,
    describe_neutral,
    distinct,
    estimate_columns,
    interval_lines,
    label_axis,
    label_step,
    shared_neutral,
    sizes,
    tooltip,
    unique,
    value_axis,
    whiskers,
    with_unit,
    wrapped,
)
from biascore.report.charts.rows import ESTIMATE
from biascore.results.estimates import Estimate
from biascore.results.figures import Bars, Boxes, Dots, Heat
from biascore.results.measurement import Measurement

BAR_STEP: Final = 30
MANY: Final = 20
"""Bars beyond which the size that all groups share is said once, and bars are closer, so that they fit a screen."""
GROUP_COLOURS: Final = ("#CC79A7", "#56B4E9", "#E69F00")
CLOSE_STEP: Final = 16
CLOSE_WIDTH: Final = 34  # letters that an axis has room for


def bars_plot(measurement: Measurement, bars: Bars) -> Plot | str:
    """The named estimates in their order, or why they cannot be drawn."""
    problem = problem_of(bars, measurement)
    if problem:
        return problem
    pairs = labelled(bars, measurement)
    drawn = [(label, estimate) for label, estimate in pairs if estimate.value is not None]
    if not drawn:
        return "none of its estimates has a value"
    shared = drawn[0][1].n
    close = len(drawn) > MANY and all(estimate.n == shared for _, estimate in drawn)
    labels = unique(
        [wrapped(label, width=CLOSE_WIDTH) if close else _label(label, estimate) for label, estimate in drawn]
    )
    rows = [_row(estimate, label) for label, (_, estimate) in zip(labels, drawn, strict=True)]
    neutral = shared_neutral(estimate for _, estimate in drawn)
    group_of = dict(zip(bars.estimates, bars.groups, strict=False))
    grouped = bool(group_of) and neutral is not None
    if neutral is not None:
        rows = [row | {"from": neutral} for row in rows]
    if grouped:
        rows = [row | {"group": group_of[row["estimate"]]} for row in rows]
    caption = f"{bars.title}. {whiskers(estimate.interval for _, estimate in drawn)}"
    caption += describe_neutral(neutral, f"no bias{', and bars begin there' if neutral else ''}")
    if close and shared:
        caption += f" Each of {sizes(shared)}."
    absent = [label for label, estimate in pairs if estimate.value is None]
    note = f"Without a value, and so not drawn: {', '.join(absent)}." if absent else ""
    groups = distinct(group_of.values()) if grouped else []
    layers = _layers(groups, _domain(measurement, bars, neutral or 0.0), zero=neutral is None)
    step = label_step(labels, CLOSE_STEP if close else BAR_STEP)
    drawing = Drawing(layers, step, {ROWS.name: rows}).with_neutral(neutral)
    return Plot(drawing, with_unit(bars.title, drawn[0][1].unit), caption, (note,))


def problem_of(figure: Bars | Boxes | Heat | Dots, measurement: Measurement) -> str:
    """Why the estimates that a figure names cannot share an axis, as a clause, or an empty text."""
    names = figure.estimates
    problem = names_problem(measurement, names)
    if not problem and len(figure.labels) != len(names):
        return f"it has {len(figure.labels)} labels for {len(names)} estimates"
    groups = figure.groups if isinstance(figure, Bars | Heat) else ()
    if not problem and groups and len(groups) != len(names):
        return f"it has {len(groups)} groups for {len(names)} estimates"
    return problem


def names_problem(measurement: Measurement, names: Sequence[str]) -> str:
    """Why the estimates of these names cannot share an axis, as a clause, or an empty text."""
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
    counts = " + ".join(f"{count:,} {what}" for what, count in estimate.n.items())
    return wrapped(label, LABEL_LINES - 1) + (f"\n{wrapped(f'n = {counts}', 1)}" if counts else "")


def _row(estimate: Estimate, label: str) -> dict[str, Any]:
    columns = estimate_columns(estimate.value, estimate.interval)
    return {"label": label, "estimate": estimate.name, **columns, "n": sizes(estimate.n)}


def _domain(measurement: Measurement, bars: Bars, begin: float) -> tuple[float, float] | None:
    """From where to where all bars of the measurement reach that have these labels and this unit; None for these alone.

    ``begin``: where they begin.
    """
    unit = labelled(bars, measurement)[0][1].unit
    alike = [
        labelled(figure, measurement)
        for figure in measurement.figures
        if isinstance(figure, Bars)
        and set(figure.labels) == set(bars.labels)
        and not problem_of(figure, measurement)
    ]
    some = [estimate for pairs in alike for _, estimate in pairs if pairs[0][1].unit == unit]
    ends = [end for one in some if one.interval for end in (one.interval.low, one.interval.high)]
    values = [value for value in (*(one.value for one in some), *ends) if value is not None]
    return (min(begin, *values), max(begin, *values)) if len(alike) > 1 else None


def _layers(
    groups: Sequence[str], domain: tuple[float, float] | None, *, zero: bool
) -> tuple[alt.Chart, ...]:
    """``zero``: bars begin at 0, as there is no neutral value."""
    told = tooltip(estimate="Estimate", **ESTIMATE, n="n")
    base = alt.Chart(ROWS).encode(y=label_axis(), tooltip=told)
    if groups:
        # Not the colours that models begin with: a group of estimates is no model.
        scale = alt.Scale(range=[GROUP_COLOURS[place % len(GROUP_COLOURS)] for place in range(len(groups))])
        fill = alt.Fill("group:N", sort=None, scale=scale, legend=alt.Legend(title=None, symbolOpacity=1))
        bar = base.mark_bar(opacity=0.75).encode(x=value_axis(domain=domain), x2=alt.X2("from"), fill=fill)
    else:
        bar = base.mark_bar(color=COLOURS[0], opacity=0.5).encode(x=value_axis(zero=zero, domain=domain))
        bar = bar if zero else bar.encode(x2=alt.X2("from"))
    return bar, interval_lines(base, 1.8)
