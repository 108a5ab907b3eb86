"""What makes an effect and its verdict look contradictory, said where it stands."""

from __future__ import annotations

from biascore.basics.wording import but
from biascore.results.measurement import Measurement
from biascore.results.verdicts import RunVerdict, equivalent
from biascore.stats import Verdict


def disagreement(measurement: Measurement) -> bool:
    """Whether the interval of the headline says otherwise than its p-value."""
    headline = measurement.headline
    p, alpha, ends, neutral = measurement.p_value, measurement.alpha, headline.interval, headline.neutral
    if p is None or alpha is None or ends is None or neutral is None or headline.chance is not None:
        return False
    if headline.opposite(alpha) or (p <= alpha) != (ends.low <= neutral <= ends.high):
        return False
    # Detected for what is not the headline, and the reason says for what.
    return not (measurement.verdict is Verdict.DETECTED and equivalent(measurement))


def remarks(measurement: Measurement, said: RunVerdict) -> tuple[str, ...]:
    """A few words on each: an effect the other way of a one-sided test, a small p next to an interval that spans."""
    headline, found = measurement.headline, []
    if headline.opposite(measurement.alpha or 0.0):
        found.append("points in the other direction, which this one-sided test does not count")
    if headline.chance is not None:
        found.append(f"chance alone gives {headline.chance:z.3g}, not {headline.neutral or 0:g}")
    if disagreement(measurement) and headline.interval is not None:
        holds = headline.interval.low <= (headline.neutral or 0.0) <= headline.interval.high
        found.append(f"interval {'includes' if holds else 'excludes'} {headline.neutral:g} (see note)")
    if (
        said.verdict is Verdict.NEGLIGIBLE
        and measurement.p_value is not None
        and measurement.p_value <= (measurement.alpha or 0.0)
    ):
        found.append("significant, and negligible: the whole interval is inside the bound")
    if said.verdict is not Verdict.INCONCLUSIVE or said.hint:
        found.append(but(measurement.doubts))
    return tuple(filter(None, found))
