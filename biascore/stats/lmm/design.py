"""The two sides of a mixed model as arrays: columns of fixed effects, and codes of grouping factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats
from biascore.stats.lmm.errors import MixedModelError

Contrast: TypeAlias = Mapping[str, float] | ArrayLike
"""Coefficients by column name (columns not named have 0), or one number per column."""

INTERCEPT = "(Intercept)"


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Fixed effects: a matrix whose columns have names, and the terms that the columns belong to.

    Raises MixedModelError where the shapes, names or values do not make a design.
    """

    matrix: Floats
    """(n, p), finite."""
    columns: tuple[str, ...]
    """One name per column, all different."""
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Names of the columns of each term, such as ``{"gender": ("gender[male]", "gender[neo]")}``."""
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Levels of the terms that `treatment` coded, the reference first."""

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64)
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise MixedModelError(
                f"the design has shape {matrix.shape}; pass one row per score and one column per name"
            )
        if matrix.shape[1] != len(self.columns) or len(set(self.columns)) != len(self.columns):
            raise MixedModelError(
                f"the design has {matrix.shape[1]} columns and the names {', '.join(self.columns)}; "
                "give each column a name of its own"
            )
        bad = np.argwhere(~np.isfinite(matrix))
        if bad.size:
            raise MixedModelError(
                f"column {self.columns[bad[0, 1]]} of the design is not finite in row {bad[0, 0]} "
                "(counted from 0); leave that row out and report it"
            )
        for term, columns in self.terms.items():
            unknown = [column for column in columns if column not in self.columns]
            if unknown or not columns:
                raise MixedModelError(
                    f"term {term} is given the columns {', '.join(columns) or '(none)'}; "
                    f"choose from {', '.join(self.columns)}"
                )
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    def difference(self, term: str, level: str, minus: str) -> dict[str, float]:
        """The contrast ``level`` - ``minus`` of a term that `treatment` coded; MixedModelError if unknown."""
        levels = self.levels.get(term)
        if levels is None:
            raise MixedModelError(f"{term} has no coded levels; choose from {', '.join(self.levels)}")
        if level == minus or not {level, minus} <= set(levels):
            raise MixedModelError(
                f"{level} - {minus} is no difference of {term}; name two of its levels: {', '.join(levels)}"
            )
        reference = levels[0]
        signs = ((level, 1.0), (minus, -1.0))
        return {f"{term}[{name}]": sign for name, sign in signs if name != reference}

    def vector(self, contrast: Contrast) -> Floats:
        """The contrast as one finite number per column (p,), not all 0; MixedModelError if it is none."""
        if isinstance(contrast, Mapping):
            unknown = [name for name in contrast if name not in self.columns]
            if unknown:
                raise MixedModelError(
                    f"a contrast names {', '.join(unknown)}; choose from {', '.join(self.columns)}"
                )
            vector = np.array([float(contrast.get(name, 0.0)) for name in self.columns])
        else:
            vector = np.asarray(contrast, dtype=np.float64)
        if vector.shape != (len(self.columns),) or not np.isfinite(vector).all() or not vector.any():
            raise MixedModelError(
                f"a contrast is {vector.tolist()}; pass one finite number per column "
                f"({', '.join(self.columns)}), not all 0"
            )
        return vector


def treatment(
    factors: Mapping[str, ArrayLike], *, levels: Mapping[str, Sequence[object]] | None = None
) -> Design:
    """An intercept, and per factor one 0-1 column for each level but the reference, named ``factor[level]``.

    ``factors``: labels (n,) by name of the factor, known by their text. ``levels``: the order of a factor's levels,
    the reference first; else sorted. The coefficient of ``gender[male]`` is the mean of male minus that of the reference
    (R's contr.treatment). Raises MixedModelError on a label that is missing or not among ``levels``, on a level
    without rows, and on a factor with one level.
    """
    wanted = levels or {}
    unknown = [name for name in wanted if name not in factors]
    if unknown or not factors:
        raise MixedModelError(
            f"levels are given for {', '.join(unknown) or 'no factor'}; the factors are {', '.join(factors)}"
        )
    names, columns, blocks = [INTERCEPT], [], []
    terms: dict[str, tuple[str, ...]] = {}
    order: dict[str, tuple[str, ...]] = {}
    n = None
    for name, labels in factors.items():
        factor = Factor.of(name, labels)
        n = factor.codes.size if n is None else n
        if factor.codes.size != n:
            raise MixedModelError(f"{name} has {factor.codes.size} labels for {n} rows; pass one per row")
        order[name] = tuple(str(level) for level in wanted.get(name, factor.levels))
        _require_levels(name, factor.levels, order[name])
        place = {level: code for code, level in enumerate(factor.levels)}
        terms[name] = tuple(f"{name}[{level}]" for level in order[name][1:])
        names += terms[name]
        blocks += [factor.codes == place[level] for level in order[name][1:]]
    columns = [np.ones(n or 0), *blocks]
    matrix = np.stack(columns, axis=1).astype(np.float64)
    return Design(matrix, tuple(names), MappingProxyType(terms), MappingProxyType(order))


def _require_levels(name: str, found: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    if len(set(wanted)) != len(wanted):
        raise MixedModelError(f"levels of {name} are {', '.join(wanted)}; name each once")
    empty = [level for level in wanted if level not in found]
    if empty:
        raise MixedModelError(
            f"{', '.join(empty)} of {name} has no rows; leave it out of levels, or give it rows"
        )
    extra = [level for level in found if level not in wanted]
    if extra:
        raise MixedModelError(
            f"{name} has rows of {', '.join(extra)}, which levels does not name; add it, or leave its rows out"
        )
    if len(wanted) < 2:
        raise MixedModelError(
            f"{name} has the one level {', '.join(wanted)}, so there is nothing to compare; pass rows of two"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A grouping factor: the level of each row as a number."""

    name: str
    levels: tuple[str, ...]
    """Sorted, so that the order of the rows changes nothing."""
    codes: NDArray[np.intp]
    """(n,), places in ``levels``."""

    @classmethod
    def of(cls, name: str, labels: ArrayLike) -> Factor:
        """Code labels (n,); MixedModelError on labels that are missing or not one-dimensional."""
        array = np.asarray(labels)
        if array.ndim != 1 or array.size == 0:
            raise MixedModelError(f"{name} has labels of shape {array.shape}; pass one label per row")
        values = array.tolist()
        texts = {value: str(value) for value in dict.fromkeys(values)}
        missing = [value for value in texts if value is None or value != value]
        if missing:
            row = next(row for row, value in enumerate(values) if value is None or value != value)
            raise MixedModelError(
                f"{name} has no label in row {row} (counted from 0); leave that row out and report it"
            )
        levels = tuple(sorted(set(texts.values())))
        if len(levels) != len(texts):
            raise MixedModelError(f"{name} has different labels with the same text; pass labels of one type")
        place = {text: code for code, text in enumerate(levels)}
        of_value = {value: place[text] for value, text in texts.items()}
        return cls(name, levels, np.fromiter(map(of_value.__getitem__, values), np.intp, len(values)))

    def same_groups(self, other: Factor) -> bool:
        """Whether two factors put the rows into the same groups, under whatever names."""
        if len(self.levels) != len(other.levels):
            return False
        return len(set(zip(self.codes.tolist(), other.codes.tolist(), strict=True))) == len(self.levels)
