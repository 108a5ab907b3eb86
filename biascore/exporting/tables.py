"""A run as a table that is pasted somewhere: Markdown, CSV and JSON, and the columns that tables choose from."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from biascore.basics.visible import visible, visible_json
from biascore.basics.wording import NOT_UNBIASED, true_minus
from biascore.exporter import Exported, Exporter
from biascore.results.gates import gates_line
from biascore.results.summary import SummaryRow, p_shown, summary_rows
from biascore.results.table_notes import below_table
from biascore.results.verdicts import Role
from biascore.results.words.answers import findings
from biascore.results.words.result import change_lines, hint_line, longer_lines, missed_line

if TYPE_CHECKING:
    from biascore.results.run import Run

TITLES: Final = {
    Role.FINDING: "Findings",
    Role.BASELINE: "Baselines (they check the tests)",
    Role.CHANGE: "Changes by a transform",
    Role.DESCRIPTION: "Descriptions (nothing is tested)",
    Role.CONTROL: "Controls (they check the tests)",
}
"""The tables in their order: controls come last."""
DIGITS: Final = 6
"""Significant digits of numbers in CSV and in the records of other tools; run.json has all of them."""
_FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")
"""What begins a formula in spreadsheets, or is skipped before one."""
_MARKDOWN: Final = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})


class Column(NamedTuple):
    """A column of a table: its head, and its cell for a row and the title of its test."""

    head: str
    cell: Callable[[SummaryRow, str], str]
    number: bool = False


COLUMNS: Final[Mapping[str, Column]] = {
    "model": Column("Model", lambda row, _: row.model),
    "concept": Column("Concept", lambda row, _: row.concept or "–"),
    "test": Column("Test", lambda row, _: row.test),
    "title": Column("Title", lambda row, title: title or row.test),
    "metric": Column("Metric", lambda row, _: row.metric),
    "estimate": Column("Estimate", lambda row, _: row.estimate),
    "effect": Column("Effect", lambda row, _: row.size, number=True),
    "interval": Column("Interval", lambda row, _: row.interval, number=True),
    "n": Column("n", lambda row, _: row.n),
    "p": Column("p", lambda row, _: p_shown(row.p_value), number=True),
    "p_adjusted": Column("p adjusted", lambda row, _: p_shown(row.p_adjusted), number=True),
    "verdict": Column("Verdict", lambda row, _: row.told or "–"),
}
_WITH_ESTIMATE: Final = tuple(name for name in COLUMNS if name != "title")
_DEFAULT: Final = tuple(name for name in _WITH_ESTIMATE if name != "estimate")


class Csv(Exporter):
    """Columns of the summary; an empty cell is a missing value. Controls come last."""

    id: ClassVar[str] = "csv"
    summary: ClassVar[str] = "one row for each measurement, with units and warnings"
    suffix: ClassVar[str] = ".csv"
    columns: ClassVar[tuple[str, ...]] = tuple(
        inner for name in SummaryRow._fields for inner in ((name, "title") if name == "estimate" else (name,))
    )

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The table, with a row for each measurement that failed, whose verdict says so."""
        names = self.chosen or tuple(name for name in self.columns if name != "conventions")
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        for row in _records(run, self.estimates):
            writer.writerow([_csv_cell(row.get(name)) for name in names])
        return (Exported(visible(stream.getvalue())),)


class Json(Exporter):
    """The run as it is stored in ``run.json``, and what it says in three sentences and did not test."""

    id: ClassVar[str] = "json"
    summary: ClassVar[str] = "everything but the tables of items, as in run.json, with the three sentences"
    suffix: ClassVar[str] = ".json"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The JSON."""
        said = {"three_sentences": run.three_sentences, "untested": run.untested.model_dump(mode="json")}
        whole = json.dumps({**run.to_json(), **said}, ensure_ascii=False, indent=1)
        return (Exported(f"{visible_json(whole)}\n"),)


class Markdown(Exporter):
    """The result, tables by role, and how to read them."""

    id: ClassVar[str] = "md"
    summary: ClassVar[str] = "tables in Markdown, for an issue or a README"
    suffix: ClassVar[str] = ".md"
    columns: ClassVar[tuple[str, ...]] = tuple(COLUMNS)

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The text."""
        told = [*answer_lines(run), *(f"- {markdown(line)}" for line in run.control_lines)]
        lines = [f"**{markdown(run.title)}**", "", *result_lines(run), "", *told, ""]
        names = self.chosen or (_WITH_ESTIMATE if self.estimates else _DEFAULT)
        return (Exported("\n".join([*lines, *markdown_lines(run, names, self.estimates)])),)


def _records(run: Run, estimates: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows as values by name, rounded, and what failed; what is about controls comes last."""
    titles = titles_of(run)
    made: list[dict[str, Any]] = []
    for role in TITLES:
        for row in summary_rows(run, [role], estimates):
            made.append({name: rounded(value, DIGITS) for name, value in row._asdict().items()})
            made[-1]["title"] = titles[row.test]
    for failure in run.failed:
        known = {"model": failure.model, "test": failure.test, "metric": failure.metric, "verdict": "failed"}
        made.append({**known, "note": failure.message})
    yield from sorted(made, key=lambda one: one["model"] in run.controls)


def _csv_cell(value: Any) -> Any:
    """A value as a cell; a text that a spreadsheet would take for a formula begins with an apostrophe."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value


def rounded(value: Any, digits: int) -> Any:
    """A number with so many significant digits; anything else as it is."""
    return float(f"{value:z.{digits}g}") if isinstance(value, float) else value


def titles_of(run: Run) -> dict[str, str]:
    """The titles of the tests, by id."""
    return {measurement.test: measurement.test_title for measurement in run.measurements}


def tables_of(run: Run, estimates: Sequence[str] = ()) -> Iterator[tuple[str, tuple[SummaryRow, ...]]]:
    """The rows by role, findings first and controls last, with the title of each table."""
    for role, title in TITLES.items():
        rows = summary_rows(run, [role], estimates)
        if rows:
            yield title, rows


def counts(verdicts: Sequence[str]) -> str:
    """How many measurements came out how: ``0 detected, 3 hints, 14 inconclusive``."""
    found = Counter(verdicts)
    plural = {
        verdict: "hints" if verdict == "hint" and many > 1 else verdict for verdict, many in found.items()
    }
    return ", ".join(f"{found[one]} {plural.get(one, one)}" for one in dict.fromkeys(["detected", *found]))


def result_lines(run: Run) -> list[str]:
    """The result of each model in use, and whether a rule was set: with these a text begins."""
    known = "Only models with a known bias were measured. This says nothing of a model in use."
    lines = run.result_lines or ((known,) if run.controls else ())
    rule = gates_line(run.gates) or "No pass/fail rule was set."
    return [
        *(f"**{markdown(line)}**" for line in lines),
        *filter(None, [hint_line(run.answers)]),
        markdown(rule),
    ]


def notes(run: Run) -> tuple[str, ...]:
    """What has to be said with any table of this run."""
    levels = sorted({row.ci_level for row in summary_rows(run) if row.ci_level is not None})
    shown = " and ".join(f"{100 * level:g} %" for level in levels)
    how = run.adjustment
    return (
        *([f"Intervals at {shown}."] if shown else []),
        "p-values are not adjusted for the number of tests."
        if how.value == "none"
        else f"p adjusted over the measurements on one model ({how.shown}).",
        f"{NOT_UNBIASED}.",
    )


def answer_lines(run: Run) -> list[str]:
    """What the run answers, a line for each model and concept, with what could be misread of it."""
    found = [*filter(None, [missed_line(run.answers, run.sensitivities)])]
    found += [line for answer in findings(run.answers) for line in (answer.text, *answer.notes)]
    found += [*change_lines(run), *longer_lines(run, run.answers)]
    return [f"- {markdown(line)}" for line in found]


def markdown_lines(run: Run, columns: Sequence[str], estimates: Sequence[str] = ()) -> list[str]:
    """The Markdown of a run: tables of these columns, notes, and conventions and warnings, each once."""
    lines: list[str] = []
    titles = titles_of(run)
    heads = [COLUMNS[name].head for name in columns]
    for title, rows in tables_of(run, estimates):
        lines += [f"{title}", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
        for row in rows:
            cells = [_markdown_cell(COLUMNS[name], row, titles[row.test]) for name in columns]
            lines.append(f"| {' | '.join(cells)} |")
        lines += [""]
    lines += [*notes(run), "", "<details><summary>Details: units, conventions, warnings</summary>", ""]
    return [*lines, *(f"- {markdown(line)}" for line in below_table(run)), "", "</details>", ""]


def markdown(text: str) -> str:
    """A text that Markdown and HTML show as it is, in one line."""
    return re.sub(r"\s*\n\s*", "; ", visible(text)).translate(_MARKDOWN)


def _markdown_cell(column: Column, row: SummaryRow, title: str) -> str:
    """With a true minus before numbers."""
    text = column.cell(row, title)
    return true_minus(text) if column.number else markdown(text)
