"""A run as a table that is pasted somewhere: Markdown, CSV, JSON and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from biascore.basics.visible import visible, visible_json
from biascore.exporter import Exported, Exporter
from biascore.results.summary import SummaryRow, p_shown, summary_rows
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
        return (Exported("\n".join(markdown_lines(run))),)


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
        for title, rows in tables_of(run):
            found += [
                r"\begin{table}",
                rf"\caption{{{_latex(title)}. {_latex(' '.join(notes(run)))}}}",
                r"\begin{tabular}{llllrlllll}",
                r"\toprule",
                " & ".join(COLUMNS) + r" \\",
                r"\midrule",
                *(" & ".join(map(_latex, _cells(row))) + r" \\" for row in rows),
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        return (Exported("\n".join([*found, *(f"% {_latex(line)}" for line in beneath(run)), ""])),)


def tables_of(run: Run) -> Iterator[tuple[str, tuple[SummaryRow, ...]]]:
    """The rows by role, findings first, with the title of each table."""
    for role, title in TITLES.items():
        rows = summary_rows(run, [role])
        if rows:
            yield title, rows


def notes(run: Run) -> tuple[str, ...]:
    """What has to be said with any table of this run."""
    levels = sorted({row.ci_level for row in summary_rows(run) if row.ci_level is not None})
    shown = " and ".join(f"{level:.0%}" for level in levels)
    how = run.adjustment
    return (
        *([f"Intervals at {shown}."] if shown else []),
        "p-values are not adjusted for the number of tests."
        if how.value == "none"
        else f"p adjusted over the measurements on one model ({how.shown}).",
        "Inconclusive is not unbiased: the data tell neither a bias nor its absence.",
    )


def beneath(run: Run) -> tuple[str, ...]:
    """What stands beneath the tables: what a positive effect means, units, conventions, warnings, and what failed."""
    found: dict[str, None] = {}
    for row in summary_rows(run):
        name = f"{row.test}, {row.metric}"
        means = f" positive means {row.positive_means};" if row.positive_means else ""
        found[f"{name}: {row.estimate} in {row.unit};{means} conventions: {_conventions(row)}"] = None
        if row.warnings:
            found[f"{name} on {row.model}: warning: {row.warnings}"] = None
    for warning in run.warnings:
        found[f"warning: {warning}"] = None
    for failure in run.failed:
        found[f"failed: {failure.what}: {failure.message}"] = None
    return tuple(found)


def _conventions(row: SummaryRow) -> str:
    return ", ".join(f"{name} = {value}" for name, value in json.loads(row.conventions).items())


def markdown_lines(run: Run) -> list[str]:
    """The Markdown of a run: tables, notes, and a list of what stands beneath."""
    lines = [f"**{markdown(run.title)}**", ""]
    for title, rows in tables_of(run):
        lines += [f"{title}", "", f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
        lines += [f"| {' | '.join(map(markdown, _cells(row)))} |" for row in rows]
        lines += [""]
    lines += [*notes(run), ""]
    return [*lines, *(f"- {markdown(line)}" for line in beneath(run)), ""]


def markdown(text: str) -> str:
    """A text that Markdown and HTML show as it is, in one line."""
    return re.sub(r"\s*\n\s*", "; ", visible(text)).translate(_MARKDOWN)


def _latex(text: str) -> str:
    return visible(text).translate(_LATEX)


def _cells(row: SummaryRow) -> tuple[str, ...]:
    verdict = f"{row.verdict} ({row.note})" if row.note else row.verdict
    return (
        *(row.model, row.concept or "–", row.test, row.metric),
        *(row.size, row.interval, row.n, p_shown(row.p_value), p_shown(row.p_adjusted), verdict),
    )
