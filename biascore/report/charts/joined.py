"""Pictures of a whole run: what several measurements of a metric declared under one title, drawn together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Final

from biascore.basics.wording import counted
from biascore.report.charts.bars import labelled, problem_of
from biascore.report.charts.base import (
    LABEL_WIDTH,
    Chart,
    Rows,
    Undrawn,
    distinct,
    safe,
    unique,
    wrapped,
)
from biascore.report.variants import variant_names
from biascore.results.estimates import Estimate
from biascore.results.figures import Dots, Point, RunFigure
from biascore.results.measurement import Measurement
from biascore.results.run import Run

MEASURED: Final = {"model": "Model", "about": "About", "test": "Test"}
"""What a tooltip says of a measurement."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of the run, or why there is none, and the metric whose measurements it joins."""

    metric: str
    chart: Chart | Undrawn


@dataclass(frozen=True, slots=True)
class Entry:
    """What one measurement adds to a picture: its figure, and what tells it from others of its model."""

    measurement: Measurement
    figure: RunFigure
    subject: str = ""

    @property
    def problem(self) -> str:
        """Why the measurement cannot be drawn, as a clause, or an empty text."""
        if not isinstance(self.figure, Point):
            return problem_of(self.figure, self.measurement)
        known = {estimate.name for estimate in self.measurement.estimates}
        unknown = [name for name in (self.figure.x, self.figure.y) if name not in known]
        return f"the measurement has no estimate “{unknown[0]}”" if unknown else ""

    @property
    def axes(self) -> tuple[Any, ...]:
        """What has to be equal for two entries to stand on the same axes."""
        if isinstance(self.figure, Point):
            x, y = self.xy
            return (x.name, x.unit, y.name, y.unit, self.figure.limit)
        bands = self.figure.bands if isinstance(self.figure, Dots) else ()
        return (self.estimates[0][1].unit, bands)

    @property
    def xy(self) -> tuple[Estimate, Estimate]:
        """The two estimates of a point."""
        assert isinstance(self.figure, Point)
        return self.measurement.estimate(self.figure.x), self.measurement.estimate(self.figure.y)

    @property
    def estimates(self) -> list[tuple[str, Estimate]]:
        """The estimates of boxes or dots, each with its label."""
        assert not isinstance(self.figure, Point)
        return labelled(self.figure, self.measurement)

    @property
    def told(self) -> dict[str, str]:
        """The columns of MEASURED."""
        measurement = self.measurement
        return {
            "model": measurement.model,
            "about": self.subject or "–",
            "test": f"{measurement.test}: {measurement.test_title}",
        }


def joined_entries(run: Run, drawn: Mapping[int, str] = MappingProxyType({})) -> list[list[Entry]]:
    """The run figures by metric, kind and title, in order of appearance, each with its subject.

    ``drawn``: by id of a measurement, the estimate that another chart shows of it: dots of that alone are left out. Rows of
    dots of equal labels and unit are one figure, whatever their titles: what can be compared has one scale.
    """
    families: dict[tuple[str, str, str], list[Entry]] = {}
    for measurement in run:
        for figure in measurement.figures:
            shown = (
                isinstance(figure, Dots)
                and not figure.bands
                and figure.estimates == (drawn.get(id(measurement)),)
            )
            if isinstance(figure, RunFigure) and not shown:
                family = families.setdefault((measurement.metric, figure.kind, figure.title), [])
                family.append(Entry(measurement, figure))
    named = variant_names(run, folded=False)
    return _in_one_figure([_with_subjects(family, named) for family in families.values()])


def on_equal_axes(family: Sequence[Entry]) -> tuple[list[list[Entry]], str]:
    """The drawable entries in groups that can share axes, and a sentence on each reason for leaving some out."""
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    reasons: Counter[str] = Counter()
    for entry in family:
        problem = entry.problem
        if problem:
            reasons[problem] += 1
        else:
            groups.setdefault(entry.axes, []).append(entry)
    if not groups:
        return [], "; ".join(reasons)
    return list(groups.values()), " ".join(f"{n} not drawn: {reason}." for reason, n in reasons.items())


def file_name(number: int, first: Entry) -> str:
    """The name of the file of a picture, without a suffix."""
    return f"run-{number:02d}-{safe(first.measurement.metric)}-{safe(first.figure.title)}"


def row_labels(entries: Sequence[Entry], width: int = LABEL_WIDTH) -> list[str]:
    """The model and the subject of each entry, without what is the same for all of them."""
    several_models = len(distinct(e.measurement.model for e in entries)) > 1
    several_subjects = len(distinct(e.subject for e in entries)) > 1
    labels = []
    for entry in entries:
        parts = [entry.measurement.model] if several_models or not several_subjects else []
        parts += [entry.subject] if several_subjects and entry.subject else []
        labels.append(wrapped(", ".join(parts), width=width))
    return labels


def value_rows(entries: Sequence[Entry], column: str, of_entry: Sequence[str]) -> tuple[list[Rows], int]:
    """The values of each label that has some, a row each with its label and column, and how many have no value."""
    labels = distinct(label for entry in entries for label, _ in entry.estimates)
    shown = dict(zip(labels, unique([wrapped(label) for label in labels]), strict=True))
    of_label: dict[str, Rows] = {label: [] for label in labels}
    without = 0
    for entry, own in zip(entries, of_entry, strict=True):
        for label, one in entry.estimates:
            if one.value is None:
                without += 1
            else:
                of_label[label].append({"label": shown[label], column: own, "value": one.value, **entry.told})
    return [rows for rows in of_label.values() if rows], without


def opening(entries: Sequence[Entry]) -> str:
    """How the caption of a picture begins."""
    measured = len({id(entry.measurement) for entry in entries})
    return f"{entries[0].figure.title}{of_what(entries)}: {counted(measured, 'measurement')}"


def of_what(entries: Sequence[Entry]) -> str:
    """The one model and the one subject of all entries, for a caption, or an empty text."""
    models = distinct(e.measurement.model for e in entries)
    subjects = distinct(e.subject for e in entries)
    on = f" on {models[0]}" if len(models) == 1 else ""
    return f"{on}, {subjects[0]}" if len(subjects) == 1 and subjects[0] else on


def _in_one_figure(families: Sequence[list[Entry]]) -> list[list[Entry]]:
    """The families, those of dots that have the same labels, unit and bands as one where their titles begin alike."""
    alike: dict[Any, list[list[Entry]]] = {}
    for place, family in enumerate(families):
        first = family[0]
        key: Any = place
        if isinstance(first.figure, Dots) and not any(entry.problem for entry in family):
            labels = frozenset(entry.figure.labels for entry in family if isinstance(entry.figure, Dots))
            key = first.measurement.metric, labels, first.axes
        alike.setdefault(key, []).append(family)
    return [joined for some in alike.values() for joined in _under_one_title(some)]


def _under_one_title(families: list[list[Entry]]) -> list[list[Entry]]:
    """The families in one whose title has their common beginning once, and whose subjects the rest of each title."""
    titles = [family[0].figure.title.split() for family in families]
    common = len(list(takewhile(lambda words: len(set(words)) == 1, zip(*titles, strict=False))))
    rests = [" ".join(title[common:]) for title in titles]
    if len(families) == 1 or not common or not all(rests):
        return families
    several = len(distinct(entry.subject for family in families for entry in family)) > 1
    whole = " ".join([*titles[0][:common], ", ".join(rests)])
    return [
        [
            replace(
                entry,
                figure=entry.figure.model_copy(update={"title": whole}),
                subject=f"{rest}, {entry.subject}" if several and entry.subject else rest,
            )
            for family, rest in zip(families, rests, strict=True)
            for entry in family
        ]
    ]


def _with_subjects(family: list[Entry], named: Mapping[str, str]) -> list[Entry]:
    """The entries with their subjects; one that repeats for a model is followed by what distinguishes its repeats."""
    variants = len(distinct(entry.measurement.variant for entry in family)) > 1
    several = len(distinct(entry.measurement.test for entry in family)) > 1
    given = Counter((entry.measurement.model, entry.figure.subject) for entry in family)
    entries = []
    for entry in family:
        measurement, subject = entry.measurement, entry.figure.subject
        parts = [subject] if subject else []
        if not subject or given[measurement.model, subject] > 1:
            title = measurement.test_title or measurement.test
            parts += [title] if several and title != subject else []
            parts += [named[measurement.method]] if variants and named[measurement.method] else []
        entries.append(replace(entry, subject=", ".join(parts)))
    return entries
