"""What a metric returned, held against what it was asked for."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from biascore.results.measurement import Measurement, item_table
from biascore.results.verdicts import contradiction


def wrong_result(found: object, metric: str, test: str, model: str, seed: int) -> str:
    """What is wrong with the result of ``metric`` for ``test`` and ``model``, as a clause; empty where nothing is."""
    if not isinstance(found, Measurement):
        return f"returned a {type(found).__name__}, which is not a Measurement"
    for what, said, asked in (
        ("metric", found.metric, metric),
        ("test", found.test, test),
        ("model", found.model, model),
        ("seed", found.seed, seed),
    ):
        if said != asked:
            return f"returned a Measurement whose {what} is {said!r}, and it was asked for {asked!r}"
    columns = found.items.column_names[:3]
    if columns and columns != item_table().column_names:
        return f"returned items whose first columns are {', '.join(columns)}, and not item, group, value"
    for name, column in zip(found.items.column_names, found.items.columns, strict=True):
        if pa.types.is_floating(column.type) and not pc.all(pc.is_finite(column), min_count=0).as_py():
            return f"returned items with a {name} that is not finite (None stands for a missing one)"
    contradicted = contradiction(found)
    return f"returned a verdict that does not follow: {contradicted}" if contradicted else ""
