"""A run as a notebook shows it: sentences and a table, without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biascore.basics.wording import NOT_UNBIASED, true_minus
from biascore.results.answers import findings
from biascore.results.caveat_lines import warning_lines
from biascore.results.markup import bullets, details, table, text_of
from biascore.results.summary import SummaryRow, p_shown, summary_rows
from biascore.results.table_notes import conventions
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
    of_run, warnings = ([f"warning: {one}" for one in some] for some in (run.warnings, warning_lines(run)))
    adjusted = f"p adjusted over the measurements on one model: {run.adjustment.shown}"
    return "".join(
        [
            f"<p><b>{text_of(run.title)}</b></p>",
            bullets([*said, *run.control_lines]),
            table(_COLUMNS, map(_cells, rows[:MOST])),
            bullets([*last, adjusted, f"{NOT_UNBIASED}.", *failed, *of_run]),
            details(bullets([*conventions(run), *warnings])),
        ]
    )


def _cells(row: SummaryRow) -> tuple[str, ...]:
    size = f"{true_minus(row.size)} {row.unit}" if row.effect is not None else row.size
    level = f" ({100 * row.ci_level:g} %)" if row.ci_level is not None else ""
    return (
        *(row.model, row.concept, row.test, row.metric, size, f"{true_minus(row.interval)}{level}", row.n),
        *(p_shown(row.p_value), p_shown(row.p_adjusted), row.told),
    )
