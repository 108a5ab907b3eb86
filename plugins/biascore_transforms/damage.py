"""What a transform destroys, as facts, in addition to what it removes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biascore.api.transforms import Scalar, TransformContext, Vectors
from biascore.errors import CapabilityError
from biascore.stats.removal import neighbours_kept, variance_removed

SAMPLE: Final = "most frequent words"
"""The role of words that nothing is learnt from: what happens to them is the damage."""
MOST: Final = 3000
"""Words among which neighbours are counted: all pairs of so many take a second at 300 dimensions."""
FEW: Final = 5

Rows = NDArray[np.float64]


def sample(context: TransformContext, count: int) -> dict[str, tuple[str, ...]]:
    """The most frequent words of the model, as a role; none where it has no list of its words, or is not open."""
    if not count:
        return {}
    try:
        return {SAMPLE: tuple(context.vocabulary(count))}
    except CapabilityError:
        return {}


def damage_of(
    change: Callable[[Rows], Rows],
    learnt_from: Mapping[str, Vectors],
    words: Rows | None,
    neighbours: int,
    beside: Callable[[Rows], Rows] = lambda rows: rows,
) -> dict[str, Scalar]:
    """What ``change`` does to the most frequent words, or to ``words`` (n, d) where the model has no list of its own.

    ``beside``: what it is compared with, the vectors as they are unless lengths change by design.
    """
    there = learnt_from.get(SAMPLE)
    if there is not None and there.words:
        rows, among = there.rows, f"the {len(there.words)} most frequent words"
    elif words is not None:
        rows, among = words, f"{len(words)} words that it was learnt from"
    else:
        return {"damage is measured among": "no words: this model has no list of its words, or sample is 0"}
    return damage(beside(rows), change(rows), neighbours, among)


def damage(before: Rows, after: Rows, neighbours: int, among: str) -> dict[str, Scalar]:
    """The share of variance removed and of nearest neighbours kept, among the first 3,000 rows (n, d) of the same words.

    A word whose vector is zero, before or after, has no neighbours and is left out. Among fewer than ``FEW`` times
    ``neighbours`` words most are neighbours, so that nothing is counted.
    """
    facts: dict[str, Scalar] = {"damage is measured among": among}
    if np.ptp(before, axis=0).any():
        facts["variance removed"] = round(variance_removed(before, after), 6)
    there = np.flatnonzero((np.linalg.norm(before, axis=1) > 0) & (np.linalg.norm(after, axis=1) > 0))[:MOST]
    if len(there) >= FEW * neighbours:
        kept = float(neighbours_kept(before[there], after[there], neighbours).mean())
        facts[f"neighbours kept of the {neighbours} nearest"] = round(kept, 6)
        if len(there) < len(before):
            facts["words among which neighbours are counted"] = len(there)
    return facts
