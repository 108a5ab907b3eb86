"""Texts of like length in one batch, so that little of it is padding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def batches(lengths: Mapping[int, int], budget: int) -> Iterator[list[int]]:
    """The keys in batches of like length, the longest first, each of at most ``budget`` tokens after padding.

    A text that is longer than the budget makes a batch of its own.
    """
    order = sorted(lengths, key=lengths.__getitem__, reverse=True)
    start = 0
    while start < len(order):
        size = max(1, budget // lengths[order[start]])
        yield order[start : start + size]
        start += size
