"""Labelled scores at random, and what plain loops over all their labellings find."""

from __future__ import annotations

import itertools
import math

import numpy as np

from biascore.stats.labels import Labelled


def in_families(rng: np.random.Generator, n: int, a: str, b: str, lean: float = 0.0) -> Labelled:
    """Two lists of words, a letter for the family of each."""
    return Labelled.of(rng.normal(lean, 0.1, (n, len(a))), rng.normal(0.0, 0.1, (n, len(b))), a, b)


def unevenness(scores: tuple[np.ndarray, ...], tolerance: float = 0.0) -> float:
    cells = 2 ** len(scores)
    table = dict.fromkeys(itertools.product((True, False), repeat=len(scores)), 0)
    for word in zip(*scores, strict=True):
        if all(abs(b) > tolerance for b in word):
            table[tuple(b > 0 for b in word)] += 1
    n = sum(table.values())
    return sum((count - n / cells) ** 2 for count in table.values())


def near(drawn: float, exact: float, draws: int) -> bool:
    """Within four standard errors of a Monte-Carlo share, and the one that counts the observed labelling."""
    return abs(drawn - exact) <= 4 * math.sqrt(exact * (1 - exact) / draws) + 2 / draws
