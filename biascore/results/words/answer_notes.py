"""What could be misread of several measurements of one concept on one model, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from biascore.basics.wording import counted, shown
from biascore.results.measurement import Measurement
from biascore.results.verdicts import RunVerdict, State
from biascore.results.words.effects import Ends, side_of
from biascore.stats import Verdict

_MOST_DIRECTIONS: Final = 2
MUCH: Final = 0.1
"""A larger share of lost items is named in the answer."""


class Read(NamedTuple):
    """A measurement, its number in the run, what the run says of it, and what its sides mean."""

    number: int
    measurement: Measurement
    said: RunVerdict
    ends: Ends

    @property
    def state(self) -> State:
        """In one word."""
        return State.of(self.measurement, self.said)

    @property
    def detected(self) -> bool:
        """Whether it is significant after adjustment."""
        return self.said.verdict is Verdict.DETECTED

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, bool, float, int]:
        """The first represents its ground: by state, the lead test, with an interval, by the adjusted p, in order."""
        p = self.said.p_adjusted
        return (
            self.measurement.headline.value is None,
            not self.detected,
            not self.said.hint,
            not self.measurement.lead,
            self.measurement.headline.interval is None,
            1.0 if p is None else p,
            self.number,
        )


def _key(one: Read) -> tuple[str, str, str]:
    measurement = one.measurement
    return measurement.metric, measurement.test, measurement.subject


def counted_once(some: Sequence[Read]) -> Sequence[Read]:
    """The first of each metric, test and subject on a model: further option sets of these are no further evidence."""
    first = {_key(one): one for one in reversed(some)}
    return some if len(first) == len(some) else [one for one in some if first[_key(one)] is one]


def repeats(some: Sequence[Read]) -> str:
    """Which tests have several option sets, and whether these disagree; empty where none has."""
    of: dict[tuple[str, str, str], list[Read]] = {}
    for one in some:
        of.setdefault(_key(one), []).append(one)
    several = {key: made for key, made in of.items() if len(made) > 1}
    if not several:
        return ""
    apart = [made for made in several.values() if len({one.state for one in made}) > 1]
    if len(several) == 1:
        ((_, test, _), made), *_ = several.items()
        told = f"{test} has {len(made)} option sets and counts once, by the first"
        states = ", ".join(one.state.value for one in made)
        return f"{told}{f'; they disagree: {states}' if apart else ''}."
    sets = sum(map(len, several.values()))
    told = f"{len(several)} tests have {sets} option sets in all and count once, by the first"
    return f"{told}{f'; on {len(apart)} of them the option sets disagree' if apart else ''}."


def shown_by(some: Sequence[Read]) -> list[Read]:
    """Those that are detected; where none is, the hints."""
    return [one for one in some if one.detected] or [one for one in some if one.said.hint]


def dimensions_of(some: Sequence[Read]) -> tuple[str, ...]:
    """The dimensions on which an effect was found; none where a measurement with an effect is of a test of one."""
    found = [one.measurement.dimensions for one in shown_by(some)]
    return (
        tuple(dict.fromkeys(name for of in found for name, shown in of.items() if shown))
        if all(found)
        else ()
    )


def _elsewhere(some: Sequence[Read]) -> str:
    """Of tests of several dimensions, those on which no effect was found."""
    found = set(dimensions_of(some))
    every = dict.fromkeys(name for one in some for name in one.measurement.dimensions)
    rest = [name for name in every if name not in found]
    return f"Not shown: an effect of {', '.join(rest)}." if found and rest else ""


def notes_of(some: Sequence[Read], strongest: Read, *, decided: bool) -> list[str]:
    """What could be misread of several measurements, and of the strongest one."""
    return list(
        filter(
            None,
            [
                _same_direction(some, strongest) if decided else "",
                _other_directions(some, strongest) if decided else "",
                _disagreement(some) if decided else "",
                _elsewhere(some) if decided else "",
                _overlooked(some),
                _spans(strongest),
                _lost(strongest),
            ],
        )
    )


def _same_direction(some: Sequence[Read], strongest: Read) -> str:
    """How many measurements point the way of the strongest one, of those that can be compared with it."""
    if strongest.ends.stereotype:
        alike = [one for one in some if one.ends.stereotype]
    else:
        alike = [one for one in some if one.ends.above == strongest.ends.above]
    sides = [side for one in alike if (side := side_of(one.measurement.headline))]
    side = side_of(strongest.measurement.headline)
    if len(sides) < 2 or not side:
        return ""
    same = sides.count(side)
    way = "as the stereotype says" if strongest.ends.stereotype and side > 0 else "in this direction"
    others = len(some) - len(sides)
    rest = f" ({others} more cannot be compared with them)" if others else ""
    noun = "tests" if len({one.measurement.test for one in alike}) == len(alike) else "measurements"
    return f"{same} of {len(sides)} {noun} point {way}{rest}; by chance alone, about half would."


def _other_directions(some: Sequence[Read], strongest: Read) -> str:
    first = strongest.ends.at(strongest.measurement.headline)
    found = sorted(shown_by(some), key=lambda one: one.rank)
    directions = dict.fromkeys(one.ends.at(one.measurement.headline) for one in found)
    others = [one for one in directions if one and one != first]
    if not others:
        return ""
    more = f"; and {len(others) - _MOST_DIRECTIONS} more" if len(others) > _MOST_DIRECTIONS else ""
    return f"Also: {'; '.join(others[:_MOST_DIRECTIONS])}{more}."


def _disagreement(some: Sequence[Read]) -> str:
    """Where what was found points opposite ways: one of each."""
    found: dict[int, str] = {}
    for one in sorted(shown_by(some), key=lambda one: one.rank):
        found.setdefault(side_of(one.measurement.headline), one.measurement.test)
    if not {1, -1} <= found.keys():
        return ""
    return f"The tests point opposite ways: {found[1]} with its positive direction, {found[-1]} against it."


def _overlooked(some: Sequence[Read]) -> str:
    """Where a one-sided test does not look at an effect the other way."""
    count = sum(bool(one.measurement.headline.opposite(one.measurement.alpha or 0.0)) for one in some)
    if not count:
        return ""
    points = "points" if count == 1 else "point"
    return (
        f"{counted(count, 'measurement')} clearly {points} in the other direction, which a one-sided test does not count. "
        "Measure with alternative=two-sided."
    )


def _spans(strongest: Read) -> str:
    """Where the test rejects and the interval does not exclude the neutral value."""
    headline = strongest.measurement.headline
    ends, neutral = headline.interval, headline.neutral
    if (
        not (strongest.detected or strongest.said.hint)
        or ends is None
        or neutral is None
        or headline.chance is not None
        or not ends.low <= neutral <= ends.high
    ):
        return ""
    return f"The interval includes {shown(neutral)}: other words might show no effect."


def _lost(strongest: Read) -> str:
    """Where the effect is of far fewer items than were given."""
    coverage = strongest.measurement.coverage
    lost, given = len(coverage.missing), sum(coverage.given.values())
    return f"{lost:,} of {given:,} items could not be used." if lost > MUCH * given else ""
