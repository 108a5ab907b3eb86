"""Which effects so few names cannot show, whatever a model answers."""

from __future__ import annotations

import numpy as np

from biascore.stats import Unreachable, Verdict, cluster_means
from biascore.stats.effects import by_column
from biascore_metrics.eec.fits import design_of
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.rows import OF, Rows


def unreachable(rows: Rows, options: EecOptions) -> tuple[Unreachable, ...]:
    """Effects of one factor where a group has one name, and interactions of which no labelling has so small a p."""
    names = {cell: len(set(rows.person[rows.cell == cell].tolist())) for cell in rows.cells}
    means = cluster_means(np.zeros(rows.person.size), rows.person, rows.factors)
    place = {name: at for at, name in enumerate(rows.levels)}
    found: list[Unreachable] = []
    for column, change in by_column(design_of(rows)):
        if len(change) > 1:
            found += Unreachable.detected(means.attainable(change), options.alpha, column)
            continue
        ((factor, levels),) = change.items()
        few = [cell for cell, n in names.items() if n < 2 and cell.split(OF)[place[factor]] in levels]
        why = "needs two names in each group, and {} has one"
        found += [Unreachable(Verdict.DETECTED, why.format(cell), column) for cell in few[:1]]
    return tuple(found)
