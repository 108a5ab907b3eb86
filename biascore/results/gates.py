"""What a gate of an audit said of a run: each measurement that it checked, and whether it passed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, Literal

from biascore.basics.frozen import Frozen
from biascore.results.estimates import ConfidenceInterval
from biascore.results.measurement import Measurement

MOST_NAMED: Final = 5
LARGEST_BOUND: Final = 1e6
"""No effect is so far from no bias in any unit, so a bound beyond it would hold whatever is measured."""
Policy = Literal["fail", "warn", "pass"]
"""What a gate makes of what the data do not decide."""


class GateOutcome(StrEnum):
    """Whether a criterion of a gate holds for one measurement."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "inconclusive"


def within(measurement: Measurement, bound: float, estimate: str = "") -> tuple[GateOutcome, str]:
    """Whether the interval of the headline, or of an estimate by name, ends within ``bound`` of no bias, or lies wholly
    beyond; with the reason."""
    head = measurement.found(estimate)
    if head is None:
        names = ", ".join(one.name for one in measurement.estimates[:MOST_NAMED])
        return GateOutcome.FAILS, f"it has no estimate {estimate!r}; its first are: {names}"
    if head.value is None or head.interval is None:
        return GateOutcome.UNDECIDED, "it has no interval"
    neutral = head.neutral or 0.0
    low, high = head.interval.low - neutral, head.interval.high - neutral
    held, told = GateOutcome.UNDECIDED, "reaches beyond"
    if -bound <= low and high <= bound:
        held, told = GateOutcome.HOLDS, "lies within"
    elif low > bound or high < -bound:
        held, told = GateOutcome.FAILS, "lies wholly beyond"
    around = f" of {neutral:g}" if neutral else ""
    return held, f"{head.name} = {head.value:.3g}{ends(head.interval)} {told} {bound:g} {head.unit}{around}"


def several_units(measurements: Iterable[Measurement], estimate: str = "") -> str:
    """The units of these estimates with their metrics, ``sd (weat) and nats (lpbs)``; empty for one unit."""
    units: dict[str, dict[str, None]] = {}
    for one in measurements:
        found = one.found(estimate)
        if found is not None and found.value is not None:
            units.setdefault(found.unit, {})[one.metric] = None
    return " and ".join(f"{unit} ({', '.join(of)})" for unit, of in units.items()) if len(units) > 1 else ""


def ends(interval: ConfidenceInterval | None) -> str:
    """``" [0.1, 0.4]"``, or nothing."""
    return f" [{interval.low:.3g}, {interval.high:.3g}]" if interval else ""


class GateCheck(Frozen):
    """A criterion compared with one measurement, with the reason; ``measured`` is false where it could not be made."""

    metric: str
    variant: str
    subject: str
    test: str
    model: str
    criterion: str
    held: GateOutcome
    reason: str
    measured: bool = True

    @property
    def what(self) -> str:
        """The measurement in a few words."""
        method = f"{self.metric} ({self.variant})" if self.variant else self.metric
        return f"{' '.join(filter(None, [method, self.test, self.subject]))} on {self.model}"


class GateResult(Frozen):
    """A gate with all its checks; ``inconclusive`` says what it makes of those that are undecided.

    ``problem``: why nothing could be checked, where nothing could; such a gate has not passed. ``cautions``: what has to be
    known of the run that it compares with, and ``base`` the digest of that one's results.
    """

    name: str
    criteria: tuple[str, ...]
    inconclusive: Policy
    checks: tuple[GateCheck, ...]
    problem: str = ""
    cautions: tuple[str, ...] = ()
    base: str = ""

    @property
    def passed(self) -> bool:
        """Whether no check fails, and none is undecided where that fails too."""
        return bool(self.checks) and not self._failing

    @property
    def warned(self) -> bool:
        """Whether it passed although something is undecided, of which it warns."""
        return self.passed and self.inconclusive == "warn" and bool(self.of(GateOutcome.UNDECIDED))

    @property
    def only_unmeasured(self) -> bool:
        """Whether nothing keeps it from passing but measurements that could not be made."""
        return bool(self._failing) and not any(check.measured for check in self._failing)

    @property
    def _failing(self) -> tuple[GateCheck, ...]:
        undecided = self.of(GateOutcome.UNDECIDED) if self.inconclusive == "fail" else ()
        return (*self.of(GateOutcome.FAILS), *undecided)

    def of(self, held: GateOutcome) -> tuple[GateCheck, ...]:
        """The checks that came out so."""
        return tuple(check for check in self.checks if check.held is held)

    @property
    def line(self) -> str:
        """The gate in one line: ``gate 'release': FAILED: of 3, 1 fails, 2 inconclusive``."""
        return f"gate {self.name!r}: {self.said}"

    @property
    def said(self) -> str:
        """What it came to: ``passed: of 3, 3 hold``."""
        outcome = "passed with a warning" if self.warned else "passed" if self.passed else "FAILED"
        if not self.checks:
            return f"{outcome}: {self.problem}"
        counts = [_counted(len(self.of(held)), held) for held in _TOLD if self.of(held)]
        return f"{outcome}: of {len(self.checks)}, {', '.join(counts)}"


def gates_line(gates: Sequence[GateResult]) -> str:
    """What all gates came to, in a sentence; empty without any."""
    if not gates:
        return ""
    failed = [f"“{one.name}”" for one in gates if not one.passed]
    warned = [f"“{one.name}”" for one in gates if one.warned]
    rules = "rule" if len(gates) == 1 else "rules"
    if failed:
        fail = "fails" if len(failed) == 1 else "fail"
        return f"Not passed: {len(failed)} of {len(gates)} {rules} {fail} ({', '.join(failed)})."
    if warned:
        return (
            f"Passed with a warning: {len(gates)} of {len(gates)} {rules}, but inconclusive measurements were let pass "
            f"({', '.join(warned)})."
        )
    return f"Passed: {len(gates)} of {len(gates)} {rules}."


_TOLD: Final = (GateOutcome.FAILS, GateOutcome.UNDECIDED, GateOutcome.HOLDS)


def _counted(many: int, held: GateOutcome) -> str:
    """``1 fails``, ``3 fail``, ``2 inconclusive``."""
    return f"{many} {held.value.removesuffix('s') if many > 1 else held.value}"
