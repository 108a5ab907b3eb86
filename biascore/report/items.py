"""The item table of a measurement, ready for plots and for rows of a page."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import pyarrow as pa

from biascore.results.measurement import Measurement

COLUMNS: Final = ("item", "group", "value")
"""What every item table begins with; a metric may add columns, and ``ci_low`` with ``ci_high`` are drawn."""
MOST_ITEMS: Final = 1_000
"""A report holds so many items of a measurement one by one; more are chosen from for tables and counted for charts."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item with a finite value, and its interval where the metric gives one."""

    name: str
    group: str
    value: float
    low: float | None = None
    high: float | None = None


def plotted_items(measurement: Measurement) -> tuple[list[Item], int]:
    """The items that have a finite value, greatest first, and how many have none."""
    rows = measurement.items.to_pylist() if has_values(measurement) else []
    items = [
        Item(row["item"], row["group"], value, finite(row.get("ci_low")), finite(row.get("ci_high")))
        for row in rows
        if (value := finite(row["value"])) is not None
    ]
    return sorted(items, key=lambda item: -item.value), len(rows) - len(items)


def table_rows(measurement: Measurement) -> list[tuple[Any, ...]]:
    """The rows of the item table, greatest value first and rows without a value last.

    Of more than MOST_ITEMS those stand that tell most: of each group as many of the greatest as of the smallest
    values, as evenly over the groups as these allow. A table without groups and values keeps its first rows.
    """
    rows = rows_by_value(measurement)
    if len(rows) > MOST_ITEMS:
        chosen = _from_both_ends(rows) if has_values(measurement) else range(len(rows))
        rows = [rows[place] for place in sorted(islice(chosen, MOST_ITEMS))]
    return [tuple(row.values()) for row in rows]


def _from_both_ends(rows: list[dict[str, Any]]) -> Iterator[int]:
    """The places of rows sorted by value: in turn the greatest and the smallest left of each group, then the rest."""
    of_group: dict[str, deque[int]] = {}
    for place, row in enumerate(rows):
        if finite(row["value"]) is not None:
            of_group.setdefault(row["group"], deque()).append(place)
    while any(of_group.values()):
        yield from [places.popleft() for places in of_group.values() if places]
        yield from [places.pop() for places in of_group.values() if places]
    yield from (place for place, row in enumerate(rows) if finite(row["value"]) is None)


def rows_by_value(measurement: Measurement) -> list[dict[str, Any]]:
    """All rows of the item table by column, greatest value first and rows without a value last."""
    rows: list[dict[str, Any]] = measurement.items.to_pylist()
    if has_values(measurement):
        rows.sort(key=_by_value)
    return rows


def has_values(measurement: Measurement) -> bool:
    """Whether the table has the columns that a plot needs."""
    return set(COLUMNS) <= set(measurement.items.column_names)


def column_problem(items: pa.Table, column: str) -> str:
    """Why a column of an item table cannot be drawn, as a clause, or an empty text."""
    if column not in items.column_names:
        return f"the item table has no column “{column}”"
    kind = items.schema.field(column).type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        return f"the column “{column}” of the item table holds no numbers"
    return ""


def _by_value(row: dict[str, Any]) -> tuple[bool, float]:
    value = row["value"]
    missing = value is None or math.isnan(value)
    return missing, 0.0 if missing else -value


def finite(value: Any) -> float | None:
    """A number as a float, None where it is missing, not a number or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None
