"""A run in three sentences, for somebody who quotes it: what was measured, what came out, and what this does not say.

They are made from states and counts by rule, so that they claim no more than the tables, and each has at most 35 words: what
does not fit is said in fewer words, never cut.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence, Sized
from itertools import product
from operator import itemgetter
from typing import Final, TypeAlias

from biascore.audits.next_steps import strongest
from biascore.audits.untested import untested
from biascore.basics.wording import and_more, capital, counted, shown, true_minus
from biascore.results.failure import Failure
from biascore.results.rows import Axis, test_row
from biascore.results.run import Run
from biascore.results.untested import Covered, Untested
from biascore.results.verdicts import State
from biascore.results.words.answers import NO_CONCEPT, Answer, Counts, findings
from biascore.results.words.result import check_sums, missed_line, noun_of, total
from biascore.results.words.sentence import result_of

MOST_WORDS: Final = 35
_NAMED: Final = 3
_LONGEST_NAMES: Final = 10
"""Models whose names have more words than these are counted."""
_DETECTED: Final = re.compile(r"(?<=No clear bias: )detected on .*?, but ")
"""How many tests are detected is among the counts."""
_COUNTED: Final = re.compile(r"; \d+ (?:not measured|measurements? failed)")


def three_sentences(run: Run) -> tuple[str, str, str]:
    """What was measured, what was detected or not and what was not decided, and what that says nothing of."""
    own, found = findings(run.answers), untested(run)
    return _measured(run, own, found), _came_out(run, own, found), _unsaid(run, own, found)


def _measured(run: Run, own: Sequence[Answer], found: Untested) -> str:
    """Which models, by how many tests of which grounds, and how much of that could not be measured."""
    if not found.models:
        if run.controls:
            return (
                f"Only {counted(len(run.controls), 'model')} with a known bias {_was(run.controls)} measured."
            )
        return "No model was tested for bias."
    counts, failed, several = total(own), len(_failed(run)), len(found.models) > 1
    every, made = counts.measurements + failed, counts.measurements - counts.not_measured
    tests = len({run[number].test for one in own for number in one.numbers})
    asked = counted(every, "measurement" if failed else noun_of(own))
    if not failed and noun_of(own) == "measurement":
        asked = f"{counted(tests, 'test')} ({asked})"
    names = [_concept(one) for one in own]
    grounds = list(dict.fromkeys(names)) if several else names
    of = f" of {counted(len(grounds), 'ground')}" if grounds else ""
    named = [f" ({and_more(grounds, most)})" for most in range(_NAMED, 0, -1)] if grounds else []
    how = "measured with" if made == every else "asked for" if failed else "asked"
    end = ""
    if made < every:
        end = (
            f", of which {made} {'was' if made == 1 else 'were'} measured"
            if made
            else ", and none was measured"
        )
    empty = [one for one in found.models if made and not _any_measured(own, one)]
    nothing = [f"; nothing on {one}" for one in (and_more(empty, _NAMED), _models(empty))] if empty else [""]
    return _fitting(
        _costing(_who(found.models, run), _models(found.models), each=4),
        [(f" {_was(found.models)} {how} {asked}{of}", 0)],
        _costing(*named, ""),
        [(end, 0)],
        _costing(*nothing),
    )


def _came_out(run: Run, own: Sequence[Answer], found: Untested) -> str:
    """The result as the first screen has it, how many tests have which state, the strongest effect, and the rules."""
    if not found.models:
        checks = ", ".join(told for _, told in check_sums(run.answers))
        said = (
            f"This checks the tests alone: {checks}"
            if checks
            else "Nothing was detected, and nothing was ruled out"
        )
        return f"{said}{_rules(run)}."
    counts, failed = total(own), _failed(run)
    if counts.measurements == counts.not_measured:
        return f"Nothing was detected, and nothing was ruled out{_rules(run)}."
    checked = bool(missed_line(run.answers))
    results = [result_of(run.answers, failed, run.harmless, most) for most in (24, 18, 12, 0)]
    # What was not measured is among the counts.
    told = [_COUNTED.sub("", one.text.rstrip(".")) for one in results]
    told.append(_DETECTED.sub("", told[-1]))
    ways = _costing(*(one[:1].lower() + one[1:] if checked else one for one in told))
    ways.append((_in_short(own, told[-1], biased=results[0].biased), 20))
    of = counted(counts.measurements + len(failed), "measurement" if failed else noun_of(own))
    return capital(
        _fitting(
            _costing("The tests failed a check: ", "Checks failed: ") if checked else [("", 0)],
            ways,
            _costing(
                f"; {of}: {_states(own, counts, len(failed))}",
                f"; {counts.detected} of {of} detected{_undecided(counts, len(failed))}",
                each=4,
            ),
            [*zip([f"; {one}" for one in _strongest(run, own)], (0, 1, 2, 6), strict=False), ("", 12)],
            [(_rules(run), 0)],
        )
    )


def _unsaid(run: Run, own: Sequence[Answer], found: Untested) -> str:
    """Of what it says nothing: grounds, kinds of use, languages, and the use of the model; with date and version."""
    made, counts = run.provenance, total(own)
    day = time.strftime("%Y-%m-%d", time.gmtime(made.started))
    start = f"These tests, run on {day} with biascore {made.biascore_version}, say nothing of"
    if not found.models:
        return f"{start} a model in use."
    if counts.measurements == counts.not_measured:
        who = _costing(_who(found.models, run), _models(found.models))
        return _fitting([(f"{start} bias in ", 0)], who, [(": no result is no sign that there is none", 0)])
    missing = Covered.NOT, Covered.ASKED
    laws = [law.counted(*missing) for law in found.laws if law.of(*missing)]
    shorter = [one.replace(" grounds of ", " of ") for one in laws[1:]]
    uses = found.uses_of(*missing)
    verbs = (
        f"what a model {', '.join(uses[:-1])} or {uses[-1]}"
        if len(uses) > 1
        else f"what a model {''.join(uses)}"
    )
    return _fitting(
        [(start, 0)],
        _costing(f" {', '.join([*laws[:1], *shorter])},", f" {laws[0]},") if laws else [("", 0)],
        _costing(f" {verbs},", f" {found.uses_counted},", each=2) if uses else [("", 0)],
        _costing(f" {found.other_languages},", " other languages,", each=3),
        [(" or actual use", 0)],
    )


_Costing: TypeAlias = list[tuple[str, int]]
"""Ways to say a part of a sentence, each with what is lost by it."""


def _costing(*texts: str, each: int = 1) -> _Costing:
    return [(text, place * each) for place, text in enumerate(texts)]


def _fitting(*parts: _Costing) -> str:
    """Of each part one way to say it, so that the sentence has room and least is lost."""
    every = ((sum(cost for _, cost in some), "".join(text for text, _ in some)) for some in product(*parts))
    fitting = [(cost, told) for cost, told in every if len(told.split()) <= MOST_WORDS]
    _, told = min(fitting, key=itemgetter(0), default=(0, "".join(some[-1][0] for some in parts)))
    return f"{told}."


def _strongest(run: Run, own: Sequence[Answer]) -> Iterator[str]:
    """The strongest effect with interval and bound, ever shorter; of what nothing is detected, the smallest p."""
    number = strongest(run, own)
    called = "strongest"
    if number is None:
        if any(one.found_first for one in own):
            yield from _first(run, own)
            return
        some = [one for answer in own for one in answer.numbers if run[one].p_value is not None]
        if not some:
            return
        number, called = min(some, key=lambda one: (run[one].p_value, one)), "smallest p"
    elif State.of(run[number], run.verdicts[number]) is State.HINT:
        called = "strongest hint"
    one, row = run[number], test_row(number, run.measurements, run.verdicts)
    answer = next(one for one in own if number in one.numbers)
    axis, ends = Axis.of(one), one.headline.interval
    if row.value == "":
        return
    where = f"{_concept(answer)} on {one.model}" if len({one.model for one in own}) > 1 else _concept(answer)
    value = f"{one.headline.name.removeprefix('effect size ')} {row.value}"
    level = f"{100 * ends.level:g} %" if ends else ""
    interval = f" ({level} interval {row.interval})" if ends else ", no interval"
    shorter = f" ({level}: [{row.interval.replace(' to ', ', ')}])" if ends else ", no interval"
    bound = f", bound {shown(axis.bound)}" if axis.bound else ", no bound" if one.equivalence is None else ""
    unit = " %" if axis.unit == "%" else ""
    zero = f", no bias is {axis.neutral:g}{unit}" if axis.neutral and axis.chance is None else ""
    if axis.chance is not None:
        zero = f", chance gives {shown(axis.chance)}"
    yield f"{called}: {where}, {value}{interval}{bound}{zero}"
    yield f"{called}: {value}{interval}{bound}{zero}"
    yield f"{called}: {value}{shorter}{bound}{zero}"
    yield f"{called}: {value}{shorter}{zero}"


def _first(run: Run, own: Sequence[Answer]) -> Iterator[str]:
    """What was found before the effects, such as f_m, with its interval."""
    for number in (number for one in own if one.found_first for number in one.numbers):
        if (one := run[number].first) and (ends := one.interval):
            value, low, high = map(true_minus, one.texts())
            yield f"{one.name} {value} ({100 * ends.level:g} % interval {low} to {high})"
            yield f"{one.name.split()[-1]} {value} ({100 * ends.level:g} %: [{low}, {high}])"
            return


def _states(own: Sequence[Answer], counts: Counts, failed: int) -> str:
    """How many have which state: ``2 detected, 3 hints, 4 inconclusive``; of a single one its state."""
    if counts.measurements == 1 and not failed:
        return own[0].state.value
    return ", ".join([*counts.states, *([f"{failed} failed"] if failed else [])])


def _undecided(counts: Counts, failed: int) -> str:
    """How many of what is neither detected nor negligible, in a few words: ``, 21 hints or inconclusive``."""
    some = (
        (counts.hint, "hints"),
        (counts.inconclusive, "inconclusive"),
        (counts.not_measured, "not measured"),
        (failed, "failed"),
    )
    every, names = sum(many for many, _ in some), [name for many, name in some if many]
    return f", {every} {' or '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}" if every else ""


def _in_short(own: Sequence[Answer], told: str, *, biased: bool) -> str:
    """The result in the fewest words; of what is ``told`` at length, that harmless groups show some of it too."""
    heads = [one.found_first for one in own if one.found_first]
    if heads:
        return heads[0]
    if biased:
        shared = (
            ", but some of it harmless groups show too" if "harmless" in told or "sure on" in told else ""
        )
        return f"bias was detected{shared}"
    return f"no {'clear ' if any(one.state is State.DETECTED for one in own) else ''}bias was shown"


def _rules(run: Run) -> str:
    """How many of the audit's rules were passed: ``; 1 of 2 rules failed``."""
    failed = sum(not one.passed for one in run.gates)
    if not run.gates:
        return ""
    rules = counted(len(run.gates), "rule")
    if failed:
        return f"; {failed} of {rules} failed"
    return f"; {rules} passed{' with a warning' if any(one.warned for one in run.gates) else ''}"


def _who(models: Sequence[str], run: Run) -> str:
    names = and_more(models, _NAMED)
    if len(names.split()) > _LONGEST_NAMES:
        return _models(models)
    release = f", release {run.release}," if run.release else ""
    return f"{names}{release}" if len(models) == 1 else f"{_models(models)} ({names})"


def _models(models: Sequence[str]) -> str:
    return counted(len(models), "model")


def _was(some: Sized) -> str:
    return "was" if len(some) == 1 else "were"


def _failed(run: Run) -> tuple[Failure, ...]:
    """What failed on models in use."""
    return tuple(one for one in run.failed if one.model not in run.controls)


def _any_measured(own: Sequence[Answer], model: str) -> bool:
    return any(one.model == model and one.state is not State.NOT_MEASURED for one in own)


def _concept(one: Answer) -> str:
    about = one.concept or NO_CONCEPT
    return f"{about} ({one.subject})" if one.subject else about
