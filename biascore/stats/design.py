"""What a regression is given in addition to its scores: columns of a design with names in words, and labels as codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, numbers
from biascore.stats.errors import RegressionError

Contrast: TypeAlias = Mapping[str, float] | ArrayLike
"""Coefficients by column name (columns not named have 0), or one number per column."""

Codes: TypeAlias = NDArray[np.intp]

INTERCEPT: Final = "(Intercept)"
BY: Final = " × "
"""Between the parts of the name of an interaction."""

_DEPENDENT: Final = 1e-7  # of a column's length is left once the others are taken out: R's tolerance for rank


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A matrix whose columns have names, and the terms and factors that the columns belong to.

    Raises RegressionError where the shapes, names or values do not make a design.
    """

    matrix: Floats
    """(n, p), finite."""
    columns: tuple[str, ...]
    """One name per column, all different."""
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Names of the columns of each term, such as ``{"gender": ("gender: male", "gender: neo")}``."""
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Levels of the factors that `treatment` coded, the reference first."""
    codes: Mapping[str, Codes] = field(default_factory=lambda: MappingProxyType({}))
    """The level of each row (n,), places in ``levels``, by factor that `treatment` coded."""
    indicators: tuple[Mapping[str, int], ...] = ()
    """Of each column that `treatment` coded, the levels (places, by factor) at which it is 1; none for the intercept."""

    def __post_init__(self) -> None:
        matrix = numbers(self.matrix, "the design", RegressionError)
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise RegressionError(
                f"the design has shape {matrix.shape}; pass one row per score and one column per name"
            )
        if matrix.shape[1] != len(self.columns) or len(set(self.columns)) != len(self.columns):
            raise RegressionError(
                f"the design has {matrix.shape[1]} columns and the names {', '.join(self.columns)}; "
                "give each column a name of its own"
            )
        bad = np.argwhere(~np.isfinite(matrix))
        if bad.size:
            raise RegressionError(
                f"column {self.columns[bad[0, 1]]} of the design is not finite in row {bad[0, 0]} "
                "(counted from 0); leave that row out and report it"
            )
        for term, columns in self.terms.items():
            unknown = [column for column in columns if column not in self.columns]
            if unknown or not columns:
                raise RegressionError(
                    f"term {term} is given the columns {', '.join(columns) or '(none)'}; "
                    f"choose from {', '.join(self.columns)}"
                )
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    def scores(self, scores: ArrayLike, further: int = 0) -> Floats:
        """One finite score per row (n,), more than columns and ``further`` parameters; RegressionError if not."""
        values = finite_rows(scores, "scores")
        if values.size != self.n:
            raise RegressionError(
                f"there are {values.size} scores and {self.n} rows of the design; pass one per score"
            )
        beside = " and 1 precision" if further else ""
        if self.n <= len(self.columns) + further:
            raise RegressionError(
                f"there are {self.n} rows for {len(self.columns)} columns of the design{beside}; "
                "pass more rows than columns"
            )
        return values

    def cells(self) -> tuple[Floats, Codes]:
        """The rows of the matrix that differ (c, p), and which of them each row is (n,)."""
        if not self.codes:
            return self.matrix, np.arange(self.n)
        sizes = [len(self.levels[name]) for name in self.codes]
        place = np.ravel_multi_index(tuple(self.codes.values()), sizes)
        _, first, of_row = np.unique(place, return_index=True, return_inverse=True)
        return self.matrix[first], of_row

    def rows(self, codes: Mapping[str, Codes]) -> Floats:
        """Rows (m, p) of any levels (m,) of all factors, as `treatment` codes them."""
        m = len(next(iter(codes.values())))
        matrix = np.ones((m, len(self.indicators)))
        for column, levels in enumerate(self.indicators):
            for name, level in levels.items():
                matrix[:, column] *= codes[name] == level
        return matrix

    def difference(self, term: str, level: str, minus: str) -> dict[str, float]:
        """The contrast ``level`` - ``minus`` of a factor that `treatment` coded; RegressionError if unknown.

        Where the factor is part of an interaction, that is the difference at the reference level of the others.
        """
        levels = self.levels.get(term)
        if levels is None:
            raise RegressionError(f"{term} has no coded levels; choose from {', '.join(self.levels)}")
        if level == minus or not {level, minus} <= set(levels):
            raise RegressionError(
                f"{level} - {minus} is no difference of {term}; name two of its levels: {', '.join(levels)}"
            )
        reference = levels[0]
        signs = ((level, 1.0), (minus, -1.0))
        return {f"{term}: {name}": sign for name, sign in signs if name != reference}

    def vector(self, contrast: Contrast) -> Floats:
        """The contrast as one finite number per column (p,), not all 0; RegressionError if it is none."""
        if isinstance(contrast, Mapping):
            unknown = [name for name in contrast if name not in self.columns]
            if unknown:
                raise RegressionError(
                    f"a contrast names {', '.join(unknown)}; choose from {', '.join(self.columns)}"
                )
            vector = np.array([float(contrast.get(name, 0.0)) for name in self.columns])
        else:
            vector = np.asarray(contrast, dtype=np.float64)
        if vector.shape != (len(self.columns),) or not np.isfinite(vector).all() or not vector.any():
            raise RegressionError(
                f"a contrast is {vector.tolist()}; pass one finite number per column "
                f"({', '.join(self.columns)}), not all 0"
            )
        return vector


def treatment(
    factors: Mapping[str, ArrayLike],
    *,
    levels: Mapping[str, Sequence[object]] | None = None,
    order: int = 1,
    alone: Sequence[str] = (),
) -> Design:
    """An intercept, a 0-1 column for each level but the reference, and their products up to an ``order``.

    ``factors``: labels (n,) by name of the factor, known by their text. ``levels``: the order of a factor's levels,
    the reference first; else sorted. A column is named ``gender: male``, and its coefficient is the mean of male minus
    that of the reference (R's contr.treatment); of an interaction, ``race: Latino × gender: female``. With interactions,
    ``gender: male`` is the difference at the reference level of the other factors. ``order``: how many factors
    interact at most; 1 for none. ``alone``: factors that interact with no other, such as templates.

    Raises RegressionError on a label that is missing or not among ``levels``, on a level without rows, on a factor
    with one level, on interacting levels that no row has, and on an order or a name in ``alone`` that is none.
    """
    wanted = levels or {}
    unknown = [name for name in wanted if name not in factors]
    if unknown or not factors:
        raise RegressionError(
            f"levels are given for {', '.join(unknown) or 'no factor'}; the factors are {', '.join(factors)}"
        )
    strange = [name for name in alone if name not in factors]
    if strange:
        raise RegressionError(f"alone names {', '.join(strange)}; the factors are {', '.join(factors)}")
    if order < 1:
        raise RegressionError(
            f"order is {order}; pass 1 for no interactions, or the number of factors in one"
        )
    ordered: dict[str, tuple[str, ...]] = {}
    codes: dict[str, Codes] = {}
    n = None
    for name, labels in factors.items():
        factor = Factor.of(name, labels)
        n = factor.codes.size if n is None else n
        if factor.codes.size != n:
            raise RegressionError(f"{name} has {factor.codes.size} labels for {n} rows; pass one per row")
        ordered[name] = tuple(str(level) for level in wanted.get(name, factor.levels))
        _require_levels(name, factor.levels, ordered[name])
        place = np.array([ordered[name].index(level) for level in factor.levels])
        codes[name] = place[factor.codes]
    crossed = [name for name in factors if name not in alone]
    parts: list[tuple[str, ...]] = [(name,) for name in factors]
    parts += [part for size in range(2, order + 1) for part in combinations(crossed, size)]
    terms: dict[str, tuple[str, ...]] = {}
    columns: dict[str, Mapping[str, int]] = {INTERCEPT: MappingProxyType({})}
    for part in parts:
        if len(part) > 1:
            _require_rows(part, ordered, codes)
        own = {
            BY.join(f"{name}: {ordered[name][code]}" for name, code in zip(part, chosen, strict=True)): chosen
            for chosen in product(*(range(1, len(ordered[name])) for name in part))
        }
        terms[BY.join(part)] = tuple(own)
        columns |= {
            column: MappingProxyType(dict(zip(part, chosen, strict=True))) for column, chosen in own.items()
        }
    matrix = np.ones((n or 0, len(columns)))
    for at, indicated in enumerate(columns.values()):
        for name, code in indicated.items():
            matrix[:, at] *= codes[name] == code
    return Design(
        matrix,
        tuple(columns),
        MappingProxyType(terms),
        MappingProxyType(ordered),
        MappingProxyType(codes),
        tuple(columns.values()),
    )


def require_full_rank(r: NDArray[Any], order: NDArray[Any], columns: Sequence[str]) -> None:
    """RegressionError naming the columns that a pivoted QR of columns of length 1 finds to depend on the others."""
    diagonal = np.abs(np.diag(r))
    dependent = diagonal <= _DEPENDENT * max(float(diagonal[0]), np.finfo(float).tiny)
    if dependent.any():
        names = ", ".join(columns[place] for place in np.sort(order[: len(diagonal)][dependent]))
        raise RegressionError(
            f"the design is rank-deficient: {names} is a combination of the other columns "
            "(or 0 in every row); leave it out, or give the rows that distinguish them"
        )


def _require_rows(
    part: Sequence[str], levels: Mapping[str, tuple[str, ...]], codes: Mapping[str, Codes]
) -> None:
    """RegressionError where no row has some levels of factors that interact."""
    sizes = [len(levels[name]) for name in part]
    found = np.bincount(np.ravel_multi_index([codes[name] for name in part], sizes), minlength=np.prod(sizes))
    if (found == 0).any():
        empty = np.unravel_index(int(np.argmax(found == 0)), sizes)
        cell = ", ".join(f"{name}: {levels[name][code]}" for name, code in zip(part, empty, strict=True))
        raise RegressionError(
            f"no row is of {cell}, so the interaction of {' and '.join(part)} cannot be estimated; "
            "give rows of it, or pass a lower order"
        )


def _require_levels(name: str, found: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    if len(set(wanted)) != len(wanted):
        raise RegressionError(f"levels of {name} are {', '.join(wanted)}; name each once")
    empty = [level for level in wanted if level not in found]
    if empty:
        raise RegressionError(
            f"{', '.join(empty)} of {name} has no rows; leave it out of levels, or give it rows"
        )
    extra = [level for level in found if level not in wanted]
    if extra:
        raise RegressionError(
            f"{name} has rows of {', '.join(extra)}, which levels does not name; add it, or leave its rows out"
        )
    if len(wanted) < 2:
        raise RegressionError(
            f"{name} has the one level {', '.join(wanted)}, so there is nothing to compare; pass rows of two"
        )


def finite_rows(values: ArrayLike, name: str) -> Floats:
    """Numbers of rows (n,); RegressionError if there is none, or one is masked, not real or not finite."""
    array = numbers(values, name, RegressionError)
    if array.ndim != 1 or array.size == 0:
        raise RegressionError(f"{name} has shape {array.shape}; pass one number per row")
    bad = ~np.isfinite(array)
    if bad.any():
        raise RegressionError(
            f"{name} is not finite in row {int(np.argmax(bad))} (counted from 0), and in {np.count_nonzero(bad)} of "
            f"{array.size} rows; leave those rows out and report them"
        )
    return array


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
        """Code labels (n,); RegressionError on labels that are masked, missing or not one-dimensional."""
        if np.ma.isMaskedArray(labels):
            raise RegressionError(
                f"{name} has labels in a masked array; pass only what is not masked, as a plain array"
            )
        array = np.asarray(labels)
        if array.ndim != 1 or array.size == 0:
            raise RegressionError(f"{name} has labels of shape {array.shape}; pass one label per row")
        values = array.tolist()
        texts = {value: str(value) for value in dict.fromkeys(values)}
        missing = [value for value in texts if value is None or value != value]
        if missing:
            row = next(row for row, value in enumerate(values) if value is None or value != value)
            raise RegressionError(
                f"{name} has no label in row {row} (counted from 0); leave that row out and report it"
            )
        levels = tuple(sorted(set(texts.values())))
        if len(levels) != len(texts):
            raise RegressionError(f"{name} has different labels with the same text; pass labels of one type")
        place = {text: code for code, text in enumerate(levels)}
        of_value = {value: place[text] for value, text in texts.items()}
        return cls(name, levels, np.fromiter(map(of_value.__getitem__, values), np.intp, len(values)))

    def same_groups(self, other: Factor) -> bool:
        """Whether two factors put the rows into the same groups, under whatever names."""
        if len(self.levels) != len(other.levels):
            return False
        return len(set(zip(self.codes.tolist(), other.codes.tolist(), strict=True))) == len(self.levels)
