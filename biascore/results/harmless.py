"""Harmless audits: what a run would say with harmless groups in the place of its tests' own, and whether it says more.

A run makes many tests, and with harmless groups some are detected too. So the first sentence of a run is of bias only where
the number of detected tests, or the smallest share of harmless pairs among them, is one that few such audits have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Final, NamedTuple, Self

from pydantic import Field, model_validator

from biascore.basics.frozen import Frozen

FEW: Final = 0.05
"""What at most so many harmless audits have is more than harmless groups give."""


class Shared(NamedTuple):
    """Detected tests with a share of harmless pairs: how many, and the smallest share (1 without any)."""

    many: int
    smallest: float = 1.0


class HarmlessAudits(Frozen):
    """Audits of one model in which a pair of harmless groups takes the place of each pair of groups, through all its tests.

    ``tests``: how many measurements have a share of harmless pairs. ``counts`` and ``smallest``: of each audit how many of
    them are detected, and the smallest share among these (1 without any).
    """

    model: str
    tests: int = Field(ge=1)
    counts: tuple[int, ...] = Field(min_length=1, strict=False)
    smallest: tuple[float, ...] = Field(min_length=1, strict=False)

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if len(self.counts) != len(self.smallest):
            raise ValueError("harmless audits have one count and one smallest share each")
        return self

    @property
    def mean(self) -> float:
        """How many tests are detected on average."""
        return sum(self.counts) / len(self.counts)

    @property
    def brief(self) -> str:
        """How many tests are detected on average, in a few digits."""
        return _few(self.mean)

    @cached_property
    def _ordered(self) -> tuple[list[int], list[float]]:
        return sorted(self.counts), sorted(self.smallest)

    def as_many(self, count: int) -> float:
        """The share of harmless audits in which so many tests, or more, are detected."""
        ordered = self._ordered[0]
        return (len(ordered) - bisect_left(ordered, count)) / len(ordered)

    def as_small(self, share: float) -> float:
        """The share of harmless audits whose smallest share is as small."""
        ordered = self._ordered[1]
        return bisect_right(ordered, share + 1e-9) / len(ordered)

    @cached_property
    def _both(self) -> list[float]:
        """Of each harmless audit the smaller of both shares of audits, as `exceeds` takes it, in order."""
        return sorted(map(self._rarer, self.counts, self.smallest))

    def _rarer(self, count: int, smallest: float) -> float:
        return min(self.as_many(count), self.as_small(smallest))

    def p_value(self, found: Shared) -> float:
        """The share of audits, this one counted, that are as unusual in their number or in their smallest share.

        The smaller of both is ranked among those of the harmless audits (Westfall & Young 1993): two criteria at one level.
        """
        if not found.many:
            return 1.0
        as_rare = bisect_right(self._both, self._rarer(*found) + 1e-9)
        return (1 + as_rare) / (1 + len(self.counts))

    def exceeds(self, found: Shared) -> bool:
        """Whether so much is detected that at most 5 of 100 harmless audits have it."""
        return self.p_value(found) <= FEW

    def exceeds_harmless(self, share: float) -> bool:
        """Whether a share is smaller than the smallest of 95 of 100 harmless audits."""
        return self.as_small(share) <= FEW

    def told(self, found: Shared) -> str:
        """``with harmless groups 1.1 of 29 tests are detected on average, 5 or more in 6 of 100 audits; here 5``."""
        tests = "test is" if self.tests == 1 else "tests are"
        rank = ""
        if found.many:
            more = "" if found.many == self.tests else " or more"
            rank = f", {found.many}{more} in {hundredths(self.as_many(found.many))} of 100 audits"
        average = f"with harmless groups {self.brief} of {self.tests} {tests} detected on average"
        return f"{average}{rank}; here {found.many}"


def hundredths(share: float) -> str:
    """``6``, or ``fewer than 1``."""
    many = int(100 * share + 0.5)
    return f"{many}" if many else "fewer than 1"


def _few(mean: float) -> str:
    return f"{mean:z.0f}" if mean >= 10 else f"{mean:z.1f}" if mean >= 0.95 else f"{mean:z.2g}"
