"""What a gate of an audit said of a run: each measurement that it checked, and whether it passed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, Literal

from biascore.basics.frozen import Frozen
from biascore.results.estimates import ConfidenceInterval
from biascore.results.measurement import Measurement
from biascore.stats import Verdict

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
    NOT_MEASURED = "not measured"
    """There is no result to compare; it fails unless the gate says otherwise."""


def within(measurement: Measurement, bound: float, estimate: str = "") -> tuple[GateOutcome, str]:
    """Whether the interval of the headline, or of an estimate by name, ends within ``bound`` of no bias, or lies wholly
    beyond; with the reason."""
    if measurement.verdict is Verdict.NOT_MEASURED:
        return GateOutcome.NOT_MEASURED, measurement.reason
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
        held, told = GateOutcome.HOLDS, "is within"
    elif low > bound or high < -bound:
        held, told = GateOutcome.FAILS, "lies wholly beyond"
    around = f" of {neutral:g}" if neutral else ""
    return held, f"{head.name} = {head.value:z.3g}{ends(head.interval)} {told} {bound:g} {head.unit}{around}"


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
    return f" [{interval.low:z.3g}, {interval.high:z.3g}]" if interval else ""


class GateCheck(Frozen):
    """A criterion compared with one measurement, with the reason.

    ``measured`` is false where it could not be made, because a model or a plugin failed, and ``may_pass`` says whether it
    may be made later. ``inconclusive``: what becomes of it where it is undecided; empty for what its gate says of all.
    """

    metric: str
    variant: str
    subject: str
    test: str
    model: str
    criterion: str
    held: GateOutcome
    reason: str
    measured: bool = True
    may_pass: bool = False
    inconclusive: Policy | Literal[""] = ""

    @property
    def method(self) -> str:
        """The metric and, where there is one, its variant."""
        return f"{self.metric} ({self.variant})" if self.variant else self.metric

    @property
    def what(self) -> str:
        """The measurement in a few words."""
        return f"{' '.join(filter(None, [self.method, self.test, self.subject]))} on {self.model}"


class GateResult(Frozen):
    """A gate with all its checks; ``inconclusive`` and ``not_measured`` say what it makes of those that are so.

    ``problem``: why nothing could be checked, where nothing could; such a gate has not passed. ``cautions``: what has to be
    known of the run that it compares with, and ``base`` the digest of that one's results.
    """

    name: str
    criteria: tuple[str, ...]
    inconclusive: Policy
    not_measured: Literal["fail", "pass"] = "fail"
    checks: tuple[GateCheck, ...]
    problem: str = ""
    cautions: tuple[str, ...] = ()
    base: str = ""

    @property
    def passed(self) -> bool:
        """Whether no check fails, and none is undecided or not measured where that fails too."""
        return bool(self.checks) and not self.failing

    @property
    def warned(self) -> bool:
        """Whether it passed although something is undecided or not measured, of which it warns."""
        unsure = any(self.policy(check) == "warn" for check in self.of(GateOutcome.UNDECIDED))
        return self.passed and (unsure or bool(self.of(GateOutcome.NOT_MEASURED)))

    @property
    def may_pass(self) -> bool:
        """Whether nothing keeps it from passing but measurements that may be made later."""
        return bool(self.failing) and all(check.may_pass for check in self.failing)

    @property
    def failing(self) -> tuple[GateCheck, ...]:
        """What keeps it from passing."""
        return tuple(
            check
            for check in self.checks
            if check.held is GateOutcome.FAILS
            or (check.held is GateOutcome.UNDECIDED and self.policy(check) == "fail")
            or (check.held is GateOutcome.NOT_MEASURED and self.not_measured == "fail")
        )

    def policy(self, check: GateCheck) -> Policy:
        """What becomes of it where it is undecided."""
        return check.inconclusive or self.inconclusive

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
        unsure = [one for gate in gates if gate.warned for one in _UNSURE if gate.of(one)]
        let = " and ".join(dict.fromkeys(unsure))
        return (
            f"Passed with a warning: {len(gates)} of {len(gates)} {rules}, but {let} measurements were let pass "
            f"({', '.join(warned)})."
        )
    return f"Passed: {len(gates)} of {len(gates)} {rules}."


_UNSURE: Final = (GateOutcome.UNDECIDED, GateOutcome.NOT_MEASURED)
_TOLD: Final = (GateOutcome.FAILS, GateOutcome.NOT_MEASURED, GateOutcome.UNDECIDED, GateOutcome.HOLDS)


def _counted(many: int, held: GateOutcome) -> str:
    """``1 fails``, ``3 fail``, ``2 inconclusive``."""
    return f"{many} {held.value.removesuffix('s') if many > 1 else held.value}"
