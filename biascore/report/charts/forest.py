"""Forest plots: headline estimates with their intervals, one row per test, side by side by series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import altair as alt

from biascore.report.charts.base import (
    NEUTRAL_COLOUR,
    PUBLISHED,
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
from biascore.results.effect_words import ends_of
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.stimuli_used import PublishedFigure
from biascore.results.verdicts import RunVerdict
from biascore.stats import Verdict

SERIES_STEP: Final = 14
PUBLISHED_COLOUR: Final = "#6e6e6e"


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


def domains_of(run: Run) -> dict[str, tuple[float, float]]:
    """From where to where the headlines of each unit reach, with their intervals, neutral values and bounds."""
    found: dict[str, list[float]] = {}
    for measurement in run:
        e = measurement.headline
        ends = (e.interval.low, e.interval.high) if e.interval and e.value is not None else ()
        values = [value for value in (e.value, *ends, e.chance) if value is not None]
        if e.value is not None:
            found.setdefault(e.unit, []).extend([*values, *(bound_of([measurement]) or ())])
            if e.neutral is not None and e.chance is None:
                found[e.unit].append(e.neutral)
    return {unit: (min(values), max(values)) for unit, values in found.items() if min(values) < max(values)}


def bound_of(measurements: Sequence[Measurement]) -> tuple[float, float] | None:
    """The ends of the bound that all of these state of their headline, or None."""
    ends = set()
    for measurement in measurements:
        stated, e = measurement.equivalence, measurement.headline
        if stated is None or stated.of != e.name or e.neutral is None or e.chance is not None:
            return None
        ends.add((e.neutral - stated.bound, e.neutral + stated.bound))
    return ends.pop() if len(ends) == 1 else None


def sides(measurements: Sequence[Measurement]) -> list[str]:
    """What lies at both ends of the axis, as lines below it; none where that is not one thing."""
    ends = [ends_of(measurement) for measurement in measurements]
    if not all(end.below for end in ends) or any(m.headline.chance is not None for m in measurements):
        return []
    if len({(end.above, end.below) for end in ends}) == 1:
        return [f"← {ends[0].below}", f"{ends[0].above} →"]
    if all(end.stereotype for end in ends):
        return ["← against the stereotype · with the stereotype →"]
    return ["← the other way · the way that stands with the test →"]


def forest_charts(run: Run) -> tuple[Chart, ...]:
    """One forest plot of headline estimates for each metric and estimate, as their units differ."""
    families: dict[tuple[str, str, str], list[Reading]] = {}
    for reading in readings_of(run):
        measurement, headline = reading.measurement, reading.measurement.headline
        families.setdefault((measurement.method, headline.name, headline.unit), []).append(reading)
    looks = model_looks(run)
    domains = domains_of(run)
    published = {test.id: test.published for test in run.tests}
    charts = (
        _forest(number, family, looks, domains, published)
        for number, family in enumerate(families.values(), start=1)
    )
    return tuple(chart for chart in charts if chart is not None)


def forest(
    drawn: Sequence[Reading],
    names: Sequence[str],
    title: str,
    looks: Mapping[str, Look],
    domain: tuple[float, float] | None = None,
    published: Mapping[str, Sequence[PublishedFigure]] = MappingProxyType({}),
) -> Drawing:
    """Measurements that have a value, one row per test; ``names`` are their series, ``title`` the legend's.

    A row is added where a series measured the same test again. ``published`` are figures by test, of which those that
    are comparable and of the same estimate are drawn. The band of the bound stands where all state the same.
    """
    places = _places(drawn, names)
    apart = told_apart_by_subject([m for m, _ in drawn])
    titles = {
        place: wrapped(m.subject if apart else m.titled) for place, (m, _) in zip(places, drawn, strict=True)
    }
    label_of = dict(zip(titles, unique(list(titles.values())), strict=True))
    rows = [
        _row(reading, label_of[place], name)
        for reading, place, name in zip(drawn, places, names, strict=True)
    ]
    tooltip = [
        alt.Tooltip("test:N", title="Test"),
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("method:N", title="Method"),
        alt.Tooltip("value:Q", title="Estimate", format=".4~r"),
        alt.Tooltip("interval:N", title="Interval"),
        alt.Tooltip("verdict:N", title="Verdict"),
    ]
    beside = [
        {
            "label": label_of[place],
            "value": one.value,
            "what": f"{one.what}, {one.model}",
            "source": one.source,
        }
        for place, measurement in {place: m for place, (m, _) in zip(places, drawn, strict=True)}.items()
        for one in published.get(measurement.test, ())
        if one.comparable
        and one.what.casefold() == f"{measurement.metric} {measurement.headline.name}".casefold()
    ]
    drawing = side_by_side(rows, title, tooltip, looks, domain, beside)
    bound = bound_of([m for m, _ in drawn])
    return drawing.with_neutral(shared_neutral(m.headline for m, _ in drawn)).with_bound(bound)


def side_by_side(
    rows: Rows,
    title: str,
    tooltip: list[alt.Tooltip],
    looks: Mapping[str, Look],
    domain: tuple[float, float] | None = None,
    published: Rows | None = None,
) -> Drawing:
    """Points with intervals: a row for each ``label``, in which each ``series`` has a height of its own.

    A stroke stands at what chance gives, where a row says it; a point is hollow where a row says that it is not
    ``filled``. ``published`` are grey diamonds in the rows of their ``label``.
    """
    names = distinct(row["series"] for row in rows)
    lanes = _in_lanes(rows, names)
    scale = alt.Scale(domain=list(range(lanes)), paddingOuter=0.4)
    offset = alt.YOffset("lane:O", scale=scale)
    base = alt.Chart(ROWS).encode(y=label_axis(), yOffset=offset, tooltip=tooltip)
    fill, shape, stroke = series("series", title, [looks[name] for name in names])
    interval = base.mark_rule(strokeWidth=1.6, aria=False).encode(
        x=alt.X("low:Q"), x2=alt.X2("high"), stroke=stroke
    )
    point = base.mark_point(filled=True, size=62, opacity=1).encode(
        x=value_axis(domain=domain), fill=fill, shape=shape
    )
    if any("filled" in row for row in rows):
        inside = alt.FillOpacity("filled:Q", scale=None, legend=None)
        point = point.mark_point(filled=True, size=62, opacity=1, strokeWidth=1.6).encode(
            stroke=stroke, fillOpacity=inside
        )
    step = label_step([row["label"] for row in rows], SERIES_STEP * lanes + 10)
    below: tuple[alt.Chart, ...] = ()
    data = {ROWS.name: rows}
    if published:
        data[PUBLISHED.name] = published
        told = [
            alt.Tooltip("what:N", title="Published"),
            alt.Tooltip("value:Q"),
            alt.Tooltip("source:N", title="In"),
        ]
        marks = alt.Chart(PUBLISHED).mark_point(
            shape="diamond", filled=False, size=90, color=PUBLISHED_COLOUR, opacity=1
        )
        below = (marks.encode(x=value_axis(domain=domain), y=label_axis(), tooltip=told),)
    if any(row.get("chance") is not None for row in rows):
        chance = base.mark_point(
            shape=UPRIGHT, size=220, strokeWidth=2.5, color=NEUTRAL_COLOUR, opacity=1, aria=False
        ).encode(x=alt.X("chance:Q"))
        below = (*below, chance)
    return Drawing((*below, interval, point), step, data)


def _in_lanes(rows: Rows, names: Sequence[str]) -> int:
    """Give each row its lane beside others of its label, and return how many there are.

    A series has the same lane everywhere where some label has all of them; else lanes are as many as a label needs.
    """
    of_label: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        of_label.setdefault(row["label"], []).append(row)
    lanes = max(map(len, of_label.values()))
    for some in of_label.values():
        some.sort(key=lambda row: names.index(row["series"]))
        for place, row in enumerate(some):
            row["lane"] = names.index(row["series"]) if lanes >= len(names) else place
    return int(max(lanes, 1 + max(row["lane"] for row in rows)))


def told_apart_by_subject(measurements: Sequence[Measurement]) -> bool:
    """Whether all are of one test, and what it was put about says which is which."""
    return len({m.test for m in measurements}) == 1 and all(m.subject for m in measurements)


def _forest(
    number: int,
    family: list[Reading],
    looks: Mapping[str, Look],
    domains: Mapping[str, tuple[float, float]],
    published: Mapping[str, Sequence[PublishedFigure]],
) -> Chart | None:
    drawn = [reading for reading in family if reading.measurement.headline.value is not None]
    if not drawn:
        return None
    first = drawn[0].measurement
    title = with_unit(first.headline.name, first.headline.unit)
    groups = "test and model" if len(distinct(m.model for m, _ in drawn)) > 1 else "test"
    of_test = ""
    if told_apart_by_subject([m for m, _ in drawn]):
        of_test, groups = (
            f", {first.test_title or first.test}",
            groups.replace("test", "what it was put about"),
        )
    caption = (
        f"{first.method}{of_test}: {title}, by {groups}. {whiskers(m.headline.interval for m, _ in drawn)}"
    )
    some = [m for m, _ in drawn]
    caption += neutral_told(some) + marks_told(some)
    drawing = forest(
        drawn, [m.model for m in some], "Model", looks, domains.get(first.headline.unit), published
    )
    if PUBLISHED.name in drawing.data:
        caption += " Grey diamonds are published figures."
    missing = len(family) - len(drawn)
    note = f"{missing} not estimable and so not drawn." if missing else ""
    name = f"forest-{number:02d}-{safe(first.method)}-{safe(first.headline.name)}"
    return Chart(
        name, caption, note, specification(drawing, [title, *sides(some)], f"Forest plot. {caption}")
    )


def marks_told(measurements: Sequence[Measurement]) -> str:
    """What filled points and the band mean, with a space before it."""
    told = (
        "" if all(m.describes for m in measurements) else " Filled points are detected, hollow ones are not."
    )
    bound = bound_of(measurements)
    if bound:
        told += f" In the band from {bound[0]:g} to {bound[1]:g} an effect counts as too small to matter."
    return told


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
        "filled": int(reading.said.verdict is Verdict.DETECTED),
    }
