"""Two lists of words with the same frequencies and lengths: pairs by optimal assignment, the closest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment
from wordfreq import zipf_frequency

ZIPF: Final = 0.5
CHARACTERS: Final = 3.0
"""So many units of frequency (Zipf), and so many characters, count as much as each other."""
PULLS: Final = np.linspace(0, 20, 201)
"""Preferences for pairs whose rarer word is on one side, tried until both lists are as frequent on average."""
CLOSE: Final = 0.02
"""Means of Zipf frequency that differ by so much count as equal."""


def features(words: Sequence[str], language: str) -> np.ndarray:
    """Zipf frequency, characters and words of each (n, 3); a phrase is as frequent as wordfreq says of it."""
    return np.array(
        [[zipf_frequency(word, language), len(word), len(word.split())] for word in words], dtype=float
    )


def matched(
    first: Sequence[str], second: Sequence[str], count: int, language: str
) -> tuple[list[str], list[str]]:
    """The ``count`` closest pairs, each of as many words, whose mean frequencies agree; raises ValueError for too few."""
    if min(len(first), len(second)) < count:
        raise ValueError(f"{count} pairs are asked for, of {len(first)} and {len(second)} candidates")
    one, other = features(first, language), features(second, language)
    apart = one[:, None] - other[None]
    cost = (apart[..., 0] / ZIPF) ** 2 + (apart[..., 1] / CHARACTERS) ** 2 + 1e6 * (apart[..., 2] != 0)
    # Without a pull the frequent candidates of one side would be paired with less frequent ones, all the same way.
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for size in PULLS:
        for pull in (size, -size):
            pulled = cost + pull * apart[..., 0]
            rows, columns = linear_sum_assignment(pulled)
            kept = np.argsort(pulled[rows, columns], kind="stable")[:count]
            rows, columns = rows[kept], columns[kept]
            difference = abs(float(apart[rows, columns, 0].mean()))
            if best is None or difference < best[0]:
                best = difference, rows, columns
        if best is not None and best[0] <= CLOSE:
            break
    assert best is not None
    for row, column in zip(best[1], best[2], strict=True):
        if apart[row, column, 2]:
            raise ValueError(
                f"too few candidates of as many words: {first[row]!r} is left with {second[column]!r}"
            )
    return [first[place] for place in best[1]], [second[place] for place in best[2]]
