"""A run or a measurement as a notebook shows it: sentences and tables of HTML, without scripts."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Final

from biascore.basics.visible import visible
from biascore.basics.wording import NOT_UNBIASED, but, true_minus
from biascore.report.lanes import Lane, panels
from biascore.results.estimates import brief, describe
from biascore.results.measurement import Measurement
from biascore.results.rows import FAILED, Row, failed_row, ground_rows, test_row
from biascore.results.run import Run
from biascore.results.summary import SummaryRow, p_shown, summary_rows
from biascore.results.table_notes import conventions
from biascore.results.verdicts import Role, State, run_verdicts
from biascore.results.words.answers import Answer, findings
from biascore.results.words.caveats import caveat_lines
from biascore.results.words.result import change_lines, longer_lines, missed_line
from biascore.stats import Adjustment, Verdict

MOST: Final = 30
"""So many rows are shown; all are in the frame and in the report."""
_COLOURS: Final = {
    State.DETECTED.value: "#b3261e",
    State.HINT.value: "#8a3d96",
    State.NEGLIGIBLE.value: "#1b7a3d",
    FAILED: "#b3261e",
}
_UNDECIDED: Final = "#777"
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
    """A failed check, the result, a row for each ground, the checks; all measurements and what was said on demand."""
    rows = sorted(summary_rows(run), key=lambda row: row.role != Role.FINDING.value)
    own = findings(run.answers)
    more = len(rows) - MOST
    last = [f"{more} more rows: run.to_frame() has all"] if more > 0 else []
    failed = [f"failed: {failure.what}: {failure.message}" for failure in run.failed]
    of_run = [f"warning: {one}" for one in run.warnings]
    said = [line for answer in own for line in (answer.text, *answer.notes)]
    caveats = [f"caveat: {one}" for one in caveat_lines(run)]
    adjusted = f"p adjusted over the measurements on one model: {run.adjustment.shown}"
    missed, grounds = missed_line(run.answers, run.sensitivities), _ground_rows(run, own)
    return "".join(
        [
            f"<p><b>{_text_of(run.title)}</b></p>",
            f'<p style="color:#b3261e"><b>{_text_of(missed)}</b></p>' if missed else "",
            *(f"<p><b>{_text_of(line)}</b></p>" for line in run.result_lines),
            _pictures(grounds, several=len({row.model for row in grounds}) > 1),
            _bullets([*change_lines(run), *longer_lines(run, run.answers), *run.control_lines]),
            _bullets([adjusted, f"{NOT_UNBIASED}.", *failed, *of_run]),
            _bullets([f"Not tested: {run.untested.brief}."]) if own else "",
            _details(
                f"<p>{_text_of(' '.join(run.three_sentences))}</p>"
                + _bullets(f"{about}: {told}" for about, told in run.untested.lines),
                "In three sentences, and what was not tested",
            ),
            _details(_table(_COLUMNS, map(_cells, rows[:MOST])) + _bullets(last), "All measurements"),
            _details(_bullets([*said, *conventions(run), *caveats])),
        ]
    )


def _ground_rows(run: Run, own: Sequence[Answer]) -> list[Row]:
    """What is decided first, what failed last."""
    order = [state.value for state in State]
    rows = ground_rows(own, run.measurements, run.verdicts)
    return [*sorted(rows, key=lambda row: order.index(row.state)), *map(failed_row, run.failed)]


def _pictures(rows: Sequence[Row], *, several: bool) -> str:
    """A table for each scale: name, picture, value, state and its note; with the model where there are several."""
    found = []
    for panel in panels(rows):
        about = ""
        if panel.scale is not None:
            neutral = (
                "" if panel.scale.neutral is None else f"; the line is no bias ({panel.scale.neutral:g})"
            )
            about = f"<caption>{_text_of(panel.scale.label + neutral)}</caption>"
        body = "".join(_picture_row(row, lane, several=several) for row, lane in panel.rows)
        found.append(f"<table>{about}<tbody>{body}</tbody></table>")
    return "".join(found)


def _picture_row(row: Row, lane: Lane | None, *, several: bool) -> str:
    colour = _COLOURS.get(row.state, _UNDECIDED)
    counts = f" {row.counts}" if row.counts else ""
    cells = [
        *([_text_of(row.model)] if several else []),
        f"<b>{_text_of(row.name)}</b>" + (f"<br>{_text_of(row.says)}" if row.says else ""),
        _svg(lane) if lane else "",
        f"<b>{_text_of(row.value)}</b>"
        + (f'<br><span style="white-space:nowrap">{_text_of(row.interval)}</span>' if row.interval else ""),
        f'<b style="color:{colour}">{_text_of(row.state)}</b>{_text_of(counts)}',
        _text_of("; ".join(filter(None, [row.note, row.besides and f"but {row.besides}", row.sets]))),
    ]
    return "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>"


def _svg(lane: Lane) -> str:
    """The picture of a row: the bound, the neutral value, the other tests, and the lead with its interval."""
    parts = []
    if lane.bound:
        width = lane.bound[1] - lane.bound[0]
        parts.append(
            f'<rect x="{lane.bound[0]}%" width="{width:z.2f}%" height="24" fill="#888" fill-opacity=".2"></rect>'
        )
    if lane.neutral is not None:
        parts.append(f'<line x1="{lane.neutral}%" x2="{lane.neutral}%" y1="0" y2="24" stroke="#888"></line>')
    for one in lane.others:
        parts.append(
            f'<circle cx="{one.at}%" cy="5" r="2.5" fill="none" stroke="{_COLOURS.get(one.state, _UNDECIDED)}"></circle>'
        )
    lead, colour = lane.lead, _COLOURS.get(lane.lead.state, _UNDECIDED)
    if lead.low is not None and lead.high is not None:
        dashes = ' stroke-dasharray="4 4"' if lead.state == State.INCONCLUSIVE.value else ""
        parts.append(
            f'<line x1="{lead.low}%" x2="{lead.high}%" y1="15" y2="15" stroke="{colour}" stroke-width="2"{dashes}></line>'
        )
    fill = colour if lead.state == State.DETECTED.value else "none"
    parts.append(
        f'<circle cx="{lead.at}%" cy="15" r="5" fill="{fill}" stroke="{colour}" stroke-width="2"></circle>'
    )
    return (
        f'<svg role="img" aria-label="{_text_of(lane.told)}" width="240" height="24">{"".join(parts)}</svg>'
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
    row = test_row(0, [measurement], run_verdicts([measurement], (), Adjustment.NONE))
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
            _pictures([row], several=False) if row.lead else "",
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
