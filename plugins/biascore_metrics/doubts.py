"""What would change a hurried reader's conclusion, in a few words each: the doubts that stand with an answer.

Each says again, in short, what a caution of the measurement says in full.
"""

from __future__ import annotations

from collections.abc import Sequence

from biascore.plugins_api import Coverage
from biascore_metrics.words import MAX_LOST_SHARE


def doubts_of(
    coverage: Coverage,
    *,
    near: Sequence[str] = (),
    frequency: Sequence[str] = (),
    lengths: Sequence[str] = (),
    kinds: Sequence[str] = (),
) -> tuple[str, ...]:
    """The doubts for those of these cautions that there are, and for lists that lost many of their words."""
    told = {
        "the lists also differ in word frequency": frequency,
        "the target words also differ in length": lengths,
        "words of a list nearly repeat each other": near,
        "the target words come in kinds": kinds,
    }
    return (*(words for words, cautions in told.items() if cautions), *_lost(coverage))


def _lost(coverage: Coverage) -> tuple[str, ...]:
    """Of the list that lost the largest share."""
    shares = [
        (sum(word.role == role for word in coverage.missing) / given, role)
        for role, given in coverage.given.items()
        if given
    ]
    share, role = max(shares, default=(0.0, ""))
    if share <= MAX_LOST_SHARE:
        return ()
    given = coverage.given[role]
    return (f"a list lost {round(share * given)} of its {given} words",)
