"""The item table of a measurement, ready for plots and for rows of a page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from biascore.results.measurement import Measurement

COLUMNS: Final = ("item", "group", "value")
"""What every item table begins with; a metric may add columns, and ``ci_low`` with ``ci_high`` are drawn."""


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
    """All rows of the item table, greatest value first and rows without a value last."""
    return [tuple(row.values()) for row in rows_by_value(measurement)]


def rows_by_value(measurement: Measurement) -> list[dict[str, Any]]:
    """All rows of the item table by column, greatest value first and rows without a value last."""
    rows: list[dict[str, Any]] = measurement.items.to_pylist()
    if has_values(measurement):
        rows.sort(key=_by_value)
    return rows


def has_values(measurement: Measurement) -> bool:
    """Whether the table has the columns that a plot needs."""
    return set(COLUMNS) <= set(measurement.items.column_names)


def _by_value(row: dict[str, Any]) -> tuple[bool, float]:
    value = row["value"]
    missing = value is None or math.isnan(value)
    return missing, 0.0 if missing else -value


def finite(value: Any) -> float | None:
    """A number as a float, None where it is missing, not a number or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None
