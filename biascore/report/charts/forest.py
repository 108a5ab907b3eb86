"""Forest plots: headline estimates with their intervals, one row per test, side by side by series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from biascore.report.charts.base import (
    NUMBER,
    Chart,
    Drawing,
    Look,
    Plot,
    distinct,
    estimate_columns,
    in_colours,
    neutral_told,
    not_drawn,
    safe,
    shared_neutral,
    tooltip,
    unique,
    whiskers,
    with_unit,
    wrapped,
)
from biascore.report.charts.rows import side_by_side
from biascore.results.effect_words import ends_of
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.stimuli_used import PublishedFigure
from biascore.results.verdicts import RunVerdict
from biascore.stats import Verdict


class Reading(NamedTuple):
    """A measurement, and what its run says of it."""

    measurement: Measurement
    said: RunVerdict


def readings_of(run: Run) -> list[Reading]:
    """The measurements of a run with their verdicts."""
    return [Reading(measurement, said) for measurement, said in zip(run, run.verdicts, strict=True)]


def with_value(readings: Iterable[Reading]) -> list[Reading]:
    """Those whose headline has a value."""
    return [reading for reading in readings if reading.measurement.headline.value is not None]


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
    looks, domains = model_looks(run), domains_of(run)
    published = {test.id: test.published for test in run.tests}
    charts = []
    for number, family in enumerate(families.values(), start=1):
        drawn = with_value(family)
        if not drawn:
            continue
        first, some = drawn[0].measurement, [m for m, _ in drawn]
        title = with_unit(first.headline.name, first.headline.unit)
        groups = "test and model" if len(distinct(m.model for m in some)) > 1 else "test"
        of_test = ""
        if _apart_by_subject(some):
            of_test = f", {first.test_title or first.test}"
            groups = groups.replace("test", "what it was put about")
        domain = domains.get(first.headline.unit)
        drawing, told = forest(drawn, [m.model for m in some], "Model", looks, domain, published)
        caption = f"{first.method}{of_test}: {title}, by {groups}. {told}"
        note = not_drawn(len(family) - len(drawn))
        plot = Plot(drawing, [title, *sides(some)], caption, (note,), "Forest plot.")
        charts.append(plot.chart(f"forest-{number:02d}-{safe(first.method)}-{safe(first.headline.name)}"))
    return tuple(charts)


def forest(
    drawn: Sequence[Reading],
    names: Sequence[str],
    legend: str,
    looks: Mapping[str, Look],
    domain: tuple[float, float] | None = None,
    published: Mapping[str, Sequence[PublishedFigure]] = MappingProxyType({}),
) -> tuple[Drawing, str]:
    """Measurements that have a value, one row per test, and the sentences on their marks; ``names`` are their series.

    A row is added where a series measured the same test again. ``published`` are figures by test, of which those that
    are comparable and of the same estimate are drawn. The band of the bound is drawn where all state the same.
    """
    some = [m for m, _ in drawn]
    places = _places(some, names)
    apart = _apart_by_subject(some)
    of_place = dict(zip(places, some, strict=True))
    texts = unique([wrapped(m.subject if apart else m.titled) for m in of_place.values()])
    labels = dict(zip(of_place, texts, strict=True))
    rows = [
        _row(reading, labels[place], name) for reading, place, name in zip(drawn, places, names, strict=True)
    ]
    diamonds = [
        {
            "label": labels[place],
            "value": one.value,
            "what": f"{one.what}, {one.model}",
            "source": one.source,
        }
        for place, m in of_place.items()
        for one in published.get(m.test, ())
        if one.comparable and one.what.casefold() == f"{m.metric} {m.headline.name}".casefold()
    ]
    columns = tooltip(
        test="Test", model="Model", method="Method", value=("Estimate", NUMBER), interval="Interval",
        verdict="Verdict",
    )  # fmt: skip
    neutral, bound = shared_neutral(m.headline for m in some), bound_of(some)
    drawing = side_by_side(rows, legend, columns, looks, domain, diamonds)
    told = f"{whiskers(m.headline.interval for m in some)}{_neutral_told(some, neutral)}"
    if not all(m.describes for m in some):
        told += " Filled points are detected, hollow ones are not."
    if bound:
        told += f" In the band from {bound[0]:g} to {bound[1]:g} an effect counts as too small to matter."
    if diamonds:
        told += " Grey diamonds are published figures."
    return drawing.with_neutral(neutral).with_bound(bound), told


def _apart_by_subject(measurements: Sequence[Measurement]) -> bool:
    """Whether all are of one test, and what it was put about says which is which."""
    return len({m.test for m in measurements}) == 1 and all(m.subject for m in measurements)


def _neutral_told(measurements: Sequence[Measurement], neutral: float | None) -> str:
    """A sentence on the line or the strokes at the points, with a space before it."""
    if any(m.headline.chance is not None for m in measurements):
        return " The grey strokes stand at what chance alone gives: from a model without bias too, this is not 0."
    return neutral_told(neutral, "no change" if all(m.change_from for m in measurements) else "no bias")


def _places(measurements: Sequence[Measurement], names: Sequence[str]) -> list[tuple[str, str, int]]:
    """The row of each measurement: its test and subject, and how often its series has measured it by then."""
    seen: Counter[tuple[str, str, str]] = Counter()
    places = []
    for measurement, name in zip(measurements, names, strict=True):
        own = measurement.test, measurement.subject, name
        seen[own] += 1
        places.append((measurement.test, measurement.subject, seen[own]))
    return places


def _row(reading: Reading, label: str, name: str) -> dict[str, Any]:
    measurement, said = reading
    headline = measurement.headline
    return {
        "label": label,
        "series": name,
        "test": f"{measurement.test}: {measurement.titled}",
        "model": measurement.model,
        "method": measurement.method,
        "chance": headline.chance,
        **estimate_columns(headline.value, headline.interval),
        "verdict": said.shown,
        "filled": int(said.verdict is Verdict.DETECTED),
    }
