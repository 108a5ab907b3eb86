"""Targets and attribute lists as vectors: one form, both forms or their mean, and what is lost on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Coverage, LostWord, Model
from biascore.api.queries import Level
from biascore.api.stimuli import PairList
from biascore.designs.words import (
    RoleVectors,
    WordOptions,
    distinct_words,
    embed_words,
    equal_vectors,
    same_as,
    unusable,
    usual_distance,
)
from biascore_metrics.fise.kind import FiseTest

Vectors = npt.NDArray[np.float64]
Treatment = Literal["first", "both", "raw", "unit"]
"""The first form; both forms as targets of their own; or one target whose vector is the mean of the two."""

TARGETS: Final = "targets"
LEAST: Final = 2
"""One word is no list: its label could be exchanged with a few others only, and no word can be left out."""


@dataclass(frozen=True, slots=True)
class Target:
    """One target by its forms, most often one."""

    forms: tuple[str, ...]
    unit: int | None = None
    """Targets of one number are forms of one pair, or words of one family, and no independent words."""

    @property
    def name(self) -> str:
        """The forms, as a report shows them: ``cuoco/cuoca``."""
        return "/".join(self.forms)


@dataclass(frozen=True, slots=True)
class Embedded:
    """The targets that have a vector with their vectors (n, d), the lists by role, and what was lost."""

    targets: tuple[Target, ...]
    vectors: Vectors
    lists: RoleVectors

    @property
    def units(self) -> npt.NDArray[np.intp]:
        """The pair or family of each target (n,), numbered from 0; a target of none has a number of its own."""
        return units_of(self.targets)

    @property
    def coverage(self) -> Coverage:
        """What each list gave and what was used."""
        return self.lists.coverage

    def too_few(self, roles: Sequence[str]) -> str:
        """Why these roles cannot be measured, or an empty string."""
        counts, given = self.coverage.used, self.coverage.given
        short = [
            f"{role} has {counts[role]} usable word(s) of {given[role]} and needs {LEAST}"
            for role in roles
            if counts[role] < LEAST
        ]
        return "; ".join(short)


def units_of(targets: Sequence[Target]) -> npt.NDArray[np.intp]:
    """The pair or family of each target (n,), numbered from 0; a target of none has a number of its own."""
    keys = [(0, row) if target.unit is None else (1, target.unit) for row, target in enumerate(targets)]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.intp)


def targets_of(test: FiseTest, treatment: Treatment) -> list[Target]:
    """The targets in list order, repeats included; two equal forms are one."""
    families = test.targets.families
    number = {word: place for place, family in enumerate(families) for word in family}
    if not isinstance(test.targets, PairList):
        return [Target((word,), number.get(word)) for word in test.targets.words]
    pairs = [tuple(dict.fromkeys(pair)) for pair in test.targets.pairs]
    match treatment:
        case "first":
            return [Target(forms[:1], number.get(forms[0])) for forms in pairs]
        case "both":
            kinds = [[form for forms in pairs if forms[0] in family for form in forms] for family in families]
            joined = _joined([*pairs, *kinds])
            return [Target((form,), joined[form]) for forms in pairs for form in forms]
        case _:
            return [Target(forms, number.get(forms[0])) for forms in pairs]


def embed_targets(
    model: Model,
    given: Sequence[Target],
    lists: Mapping[str, Sequence[str]],
    *,
    treatment: Treatment,
    level: Level,
    options: WordOptions,
) -> Embedded:
    """Embed targets and lists in one call; a target is lost, and listed, where one of its forms has no vector."""
    by_name = {target.name: target for target in given}
    names, lost = distinct_words({TARGETS: [target.name for target in given]}, options)
    wanted = [by_name[name] for name in names[TARGETS]]
    forms = tuple(dict.fromkeys(form for target in wanted for form in target.forms))
    roles = embed_words(model, {TARGETS: forms, **lists}, level, options, forms=frozenset({TARGETS}))
    found = dict(zip(roles.words[TARGETS], roles.vectors[TARGETS], strict=True))
    reasons = {word.word: word.reason for word in roles.coverage.lost if word.role == TARGETS}

    kept: list[Target] = []
    rows: list[Vectors] = []
    for target in wanted:
        missing = [form for form in target.forms if form in reasons]
        if missing:
            reason = reasons[missing[0]]
            if len(target.forms) > 1:
                reason = f"no mean of its forms: {', '.join(missing)} {reason}"
            lost.append(LostWord(word=target.name, role=TARGETS, reason=reason))
            continue
        mean = _mean([found[form].astype(np.float64) for form in target.forms], treatment)
        problem = unusable(mean[np.newaxis].astype(np.float32))[0]
        if problem:
            lost.append(LostWord(word=target.name, role=TARGETS, reason=problem))
            continue
        kept.append(target)
        rows.append(mean)
    vectors = np.stack(rows) if rows else np.empty((0, 0))
    if options.duplicates == "drop":
        usual = usual_distance(roles.vectors[TARGETS])
        equal = {
            place: earlier
            for place, earlier in equal_vectors(vectors, usual).items()
            if kept[place].unit is None or kept[place].unit != kept[earlier].unit
        }
        lost += [
            LostWord(word=kept[place].name, role=TARGETS, reason=same_as(kept[earlier].name))
            for place, earlier in equal.items()
        ]
        left = [place for place in range(len(kept)) if place not in equal]
        kept, vectors = [kept[place] for place in left], vectors[left]
    used = {form for target in kept for form in target.forms}
    others = tuple(word for word in roles.coverage.lost if word.role != TARGETS)
    coverage = Coverage(
        given={**roles.coverage.given, TARGETS: len(given)},
        used={**roles.coverage.used, TARGETS: len(kept)},
        lost=(*lost, *others),
        composed=roles.coverage.composed,
        unseen=tuple(w for w in roles.coverage.unseen if w.role != TARGETS or w.word in used),
    )
    return Embedded(tuple(kept), vectors, RoleVectors(roles.words, roles.vectors, coverage))


def list_warnings(test: FiseTest, embedded: Embedded) -> list[str]:
    """Words in both lists of a dimension or an affect, and targets that are attribute words too."""
    words, found = embedded.lists.words, []
    for dimension in (*test.dimensions, *test.affect):
        roles = (f"{dimension.name}.A", f"{dimension.name}.B")
        if all(role in words for role in roles):
            found += _shared(roles, words)
    forms = {TARGETS: tuple(form for target in embedded.targets for form in target.forms)}
    for role in words:
        if role != TARGETS:
            found += _shared((TARGETS, role), {**words, **forms})
    return found


def _shared(roles: Sequence[str], words: Mapping[str, Sequence[str]]) -> list[str]:
    found = []
    for one, other in combinations(roles, 2):
        both = [word for word in dict.fromkeys(words[one]) if word in words[other]]
        if both:
            found.append(f"in both {one} and {other}: {', '.join(both)}")
    return found


def _joined(groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """The number of the pair or family of each form; those that share a form have one number."""
    number: dict[str, int] = {}
    for new, forms in enumerate(groups):
        met = {number[form] for form in forms if form in number}
        number |= {form: new for form, old in number.items() if old in met}
        number |= dict.fromkeys(forms, new)
    return number


def _mean(vectors: list[Vectors], treatment: Treatment) -> Vectors:
    if treatment == "unit":
        vectors = [vector / np.linalg.norm(vector) for vector in vectors]
    mean: Vectors = np.mean(vectors, axis=0)
    return mean
