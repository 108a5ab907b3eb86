"""The permutation test of two lists of words that exchanges what an `Exchange` allows, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_vector
from biascore.stats.exchange import Exchange
from biascore.stats.permutation import (
    PermutationTest,
    Tail,
    drawn_tail,
    exact_tail,
    fewer_draws,
    permutation_test,
)

MAX_LABELLINGS: Final = 2**22
"""``exact`` refuses beyond this many labellings, where they cannot be counted by halves."""

_NEAR: Final = 1e-12


def exchange_test(
    x: ArrayLike,
    y: ArrayLike,
    exchange: Exchange,
    *,
    studentized: bool = False,
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    draws: int = 100_000,
    rng: np.random.Generator,
) -> PermutationTest:
    """`permutation_test` of the scores x and y that exchanges what ``exchange`` allows.

    ``auto`` counts all labellings up to ``draws`` of them (words, and families of one size in a single block, as
    `permutation_test` does), else it draws. Blocks that hold unequal shares of both lists move the mean difference
    whatever the labels within them; the test is of what lies beyond that, so extreme is what is far from the mean over the
    labellings. ``studentized`` divides the difference by its standard error in each labelling, of which the variance is that
    between units; both lists need two of them. Raises ValueError as `permutation_test` does, for an exchange of other
    sizes, and for a single unit to studentize.
    """
    first, second = finite_vector(x, "x"), finite_vector(y, "y")
    unit = np.array(exchange.unit)
    of_first = int(np.count_nonzero(np.array(exchange.first)[unit]))
    if (first.size, second.size) != (of_first, unit.size - of_first):
        raise ValueError(
            f"there are {first.size} + {second.size} scores and an exchange of {of_first} + {unit.size - of_first}"
        )
    scores = np.concatenate([first, second])
    sizes = np.bincount(unit)
    one_block = not any(exchange.block)
    if studentized and (min(exchange.units) < 2 or not one_block):
        raise ValueError("studentized needs two units in each list, and one block; pass studentized=False")
    if one_block and not studentized and not np.ptp(sizes):
        means = np.bincount(unit, weights=scores) / sizes
        a, _ = exchange.units
        found = permutation_test(means[:a], means[a:], method=method, draws=draws, rng=rng)
        return found if exchange.plain else replace(found, exchange=exchange)
    if draws < 1:
        raise ValueError(f"draws is {draws}; pass at least 1")
    draws = fewer_draws(draws, len(exchange.first))
    total = exchange.labellings
    exact = total <= (MAX_LABELLINGS if method == "exact" else draws) and method != "monte-carlo"
    if method == "exact" and not exact:
        raise ValueError(
            f"an exact test would count {total:z.2g} labellings (at most {MAX_LABELLINGS} are); "
            "pass method='monte-carlo' or method='auto'"
        )
    centred = scores - scores.mean()
    greater, two_sided, middle = relabelled_tails(
        lambda labels: (_studentized if studentized else _difference)(centred, exchange, labels),
        exchange,
        exact=exact,
        draws=draws,
        rng=rng,
    )
    return PermutationTest(
        statistic=math.fsum(first / first.size) - math.fsum(second / second.size),
        nx=exchange.units[0],
        ny=exchange.units[1],
        method="exact" if exact else "monte-carlo",
        n_partitions=total,
        greater=greater,
        two_sided=two_sided,
        exchange=exchange,
        studentized=studentized,
        middle=middle,
    )


def relabelled_tails(
    statistic: Callable[[Floats], Floats],
    exchange: Exchange,
    *,
    exact: bool,
    draws: int,
    rng: np.random.Generator,
) -> tuple[Tail, Tail, float]:
    """How many labellings give a statistic as extreme as the observed one, above it and either way; and the middle.

    ``statistic`` takes labellings (rows, units), 1 for the first list, and gives (rows,). Extreme is what is far from the
    middle: within blocks the mean over the labellings, else 0. ``exact`` counts all, or ``draws`` are drawn from ``rng``.
    """
    labellings = exchange.all() if exact else exchange.drawn(draws, rng, len(exchange.unit))
    values = np.concatenate([statistic(labels) for labels in labellings])
    observed = float(statistic(np.array([exchange.first], dtype=np.float64))[0])
    middle = 0.0
    if any(exchange.block):
        # The observed labelling is one of them either way, so that the mean is the same whichever was observed.
        middle = float(values.mean() if exact else (values.sum() + observed) / (values.size + 1))
        values, observed = values - middle, observed - middle
    tail = exact_tail if exact else drawn_tail
    greater, two_sided = (
        tail(*_beyond(found, than), found.size)
        for found, than in ((values, observed), (np.abs(values), abs(observed)))
    )
    return greater, two_sided, middle


def countable(exchange: Exchange) -> bool:
    """Whether ``method="exact"`` of `exchange_test` can count the labellings of an exchange that is not plain."""
    return exchange.labellings <= MAX_LABELLINGS


def _difference(scores: Floats, exchange: Exchange, labels: Floats) -> Floats:
    """Differences of means over words: labels (rows, units) give (rows,)."""
    found: Floats = exchange.weights(labels) @ scores
    return found


def _studentized(scores: Floats, exchange: Exchange, labels: Floats) -> Floats:
    """Differences of means over their standard errors, from the variance between units: (rows,)."""
    unit = np.array(exchange.unit)
    sizes = np.bincount(unit).astype(np.float64)
    sums = np.bincount(unit, weights=scores)
    means, variance = [], np.zeros(len(labels))
    for side in (labels, 1.0 - labels):
        words, units = side @ sizes, side.sum(axis=1)
        mean = side @ sums / words
        squares = side @ sums**2 - 2.0 * mean * (side @ (sums * sizes)) + mean**2 * (side @ sizes**2)
        variance += np.maximum(squares, 0.0) / words**2 * units / (units - 1.0)
        means.append(mean)
    least = _NEAR * max(float(np.abs(scores).max()), np.finfo(np.float64).tiny)
    found: Floats = (means[0] - means[1]) / np.maximum(np.sqrt(variance), least)
    return found


def _beyond(found: Floats, observed: float) -> tuple[int, int]:
    """How many are at least as large as the observed one, and how many larger; a tie is within rounding."""
    near = 1e-10 * max(float(np.abs(found).max()), abs(observed))
    return int(np.count_nonzero(found >= observed - near)), int(np.count_nonzero(found > observed + near))
