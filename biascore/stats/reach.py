"""What a test cannot come to with the numbers available, whatever the data are: known before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from biascore.stats.attainable import Attainable
from biascore.stats.normal import critical_value
from biascore.stats.proportions import wilson_interval
from biascore.stats.verdict import Decision, Verdict

_CANNOT = {
    Verdict.NEGLIGIBLE: "cannot show that an effect is negligible:",
    Verdict.DETECTED: "cannot detect an effect: the p-value",
}
LIKELY = 0.8
ROOM = 1.25
"""An interval is as wide as its data happen to be: one that would be so much wider than the bound does not fit in it."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A verdict, detected or negligible, that a test cannot come to, and ``why``, as a clause that holds the numbers.

    Why nothing can be detected is what the smallest p-value is, as `Attainable` says. ``part``: what of the test it is
    about ("bias types age, religion"); empty for all of it.
    """

    verdict: Verdict
    why: str
    part: str = ""

    @classmethod
    def detected(cls, attainable: Attainable, alpha: float, part: str = "") -> tuple[Self, ...]:
        """That nothing can be detected, where the smallest p-value is above alpha; else nothing."""
        why = attainable.told(alpha)
        return (cls(Verdict.DETECTED, why, part),) if why else ()

    def told(self, subject: str = "It") -> str:
        """``It cannot show that an effect is negligible: ...``, without a full stop."""
        return f"{self.part or subject} {_CANNOT[self.verdict]} {self.why}"


def with_reach(decision: Decision, unreachable: Iterable[Unreachable]) -> Decision:
    """The decision, and in the reason of an inconclusive one what it could not have come to, if it does not say so."""
    if decision.verdict is not Verdict.INCONCLUSIVE:
        return decision
    further = [one.told() for one in unreachable if one.why not in decision.reason]
    return Decision(
        decision.verdict, " ".join([decision.reason, *(f"{one[0].upper()}{one[1:]}." for one in further)])
    )


def words_for_negligible(bound: float, level: float, power: float = LIKELY) -> int:
    """How many words in each of two lists put the whole interval of d within +-``bound`` with this probability if d is 0.

    By the normal approximation: d has the standard error sqrt(2 / n). Rounded up to tens.
    """
    z = critical_value(level) + critical_value(power)
    return 10 * math.ceil(2 * (z / bound) ** 2 / 10)


def too_few_for_negligible(nx: int, ny: int, bound: float, level: float) -> bool:
    """Whether the interval of d of nx + ny words is too wide to be within +-``bound`` even around 0."""
    return critical_value(level) * math.sqrt(1 / nx + 1 / ny) > ROOM * bound


def pairs_for_negligible(bound: float, level: float) -> int:
    """The least number of pairs, half of which prefer each sentence, whose Wilson interval shows B to be negligible.

    It is within ``bound`` percentage points of 50, where 0 < bound < 50.
    """
    share = bound / 100
    z = critical_value(level)
    n = max(2, 2 * math.floor(((z / (2 * share)) ** 2 - z * z) / 2) - 4)
    while wilson_interval(n // 2, n, level=level).high > 0.5 + share:
        n += 2
    return n
