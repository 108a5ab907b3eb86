"""How an estimate follows from the items of its measurement, as data: whoever has both can compute it again.

That is what lets two measurements be compared item by item. An estimate whose measurement declares no estimator is
compared by its interval alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.stats import ZeroVarianceError
from biascore.stats.contrasts import contrast

Floats: TypeAlias = npt.NDArray[np.float64]
Key: TypeAlias = tuple[str, ...]
"""What tells an item of a table from the others: the texts of its key columns, and which occurrence of them it is."""

EVERY_ITEM = ""
"""As the name of a group: all items together."""


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """The items that an estimate is made of: keys, values (n,), and the number of the group of each (n,)."""

    keys: tuple[Key, ...]
    values: Floats
    groups: npt.NDArray[np.intp]

    def where(self, kept: npt.NDArray[np.intp]) -> Observed:
        """The items at these places, in this order."""
        return Observed(tuple(self.keys[place] for place in kept), self.values[kept], self.groups[kept])


class Contrast(Frozen):
    """A sum of group means, each with its weight; over the standard deviation of all items where ``over_sd`` is a ddof.

    ``column`` holds the values; where ``equal_to`` is given, an item counts 1 if its text there is that and 0 if not.
    ``groups``: the weight of each value of the column ``by``; ``{"": 1}`` is the mean of all items. ``neutral`` is added.
    ``key``: the columns that tell items apart. An item without a value is left out.
    """

    kind: Literal["contrast"] = "contrast"
    column: str = "value"
    equal_to: str | None = None
    by: str = "group"
    groups: FrozenMap[float] = Field(min_length=1)
    over_sd: Literal[0, 1] | None = None
    key: tuple[str, ...] = ("item", "group")

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each group, in the order of the numbers that `observed` gives them."""
        return tuple(self.groups.values())

    def observed(self, items: pa.Table) -> Observed:
        """The items of a table that have a value and belong to one of the groups; raises KeyError without the columns."""
        raw = items.column(self.column).to_pylist()
        number = {name: place for place, name in enumerate(self.groups)}
        together = EVERY_ITEM in number
        named = [EVERY_ITEM] * len(raw) if together else items.column(self.by).to_pylist()
        keys = keys_of(items, self.key)
        kept = [i for i, value in enumerate(raw) if value is not None and named[i] in number]
        values = [raw[i] if self.equal_to is None else float(raw[i] == self.equal_to) for i in kept]
        return Observed(
            tuple(keys[i] for i in kept),
            np.array(values, dtype=np.float64),
            np.array([number[named[i]] for i in kept], dtype=np.intp),
        )

    def value(self, items: pa.Table) -> float | None:
        """The estimate, from a table of items; None where a group is empty or nothing varies."""
        seen = self.observed(items)
        try:
            return contrast(seen.values, seen.groups, self.weights, self.over_sd)
        except (ValueError, ZeroVarianceError):
            return None


Estimator: TypeAlias = Annotated[Contrast, Field(discriminator="kind")]


def keys_of(items: pa.Table, columns: tuple[str, ...]) -> list[Key]:
    """A key for each row: its texts in these columns, and how many rows before it have the same."""
    texts: list[Any] = list(zip(*(map(str, items.column(name).to_pylist()) for name in columns), strict=True))
    seen: Counter[tuple[str, ...]] = Counter()
    keys = []
    for text in texts:
        keys.append((*text, str(seen[text])))
        seen[text] += 1
    return keys
