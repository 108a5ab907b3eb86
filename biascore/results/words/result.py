"""The result of a run in sentences: what was shown of each model, and whether the tests found what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final, NamedTuple

from biascore.basics.wording import capital, counted, shown, some_of
from biascore.results.failure import Failure
from biascore.results.harmless import HarmlessAudits, Shared
from biascore.results.measurement import Measurement
from biascore.results.verdicts import Role, State
from biascore.results.words.answers import Answer, Counts, findings
from biascore.results.words.effects import Size, describe_scale, moved

MOST_MODELS: Final = 3
"""More models than these share one sentence."""


def by_model(found: Iterable[Answer]) -> dict[str, list[Answer]]:
    """The findings of each model, in the order of the run."""
    of: dict[str, list[Answer]] = {}
    for answer in findings(found):
        of.setdefault(answer.model, []).append(answer)
    return of


def result_lines(
    found: Sequence[Answer], failed: Sequence[Failure] = (), harmless: Sequence[HarmlessAudits] = ()
) -> tuple[str, ...]:
    """The result in a sentence for each model; of many models, one sentence for all."""
    of, audits = by_model(found), {one.model: one for one in harmless}
    known = {answer.model for answer in found}
    lost = [one.model for one in failed if one.model not in known]
    if len(of) + len(set(lost)) <= MOST_MODELS:
        return (
            *(
                f"{_result(model, some, audits.get(model))}. "
                f"{counts_line(some, sum(one.model == model for one in failed))}."
                for model, some in of.items()
            ),
            *(
                f"{model} was not measured: {counted(lost.count(model), 'measurement')} failed."
                for model in dict.fromkeys(lost)
            ),
        )
    detected = [model for model, some in of.items() if _exceeds_harmless(some, audits.get(model))]
    least = f"Bias was detected in {len(detected)} of {len(of)} models"
    every = counts_line(findings(found), sum(one.model in of or one.model in lost for one in failed))
    return (f"{least}{': ' if detected else ''}{', '.join(detected)}. {every}.",)


def shared_of(some: Iterable[Answer]) -> Shared:
    """What of the answers of one model was detected by comparison with harmless groups."""
    shares = [share for one in some for share in one.shares]
    return Shared(len(shares), min(shares, default=1.0))


def _exceeds_harmless(some: Sequence[Answer], audits: HarmlessAudits | None) -> bool:
    """Whether something was detected on a model, and more than harmless groups give where it is compared with these."""
    if any(one.unshared for one in some):
        return True
    return any(one.state is State.DETECTED for one in some) and (
        audits is None or audits.exceeds(shared_of(some))
    )


def counts_line(some: Sequence[Answer], failed: int = 0) -> str:
    """How many measurements of how many tests have which state: ``17 measurements of 8 tests: 0 detected, 3 hints``."""
    counts = _total([one.counts for one in some])
    states = [*counts.states, *([f"{failed} failed"] if failed else [])]
    # Several models share tests, and a failed measurement may be the only one of its test: then tests are not counted.
    if counts.measurements + failed == 1:
        return f"1 measurement: {some[0].state.value if some else 'failed'}"
    one_model = len({one.model for one in some}) == 1
    of = counts.of_tests if one_model and not failed else counted(counts.measurements + failed, "measurement")
    return f"{of}: {', '.join(states)}"


def hint_line(found: Sequence[Answer]) -> str:
    """What a hint is, where there is one; else an empty text."""
    if not any(one.counts.hint for one in findings(found)):
        return ""
    return "A hint is significant by itself, but not after adjustment, or harmless groups reach it too: its row says which."


def scale_lines(measurements: Iterable[Measurement], found: Sequence[Answer]) -> tuple[str, ...]:
    """How to read the effects of models in use: what is no bias, and which sizes have a word; one line an estimate."""
    shown_numbers = {number for one in findings(found) for number in one.numbers}
    estimates = [
        estimate
        for number, measurement in enumerate(measurements)
        for estimate in (measurement.first, measurement.headline)
        if estimate is not None and number in shown_numbers
    ]
    return tuple(dict.fromkeys(filter(None, map(describe_scale, estimates))))


def quote_lines(measurements: Iterable[Measurement], found: Sequence[Answer]) -> tuple[str, ...]:
    """What can be quoted of models in use: a sentence for each answer whose strongest measurement has one."""
    run = list(measurements)
    return tuple(f"{one.model}: {said}" for one in findings(found) if (said := run[one.strongest].quote))


def longer_lines(measurements: Iterable[Measurement], found: Sequence[Answer]) -> tuple[str, ...]:
    """Which longer tests could decide what is inconclusive on models in use: one line for all, by ground."""
    run = list(measurements)
    measured = {one.test for one in run}
    longer: dict[str, list[str]] = {}
    languages = set()
    for answer in findings(found):
        for number in answer.numbers if answer.counts.inconclusive else ():
            unmeasured = [test for test in run[number].longer if test not in measured]
            longer.setdefault(answer.about, []).extend(unmeasured)
            languages |= {run[number].language} if unmeasured else set()
    grounds = {about: list(dict.fromkeys(tests)) for about, tests in longer.items() if tests}
    if not grounds:
        return ()
    told = "; ".join(f"{about}: {some_of(tests, 2)}" for about, tests in grounds.items())
    commands = (
        "biascore audit REF" if one == "en" else f"biascore audit REF --language {one}"
        for one in sorted(languages)
    )
    return (f"Longer tests see smaller effects ({told}). Run them with: {', '.join(commands)}",)


def lost_lines(measurements: Iterable[Measurement], found: Sequence[Answer]) -> tuple[str, ...]:
    """That a list was lost in whole, for each model in use: how often, for which concepts, and why, by the first of them."""
    run, lines = list(measurements), []
    for model, some in by_model(found).items():
        lost = {
            one.about: [run[number] for number in one.numbers if _lost_a_list(run[number])] for one in some
        }
        every = [measurement for several in lost.values() for measurement in several]
        if not every:
            continue
        many = sum(len(one.numbers) for one in some)
        concepts = ", ".join(f"{about} {len(several)}" for about, several in lost.items() if several)
        of = f"{len(every)} of {many} measurements on {model} lost a list in whole ({concepts}), such as "
        lines.append(
            f"{of if many > 1 else ''}{every[0].test}{'' if many > 1 else f' on {model}'}: {every[0].reason}"
        )
    return tuple(lines)


def _lost_a_list(measurement: Measurement) -> bool:
    return measurement.headline.value is None and bool(
        measurement.alpha and measurement.coverage.wholly(None)
    )


def change_lines(measurements: Iterable[Measurement]) -> tuple[str, ...]:
    """What each transform did to the effects of each test, with the interval of the change."""
    return tuple(
        f"{one.test} on {one.model}: {told} ({size.text})"
        for one in measurements
        if (told := moved(one)) and (size := Size.of(one.headline, worded=False))
    )


class Check(NamedTuple):
    """What a control, a baseline or harmless groups show of the tests: a sentence, and whether it came out as it should.

    ``passed`` is None where that is not known.
    """

    answer: Answer
    line: str
    passed: bool | None


def checks_of(found: Sequence[Answer], harmless: Sequence[HarmlessAudits] = ()) -> tuple[Check, ...]:
    """What harmless groups, controls and baselines show of the tests."""
    of = by_model(found)
    audits = (
        Check(of[one.model][0], f"{capital(one.told(shared_of(of[one.model])))} ({one.model})", None)
        for one in harmless
        if one.model in of
    )
    others = (_check(one) for one in found if one.role in (Role.CONTROL, Role.BASELINE))
    return (*audits, *others)


def missed_line(found: Sequence[Answer]) -> str:
    """That a known bias was missed, which comes before every result; empty where none was."""
    missed = [
        one for one in checks_of(found) if one.answer.planted and any(one.answer.planted) and not one.passed
    ]
    if not missed:
        return ""
    known = "; ".join(one.line.removeprefix("Known bias of ") for one in missed)
    return f"A known bias was missed: {known}. So nothing here shows that a model has no such bias."


def _check(answer: Answer) -> Check:
    """What a control or a baseline shows. Where there are no harmless groups, a control checks the p-value alone."""
    counts, where = answer.counts, f"({answer.model}; {answer.about})"
    of = f"detected in {counts.detected} of {counted(counts.measurements, 'measurement')}"
    if answer.unreferenced:
        of += f", in {answer.unreferenced} more by the p-value alone (no harmless groups)"
    if answer.role is Role.BASELINE:
        return Check(answer, f"Harmless associations that most models have ({answer.model}): {of}", None)
    if not answer.planted:
        return Check(answer, f"Unknown injected bias {where}: {of}", None)
    found = counts.detected + answer.unreferenced
    if not any(answer.planted):
        return Check(
            answer, f"No bias injected {where}: {of}, {'a' if found else 'no'} false alarm", not found
        )
    put = " and ".join(shown(effect) for effect in dict.fromkeys(answer.planted))
    missed = counts.measurements - found
    more = f", missed in {missed}" if missed else ""
    return Check(answer, f"Known bias of {put} {where}: {of}{more}", not missed)


_BESIDES: Final = {
    State.NEGLIGIBLE: "is negligible",
    State.INCONCLUSIVE: "is inconclusive: neither an effect nor its absence was shown",
    State.NOT_MEASURED: "was not measured",
}
"""What is said next to a detected bias, where "no bias was found" would be wrong."""


def _result(model: str, some: Sequence[Answer], audits: HarmlessAudits | None) -> str:
    """The result on a model, after what has to be read before it, such as f_m of GEST."""
    first = "; ".join(one.first for one in some if one.first)
    if all(one.besides and one.state in _BESIDES for one in some):
        besides = (f"the {one.besides} {_BESIDES[one.state]}" for one in some)
        return f"{model}: {first}. In addition, {_and(list(dict.fromkeys(besides)))}"
    shown_of = _shown(model, some, audits)
    return f"{model}: {first}. {shown_of}" if first else shown_of


def _shown(model: str, some: Sequence[Answer], audits: HarmlessAudits | None) -> str:
    """Whether bias was shown, and what."""
    of: dict[State, list[Answer]] = {}
    for one in some:
        of.setdefault(one.state, []).append(one)
    if State.DETECTED in of:
        return _detected(model, of[State.DETECTED], audits)
    if of.keys() == {State.NOT_MEASURED}:
        return f"{model} was not measured"
    if of.keys() <= {State.NEGLIGIBLE, State.NOT_MEASURED}:
        below = dict.fromkeys(one.below or "negligible" for one in of[State.NEGLIGIBLE])
        return f"Any bias in {model} is {_and(list(below))}"
    hints = f"; there are hints for {_and([one.about for one in of[State.HINT]])}" if State.HINT in of else ""
    ruled_out = "" if sum(one.counts.negligible for one in some) else ", and none was ruled out"
    return f"No bias was shown in {model}{ruled_out}{hints}"


def _detected(model: str, some: Sequence[Answer], audits: HarmlessAudits | None) -> str:
    """What was detected: what is sure, what only test by test, or that harmless groups give as much."""
    if audits is None:
        return f"Bias was detected in {model}: {', '.join(map(_describe, some))}"
    found = shared_of(some)
    exceeds = audits.exceeds(found)
    sure = [
        one
        for one in some
        if one.unshared or (exceeds and audits.exceeds_harmless(min(one.shares, default=1.0)))
    ]
    others = [one for one in some if one not in sure]
    counts = (
        f" ({found.many} of {counted(audits.tests, 'test')}; harmless groups give {audits.brief})"
        if found.many
        else ""
    )
    often = ceil(
        100 * audits.p_value(found)
    )  # by which it was decided; a check says how many have the number alone
    rank = f"{often} of 100 harmless audits are as unusual, by number or smallest share"
    as_much = f"no more than harmless groups give ({rank})"
    if not exceeds and not sure:
        were = "was" if found.many == 1 else "were"
        grounds = _and([one.about for one in others])
        return f"{found.many} of {counted(audits.tests, 'test')} {were} detected in {model} ({grounds}), {as_much}"
    parts = [f"sure: {', '.join(map(_describe, sure))}"] if sure else []
    if others:
        how = "detected test by test" if exceeds else as_much
        parts.append(f"{how}: {_and([one.about for one in others])}")
    return f"Bias was detected in {model}{counts}: {'; '.join(parts)}"


def _describe(one: Answer) -> str:
    """A ground with its direction and size."""
    return (
        f"{one.about} ({'; '.join(filter(None, [one.direction, _word(one)]))})"
        if one.direction
        else one.about
    )


def _word(answer: Answer) -> str:
    return answer.size.word if answer.size else ""


def _total(some: Sequence[Counts]) -> Counts:
    """The sum; a test belongs to one concept, so tests of several models are counted once for each model."""
    return Counts(**{name: sum(getattr(one, name) for one in some) for name in Counts.model_fields})


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
