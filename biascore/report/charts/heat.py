"""Estimates of all measurements of a run as a map of colours: a row for each label, a column for each measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from biascore.report.charts.base import (
    INK,
    ROWS,
    Chart,
    Drawing,
    Rows,
    Undrawn,
    label_axis,
    label_step,
    specification,
    unique,
    with_unit,
    wrapped,
)
from biascore.report.charts.joined import Entry, of_what, row_labels
from biascore.report.texts import counted
from biascore.results.figures import Heat

STEP: Final = 26
TOLD_UP_TO: Final = 16
"""Of so many columns each cell has room for its number."""
PALE: Final = (0.12, 0.84)
"""On colours between these parts of their scale a dark number is easier to read than a white one."""
COLUMN_WIDTH: Final = 40

EDGES: Final = alt.NamedData("edges")


def heat_chart(entries: Sequence[Entry], name: str, note: str) -> Chart | Undrawn:
    """The estimates of every measurement beside each other; a line parts the groups of labels."""
    figure = entries[0].figure
    assert isinstance(figure, Heat)
    columns = unique([" ".join(label.split("\n")) for label in row_labels(entries, width=COLUMN_WIDTH)])
    rows, without = _rows(entries, columns)
    if not rows:
        return Undrawn(figure.title, "none of its estimates has a value")
    values = [row["value"] for row in rows]
    low, high = min(values), max(values)
    for row in rows:
        part = (row["value"] - low) / (high - low) if high > low else 0.5
        row["dark"] = "no" if PALE[0] < part < PALE[1] else "yes"
    below, above = figure.ends
    caption = f"{figure.title}{of_what(entries)}: {counted(len(columns), 'measurement')}, a column each."
    if below and above:
        caption += f" {low:g} (dark orange) is {below}, {high:g} (dark purple) {above}."
    edges = _edges(figure, rows)
    if edges:
        caption += f" From above: {', '.join(dict.fromkeys(figure.groups))}, with a line between them."
    notes = [note] if note else []
    notes += [f"{counted(without, 'value')} not estimable and so not drawn."] if without else []
    step = label_step([row["label"] for row in rows], STEP)
    drawing = Drawing(_layers(told=len(columns) <= TOLD_UP_TO), step, {ROWS.name: rows, EDGES.name: edges})
    unit = entries[0].estimates[0][1].unit
    spec = specification(drawing, with_unit(figure.title, unit), caption)
    return Chart(name, caption, " ".join(notes), spec, figure.title)


def _rows(entries: Sequence[Entry], columns: Sequence[str]) -> tuple[Rows, int]:
    """A row for each cell with a value, and how many have none."""
    labels = [label for label, _ in entries[0].estimates]
    shown = dict(zip(labels, unique([wrapped(label) for label in labels]), strict=True))
    rows: Rows = []
    without = 0
    for column, entry in zip(columns, entries, strict=True):
        for label, estimate in entry.estimates:
            if estimate.value is None:
                without += 1
            else:
                cell = {"label": shown[label], "column": column, "value": estimate.value}
                rows.append(cell | entry.told)
    # In the order of the labels, which is that of the axis, whatever the first measurement lacks.
    order = list(shown.values())
    rows.sort(key=lambda row: order.index(row["label"]))
    return rows, without


def _edges(figure: Heat, rows: Rows) -> list[dict[str, Any]]:
    """The first label of each group but the first, above which a line is drawn."""
    shown = list(dict.fromkeys(row["label"] for row in rows))
    if len(shown) != len(figure.groups):
        return []
    pairs = zip(figure.groups, figure.groups[1:], shown[1:], strict=False)
    return [{"label": label} for before, group, label in pairs if group != before]


def _layers(*, told: bool) -> tuple[alt.Chart, ...]:
    axis = alt.Axis(
        title=None,
        orient="top",
        labelAngle=-40,
        labelAlign="left",
        labelLimit=170,
        grid=False,
        labelPadding=2,
    )
    across = alt.X("column:N", sort=None, axis=axis, scale=alt.Scale(paddingInner=0.04, paddingOuter=0))
    base = alt.Chart(ROWS).encode(x=across, y=label_axis())
    scale = alt.Scale(scheme="purpleorange", reverse=True)
    cells = base.mark_rect().encode(
        color=alt.Color("value:Q", scale=scale, legend=None),
        tooltip=[
            alt.Tooltip("label:N", title="Of"),
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("about:N", title="About"),
            alt.Tooltip("test:N", title="Test"),
            alt.Tooltip("value:Q", title="Value", format=".3"),
        ],
    )
    edges = alt.Chart(EDGES).mark_rule(color=INK, strokeWidth=1.6, aria=False)
    layers = [cells, edges.encode(y=alt.Y("label:N", sort=None, bandPosition=0))]
    if told:
        fill = alt.Fill(
            "dark:N", scale=alt.Scale(domain=["no", "yes"], range=["#111111", "#ffffff"]), legend=None
        )
        layers.append(
            base.mark_text(fontSize=11, aria=False).encode(text=alt.Text("value:Q", format=".3"), fill=fill)
        )
    return tuple(layers)
