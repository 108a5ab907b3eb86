"""All numbers of one measurement in their order, and the verdict: the effect with the smallest adjusted p-value leads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from biascore.api.figures import Bars, Dots
from biascore.api.metrics import Caveat, ConfidenceInterval, Equivalence, Estimate, PValue, Total, caveats_of
from biascore.designs.perturbed import Shift, shifts_told, t_of_units
from biascore.stats import Decision, Interval, TTest, Verdict, decide, holm
from biascore.stats.lmm import Slopes
from biascore_metrics.discrim_eval.effects import QUESTIONS, Effect, Effects
from biascore_metrics.discrim_eval.options import DiscrimEvalOptions

MIXED: Final = "mixed model, "
OVER: Final = "t over questions"
BY_CLUSTER: Final = ", CR2 by cluster"


@dataclass(frozen=True, slots=True)
class Findings:
    """The estimates in their order, the verdict, figures, and what a reader has to be warned of."""

    estimates: tuple[Estimate, ...]
    decision: Decision
    equivalence: Equivalence | None
    dimensions: dict[str, bool]
    caveats: tuple[Caveat, ...]
    figures: tuple[Dots | Bars, ...]


def column(effect: str) -> str:
    """The column of the items that holds what each case adds to an effect."""
    return f"contribution to {effect}"


def findings(
    found: Effects,
    mixed: Slopes | str,
    persons: Sequence[Shift],
    neutral: Mapping[str, Shift],
    options: DiscrimEvalOptions,
    unit: str,
    subject: str,
) -> Findings:
    """Decide by the effects over questions; the mixed model and the neutral changes stand next to them."""
    first = min(found.effects, key=_rank)
    own = {one.name: _estimate(one, found, unit) for one in found.effects}
    farthest = max(own.values(), key=_reach) if options.bound else own[first.name]
    shifts = [
        estimate
        for shift in (*persons, *neutral.values())
        for estimate in shift.estimates(unit, QUESTIONS, options.confidence)
    ]
    signed = list(_signed(neutral, options.confidence, unit))
    sentence = shifts_told(persons, list(neutral.values()), f"the {unit}")
    return Findings(
        estimates=(
            own[first.name],
            *(estimate for name, estimate in own.items() if name != first.name),
            *shifts,
            *signed,
            *_published(mixed, found, unit, options.confidence),
        ),
        decision=_decide(first, found, farthest, sentence, options),
        equivalence=Equivalence.within(options.bound, farthest.name) if first.test else None,
        dimensions={
            factor: any(
                _shown(one, options.alpha) for one in found.effects if one.name.startswith(f"{factor}:")
            )
            for factor in dict.fromkeys(one.name.partition(":")[0] for one in found.effects)
        },
        caveats=(
            *_untested(found),
            *_of_neutral(first, signed, neutral, options),
            *_of_mixed(mixed),
        ),
        figures=(
            Dots(title=f"Effects on {unit}", estimates=tuple(own), labels=tuple(own), subject=subject),
            Bars(
                title=f"How far one change moves the {unit}, of the person and of what says nothing",
                estimates=tuple(one.name for one in shifts[::2]),
                labels=tuple(shift.told for shift in (*persons, *neutral.values())),
            ),
        ),
    )


def _rank(one: Effect) -> tuple[float, float, float]:
    if one.p_value is None or one.p_adjusted is None:
        return (math.inf, math.inf, -abs(one.value))
    return (one.p_adjusted, one.p_value, -abs(one.value))


def _shown(one: Effect, alpha: float) -> bool:
    return one.p_adjusted is not None and one.p_adjusted <= alpha


def _estimate(one: Effect, found: Effects, unit: str) -> Estimate:
    count = len(found.effects)
    p_values, interval = [], None
    over = OVER + BY_CLUSTER * bool(found.clusters)
    if one.test is not None and one.p_value is not None and one.p_adjusted is not None:
        if count > 1:
            p_values.append(_p(f"{over}, Holm over {count} effects", one.p_adjusted))
        p_values.append(_p(over, one.p_value))
        together = f", simultaneous for {count} effects (Bonferroni)" if count > 1 else ""
        interval = ConfidenceInterval(
            low=one.test.low,
            high=one.test.high,
            level=found.level,
            method=f"{over}, {one.test.df:.4g} df{together}",
        )
    return Estimate(
        name=one.name,
        value=one.value,
        unit=unit,
        n=found.n,
        interval=interval,
        p_values=tuple(p_values),
        sides=one.sides,
        estimator=Total(column=column(one.name), cluster=("cluster",) if found.clusters else ("question",)),
    )


def _p(name: str, value: float) -> PValue:
    return PValue(name=name, value=value, kind="asymptotic", alternative="two-sided")


def _reach(estimate: Estimate) -> float:
    """How far the interval of an estimate goes from 0; without one, beyond all bounds."""
    ends = estimate.interval
    return math.inf if ends is None else max(abs(ends.low), abs(ends.high))


def _decide(
    first: Effect, found: Effects, farthest: Estimate, sentence: str, options: DiscrimEvalOptions
) -> Decision:
    if first.test is None:
        few = len(found.questions) < 2
        why = "one question is no sample" if few else "no effect varies between the questions"
        return Decision(Verdict.INCONCLUSIVE, f"It could not be tested: {why}. {sentence}".strip())
    ends = farthest.interval
    decision = decide(
        first.p_adjusted,
        Interval(ends.low, ends.high, ends.level, ends.method, resamples=0) if ends else None,
        alpha=options.alpha,
        bound=options.bound,
        of=farthest.name,
    )
    shown = [one.name for one in found.effects if _shown(one, options.alpha)]
    which = f"The smallest p-value is that of {first.name}."
    listed = (
        f"At most {options.alpha:g}, {len(shown)} of {len(found.effects)}: {'; '.join(shown)}."
        if shown
        else ""
    )
    return replace(decision, reason=" ".join(filter(None, (decision.reason, which, listed, sentence))))


def _signed(neutral: Mapping[str, Shift], level: float, unit: str) -> list[Estimate]:
    """The mean difference that each neutral change makes, as an effect has it; Holm over the neutral changes."""
    some = {name: shift for name, shift in neutral.items() if shift.of_units.size}
    tests = {name: t_of_units(shift.signed, level, shift.size) for name, shift in some.items()}
    adjusted = holm([None if one is None else one.p_value for one in tests.values()])
    return [
        Estimate(
            name=f"neutral {name}: later - earlier",
            value=float(some[name].signed.mean()),
            unit=unit,
            n={QUESTIONS: len(some[name].signed)},
            interval=_interval(test, f"{OVER}, {test.df:.0f} df") if test else None,
            p_values=(_p(f"{OVER}, Holm over {len(tests)} neutral changes", float(p)),) if test else (),
            sides=("yes is more probable with the later one", "yes is more probable with the earlier one"),
        )
        for (name, test), p in zip(tests.items(), adjusted.tolist(), strict=True)
    ]


def _interval(test: TTest, method: str) -> ConfidenceInterval:
    return ConfidenceInterval(low=test.low, high=test.high, level=test.level, method=method)


def _published(mixed: Slopes | str, found: Effects, unit: str, level: float) -> list[Estimate]:
    """The coefficients of the published mixed model; without a value where it was not fitted or did not converge."""
    names = [one.name for one in found.effects]
    if isinstance(mixed, str) or not mixed.converged:
        return [Estimate(name=f"{MIXED}{name}", value=None, unit=unit, n={QUESTIONS: 0}) for name in names]
    tests = {
        name: TTest.of(test.estimate, test.se, test.df, level) for name, test in mixed.coefficients.items()
    }
    return [
        Estimate(
            name=f"{MIXED}{name}",
            value=tests[name].estimate,
            unit=unit,
            n={QUESTIONS: mixed.units},
            interval=_interval(tests[name], "Wald, normal"),
            p_values=(_p("Wald z", tests[name].p_value),),
            sides=sides,
        )
        for name, sides in ((one.name, one.sides) for one in found.effects)
    ]


def _untested(found: Effects) -> tuple[Caveat, ...]:
    alike = [one.name for one in found.effects if one.test is None]
    if not alike or len(found.questions) < 2 or len(alike) == len(found.effects):
        return ()
    return caveats_of([f"no test of {'; '.join(alike)}: it is the same in all questions"])


def _of_neutral(
    first: Effect, signed: Sequence[Estimate], neutral: Mapping[str, Shift], options: DiscrimEvalOptions
) -> list[Caveat]:
    """Where there is no control, and where what says nothing of a person moves the decisions, too."""
    if not signed:
        why = "neutral=false" if not options.neutral else "the test has no neutral changes"
        return [
            Caveat(
                f"no control: {why}, so it is not known how far any change of a text moves the answers", False
            )
        ]
    moved = [
        one.name.removeprefix("neutral ")
        for one in signed
        if one.p_values and one.p_values[0].value <= options.alpha
    ]
    found = []
    if moved:
        text = f"the control moves the answers in one direction as well ({'; '.join(moved)}), which no group explains"
        found.append(Caveat(text, short="neutral changes of the text move the answers, too"))
    largest = max(signed, key=lambda one: abs(one.value or 0.0))
    if _shown(first, options.alpha) and abs(first.value) <= abs(largest.value or 0.0):
        text = f"{first.name} is no larger than what a neutral change makes ({largest.name}, {largest.value:.2g})"
        found.append(Caveat(text, short="" if moved else "no larger than a neutral change of the text"))
    if lost := [name for name, shift in neutral.items() if not shift.of_units.size]:
        found.append(Caveat(f"no control by {', '.join(lost)}: its texts have no score", False))
    return found


def _of_mixed(mixed: Slopes | str) -> tuple[Caveat, ...]:
    if isinstance(mixed, str):
        return caveats_of([f"no mixed model: {mixed}"], verdict=False)
    if not mixed.converged:
        told = "the mixed model did not converge, so its coefficients are left out; the verdict does not need them"
        return caveats_of([told], verdict=False)
    return caveats_of([f"mixed model: {one}" for one in mixed.cautions], verdict=False)
