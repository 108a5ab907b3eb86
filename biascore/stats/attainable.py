"""The smallest p-value that a test can give: where it is above alpha, no data can be significant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Attainable:
    """The smallest p-value in (0, 1] that a test can give, and what limits it: ``"2 + 2 stereotypes"``."""

    p_value: float
    limited_by: str

    def adjusted(self, tests: int, what: str) -> Attainable:
        """The smallest p that Holm's adjustment makes of the smallest of ``tests`` such p-values."""
        if tests == 1:
            return self
        return Attainable(min(1.0, tests * self.p_value), f"{self.limited_by}, adjusted for {tests} {what}")

    def told(self, alpha: float) -> str:
        """``cannot be below 0.333 with 2 + 2 stereotypes``; empty where the test can reach ``alpha``."""
        if self.p_value <= alpha:
            return ""
        return f"cannot be below {self.p_value:z.3g} with {self.limited_by}"


def of_partitions(
    nx: int, ny: int, what: str, alternative: Literal["greater", "two-sided"] = "two-sided"
) -> Attainable:
    """Of an exact test of all ways to part nx + ny elements: of equal halves, two are as extreme as one another."""
    as_extreme = 2 if alternative == "two-sided" and nx == ny else 1
    return Attainable(as_extreme / math.comb(nx + ny, nx), f"{nx} + {ny} {what}")


def of_signs(n: int, what: str) -> Attainable:
    """Of an exact two-sided test of n signs, the binomial test of 1/2 included: all of them one way or the other."""
    return Attainable(min(1.0, 2.0 ** (1 - n)), f"{n} {what}")


def of_draws(draws: int) -> Attainable:
    """Of a Monte-Carlo test: the observed data are counted among the draws."""
    return Attainable(1.0 / (1.0 + draws), f"{draws} draws")
