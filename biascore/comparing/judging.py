"""The outcome of a change: whether the effect increased, decreased, changed sign, is unchanged, or none is shown."""

from __future__ import annotations

from biascore.basics.wording import equal, signed
from biascore.comparing.changes import Changed
from biascore.comparing.matching import Match
from biascore.results.comparison import Compared, Difference, Outcome
from biascore.results.measurement import Measurement
from biascore.stats import Adjustment, can_show

ALPHA = 0.05
"""Of a change of what is not tested itself."""


def judged(
    match: Match,
    changed: Changed,
    family: str,
    adjusted: tuple[float, int] | None,
    how: Adjustment,
    bound: float | None,
) -> Difference:
    """The change with its outcome; ``adjusted`` is its p over the family, and how many tests that holds."""
    old = match.old.measurement
    alpha = old.alpha or ALPHA
    within = bound if bound is not None else _bound(old, changed)
    p = adjusted[0] if adjusted else None
    neutral = old.estimate(changed.name).neutral or 0.0
    outcome = _outcome(changed, p, alpha, within, neutral)
    return Difference(
        metric=old.metric,
        variant=old.variant,
        subject=old.subject,
        test=old.test,
        test_title=old.test_title,
        language=old.language,
        concept=old.concept,
        positive_means=old.positive_means,
        estimate=changed.name,
        old=changed.old,
        new=changed.new,
        change=changed.change,
        neutral=neutral,
        paired=changed.paired,
        unmoved=changed.unmoved,
        alpha=alpha,
        bound=within,
        flipped=changed.flipped,
        role=match.role,
        family=family,
        p_adjusted=p,
        outcome=outcome,
        reason=_reason(changed, outcome, adjusted, how, alpha, within, neutral),
        cautions=changed.cautions,
        item_value=old.item_value,
        item_neutral=old.item_neutral,
        items=changed.items,
    )


def rejudged(one: Difference, family: str, adjusted: tuple[float, int] | None, how: Adjustment) -> Difference:
    """The same change in another family: its p-value adjusted over that, and the outcome and the reason that follow."""
    changed = Changed(
        name=one.estimate,
        old=one.old,
        new=one.new,
        change=one.change,
        paired=one.paired,
        flipped=one.flipped,
        unmoved=one.unmoved,
        items=one.items,
        cautions=one.cautions,
        problem="",
    )
    p = adjusted[0] if adjusted else None
    outcome = _outcome(changed, p, one.alpha, one.bound, one.neutral)
    reason = _reason(changed, outcome, adjusted, how, one.alpha, one.bound, one.neutral)
    return one.model_copy(update={"family": family, "p_adjusted": p, "outcome": outcome, "reason": reason})


def _bound(measurement: Measurement, changed: Changed) -> float | None:
    """The bound of the measurement where it is in the unit of what changed."""
    stated = measurement.equivalence
    if stated is None or stated.of is None:
        return None
    return stated.bound if measurement.estimate(stated.of).unit == changed.change.unit else None


def _outcome(changed: Changed, p: float | None, alpha: float, bound: float | None, neutral: float) -> Outcome:
    value, ends = changed.change.value, changed.change.interval
    if value is None:
        return Outcome.INCONCLUSIVE
    inside = bound is not None and ends is not None and -bound <= ends.low and ends.high <= bound
    if changed.unmoved or (inside and ends is not None and can_show(ends.level, alpha)):
        return Outcome.UNCHANGED
    if p is None or p > alpha:
        return Outcome.INCONCLUSIVE
    return _direction(changed, neutral)


def _direction(changed: Changed, neutral: float) -> Outcome:
    """Away from the neutral value or towards it; across it, the sides that are sure decide."""
    before, after = _effect(changed.old) - neutral, _effect(changed.new) - neutral
    if before * after >= 0:
        return Outcome.INCREASED if abs(after) > abs(before) else Outcome.DECREASED
    was, is_ = _sure(changed.old, neutral), _sure(changed.new, neutral)
    if was is is_:
        return Outcome.CHANGED_SIGN if was else Outcome.INCONCLUSIVE
    return Outcome.DECREASED if was else Outcome.INCREASED


def _effect(side: Compared) -> float:
    found = side.value if side.on_same_items is None else side.on_same_items
    assert found is not None  # where there is a change
    return found


def _sure(side: Compared, neutral: float) -> bool:
    ends = side.interval
    return ends is not None and not ends.low <= neutral <= ends.high


def _reason(
    changed: Changed,
    outcome: Outcome,
    adjusted: tuple[float, int] | None,
    how: Adjustment,
    alpha: float,
    bound: float | None,
    neutral: float,
) -> str:
    change = changed.change
    if change.value is None:
        return f"The change of {changed.name} cannot be computed: {changed.problem}."
    before, after = _effect(changed.old), _effect(changed.new)
    if equal(before, after):
        told = f"{changed.name} stayed at {before:z.3g}"
    else:
        told = f"{changed.name} {'rose' if change.value > 0 else 'fell'} from {before:z.3g} to {after:z.3g}"
    ends = change.interval
    by = "the same items in both" if changed.paired else "unpaired, from both intervals"
    told += f", a change of {signed(change.value, '.3g')}"
    told += (
        f" ({100 * ends.level:g} % interval {signed(ends.low, '.3g')} to {signed(ends.high, '.3g')}; {by})"
        if ends
        else f" ({by})"
    )
    parts = [told[0].upper() + told[1:]]
    if changed.unmoved:
        parts.append("every item has the same value in both")
    elif adjusted and change.p_values:
        p, (p_adjusted, tests) = change.p_values[0].value, adjusted
        text = f"p = {p:z.3g}"
        if how is not Adjustment.NONE and tests > 1:
            text += f", over {tests} tests {p_adjusted:z.3g} ({how.shown})"
        side = "at most" if p_adjusted <= alpha else "above"
        parts.append(f"{text}, {side} {alpha:g}")
    if bound is None:
        parts.append("no equivalence bound was stated")
    elif ends is not None:
        inside = -bound <= ends.low and ends.high <= bound
        parts.append(f"the interval is {'' if inside else 'not '}inside the bound of {bound:g}")
    if (before - neutral) * (after - neutral) < 0:
        sides = "above and is below" if before > after else "below and is above"
        parts.append(f"it was {sides} {neutral:g}" + (", and its sign changed" if neutral == 0 else ""))
    if outcome is Outcome.INCONCLUSIVE:
        parts.append(
            f"it moved, but neither model's interval leaves out {neutral:g}, so its side is not sure"
            if adjusted is not None and adjusted[0] <= alpha
            else "neither a change nor its absence is shown"
        )
    return "; ".join(parts) + "."
