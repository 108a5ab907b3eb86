"""What stands beneath a table: what an effect is and means, conventions, warnings, and what failed.

What is the same for all rows is said once, then what is the same for a metric, then what a test has alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from biascore.results.run import Run
from biascore.results.summary import SummaryRow, summary_rows


def conventions(run: Run) -> tuple[str, ...]:
    """The conventions, each once."""
    return tuple(_conventions(summary_rows(run)))


def below_table(run: Run) -> tuple[str, ...]:
    """The lines, each once."""
    rows = summary_rows(run)
    lines = [
        *_meanings(rows),
        *_conventions(rows),
        *(f"{_alone(row)}: warning: {row.warnings}" for row in rows if row.warnings),
        *(f"warning: {warning}" for warning in run.warnings),
        *(f"failed: {failure.what}: {failure.message}" for failure in run.failed),
    ]
    return tuple(dict.fromkeys(lines))


def _meanings(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """The estimate and its unit for each metric, and what a positive effect means for each test."""
    for metric, some in _by_metric(rows):
        yield f"{metric}: {' or '.join(dict.fromkeys(f'{row.estimate} in {row.unit}' for row in some))}"
    for row in rows:
        if row.positive_means:
            yield f"{row.test}: positive means {row.positive_means}"


def _conventions(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """Each convention once: for the widest scope all of whose rows have it."""
    left = {place: list(json.loads(row.conventions).items()) for place, row in enumerate(rows)}
    for scope in (*_SCOPES, _alone):
        groups: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            groups.setdefault(scope(row), []).append(place)
        for name, places in groups.items():
            shared = [one for one in left[places[0]] if all(one in left[place] for place in places)]
            if shared and (len(places) > 1 or scope is _alone):
                yield f"conventions of {name}: {', '.join(f'{key} = {value}' for key, value in shared)}"
                for place in places:
                    left[place] = [one for one in left[place] if one not in shared]


def _alone(row: SummaryRow) -> str:
    return f"{row.test}, {row.metric} on {row.model}"


_SCOPES: Final[tuple[Callable[[SummaryRow], str], ...]] = (
    lambda _: "all",
    lambda row: row.metric,
    lambda row: f"all on {row.model}",
    lambda row: f"{row.metric} on {row.model}",
    lambda row: row.test,
    lambda row: f"{row.test}, {row.metric}",
)
"""The scopes of conventions, the widest first."""


def _by_metric(rows: Sequence[SummaryRow]) -> Iterator[tuple[str, list[SummaryRow]]]:
    for metric in dict.fromkeys(row.metric for row in rows):
        yield metric, [row for row in rows if row.metric == metric]
