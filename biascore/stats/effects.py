"""What a regression predicts for rows that nobody drew: means and differences, averaged over the rows that were.

A coefficient of a model with a link, or with interactions, is no difference of mean scores. The average marginal effect
is: every row is given one level of a factor, then the other, all else as it is, and the difference of the predictions
is averaged over the rows. Of an interaction it is the average second difference (Ai and Norton 2003, Economics Letters
80:123), whose sign and p-value need not be those of the coefficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.design import Codes, Design
from biascore.stats.errors import RegressionError

Change: TypeAlias = Mapping[str, tuple[str, str]]
"""By factor, a level and the one that it is compared with: ``{"gender": ("female", "male")}``."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """A weighted sum of predictions: of a mean the weights sum to 1, of a difference to 0."""

    rows: Floats
    """(m, p): rows of a design matrix."""
    weights: Floats
    """(m,)"""


def mean_at(design: Design, at: Mapping[str, str]) -> Predictions:
    """The mean prediction with these levels in every row, all other factors as they are.

    Raises RegressionError on a factor or level that the design does not have.
    """
    return _averaged(design, [(1.0, {name: _place(design, name, level) for name, level in at.items()})])


def difference(design: Design, change: Change) -> Predictions:
    """The average difference that a change of level makes; of two factors the second difference, and so on.

    Raises RegressionError on a factor or level that the design does not have, and where nothing changes.
    """
    if not change:
        raise RegressionError("the change names no factor; name one, as in {'gender': ('female', 'male')}")
    places = {}
    for name, (level, other) in change.items():
        if level == other:
            raise RegressionError(f"{name} changes from {level} to {other}; name two levels")
        places[name] = (_place(design, name, level), _place(design, name, other))
    signed = [
        ((-1.0) ** sum(of_other), {name: places[name][k] for name, k in zip(places, of_other, strict=True)})
        for of_other in product((0, 1), repeat=len(places))
    ]
    return _averaged(design, signed)


def by_column(design: Design) -> Iterator[tuple[str, dict[str, tuple[str, str]]]]:
    """For each column but the intercept, the change from the reference levels that it represents.

    Raises RegressionError for a design that `treatment` did not code.
    """
    _require_coded(design)
    for column, indicated in zip(design.columns, design.indicators, strict=True):
        if indicated:
            levels = design.levels
            yield column, {name: (levels[name][code], levels[name][0]) for name, code in indicated.items()}


def _averaged(design: Design, settings: list[tuple[float, dict[str, int]]]) -> Predictions:
    """Weighted means over the rows, in each of which the factors of a setting have its levels."""
    free = [name for name in design.codes if name not in settings[0][1]]
    combinations: dict[str, Codes] = {}
    shares = np.ones(1)
    if free:
        sizes = [len(design.levels[name]) for name in free]
        count = np.bincount(np.ravel_multi_index([design.codes[name] for name in free], sizes))
        found = np.flatnonzero(count)
        shares = count[found] / design.n
        combinations = dict(zip(free, np.unravel_index(found, sizes), strict=True))
    rows = [
        design.rows(combinations | {name: np.full(shares.size, code) for name, code in setting.items()})
        for _, setting in settings
    ]
    return Predictions(np.vstack(rows), np.concatenate([sign * shares for sign, _ in settings]))


def _place(design: Design, name: str, level: str) -> int:
    _require_coded(design)
    if name not in design.levels:
        raise RegressionError(f"the design has no factor {name}; choose from {', '.join(design.levels)}")
    if level not in design.levels[name]:
        raise RegressionError(f"{name} has no level {level}; choose from {', '.join(design.levels[name])}")
    return design.levels[name].index(level)


def _require_coded(design: Design) -> None:
    if not design.codes:
        raise RegressionError(
            "the design knows columns and no factors, so no level can be changed; make it with treatment"
        )
