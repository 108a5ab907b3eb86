"""What a comparison says in words: who has more or less bias now, on which tests, and its changes section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from biascore.results.comparison import Comparison, Difference, Outcome
from biascore.results.gates import gates_line
from biascore.results.verdicts import Role

NOT_UNCHANGED: Final = (
    "Inconclusive is not unchanged: neither a change nor its absence is shown, or the side of no bias is not sure. "
    "Increased means further from no bias, decreased nearer to it."
)
NOISE: Final = 1e-12
"""A change that is smaller is that of rounding: the effects are equal."""
_NAMED: Final = 5
"""So many tests are named in a sentence; more are counted."""
_ADDED: Final[Mapping[str, Callable[[Difference], str]]] = {
    "test": lambda _: "",
    "measurement": lambda one: f" by {one.method}",
    "effect": lambda one: f" {one.estimate}",
}
"""What names a change in addition to its test."""
_TITLES: Final = {
    Role.FINDING: "Findings",
    Role.BASELINE: "Baselines (they check the tests)",
    Role.CHANGE: "Changes by a transform",
    Role.DESCRIPTION: "Descriptions (nothing is tested)",
    Role.CONTROL: "Controls (they check the tests)",
}


class Section(NamedTuple):
    """The changes of one role, the outcomes that say most first and what is unchanged last; what is equal is counted."""

    title: str
    notes: tuple[str, ...]
    counts: str
    changes: tuple[Difference, ...]


def is_equal(one: Difference) -> bool:
    """Whether both effects are the same but for rounding."""
    return one.change.value is not None and abs(one.change.value) < NOISE


def sections(found: Comparison) -> tuple[Section, ...]:
    """The changes by role: findings first, controls last."""
    order = list(Outcome)
    made = []
    for role, title in _TITLES.items():
        some = [one for one in found if one.role is role]
        if some:
            moved = [one for one in some if not is_equal(one)]
            ranked = sorted(moved, key=lambda one: order.index(one.outcome))
            notes = found.controls if role is Role.CONTROL else ()
            made.append(Section(title, notes, _counts(some), tuple(ranked)))
    return tuple(made)


def answer(found: Comparison) -> str:
    """Who has more or less bias now, on which tests, and whether a rule was set: the first sentences on every surface."""
    return " ".join([*_answer(found), *_left_out(found), _rule(found)])


def _answer(found: Comparison) -> Iterator[str]:
    if found.identical and found.differences:
        yield "The two runs are identical: all results are the same. Was one run named twice?"
        return
    parts = sections(found)
    if not parts:
        yield "Nothing could be compared."
        return
    role = next(role for role, title in _TITLES.items() if title == parts[0].title)
    if role is Role.CONTROL:
        yield "This compares controls, whose bias is known, and says nothing of a model in use."
    if role in (Role.FINDING, Role.CONTROL):
        for old, new in found.models.items():
            some = [one for one in found if (one.old.model, one.new.model, one.role) == (old, new, role)]
            if some:
                yield _pair(old, new, some)
    else:
        yield f"No findings were compared. {parts[0].title}: {parts[0].counts}."


def _pair(old: str, new: str, some: Sequence[Difference]) -> str:
    """``b is less biased than a on 2 of 17 tests: x, y; more biased on 1: z; 14 are inconclusive.``"""
    moved = [one for one in some if not is_equal(one)]
    by = {outcome: [one for one in moved if one.outcome is outcome] for outcome in Outcome}
    noun = _noun(some)
    whole = f"{len(some)} {noun}{'s' if len(some) != 1 else ''}"
    than, to = (f"than {old}", f"to {old}") if old != new else ("than in the old run", "to the old run")
    told = [
        (by[Outcome.DECREASED], f"less biased {than}"),
        (by[Outcome.INCREASED], f"more biased {than}"),
        (by[Outcome.CHANGED_SIGN], f"biased in the direction opposite {to}"),
    ]
    clauses = [(one, text) for one, text in told if one]
    rest = [
        f"{len(by[outcome])} {'is' if len(by[outcome]) == 1 else 'are'} {outcome}"
        for outcome in (Outcome.INCONCLUSIVE, Outcome.UNCHANGED)
        if by[outcome]
    ]
    small = sum(one.p_adjusted is not None and one.p_adjusted <= one.alpha for one in by[Outcome.UNCHANGED])
    if small:
        rest[-1] += f", {small} of them with a change within the bound"
    equal = len(some) - len(moved)
    rest += [f"{equal} {'is' if equal == 1 else 'are'} equal"] if equal else []
    if not clauses:
        between = f"from {old} to {new}" if old != new else f"of {new}"
        beyond = " beyond the bound" if small else ""
        shown = f"No change of bias{beyond} {between} was shown in {whole}"
        return (
            f"{shown}: {' and '.join(rest)}."
            if len(some) > 1
            else f"{shown} ({some[0].outcome if moved else 'equal'})."
        )
    (first, text), *others = clauses
    said = [f"{new} is {text} on {len(first)} of {whole} ({_names(first, noun)})"]
    said += [f"{text} on {len(one)} ({_names(one, noun)})" for one, text in others]
    return f"{'; '.join([*said, *rest])}."


def _noun(some: Sequence[Difference]) -> str:
    """A test, or a measurement where a test has several, or an effect where a measurement has."""
    if len({one.test for one in some}) == len(some):
        return "test"
    return (
        "measurement" if len({(one.method, one.test, one.subject) for one in some}) == len(some) else "effect"
    )


def _names(some: Sequence[Difference], noun: str) -> str:
    names = list(dict.fromkeys(f"{one.test}{_ADDED[noun](one)}" for one in some))
    more = len(names) - _NAMED
    return ", ".join([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def _counts(some: Sequence[Difference]) -> str:
    counts = Counter("equal" if is_equal(one) else one.outcome.value for one in some)
    return ", ".join(f"{counts[one]} {one}" for one in (*Outcome, "equal") if counts[one])


def _left_out(found: Comparison) -> Iterator[str]:
    if found.not_comparable:
        many = len(found.not_comparable)
        yield f"{many} {'measurement is' if many == 1 else 'measurements are'} not comparable."
    if found.failed:
        many = len(found.failed)
        yield f"{many} {'measurement' if many == 1 else 'measurements'} failed."


def _rule(found: Comparison) -> str:
    return gates_line(found.gates) or "No pass/fail rule was set for this comparison."
