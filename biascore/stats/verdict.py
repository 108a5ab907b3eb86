"""From a p-value and an interval to a verdict; "not significant" is never "no bias", and "not measured" is neither."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from biascore.stats._checks import require_between
from biascore.stats.attainable import Attainable
from biascore.stats.bootstrap import Interval


class Verdict(StrEnum):
    """What a measurement allows to be said."""

    DETECTED = "detected"
    """The test rejects chance, and the effect is not shown to be negligible."""
    NEGLIGIBLE = "negligible"
    """The whole interval lies inside the equivalence bound, whatever the p-value."""
    INCONCLUSIVE = "inconclusive"
    """Neither: the data do not tell a bias from its absence."""
    NOT_MEASURED = "not measured"
    """There is no effect to decide about: it could not be computed."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its reason in one plain sentence that holds the numbers."""

    verdict: Verdict
    reason: str


def decide(
    p_value: float | None,
    interval: Interval | None,
    *,
    alpha: float,
    bound: float | None,
    neutral: float = 0.0,
    of: str = "",
    attainable: Attainable | None = None,
) -> Decision:
    """Decide between detected, negligible and inconclusive.

    Negligible, if the interval lies wholly within ``bound`` of ``neutral``, ends included, even if p <= alpha; this is
    the two one-sided tests procedure, so the interval's level must be at least 1 - 2 alpha or it cannot show
    that. Else detected, if p <= alpha (with "<=" a valid p gives a test of level alpha). Else inconclusive,
    and always so without a p-value. ``bound`` is in the unit of the interval; None means that no bound was
    stated. ``of`` says in the reason what the interval is of, where it is not that of the headline.
    ``attainable`` is the smallest p that the test can give: where it is above alpha, the reason says that nothing
    could be detected. Raises ValueError for p outside [0, 1], alpha outside (0, 1), a bound not above 0, or NaN ends.
    """
    require_between(alpha, "alpha", 0.0, 1.0)
    if p_value is not None and not 0.0 <= p_value <= 1.0:
        raise ValueError(
            f"p_value is {p_value!r}; pass a number between 0 and 1, or None where there is no test"
        )
    if bound is not None and not (math.isfinite(bound) and bound > 0.0):
        raise ValueError(f"bound is {bound!r}; pass a number above 0, or None for no equivalence bound")
    if interval is not None and (math.isnan(interval.low) or math.isnan(interval.high)):
        raise ValueError("the interval has a NaN end; pass None where there is no interval")

    equivalence = _equivalence(interval, alpha, bound, neutral, of)
    if equivalence.shown:
        p_text = "" if p_value is None else f", although p = {p_value:z.3g}" if p_value <= alpha else ""
        return Decision(Verdict.NEGLIGIBLE, _sentence(f"{equivalence.text}{p_text}"))
    if p_value is None:
        return Decision(
            Verdict.INCONCLUSIVE,
            _sentence(", and ".join(filter(None, ["there is no p-value", equivalence.text]))),
        )
    detected = p_value <= alpha
    side = "at most" if detected else "above"
    limit = "" if detected or attainable is None else attainable.told(alpha)
    compared = " and ".join(filter(None, [f"is {side} {alpha:g}", limit]))
    told = f"the p-value {p_value:z.3g} {compared}"
    reason = _sentence(", and ".join(filter(None, [told, equivalence.text])))
    return Decision(Verdict.DETECTED if detected else Verdict.INCONCLUSIVE, reason)


def can_show(level: float, alpha: float) -> bool:
    """Whether an interval of this level can show at alpha that an effect is negligible: two one-sided tests."""
    return level >= 1.0 - 2.0 * alpha - 1e-9


@dataclass(frozen=True, slots=True)
class _Equivalence:
    shown: bool
    text: str


def _equivalence(
    interval: Interval | None, alpha: float, bound: float | None, neutral: float, of: str
) -> _Equivalence:
    if interval is None:
        return _Equivalence(False, "there is no interval")
    ends = f"the {100 * interval.level:g} % interval {of and f'of {of} '}[{interval.low:z.3g}, {interval.high:z.3g}]"
    if bound is None:
        return _Equivalence(False, "")
    around = f"the bound of {bound:g}" + (f" around {neutral:g}" if neutral else "")
    inside = neutral - bound <= interval.low and interval.high <= neutral + bound
    if not inside:
        return _Equivalence(False, f"{ends} is not inside {around}")
    if not can_show(interval.level, alpha):
        return _Equivalence(False, f"{ends} is inside {around}, but its level is below 1 - 2 x {alpha:g}")
    return _Equivalence(True, f"{ends} lies inside {around}")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
