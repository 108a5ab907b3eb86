"""Checks of numeric input shared by the statistics; each raises a ValueError that names the argument."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]


def numbers(values: ArrayLike, name: str, error: type[ValueError] = ValueError) -> Floats:
    """``values`` as a new float64 array of the same shape; raises ``error`` for a masked array and for no real numbers."""
    if np.ma.isMaskedArray(values):
        raise error(f"{name} is a masked array; pass only what is not masked, as a plain array")
    array = np.asarray(values)
    real = array.dtype.kind in "biuf" or (
        array.dtype.kind == "O" and all(isinstance(value, Real) for value in array.flat)
    )
    if not real:
        raise error(f"{name} is of the type {array.dtype.name}; pass real numbers")
    return array.astype(np.float64)


@contextmanager
def within_range(what: str, remedy: str, error: type[ValueError]) -> Iterator[None]:
    """Raise ``error`` where what is computed inside overflows, divides by zero or is no number."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (ArithmeticError, np.linalg.LinAlgError) as problem:
        raise error(f"{what} cannot be computed in numbers of 64 bits ({problem}); {remedy}") from problem


def finite_vector(values: ArrayLike, name: str) -> Floats:
    """Return ``values`` as a float64 array of shape (n,); ValueError if empty, not 1-D, or not finite."""
    array = numbers(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; pass a one-dimensional array of scores")
    if array.size == 0:
        raise ValueError(f"{name} is empty; pass at least one score")
    _require_finite(array, name, "score")
    return array


def finite_matrix(values: ArrayLike, name: str) -> Floats:
    """Return ``values`` as float64 of shape (n, m), m >= 1; raises ValueError if not 2-D, or not finite."""
    array = numbers(values, name)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {array.shape}; pass a two-dimensional array with at least one column"
        )
    _require_finite(array, name, "row")
    return array


def _require_finite(array: Floats, name: str, unit: str) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        first = int(np.argwhere(bad)[0, 0])
        raise ValueError(
            f"{name} holds a NaN or an infinity at {unit} {first} (counted from 0); "
            "remove out-of-vocabulary words before computing statistics, and report them"
        )


def require_between(value: float, name: str, low: float, high: float) -> None:
    """Raise ValueError unless ``low < value < high``."""
    if not (math.isfinite(value) and low < value < high):
        raise ValueError(f"{name} is {value!r}; pass a number strictly between {low:g} and {high:g}")
