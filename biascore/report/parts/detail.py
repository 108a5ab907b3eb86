"""One section for each measurement: what it says and why, its pictures, its items, and its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from biascore.basics.visible import visible
from biascore.report.charts import Chart, Undrawn, measurement_charts
from biascore.report.examples import Told, examples_of
from biascore.report.items import has_values, table_rows
from biascore.report.parts.part import Part
from biascore.report.parts.remarks import disagreement
from biascore.report.texts import cell
from biascore.results.estimates import Estimate, PValue
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.run_files import items_path
from biascore.results.stimuli_used import TestUsed
from biascore.results.table_notes import below_table
from biascore.results.verdicts import RunVerdict, State, describe_verdict, reason_of
from biascore.results.words.effects import moved

SHORT_TABLE: Final = 20
"""Item tables of up to so many rows stand on the page; longer ones are drawn when they are opened."""
EXTREMES: Final = 5
SHORT_ESTIMATES: Final = 8
"""Of longer tables of estimates and p-values so many rows are shown, the rest on demand."""
OPEN_SECTIONS: Final = 3
"""Runs of up to so many measurements start with all their sections open."""
MANY_SECTIONS: Final = 60
"""The details of more measurements than this are packed: they are most of a page, and few of them are opened."""
BLOCK: Final = 20
"""So many are packed together: much is the same in all, and one is unpacked in no time."""


@dataclass(frozen=True, slots=True)
class Section:
    """One measurement with what the run says of it and why, its charts, and its item rows as texts.

    Of very many items some are ``rows``; all are in the file ``stored`` of a saved run.
    """

    number: int
    measurement: Measurement
    said: RunVerdict
    reason: str
    charts: tuple[Chart | Undrawn, ...]
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    stored: str
    test: TestUsed | None
    examples: Told | None

    @property
    def lists(self) -> list[tuple[str, str, str]]:
        """The lists by name, with their role and their words in one text, and how many more there are."""
        found = []
        for one in self.test.lists if self.test else ():
            more = f" and {one.given - len(one.words):,} more" if one.given > len(one.words) else ""
            found.append((one.title, one.role, f"{', '.join(one.words)}{more}"))
        return found

    @property
    def hidden(self) -> bool:
        """Whether items are shown only where they are asked for."""
        return self.examples is not None and bool(self.examples.figure.notice)

    @property
    def by_value(self) -> bool:
        """Whether the rows are in order of their values, and some of them chosen by these."""
        return has_values(self.measurement)

    @property
    def lowest_and_highest(self) -> list[tuple[Any, ...]] | None:
        """The rows at both ends with a gap between them, or None where the table is short."""
        if len(self.rows) <= SHORT_TABLE:
            return None
        return [*self.rows[:EXTREMES], (), *self.rows[-EXTREMES:]]

    @property
    def moved(self) -> str:
        """What a transform did to its effect; empty where it is of no change."""
        return moved(self.measurement)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All estimates, the one to read first at the top."""
        first = self.measurement.first
        rest = tuple(one for one in self.measurement.estimates if one is not first)
        return (first, *rest) if first else rest

    @property
    def told(self) -> dict[str, Any]:
        """The item table as data, from which the page makes it when it is opened."""
        listed = len(self.rows) < self.measurement.items.num_rows
        caption = "The items that this page lists" if listed else "All items"
        order = ", greatest value first" if self.by_value else ""
        return _table(caption + order, self.columns, self.rows)

    @property
    def lost(self) -> dict[str, Any]:
        """What was lost, as data in the same form."""
        words = self.measurement.coverage.lost
        rows = [(word.word, word.role, word.reason) for word in words]
        return _table(f"Lost: {len(words):,}", ("What", "List", "Why"), rows)

    @property
    def state(self) -> State:
        """Its state in one word."""
        return State.of(self.measurement, self.said)

    @property
    def verdict(self) -> str:
        """The state with its caveats."""
        return describe_verdict(self.measurement, self.said)

    @property
    def disagreement(self) -> str:
        """Where the interval of the headline contradicts its p-value, a sentence on what each of them asks."""
        if not disagreement(self.measurement):
            return ""
        return (
            "The interval and the test answer different questions, and here they disagree: the test asks whether chance "
            "could give such a result with these items, the interval how large the effect would be with other such items."
        )

    @property
    def p_values(self) -> list[tuple[Estimate, PValue, bool]]:
        """Every p-value with its estimate, and whether it decides: the first one of the first estimate does."""
        return [
            (estimate, p, rank == order == 0)
            for rank, estimate in enumerate(self.measurement.estimates)
            for order, p in enumerate(estimate.p_values)
        ]


def _table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[str, Any]:
    """A table as data, with its texts made visible: the page puts them in as they are."""
    return {
        "caption": caption,
        "columns": [visible(name) for name in columns],
        "rows": [[visible(text) for text in row] for row in rows],
    }


def measurements(run: Run) -> Part:
    """All sections, closed where there are many."""
    tests = {test.id: test for test in run.tests}
    sections = [
        Section(
            position,
            measurement,
            said,
            reason_of(measurement, said, run.adjustment),
            measurement_charts(measurement, position),
            tuple(measurement.items.column_names),
            [tuple(cell(value) for value in row) for row in table_rows(measurement)],
            items_path(position - 1, measurement.metric, measurement.test).as_posix(),
            tests.get(measurement.test),
            examples_of(measurement),
        )
        for position, (measurement, said) in enumerate(zip(run, run.verdicts, strict=True), start=1)
    ]
    values = {
        "sections": sections,
        "open_sections": len(sections) <= OPEN_SECTIONS,
        "block": BLOCK if len(sections) > MANY_SECTIONS else 0,
        "short": SHORT_ESTIMATES,
        "beneath": below_table(run),
    }
    return Part("measurements", "Measurements", "measurements", values, "Details")
