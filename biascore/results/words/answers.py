"""What a run answers, in sentences: one answer for each model and concept, and one for each control and baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from biascore.basics.frozen import Frozen
from biascore.basics.wording import but, counted, figures, some_of, true_minus
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.verdicts import Role, RunVerdict, State, describe_bound, injected, note_of
from biascore.results.words.answer_notes import Read, counted_once, dimensions_of, notes_of, repeats, shown_by
from biascore.results.words.effects import Size, ends_of

NO_CONCEPT: Final = "no concept named"


class Counts(Frozen):
    """How many ``measurements``, of how many ``tests``, have which state.

    Of findings one counts once that was made with several option sets: by the first of the run.
    """

    tests: int
    measurements: int
    detected: int
    hint: int
    negligible: int
    inconclusive: int
    not_measured: int

    @property
    def states(self) -> tuple[str, ...]:
        """``0 detected``, ``3 hints``, ``14 inconclusive``: how many are detected, and the other states that there are."""
        hints = "hint" if self.hint == 1 else "hints"
        others = (
            (self.hint, hints),
            (self.negligible, State.NEGLIGIBLE.value),
            (self.inconclusive, State.INCONCLUSIVE.value),
            (self.not_measured, State.NOT_MEASURED.value),
        )
        return (f"{self.detected} detected", *(f"{count} {state}" for count, state in others if count))

    def of_state(self, state: State) -> int:
        """How many measurements have a state; all of them where nothing is tested."""
        if state is State.DESCRIBED:
            return self.measurements
        return {
            State.DETECTED: self.detected,
            State.HINT: self.hint,
            State.NEGLIGIBLE: self.negligible,
            State.INCONCLUSIVE: self.inconclusive,
            State.NOT_MEASURED: self.not_measured,
        }[state]

    @property
    def noun(self) -> str:
        """What is counted: tests, or measurements where several metrics measured a test."""
        return "test" if self.measurements == self.tests else "measurement"

    @property
    def of_tests(self) -> str:
        """``8 tests``, ``17 measurements of 8 tests``."""
        tests = counted(self.tests, "test")
        return tests if self.noun == "test" else f"{counted(self.measurements, 'measurement')} of {tests}"


class Spread(Frozen):
    """Estimates of one name and unit in ``count`` of ``of`` tests: their range, and that of their intervals."""

    name: str
    low: str
    high: str
    end_low: str
    end_high: str
    count: int
    of: int
    noun: str = "test"

    @property
    def brief(self) -> str:
        """``effect size d 0.36 to 1.02``."""
        low, high = (end.removesuffix(" %") for end in (self.low, self.high))
        return f"{self.name} {self.high}" if low == high else f"{self.name} {self.low} to {self.high}"

    @property
    def text(self) -> str:
        """``6 of 7 tests, effect size d 0.36 to 1.02``."""
        some = str(self.count) if self.count == self.of else f"{self.count} of {self.of}"
        return f"{some} {self.noun}s, {self.brief}"


class Answer(Frozen):
    """What all measurements of one role say of one concept on one model.

    ``direction`` and ``size`` are of the measurement number ``strongest`` (from 0, as in the run): of the lead test where
    that has the state of the answer, else of the strongest evidence; the largest effect would exaggerate by choice.
    ``direction`` is empty where the data do not decide one. ``spread`` are the effects of all that share its unit, where
    there are several. ``planted``: of a control, the effects injected. ``numbers`` are the measurements, ``notes`` whole
    sentences: the strongest one as it can be quoted, and what could be misread. ``doubts``, in a few words each, are
    caveats of the strongest one that would change its conclusion; ``note`` says of a single measurement what belongs with
    its state. ``first``: what to read before the effect, such as f_m of GEST, or empty; where it says that something was
    found, ``found_first`` is that alone and ``besides`` names the effect that the state is of. ``dimensions``: of
    tests of several, those with an effect. ``shown_by``: the tests that are detected, or else hints. ``lead``: the lead
    test with its state. ``shares``: of detected measurements those of harmless pairs, ``unshared`` how many have none
    because their metric compares with none. ``unreferenced``: how many are hints because there are no harmless groups.
    ``subject``: where a concept was measured for several, such as target languages, which it is; each has an answer.
    ``below``: what negligible means here, where that needs to be said. ``repeated``: which tests have several option sets,
    and whether these disagree.
    """

    model: str
    concept: str
    subject: str = ""
    role: Role
    state: State
    direction: str
    size: Size | None
    spread: Spread | None
    counts: Counts
    strongest: int
    numbers: tuple[int, ...]
    planted: tuple[float, ...] = ()
    note: str = ""
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    first: str = ""
    found_first: str = ""
    besides: str = ""
    dimensions: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    lead: str = ""
    shares: tuple[float, ...] = ()
    unshared: int = 0
    unreferenced: int = 0
    below: str = ""
    repeated: str = ""

    @property
    def about(self) -> str:
        """The dimensions on which an effect was found, else the concept, or that none is named; and the subject."""
        about = " and ".join(self.dimensions) or self.concept or NO_CONCEPT
        return f"{about} ({self.subject})" if self.subject else about

    @property
    def decided(self) -> bool:
        """Whether there is something to say of a direction: it is detected, a hint, or described."""
        return self.state in (State.DETECTED, State.HINT, State.DESCRIBED)

    @property
    def evidence(self) -> str:
        """How many measurements have which state: ``hint in 1 of 7 measurements; 6 inconclusive``."""
        counts = self.counts
        if self.state is State.DESCRIBED:
            return "nothing is tested"
        if counts.measurements == 1:
            return self.state.value
        of_state = counts.of_state(self.state)
        of = f"all {of_state}" if of_state == counts.measurements else f"{of_state} of {counts.measurements}"
        named = f" ({some_of(self.shown_by, 2)})" if self.shown_by else ""
        rest = [one for one in counts.states if not one.endswith(("detected", self.state, f"{self.state}s"))]
        return "; ".join([f"{self.state} in {of} {counts.noun}s{named}", *filter(None, [self.below]), *rest])

    @property
    def effect(self) -> str:
        """How large it is: of several measurements the range, and the one with the strongest evidence."""
        if self.size is None:
            return ""
        if self.spread is None:
            return self.size.text
        if not self.decided:
            return f"{self.spread.text}; intervals from {self.spread.end_low} to {self.spread.end_high}"
        return f"{self.spread.text}; strongest evidence: {self.size.text}"

    @property
    def but(self) -> str:
        """Its doubts as a clause, two at most: ``but the lists also differ in word frequency``; empty without any."""
        return but(self.doubts)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What has to be said with it: how many harmless pairs reach the effect, and the doubts."""
        return tuple(filter(None, (self.note, self.but)))

    @property
    def text(self) -> str:
        """The whole answer in one line of plain text, without its notes."""
        told = ": ".join(filter(None, [self.first, self.evidence, self.direction, self.effect]))
        return f"{self.model}, {self.about}: {'; '.join(filter(None, [told, self.lead, *self.caveats]))}."


def answers(
    measurements: Sequence[Measurement],
    verdicts: Sequence[RunVerdict],
    controls: Mapping[str, Mapping[str, float]],
) -> tuple[Answer, ...]:
    """The answers in the order of the run; ``controls`` are the effects injected into models, by test id.

    Of a control, tests with an injected bias, without one, and those for which it is not known have an answer each.
    """
    groups: dict[tuple[str, str, str, Role, bool | None], list[Read]] = {}
    subjects: dict[tuple[str, str], set[str]] = {}
    for one in measurements:
        subjects.setdefault((one.model, one.concept), set()).add(one.subject)
    for number, (measurement, said) in enumerate(zip(measurements, verdicts, strict=True)):
        effect = injected(measurement, controls.get(measurement.model, {}))
        biased = None if effect is None else effect != 0
        of = measurement.model, measurement.concept
        apart = len(subjects[of]) > 1 and "" not in subjects[of] and said.role is Role.FINDING
        subject = measurement.subject if apart else ""
        groups.setdefault((*of, subject, said.role, biased), []).append(
            Read(number, measurement, said, ends_of(measurement))
        )
    return tuple(
        _answer(role, some, controls.get(model, {}), subject)
        for (model, _, subject, role, _), some in groups.items()
    )


def findings(found: Iterable[Answer]) -> tuple[Answer, ...]:
    """The answers on models in use; the others check the tests, describe, or are of a change."""
    return tuple(answer for answer in found if answer.role is Role.FINDING)


def _answer(role: Role, every: Sequence[Read], declared: Mapping[str, float], subject: str) -> Answer:
    # Option sets are no further evidence of a bias; each of them is a check of the tests.
    some = every if role in (Role.CONTROL, Role.BASELINE) else counted_once(every)
    strongest = min(some, key=lambda one: one.rank)
    measurement = strongest.measurement
    counts = _counts(some)
    state = _state(role, counts)
    decided = state in (State.DETECTED, State.HINT, State.DESCRIBED)
    own = strongest.ends.at(measurement.headline) if measurement.leads and strongest.detected else ""
    # Harmless audits are of every measurement, and so is what is compared with them.
    detected = [one for one in every if one.detected]
    planted = [injected(one.measurement, declared) for one in some] if role is Role.CONTROL else []
    return Answer(
        model=measurement.model,
        concept=measurement.concept,
        subject=subject,
        role=role,
        state=state,
        direction=(strongest.ends.at(measurement.headline) if subject else _direction(strongest))
        if decided
        else "",
        size=Size.of(
            measurement.headline,
            decided=decided,
            worded=role is not Role.CHANGE and state is not State.HINT,
        ),
        spread=_spread(some, strongest, counts.noun),
        counts=counts,
        strongest=strongest.number,
        numbers=tuple(one.number for one in every),
        planted=tuple(effect for effect in planted if effect is not None),
        note=note_of(measurement, strongest.said) if len(some) == 1 else "",
        doubts=measurement.doubts if decided or state is State.NEGLIGIBLE else (),
        notes=(
            *filter(None, [measurement.quote]),
            *notes_of(some, strongest, decided=decided),
            *filter(None, [repeated := repeats(every) if some is not every else ""]),
        ),
        first=_first(every),
        found_first=_found_first(every) or own,
        besides=measurement.headline.name if _found_first(every) else "",
        dimensions=dimensions_of(some) if decided and role is Role.FINDING else (),
        shown_by=tuple(dict.fromkeys(one.measurement.test for one in shown_by(some)))
        if len(some) > 1
        else (),
        lead="; ".join(
            f"lead test {one.measurement.test}: {one.said.shown}" for one in some if one.measurement.lead
        )
        if len(some) > 1
        else "",
        shares=tuple(
            one.measurement.specificity.share or 1.0 for one in detected if one.measurement.specificity
        ),
        unshared=sum(one.measurement.specificity is None for one in detected),
        unreferenced=sum(one.said.no_reference for one in some),
        below=describe_bound(measurement) if state is State.NEGLIGIBLE else "",
        repeated=repeated,
    )


def _first(some: Sequence[Read]) -> str:
    """What to read before the effects, in words: its direction where all intervals agree, of several its range."""
    found = _firsts(some)
    if not found:
        return ""
    spread, one = _spread_of(found), Size.of(found[0])
    size = (
        f"{spread.brief}, where {found[0].neutral or 0:g} is no bias" if spread else one.named if one else ""
    )
    direction = _found_first(some)
    if direction and not spread:
        size = _with_interval(found[0])
    return f"{direction} ({size})" if direction else size


def _with_interval(one: Estimate) -> str:
    """``f_m 0.99, 95 % interval 0.95 to 1.00``."""
    value, low, high = one.texts()
    return f"{one.name} {value}" + (
        f", {100 * one.interval.level:g} % interval {low} to {high}" if one.interval else ""
    )


def _firsts(some: Sequence[Read]) -> list[Estimate]:
    return [first for one in some if (first := one.measurement.first) and first.value is not None]


def _found_first(some: Sequence[Read]) -> str:
    """What was found by what is read first, where all intervals agree on it."""
    sides = {_sure_side(one) for one in _firsts(some)}
    return sides.pop() if len(sides) == 1 else ""


def _sure_side(one: Estimate) -> str:
    """What the side of the neutral value means on which the whole interval lies; empty where it does not."""
    if one.sides is None or one.interval is None or one.neutral is None:
        return ""
    above, below = one.sides
    return above if one.interval.low > one.neutral else below if one.interval.high < one.neutral else ""


def _direction(one: Read) -> str:
    """The direction of the headline, and what the test was about, such as two languages."""
    direction, subject = one.ends.at(one.measurement.headline), one.measurement.subject
    return f"{direction}, {subject}" if direction and subject else direction


def _spread(some: Sequence[Read], strongest: Read, noun: str) -> Spread | None:
    """The effects that share name and unit with the strongest one; None of a single one."""
    head = strongest.measurement.headline
    return _spread_of([head, *(one.measurement.headline for one in some if one is not strongest)], noun)


def _spread_of(every: Sequence[Estimate], noun: str = "measurement") -> Spread | None:
    """The range of the estimates that share name and unit with the first; None of a single one."""
    estimated = [one for one in every if one.value is not None]
    alike = [one for one in estimated if (one.name, one.unit) == (every[0].name, every[0].unit)]
    values = [one.value for one in alike if one.value is not None]
    if len(values) < 2:
        return None
    ends = [end for one in alike if one.interval for end in (one.interval.low, one.interval.high)] or values
    end_low, end_high, low, high = (
        true_minus(text) for text in figures(min(ends), max(ends), min(values), max(values))
    )
    unit = " %" if every[0].unit == "%" else ""
    return Spread(
        name=every[0].name,
        low=low,
        high=f"{high}{unit}",
        end_low=end_low,
        end_high=f"{end_high}{unit}",
        count=len(values),
        of=len(estimated),
        noun=noun,
    )


def _counts(some: Sequence[Read]) -> Counts:
    states = [one.state for one in some]
    return Counts(
        tests=len({one.measurement.test for one in some}),
        measurements=len(some),
        detected=states.count(State.DETECTED),
        hint=states.count(State.HINT),
        negligible=states.count(State.NEGLIGIBLE),
        inconclusive=states.count(State.INCONCLUSIVE),
        not_measured=states.count(State.NOT_MEASURED),
    )


def _state(role: Role, counts: Counts) -> State:
    if counts.not_measured == counts.measurements:
        return State.NOT_MEASURED
    if role is Role.DESCRIPTION:
        return State.DESCRIBED
    if counts.detected:
        return State.DETECTED
    if counts.hint:
        return State.HINT
    all_negligible = counts.negligible == counts.measurements
    return State.NEGLIGIBLE if all_negligible else State.INCONCLUSIVE
