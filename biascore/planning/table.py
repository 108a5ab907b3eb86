"""A plan as people read it: the cells of its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from biascore.planning.plan import QuestionPlan

_HEADER: Final = (
    *("model", "hook", "counts", "questions", "unique", "cached", "to ask"),
    *("passes", "one by one", "tokens", "characters", "time"),
)


def table_of(rows: Sequence[QuestionPlan]) -> tuple[tuple[str, ...], ...]:
    """A header and the cells of each row, without columns that tell nothing: all "-", or "exact" of all."""
    whole = (_HEADER, *(_cells(row) for row in rows))
    told = [{*cells} - {"-"} for cells in zip(*whole[1:], strict=True)]
    kept = [i for i, cells in enumerate(told) if cells and (_HEADER[i], cells) != ("counts", {"exact"})]
    return tuple(tuple(row[i] for i in kept) for row in whole)


def _cells(row: QuestionPlan) -> tuple[str, ...]:
    cost = row.cost
    numbers = (
        *(row.put, row.unique, row.cached, row.asked),
        *(cost.passes, cost.naive_passes, cost.tokens, cost.characters),
    )
    cells = ("-" if number is None else f"{number:,}" for number in numbers)
    return (row.model, row.hook, row.counts, *cells, "-" if row.seconds is None else duration(row.seconds))


def duration(seconds: float) -> str:
    """A time as people say it, to three digits at most."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else "under 1 s"
