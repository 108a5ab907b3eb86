"""Shares of groups whose members come in clusters, as applicants do in openings: CR2 errors of shares and of their ratios.

It is least squares of the outcome on a column for each group, with errors clustered, from counts alone (`ols.Clustered`
says what CR2 is): of m members of a cluster in a group of n the block of I - H has the root sqrt(1 - m / n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from biascore.stats._checks import Floats
from biascore.stats.wald import TTest

Counts = npt.NDArray[np.int64]

_NOTHING = 1e-12  # of a share: rounding


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredShares:
    """Shares (k,) of groups over g clusters."""

    shares: Floats
    members: Counts
    """(g, k)"""
    _weights: Floats
    """(g, k): of each member, what its residual counts in the error of the share of its group."""
    _errors: Floats
    """(g, k): the sums of these."""

    @classmethod
    def of(cls, successes: Counts, members: Counts) -> ClusteredShares:
        """From counts (g, k); raises ValueError for a group without members."""
        n = members.sum(axis=0)
        if not n.all():
            raise ValueError("a group has no members; leave it out")
        shares = successes.sum(axis=0) / n
        left = 1.0 - members / n
        root = np.sqrt(np.divide(1.0, left, out=np.zeros(left.shape), where=left > 0.0))
        return cls(shares, members, root / n, (successes - members * shares) * root / n)

    def test(self, weights: dict[int, float], estimate: float, level: float = 0.95) -> TTest | None:
        """The t test of a sum of shares, by group the weight; None where one cluster has a whole group.

        ``estimate`` is that sum, or what it is the slope of, as the logarithm of a ratio.
        """
        own = list(weights)
        n, members = self.members[:, own].sum(axis=0), self.members[:, own]
        if (members == n).any():
            return None
        by = np.array(list(weights.values()))
        each = self._weights[:, own] * by
        sums = members * each
        errors = self._errors[:, own] @ by
        # Of the clusters' form G = diag(d) - S diag(1 / n) S': trace² / trace of G².
        d, between = (members * each**2).sum(axis=1), sums.T @ sums / n
        trace = float(d.sum() - np.trace(between))
        squares = float(d @ d - 2.0 * d @ (sums**2 / n).sum(axis=1) + np.trace(between @ between))
        se = math.sqrt(float(errors @ errors))
        return TTest.of(estimate, se if se > _NOTHING * np.abs(by).max() else 0.0, trace**2 / squares, level)

    def p_value(self, first: int, second: int) -> float:
        """Two-sided, that two shares are equal; 1 where nothing shows how they vary.

        Where clusters do not vary at all it is that of as many signs as clusters have members of both.
        """
        apart = float(self.shares[first] - self.shares[second])
        test = self.test({first: 1.0, second: -1.0}, apart)
        if test is None or apart == 0.0:
            return 1.0
        if test.se == 0.0:
            both = int(self.members[:, [first, second]].all(axis=1).sum())
            return min(1.0, 2.0 ** (1 - both))
        return test.p_value

    def ratio(self, first: int, second: int, level: float) -> tuple[float, float]:
        """The t interval of a ratio of shares, by its logarithm; 0 to infinity where nothing shows how it varies.

        It holds nothing (infinity to 0) where a share is 0, so that the logarithm has no error.
        """
        a, b = self.shares[[first, second]]
        if a == 0.0 or b == 0.0:
            return math.inf, 0.0
        test = self.test({first: 1.0 / a, second: -1.0 / b}, math.log(a / b), level)
        if test is None:
            return 0.0, math.inf
        if test.se == 0.0:
            return math.inf, 0.0
        return _exp(test.low), _exp(test.high)

    def share(self, group: int, level: float) -> tuple[float, float]:
        """The t interval of a share, within 0 to 1, all of it where nothing shows how it varies."""
        test = self.test({group: 1.0}, float(self.shares[group]), level)
        if test is None:
            return 0.0, 1.0
        return (1.0, 0.0) if test.se == 0.0 else (max(0.0, test.low), min(1.0, test.high))


def _exp(value: float) -> float:
    return math.exp(value) if value < 700.0 else math.inf
