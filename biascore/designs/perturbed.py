"""Texts that differ in one thing: how far that moves a score, be it a person's group or something that says nothing.

A counterfactual test of decisions changes who a person is, and any change of a text moves a model. So the same statistic of
a neutral change, such as another weekday, stands next to it: ``Shift.of`` for both.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from biascore.designs.clustered import SAME, ends_of
from biascore.results.estimates import Estimate
from biascore.stats import TTest

Floats = npt.NDArray[np.float64]


def t_of_units(values: Floats, level: float, size: float) -> TTest | None:
    """The one-sample t test of a value (n,) from each unit; None with fewer than two, or where they do not vary.

    ``size``: the largest absolute score, whose rounding is no variation.
    """
    if len(values) < 2:
        return None
    se = float(values.std(ddof=1)) / math.sqrt(len(values))
    return TTest.of(float(values.mean()), se, len(values) - 1, level) if se > SAME * size else None


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """How far scores of two texts differ that are the same but for one thing, over all such pairs of texts."""

    changed: str
    """What is changed, in words: ``gender``, ``weekday``."""
    absolute: Floats
    """(n,): absolute difference of each pair, in the unit of the scores."""
    of_units: Floats
    """(units,): mean of those of each unit, such as a question; a unit counts once, whatever number of pairs it has."""
    signed: Floats
    """(units,): mean difference of each unit, the later level less the earlier one in the order of ``levels``."""
    size: float
    """The largest absolute score."""
    neutral: bool = False
    """Whether the change says nothing of a person, so that this is the control."""

    @classmethod
    def of(
        cls,
        changed: str,
        scores: Floats,
        *,
        units: Sequence[str],
        same: Sequence[Hashable],
        level: Sequence[str],
        levels: Sequence[str],
        neutral: bool = False,
    ) -> Shift:
        """Compare scores (n,) within a unit wherever ``same`` is the same and ``level``, one of ``levels``, is not.

        ``units``, ``same`` and ``level`` have a value for each score. Units without such a pair are left out.
        """
        order = {name: place for place, name in enumerate(levels)}
        cells: dict[tuple[str, Hashable], list[tuple[int, float]]] = {}
        for score, unit, rest, name in zip(scores.tolist(), units, same, level, strict=True):
            cells.setdefault((unit, rest), []).append((order[name], score))
        pairs: dict[str, list[float]] = {}
        for (unit, _), cell in cells.items():
            found = [
                b - a if place < other else a - b
                for (place, a), (other, b) in combinations(cell, 2)
                if place != other
            ]
            if found:
                pairs.setdefault(unit, []).extend(found)
        own = [np.array(some) for some in pairs.values()]
        return cls(
            changed,
            np.abs(np.concatenate(own)) if own else np.empty(0),
            np.array([np.abs(some).mean() for some in own]),
            np.array([some.mean() for some in own]),
            float(np.abs(scores).max(initial=0.0)),
            neutral,
        )

    @property
    def told(self) -> str:
        """``gender``, ``weekday (neutral)``."""
        return f"{self.changed} (neutral)" if self.neutral else self.changed

    @property
    def mean(self) -> float | None:
        """The mean absolute difference, each unit counted once; None without a pair."""
        return float(self.of_units.mean()) if self.of_units.size else None

    def quantile(self, share: float) -> float | None:
        """The absolute difference that this share of the pairs stays within (R's type 7); None without a pair."""
        return float(np.quantile(self.absolute, share)) if self.absolute.size else None

    def estimates(self, unit: str, counted: str, level: float) -> tuple[Estimate, Estimate]:
        """The mean absolute difference with its t interval over units, which are ``counted``, and the 90th percentile."""
        name = f"absolute change by {self.told}"
        n = {counted: len(self.of_units)}
        test = t_of_units(self.of_units, level, self.size)
        interval = ends_of(test, f"t over {counted}, {test.df:z.0f} df", level) if test else None
        return (
            Estimate(name=name, value=self.mean, unit=unit, neutral=None, n=n, interval=interval),
            Estimate(
                name=f"{name}, 90th percentile",
                value=self.quantile(0.9),
                unit=unit,
                neutral=None,
                n={"pairs of texts": len(self.absolute)},
            ),
        )


def describe_shifts(persons: Sequence[Shift], neutral: Sequence[Shift], moved: str) -> str:
    """``One change moves the logit on average 0.15 by gender, and if it is neutral 0.12 by weekday.``; "" without either.

    ``moved`` is what the scores are in words.
    """
    told, control = (
        _joined([f"{one.mean:z.2g} by {one.changed}" for one in some if one.mean is not None])
        for some in (persons, neutral)
    )
    return (
        f"One change moves {moved} on average {told}, and if it is neutral {control}."
        if told and control
        else ""
    )


def _joined(parts: Sequence[str]) -> str:
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"
