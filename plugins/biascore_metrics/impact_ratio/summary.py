"""What a published summary of a bias audit holds: counts, rates and ratios of a measurement, and facts that users state.

After 6 RCNY 5-301 and 5-303, the rules of New York City's Local Law 144.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final, NamedTuple

from biascore.api.exporters import Measurement, Run
from biascore.api.metrics import Estimate
from biascore.api.support import either, listed
from biascore.errors import OptionsError, RunError
from biascore_metrics.impact_ratio.metric import MEDIAN, RATE, RATIO_OF, ImpactRatio
from biascore_metrics.impact_ratio.tables import SMALL

DATES: Final = ("date", "distributed")
JUSTIFICATION: Final = "justification"
TOOL: Final = "tool"
FACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "date": "the day of the bias audit, as 2026-10-01",
        "distributed": "the day from which the tool is used, as 2026-10-15",
        "source": "where the data are from",
        "explanation": "what the data are: whose, from when to when, of past use or made for a test",
        JUSTIFICATION: "why ratios of small categories are left out, where some are",
        TOOL: "what the tool is called, where that is not the name of the model",
    }
)


class Share(NamedTuple):
    """A rate or a ratio with the ends of its interval; ``value`` is None where nothing can be divided by."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Line(NamedTuple):
    """A category: its people, those of them selected, and its ratio, None where that is left out."""

    category: str
    people: int
    selected: int
    rate: Share
    ratio: Share | None
    highest: bool


class Table(NamedTuple):
    """The categories of a group, or of two together; ``unknown``: people in none of them."""

    group: str
    lines: tuple[Line, ...]
    unknown: int

    @property
    def people(self) -> int:
        """People with a category."""
        return sum(one.people for one in self.lines)

    @property
    def selected(self) -> int:
        """Those of them who are selected."""
        return sum(one.selected for one in self.lines)


@dataclass(frozen=True, slots=True)
class Summary:
    """A measurement of ``impact-ratio`` as it is published. ``median``: of the scores of all people, None of selections."""

    tool: str
    outcome: str
    people: int
    median: float | None
    level: float
    tables: tuple[Table, ...]
    facts: Mapping[str, str]
    warnings: tuple[str, ...]

    @property
    def chosen(self) -> str:
        """What people counted in a rate are."""
        return "selected" if self.median is None else "above the median"

    @property
    def rate(self) -> str:
        """What its rates are called."""
        return "selection rate" if self.median is None else "scoring rate"

    @property
    def left_out(self) -> tuple[str, ...]:
        """Categories without a ratio."""
        return tuple(
            f"{table.group}: {one.category}"
            for table in self.tables
            for one in table.lines
            if one.ratio is None
        )


def summaries(run: Run, stated: Mapping[str, str], form: str) -> tuple[Summary, ...]:
    """Each measurement of ``impact-ratio`` as a summary.

    Raises RunError where there is none, or several tools are measured; OptionsError for a fact that is missing, is no
    date, or is about nothing in it, for tables that are not all there, and for a ratio left out that has to be shown.
    """
    measured = [one for one in run if one.metric == ImpactRatio.name]
    if not measured:
        raise RunError(
            f"{run.title}: no measurement is of {ImpactRatio.name}, so there are no impact ratios. Choose another format"
        )
    tools = list(dict.fromkeys(one.model for one in measured))
    if len(tools) > 1:
        raise RunError(
            f"{run.title}: a summary is about one tool, with its own dates, and {len(tools)} are measured: {listed(tools)}. "
            "Measure each in a run of its own"
        )
    _check_stated(stated, form)
    found = tuple(_summary(one, stated) for one in measured)
    for one in found:
        _check_tables(one, form)
    left_out = [name for one in found for name in one.left_out]
    if left_out and JUSTIFICATION not in stated:
        raise OptionsError(
            f"{form}: no ratio is shown of {listed(left_out)} (leave_out_below), and nothing says why. State it: "
            f"{_example(JUSTIFICATION, 'three people')}"
        )
    if not left_out and JUSTIFICATION in stated:
        raise OptionsError(
            f"{form}: {JUSTIFICATION} says why ratios are left out, and none is. Leave it out, or measure with "
            f"leave_out_below={SMALL:g}"
        )
    return found


def _example(name: str, text: str) -> str:
    return either(f"-o {name}={text!r}", f"facts={{{name!r}: {text!r}}}")


def _check_stated(stated: Mapping[str, str], form: str) -> None:
    missing = [
        f"{name} ({what})"
        for name, what in FACTS.items()
        if name not in (JUSTIFICATION, TOOL) and not stated.get(name, "").strip()
    ]
    if missing:
        raise OptionsError(
            f"{form} asks for facts that no run holds, and assumes none: {'; '.join(missing)}. State each: "
            f"{_example('source', 'our applicant tracking system')}"
        )
    for name in DATES:
        try:
            date.fromisoformat(stated[name])
        except ValueError:
            raise OptionsError(
                f"{form}: {name} is {stated[name]!r}, which is no day. Write year, month and day: "
                f"{_example(name, '2026-10-01')}"
            ) from None


def _summary(measured: Measurement, stated: Mapping[str, str]) -> Summary:
    people = measured.headline.n["people"]
    rates = [one for one in measured.estimates if one.name.startswith(RATE)]
    median = measured.conventions.get(MEDIAN)
    return Summary(
        tool=stated.get(TOOL, measured.model),
        outcome=str(measured.conventions["outcome"]),
        people=people,
        median=None if median is None else float(median),
        level=next(one.interval.level for one in rates if one.interval),
        tables=tuple(_tables(measured, rates, people)),
        facts=stated,
        warnings=measured.warnings,
    )


def _tables(measured: Measurement, rates: Sequence[Estimate], people: int) -> Iterator[Table]:
    ratios = {one.name: one for one in measured.estimates if one.name.startswith(RATIO_OF)}
    by_group: dict[str, list[Line]] = {}
    for rate in rates:
        label = rate.name.removeprefix(RATE)
        group, _, category = label.partition(": ")
        ratio = ratios.get(f"{RATIO_OF}{label}")
        highest = ratio is not None and ratio.value is not None and ratio.interval is None
        own = Line(
            category,
            rate.n["people"],
            rate.n["selected"],
            _share(rate),
            None if ratio is None else _share(ratio),
            highest,
        )
        by_group.setdefault(group, []).append(own)
    for group, lines in by_group.items():
        yield Table(group, tuple(lines), people - sum(one.people for one in lines))


def _share(one: Estimate) -> Share:
    ends = one.interval
    return Share(one.value, ends.low, ends.high) if ends else Share(one.value)


def _check_tables(summary: Summary, form: str) -> None:
    """Raise OptionsError where a table is missing, or a category is left out that is not small."""
    groups = [table.group for table in summary.tables]
    crossed = [one for one in groups if " × " in one]
    if len(groups) - len(crossed) < 2 or not crossed:
        raise OptionsError(
            f"{form} has tables by sex, by race or ethnicity, and by both together, and the measurement has {listed(groups)}"
            '. Measure with both columns (-o \'data.groups=["sex", "race"]\') and intersections=true'
        )
    for table in summary.tables:
        for one in table.lines:
            if one.ratio is None and one.people >= SMALL * table.people:
                raise OptionsError(
                    f"{form}: the ratio of {table.group}: {one.category} is left out, {one.people} of {table.people} people,"
                    f" and only a category below {100 * SMALL:g} % may be. Measure with leave_out_below={SMALL:g}"
                )
