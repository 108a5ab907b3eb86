"""Random subsets of a size, eight members to a byte: many partitions at the cost of a few bits each.

A subset of k of n begins with the members for whom one coin, or two, fall heads, or with none where k is small; members
drawn at random then leave or join until k are in. A coin is as likely to fall heads for any member, and any is as likely to
leave or to join, so that every subset of the size is as likely as any other. Shuffling n labels for each, as numpy's
``permuted`` does, takes up to twelve times as long where there are many (benchmarks/bench_exact_p.py).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from biascore.stats._checks import Floats

Subsets = NDArray[np.uint8]
"""(bytes, rows): bit 7 of the first byte says whether the first of n is in the subset of a row, and so on."""

_BITS: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1).astype(np.float64)
_COINS: Final = ((0.2, 0), (0.375, 2), (1.0, 1))
"""Up to which share of n in a subset how many coins are quickest."""


def drawn_subsets(n: int, size: int, rows: int, rng: np.random.Generator) -> Subsets:
    """``rows`` subsets of ``size`` of ``n`` (more than half of it is slow), each drawn on its own, all equally likely."""
    coins = next(coins for share, coins in _COINS if size <= share * n)
    found = np.full((-(-n // 8), rows), 255 if coins else 0, dtype=np.uint8)
    found[-1] &= 256 - (1 << -n % 8)  # bits of nobody
    for _ in range(coins):
        found &= rng.integers(0, 256, size=found.shape, dtype=np.uint8)
    more = sums_of(found, np.ones(n)).astype(np.intp) - size
    left = np.flatnonzero(more)
    while left.size:
        at = rng.integers(0, n, size=left.size)
        place, bit = at >> 3, (128 >> (at & 7)).astype(np.uint8)
        surplus = more[left] > 0
        wrong = ((found[place, left] & bit) > 0) == surplus
        row = left[wrong]
        found[place[wrong], row] ^= bit[wrong]
        more[row] -= np.where(surplus[wrong], 1, -1)
        left = left[more[left] != 0]
    return found


def sums_of(subsets: Subsets, scores: Floats) -> Floats:
    """(rows,) The sum of the scores (n,) of the members of each subset."""
    padded = np.zeros(8 * len(subsets))
    padded[: scores.size] = scores
    found = np.zeros(subsets.shape[1])
    for members, own in zip(subsets, padded.reshape(-1, 8), strict=True):
        found += (_BITS @ own)[members]
    return found
