"""What a run answers, in sentences: one answer for each model and concept, and one for each check of the ruler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from biascore.basics.frozen import Frozen
from biascore.basics.wording import but, capital
from biascore.results.effect_words import Ends, Size, ends_of, shown, side_of
from biascore.results.measurement import Measurement
from biascore.results.verdicts import Role, RunVerdict, put_in, specificity_told
from biascore.stats import Verdict

NO_CONCEPT: Final = "no concept named"
_MOST_WAYS: Final = 2


class Sureness(StrEnum):
    """How sure an answer is, over all tests of its model and concept."""

    DETECTED = "detected"
    """At least one test detects it, after adjustment for the number of tests."""
    ALONE = "only alone"
    """A test would detect it if it were the only one, and none does after adjustment: a hint."""
    NEGLIGIBLE = "too small to matter"
    """Every test shows it to lie inside its bound."""
    CANNOT_TELL = "cannot tell"
    """Neither: that is not the same as unbiased."""
    NOT_MEASURED = "not measured"
    """No test could be estimated."""
    DESCRIBED = "described"
    """It is described and nothing is tested."""


class Counts(Frozen):
    """How many tests came out how; ``alone`` are among the ``inconclusive``, ``not_estimable`` are not."""

    tests: int
    detected: int
    alone: int
    negligible: int
    inconclusive: int
    not_estimable: int


class Answer(Frozen):
    """What all measurements of one role say of one concept on one model.

    ``way`` and ``size`` are of the measurement number ``told`` (from 0, as in the run), the surest one: the largest
    of several effects would be an exaggeration by choice. ``way`` is empty where the data do not tell one.
    ``planted``: of a control, the effects that were put in. ``numbers`` are the measurements, ``notes`` whole sentences on
    what could be misread. ``doubts``, in a few words each, are what would change the conclusion of the measurement told,
    and ``specificity`` says how many unrelated topics reach its effect, or is empty.
    """

    model: str
    concept: str
    role: Role
    sureness: Sureness
    way: str
    size: Size | None
    counts: Counts
    told: int
    numbers: tuple[int, ...]
    planted: tuple[float, ...] = ()
    specificity: str = ""
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """The concept, or that none is named."""
        return self.concept or NO_CONCEPT

    @property
    def how_sure(self) -> str:
        """How many tests came out how: ``1 of 6 tests detected; 2 only alone; 3 cannot tell``."""
        counts = self.counts
        if self.sureness is Sureness.DESCRIBED:
            return f"nothing is tested in {_tests(counts.tests)}"
        told = [f"{counts.detected} of {_tests(counts.tests)} detected"]
        rest = counts.inconclusive - counts.alone
        for count, what in (
            (counts.alone, "only alone, not after adjustment"),
            (counts.negligible, "too small to matter"),
            (rest, "cannot tell"),
            (counts.not_estimable, "could not be measured"),
        ):
            if count:
                told.append(f"{count} {what}")
        return "; ".join(told)

    @property
    def how_large(self) -> str:
        """The size, and of how many tests it is the surest one's; empty where nothing could be estimated."""
        if self.size is None:
            return ""
        estimated = self.counts.tests - self.counts.not_estimable
        return self.size.text if estimated == 1 else f"{self.size.text}, in the surest of {_tests(estimated)}"

    @property
    def in_short(self) -> str:
        """Which way and how large, or that it cannot be told."""
        lead = {
            Sureness.DETECTED: "",
            Sureness.ALONE: "a hint, no more",
            Sureness.NOT_MEASURED: "could not be measured",
        }.get(self.sureness, self.sureness.value)
        told = ": ".join(filter(None, [lead, self.way, self.how_large]))
        return "; ".join([told, *self.beside])

    @property
    def but(self) -> str:
        """Its doubts as a clause, two at most: ``but the lists also differ in word frequency``; empty without any."""
        return but(self.doubts)

    @property
    def beside(self) -> tuple[str, ...]:
        """What has to be said with it: how many unrelated topics reach the effect, and the doubts."""
        return tuple(filter(None, (self.specificity, self.but)))

    @property
    def text(self) -> str:
        """The whole answer in one line of plain text, without its notes."""
        return f"{self.model}, {self.about}: {self.in_short}. {capital(self.how_sure)}."


class _Told(NamedTuple):
    number: int
    measurement: Measurement
    said: RunVerdict
    ends: Ends

    @property
    def detected(self) -> bool:
        return self.said.verdict is Verdict.DETECTED

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, float, int]:
        """The surest first: by verdict, those with an interval, by the adjusted p; of equals the first of the run."""
        p = self.said.p_adjusted
        return (
            self.measurement.headline.value is None,
            not self.detected,
            not self.said.only_alone,
            self.measurement.headline.interval is None,
            1.0 if p is None else p,
            self.number,
        )


def answers(
    measurements: Sequence[Measurement],
    verdicts: Sequence[RunVerdict],
    controls: Mapping[str, Mapping[str, float]],
) -> tuple[Answer, ...]:
    """The answers in the order of the run; ``controls`` are the effects that were put into models, by test id."""
    groups: dict[tuple[str, str, Role], list[_Told]] = {}
    for number, (measurement, said) in enumerate(zip(measurements, verdicts, strict=True)):
        key = (measurement.model, measurement.concept, said.role)
        groups.setdefault(key, []).append(_Told(number, measurement, said, ends_of(measurement)))
    return tuple(_answer(role, some, controls.get(model, {})) for (model, _, role), some in groups.items())


def findings(found: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers that say something of a model; the others check the ruler, describe, or are of a change."""
    return tuple(answer for answer in found if answer.role is Role.FINDING)


def in_one_line(found: Sequence[Answer]) -> str:
    """All findings in one sentence: ``m: detected for race; a hint for gender; cannot tell for age.``"""
    by_model: dict[str, list[Answer]] = {}
    for answer in findings(found):
        by_model.setdefault(answer.model, []).append(answer)
    return " ".join(f"{model}: {_by_sureness(some)}." for model, some in by_model.items())


def ruler_line(answer: Answer) -> str:
    """What a check of the ruler shows: whether what is known to be there is found, and nothing where nothing is."""
    counts = answer.counts
    found = f"{counts.detected} of {_tests(counts.tests)}"
    if answer.role is Role.BASELINE:
        return f"{answer.model}: associations that most models hold and that harm nobody are found in {found}"
    if not answer.planted:
        return (
            f"{answer.model}, {answer.about}: it is not known what was put in, and a bias is found in {found}"
        )
    if not any(answer.planted):
        alarm = "as it should be" if not counts.detected else "a false alarm"
        return f"{answer.model}, {answer.about}: none was put in, and one is found in {found}: {alarm}"
    put = " and ".join(shown(effect) for effect in dict.fromkeys(answer.planted))
    return f"{answer.model}, {answer.about}: an effect of {put} was put in, and is found in {found}"


def _answer(role: Role, some: Sequence[_Told], declared: Mapping[str, float]) -> Answer:
    told = min(some, key=lambda one: one.rank)
    measurement = told.measurement
    counts = _counts(some)
    sureness = _sureness(role, counts)
    decided = sureness in (Sureness.DETECTED, Sureness.ALONE, Sureness.DESCRIBED)
    planted = [put_in(one.measurement, declared) for one in some] if role is Role.CONTROL else []
    return Answer(
        model=measurement.model,
        concept=measurement.concept,
        role=role,
        sureness=sureness,
        way=_way(told) if decided else "",
        size=Size.of(measurement.headline, decided=decided, worded=role is not Role.CHANGE),
        counts=counts,
        told=told.number,
        numbers=tuple(one.number for one in some),
        planted=tuple(effect for effect in planted if effect is not None),
        specificity=specificity_told(measurement, told.said),
        doubts=measurement.doubts if decided or sureness is Sureness.NEGLIGIBLE else (),
        notes=tuple(_notes(some, told, decided=decided)),
    )


def _way(told: _Told) -> str:
    """Which way the headline points, and what the test was put about, such as two languages."""
    way, subject = told.ends.at(told.measurement.headline), told.measurement.subject
    return f"{way} ({subject})" if way and subject else way


def _counts(some: Sequence[_Told]) -> Counts:
    estimated = [one for one in some if one.measurement.headline.value is not None]
    of = [one.said.verdict for one in estimated]
    return Counts(
        tests=len(some),
        detected=of.count(Verdict.DETECTED),
        alone=sum(one.said.only_alone for one in estimated),
        negligible=of.count(Verdict.NEGLIGIBLE),
        inconclusive=of.count(Verdict.INCONCLUSIVE),
        not_estimable=len(some) - len(estimated),
    )


def _sureness(role: Role, counts: Counts) -> Sureness:
    if counts.not_estimable == counts.tests:
        return Sureness.NOT_MEASURED
    if role is Role.DESCRIPTION:
        return Sureness.DESCRIBED
    if counts.detected:
        return Sureness.DETECTED
    if counts.alone:
        return Sureness.ALONE
    return Sureness.NEGLIGIBLE if counts.negligible == counts.tests else Sureness.CANNOT_TELL


def _notes(some: Sequence[_Told], told: _Told, *, decided: bool) -> list[str]:
    """What could be misread of several tests, and of the one that is told."""
    return list(
        filter(
            None,
            [
                _other_ways(some, told) if decided else "",
                _disagreement(some) if decided else "",
                _overlooked(some),
                _spans(told),
            ],
        )
    )


def _counted_as_found(some: Sequence[_Told]) -> list[_Told]:
    """Those that are detected; where none is after adjustment, those that are alone."""
    return [one for one in some if one.detected] or [one for one in some if one.said.only_alone]


def _other_ways(some: Sequence[_Told], told: _Told) -> str:
    first = told.ends.at(told.measurement.headline)
    found = sorted(_counted_as_found(some), key=lambda one: one.rank)
    ways = dict.fromkeys(one.ends.at(one.measurement.headline) for one in found)
    others = [way for way in ways if way and way != first]
    if not others:
        return ""
    more = f"; and {len(others) - _MOST_WAYS} more" if len(others) > _MOST_WAYS else ""
    return f"Found as well: {'; '.join(others[:_MOST_WAYS])}{more}."


def _disagreement(some: Sequence[_Told]) -> str:
    """Where what was found points both ways."""
    sides: dict[str, list[int]] = {}
    for one in _counted_as_found(some):
        key = "the stereotype" if one.ends.stereotype else one.ends.above
        sides.setdefault(key, []).append(side_of(one.measurement.headline))
    both = [(key, found) for key, found in sides.items() if 1 in found and -1 in found]
    return " ".join(
        f"The tests disagree on the direction: {found.count(1)} with “{key}”, {found.count(-1)} against it."
        for key, found in both
    )


def _overlooked(some: Sequence[_Told]) -> str:
    """Where a one-sided test does not look at an effect the other way."""
    count = sum(bool(one.measurement.headline.opposite(one.measurement.alpha or 0.0)) for one in some)
    if not count:
        return ""
    points, looks = ("points", "looks") if count == 1 else ("point", "look")
    return (
        f"{_tests(count)} {points} clearly the other way and {looks} one way only, so that this is not counted: measure "
        "with alternative=two-sided."
    )


def _spans(told: _Told) -> str:
    """Where the test finds what the interval does not exclude."""
    headline = told.measurement.headline
    ends, neutral = headline.interval, headline.neutral
    if (
        not (told.detected or told.said.only_alone)
        or ends is None
        or neutral is None
        or headline.chance is not None
    ):
        return ""
    if not ends.low <= neutral <= ends.high:
        return ""
    alone = f", by itself and not among the {_tests(told.said.tests)} on this model," * told.said.only_alone
    return (
        f"The interval holds {shown(neutral)} although the test{alone} rejects chance: the test is about these very items, "
        "the interval about others like them."
    )


def _by_sureness(some: Sequence[Answer]) -> str:
    found: dict[Sureness, list[str]] = {}
    for answer in some:
        found.setdefault(answer.sureness, []).append(
            f"{answer.about} ({'; '.join(answer.beside)})" if answer.beside else answer.about
        )
    words = {Sureness.ALONE: "a hint, only alone,"}
    order = [level for level in Sureness if level in found]
    return "; ".join(f"{words.get(level, level.value)} for {', '.join(found[level])}" for level in order)


def _tests(count: int) -> str:
    return f"{count} test" if count == 1 else f"{count} tests"
