"""The items of two measurements of one test, joined: those that both have, and which of them flipped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.basics.wording import ROUNDING
from biascore.results.estimators import Estimator, Observed
from biascore.results.measurement import Measurement


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """The items that both measurements have with a value: the same ones in the same order in ``old`` and ``new``."""

    old: Observed
    new: Observed
    only_old: int
    only_new: int

    @classmethod
    def of(cls, estimator: Estimator, old: Measurement, new: Measurement) -> Self:
        """Join by the estimator's key columns; sorted, so that the order of the tables changes nothing."""
        one, other = estimator.observed(old.items), estimator.observed(new.items)
        places = {key: place for place, key in enumerate(other.keys)}
        pairs = sorted((key, place, places[key]) for place, key in enumerate(one.keys) if key in places)
        first = np.array([place for _, place, _ in pairs], dtype=np.intp)
        second = np.array([place for _, _, place in pairs], dtype=np.intp)
        before, after = one.where(first), other.where(second)
        if pairs and not estimator.of_answers and _all_equal(before.values, after.values):
            after = replace(after, values=before.values)
        return cls(
            before,
            after,
            only_old=len(one.keys) - len(pairs),
            only_new=len(other.keys) - len(pairs),
        )

    def __len__(self) -> int:
        return len(self.old.keys)

    def flipped(self, estimator: Estimator, neutral: float | None) -> npt.NDArray[np.bool_] | None:
        """Which items lie on another side of ``neutral`` than before, or have another answer; None without a neutral."""
        if estimator.of_answers:
            return np.asarray(self.old.values != self.new.values)
        if neutral is None:
            return None
        return np.asarray(np.sign(self.old.values - neutral) != np.sign(self.new.values - neutral))

    def table(self, estimator: Estimator, flipped: npt.NDArray[np.bool_] | None) -> pa.Table:
        """The items with both values, the farthest moved first; those that flipped before the others."""
        moved = self.new.values - self.old.values
        turned = np.zeros(len(self), dtype=np.bool_) if flipped is None else flipped
        order = np.lexsort((np.arange(len(self)), -np.abs(moved), ~turned))
        columns: dict[str, list[Any]] = {
            name: [self.old.keys[i][place] for i in order] for place, name in enumerate(estimator.key)
        }
        columns |= {
            "old": self.old.values[order].tolist(),
            "new": self.new.values[order].tolist(),
            "change": moved[order].tolist(),
            "flipped": turned[order].tolist(),
        }
        return pa.table(columns)


def _all_equal(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> bool:
    """Whether no item differs by more than rounding: of noise alone a test of pairs would find a change."""
    return bool(np.all(np.abs(old - new) <= ROUNDING * np.maximum(1.0, np.maximum(np.abs(old), np.abs(new)))))


def no_items() -> pa.Table:
    """The table of a comparison that is not made item by item."""
    return pa.table({name: [] for name in ("item", "group", "old", "new", "change", "flipped")})
