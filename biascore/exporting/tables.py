"""A run as a table that is pasted somewhere: Markdown, CSV, JSON and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from biascore.basics.visible import visible, visible_json
from biascore.basics.wording import MINUS, NOT_UNBIASED, true_minus
from biascore.exporter import Exported, Exporter
from biascore.results.answers import findings
from biascore.results.summary import SummaryRow, p_shown, summary_rows
from biascore.results.table_notes import beneath
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.results.run import Run

TITLES: Final = {
    Role.FINDING: "Findings",
    Role.BASELINE: "Baselines, which are no findings",
    Role.CONTROL: "Controls, which are no findings",
    Role.CHANGE: "Changes by a transform, which are no findings",
    Role.DESCRIPTION: "Descriptions, which test nothing",
}
COLUMNS: Final = (
    "Model",
    "Concept",
    "Test",
    "Metric",
    "Effect",
    "Interval",
    "n",
    "p",
    "p adjusted",
    "Verdict",
)
_NUMBERS: Final = ("Effect", "Interval", "p", "p adjusted")
_POWER: Final = re.compile(r"(\d(?:\.\d+)?)e([+-])0*(\d+)")
_MARKDOWN: Final = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})
_LATEX: Final = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "–": "--", "\n": " "}
)


class Csv(Exporter):
    """All columns of the summary; an empty cell is a missing value."""

    id: ClassVar[str] = "csv"
    summary: ClassVar[str] = "one row for each measurement, with units, conventions and warnings"
    suffix: ClassVar[str] = ".csv"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The table, with a row for each measurement that failed, whose verdict says so."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(SummaryRow._fields)
        for row in summary_rows(run):
            writer.writerow(["" if value is None else value for value in row])
        for failure in run.failed:
            known = {
                "model": failure.model,
                "test": failure.test,
                "metric": failure.metric,
                "verdict": "failed",
            }
            known["note"] = failure.message
            writer.writerow([known.get(name, "") for name in SummaryRow._fields])
        return (Exported(visible(stream.getvalue())),)


class Json(Exporter):
    """The run as it is stored in ``run.json``."""

    id: ClassVar[str] = "json"
    summary: ClassVar[str] = "everything but the tables of items, as in run.json"
    suffix: ClassVar[str] = ".json"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The JSON."""
        return (Exported(visible_json(json.dumps(run.to_json(), ensure_ascii=False, indent=1)) + "\n"),)


class Markdown(Exporter):
    """Tables of findings and of what is none, and beneath them how to read them."""

    id: ClassVar[str] = "md"
    summary: ClassVar[str] = "tables in Markdown, for an issue or a README"
    suffix: ClassVar[str] = ".md"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The text."""
        told = [*answer_lines(run), *(f"- {markdown(line)}" for line in run.control_lines)]
        return (Exported("\n".join([f"**{markdown(run.title)}**", "", *told, "", *markdown_lines(run)])),)


class Latex(Exporter):
    """Tables for LaTeX with booktabs."""

    id: ClassVar[str] = "latex"
    summary: ClassVar[str] = "tables for LaTeX, which need \\usepackage{booktabs}"
    suffix: ClassVar[str] = ".tex"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The tables, one for each role, and comments on how to read them."""
        found = [
            f"% {_latex(run.title)}: tables by biascore {run.provenance.biascore_version}; need booktabs"
        ]
        told = (answer.text for answer in findings(run.answers))
        for title, rows in tables_of(run):
            found += [
                r"\begin{table}",
                rf"\caption{{{_latex(title)}. {_latex(' '.join(notes(run)))}}}",
                r"\begin{tabular}{llllrlllll}",
                r"\toprule",
                " & ".join(COLUMNS) + r" \\",
                r"\midrule",
                *(" & ".join(_latex_cells(row)) + r" \\" for row in rows),
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        return (Exported("\n".join([*found, *(f"% {_latex(line)}" for line in (*told, *beneath(run))), ""])),)


def tables_of(run: Run) -> Iterator[tuple[str, tuple[SummaryRow, ...]]]:
    """The rows by role, findings first, with the title of each table."""
    for role, title in TITLES.items():
        rows = summary_rows(run, [role])
        if rows:
            yield title, rows


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
    found = [line for answer in findings(run.answers) for line in (answer.text, *answer.notes)]
    return [f"- {markdown(line)}" for line in found]


def markdown_lines(run: Run) -> list[str]:
    """The Markdown of a run: tables, notes, and a list of what stands beneath."""
    lines: list[str] = []
    for title, rows in tables_of(run):
        lines += [f"{title}", "", f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
        lines += [f"| {' | '.join(_markdown_cells(row))} |" for row in rows]
        lines += [""]
    lines += [*notes(run), "", "<details><summary>Details: units, conventions, warnings</summary>", ""]
    return [*lines, *(f"- {markdown(line)}" for line in beneath(run)), "", "</details>", ""]


def markdown(text: str) -> str:
    """A text that Markdown and HTML show as it is, in one line."""
    return re.sub(r"\s*\n\s*", "; ", visible(text)).translate(_MARKDOWN)


def _markdown_cells(row: SummaryRow) -> list[str]:
    """With a true minus before numbers."""
    return [
        true_minus(cell) if column in _NUMBERS else markdown(cell)
        for column, cell in zip(COLUMNS, _cells(row), strict=True)
    ]


def _latex_cells(row: SummaryRow) -> list[str]:
    """With the minus and the powers of ten of mathematics in numbers."""
    return [
        _POWER.sub(_power, _latex(true_minus(cell)).replace(MINUS, "$-$"))
        if column in _NUMBERS
        else _latex(cell)
        for column, cell in zip(COLUMNS, _cells(row), strict=True)
    ]


def _power(found: re.Match[str]) -> str:
    digits, sign, exponent = found.groups()
    return rf"${digits} \times 10^{{{sign.replace('+', '')}{exponent}}}$"


def _latex(text: str) -> str:
    return visible(text).translate(_LATEX)


def _cells(row: SummaryRow) -> tuple[str, ...]:
    return (
        *(row.model, row.concept or "–", row.test, row.metric),
        *(row.size, row.interval, row.n, p_shown(row.p_value), p_shown(row.p_adjusted), row.told),
    )
