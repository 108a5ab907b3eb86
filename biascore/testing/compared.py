"""When two measurements of one metric are the same, and what all of them have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from biascore.results.measurement import Measurement
from biascore.testing.contract import hold


def same(one: float | None, other: float | None) -> bool:
    """Whether two numbers are the same up to rounding."""
    return (
        one is other if one is None or other is None else math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    )


def alike(one: Measurement, other: Measurement) -> bool:
    """Whether two measurements are the same, items too."""
    return one.model_dump() == other.model_dump() and one.items.equals(other.items)


def fixed(found: Measurement) -> list[float | None]:
    """What no order of words may change: drawn p-values and intervals move with the draws."""
    return [found.headline.value, *(p.value for p in found.headline.p_values if p.kind == "exact")]


def hold_keys(first: Measurement, other: Measurement, where: str) -> None:
    """The same conventions as on the first model and, unless there are no items, columns."""
    for what, of in _KEYS.items():
        if what == "columns" and not len(other.items):
            continue
        hold(
            of(first) == of(other), f"the {what} are {of(other)} on {where}, and {of(first)} on {first.model}"
        )


_KEYS: Final[Mapping[str, Callable[[Measurement], list[str]]]] = {
    "conventions": lambda found: sorted(found.conventions),
    "columns": lambda found: found.items.column_names,
}
