"""Intervals of accuracies over questions that are made of pairs of words: the pairs are drawn, not the questions.

Analogy files cross few pairs into many questions (23 capitals and countries make 506), so the questions are no
independent observations. As in the vertex bootstrap of networks (Snijders & Borgatti 1999, Connections 22:61), the pairs
are drawn with replacement, and a question counts as often as its first pair times as often as its second was drawn.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.stats import Interval
from biascore.stats.proportions import wilson_interval

Floats = npt.NDArray[np.float64]
METHOD: Final = "percentile, pairs of words resampled"
_CHUNK: Final = 1 << 22


def drawn_accuracies(
    pairs: npt.NDArray[np.intp], right: Floats, resamples: int, rng: np.random.Generator
) -> Floats:
    """Accuracies (k, resamples) of questions (n,) under k conditions, ``right`` (k, n), in the same resamples.

    ``pairs`` (n, 2) are the numbers, from 0, of the pairs that each question is made of. NaN: a resample without questions.
    """
    count = int(pairs.max()) + 1
    found = np.empty((len(right), resamples))
    step = max(1, _CHUNK // max(len(pairs), count))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=rows).astype(np.float64)
        weights = drawn[:, pairs[:, 0]] * drawn[:, pairs[:, 1]]
        total = weights.sum(axis=1)
        total[total == 0] = np.nan
        found[:, start : start + rows] = right @ weights.T / total
    return found


def accuracy_interval(drawn: Floats, right: Floats, pairs: npt.NDArray[np.intp], level: float) -> Interval:
    """The interval of an accuracy from its resamples (resamples,).

    Where all questions have one outcome, resampling shows no variation: then Wilson's, as if the pairs were the questions.
    """
    if np.ptp(right) == 0:
        trials = min(len(np.unique(pairs, axis=0)), len(np.unique(pairs)))  # a question twice is one
        found = wilson_interval(trials if right[0] else 0, trials, level=level)
        return Interval(found.low, found.high, level, "Wilson, of as many trials as pairs of words", 0)
    return _quantiles(drawn, level)


def change_interval(drawn: Floats, level: float) -> Interval | None:
    """The interval of a difference of two accuracies from its resamples; None where they do not vary."""
    usable = drawn[np.isfinite(drawn)]
    return None if not usable.size or np.ptp(usable) == 0 else _quantiles(drawn, level)


def _quantiles(drawn: Floats, level: float) -> Interval:
    usable = drawn[np.isfinite(drawn)]
    low, high = np.quantile(usable, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, METHOD, drawn.size, drawn.size - usable.size)
