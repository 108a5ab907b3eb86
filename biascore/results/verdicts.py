"""The verdicts of a run: families of measurements, their adjusted p-values, and the state of each in one word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

import numpy as np
from pydantic import SerializerFunctionWrapHandler, model_serializer

from biascore.basics.frozen import Frozen
from biascore.basics.wording import but, capital, counted
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.sensitivity import Sensitivity, undecided
from biascore.stats import Adjustment, Verdict, adjust, can_show

DEVIATIONS: Final = "standard deviations"
"""The unit of d."""
MEDIUM: Final = 0.5
"""Cohen's medium effect, as a d."""
BASELINE: Final = "baseline"
"""The concept of tests whose association most models hold and that harms nobody: flowers are pleasant."""


class Role(StrEnum):
    """What a measurement is for."""

    FINDING = "finding"
    """It asks whether a model in use is biased."""
    BASELINE = "baseline"
    """An association that most models have and that harms nobody: it checks the test."""
    CONTROL = "control"
    """On a model whose bias is known, injected or none: it checks the test."""
    DESCRIPTION = "description"
    """It tests nothing, so it detects no bias and misses none."""
    CHANGE = "change"
    """What a transform did to a model: a detected change is not a detected bias."""


class Rule(StrEnum):
    """By which rule a run decides."""

    LABELS = "labels"
    """Of runs stored before there was another: the larger p-value, of target and attribute labels, after adjustment."""
    HARMLESS = "harmless groups"
    """The test's p-value after adjustment and, where the metric compares with harmless groups, few pairs of these."""


class State(StrEnum):
    """What a run says of a measurement, in one word."""

    DETECTED = "detected"
    """Significant after adjustment and, where there are harmless groups, larger than 95 % of their pairs."""
    HINT = "hint"
    """Significant by itself, and one of the two does not hold: which, its reason names."""
    NEGLIGIBLE = "negligible"
    """The interval lies inside the stated equivalence bound."""
    INCONCLUSIVE = "inconclusive"
    """Neither: that is not the same as unbiased."""
    NOT_MEASURED = "not measured"
    """It could not be computed."""
    DESCRIBED = "described"
    """Nothing is tested."""

    @classmethod
    def of(cls, measurement: Measurement, said: RunVerdict) -> State:
        """The state of a measurement, of which its run says this."""
        if said.role is Role.DESCRIPTION and measurement.verdict is not Verdict.NOT_MEASURED:
            return cls.DESCRIBED
        return cls.HINT if said.hint else cls(said.verdict.value)


class RunVerdict(Frozen):
    """What a run says of one of its measurements: ``verdict`` after adjustment, ``alone`` before.

    ``p_adjusted`` is adjusted over the ``tests`` of the ``family``: its measurements that have a p-value, one test once.
    ``because``: of a hint, in a few words, why it is not detected. ``no_reference``: that is because there are no harmless
    groups.
    """

    family: str
    role: Role
    tests: int
    p_adjusted: float | None
    alone: Verdict
    verdict: Verdict
    because: str = ""
    no_reference: bool = False

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without what runs stored before do not have."""
        stored: dict[str, Any] = serialize(self)
        return {
            key: value for key, value in stored.items() if value or key not in ("because", "no_reference")
        }

    @property
    def hint(self) -> bool:
        """Whether it is significant by itself, and not detected for one reason."""
        return bool(self.because)

    @property
    def shown(self) -> str:
        """The state in one word, of a hint with its reason, and with its note: ``hint (not after adjustment; control)``."""
        word = State.HINT.value if self.hint else self.verdict.value
        notes = "; ".join(filter(None, [self.because, self.note]))
        return f"{word} ({notes})" if notes else word

    @property
    def note(self) -> str:
        """Its role, or an empty text for a finding."""
        return "" if self.role is Role.FINDING else self.role.value


def run_verdicts(
    measurements: Sequence[Measurement], controls: Iterable[str], how: Adjustment, rule: Rule = Rule.HARMLESS
) -> tuple[RunVerdict, ...]:
    """The verdict of each measurement, in order; ``controls`` are the names of models whose bias is known.

    A family is what is measured on one model: its findings, its baselines, its changes by a transform, what only
    describes it, or all that is tested where it is a control. Measurements of one metric on one test that have the same
    estimate and the same p-values, as with and without a trace, are one test and count once.
    A verdict of detected stays if its adjusted p-value is at most its alpha and, by the ``rule`` on harmless groups, at most
    5 % of their pairs reach the effect; where one of the two holds, it is a hint. Neither changes anything else: adjustment
    only ever raises a p-value, and negligible is decided by an interval.
    """
    known = frozenset(controls)
    roles = [_role(measurement, known) for measurement in measurements]
    families: dict[str, list[int]] = {}
    for index, (measurement, role) in enumerate(zip(measurements, roles, strict=True)):
        families.setdefault(_family(measurement, role), []).append(index)
    found: dict[int, RunVerdict] = {}
    for family, members in families.items():
        p = {tested(measurements[index]): measurements[index].p_value for index in members}
        adjusted = {
            tested: None if np.isnan(value) else float(value)
            for tested, value in zip(p, adjust(list(p.values()), how), strict=True)
        }
        tests = sum(value is not None for value in adjusted.values())
        for index in members:
            value = adjusted[tested(measurements[index])]
            found[index] = RunVerdict(
                family=family,
                role=roles[index],
                tests=tests,
                p_adjusted=value,
                alone=measurements[index].verdict,
                **_decided(measurements[index], value, rule),
            )
    return tuple(found[index] for index in range(len(measurements)))


def nothing_measured(verdicts: Sequence[RunVerdict]) -> bool:
    """Whether nothing could be measured on the models in use; of controls alone, on these."""
    in_use = [one for one in verdicts if one.role is not Role.CONTROL] or verdicts
    return all(one.verdict is Verdict.NOT_MEASURED for one in in_use)


def contradiction(measurement: Measurement) -> str:
    """Why its verdict does not follow from its own p-value and interval, as a clause, or an empty text.

    Detected needs a p-value of at most alpha, negligible an interval inside the bound, inconclusive neither, and not
    measured has no effect. Runs
    stored earlier may hold inconclusive ones, whatever p, whose effect size (R^2) lies inside its bound.
    """
    verdict = measurement.verdict
    if measurement.headline.value is None:
        return "" if verdict is Verdict.NOT_MEASURED else f"it is {verdict}, and nothing could be estimated"
    if verdict is Verdict.NOT_MEASURED:
        return "it is not measured, and its effect could be estimated"
    p, alpha = measurement.p_value, measurement.alpha
    rejected = p is not None and alpha is not None and p <= alpha
    small = _too_small(measurement)
    if verdict is Verdict.DETECTED:
        return "" if rejected else f"it is detected, and its p-value ({p}) is not at most alpha ({alpha})"
    if verdict is Verdict.NEGLIGIBLE:
        return "" if equivalent(measurement) else "it is negligible, and no interval lies inside its bound"
    if rejected and not small:
        return f"it is inconclusive, and its p-value ({p}) is at most alpha ({alpha})"
    return "it is inconclusive, and its interval lies inside its bound" if equivalent(measurement) else ""


def reason_of(measurement: Measurement, verdict: RunVerdict, how: Adjustment) -> str:
    """The reason of the measurement alone, what adjustment made of it, and, where inconclusive, what it could have seen."""
    seen = unseen(measurement, verdict)
    return " ".join(filter(None, [_adjusted_reason(measurement, verdict, how), seen.text if seen else ""]))


def unseen(measurement: Measurement, said: RunVerdict) -> Sensitivity | None:
    """The minimum detectable effect of what is not detected for want of power; None of what harmless groups reach."""
    significant = (
        said.p_adjusted is not None and measurement.alpha is not None and said.p_adjusted <= measurement.alpha
    )
    return None if said.hint and significant else undecided(measurement, said.verdict, said.tests)


def _adjusted_reason(measurement: Measurement, verdict: RunVerdict, how: Adjustment) -> str:
    if verdict.p_adjusted is None or measurement.alpha is None or verdict.alone is not Verdict.DETECTED:
        return measurement.reason
    told = [measurement.reason]
    if how is not Adjustment.NONE:
        side = "at most" if verdict.p_adjusted <= measurement.alpha else "above"
        told.append(
            f"Adjusted over {counted(verdict.tests, 'measurement')} ({how.shown}; {verdict.family}), p is "
            f"{verdict.p_adjusted:z.3g}, {side} {measurement.alpha:g}."
        )
    if measurement.specificity is not None:
        told.append(f"{capital(measurement.specificity.full)}.")
    if verdict.hint:
        told.append(f"So it is a hint: {verdict.because}.")
    return " ".join(told)


def note_of(measurement: Measurement, said: RunVerdict) -> str:
    """What belongs with the state in a few words.

    Why it is a hint, how many harmless pairs reach what is detected or a hint, or what negligible means.
    """
    found = measurement.specificity
    if State.of(measurement, said) is State.NEGLIGIBLE:
        return describe_bound(measurement)
    decided = said.verdict is Verdict.DETECTED or said.hint
    share = found.told if found and decided else ""
    return "; ".join(dict.fromkeys(filter(None, [said.because, share])))


def describe_verdict(measurement: Measurement, said: RunVerdict) -> str:
    """The state with its caveats: ``detected; 2 of 100 harmless pairs reach it; but ...``."""
    state = State.of(measurement, said).value
    shown = f"{state} ({said.note})" if said.note else state
    return "; ".join(filter(None, [shown, note_of(measurement, said), but(measurement.doubts)]))


def describe_bound(measurement: Measurement) -> str:
    """``below medium (|d| < 0.5)``: what negligible means where its bound is no small effect; else an empty text."""
    stated = measurement.equivalence
    of_d = measurement.headline.unit == DEVIATIONS and stated is not None and stated.bound == MEDIUM
    return f"below medium (|d| < {MEDIUM:g})" if of_d else ""


def injected(measurement: Measurement, declared: Mapping[str, float]) -> float | None:
    """The effect injected into a model for all tests of a measurement; None where it is not one and the same.

    What is planted in a test is the effect of its kind: of a headline that is read before such effects nothing is known.
    """
    if measurement.leads:
        return None
    effects = {declared.get(test) for test in (measurement.test, *measurement.joined)}
    return effects.pop() if len(effects) == 1 else None


def _role(measurement: Measurement, controls: frozenset[str]) -> Role:
    if measurement.describes:  # on a control, too: it says nothing of whether a bias was detected
        return Role.DESCRIPTION
    if measurement.model in controls:
        return Role.CONTROL
    if measurement.change_from:
        return Role.CHANGE
    return Role.BASELINE if measurement.concept == BASELINE else Role.FINDING


def _family(measurement: Measurement, role: Role) -> str:
    what = {
        Role.FINDING: "findings on",
        Role.BASELINE: "baselines on",
        Role.CONTROL: "control",
        Role.CHANGE: "changes on",
        Role.DESCRIPTION: "descriptions of",
    }[role]
    return f"{what} {measurement.model}"


def tested(measurement: Measurement) -> tuple[str, ...]:
    """What tells one test from another of a family: equal for measurements that differ in what they show alone."""
    headline = measurement.headline
    p_values = (p.model_dump_json() for p in headline.p_values)
    return (
        measurement.metric,
        measurement.test,
        headline.name,
        repr(headline.value),
        repr(dict(headline.n)),
        *p_values,
    )


def _decided(measurement: Measurement, p_adjusted: float | None, rule: Rule) -> dict[str, Any]:
    """The verdict of a run, and of a hint its reason."""
    if measurement.verdict is not Verdict.DETECTED or p_adjusted is None or measurement.alpha is None:
        return {"verdict": measurement.verdict}
    adjusted = p_adjusted <= measurement.alpha
    found = measurement.specificity if rule is Rule.HARMLESS else None
    specific = found is None or found.specific
    if adjusted and specific:
        return {"verdict": Verdict.DETECTED}
    if found is None or found.specific:
        return {"verdict": Verdict.INCONCLUSIVE, "because": "not after adjustment"}
    if not adjusted:
        return {"verdict": Verdict.INCONCLUSIVE}
    return {"verdict": Verdict.INCONCLUSIVE, "because": found.told, "no_reference": found.share is None}


def equivalent(measurement: Measurement) -> bool:
    """Whether the interval lies inside the bound that was stated, whatever the verdict."""
    stated = measurement.equivalence
    if stated is None:
        return False
    if stated.of is None:
        neutral = measurement.item_neutral or 0.0
        ends = [(row.get("ci_low"), row.get("ci_high")) for row in measurement.items.to_pylist()]
        return bool(ends) and all(_inside(low, high, neutral, stated.bound) for low, high in ends)
    estimate: Estimate = measurement.estimate(stated.of)
    interval = estimate.interval
    if interval is None or not can_show(interval.level, measurement.alpha or 0.0):
        return False
    return _inside(interval.low, interval.high, estimate.neutral or 0.0, stated.bound)


def _too_small(measurement: Measurement) -> str:
    """The name of the effect size that the bound is of, where it is not tested itself and lies inside; else empty."""
    stated = measurement.equivalence
    if stated is None or stated.of is None or stated.of == measurement.headline.name:
        return ""
    size = measurement.estimate(stated.of)
    inside = _inside(size.value, size.value, size.neutral or 0.0, stated.bound)
    return size.name if inside and not size.p_values else ""


def _inside(low: Any, high: Any, neutral: float, bound: float) -> bool:
    return low is not None and high is not None and neutral - bound <= low and high <= neutral + bound
