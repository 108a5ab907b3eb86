"""The change of one headline between two measurements, and many such changes adjusted together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biascore.comparing.changes import Changed, changes_of
from biascore.comparing.judging import judged, rejudged
from biascore.comparing.matching import Match, Side, compared_estimates, refusals
from biascore.results.comparison import Difference
from biascore.stats import Adjustment, adjust


class Change(NamedTuple):
    """The change between two measurements, before or after adjustment; or why they are not compared."""

    difference: Difference | None
    refused: tuple[str, ...] = ()


def change_between(old: Side, new: Side) -> Change:
    """The change of the headline of one test, as ``compare`` makes it, before adjustment."""
    match = Match(old, new)
    one, other = old.measurement, new.measurement
    apart = [
        f"{name} {getattr(one, name) or 'none'} and {getattr(other, name) or 'none'}"
        for name in ("metric", "test", "subject")
        if getattr(one, name) != getattr(other, name)
    ]
    if apart:
        return Change(None, tuple(apart))
    missing = [f"not measured: {side.reason}" for side in (one, other) if side.headline.value is None]
    if missing:
        return Change(None, tuple(dict.fromkeys(missing)))
    reasons = refusals(match)
    if not reasons and one.headline.name not in compared_estimates(one, other):
        reasons = (f"estimand: {one.headline.name} and {other.headline.name}",)
    if reasons:
        return Change(None, reasons)
    changed: Changed = next(changes_of(match, only=one.headline.name))
    made = judged(match, changed, "", None, Adjustment.NONE, None)
    return Change(None, (made.reason,)) if made.change.value is None else Change(made)


def adjusted(changes: Sequence[Change], family: str, how: Adjustment = Adjustment.HOLM) -> tuple[Change, ...]:
    """The same changes, whose p-values are adjusted over all of them, with the outcomes that follow."""
    p = [
        one.difference.change.p_values[0].value if one.difference and one.difference.change.p_values else None
        for one in changes
    ]
    tests = sum(value is not None for value in p)
    return tuple(
        one
        if one.difference is None
        else Change(
            rejudged(one.difference, family, None if own is None else (float(value), tests), how), one.refused
        )
        for one, own, value in zip(changes, p, adjust(p, how), strict=True)
    )
