"""Verdicts that measurements cannot come to, known before any model is asked."""

from __future__ import annotations

from collections.abc import Iterable

from biascore.basics.frozen import Frozen
from biascore.metric import Metric
from biascore.stats import Unreachable, Verdict
from biascore.stimuli import Test

_NAMED = 3


class OutOfReach(Frozen):
    """What tests of one metric cannot come to, for one and the same reason; ``part`` of them, or all of them."""

    metric: str
    tests: tuple[str, ...]
    verdict: Verdict
    part: str
    why: str

    @property
    def told(self) -> str:
        """A sentence without its full stop."""
        more = f" and {len(self.tests) - _NAMED} more" if len(self.tests) > _NAMED else ""
        tests = ", ".join(self.tests[:_NAMED]) + more
        found = Unreachable(self.verdict, self.why, self.part and f"{self.part} of {tests}")
        return f"{self.metric}: {found.told(tests)}"


def out_of_reach(measurements: Iterable[tuple[Metric, Test]]) -> tuple[OutOfReach, ...]:
    """What these measurements cannot come to, tests with the same reason together; what cannot be detected first."""
    found: dict[tuple[str, Unreachable], dict[str, None]] = {}
    for metric, test in measurements:
        for one in metric.unreachable(test):
            found.setdefault((metric.name, one), {})[test.id] = None
    told = [
        OutOfReach(metric=name, tests=tuple(tests), verdict=one.verdict, part=one.part, why=one.why)
        for (name, one), tests in found.items()
    ]
    return tuple(sorted(told, key=lambda one: one.verdict is not Verdict.DETECTED))
