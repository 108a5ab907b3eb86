"""The minimum detectable effect of a measurement, and how many items would show that an effect is negligible.

By the normal approximation, on a scale on which an effect has no end: one that can lie up to R from its neutral value is
taken as R atanh(x / R) (Fisher 1915). The standard error is that of the interval, or of the test where that is larger and
known well enough; more items are taken to divide it by the square root of their number (Cohen 1988; Card et al. 2020).
``biascore calibrate`` measures what is approximated here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.wording import capital, shown
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.stats import Verdict
from biascore.stats.normal import critical_value, normal_quantile

POWER: Final = 0.8
MANY: Final = 100.0
"""More than so many times the items are said to be more than that, and no more."""
_SURE_P: Final = 0.5
"""Above it a p-value tells little of the standard error behind it: two-sided tests of counts reach 1 before their centre."""
_RANGES: Final = {"%": (0.0, 100.0)}


class Sensitivity(Frozen):
    """The minimum detectable effect of an inconclusive measurement, approximately.

    ``smallest``: how far from the neutral value an effect lies that is detected with ``power`` at the level ``alpha``; None
    where none is that the estimate can have. ``times_bound``: how many times the items ``n`` would show that an effect of
    none lies inside the ``bound``; None where there is no bound. How many would detect an effect as large as the one found
    is not reported: that is the p-value in other words (Hoenig & Heisey 2001).
    """

    estimate: str
    unit: str
    n: FrozenMap[int]
    neutral: float
    alpha: float
    power: float
    smallest: float | None
    bound: float | None
    times_bound: float | None

    @property
    def seen(self) -> str:
        """``effect size d of about 1.2 or more``, or that no effect is large enough."""
        if self.smallest is None:
            return f"no {self.estimate} that there can be"
        far = f"about {shown(self.smallest)} or more"
        return (
            f"{self.estimate} {far} away from {self.neutral:g}"
            if self.neutral
            else f"{self.estimate} of {far}"
        )

    @property
    def would_decide(self) -> str:
        """How many items would show that there is no effect, as a sentence; empty where no bound is stated."""
        if self.times_bound is None or self.bound is None:
            return ""
        times = _times(self.times_bound)
        return f"{capital(times)} would show that one of {self.neutral:g} is within {self.bound:g} of it."

    @property
    def text(self) -> str:
        """All of it in two or three sentences."""
        n = " + ".join(f"{count:,} {role}" for role, count in self.n.items())
        sees = f"With {n}, it detects {self.seen} in {100 * self.power:g} % of cases at best"
        sees += f" (at {self.alpha:z.2g}; approximate)."
        return f"{sees} {self.would_decide}".strip()


def sensitivity(
    measurement: Measurement, *, power: float = POWER, alpha: float | None = None
) -> Sensitivity | None:
    """The minimum detectable effect, whatever the verdict; None where it is not known.

    ``alpha``: another level than its own, such as the one that is left after adjustment. It takes a test, an interval and
    a direction; for a distance, a share of items, or a description use ``biascore calibrate``.
    """
    headline = measurement.headline
    level = measurement.alpha if alpha is None else alpha
    if level is None or not headline.p_values or headline.value is None or headline.neutral is None:
        return None
    scale = _Scale.of(headline)
    se = _standard_error(headline, scale)
    if se is None or headline.chance is not None:
        return None
    sides = 2 if headline.p_values[0].alternative == "two-sided" else 1
    needed = (normal_quantile(1 - level / sides) + normal_quantile(power)) * se
    smallest = None if _cannot_reject(headline, level) else scale.back(needed)
    bound = _bound(measurement)
    wide = critical_value(headline.interval.level if headline.interval else 0.95) + critical_value(power)
    return Sensitivity(
        estimate=headline.name,
        unit=headline.unit,
        n=headline.n,
        neutral=headline.neutral,
        alpha=level,
        power=power,
        smallest=smallest,
        bound=bound,
        times_bound=None
        if bound is None
        else (wide * se / abs(scale.of_value(headline.neutral + bound))) ** 2,
    )


def undecided(measurement: Measurement, verdict: Verdict, tests: int = 1) -> Sensitivity | None:
    """The minimum detectable effect of an inconclusive measurement, None of any other.

    ``verdict`` is that of its run; for a hint, the level is the smallest that adjustment over ``tests`` tests asks for.
    """
    if verdict is not Verdict.INCONCLUSIVE or measurement.alpha is None:
        return None
    hint = measurement.verdict is Verdict.DETECTED
    return sensitivity(measurement, alpha=measurement.alpha / tests if hint and tests else None)


def seen_lines(found: Sequence[tuple[str, Sensitivity | None]]) -> tuple[str, ...]:
    """For each estimate a sentence on the minimum detectable effects of its inconclusive tests, by their names."""
    by: dict[tuple[str, str], list[tuple[str, Sensitivity]]] = {}
    for name, one in found:
        if one is not None:
            by.setdefault((one.estimate, one.unit), []).append((name, one))
    return tuple(_line(some) for some in by.values())


def _line(some: Sequence[tuple[str, Sensitivity]]) -> str:
    first = some[0][1]
    seen = sorted((one.smallest, name) for name, one in some if one.smallest is not None)
    blind = len(some) - len(seen)
    least = f"{blind} of {len(some)} can detect nothing at all" if blind else ""
    told = ""
    if seen:
        (low, best), (high, worst) = seen[0], seen[-1]
        each = shown(low)
        if shown(low) != shown(high):
            each = (
                f"{each} to {shown(high)}" if best == worst else f"{each} ({best}) to {shown(high)} ({worst})"
            )
        away = f" away from {first.neutral:g}" if first.neutral else ""
        told = f"{first.estimate} {each}{away}; smaller effects are often missed"
    found = "; ".join(filter(None, [told, least]))
    return f"minimum detectable effect ({100 * first.power:g} % power, at best): {found}"


class _Scale(NamedTuple):
    """Distances from the neutral value, on which an effect has no end; ``reach`` is inf where it has none anyway."""

    neutral: float
    reach: float

    @classmethod
    def of(cls, estimate: Estimate) -> _Scale:
        neutral = estimate.neutral or 0.0
        limits = estimate.limits or _RANGES.get(estimate.unit)
        ends = (neutral - limits[0], limits[1] - neutral) if limits else ()
        # A neutral value that is itself a limit, as 1 of a smallest ratio, has effects on one side only.
        return cls(neutral, min((one for one in ends if one > 0), default=math.inf))

    def of_value(self, value: float) -> float:
        """A value on this scale."""
        if math.isinf(self.reach):
            return value - self.neutral
        return self.reach * math.atanh(self._share(value))

    def slope(self, value: float) -> float:
        """How much longer small distances about a value are on this scale."""
        return 1.0 if math.isinf(self.reach) else 1 / (1 - self._share(value) ** 2)

    def back(self, distance: float) -> float:
        """How far from the neutral value what has this distance on the scale lies."""
        return distance if math.isinf(self.reach) else self.reach * math.tanh(distance / self.reach)

    def _share(self, value: float) -> float:
        # What lies at the end, where the scale has none, is taken as a little before it.
        return max(-0.95, min(0.95, (value - self.neutral) / self.reach))


def _standard_error(headline: Estimate, scale: _Scale) -> float | None:
    """The standard error of the interval, or of the deciding test where that is larger: it may ask a wider question."""
    ends, value = headline.interval, headline.value
    if ends is None or value is None or ends.high <= ends.low:
        return None
    found = scale.slope(value) * (ends.high - ends.low) / 2 / critical_value(ends.level)
    p = headline.p_values[0]
    far = abs(scale.of_value(value))
    if p.alternative == "two-sided" and 0 < p.value <= _SURE_P and far > 0:
        found = max(found, far / normal_quantile(1 - p.value / 2))
    return found


def _cannot_reject(headline: Estimate, alpha: float) -> bool:
    """Whether an exact test of so many relabellings has no p of at most alpha."""
    p = headline.p_values[0]
    return p.kind == "exact" and p.n is not None and 1 / p.n > alpha


def _bound(measurement: Measurement) -> float | None:
    """The bound, where it is in the unit of the headline and around its neutral value."""
    stated = measurement.equivalence
    if stated is None or stated.of is None:
        return None
    of, headline = measurement.estimate(stated.of), measurement.headline
    return stated.bound if (of.unit, of.neutral) == (headline.unit, headline.neutral) else None


def _times(times: float) -> str:
    if times > MANY:
        return f"more than {MANY:g} times as many items"
    return f"about {max(times, 1.1):z.2g} times as many items"
