"""A run or a measurement as a notebook shows it: sentences and tables of HTML, without scripts."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Final

from biascore.basics.visible import visible
from biascore.basics.wording import NOT_UNBIASED, but, true_minus
from biascore.results.estimates import brief, describe
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.summary import SummaryRow, p_shown, summary_rows
from biascore.results.table_notes import conventions
from biascore.results.verdicts import Role
from biascore.results.words.answers import findings
from biascore.results.words.caveats import caveat_lines
from biascore.results.words.result import change_lines, longer_lines
from biascore.stats import Verdict

MOST: Final = 30
"""So many rows are shown; all are in the frame and in the report."""
_COLUMNS: Final = (
    "model",
    "concept",
    "test",
    "metric",
    "effect",
    "interval",
    "n",
    "p",
    "p adjusted",
    "verdict",
)


def run_html(run: Run) -> str:
    """The result, controls, and the table of measurements, findings first."""
    rows = sorted(summary_rows(run), key=lambda row: row.role != Role.FINDING.value)
    said = [line for answer in findings(run.answers) for line in (answer.text, *answer.notes)]
    more = len(rows) - MOST
    last = [f"{more} more rows: run.to_frame() has all"] if more > 0 else []
    failed = [f"failed: {failure.what}: {failure.message}" for failure in run.failed]
    of_run = [f"warning: {one}" for one in run.warnings]
    caveats = [f"caveat: {one}" for one in caveat_lines(run)]
    adjusted = f"p adjusted over the measurements on one model: {run.adjustment.shown}"
    return "".join(
        [
            f"<p><b>{_text_of(run.title)}</b></p>",
            _bullets(
                [
                    *run.result_lines,
                    *said,
                    *change_lines(run),
                    *longer_lines(run, run.answers),
                    *run.control_lines,
                ]
            ),
            _table(_COLUMNS, map(_cells, rows[:MOST])),
            _bullets([*last, adjusted, f"{NOT_UNBIASED}.", *failed, *of_run]),
            _details(_bullets([*conventions(run), *caveats])),
        ]
    )


def _cells(row: SummaryRow) -> tuple[str, ...]:
    size = f"{true_minus(row.size)} {row.unit}" if row.effect is not None else row.size
    level = f" ({100 * row.ci_level:g} %)" if row.ci_level is not None else ""
    return (
        *(row.model, row.concept, row.test, row.metric, size, f"{true_minus(row.interval)}{level}", row.n),
        *(p_shown(row.p_value), p_shown(row.p_adjusted), row.told),
    )


def measurement_html(measurement: Measurement) -> str:
    """Its headline and verdict; all else on demand."""
    conventions = ", ".join(f"{name} = {value}" for name, value in measurement.conventions.items())
    # What describes has no verdict that could be taken for one.
    inconclusive = measurement.verdict is Verdict.INCONCLUSIVE and not measurement.describes
    told = [true_minus(brief(measurement.headline)), measurement.alone, but(measurement.in_brief)]
    lines = [
        measurement.reason,
        f"positive means: {measurement.positive_means}" if measurement.positive_means else "",
        *(true_minus(describe(estimate)) for estimate in measurement.estimates),
        f"harmless groups: {measurement.specificity.full}" if measurement.specificity else "",
        f"conventions: {conventions}",
        *(f"caveat: {caveat}" for caveat in measurement.warnings),
    ]
    return "".join(
        [
            f"<p><b>{_text_of(f'{measurement.method} {measurement.test} on {measurement.model}')}</b>: ",
            f"{_text_of('; '.join(filter(None, told)))}.</p>",
            _bullets([f"{NOT_UNBIASED}."] if inconclusive else []),
            _details(_bullets(filter(None, lines))),
        ]
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a head."""
    head = "".join(f"<th>{_text_of(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{_text_of(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _bullets(lines: Iterable[str]) -> str:
    """A list, or nothing where there is no line."""
    entries = "".join(f"<li>{_text_of(line)}</li>" for line in lines)
    return f"<ul>{entries}</ul>" if entries else ""


def _details(content: str, summary: str = "Details") -> str:
    """What is shown when it is opened."""
    return f"<details><summary>{_text_of(summary)}</summary>{content}</details>" if content else ""


def _text_of(text: str) -> str:
    """A text as HTML shows it, with what would act made visible."""
    return html.escape(visible(text))
