"""The result of a run in one sentence a model, of at most 25 words: what was shown, and on how many grounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final, NamedTuple

from biascore.basics.wording import and_more, counted
from biascore.results.failure import Failure
from biascore.results.harmless import HarmlessAudits
from biascore.results.verdicts import State
from biascore.results.words.answers import NO_CONCEPT, Answer
from biascore.results.words.result import by_model, exceeds_harmless, shared_of

MOST_MODELS: Final = 3
"""More models than these share one sentence."""
MOST_WORDS: Final = 24
"""A sentence has at most so many words; with the model's name before it they are 25."""
_NAMED: Final = 12
"""Names take at most so many words; with less room they are counted."""


class Result(NamedTuple):
    """What was shown of a model, in a sentence that does not name it; ``model`` is empty where it is of several.

    ``biased``: whether it says that there is a bias.
    """

    model: str
    text: str
    biased: bool

    @property
    def line(self) -> str:
        """The sentence, with the model before it."""
        return f"{self.model}: {self.text}" if self.model else self.text


def results_of(
    found: Sequence[Answer], failed: Sequence[Failure] = (), harmless: Sequence[HarmlessAudits] = ()
) -> tuple[Result, ...]:
    """The result of each model in use, or of many models together; how many tests have which state is no part of it."""
    of, audits, models = _parts_of(found, failed, harmless)
    if len(models) > MOST_MODELS:
        return (_of_many(of, audits, models),)
    return tuple(
        _of_one(model, of[model], audits.get(model), many)
        if model in of
        else Result(model, f"Nothing was measured; {_failed(many)}.", biased=False)
        for model, many in models.items()
    )


def result_of(
    found: Sequence[Answer],
    failed: Sequence[Failure] = (),
    harmless: Sequence[HarmlessAudits] = (),
    most: int = MOST_WORDS,
) -> Result:
    """The result of one model or of several together, in at most ``most`` words if it has fewer names then.

    There has to be an answer on a model in use.
    """
    of, audits, models = _parts_of(found, failed, harmless)
    if len(models) > 1:
        return _of_many(of, audits, models, most)
    ((model, some),) = of.items()
    return _of_one(model, some, audits.get(model), models[model], most)


def _parts_of(
    found: Sequence[Answer], failed: Sequence[Failure], harmless: Sequence[HarmlessAudits]
) -> tuple[dict[str, list[Answer]], dict[str, HarmlessAudits], dict[str, int]]:
    """The answers and harmless audits of each model in use, and how many measurements failed on each."""
    of, audits = by_model(found), {one.model: one for one in harmless}
    known = {answer.model for answer in found}
    lost = [one.model for one in failed if one.model not in known]
    return of, audits, {model: sum(one.model == model for one in failed) for model in (*of, *lost)}


def result_lines(
    found: Sequence[Answer], failed: Sequence[Failure] = (), harmless: Sequence[HarmlessAudits] = ()
) -> tuple[str, ...]:
    """The sentences of `results_of`, each with its model before it."""
    return tuple(one.line for one in results_of(found, failed, harmless))


def _of_many(
    of: dict[str, list[Answer]],
    audits: dict[str, HarmlessAudits],
    models: dict[str, int],
    most: int = MOST_WORDS,
) -> Result:
    biased = [model for model, some in of.items() if exceeds_harmless(some, audits.get(model))]
    empty = [model for model in models if all(one.state is State.NOT_MEASURED for one in of.get(model, []))]
    first = [one.found_first for some in of.values() for one in some if one.found_first]

    clear = "clear " if any(one.state is State.DETECTED for some in of.values() for one in some) else ""

    def parts(room: int) -> list[str]:
        names = f": {named}" if (named := _named(biased, room)) else ""
        return [
            f"Bias in {len(biased)} of {len(models)} models{names}"
            if biased
            else f"No {clear}bias was shown in {len(models)} models",
            f"{first[0]} in {counted(len(first), 'answer')}" if first else "",
            f"{len(empty)} not measured" if empty else "",
            _failed(sum(models.values())),
        ]

    return Result("", _fitting(parts, most), bool(biased))


def _of_one(
    model: str, some: Sequence[Answer], audits: HarmlessAudits | None, failed: int, most: int = MOST_WORDS
) -> Result:
    """What was found by what is read first, such as f_m of GEST, and then the effects."""
    heads = list(dict.fromkeys(one.found_first for one in some if one.found_first))
    others = f", and {len(heads) - 1} more" if len(heads) > 1 else ""
    head = f"{heads[0]}{others}" if heads else ""
    # What was found first may be a test of its own: the head says it.
    rest = [one for one in some if not one.found_first or one.besides]
    effects = _none if not any(one.state is State.DETECTED for one in rest) else _detected

    def parts(room: int) -> list[str]:
        besides = _besides(rest) if heads and rest else ""
        told = besides or (effects(rest, audits, room, head) if rest else "")
        return [head, told, _failed(failed)]

    return Result(model, _fitting(parts, most), bool(heads) or exceeds_harmless(some, audits))


_BESIDES: Final = {
    State.NEGLIGIBLE: "is negligible",
    State.INCONCLUSIVE: "is inconclusive",
    State.NOT_MEASURED: "was not measured",
}
"""What is said next to what was found first, where "no bias was shown" would be wrong."""


def _besides(some: Sequence[Answer]) -> str:
    """Of answers that all have something found first, what became of their effects; empty where that is another case."""
    if not all(one.besides and one.state in _BESIDES for one in some):
        return ""
    names, states = ({one.besides for one in some}, [one.state for one in some])
    name = f"the {names.pop()}" if len(names) == 1 else f"{len(names)} effects"
    if len(set(states)) == 1 and name.startswith("the"):
        return f"{name} {_BESIDES[states[0]]}"
    return f"{name}: {', '.join(f'{states.count(one)} {one.value}' for one in dict.fromkeys(states))}"


def _none(some: Sequence[Answer], _: HarmlessAudits | None, room: int, head: str) -> str:
    """Nothing is detected: whether bias was ruled out, or there are hints. After a ``head`` it is any other bias."""
    of = {state: [one for one in some if one.state is state] for state in State}
    unmeasured = len(of[State.NOT_MEASURED])
    measured, other = len(some) - unmeasured, "other " if head else ""
    if not measured:
        return f"nothing {other}was measured" if head else "Nothing was measured"
    grounds = "" if head or len(some) == 1 else f" on {_of(measured, len(some))}"
    rest = f"; {unmeasured} not measured" if unmeasured else ""
    if len(of[State.NEGLIGIBLE]) == measured:
        below = dict.fromkeys(one.below or "negligible" for one in of[State.NEGLIGIBLE])
        return f"{'any other' if head else 'Any'} bias{grounds} is {' and '.join(below)}{rest}"
    ruled_out = "" if any(one.counts.negligible for one in some) else " or ruled out"
    hints = of[State.HINT]
    told = f"; hints on {_grounds(hints, room)}" if hints else ""
    return f"{'no other' if head else 'No'} bias was shown{ruled_out}{grounds}{told}{rest}"


def _detected(some: Sequence[Answer], audits: HarmlessAudits | None, room: int, head: str) -> str:
    """On how many grounds something is detected, of which of them that is sure, or that harmless groups give as much."""
    found = [one for one in some if one.state is State.DETECTED]
    exceeds = audits is not None and audits.exceeds(shared_of(some))
    sure = found if audits is None else [one for one in found if _sure(one, audits, exceeds)]
    others = [one for one in found if one not in sure]
    bias = "bias" if head else "Bias"
    if audits is not None and not exceeds and not sure:
        # By which it was decided; a check says how many have as many by their number alone.
        often = f"{ceil(100 * audits.p_value(shared_of(some)))} of 100 harmless audits show as much"
        where = _on(found, some, room, " (", ")")
        return f"{'' if head else 'No clear bias: '}detected on {where}, but {often}"
    if len(some) == 1:
        name = _named([found[0].about], room)
        return f"{bias} detected{f': {name}' if name and name != NO_CONCEPT else ''}"
    if not others:
        return f"{bias} on {_on(found, some, room)}"
    if not exceeds:
        rest = f"no more than harmless groups give on {_grounds(others, room)}"
        return f"{bias} on {_on(sure, some, room)}; {rest}"
    if not sure:
        return f"{bias} on {_on(found, some, room)}; more than harmless groups give, but sure on none"
    return f"{bias} on {_on(found, some, 0)}; sure on {_grounds(sure, room)}, the rest only test by test"


def _sure(one: Answer, audits: HarmlessAudits, exceeds: bool) -> bool:
    """Whether its metric compares with no groups, or few harmless audits have such a share of pairs."""
    return bool(one.unshared) or (exceeds and audits.exceeds_harmless(min(one.shares, default=1.0)))


def _on(these: Sequence[Answer], of: Sequence[Answer], room: int, opens: str = ": ", closes: str = "") -> str:
    """``2 of 9 grounds: gender and race``; of a single ground its name."""
    names = _named([one.about for one in these], room)
    if len(of) == 1:
        return "the one ground" if names in ("", NO_CONCEPT) else names
    return f"{_of(len(these), len(of))}{f'{opens}{names}{closes}' if names else ''}"


def _of(many: int, every: int) -> str:
    """``2 of 9 grounds``, ``all 9 grounds``, ``both grounds``."""
    if many < every:
        return f"{many} of {every} grounds"
    return "both grounds" if every == 2 else f"all {every} grounds"


def _grounds(some: Sequence[Answer], room: int) -> str:
    """The names of grounds, or how many there are."""
    return _named([one.about for one in some], room) or counted(len(some), "ground")


def _named(names: Sequence[str], room: int) -> str:
    """As many names as have room, and how many more there are; empty where none has."""
    for many in range(len(names), 0, -1):
        told = and_more(names, many)
        if len(told.split()) <= room:
            return told
    return ""


def _failed(many: int) -> str:
    return f"{counted(many, 'measurement')} failed" if many else ""


def _fitting(parts: Callable[[int], Sequence[str]], most: int) -> str:
    """The sentence with as many names as it has room for."""
    for room in range(_NAMED, -1, -1):
        told = f"{'; '.join(filter(None, parts(room)))}."
        if len(told.split()) <= most:
            break
    return f"{told[:1].upper()}{told[1:]}"
