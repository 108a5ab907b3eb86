"""Targets and attribute lists as vectors: one form, both forms or their mean, what is lost on the way, and their affect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Coverage, LostWord, Model
from biascore.api.stimuli import PairList
from biascore.designs.words import (
    RoleVectors,
    distinct_words,
    embed_words,
    equal_vectors,
    same_as,
    unusable,
    usual_distance,
)
from biascore.stats import association, cosine_matrix
from biascore_metrics.fise.items import Dimension, FiseTest, roles_of
from biascore_metrics.fise.options import PlacementOptions

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

    def too_few(self, roles: Sequence[str]) -> str:
        """Why these roles cannot be measured, or an empty string."""
        counts, given = self.lists.coverage.used, self.lists.coverage.given
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
    dimensions: Sequence[Dimension],
    treatment: Treatment,
    options: PlacementOptions,
) -> Embedded:
    """Embed targets and lists in one call; a target is lost, and listed, where one of its forms has no vector."""
    by_name = {target.name: target for target in given}
    names, lost = distinct_words({TARGETS: [target.name for target in given]}, options)
    wanted = [by_name[name] for name in names[TARGETS]]
    forms = tuple(dict.fromkeys(form for target in wanted for form in target.forms))
    lists = {TARGETS: forms} | {role: words.words for role, words in roles_of(dimensions).items()}
    roles = embed_words(model, lists, options.level, options, forms=frozenset({TARGETS}))
    found = dict(zip(roles.words[TARGETS], roles.vectors[TARGETS].astype(np.float64), strict=True))
    reasons = {word.word: word.reason for word in roles.coverage.lost if word.role == TARGETS}

    def lose(target: Target, reason: str) -> None:
        lost.append(LostWord(word=target.name, role=TARGETS, reason=reason))

    kept: list[Target] = []
    rows: list[Vectors] = []
    for target in wanted:
        if missing := [form for form in target.forms if form in reasons]:
            mean_of = f"no mean of its forms: {', '.join(missing)} " if len(target.forms) > 1 else ""
            lose(target, f"{mean_of}{reasons[missing[0]]}")
            continue
        own = np.stack([found[form] for form in target.forms])
        scaled = own / np.linalg.norm(own, axis=1, keepdims=True) if treatment == "unit" else own
        mean = scaled.mean(axis=0)
        if problem := unusable(mean[np.newaxis].astype(np.float32))[0]:
            lose(target, problem)
        else:
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
        for place, earlier in equal.items():
            lose(kept[place], same_as(kept[earlier].name))
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
    forms = tuple(form for target in embedded.targets for form in target.forms)
    words = {**embedded.lists.words, TARGETS: forms}
    pairs = [(f"{one.name}.A", f"{one.name}.B") for one in (*test.dimensions, *test.affect)]
    pairs += [(TARGETS, role) for role in words if role != TARGETS]
    found = []
    for one, other in pairs:
        both = [word for word in dict.fromkeys(words.get(one, ())) if word in words.get(other, ())]
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


def measure_affects(
    test: FiseTest, targets: Sequence[Target], embedded: Embedded
) -> tuple[dict[str, Vectors], list[str]]:
    """Affect of the placed ``targets`` (n,) by name, NaN where it has none, from what was embedded in the affect's model.

    And a warning of each that was not measured.
    """
    row_of = {target.name: row for row, target in enumerate(embedded.targets)}
    rows = [i for i, target in enumerate(targets) if target.name in row_of]
    picked = embedded.vectors[[row_of[targets[i].name] for i in rows]]
    found, warnings = {}, []
    for affect in test.affect:
        roles = f"{affect.name}.A", f"{affect.name}.B"
        problem = embedded.too_few(roles)
        if not problem and not rows:
            problem = "no target has a vector in the model of affect"
        if problem:
            warnings.append(f"{affect.name} was not measured: {problem}")
            continue
        found[affect.name] = np.full(len(targets), np.nan)
        found[affect.name][rows] = association(
            *(cosine_matrix(picked, embedded.lists.vectors[role]) for role in roles)
        )
    return found, warnings


def joined_coverage(tested: Coverage, affect: Coverage, model: Model) -> Coverage:
    """One coverage of two models: the targets of the affect's model have a role of their own."""
    role = f"{TARGETS} in {model.name}"

    def named(counts: Mapping[str, int]) -> dict[str, int]:
        return {role if name == TARGETS else name: count for name, count in counts.items()}

    def renamed(words: Iterable[LostWord]) -> tuple[LostWord, ...]:
        return tuple(one.model_copy(update={"role": role}) if one.role == TARGETS else one for one in words)

    # Repeated targets are lost once, in the tested model.
    of_affect = [one for one in affect.lost if one.role != TARGETS]
    missing = [one for one in affect.missing if one.role == TARGETS]
    return Coverage(
        given={**tested.given, **named(affect.given)},
        used={**tested.used, **named(affect.used)},
        lost=(*tested.lost, *renamed(missing), *of_affect),
        composed=tuple(dict.fromkeys((*tested.composed, *affect.composed))),
        unseen=tuple(dict.fromkeys((*tested.unseen, *renamed(affect.unseen)))),
    )
