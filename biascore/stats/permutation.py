"""The permutation test of WEAT, SEAT and SC-WEAT: exact by meet-in-the-middle counting, else Monte-Carlo.

Null hypothesis: the pooled scores were split at random into sets of sizes nx and ny. The statistic is the
mean difference S = mean(x) - mean(y). After subtracting the grand mean, S is a positive multiple of the sum
of the scores in x for *any* sizes, so counting partitions is counting subset sums of a fixed size.

Exact: the pooled scores are cut into two halves; the sums of all subsets of each half are grouped by
cardinality and sorted, and for every left sum the right sums that complete it beyond the threshold are found
by binary search (Horowitz and Sahni 1974, J. ACM 21:277). That needs about 2^(N/2) numbers in place of C(N,
nx) partitions. Sums taken in another order differ in their last bits, so values within a tolerance of 1e-12
of the sum of the absolute (centred) scores count as ties.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biascore.stats._checks import Floats, finite_vector
from biascore.stats.attainable import Attainable, of_draws, of_partitions
from biascore.stats.exchange import Exchange
from biascore.stats.subsets import drawn_subsets, sums_of

AUTO_MAX_SUMS = 2**24
"""``auto`` counts exactly up to this many stored subset sums (128 MiB): 23 + 23 words, or 5 + 120."""

EXACT_MAX_SUMS = 2**26
"""``exact`` refuses beyond this many stored subset sums (512 MiB, some seconds): 25 + 25 words."""

MOST_LABELS = 10**9
"""So many labels are drawn at most: 100,000 draws of 10,000 words, 10,000 of 100,000."""

_CHUNK = 2**20  # numbers searched for at once: 8 MiB; eight times as many bits


@dataclass(frozen=True, slots=True)
class Tail:
    """One tail of a permutation distribution: counts of partitions (or draws) and the p-values they give.

    ``p_value`` is valid, P(p <= a) <= a under the null: n_ge / n_total if exact (the observed partition is
    one of them, so at least 1 / n_total), (1 + n_ge) / (1 + n_total) if Monte-Carlo (Davison and Hinkley
    1997; Phipson and Smyth 2010). ``p_strict`` is the papers' n_gt / n_total (Caliskan et al. 2017): it can
    be 0 and is not valid.
    """

    n_ge: int
    """Partitions or draws whose statistic is at least as extreme as the observed one, ties included."""
    n_gt: int
    """Partitions or draws that are strictly more extreme."""
    n_total: int
    """All partitions (exact) or all draws (Monte-Carlo)."""
    p_value: float
    """The valid p-value."""
    p_strict: float
    """The p-value with a strict inequality, as papers print it."""
    mc_se: float | None
    """Monte-Carlo standard error of ``p_value``; None if exact."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """Result of `permutation_test`."""

    statistic: float
    """mean(x) - mean(y), in the unit of the scores."""
    nx: int
    """Number of scores in x."""
    ny: int
    """Number of scores in y."""
    method: Literal["exact", "monte-carlo"]
    """How the partitions were counted."""
    n_partitions: int
    """C(nx + ny, nx): all ordered partitions (for equal sizes a split and its mirror image count as two)."""
    greater: Tail
    """S_i >= S: more association of x with A than by chance."""
    two_sided: Tail
    """|S_i| >= |S|, which is not twice the one-sided p when the sizes differ."""
    exchange: Exchange | None = None
    """What was exchanged, where it was not scores one by one; nx and ny are then numbers of units."""
    studentized: bool = False
    """Whether the difference over its standard error was compared, in place of the difference."""
    middle: float = 0.0
    """The mean of what is compared over all labellings: not 0 where blocks hold unequal shares of both lists."""

    @property
    def direction(self) -> float:
        """1 or -1, the side of ``middle`` that the difference lies on; 0 where it is that, within rounding."""
        beyond = self.statistic - self.middle
        return 0.0 if abs(beyond) <= 1e-10 * abs(self.middle) else float(np.sign(beyond))

    def attainable(self, alternative: Literal["greater", "two-sided"], what: str) -> Attainable:
        """The smallest p that so many scores, of ``what`` (a plural), or so many draws allow."""
        if self.method == "monte-carlo":
            return of_draws(self.two_sided.n_total)
        if self.exchange is not None:
            return Attainable(self.exchange.smallest_p(alternative), self.exchange.told(what))
        return of_partitions(self.nx, self.ny, what, alternative)

    def exchanged(self, what: str) -> str:
        """What was exchanged: ``8 + 8 target words, one by one``; ``what`` is a plural."""
        told = f"{self.nx} + {self.ny} {what}" if self.exchange is None else self.exchange.told(what)
        alone = ", one by one" * (self.exchange is None or self.exchange.plain)
        return f"{told}{alone}{', difference over its standard error' * self.studentized}"


def permutation_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    draws: int = 100_000,
    rng: np.random.Generator,
) -> PermutationTest:
    """Test by permutation whether the scores x (nx,) and y (ny,) are exchangeable (Caliskan et al. 2017).

    ``auto`` is exact whenever `exact_cost` is at most `AUTO_MAX_SUMS`, else Monte-Carlo with ``draws`` random
    partitions from ``rng`` (used in no other case), or as many as make `MOST_LABELS`. The order of scores within x and
    within y changes nothing. Raises ValueError on empty, non-finite or not one-dimensional scores, on draws < 1, and
    where ``exact`` would need more than `EXACT_MAX_SUMS` subset sums.
    """
    # Sorted, so that the result, Monte-Carlo included, cannot depend on the order of the words.
    first, second = np.sort(finite_vector(x, "x")), np.sort(finite_vector(y, "y"))
    nx, ny = first.size, second.size
    cost = exact_cost(nx, ny)
    if method == "exact" and cost > EXACT_MAX_SUMS:
        raise ValueError(
            f"an exact test of {nx} + {ny} scores would need {cost:z.2g} subset sums in memory (at most "
            f"{EXACT_MAX_SUMS:z.2g} are allowed); pass method='monte-carlo' or method='auto'"
        )
    if draws < 1:
        raise ValueError(f"draws is {draws}; pass at least 1")
    draws = fewer_draws(draws, nx + ny)
    pool = _Pool.of(first, second)
    n_partitions = math.comb(nx + ny, nx)
    exact = method == "exact" or (method == "auto" and cost <= AUTO_MAX_SUMS)
    if exact:
        greater, two_sided = _count_exactly(pool, n_partitions)
    elif method in ("auto", "monte-carlo"):
        greater, two_sided = _count_by_drawing(pool, draws, rng)
    else:
        raise ValueError(f"method is {method!r}; pass 'auto', 'exact' or 'monte-carlo'")
    return PermutationTest(
        statistic=math.fsum(first / nx) - math.fsum(second / ny),
        nx=nx,
        ny=ny,
        method="exact" if exact else "monte-carlo",
        n_partitions=n_partitions,
        greater=greater,
        two_sided=two_sided,
    )


def fewer_draws(draws: int, labels: int) -> int:
    """How many draws of so many labels are made where ``draws`` are asked for, at least one."""
    return min(draws, max(1, MOST_LABELS // labels))


def exact_cost(nx: int, ny: int) -> int:
    """Number of subset sums, 8 bytes each, that the exact test of nx + ny scores keeps; its time follows.

    Beyond 10^18 it is a lower bound.
    """
    n, size = nx + ny, min(nx, ny)
    total = 0
    for half in (n // 2, n - n // 2):
        ways = 1
        for k in range(min(half, size) + 1):
            total += ways
            if total > 10**18:
                return total
            ways = ways * (half - k) // (k + 1)
    return total


def normal_approximation(effect_ddof1: float, nx: int, ny: int) -> float:
    """One-sided normal approximation P(Z > d / sqrt(1/nx + 1/ny)) of the permutation p, d with ddof 1.

    This is the p of the GG-WEAT code; report the permutation p next to it. Raises ValueError for sizes below 1
    or a d that is not finite.
    """
    from scipy.special import ndtr

    if nx < 1 or ny < 1:
        raise ValueError(f"set sizes are {nx} and {ny}; pass at least 1 each")
    if not math.isfinite(effect_ddof1):
        raise ValueError(f"effect_ddof1 is {effect_ddof1!r}; pass a finite effect size")
    return float(ndtr(-effect_ddof1 / math.sqrt(1.0 / nx + 1.0 / ny)))


@dataclass(frozen=True, slots=True)
class _Pool:
    """Centred pooled scores and the observed sum of the smaller set, with the sign of the statistic."""

    scores: Floats
    size: int
    observed: float
    tolerance: float

    @classmethod
    def of(cls, first: Floats, second: Floats) -> _Pool:
        raw = np.concatenate([first, second])
        exponent = int(np.frexp(np.abs(raw).max())[1])
        raw = np.ldexp(raw, -exponent)  # exact, and no sum can overflow
        centred = raw - math.fsum(raw) / raw.size
        # The second term is the rounding of the scores themselves, which rules when they are nearly constant.
        tolerance = 1e-12 * math.fsum(np.abs(centred)) + 8.0 * np.finfo(np.float64).eps * math.fsum(
            np.abs(raw)
        )
        if first.size <= second.size:
            return cls(centred, first.size, math.fsum(centred[: first.size]), tolerance)
        # Fewer subset sums from the smaller side; the sum over x is minus the sum over y.
        return cls(-centred, second.size, -math.fsum(centred[first.size :]), tolerance)


def _count_exactly(pool: _Pool, total: int) -> tuple[Tail, Tail]:
    far = abs(pool.observed)
    # Interleaved, so that both halves hold scores of x and y.
    left, right = (
        sorted_subset_sums(pool.scores[::2], pool.size),
        sorted_subset_sums(pool.scores[1::2], pool.size),
    )
    upper = count_beyond(left, right, pool.size, far, pool.tolerance)
    if 2 * pool.size == pool.scores.size:
        lower = (total - upper[1], total - upper[0])  # the mirror image of a split has the opposite sum
    else:
        lower = count_beyond(left, right, pool.size, -far, pool.tolerance)
    n_ge, n_gt = upper if pool.observed >= 0.0 else lower
    both_ge = total if far <= pool.tolerance else upper[0] + (total - lower[1])
    both_gt = upper[1] + (total - lower[0])
    return exact_tail(n_ge, n_gt, total), exact_tail(both_ge, both_gt, total)


def sorted_subset_sums(scores: Floats, size: int) -> list[Floats]:
    """Sorted sums of all subsets of ``scores`` by cardinality 0 .. min(size, len(scores))."""
    sums: list[Floats] = [np.zeros(1)]
    for score in scores:
        if len(sums) <= size:
            sums.append(np.empty(0))
        for k in range(len(sums) - 1, 0, -1):  # downwards: in place, old sums freed as we go
            sums[k] = np.concatenate([sums[k], sums[k - 1] + score])
            sums[k].sort()
    return sums


def count_beyond(
    left: list[Floats], right: list[Floats], size: int, threshold: float, tolerance: float
) -> tuple[int, int]:
    """Numbers of subsets of ``size`` with a sum >= and > ``threshold``; a tie is within ``tolerance``."""
    n_ge = n_gt = 0
    for k, left_sums in enumerate(left):
        if not 0 <= size - k < len(right):
            continue
        right_sums = right[size - k]
        for start in range(0, left_sums.size, _CHUNK):
            needed = threshold - left_sums[start : start + _CHUNK]
            first = np.searchsorted(right_sums, needed - tolerance, side="left")
            at_least = needed.size * right_sums.size - int(first.sum())
            # A second search only where the first sum that reaches the threshold is a tie: most are not.
            nearest = right_sums[np.minimum(first, right_sums.size - 1)]
            tied = np.flatnonzero((first < right_sums.size) & (nearest <= needed + tolerance))
            beyond = np.searchsorted(right_sums, needed[tied] + tolerance, side="right")
            n_ge += at_least
            n_gt += at_least - int((beyond - first[tied]).sum())
    return n_ge, n_gt


def _count_by_drawing(pool: _Pool, draws: int, rng: np.random.Generator) -> tuple[Tail, Tail]:
    ge = gt = both_ge = both_gt = 0
    far = abs(pool.observed)
    chunk = max(1, _CHUNK * 8 // (pool.scores.size + 64))  # eight to a byte, and what each row needs besides
    for start in range(0, draws, chunk):
        rows = min(chunk, draws - start)
        sums = sums_of(drawn_subsets(pool.scores.size, pool.size, rows, rng), pool.scores)
        ge += int(np.count_nonzero(sums >= pool.observed - pool.tolerance))
        gt += int(np.count_nonzero(sums > pool.observed + pool.tolerance))
        both_ge += int(np.count_nonzero(np.abs(sums) >= far - pool.tolerance))
        both_gt += int(np.count_nonzero(np.abs(sums) > far + pool.tolerance))
    return drawn_tail(ge, gt, draws), drawn_tail(both_ge, both_gt, draws)


def exact_tail(n_ge: int, n_gt: int, total: int) -> Tail:
    """The tail of all ``total`` partitions."""
    return Tail(n_ge, n_gt, total, p_value=n_ge / total, p_strict=n_gt / total, mc_se=None)


def drawn_tail(n_ge: int, n_gt: int, draws: int) -> Tail:
    """The tail of ``draws`` random partitions, the observed one counted among them."""
    p = (1 + n_ge) / (1 + draws)
    return Tail(n_ge, n_gt, draws, p_value=p, p_strict=n_gt / draws, mc_se=math.sqrt(p * (1.0 - p) / draws))
