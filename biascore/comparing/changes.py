"""The change of each estimate that two measurements of one test have in common, before any adjustment."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from biascore.comparing.items import Joined, no_items
from biascore.comparing.matching import Match, compared_estimates
from biascore.results.comparison import Compared
from biascore.results.estimates import ConfidenceInterval, Estimate, PValue
from biascore.results.estimators import Estimator
from biascore.results.measurement import Measurement
from biascore.stats import RegressionError, ZeroVarianceError
from biascore.stats.contrasts import Change, unpaired_change

LEVEL: Final = 0.95
"""Of an interval where the measurements have none to take it from."""


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """The change of one estimate, and all that it takes to judge it; ``problem`` says why there is none."""

    name: str
    old: Compared
    new: Compared
    change: Estimate
    paired: bool
    flipped: int | None
    unmoved: bool
    """Whether every item has the same value in both."""
    items: pa.Table
    cautions: tuple[str, ...]
    problem: str


def changes_of(match: Match, only: str = "") -> Iterator[Changed]:
    """The change of each estimate that is compared, or of ``only`` one: paired where both follow from their items, else
    unpaired."""
    old, new = match.old.measurement, match.new.measurement
    for name in (only,) if only else compared_estimates(old, new):
        one, other = old.estimate(name), new.estimate(name)
        if one.estimator is not None and one.estimator == other.estimator:
            yield _paired(one, other, one.estimator, match)
        else:
            yield _unpaired(one, other, old, new)


def _paired(one: Estimate, other: Estimate, estimator: Estimator, match: Match) -> Changed:
    old, new = match.old.measurement, match.new.measurement
    joined = Joined.of(estimator, old, new)
    flipped = joined.flipped(estimator, old.item_neutral)
    rng = np.random.default_rng(_seed(match, one.name))
    level = one.interval.level if one.interval else LEVEL
    change: Change | None = None
    problem = ""
    try:
        change = estimator.change(joined.old, joined.new, level, rng)
    except (ValueError, ZeroVarianceError, RegressionError) as error:
        problem = f"the {len(joined)} items that both have are not enough: {error}"
    cautions = list(_coverage(old, new, joined))
    unmoved = change is not None and bool(np.array_equal(joined.old.values, joined.new.values))
    if change is not None and change.interval is None and not unmoved:  # unmoved needs no more words
        cautions.append(f"no interval of the change: {change.problem}")
    return Changed(
        name=one.name,
        old=_side(one, old, change.old if change else None),
        new=_side(other, new, change.new if change else None),
        change=_estimate(one, change, {"items": len(joined)}),
        paired=True,
        flipped=None if flipped is None else int(flipped.sum()),
        unmoved=unmoved,
        items=joined.table(estimator, flipped),
        cautions=tuple(cautions),
        problem=problem,
    )


def _unpaired(one: Estimate, other: Estimate, old: Measurement, new: Measurement) -> Changed:
    ends = one.interval, other.interval
    change: Change | None = None
    if one.value is None or other.value is None:
        problem = f"it is not estimable in the {'old' if one.value is None else 'new'} run"
    elif ends[0] is None or ends[1] is None:
        problem = "not both have an interval, and its items do not say how it varies"
    elif ends[0].level != ends[1].level:
        problem = f"its intervals are of {100 * ends[0].level:g} % and of {100 * ends[1].level:g} %"
    else:
        problem = ""
        pairs = [(end.low, end.high) for end in (ends[0], ends[1])]
        change = unpaired_change(one.value, pairs[0], other.value, pairs[1], ends[0].level)
    return Changed(
        name=one.name,
        old=_side(one, old, None),
        new=_side(other, new, None),
        change=_estimate(one, change, {}),
        paired=False,
        flipped=None,
        unmoved=not problem
        and one.value == other.value
        and old.items.equals(new.items)
        and bool(len(old.items)),
        items=no_items(),
        cautions=(_why_unpaired(one), *_lists(old, new)),
        problem=problem,
    )


def _why_unpaired(one: Estimate) -> str:
    return (
        f"compared unpaired: {one.name} cannot be computed from the items alone, so what both models have in common widens "
        "the interval, and changes may be missed"
    )


def _side(estimate: Estimate, measurement: Measurement, on_same_items: float | None) -> Compared:
    return Compared(
        model=measurement.model,
        value=estimate.value,
        interval=estimate.interval,
        on_same_items=on_same_items,
    )


def _estimate(of: Estimate, change: Change | None, n: dict[str, int]) -> Estimate:
    name = f"change of {of.name}"
    if change is None:
        return Estimate(name=name, value=None, unit=of.unit, n=n)
    p_value = PValue(
        name=change.test, value=change.p_value, kind=change.method, alternative="two-sided", n=change.n_total
    )
    interval = None if change.interval is None else ConfidenceInterval.of(change.interval)
    return Estimate(name=name, value=change.value, unit=of.unit, n=n, interval=interval, p_values=(p_value,))


def _coverage(old: Measurement, new: Measurement, joined: Joined) -> Iterator[str]:
    if joined.only_old or joined.only_new:
        yield (
            f"on the {len(joined)} items that both models have: {joined.only_old} more in the old one and "
            f"{joined.only_new} in the new one are left out"
        )
    yield from _lists(old, new)


def _lists(old: Measurement, new: Measurement) -> Iterator[str]:
    """What each model lacks of a list is another for both, so that they are not asked quite the same."""
    uneven = [
        f"{role} {used} and {new.coverage.used.get(role, 0)}"
        for role, used in old.coverage.used.items()
        if used != new.coverage.used.get(role, 0)
    ]
    if uneven:
        yield f"words used, old and new: {', '.join(uneven)}"


def _seed(match: Match, name: str) -> int:
    """The same for the same test, whatever the models and whichever is the old one."""
    m = match.old.measurement
    text = "\0".join(("compare", m.metric, m.variant, m.test, m.subject, name))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest())
