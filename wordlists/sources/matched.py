"""Two lists of words with the same frequencies and lengths: pairs by optimal assignment, the closest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment
from wordfreq import zipf_frequency


def features(words: Sequence[str], language: str) -> np.ndarray:
    """Zipf frequency, characters and words of each (n, 3); a phrase is as frequent as wordfreq says of it."""
    return np.array([[zipf_frequency(word, language), len(word), len(word.split())] for word in words], dtype=float)


def matched(first: Sequence[str], second: Sequence[str], count: int, language: str) -> tuple[list[str], list[str]]:
    """The ``count`` closest pairs: of as many words each; half a Zipf unit weighs as much as three characters."""
    one, other = features(first, language), features(second, language)
    difference = np.abs(one[:, None] - other[None])
    cost = (difference[..., 0] / 0.5) ** 2 + (difference[..., 1] / 3.0) ** 2 + 1e6 * (difference[..., 2] > 0)
    rows, columns = linear_sum_assignment(cost)
    best = np.argsort(cost[rows, columns], kind="stable")[:count]
    return [first[rows[place]] for place in best], [second[columns[place]] for place in best]
