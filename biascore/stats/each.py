"""The label permutation test of every single word, all from the same labellings of the attribute words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.exchange import Exchange

EXACT_MAX = 200_000
"""All labellings are counted up to so many (10 + 10 words), whatever the number of draws."""
_NEAR = 1e-12


@dataclass(frozen=True, slots=True)
class EachTest:
    """The p-values of n words: one-sided, above 0, and two-sided."""

    greater: Floats
    """(n,)"""
    two_sided: Floats
    """(n,)"""
    method: Literal["exact", "monte-carlo"]
    total: int
    """All labellings (exact) or all draws."""
    exchange: Exchange
    """What was exchanged."""

    def p(self, alternative: Literal["greater", "two-sided"]) -> Floats:
        """Those of one alternative: (n,)."""
        return self.greater if alternative == "greater" else self.two_sided


def each_word_test(cosines: Floats, exchange: Exchange, *, draws: int, rng: np.random.Generator) -> EachTest:
    """Whether each of n words is associated, from its cosines (n, a + b) with the attribute words, those of A first.

    Exact up to `EXACT_MAX` labellings, or ``draws`` where these are more.
    Blocks that hold unequal shares of both lists are not used. Raises ValueError for
    draws < 1 and for an exchange of another number of words.
    """
    if draws < 1:
        raise ValueError(f"draws is {draws}; pass at least 1")
    if cosines.shape[1] != len(exchange.unit):
        raise ValueError(
            f"there are {cosines.shape[1]} attribute words and an exchange of {len(exchange.unit)}"
        )
    if not exchange.mirrored:
        exchange = replace(exchange, block=(0,) * len(exchange.block), paired=False)
    centred = cosines - cosines.mean(axis=1, keepdims=True)
    near = _NEAR * max(1.0, float(np.abs(cosines).max(initial=0.0)))
    observed = centred @ exchange.weights(np.array([exchange.first], dtype=np.float64))[0]
    exact = exchange.labellings <= max(draws, EXACT_MAX)
    labellings = exchange.all() if exact else exchange.drawn(draws, rng, max(centred.shape))
    above, beyond, total = np.zeros(len(cosines)), np.zeros(len(cosines)), 0
    for labels in labellings:
        found = exchange.weights(labels) @ centred.T
        above += np.count_nonzero(found >= observed - near, axis=0)
        beyond += np.count_nonzero(np.abs(found) >= np.abs(observed) - near, axis=0)
        total += len(labels)
    drawn = 0 if exact else 1
    return EachTest(
        (above + drawn) / (total + drawn),
        (beyond + drawn) / (total + drawn),
        "exact" if exact else "monte-carlo",
        total,
        exchange,
    )
