"""Texts of like length in one batch, so that little of it is padding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

# Measured: on a CPU the states of more tokens than this leave the cache, and cost half as much again.
CPU_TOKENS: Final = 2048
ACCELERATOR_TOKENS: Final = 16384
TEXTS: Final = 1024
"""Texts of one call: enough that those of like length meet (a quarter as many took 15 % more time)."""
PARAMETERS: Final = 2**27
"""Of a model that is given so many texts at once on a CPU: a larger one takes longer for each."""
A_WRITTEN: Final = 16
"""A text that a model writes counts as so many of a call: it takes a pass for each token, and 64 together fill a batch."""


def texts_at_once(parameters: int, *, cpu: bool) -> int:
    """How many texts a call takes; what is interrupted loses the answers of one call, which are minutes on a CPU."""
    return max(16, min(TEXTS, TEXTS * PARAMETERS // max(1, parameters))) if cpu else TEXTS


def by_texts(texts: Sequence[int], most: int) -> list[int]:
    """How many questions in a row go into each call, of which each needs so many texts: ``most`` texts, or one question."""
    sizes: list[int] = []
    room = 0
    for own in texts:
        if own > room:
            sizes.append(0)
            room = most
        sizes[-1] += 1
        room -= own
    return sizes


def batches(lengths: Mapping[int, int], budget: int, *, equal: bool = False) -> Iterator[list[int]]:
    """The keys in batches of like length, the longest first, each of at most ``budget`` tokens after padding.

    A text that is longer than the budget makes a batch of its own. A batch that is a quarter full ends
    where the texts get shorter: measured, from there on padding costs more than another call. With ``equal``
    every batch ends there, for models whose answers padding would change.
    """
    order = sorted(lengths, key=lengths.__getitem__, reverse=True)
    start = 0
    while start < len(order):
        longest = lengths[order[start]]
        full = min(start + max(1, budget // longest), len(order))
        end = start + 1 if equal else min(start + max(1, budget // 4 // longest), full)
        while end < full and lengths[order[end]] == lengths[order[end - 1]]:
            end += 1
        yield order[start:end]
        start = end
