"""How an estimate follows from the items of its measurement, as data: whoever has both can compute it again.

That is what lets two measurements be compared item by item. An estimate whose measurement declares no estimator is
compared by its interval alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.stats import RegressionError, ZeroVarianceError
from biascore.stats.cluster_change import ClusteredRows, cluster_change, cluster_effect
from biascore.stats.contrasts import Change, contrast, contrast_change

Floats: TypeAlias = npt.NDArray[np.float64]
Key: TypeAlias = tuple[str, ...]
"""What tells an item of a table from the others: the texts of its key columns, and which occurrence of them it is."""

_CLUSTER, _FRAME, _STRATUM = (
    "\0cluster",
    "\0frame",
    "\0stratum",
)  # beside the columns of factors, whatever these are called
_LOOKED_AT = 64
"""Rows of a table that show of which kind its columns are."""
EVERY_ITEM = ""
"""As the name of a group: all items together."""


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """The items that an estimate is made of: keys, values (n,), the number of the group of each (n,), and other columns."""

    keys: tuple[Key, ...]
    values: Floats
    groups: npt.NDArray[np.intp]
    columns: Mapping[str, npt.NDArray[np.str_]] = field(default_factory=dict)

    def where(self, kept: npt.NDArray[np.intp]) -> Observed:
        """The items at these places, in this order."""
        columns = {name: column[kept] for name, column in self.columns.items()}
        return Observed(
            tuple(self.keys[place] for place in kept), self.values[kept], self.groups[kept], columns
        )


class Contrast(Frozen):
    """A sum of group means, each with its weight; over the standard deviation of all items where ``over_sd`` is a ddof.

    ``column`` holds the values; where ``equal_to`` is given, an item counts 1 if its text there is that and 0 if not; with
    ``at_most`` 1 if its number is that or less.
    ``groups``: the weight of each value of the column ``by``; ``{"": 1}`` is the mean of all items. ``neutral`` is added.
    ``key``: the columns that identify items. An item without a value is left out.
    """

    kind: Literal["contrast"] = "contrast"
    column: str = "value"
    equal_to: str | None = None
    at_most: float | None = None
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
        values = [self._counted(raw[i]) for i in kept]
        return Observed(
            tuple(keys[i] for i in kept),
            np.array(values, dtype=np.float64),
            np.array([number[named[i]] for i in kept], dtype=np.intp),
        )

    @property
    def of_answers(self) -> bool:
        """Whether an item counts by what it says, and not by how much."""
        return self.equal_to is not None or self.at_most is not None

    def _counted(self, value: Any) -> float:
        if self.at_most is not None:
            return float(value <= self.at_most)
        return float(value if self.equal_to is None else value == self.equal_to)

    def value(self, items: pa.Table) -> float | None:
        """The estimate, from a table of items; None where a group is empty or nothing varies."""
        seen = self.observed(items)
        try:
            return contrast(seen.values, seen.groups, self.weights, self.over_sd)
        except (ValueError, ZeroVarianceError):
            return None

    def change(self, old: Observed, new: Observed, level: float, rng: np.random.Generator) -> Change:
        """The change between the same items in the same order; raises ValueError or ZeroVarianceError without one."""
        return contrast_change(
            old.values, new.values, old.groups, self.weights, ddof=self.over_sd, level=level, rng=rng
        )


class ClusterContrast(Frozen):
    """The average effect of a change of levels on rows that come in clusters, with a fixed effect of each frame.

    ``only``: a column, and the text that the rows counted have there. ``cluster`` and ``frame`` are the columns that name
    the cluster of a row and what rows of several clusters share. ``levels``: those of each factor, which is a column, the
    reference first. ``contrasted``: from which level, the second, to which, the first, by factor; of several an interaction.
    ``within``: a column, within whose values clusters vary; a cluster belongs to the first that it is in.
    """

    kind: Literal["clusters"] = "clusters"
    column: str = "value"
    only: tuple[str, str]
    cluster: str
    frame: tuple[str, ...]
    levels: FrozenMap[tuple[str, ...]] = Field(min_length=1)
    contrasted: FrozenMap[tuple[str, str]] = Field(min_length=1)
    within: str | None = None
    key: tuple[str, ...]

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without ``within`` where there is none: results stored before keep their digest."""
        stored: dict[str, Any] = serialize(self)
        if self.within is None:
            stored.pop("within", None)
        return stored

    @property
    def of_answers(self) -> bool:
        """Its values are numbers."""
        return False

    def observed(self, items: pa.Table) -> Observed:
        """The rows of a table that count; raises KeyError without the columns."""
        import pyarrow.compute as pc

        which, text = self.only
        chosen = items.filter(pc.equal(items.column(which), text))
        columns = {name: _texts(chosen, (name,)) for name in self.levels}
        columns |= {_CLUSTER: _texts(chosen, (self.cluster,)), _FRAME: _texts(chosen, self.frame)}
        if self.within is not None:
            first: dict[str, str] = {}
            clusters, strata = columns[_CLUSTER].tolist(), _texts(chosen, (self.within,)).tolist()
            stratum = [first.setdefault(*one) for one in zip(clusters, strata, strict=True)]
            columns[_STRATUM] = np.array(stratum, dtype=np.str_)
        return Observed(
            tuple(keys_of(chosen, self.key)),
            np.array(chosen.column(self.column).to_pylist(), dtype=np.float64),
            np.zeros(chosen.num_rows, dtype=np.intp),
            columns,
        )

    def value(self, items: pa.Table) -> float | None:
        """The estimate, from a table of items; None where it has none."""
        seen = self.observed(items)
        try:
            return cluster_effect(seen.values, self._rows(seen), self.contrasted)
        except (ValueError, ZeroVarianceError, RegressionError):
            return None

    def change(self, old: Observed, new: Observed, level: float, rng: np.random.Generator) -> Change:  # noqa: ARG002
        """The change between the same rows in the same order; raises RegressionError or ZeroVarianceError without one."""
        return cluster_change(old.values, new.values, self._rows(old), self.contrasted, level=level)

    def _rows(self, seen: Observed) -> ClusteredRows:
        factors = {name: seen.columns[name] for name in self.levels}
        columns = seen.columns
        return ClusteredRows(columns[_CLUSTER], columns[_FRAME], factors, self.levels, columns.get(_STRATUM))


class Total(Frozen):
    """What the clusters of rows add to an estimate that a model of all rows gave; together they are the estimate.

    ``column`` holds what each row adds, none where it has no part in it; ``cluster`` names the columns that tell clusters
    apart.
    """

    kind: Literal["total"] = "total"
    column: str = "contribution"
    cluster: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that identify clusters."""
        return self.cluster

    @property
    def of_answers(self) -> bool:
        """Its values are numbers."""
        return False

    def observed(self, items: pa.Table) -> Observed:
        """The clusters, each with its sum times their number: the estimate is their mean; KeyError without the columns."""
        sums: dict[Key, float] = {}
        texts = zip(*(map(str, items.column(name).to_pylist()) for name in self.cluster), strict=True)
        for key, value in zip(texts, items.column(self.column).to_pylist(), strict=True):
            if value is not None:
                sums[key] = sums.get(key, 0.0) + value
        values = len(sums) * np.array(list(sums.values()), dtype=np.float64)
        return Observed(tuple(sums), values, np.zeros(len(sums), dtype=np.intp))

    def value(self, items: pa.Table) -> float | None:
        """The estimate, from a table of items; None where it has none."""
        seen = self.observed(items)
        return float(seen.values.mean()) if seen.keys else None

    def change(self, old: Observed, new: Observed, level: float, rng: np.random.Generator) -> Change:
        """The change between the same clusters in the same order; raises ValueError without any."""
        return contrast_change(old.values, new.values, old.groups, (1.0,), level=level, rng=rng)


Estimator: TypeAlias = Annotated[Contrast | ClusterContrast | Total, Field(discriminator="kind")]


def unreadable(estimator: Estimator | None, items: pa.Table) -> str:
    """Why an estimator cannot be applied to this table of items, as one of a stranger's run; empty where it can."""
    try:
        if estimator is not None:
            estimator.observed(items.slice(0, _LOOKED_AT))
    except KeyError as error:
        return f"its items lack a column ({error.args[0]})"
    except (ValueError, TypeError, OverflowError, pa.ArrowException) as error:
        return f"its items are of another kind ({error})"
    return ""


def _texts(items: pa.Table, columns: tuple[str, ...]) -> npt.NDArray[np.str_]:
    rows = zip(*(items.column(name).to_pylist() for name in columns), strict=True)
    return np.array([" ".join(map(str, row)) for row in rows], dtype=np.str_)


def keys_of(items: pa.Table, columns: tuple[str, ...]) -> list[Key]:
    """A key for each row: its texts in these columns, and how many rows before it have the same."""
    texts: list[Any] = list(zip(*(map(str, items.column(name).to_pylist()) for name in columns), strict=True))
    seen: Counter[tuple[str, ...]] = Counter()
    keys = []
    for text in texts:
        keys.append((*text, str(seen[text])))
        seen[text] += 1
    return keys
