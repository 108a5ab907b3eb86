"""Which effects so few names cannot show, whatever a model answers."""

from __future__ import annotations

from biascore.stats import Unreachable, Verdict
from biascore.stats.effects import by_column
from biascore_metrics.eec.fits import design_of
from biascore_metrics.eec.rows import OF, Rows


def unreachable(rows: Rows) -> tuple[Unreachable, ...]:
    """Effects of which a group has one name."""
    names = {cell: len(set(rows.person[rows.cell == cell].tolist())) for cell in rows.cells}
    place = {name: at for at, name in enumerate(rows.levels)}
    found: list[Unreachable] = []
    for column, change in by_column(design_of(rows)):
        few = [
            cell
            for cell, n in names.items()
            if n < 2 and all(cell.split(OF)[place[factor]] in levels for factor, levels in change.items())
        ]
        why = "needs two names in each group, and {} has one"
        found += [Unreachable(Verdict.DETECTED, why.format(cell), column) for cell in few[:1]]
    return tuple(found)
