"""A run as a notebook shows it: sentences and a table, without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biascore.results.answers import findings
from biascore.results.markup import bullets, table, text_of
from biascore.results.summary import SummaryRow, p_shown, summary_rows
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.results.run import Run

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
    """The answers, the ruler, and the table of what was measured, findings first."""
    rows = sorted(summary_rows(run), key=lambda row: row.role != Role.FINDING.value)
    said = [line for answer in findings(run.answers) for line in (answer.text, *answer.notes)]
    more = len(rows) - MOST
    last = [f"{more} more rows: run.to_frame() has all"] if more > 0 else []
    failed = [f"failed: {failure.what}: {failure.message}" for failure in run.failed]
    warnings = [f"warning: {warning}" for warning in run.warnings]
    adjusted = f"p adjusted over the measurements on one model: {run.adjustment.shown}"
    return "".join(
        [
            f"<p><b>{text_of(run.title)}</b></p>",
            bullets([*said, *run.control_lines]),
            table(_COLUMNS, map(_cells, rows[:MOST])),
            bullets([*last, adjusted, *failed, *warnings]),
        ]
    )


def _cells(row: SummaryRow) -> tuple[str, ...]:
    verdict = f"{row.verdict} ({row.note})" if row.note else row.verdict
    size = f"{row.size} {row.unit}" if row.effect is not None else row.size
    return (
        *(row.model, row.concept, row.test, row.metric, size, row.interval, row.n),
        *(p_shown(row.p_value), p_shown(row.p_adjusted), verdict),
    )
