"""The change of an effect size between two measurements of the same words: its interval."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_vector
from biascore.stats.association import effect_size
from biascore.stats.bootstrap import Interval, Samples, bootstrap_interval
from biascore.stats.exchange import Exchange
from biascore.stats.units import Units


def bootstrap_effect_change(
    before: tuple[ArrayLike, ArrayLike],
    after: tuple[ArrayLike, ArrayLike],
    *,
    ddof: Literal[0, 1] = 1,
    level: float = 0.95,
    resamples: int = 5000,
    rng: np.random.Generator,
    exchange: Exchange | None = None,
) -> Interval:
    """Bootstrap interval of the change of `effect_size`: words resampled within x and within y, as one before and after.

    With an ``exchange`` its units are resampled in place of words: families as a whole, counterparts as pairs.

    It is studentized, the bootstrap-t with the standard error of the delta method. Measured coverage of 95 %
    intervals, normal scores, n + n words, the scores of a word before and after correlated .9 and .5 (400 samples, standard
    error 1.1 points, benchmarks/bench_change_coverage.py):

        d from, to   0, 0        1, 1        1, .5       1.5, .2
                     8 + 8
        percentile   88.0  89.0  91.0  89.8  90.5  92.0  93.0  90.8
        bca          86.5  89.2  87.0  88.2  93.0  93.0  94.5  92.8
        studentized  88.8  93.8  90.5  92.5  94.8  95.8  96.5  96.2
                     16 + 16
        studentized  91.8  95.8  92.2  90.2  93.5  94.0  97.5  95.8
                     32 + 32
        studentized  92.8  96.0  93.2  93.2  95.0  92.2  98.0  96.5

    So it is some points too narrow for few words that hardly moved.
    Raises ZeroVarianceError where the scores do not vary, no resample has a value or neither list has two units,
    ValueError on scores that are not finite and on options out of range.
    """
    (x0, y0), (x1, y1) = _paired(before, after)
    effect_size(x0, y0, ddof)
    effect_size(x1, y1, ddof)
    n = x0.size + y0.size
    # Deviations with ddof 1 are larger by this, so that the effect size is smaller.
    scale = np.sqrt((n - 1) / n) if ddof == 1 else 1.0
    declared = exchange or Exchange.of((x0.size, y0.size))
    old, new = Units.of(x0, y0, declared), Units.of(x1, y1, declared)

    def statistic(batch: Samples) -> Floats:
        return scale * (new.effect(batch) - old.effect(batch))

    def error(batch: Samples) -> Floats:
        (after_it, counts), (before_it, _) = new.effect_influences(batch), old.effect_influences(batch)
        found: Floats = scale * np.sqrt(new.variance(after_it - before_it, counts))
        return found

    return bootstrap_interval(
        statistic,
        new.samples,
        level=level,
        resamples=resamples,
        rng=rng,
        standard_error=error,
    )


def _paired(
    before: tuple[ArrayLike, ArrayLike], after: tuple[ArrayLike, ArrayLike]
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """The four samples, each pair scaled to at most 1, which changes no effect size."""
    old = (finite_vector(before[0], "x before"), finite_vector(before[1], "y before"))
    new = (finite_vector(after[0], "x after"), finite_vector(after[1], "y after"))
    for name, one, other in zip("xy", old, new, strict=True):
        if one.size != other.size:
            raise ValueError(
                f"{name} has {one.size} scores before and {other.size} after; pass the same words twice"
            )
    return _scaled(old), _scaled(new)


def _scaled(pair: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    largest = max(float(np.abs(one).max()) for one in pair) or 1.0
    return pair[0] / largest, pair[1] / largest
