"""A table of cosines too large to be held: means and products of it follow from its vectors.

The table of n and m words is U V', with the unit vectors of d dimensions as rows. Its means and its products with weights
need (n + m) d numbers in place of n m: of 20,000 by 20,000 words, 0.1 GB in place of 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_matrix
from biascore.stats.association import unit_rows


@dataclass(frozen=True, slots=True)
class Cosines:
    """The cosines (n, m) of the unit vectors ``rows`` (n, d) with the unit vectors ``columns`` (m, d).

    It is selected from, averaged and multiplied as the array is, with the same numbers but for rounding. ``np.asarray``
    makes the array.
    """

    rows: Floats
    columns: Floats
    __array_ufunc__: ClassVar[None] = None
    """So that an array on the left of ``@`` leaves the product to this class."""

    @classmethod
    def of(cls, u: ArrayLike, v: ArrayLike) -> Self:
        """Of vectors (n, d) and (m, d) of any length; raises ValueError as `cosine_matrix` does."""
        rows, columns = finite_matrix(u, "u"), finite_matrix(v, "v")
        if rows.shape[1] != columns.shape[1]:
            raise ValueError(
                f"u has vectors of {rows.shape[1]} dimensions, v of {columns.shape[1]}; take both from one model"
            )
        return cls(unit_rows(rows, "u"), unit_rows(columns, "v"))

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return len(self.rows), len(self.columns)

    @property
    def size(self) -> int:
        """Number of cosines."""
        return len(self.rows) * len(self.columns)

    @property
    def T(self) -> Cosines:
        """Rows and columns exchanged."""
        return Cosines(self.columns, self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, places: Any) -> Cosines:
        """``[rows]`` or ``[rows, columns]``, each a slice or an array of places."""
        rows, columns = places if isinstance(places, tuple) else (places, slice(None))
        return Cosines(self.rows[rows], self.columns[columns])

    def mean(self, axis: Literal[0, 1]) -> Floats:
        """Means of the columns (axis 0) or of the rows (axis 1)."""
        found: Floats = (
            self.rows @ self.columns.mean(axis=0) if axis else self.columns @ self.rows.mean(axis=0)
        )
        return found

    def __rmatmul__(self, weights: Floats) -> Floats:
        """Weights (r, n) of the rows give (r, m)."""
        found: Floats = (weights @ self.rows) @ self.columns.T
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(np.clip(self.rows @ self.columns.T, -1.0, 1.0), dtype=dtype)
