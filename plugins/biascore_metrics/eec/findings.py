"""All numbers of one measurement in their order, and the verdict: the effect with the smallest adjusted p-value leads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from biascore.api.figures import Bars, Dots, Histogram
from biascore.api.metrics import Equivalence, Estimate, PValue
from biascore.stats import Adjustment, Decision, Interval, Verdict, adjust, decide
from biascore_metrics.eec.estimates import (
    SCORED_FOR,
    by_template,
    coefficients,
    contrast,
    effect_estimate,
    effect_name,
    label,
    means,
    name_means,
    p_of_effect,
)
from biascore_metrics.eec.fits import Effect, Fitted
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.rows import Rows

AGREEMENT_FREE: Final = "agreement-free templates"


@dataclass(frozen=True, slots=True)
class Tested:
    """An effect of an emotion, and its p-value adjusted over the table."""

    emotion: str
    effect: Effect
    p_adjusted: float | None

    @property
    def told(self) -> str:
        """``higher anger for female than for male``, or of an interaction what it is."""
        value = self.effect.value
        more = "higher" if value > 0 else "lower"
        pairs = list(self.effect.change.values())
        if len(pairs) == 1:
            return f"{more} {self.emotion} for {pairs[0][0]} than for {pairs[0][1]}"
        return f"{self.emotion}: {contrast(self.effect)} is {'above' if value > 0 else 'below'} 0"


@dataclass(frozen=True, slots=True)
class Findings:
    """The estimates in their order, the verdict and the pictures."""

    estimates: tuple[Estimate, ...]
    dimensions: dict[str, bool]
    """Whether any emotion shows an effect of the factor, or of the interaction."""
    decision: Decision
    figures: tuple[Bars | Dots | Histogram, ...]
    first: Tested
    equivalence: Equivalence | None


def findings(fitted: Sequence[Fitted], options: EecOptions, subject: str) -> Findings:
    """Adjust over all emotions and effects and decide."""
    pairs = [(one.emotion, effect) for one in fitted for effect in one.effects]
    how = Adjustment(options.adjustment)
    raw = [effect.p_value for _, effect in pairs]
    table = [
        Tested(emotion, effect, None if math.isnan(p) else float(p))
        for (emotion, effect), p in zip(pairs, adjust(raw, how), strict=True)
    ]
    first = min(table, key=_rank)
    count = sum(p is not None for p in raw)
    rows = {one.emotion: one.rows for one in fitted}
    own = {id(one): _estimate(one, how, count, rows[one.emotion]) for one in table}
    names = {one.emotion: list(name_means(one)) for one in fitted}
    farthest = max(own.values(), key=_reach) if options.bound else own[id(first)]
    (headline,) = (one for one in fitted if one.emotion == first.emotion)
    templates = list(by_template(headline, first.effect, options.confidence))
    estimates = [
        own[id(first)],
        *(own[id(one)] for one in table if one is not first),
        *(effect_estimate(one, of.free, of=AGREEMENT_FREE) for one, of in pairs if of.free),
        *(estimate for _, estimate in templates),
        *(estimate for one in fitted for estimate in coefficients(one, options.confidence)),
        *(estimate for one in fitted for estimate in means(one)),
        *(estimate for some in names.values() for _, estimate in some),
    ]
    drawn = [_dots(one, subject) for one in fitted]
    cells = [
        Histogram(title=f"Scores of {one.emotion} by group", column="value", only=(SCORED_FOR, one.emotion))
        for one in fitted
    ]
    bars = [_bars(emotion, some) for emotion, some in names.items()]
    title = f"{effect_name(first.emotion, first.effect)} by template"
    if len(templates) > 1:
        estimates_of = tuple(estimate.name for _, estimate in templates)
        drawn.append(
            Dots(
                title=title, estimates=estimates_of, labels=tuple(of for of, _ in templates), subject=subject
            )
        )
    return Findings(
        estimates=tuple(estimates),
        dimensions=_dimensions(table, options.alpha),
        decision=_decide(first, table, farthest, count, options),
        figures=(*drawn, *cells, *bars),
        first=first,
        equivalence=Equivalence.within(options.bound, farthest.name)
        if first.p_adjusted is not None
        else None,
    )


def _dimensions(table: Sequence[Tested], alpha: float) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for one in table:
        name = " x ".join(one.effect.change)
        found[name] = found.get(name, False) or (one.p_adjusted is not None and one.p_adjusted <= alpha)
    return found


def _rank(one: Tested) -> tuple[float, float, float]:
    p = one.effect.p_value
    if p is None or one.p_adjusted is None:
        return (math.inf, math.inf, 0.0)
    return (one.p_adjusted, p, -abs(one.effect.value))


def _estimate(one: Tested, how: Adjustment, count: int, rows: Rows) -> Estimate:
    alone = p_of_effect(one.effect)
    if not alone or one.p_adjusted is None or count == 1 or how is Adjustment.NONE:
        return effect_estimate(one.emotion, one.effect, rows=rows)
    name = f"{alone[0].name}, {how.shown} over {count} effects"
    adjusted: PValue = alone[0].model_copy(update={"name": name, "value": one.p_adjusted, "se": None})
    return effect_estimate(one.emotion, one.effect, adjusted, rows=rows)


def _reach(estimate: Estimate) -> float:
    """How far the interval of an estimate goes from 0; without one, beyond all bounds."""
    ends = estimate.interval
    return math.inf if ends is None else max(abs(ends.low), abs(ends.high))


def _decide(
    first: Tested, table: Sequence[Tested], farthest: Estimate, count: int, options: EecOptions
) -> Decision:
    if first.p_adjusted is None:
        reason = f"It could not be tested: {first.effect.untested}"
        return Decision(Verdict.INCONCLUSIVE, reason if reason.endswith(".") else f"{reason}.")
    ends = farthest.interval
    decision = decide(
        first.p_adjusted,
        Interval(ends.low, ends.high, ends.level, ends.method, resamples=0) if ends else None,
        alpha=options.alpha,
        bound=options.bound,
        of=farthest.name,
    )
    shown = [one.told for one in table if one.p_adjusted is not None and one.p_adjusted <= options.alpha]
    which = f" The smallest p-value is that of {effect_name(first.emotion, first.effect)}."
    listed = f" At most {options.alpha:g}, {len(shown)} of {count}: {'; '.join(shown)}." if shown else ""
    return replace(decision, reason=decision.reason + which + listed + _by_words(table, options.alpha))


def _by_words(table: Sequence[Tested], alpha: float) -> str:
    """Effects that all templates show, and those without agreeing words do not: words may make them, not names."""
    found = []
    for one in table:
        p, free = one.effect.own_p, one.effect.free
        if one.p_adjusted is None or p is None or free is None or p > alpha or (free.own_p or 1.0) <= alpha:
            continue
        of_names = f"p = {free.own_p:.3g}" if free.own_p is not None else "names make no difference"
        found.append(
            f"{effect_name(one.emotion, one.effect)} has p = {p:.3g} in all templates, but {of_names} "
            "in those without words that agree with the person"
        )
    return f" Grammar may be the reason: {'; '.join(found)}." if found else ""


def _dots(fitted: Fitted, subject: str) -> Dots:
    return Dots(
        title=f"Effects on {fitted.emotion}",
        estimates=tuple(effect_name(fitted.emotion, effect) for effect in fitted.effects),
        labels=tuple(label(effect) for effect in fitted.effects),
        subject=subject,
    )


def _bars(emotion: str, some: Sequence[tuple[str, Estimate]]) -> Bars:
    return Bars(
        title=f"Mean {emotion} of each name less that of all",
        estimates=tuple(estimate.name for _, estimate in some),
        labels=tuple(label for label, _ in some),
    )
