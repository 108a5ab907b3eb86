"""Gates evaluated on a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import filter as fnfilter
from pathlib import Path
from shlex import quote
from typing import Any, Final, Literal

from biascore.audits.base_runs import BaseRuns
from biascore.audits.gates import Gate, named
from biascore.basics.surface import either
from biascore.basics.twice import twice
from biascore.basics.wording import some_of
from biascore.comparing import Comparison, Difference
from biascore.comparing.two_runs import compared
from biascore.errors import OptionsError
from biascore.metric import STANDARD
from biascore.results.estimates import ConfidenceInterval
from biascore.results.failure import Failure
from biascore.results.gates import GateCheck, GateOutcome, GateResult, Policy, ends, several_units, within
from biascore.results.left_out import not_asked
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.sensitivity import POWER
from biascore.results.series import lines_of
from biascore.results.verdicts import RunVerdict
from biascore.stats import Verdict
from biascore.stats.normal import critical_value, normal_quantile

Line = tuple[Measurement, RunVerdict]
_OF_VERDICT: Final = {
    Verdict.DETECTED: GateOutcome.FAILS,
    Verdict.NEGLIGIBLE: GateOutcome.HOLDS,
    Verdict.INCONCLUSIVE: GateOutcome.UNDECIDED,
}


def check_gates(
    gates: Sequence[Gate],
    planned: Iterable[tuple[str, str, str]],
    folder: Path,
    bases: BaseRuns,
    not_asked: Sequence[str] = (),
) -> None:
    """Raise OptionsError for two gates of one name, for a gate that looks at nothing that is planned or names a test that is
    not asked, and for a base run that holds nothing of it; RunError for a base run that is none.

    ``planned`` are metrics, tests and models; ``folder`` is what the paths of base runs are relative to. ``bases`` holds
    those that were read, and those that are read now. ``not_asked``: tests that the design of the audit leaves out.
    """
    every = list(planned)
    for name in twice(name for name, _ in named(gates)):
        raise OptionsError(f"two gates are called {name!r}. Give each a name of its own: name = ...")
    tests = {test for _, test, _ in every}
    for name, gate in named(gates):
        for pattern in gate.measurements:
            out = [] if fnfilter(tests, pattern) else fnfilter(not_asked, pattern)
            if out:
                raise OptionsError(
                    f"the gate {name!r} names {pattern}, and the design of this audit does not ask {some_of(out)}: "
                    f"{either(f'--design {STANDARD}', f'design={STANDARD!r}')} does. Make the audit with that, or take "
                    f"{pattern} out of the gate"
                )
        if not gate.matches(every):
            some = ", ".join(dict.fromkeys(test for _, test, _ in every))
            raise OptionsError(
                f"the gate {name!r} matches no measurement ({gate.shown}). Measured are {some}, on "
                f"{', '.join(dict.fromkeys(model for *_, model in every))}"
            )
        if gate.base is not None and (before := bases.of(gate, folder)) is not None:
            _check_base(name, gate, before, every)


def _check_base(name: str, gate: Gate, before: Run, planned: Iterable[tuple[str, str, str]]) -> None:
    """Raise OptionsError where the base run lacks a model, or all that the gate looks at on it."""
    there = [(m.metric, m.test, m.model) for m in before]
    for model, tests in _by_model(one for one in planned if gate.takes(*one)).items():
        other = _base_model(model, before, gate, {})
        if not any((metric, test, other) in there for metric, test in tests):
            held = ", ".join(dict.fromkeys(f"{metric} {test}" for metric, test, on in there if on == other))
            raise OptionsError(
                f"the gate {name!r}: {gate.base_key} has no measurement of this gate on "
                f"{model}; on {other} it has {held}. Run this audit on the model to compare with: "
                + either(
                    f"biascore run AUDIT.toml --model {quote(f'{model}=REF')} --out base-run",
                    f"engine.run(audit.with_models({{{model!r}: REF}})).save('base-run')",
                )
            )


def _by_model(planned: Iterable[tuple[str, str, str]]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for metric, test, model in planned:
        found.setdefault(model, []).append((metric, test))
    return found


def evaluate(
    gates: Sequence[Gate], run: Run, folder: Path, bases: BaseRuns | None = None
) -> tuple[GateResult, ...]:
    """Every gate evaluated on the run; ``folder`` is what the paths of base runs are relative to.

    ``bases`` holds base runs that were read before; those that are missing in it are read and added.

    A measurement that a gate looks at and that could not be made fails. Raises OptionsError for a gate that looks at
    nothing that was measured, RunError for a base run that is none.
    """
    made = [(m.metric, m.test, m.model) for m in run]
    failed = [(f.metric, f.test, f.model) for f in run.failed]
    bases = BaseRuns() if bases is None else bases
    check_gates(gates, [*made, *failed], folder, bases, not_asked(run))
    return tuple(_evaluated(name, gate, run, folder, bases) for name, gate in named(gates))


def _evaluated(name: str, gate: Gate, run: Run, folder: Path, bases: BaseRuns) -> GateResult:
    taken = [
        (m, said) for m, said in zip(run, run.verdicts, strict=True) if gate.takes(m.metric, m.test, m.model)
    ]
    asked = [line for line in taken if line[1].role in gate.roles]
    lines = [line for line in asked if line[1].verdict is not Verdict.NOT_MEASURED]
    number = gate.within or gate.margin
    mixed = several_units((measurement for measurement, _ in lines), gate.estimate) if number else ""
    if mixed:
        problem = f"{number:g} is one number, and the effects are in {mixed}. State a gate for each: metrics = [...]"
        return _result(name, gate, problem=problem)
    checks: list[GateCheck] = []
    cautions: tuple[str, ...] = ()
    digest = ""
    if gate.fail_on is not None:
        checks += [_detected(*line, run, gate) for line in lines]
    if gate.within is not None:
        checks += [_within(measurement, gate.within, gate.estimate) for measurement, _ in lines]
    before = None if gate.base is None else bases.of(gate, folder, run)
    if gate.base is not None and before is None:
        checks += [_first(measurement, gate, run) for measurement, _ in lines]
    elif before is not None:
        digest = before.results_digest()
        increase, cautions = _no_worse(gate, lines, run, before)
        checks += increase
    checks += [
        _check(measurement, measurement.reason, GateOutcome.NOT_MEASURED, "measured")
        for measurement, said in asked
        if said.verdict is Verdict.NOT_MEASURED
    ]
    checks += [_not_made(f) for f in run.failed if gate.takes(f.metric, f.test, f.model)]
    roles = " or ".join(role.value for role in gate.roles)
    found = ", ".join(dict.fromkeys(said.role.value for _, said in taken))
    theirs = ", ".join(f'"{role}"' for role in dict.fromkeys(said.role.value for _, said in taken))
    problem = "" if checks else f"it matches no {roles}, only: {found} (roles = [{theirs}])"
    return _result(name, gate, checks=tuple(checks), problem=problem, cautions=cautions, base=digest)


def _result(name: str, gate: Gate, checks: tuple[GateCheck, ...] = (), **parts: Any) -> GateResult:
    return GateResult(
        name=name,
        criteria=gate.criteria,
        inconclusive=gate.inconclusive or "warn",
        not_measured=gate.not_measured,
        checks=checks,
        **parts,
    )


def _detected(measurement: Measurement, said: RunVerdict, run: Run, gate: Gate) -> GateCheck:
    head = measurement.headline
    p = "" if said.p_adjusted is None else f", p = {said.p_adjusted:z.3g} ({run.adjustment.shown})"
    value = (
        "not estimable" if head.value is None else f"{head.name} = {head.value:z.3g}{ends(head.interval)}{p}"
    )
    held, reason = _OF_VERDICT[said.verdict], f"{said.shown}: {value}"
    if (said.no_reference and gate.no_reference == "fail") or (
        said.hint and not said.no_reference and gate.fail_on == "hint"
    ):
        held = GateOutcome.FAILS
    if gate.specific is not None and held is GateOutcome.FAILS:
        found = measurement.specificity
        if found is not None and found.share is not None and found.share > gate.specific:
            held = GateOutcome.UNDECIDED
        told = found.told if found else "how many harmless pairs reach it was not measured"
        reason = f"{reason}; {told}"
    return _check(measurement, reason, held, gate.not_detected)


def _within(measurement: Measurement, bound: float, estimate: str) -> GateCheck:
    held, reason = within(measurement, bound, estimate)
    return _check(measurement, reason, held, f"within {bound:g} of no bias")


def _no_worse(
    gate: Gate, taken: Sequence[Line], run: Run, before: Run
) -> tuple[list[GateCheck], tuple[str, ...]]:
    """What increased since the base run, and what has to be said of the two runs."""
    checks: list[GateCheck] = []
    cautions: dict[str, None] = {}
    by_model: dict[str, list[Measurement]] = {}
    for measurement, _ in taken:
        by_model.setdefault(measurement.model, []).append(measurement)
    lines = lines_of(run) if gate.previous is not None else {}
    for model, some in by_model.items():
        pairs = {_base_model(model, before, gate, lines): model}
        comparison = compared(before, run, pairs, bound=None, how=run.adjustment)
        said = (*comparison.controls, *comparison.warnings)
        cautions |= dict.fromkeys(f"{gate.base}: {text}" for text in said)
        for measurement in some:
            checks += _increases(measurement, comparison, gate)
    return checks, tuple(cautions)


def _first(measurement: Measurement, gate: Gate, run: Run) -> GateCheck:
    line = lines_of(run).get(measurement.model, measurement.model)
    run_there = "run" if gate.previous is None else f"earlier run of {line!r}"
    reason = f"nothing to compare with: there is no {run_there} in {gate.base!r} yet. Keep this one there for the next"
    return _check(measurement, reason, GateOutcome.UNDECIDED, "not increased", "warn")


def _base_model(model: str, before: Run, gate: Gate, lines: Mapping[str, str]) -> str:
    """The model of the base run that one is compared with: of the same line, else of the same name, or its only one."""
    alike = [name for name, line in lines_of(before).items() if line == lines.get(model)]
    if alike:
        return alike[0]
    there = list(dict.fromkeys(measurement.model for measurement in before))
    if model in there:
        return model
    if len(there) == 1:
        return there[0]
    raise OptionsError(
        f"{gate.base_key} holds the models {', '.join(there)}, and none called {model!r}. Call the "
        "model as it is called there, or narrow the gate with models = [...]"
    )


def _increases(measurement: Measurement, comparison: Comparison, gate: Gate) -> Iterator[GateCheck]:
    key = (measurement.metric, measurement.test, measurement.subject)
    found = [one for one in comparison if (one.metric, one.test, one.subject) == key]
    refused = [one for one in comparison.not_comparable if (one.metric, one.test, one.subject) == key]
    for one in found:
        margin = gate.margin_of(one.bound)
        held, reason = growth(one, margin)
        own = ", its equivalence bound" if gate.margin is None else ""
        by = f" by more than {margin:g}{own}" if margin else ""
        yield _check(measurement, reason, held, f"has not increased{by}", "" if gate.inconclusive else "fail")
    for other in refused:
        yield _check(
            measurement, f"not comparable: {'; '.join(other.reasons)}", GateOutcome.FAILS, "has not increased"
        )
    if not (found or refused):
        there = [
            text
            for text in comparison.failed
            if text.startswith(f"{measurement.metric} {measurement.test} on ")
        ]
        reason = "; ".join(["the base run does not have it", *there])
        yield _check(measurement, reason, GateOutcome.FAILS, "has not increased")


def growth(one: Difference, margin: float) -> tuple[GateOutcome, str]:
    """Whether the interval of the increase is beyond the margin, within it, or neither; with the reason.

    The p-value of the change and its equivalence bound have no say, so that a larger margin never fails what a smaller one
    lets pass.
    """
    ends = one.change.interval
    told = "; ".join([one.reason, *one.cautions])
    if one.unmoved:
        return GateOutcome.HOLDS, f"increase 0: {told}"
    if one.old.value is None:
        return GateOutcome.NOT_MEASURED, told
    if one.change.value is None or ends is None:
        return GateOutcome.UNDECIDED, told
    low, high = increase(one, ends)
    held = (
        GateOutcome.FAILS if low > margin else GateOutcome.HOLDS if high <= margin else GateOutcome.UNDECIDED
    )
    seen = ""
    if held is GateOutcome.UNDECIDED:
        seen = f" (of about {_shown_from(ends, margin):z.2g} or more it shows in {100 * POWER:g} % of cases)"
    return held, f"increase {low:z.3g} to {high:z.3g}{seen}: {told}"


def _shown_from(ends: ConfidenceInterval, margin: float) -> float:
    """The smallest increase that is shown to be beyond the margin with a power of 80 %, by the normal approximation."""
    half = (ends.high - ends.low) / 2
    return float(margin + half * (1 + normal_quantile(POWER) / critical_value(ends.level)))


def increase(one: Difference, ends: ConfidenceInterval) -> tuple[float, float]:
    """How much farther from no bias the effect may be now, at the least and at the most, by the interval of its change.

    With the old effect e the increase for a change c is |e + c| - |e|. Where the sign of e is not sure, it is at most |c|
    (triangle inequality), which is then the most.
    """
    old = one.old.value if one.old.on_same_items is None else one.old.on_same_items
    was = one.old.interval
    effect = (old or 0.0) - one.neutral
    growths = [abs(effect + change) - abs(effect) for change in (ends.low, ends.high)]
    crossing = ends.low < -effect < ends.high
    least = -abs(effect) if crossing else min(growths)
    if was is None or was.low <= one.neutral <= was.high:
        return least, max(abs(ends.low), abs(ends.high))
    return least, max(growths)


def _check(
    of: Measurement,
    reason: str,
    held: GateOutcome,
    criterion: str,
    inconclusive: Policy | Literal[""] = "",
) -> GateCheck:
    return GateCheck(
        metric=of.metric,
        variant=of.variant,
        subject=of.subject,
        test=of.test,
        model=of.model,
        criterion=criterion,
        held=held,
        reason=reason,
        inconclusive=inconclusive,
    )


def _not_made(failure: Failure) -> GateCheck:
    return GateCheck(
        metric=failure.metric,
        variant="",
        subject="",
        test=failure.test,
        model=failure.model,
        criterion="measured",
        held=GateOutcome.FAILS,
        reason=f"it could not be measured: {failure.message}",
        measured=False,
        may_pass=failure.may_pass,
    )
