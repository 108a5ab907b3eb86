"""An estimate in words: in which direction it points, how large it is, and how large it could be."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from biascore.basics.frozen import Frozen
from biascore.basics.wording import equal, figures, shown, true_minus
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement

SIZES: Final[Mapping[str, tuple[tuple[float, str], ...]]] = {
    "standard deviations": ((0.2, "very small"), (0.5, "small"), (0.8, "medium"), (math.inf, "large")),
    "Pearson's r": ((0.1, "very small"), (0.3, "small"), (0.5, "medium"), (math.inf, "large")),
}
"""The words of Cohen (1988) for an effect below each limit, by unit; a unit that has no such convention has no words."""

_CONGRUENT: Final = "(stereotype-congruent)"
_FOUR: Final = re.compile(
    r"(?P<x>[^,]+) with (?P<a>[^,]+), (?P<y>[^,]+) with (?P<b>[^,:(]+?)(?P<words> words)?(?P<rest>[:(].*)?"
)


class Lists(NamedTuple):
    """What the lists of an association test represent: X with A, and Y with B."""

    x: str
    a: str
    y: str
    b: str


class Ends(NamedTuple):
    """What a value above and below the neutral one means, in words; empty where that side says nothing.

    ``stereotype``: whether what is above is a stereotype, so that what is below is against it.
    """

    above: str
    below: str
    stereotype: bool

    def at(self, estimate: Estimate) -> str:
        """What the value means: empty where it is neutral, missing, or no side of it has a meaning."""
        side = side_of(estimate)
        return self.above if side > 0 else self.below if side < 0 else ""


def side_of(estimate: Estimate) -> int:
    """1 above the neutral value, -1 below it, 0 at it or where there is none or only a distance from it."""
    if estimate.value is None or estimate.neutral is None or estimate.chance is not None:
        return 0
    if equal(estimate.value, estimate.neutral):
        return 0
    return 1 if estimate.value > estimate.neutral else -1


def lists_of(positive_means: str) -> Lists | None:
    """The lists of ``x with a, y with b``, as tests of association say what a positive value means."""
    found = _FOUR.fullmatch(positive_means.replace(_CONGRUENT, "").strip())
    if found is None:
        return None
    words = found["words"] or ""
    x, a, y, b = (found[name].strip() for name in "xayb")
    return Lists(x, f"{a}{words}", y, f"{b}{words}")


def ends_of(measurement: Measurement) -> Ends:
    """What lies on both sides of the neutral value of the headline."""
    if measurement.headline.sides is not None:
        return Ends(*measurement.headline.sides, stereotype=False)
    stereotype = _CONGRUENT in measurement.positive_means
    above = measurement.positive_means.replace(_CONGRUENT, "").strip()
    if measurement.negative_means:
        return Ends(above, measurement.negative_means, stereotype)
    lists = lists_of(above)
    if lists is None:
        return Ends(above, "", stereotype)
    return Ends(
        f"{lists.x} with {lists.a}, {lists.y} with {lists.b}",
        f"{lists.x} with {lists.b}, {lists.y} with {lists.a}",
        stereotype,
    )


class Size(Frozen):
    """How large an estimate is: ``word`` by the convention of its unit, or empty; its value, and its interval.

    ``named`` is the value with its name, ``interval`` the interval, or empty.
    """

    word: str
    name: str
    value: float
    low: float | None
    high: float | None
    level: float | None
    named: str
    interval: str

    @classmethod
    def of(cls, estimate: Estimate, *, decided: bool = True, worded: bool = True) -> Size | None:
        """None where nothing could be estimated.

        Where it is not ``decided`` that there is an effect, its value has no word. Without
        ``worded`` nothing has a word, as for a change of an effect.
        """
        if estimate.value is None:
            return None
        steps = SIZES.get(estimate.unit, ()) if worded and estimate.neutral is not None else ()
        ends = estimate.interval
        return cls(
            word=_word(estimate.value, estimate, steps) if decided else "",
            name=estimate.name,
            value=estimate.value,
            low=ends.low if ends else None,
            high=ends.high if ends else None,
            level=ends.level if ends else None,
            named=f"{estimate.name} = {true_minus(estimate.texts().value)}{_unit(estimate)}{_reference(estimate)}",
            interval=_interval(estimate, decided=decided),
        )

    @property
    def text(self) -> str:
        """All of it: ``large, effect size d = 1.06 (95 % interval 0.27 to 1.44)``."""
        value = f"{self.word}, {self.named}" if self.word else self.named
        return f"{value} ({self.interval or 'no interval'})"


def describe_change(name: str, before: float, after: float, neutral: float = 0.0) -> str:
    """``effect size d decreased from 1.70 to 0.46``: further from no bias is increased, nearer to it decreased."""
    old, new = before - neutral, after - neutral
    if equal(before, after):
        return f"{name} is unchanged at {shown(after)}"
    first, last = (true_minus(text) for text in figures(before, after))
    how = "changed sign" if old * new < 0 else "increased" if abs(new) > abs(old) else "decreased"
    return f"{name} {how} from {first} to {last}"


def moved(measurement: Measurement) -> str:
    """What a measurement of a change says of each estimate that it has before and after; empty of any other."""
    if not measurement.change_from:
        return ""
    known = {one.name: one for one in measurement.estimates}
    told = []
    for name, before in known.items():
        after = known.get(f"{name.removesuffix(' before')} after")
        if name.endswith(" before") and after and before.value is not None and after.value is not None:
            neutral = before.neutral or 0.0
            told.append(describe_change(name.removesuffix(" before"), before.value, after.value, neutral))
    return "; ".join(told)


def describe_scale(estimate: Estimate) -> str:
    """How to read its values: what is no bias, and the words for sizes; empty where neither is known."""
    if estimate.neutral is None:
        return ""
    if estimate.chance is not None:
        return f"{estimate.name}: chance alone gives {shown(estimate.chance)} on average"
    steps = SIZES.get(estimate.unit, ())
    words = [f"{limit:g} {word}" for (limit, _), (_, word) in pairwise(steps)]
    sizes = f"; from {', '.join(words)} (Cohen)" if words else ""
    return f"{estimate.name}: {estimate.neutral:g}{_unit(estimate)} is no bias{sizes}"


def _unit(estimate: Estimate) -> str:
    return " %" if estimate.unit == "%" else ""


def _reference(estimate: Estimate) -> str:
    """What the value would be without bias, where that is not 0."""
    if estimate.chance is not None:
        return f", where chance alone gives {shown(estimate.chance)} on average"
    return f", where {estimate.neutral:g}{_unit(estimate)} is no bias" if estimate.neutral else ""


def _word(value: float, estimate: Estimate, steps: tuple[tuple[float, str], ...]) -> str:
    away = abs(value - (estimate.neutral or 0.0))
    return next((word for limit, word in steps if away < limit), "")


def _interval(estimate: Estimate, *, decided: bool) -> str:
    """The interval, and that it decides no direction where that is so."""
    ends = estimate.interval
    if ends is None:
        return ""
    _, first, last = estimate.texts()
    text = true_minus(f"{100 * ends.level:g} % interval {first} to {last}{_unit(estimate)}")
    neutral = estimate.neutral
    if decided or neutral is None or estimate.chance is not None or not ends.low < neutral < ends.high:
        return text
    return f"{text}: could go either way"
