"""Forest plots: headline estimates with their intervals, one row per test, side by side by series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import altair as alt

from biascore.report.charts.base import (
    NEUTRAL_COLOUR,
    ROWS,
    UPRIGHT,
    Chart,
    Drawing,
    Look,
    Rows,
    distinct,
    in_colours,
    interval_columns,
    label_axis,
    label_step,
    safe,
    series,
    shared_neutral,
    specification,
    unique,
    value_axis,
    whiskers,
    with_unit,
    wrapped,
)
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import RunVerdict

SERIES_STEP: Final = 14


class Reading(NamedTuple):
    """A measurement, and what its run says of it."""

    measurement: Measurement
    said: RunVerdict


def readings_of(run: Run) -> list[Reading]:
    """The measurements of a run with their verdicts."""
    return [Reading(measurement, said) for measurement, said in zip(run, run.verdicts, strict=True)]


def model_looks(run: Run) -> dict[str, Look]:
    """The colour and shape of each model, the same in all charts of the run."""
    return in_colours(measurement.model for measurement in run)


def forest_charts(run: Run) -> tuple[Chart, ...]:
    """One forest plot of headline estimates for each metric and estimate, as their units differ."""
    families: dict[tuple[str, str, str], list[Reading]] = {}
    for reading in readings_of(run):
        measurement, headline = reading.measurement, reading.measurement.headline
        families.setdefault((measurement.method, headline.name, headline.unit), []).append(reading)
    looks = model_looks(run)
    charts = (_forest(number, family, looks) for number, family in enumerate(families.values(), start=1))
    return tuple(chart for chart in charts if chart is not None)


def forest(drawn: Sequence[Reading], names: Sequence[str], title: str, looks: Mapping[str, Look]) -> Drawing:
    """Measurements that have a value, one row per test; ``names`` are their series, ``title`` the legend's.

    A row is added where a series measured the same test again.
    """
    places = _places(drawn, names)
    titles = {place: wrapped(m.titled) for place, (m, _) in zip(places, drawn, strict=True)}
    label_of = dict(zip(titles, unique(list(titles.values())), strict=True))
    rows = [
        _row(reading, label_of[place], name)
        for reading, place, name in zip(drawn, places, names, strict=True)
    ]
    tooltip = [
        alt.Tooltip("test:N", title="Test"),
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("method:N", title="Method"),
        alt.Tooltip("value:Q", title="Estimate", format=".3f"),
        alt.Tooltip("interval:N", title="Interval"),
        alt.Tooltip("verdict:N", title="Verdict"),
    ]
    return side_by_side(rows, title, tooltip, looks).with_neutral(
        shared_neutral(m.headline for m, _ in drawn)
    )


def side_by_side(rows: Rows, title: str, tooltip: list[alt.Tooltip], looks: Mapping[str, Look]) -> Drawing:
    """Points with intervals: a row for each ``label``, in which each ``series`` has a height of its own.

    A stroke stands at what chance gives, where a row says it.
    """
    offset = alt.YOffset("series:N", sort=None, scale=alt.Scale(paddingOuter=0.4))
    base = alt.Chart(ROWS).encode(y=label_axis(), yOffset=offset, tooltip=tooltip)
    names = distinct(row["series"] for row in rows)
    fill, shape, stroke = series("series", title, [looks[name] for name in names])
    interval = base.mark_rule(strokeWidth=1.6, aria=False).encode(
        x=alt.X("low:Q"), x2=alt.X2("high"), stroke=stroke
    )
    point = base.mark_point(filled=True, size=62, opacity=1).encode(x=value_axis(), fill=fill, shape=shape)
    step = label_step([row["label"] for row in rows], SERIES_STEP * len(names) + 10)
    if any(row.get("chance") is not None for row in rows):
        chance = base.mark_point(
            shape=UPRIGHT, size=220, strokeWidth=2.5, color=NEUTRAL_COLOUR, opacity=1, aria=False
        ).encode(x=alt.X("chance:Q"))
        return Drawing((chance, interval, point), step, {ROWS.name: rows})
    return Drawing((interval, point), step, {ROWS.name: rows})


def _forest(number: int, family: list[Reading], looks: Mapping[str, Look]) -> Chart | None:
    drawn = [reading for reading in family if reading.measurement.headline.value is not None]
    if not drawn:
        return None
    first = drawn[0].measurement
    title = with_unit(first.headline.name, first.headline.unit)
    groups = "test and model" if len(distinct(m.model for m, _ in drawn)) > 1 else "test"
    caption = f"{first.method}: {title}, by {groups}. {whiskers(m.headline.interval for m, _ in drawn)}"
    caption += neutral_told([m for m, _ in drawn])
    missing = len(family) - len(drawn)
    note = f"{missing} not estimable and so not drawn." if missing else ""
    name = f"forest-{number:02d}-{safe(first.method)}-{safe(first.headline.name)}"
    drawing = forest(drawn, [m.model for m, _ in drawn], "Model", looks)
    return Chart(name, caption, note, specification(drawing, title, f"Forest plot. {caption}"))


def neutral_told(measurements: Sequence[Measurement]) -> str:
    """A sentence on what the line or the strokes beside the points stand for, with a space before it."""
    estimates = [measurement.headline for measurement in measurements]
    if any(estimate.chance is not None for estimate in estimates):
        return " The grey strokes stand at what chance alone gives: from a model without bias too, this is not 0."
    neutral = shared_neutral(estimates)
    meant = "no change" if all(measurement.change_from for measurement in measurements) else "no bias"
    return "" if neutral is None else f" The upright line at {neutral:g} stands for {meant}."


def _places(family: Sequence[Reading], names: Sequence[str]) -> list[tuple[str, str, int]]:
    """The row of each measurement: its test and subject, and how often its series has measured it by then."""
    seen: Counter[tuple[str, str, str]] = Counter()
    places = []
    for (measurement, _), name in zip(family, names, strict=True):
        own = measurement.test, measurement.subject, name
        seen[own] += 1
        places.append((measurement.test, measurement.subject, seen[own]))
    return places


def _row(reading: Reading, label: str, name: str) -> dict[str, Any]:
    measurement = reading.measurement
    return {
        "label": label,
        "series": name,
        "test": f"{measurement.test}: {measurement.titled}",
        "model": measurement.model,
        "method": measurement.method,
        "value": measurement.headline.value,
        "chance": measurement.headline.chance,
        **interval_columns(measurement.headline.interval),
        "verdict": reading.said.shown,
    }
