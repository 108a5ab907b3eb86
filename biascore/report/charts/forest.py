"""Forest plots: headline estimates with their intervals, one row per test, side by side by series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from biascore.report.charts.base import (
    NUMBER,
    SHAPES,
    Chart,
    Drawing,
    Look,
    Plot,
    Told,
    describe_neutral,
    distinct,
    estimate_columns,
    in_colours,
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
from biascore.report.variants import repeated, variant_names
from biascore.results.figures import Point
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.stimuli_used import PublishedFigure
from biascore.results.verdicts import Role, RunVerdict
from biascore.results.words.effects import ends_of
from biascore.stats import Verdict

FEWEST: Final = 3
"""A chart of fewer points says nothing that its numbers do not."""
TOLD: Final[dict[str, Told]] = {
    "test": "Test",
    "model": "Model",
    "method": "Method",
    "value": ("Estimate", NUMBER),
    "interval": "Interval",
    "verdict": "Verdict",
}
"""What a tooltip says of a measurement."""
_APART: Final = {Role.BASELINE: "Baseline", Role.CONTROL: "Control"}
"""What is no finding stands below these, under a line."""


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
    return ["← against the stereotype · with the stereotype →"] if all(end.stereotype for end in ends) else []


def forest_charts(run: Run, least: int = 1) -> tuple[Chart, ...]:
    """One forest plot of headline estimates for each metric and estimate, as their units differ.

    Those of fewer than ``least`` points are left out, and then those, too, of which a picture of the run shows all.
    """
    looks, domains = model_looks(run), domains_of(run)
    published = {test.id: test.published for test in run.tests}
    charts = []
    for number, family in enumerate(families_of(run, least), start=1):
        drawn = with_value(family)
        some = [m for m, _ in drawn]
        first, findings = some[0], [m for m, said in drawn if said.role not in _APART]
        title = with_unit(first.headline.name, first.headline.unit)
        names, own, legend = _series(some, run, looks)
        groups = "test and model" if len(distinct(m.model for m in some)) > 1 else "test"
        of_test = ""
        if _apart_by_subject(some):
            of_test = f", {first.test_title or first.test}"
            groups = groups.replace("test", "what it was put about")
        domain = domains.get(first.headline.unit)
        drawing, told = forest(drawn, names, legend, own, domain, published)
        methods = distinct(m.method for m in some)
        whose = methods[0] if len(methods) == 1 else first.metric
        told += _describe_repeats(run, methods)
        caption = f"{whose}{of_test}: {title}, by {groups}. {told}"
        note = not_drawn(len(family) - len(drawn))
        plot = Plot(drawing, [title, *sides(findings or some)], caption, (note,), "Forest plot.")
        charts.append(plot.chart(f"forest-{number:02d}-{safe(first.metric)}-{safe(first.headline.name)}"))
    return tuple(charts)


def families_of(run: Run, least: int = 1, *, folded: bool = True) -> list[list[Reading]]:
    """The measurements of each forest plot, ``folded`` without variants that repeat another; see `forest_charts`."""
    same = repeated(run) if folded else {}
    families: dict[tuple[str, str, str], list[Reading]] = {}
    for reading in in_map_order(readings_of(run)):
        measurement, headline = reading.measurement, reading.measurement.headline
        if measurement.method not in same:
            key = measurement.metric, headline.name, headline.unit
            families.setdefault(key, []).append(reading)
    found = []
    for family in families.values():
        drawn = with_value(family)
        shown = least > 1 and all(in_a_picture(m) for m, _ in drawn)
        if drawn and len(drawn) >= least and not shown:
            found.append(family)
    return found


def in_map_order(readings: Sequence[Reading]) -> list[Reading]:
    """The readings as the map has them: by concept and test in order of appearance, then baselines, then controls."""
    concepts = distinct(m.concept for m, _ in readings)
    tests = list(dict.fromkeys((m.test, m.subject) for m, _ in readings))

    def place(reading: Reading) -> tuple[int, int, int]:
        m, said = reading
        apart = list(_APART).index(said.role) if said.role in _APART else -1
        return apart, concepts.index(m.concept), tests.index((m.test, m.subject))

    return sorted(readings, key=place)


def in_a_picture(measurement: Measurement) -> bool:
    """Whether its headline is in a picture of points, which shows it against another estimate."""
    points = [figure for figure in measurement.figures if isinstance(figure, Point)]
    return any(measurement.headline.name.endswith(name) for point in points for name in (point.x, point.y))


def _describe_repeats(run: Run, methods: Sequence[str]) -> str:
    """A sentence on the variants that are not drawn as they repeat one of these, with a space before it."""
    names, same = variant_names(run, folded=False), repeated(run)
    told = [f"“{names[method]}” is the same as “{names[of]}”" for method, of in same.items() if of in methods]
    return f" Not drawn: {'; '.join(told)}." if told else ""


def _series(
    some: Sequence[Measurement], run: Run, looks: Mapping[str, Look]
) -> tuple[list[str], dict[str, Look], str]:
    """The series of each measurement, how each is drawn, and what they are: models, of variants those and these.

    A model has its colour in all charts; variants differ in shape.
    """
    variants = variant_names(run, folded=False)
    if len(distinct(variants[m.method] for m in some)) == 1:
        return [m.model for m in some], dict(looks), "Model"
    one_model = len(distinct(m.model for m in some)) == 1
    shapes = dict(zip(distinct(variants[m.method] for m in some), cycle(SHAPES), strict=False))
    names, own = [], {}
    for m in some:
        variant = variants[m.method]
        names.append(variant if one_model else f"{m.model}, {variant}")
        own[names[-1]] = Look(looks[m.model].colour, shapes[variant])
    return names, own, "Variant" if one_model else "Model and variant"


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
    places = _places(drawn, names)
    apart = _apart_by_subject(some)
    of_place = dict(zip(places, some, strict=True))
    kinds = distinct(place[0] for place in of_place)
    prefix = {kind: f"{kind}: " if kind and len(kinds) > 1 else "" for kind in kinds}
    texts = unique(
        [wrapped(prefix[place[0]] + (m.subject if apart else m.titled)) for place, m in of_place.items()]
    )
    labels = dict(zip(of_place, texts, strict=True))
    firsts = {kind: next(labels[place] for place in of_place if place[0] == kind) for kind in kinds[1:]}
    rows = [
        row_of(reading, labels[place], name)
        for reading, place, name in zip(drawn, places, names, strict=True)
    ]
    diamonds = [
        {
            "label": labels[place],
            "value": one.value,
            "what": f"{one.what}, {one.model}",
            "source": one.source,
        }
        for place, m in of_place.items()
        if place[0] != _APART[Role.CONTROL]
        for one in published.get(m.test, ())
        if one.comparable and one.what.casefold() == f"{m.metric} {m.headline.name}".casefold()
    ]
    neutral, bound = shared_neutral(m.headline for m in some), bound_of(some)
    drawing = side_by_side(rows, legend, tooltip(**TOLD), looks, domain, diamonds, list(firsts.values()))
    told = describe_marks(drawn, neutral, bound)
    if diamonds:
        told += " Grey diamonds are published figures."
    return drawing.with_neutral(neutral).with_bound(bound), told


def describe_marks(drawn: Sequence[Reading], neutral: float | None, bound: tuple[float, float] | None) -> str:
    """The sentences on lines, fills and the band."""
    some = [m for m, _ in drawn]
    told = f"{whiskers(m.headline.interval for m in some)}{_describe_neutral(some, neutral)}"
    if not all(m.describes for m in some):
        told += " Filled: detected."
        if any(said.hint for _, said in drawn):
            told += " Half filled: a hint, significant by itself, not after adjustment."
        told += " Hollow: not detected."
    if bound:
        told += f" Grey band: the bound, {bound[0]:g} to {bound[1]:g}; negligible is an interval inside it."
    return told


def _apart_by_subject(measurements: Sequence[Measurement]) -> bool:
    """Whether all are of one test, and what it was put about says which is which."""
    return len({m.test for m in measurements}) == 1 and all(m.subject for m in measurements)


def _describe_neutral(measurements: Sequence[Measurement], neutral: float | None) -> str:
    """A sentence on the line or the strokes at the points, with a space before it."""
    if any(m.headline.chance is not None for m in measurements):
        return " The grey strokes show what chance alone gives: this is not 0 even for a model without bias."
    return describe_neutral(neutral, "no change" if all(m.change_from for m in measurements) else "no bias")


def _places(drawn: Sequence[Reading], names: Sequence[str]) -> list[tuple[str, str, str, int]]:
    """The row of each measurement: what it is set apart as, its test and subject, how often its series has been there."""
    seen: Counter[tuple[str, str, str, str]] = Counter()
    places = []
    for (measurement, said), name in zip(drawn, names, strict=True):
        row = _APART.get(said.role, ""), measurement.test, measurement.subject
        seen[*row, name] += 1
        places.append((*row, seen[*row, name]))
    return places


def row_of(reading: Reading, label: str, name: str) -> dict[str, Any]:
    """A measurement as a row of that label and series."""
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
        "filled": 1 if said.verdict is Verdict.DETECTED else 0.5 if said.hint else 0,
    }
