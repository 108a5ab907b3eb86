"""What metrics compute at once, written as plainly as can be."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def cosine(u: npt.ArrayLike, v: npt.ArrayLike) -> float:
    """In float64, whatever the vectors are in."""
    u, v = np.asarray(u, dtype=float), np.asarray(v, dtype=float)
    return float(u @ v / np.sqrt((u @ u) * (v @ v)))


def p_of_partitions(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Two-sided and one-sided p of mean(x) - mean(y), over every partition into lists as long."""
    s = np.array([*x, *y], dtype=float)
    sums = s[np.array(list(itertools.combinations(range(len(s)), len(x))))].sum(axis=1)
    differences = sums / len(x) - (s.sum() - sums) / len(y)
    observed = differences[0]
    return (
        float(np.mean(np.abs(differences) >= abs(observed) - 1e-9)),
        float(np.mean(differences >= observed - 1e-9)),
    )
