"""Adjustment of p-values for the number of tests made together."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from biascore.stats._checks import Floats

PValues: TypeAlias = Sequence[float | None] | NDArray[np.floating]


class Adjustment(StrEnum):
    """How the p-values of a family are adjusted for their number."""

    BENJAMINI_HOCHBERG = "benjamini-hochberg"
    """Of what is detected, at most the share alpha is expected to be so by chance (false discovery rate)."""
    HOLM = "holm"
    """At most with probability alpha is anything detected by chance (family-wise error rate)."""
    NONE = "none"
    """Every test stands alone."""

    @property
    def shown(self) -> str:
        """The name in a sentence."""
        return {"benjamini-hochberg": "Benjamini-Hochberg", "holm": "Holm", "none": "none"}[self.value]


def adjust(p: PValues, how: Adjustment) -> Floats:
    """The p-values (m,) of a family adjusted, in the order given; None and NaN entries stay NaN and do not count.

    Raises ValueError for values outside [0, 1].
    """
    if how is Adjustment.NONE:
        return _checked(p)[0]
    return holm(p) if how is Adjustment.HOLM else benjamini_hochberg(p)


def holm(p: PValues) -> Floats:
    """Holm's step-down adjusted p-values (m,), in the order given: family-wise error at any dependence.

    None and NaN entries (tests that gave no p) stay NaN and do not count. Raises ValueError for values
    outside [0, 1]. Source: Holm 1979, Scandinavian Journal of Statistics 6:65.
    """
    values, known = _checked(p)
    ordered, order = np.sort(values[known]), np.argsort(values[known], kind="stable")
    factors = np.arange(ordered.size, 0, -1)
    return _restored(values, known, order, np.minimum(np.maximum.accumulate(factors * ordered), 1.0))


def benjamini_hochberg(p: PValues) -> Floats:
    """Benjamini and Hochberg's step-up adjusted p-values (m,), in the order given: false discovery rate.

    Valid under independence or positive dependence. None and NaN entries stay NaN and do not count. Raises
    ValueError for values outside [0, 1]. Source: Benjamini and Hochberg 1995, J. R. Statist. Soc. B 57:289.
    """
    values, known = _checked(p)
    ordered, order = np.sort(values[known]), np.argsort(values[known], kind="stable")
    raw = ordered * ordered.size / np.arange(1, ordered.size + 1)
    return _restored(values, known, order, np.minimum(np.minimum.accumulate(raw[::-1])[::-1], 1.0))


def _checked(p: PValues) -> tuple[Floats, NDArray[np.bool_]]:
    values = np.array([np.nan if value is None else float(value) for value in p], dtype=np.float64)
    known = ~np.isnan(values)
    outside = np.flatnonzero(known & ~((values >= 0.0) & (values <= 1.0)))
    if outside.size:
        index = int(outside[0])
        raise ValueError(
            f"p[{index}] is {values[index]!r}; pass p-values in [0, 1], and None where there is none"
        )
    return values, known


def _restored(values: Floats, known: NDArray[np.bool_], order: NDArray[np.intp], adjusted: Floats) -> Floats:
    unsorted = np.empty_like(adjusted)
    unsorted[order] = adjusted
    result = np.full_like(values, np.nan)
    result[known] = unsorted
    return result
