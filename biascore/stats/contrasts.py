"""A sum of weighted group means, measured twice on the same items: its change, with an interval and a test.

The effect is sum_g w_g mean_g(values), over the standard deviation of all values where a ``ddof`` is given. With one
group it is a mean or a share, with the weights 1 and -1 a difference of means or the effect size of WEAT. Of the same
items in two models the change is the same contrast of the items' changes, each value first divided by the deviation of
its own model where there is one. What is tested depends on the weights:

- one side (weights that do not sum to 0): every item is as likely to have changed the other way (signs flipped; for answers
  of yes and no this is McNemar's exact test);
- two sides (weights that sum to 0): the group of an item has nothing to do with how it changed (changes permuted over the
  items), so that a shift that all items share rejects nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascore.stats._checks import Floats, finite_vector, require_between
from biascore.stats.association import MIN_RELATIVE_SPREAD, ZeroVarianceError
from biascore.stats.bootstrap import Interval, Samples, bootstrap_interval
from biascore.stats.change import bootstrap_effect_change
from biascore.stats.inversion import shift_interval
from biascore.stats.normal import critical_value
from biascore.stats.paired import bootstrap_mean, sign_flip_test
from biascore.stats.permutation import fewer_draws, permutation_test
from biascore.stats.proportions import binomial_test

Groups = NDArray[np.intp]

DRAWS = 10_000
"""Permutations of many groups that are drawn: a p of .05 then has a standard error of .002."""
_CHUNK = 2**21


@dataclass(frozen=True, slots=True)
class Change:
    """The change of an effect between two measurements of the same items, or of other ones (`unpaired_change`)."""

    old: float
    """The effect before, on these items, in its unit."""
    new: float
    """The effect after."""
    value: float
    """new - old."""
    interval: Interval | None
    """Of the change; None where nothing shows its uncertainty."""
    problem: str
    """Why there is no interval, or an empty text."""
    p_value: float
    """Two-sided."""
    test: str
    """What was tested, as the name of a p-value."""
    method: Literal["exact", "monte-carlo", "asymptotic"]
    n_total: int | None
    """Assignments counted or drawn; None for a closed form."""


def contrast(
    values: ArrayLike, groups: Groups, weights: tuple[float, ...], ddof: Literal[0, 1] | None = None
) -> float:
    """The effect of values (n,), whose groups (n,) are places in ``weights``, in their unit or, with ``ddof``, in sds.

    Raises ValueError where a group is empty, ZeroVarianceError where a standard deviation is needed and there is none.
    """
    known = finite_vector(values, "values")
    sizes = np.bincount(groups, minlength=len(weights))
    if not sizes.all():
        raise ValueError(f"group {int(np.flatnonzero(sizes == 0)[0])} (counted from 0) has no values")
    scaled = known / _deviation(known, ddof)
    return math.fsum(scaled * (np.asarray(weights) / sizes)[groups])


def contrast_change(
    old: ArrayLike,
    new: ArrayLike,
    groups: Groups,
    weights: tuple[float, ...],
    *,
    ddof: Literal[0, 1] | None = None,
    level: float = 0.95,
    resamples: int = 5000,
    draws: int = DRAWS,
    rng: np.random.Generator,
) -> Change:
    """The change of a contrast from ``old`` to ``new`` (n,), the same items in the same order; ``weights`` as above.

    The interval is the bootstrap-t, the same items resampled in both within their group (of one group of answers of 0 and
    1 Bonett and Price 2012, J. Educ. Behav. Stat. 37:479); an end that contradicts the test is moved to 0, or for
    two groups to that of the inverted permutation test. Raises what `contrast` raises.
    """
    require_between(level, "level", 0.0, 1.0)
    before, after = contrast(old, groups, weights, ddof), contrast(new, groups, weights, ddof)
    x, y = finite_vector(old, "old"), finite_vector(new, "new")
    moved = y / _deviation(y, ddof) - x / _deviation(x, ddof)
    sizes = np.bincount(groups, minlength=len(weights))
    two_sided = abs(sum(weights)) <= 1e-9 * sum(map(abs, weights))
    parts = [moved[groups == place] for place in range(len(weights))]
    pair = two_sided and len(weights) == 2
    total: int | None
    if pair:
        test = permutation_test(*_signed(parts, weights), rng=rng)
        p, name, method, total = (
            test.two_sided.p_value, "changes permuted between the groups", test.method, test.two_sided.n_total
        )  # fmt: skip
    elif two_sided:
        draws = fewer_draws(draws, moved.size)
        p = _permuted(moved, groups, np.asarray(weights) / sizes, draws, rng)
        name, method, total = "changes permuted over the groups", "monte-carlo", draws
    else:
        p, name, method, total = _flipped(moved * (np.asarray(weights) / sizes)[groups], rng)
    change = Change(before, after, after - before, None, "", p, name, method, total)
    try:
        interval = _interval(x, y, parts, groups, weights, ddof, level, resamples, rng)
    except ZeroVarianceError as error:
        return replace(change, problem=str(error))

    def inverted() -> Interval | None:
        if not pair:
            return None
        return shift_interval(*_signed(parts, weights), level=level, draws=resamples, rng=rng)

    return replace(change, interval=_reconciled(interval, change, level, inverted))


def unpaired_change(
    old: float, old_interval: tuple[float, float], new: float, new_interval: tuple[float, float], level: float
) -> Change:
    """The change between two estimates whose items cannot be paired, from their intervals, both of this ``level``.

    The ends lie as far from the change as the square root of the sum of the squares of the ends that they are made of
    (MOVER; Zou and Donner 2008, Statistics in Medicine 27:1693), and p is that at which they reach 0. It takes the two for
    independent: of the same items, which agree in most that is odd about them, it is too wide and p too large.
    """
    from scipy.special import ndtr

    require_between(level, "level", 0.0, 1.0)
    value = new - old
    below = math.hypot(new - new_interval[0], old_interval[1] - old)
    above = math.hypot(new_interval[1] - new, old - old_interval[0])
    interval = Interval(value - below, value + above, level, "unpaired, from both intervals", 0)
    reach = below if value > 0 else above
    z = critical_value(level)
    p = 1.0 if value == 0 else 0.0 if reach == 0 else 2.0 * float(ndtr(-abs(value) * z / reach))
    return Change(old, new, value, interval, "", p, "unpaired, from both intervals", "asymptotic", None)


def _deviation(values: Floats, ddof: Literal[0, 1] | None) -> float:
    if ddof is None:
        return 1.0
    largest = float(np.abs(values).max())
    spread = float(np.std(values / largest, ddof=ddof)) if largest > 0.0 and values.size > ddof else 0.0
    if spread <= MIN_RELATIVE_SPREAD:
        raise ZeroVarianceError(
            f"all {values.size} values are equal (to 12 digits), so there is no effect size"
        )
    return spread * largest


def _signed(parts: list[Floats], weights: tuple[float, ...]) -> tuple[Floats, Floats]:
    """The changes of the group that counts up and of the other, in the unit of the contrast."""
    up = int(weights[1] > weights[0])
    return abs(weights[up]) * parts[up], abs(weights[1 - up]) * parts[1 - up]


def _permuted(moved: Floats, groups: Groups, each: Floats, draws: int, rng: np.random.Generator) -> float:
    """p of the contrast of changes, whose coefficients ``each`` (by group) are permuted over the items."""
    order = np.argsort(moved, kind="stable")  # so that the order of the items changes nothing
    values, coefficients = moved[order], np.sort(each[groups])
    observed = abs(math.fsum(moved * each[groups]))
    reach = observed - 1e-12 * math.fsum(np.abs(moved)) * float(np.abs(each).max())
    beyond, step = 0, max(1, _CHUNK // moved.size)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        dealt = rng.permuted(np.broadcast_to(coefficients, (rows, moved.size)), axis=1)
        beyond += int(np.count_nonzero(np.abs(dealt @ values) >= reach))
    return (1 + beyond) / (1 + draws)


def _flipped(
    shares: Floats, rng: np.random.Generator
) -> tuple[float, str, Literal["exact", "monte-carlo"], int | None]:
    """p of the sum of the items' shares in the change, every one of them as likely to be the other way."""
    some = shares[shares != 0.0]
    if not some.size:
        return 1.0, "signs of the changes flipped", "exact", 1
    if np.ptp(np.abs(some)) <= 1e-12 * np.abs(some).max():
        return binomial_test(int(np.count_nonzero(some > 0)), some.size), "McNemar, exact", "exact", None
    test = sign_flip_test(some, rng=rng)
    return test.p_value, "signs of the changes flipped", test.method, test.n_total


def _interval(
    old: Floats,
    new: Floats,
    parts: list[Floats],
    groups: Groups,
    weights: tuple[float, ...],
    ddof: Literal[0, 1] | None,
    level: float,
    resamples: int,
    rng: np.random.Generator,
) -> Interval:
    if len(weights) == 1 and ddof is None and np.isin(np.concatenate([old, new]), (0.0, 1.0)).all():
        return _of_answers(parts[0], weights[0], level)
    few = next((place for place, part in enumerate(parts) if part.size < 2), None)
    if few is not None:
        raise ZeroVarianceError(
            f"group {few + 1} of {len(parts)} has one item, and resampling it shows no variation"
        )
    if ddof is not None and len(weights) == 2:
        first, second = int(weights[1] > weights[0]), int(weights[1] <= weights[0])
        if abs(weights[first]) == abs(weights[second]) == 1.0:
            pairs = [(one[groups == first], one[groups == second]) for one in (old, new)]
            return bootstrap_effect_change(*pairs, ddof=ddof, level=level, resamples=resamples, rng=rng)
    if len(parts) == 1:
        return bootstrap_mean(weights[0] * parts[0], level=level, resamples=resamples, rng=rng)
    return _bootstrap(parts, weights, level, resamples, rng)


def _bootstrap(
    parts: list[Floats], weights: tuple[float, ...], level: float, resamples: int, rng: np.random.Generator
) -> Interval:
    def statistic(batch: Samples) -> Floats:
        found: Floats = sum(
            (w * one.mean(axis=1) for w, one in zip(weights, batch, strict=True)), start=np.zeros(1)
        )
        return found

    def error(batch: Samples) -> Floats:
        variance = sum(
            (w * w * one.var(axis=1, ddof=1) / one.shape[1] for w, one in zip(weights, batch, strict=True)),
            start=np.zeros(1),
        )
        found: Floats = np.sqrt(variance)
        return found

    return bootstrap_interval(
        statistic,
        tuple(parts),
        level=level,
        resamples=resamples,
        rng=rng,
        standard_error=error,
    )


def _of_answers(moved: Floats, weight: float, level: float) -> Interval:
    """Of the difference of two shares of the same items: one item is added to those that changed either way."""
    n = moved.size + 2
    up, down = (np.count_nonzero(moved > 0) + 1) / n, (np.count_nonzero(moved < 0) + 1) / n
    half = critical_value(level) * math.sqrt((up + down - (up - down) ** 2) / n)
    ends = sorted(float(weight * max(-1.0, min(1.0, up - down + side * half))) for side in (-1, 1))
    return Interval(ends[0], ends[1], level, "Bonett-Price, paired shares", 0)


def _reconciled(
    found: Interval, change: Change, level: float, inverted: Callable[[], Interval | None]
) -> Interval:
    """The interval without contradiction to the test at 1 - level: it holds 0 exactly where that does not reject."""
    rejected, holds_0 = change.p_value <= 1.0 - level + 1e-12, found.low <= 0.0 <= found.high
    if rejected != holds_0:
        return found
    up = change.value > 0
    other = inverted()
    end = 0.0 if other is None else other.low if up else other.high
    end = max(end, 0.0) if rejected == up else min(end, 0.0)
    told = "by the inverted test" if other else "by the test"
    low, high = (min(end, found.high), found.high) if up else (found.low, max(end, found.low))
    return replace(found, low=low, high=high, method=f"{found.method}, the end at 0 {told}")
