"""The result of a run in sentences: what was shown of each model, and whether the tests found what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from biascore.basics.wording import capital, counted, shown, some_of
from biascore.results.harmless import HarmlessAudits, Shared
from biascore.results.measurement import Measurement
from biascore.results.sensitivity import Sensitivity
from biascore.results.verdicts import Role, State
from biascore.results.words.answers import Answer, Counts, findings
from biascore.results.words.effects import Size, describe_scale, moved


def by_model(found: Iterable[Answer]) -> dict[str, list[Answer]]:
    """The findings of each model, in the order of the run."""
    of: dict[str, list[Answer]] = {}
    for answer in findings(found):
        of.setdefault(answer.model, []).append(answer)
    return of


def shared_of(some: Iterable[Answer]) -> Shared:
    """What of the answers of one model was detected by comparison with harmless groups."""
    shares = [share for one in some for share in one.shares]
    return Shared(len(shares), min(shares, default=1.0))


def exceeds_harmless(some: Sequence[Answer], audits: HarmlessAudits | None) -> bool:
    """Whether something was detected on a model, and more than harmless groups give where it is compared with these."""
    found = [one for one in some if one.state is State.DETECTED]
    if any(one.unshared for one in found):
        return True
    return bool(found) and (audits is None or audits.exceeds(shared_of(some)))


def total(some: Iterable[Answer]) -> Counts:
    """The counts of some answers together; a test that was measured on several models counts once for each."""
    counts = [one.counts for one in some]
    return Counts(**{name: sum(getattr(one, name) for one in counts) for name in Counts.model_fields})


def noun_of(some: Sequence[Answer]) -> str:
    """What their counts are of: tests of one model, or measurements."""
    return total(some).noun if len({one.model for one in some}) == 1 else "measurement"


def counts_line(some: Sequence[Answer], failed: int = 0) -> str:
    """How many tests have which state: ``8 tests: 0 detected, 3 hints, 5 inconclusive``."""
    counts, noun = total(some), noun_of(some)
    if counts.measurements + failed == 1:
        return f"1 {noun}: {some[0].state.value if some else 'failed'}"
    # A failed measurement may be the only one of its test: then tests are not counted.
    of = counts.of_tests
    if failed or noun != counts.noun:
        of = counted(counts.measurements + failed, "measurement")
    return f"{of}: {', '.join([*counts.states, *([f'{failed} failed'] if failed else [])])}"


def hint_line(found: Sequence[Answer]) -> str:
    """What a hint is, where there is one; else an empty text."""
    if not any(one.counts.hint for one in findings(found)):
        return ""
    return (
        "Hint: may be luck among many tests, or what harmless groups show too; its row or details say which."
    )


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


_KINDS: Final = ("known bias found", "false alarm", "harmless associations found")


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


def check_sums(found: Sequence[Answer]) -> list[tuple[bool | None, str]]:
    """What each kind of check came to, in a few words, and whether it came out as it should; None: not known.

    Of a control whose effect in a test is not stated nothing is checked.
    """
    kinds: dict[str, list[Check]] = {}
    for check in checks_of(found):
        one = check.answer
        if one.role is Role.CONTROL and not one.planted:
            continue
        kind = _KINDS[2] if one.role is Role.BASELINE else _KINDS[not any(one.planted)]
        kinds.setdefault(kind, []).append(check)
    sums = []
    for kind, some in sorted(kinds.items(), key=lambda one: _KINDS.index(one[0])):
        hits = sum(one.answer.counts.detected + one.answer.unreferenced for one in some)
        every = sum(one.answer.counts.measurements for one in some)
        passed = [one.passed for one in some]
        alarms = counted(hits, kind) if hits else f"no {kind}"
        told = f"{alarms} in {every}" if kind == "false alarm" else f"{kind} {hits}/{every}"
        sums.append((False if False in passed else None if None in passed else True, told))
    return sums


def missed_line(found: Sequence[Answer], seen: Sequence[Sensitivity | None] = ()) -> str:
    """That the tests failed a check, which comes before every result; empty where they did not.

    ``seen``: by measurement, which effects an inconclusive one often misses, so that a control below that is no surprise.
    """
    failed = [one for one in checks_of(found) if one.passed is False]
    if not failed:
        return ""
    so = dict.fromkeys(_so(one.answer) for one in failed)
    lines = [f"{one.line}{_out_of_sight(one.answer, seen)}" for one in failed]
    return f"The tests failed a check. {'; '.join(lines)}. {' '.join(so)}"


def _out_of_sight(answer: Answer, seen: Sequence[Sensitivity | None]) -> str:
    """Which effects such tests often miss, where that explains why a known one was missed."""
    own = [seen[number] for number in answer.numbers] if seen else []
    least = [one.smallest for one in own if one is not None and one.smallest is not None]
    if not any(answer.planted) or not least or max(map(abs, answer.planted)) >= min(least):
        return ""
    return f", where effects below {shown(min(least))} are often missed"


def _so(answer: Answer) -> str:
    """What follows from a check that failed."""
    if answer.role is Role.CONTROL and not any(answer.planted):
        return "So what is detected here may be a false alarm too."
    return "So nothing here shows that a model has no bias."


def _check(answer: Answer) -> Check:
    """What a control or a baseline shows. Where there are no harmless groups, a control checks the p-value alone."""
    counts, where = answer.counts, f"({answer.model}; {answer.about})"
    every = counted(counts.measurements, "measurement")
    of = f"detected in {counts.detected} of {every}"
    if answer.unreferenced:
        of += f", in {answer.unreferenced} more by the p-value alone (no harmless groups)"
    found = counts.detected + answer.unreferenced
    if answer.role is Role.BASELINE:
        # A hint is not detected, and no failure either; what was not measured checks nothing.
        failed = not found and not counts.hint and counts.not_measured < counts.measurements
        passed = True if found else False if failed else None
        return Check(answer, f"Harmless associations that most models have ({answer.model}): {of}", passed)
    if not answer.planted:
        return Check(answer, f"Unknown injected bias {where}: {of}", None)
    if not any(answer.planted):
        return Check(
            answer, f"No bias injected {where}: {of}, {'a' if found else 'no'} false alarm", not found
        )
    put = " and ".join(shown(effect) for effect in dict.fromkeys(answer.planted))
    if not found:
        of_all = f"all {every}" if counts.measurements > 1 else every
        return Check(answer, f"A bias of {put} was missed in {of_all} {where}", passed=False)
    missed = counts.measurements - found
    more = f", missed in {missed}" if missed else ""
    return Check(answer, f"Known bias of {put} {where}: {of}{more}", not missed)
