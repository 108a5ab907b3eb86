"""An effect among those of pairs of harmless groups: how many of these pairs are as large, and the uncertainty of each.

Any two groups of words differ a little in every direction, so a permutation test of real vectors nearly always rejects in
the end. An effect says something of its groups where it is larger than those of groups that nobody is harmed by (Ethayarajh,
Duvenaud & Hirst 2019, ACL, on associations of unrelated words).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.stats._checks import Floats
from biascore.stats.cosines import Cosines

NEAR: Final = 1e-9
"""Effects that differ by less are equal."""
TIE: Final = 1e-6
"""Differences of means that differ by less than this part of the largest are equal."""

_CHUNK: Final = 2**22  # numbers held at once: 32 MiB
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Rank:
    """How an effect ranks among those of pairs of harmless groups, means over draws of words.

    ``share`` counts the effect itself, (1 + reached) / (1 + pairs), so it is never 0; ``low`` and ``high`` are its range
    with each group left out in turn.
    """

    share: float
    pairs: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class HarmlessPairs:
    """What a test gives with each pair of harmless groups in the place of its own: a part of what harmless audits give.

    ``first`` and ``second`` (p,) are places in ``groups``. ``share`` (p,) ranks each pair among those that hold neither of
    its groups, ``p_value`` (p,) is that of its own permutation test.
    """

    groups: tuple[str, ...]
    first: Places
    second: Places
    share: Floats
    p_value: Floats


def group_means(
    scores: Floats | Cosines, groups: Sequence[Places], length: int, rng: np.random.Generator
) -> Floats:
    """Means (n, t) of the scores (n, m) over ``length`` words of each group, drawn at random where it has more."""
    chosen = [one if len(one) <= length else rng.permutation(one)[:length] for one in groups]
    sizes = np.array([len(one) for one in chosen])
    values = np.asarray(scores[:, np.concatenate(chosen)])
    return np.asarray(np.add.reduceat(values, np.cumsum(sizes) - sizes, axis=1) / sizes)


def pair_effects(means: Floats, first: int, ddof: Literal[0, 1]) -> Floats:
    """The effect size d of each pair of groups: (..., t, t), antisymmetric.

    ``means`` (..., n, t) are those of each of n units with each group, of which ``first`` units are of the one list. Of
    groups i and j, d is the difference over units of means i less means j, over their standard deviation. Infinite where
    these do not vary: to reach an effect is the cautious way to count such a pair.
    """
    units, groups = means.shape[-2:]
    centred = means - means.mean(axis=-2, keepdims=True)
    apart = centred[..., :first, :].mean(axis=-2) - centred[..., first:, :].mean(axis=-2)
    product = centred.swapaxes(-1, -2) @ centred / (units - ddof)
    own = np.diagonal(product, axis1=-2, axis2=-1)
    variance = own[..., :, None] + own[..., None, :] - 2.0 * product
    difference = apart[..., :, None] - apart[..., None, :]
    # Below this the variance is what rounding left of the two it is a difference of.
    flat = variance <= NEAR * np.maximum(own[..., :, None], own[..., None, :])
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(flat, np.inf, difference / np.sqrt(np.where(flat, 1.0, variance)))
    found[..., range(groups), range(groups)] = 0.0
    return found


def rank(values: float | Floats, effects: Floats, alternative: Literal["greater", "two-sided"]) -> Rank:
    """An effect among those of all pairs of t groups (t, t), in none of which its own groups are.

    Of several ``values`` (k,), draws of one effect, the mean of their ranks. ``greater`` counts both orders of a pair, of
    which one is positive.
    """
    count, values = len(effects), np.atleast_1d(values)
    others = effects[~np.eye(count, dtype=bool)].reshape(count, -1)
    two_sided = alternative == "two-sided"
    of_group = np.abs(others) if two_sided else np.hstack([others, -others])
    least = (np.abs(values) if two_sided else values) - NEAR
    # Of the pairs of each group those that reach each value, what is no number among them.
    reached = np.count_nonzero(~(of_group[:, None, :] < least[:, None]), axis=2)
    both = reached.sum(axis=0) / 2  # a pair is in two groups
    pairs = of_group.size // 2
    without = ((1 + both - reached) / (1 + pairs - of_group.shape[1])).mean(axis=1)
    return Rank(float(((1 + both) / (1 + pairs)).mean()), pairs, float(without.min()), float(without.max()))


def mean_rank(ranks: Sequence[Rank]) -> Rank:
    """The mean of ranks over draws of words."""
    share, low, high = (
        float(np.mean([getattr(one, name) for one in ranks])) for name in ("share", "low", "high")
    )
    return Rank(share, ranks[0].pairs, low, high)


def leave_two_out(effects: Floats) -> Floats:
    """The share (p,) of each pair of t groups among the pairs that hold neither of its groups, from effects (t, t)."""
    size = np.abs(effects)
    count = len(size)
    one, other = np.triu_indices(count, 1)
    values = size[one, other]
    least = values - NEAR
    every = values.size - np.searchsorted(np.sort(values), least)
    in_row = np.empty((count, count), dtype=np.intp)
    for row in range(count):
        own = np.delete(size[row], row)
        in_row[row] = (own >= size[row][:, None] - NEAR).sum(axis=1)
    # The pair itself is among all, and in both rows.
    reached = every - in_row[one, other] - in_row[other, one] + 1
    return np.asarray((1 + reached) / (1 + (count - 2) * (count - 3) // 2))


def p_of_labels(means: Floats, labellings: Iterable[Floats], weights: Floats) -> Floats:
    """Two-sided permutation p (p,) of the difference that each pair of t groups makes, the labels of units permuted.

    ``means`` (n, t); ``weights`` (n,) give the observed difference, ``labellings`` (some, n) those of random labellings,
    which all pairs share.
    """
    count = means.shape[1]
    observed = weights @ means
    apart = np.abs(observed[:, None] - observed)
    # Half the digits, in half the time: a labelling that ties with the observed one reaches it all the same.
    least = (apart - TIE * apart.max(initial=0.0)).astype(np.float32)
    reached, draws = np.zeros((count, count), dtype=np.intp), 0
    for some in labellings:
        of_groups = np.asfortranarray((some @ means).astype(np.float32))
        for row in range(count - 1):
            later = slice(row + 1, count)
            beyond = np.abs(of_groups[:, row, None] - of_groups[:, later]) >= least[row, later]
            reached[row, later] += np.count_nonzero(beyond, axis=0)
        draws += len(of_groups)
    return np.asarray((1 + reached[np.triu_indices(count, 1)]) / (1 + draws))


def p_of_groups(values: Sequence[Floats], draws: int, rng: np.random.Generator) -> Floats:
    """Two-sided permutation p (p,) of the difference of means of each pair of groups, whose words are permuted.

    ``values`` are the scores of the words of each group. Pairs of the same sizes share their labellings.
    """
    count = len(values)
    one, other = np.triu_indices(count, 1)
    sizes = np.array([len(some) for some in values])
    found = np.empty(one.size)
    for a, b in sorted({(int(sizes[i]), int(sizes[j])) for i, j in zip(one, other, strict=True)}):
        own = np.flatnonzero((sizes[one] == a) & (sizes[other] == b))
        pooled = np.stack([np.concatenate([values[one[k]], values[other[k]]]) for k in own])
        pooled = pooled - pooled.mean(axis=1, keepdims=True)
        # With the mean of all words at 0 the sum over the first group is the difference, but for a factor.
        least = np.abs(pooled[:, :a].sum(axis=1))
        least -= NEAR * np.abs(pooled).sum(axis=1)
        labels = rng.permuted(np.tile(np.arange(a + b) < a, (draws, 1)), axis=1).astype(np.float64)
        reached = np.zeros(own.size, dtype=np.intp)
        step = max(1, _CHUNK // max(1, own.size))
        for start in range(0, draws, step):
            reached += (np.abs(labels[start : start + step] @ pooled.T) >= least).sum(axis=0)
        found[own] = (1 + reached) / (1 + draws)
    return found
