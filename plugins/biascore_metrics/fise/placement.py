"""Where target words lie: their vectors and those of the lists, the group of each, its affect, and the most typical."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Coverage, LostWord, Model
from biascore.api.stimuli import PairList
from biascore.designs.words import (
    RoleVectors,
    counterparts,
    distinct_words,
    embed_words,
    equal_vectors,
    same_as,
    unusable,
    usual_distance,
)
from biascore.stats import association, cosine_matrix
from biascore.stats.exchange import Exchange
from biascore.stats.labels import ON_AXIS, Codes, Labelled, cell_codes, cell_counts
from biascore.stats.tightness import Tightness
from biascore_metrics.fise.clusters import Clusters, Floats, scaled
from biascore_metrics.fise.items import Dimension, FiseTest, roles_of
from biascore_metrics.fise.options import PlacementOptions

Treatment = Literal["first", "both", "raw", "unit"]
"""The first form; both forms as targets of their own; or one target whose vector is the mean of the two."""

TARGETS: Final = "targets"
AXIS: Final = "on an axis"
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
    vectors: Floats
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
    role: str = TARGETS,
) -> Embedded:
    """Embed targets and lists in one call; a target without a vector of each form is lost, and listed in its ``role``."""
    by_name = {target.name: target for target in given}
    names, lost = distinct_words({role: [target.name for target in given]}, options)
    wanted = [by_name[name] for name in names[role]]
    forms = tuple(dict.fromkeys(form for target in wanted for form in target.forms))
    lists = {role: forms} | {name: words.words for name, words in roles_of(dimensions).items()}
    roles = embed_words(model, lists, options.level, options, forms=frozenset({role}))
    found = dict(zip(roles.words[role], roles.vectors[role].astype(np.float64), strict=True))
    reasons = {word.word: word.reason for word in roles.coverage.lost if word.role == role}

    def lose(target: Target, reason: str) -> None:
        lost.append(LostWord(word=target.name, role=role, reason=reason))

    kept: list[Target] = []
    rows: list[Floats] = []
    for target in wanted:
        if missing := [form for form in target.forms if form in reasons]:
            mean_of = f"no mean of its forms: {', '.join(missing)} " if len(target.forms) > 1 else ""
            lose(target, f"{mean_of}{reasons[missing[0]]}")
            continue
        own = np.stack([found[form] for form in target.forms])
        own = own / np.linalg.norm(own, axis=1, keepdims=True) if treatment == "unit" else own
        mean = own.mean(axis=0)
        if problem := unusable(mean[np.newaxis].astype(np.float32))[0]:
            lose(target, problem)
        else:
            kept.append(target)
            rows.append(mean)
    vectors = np.stack(rows) if rows else np.empty((0, 0))
    if options.duplicates == "drop":
        usual = usual_distance(roles.vectors[role])
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
    others = tuple(word for word in roles.coverage.lost if word.role != role)
    coverage = Coverage(
        given={**roles.coverage.given, role: len(given)},
        used={**roles.coverage.used, role: len(kept)},
        lost=(*lost, *others),
        composed=roles.coverage.composed,
        unseen=tuple(w for w in roles.coverage.unseen if w.role != role or w.word in used),
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
) -> tuple[dict[str, Floats], list[str]]:
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


def joined_coverage(tested: Coverage, affect: Coverage, role: str) -> Coverage:
    """One coverage of two models; targets, of this ``role`` in the affect's, are lost as repeats in the tested one alone."""
    lost = (one for one in affect.lost if one.role != role or one in affect.missing)
    return Coverage(
        given={**tested.given, **affect.given},
        used={**tested.used, **affect.used},
        lost=(*tested.lost, *lost),
        composed=tuple(dict.fromkeys((*tested.composed, *affect.composed))),
        unseen=tuple(dict.fromkeys((*tested.unseen, *affect.unseen))),
    )


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension: the cosines of the target words with its attribute words, and how tight its two lists are."""

    name: str
    labelled: Labelled
    tightness: Tightness

    @classmethod
    def of(cls, dimension: Dimension, embedded: Embedded, alpha: float) -> Axis:
        """Within counterparts, unless these leave too few labellings for any p-value to be as small as ``alpha``."""
        roles = f"{dimension.name}.A", f"{dimension.name}.B"
        a, b = (embedded.lists.vectors[role] for role in roles)
        words, _ = used = embedded.lists.words[roles[0]], embedded.lists.words[roles[1]]
        exchange = exchanged(dimension, used, alpha)
        cosines = np.hstack([cosine_matrix(embedded.vectors, own) for own in (a, b)])
        among = np.concatenate([a, b])
        labelled = Labelled(cosines, len(words), exchange)
        return cls(dimension.name, labelled, Tightness.of(cosine_matrix(among, among), exchange))

    @property
    def scores(self) -> Floats:
        """b_d(w) of each word (n,), equation 11 of Puttick & Kurpicz-Briki 2025."""
        return self.labelled.scores

    @property
    def equalled(self) -> Floats:
        """The same at equal tightness of the lists (n,)."""
        return self.tightness.equalled(self.labelled)

    def direction(self, embedded: Embedded) -> Floats:
        """That whose product with a target's unit vector is its score at equal tightness."""
        a, b = (
            scaled(embedded.lists.vectors[f"{self.name}.{side}"].astype(np.float64)).mean(axis=0)
            for side in "AB"
        )
        q = self.tightness.difference
        return np.asarray((1.0 - q) * a - (1.0 + q) * b)


@dataclass(frozen=True, slots=True)
class Placement:
    """The target words in the space of k dimensions: one group for each combination of sides."""

    axes: tuple[Axis, ...]
    groups: tuple[str, ...]
    """The 2^k groups in the order of their codes: ``men white``, ``men black``, ..."""
    codes: Codes
    """The group of each word (n,), or `ON_AXIS`."""
    clusters: Clusters
    """Which words are no independent observations."""

    @classmethod
    def of(cls, test: FiseTest, embedded: Embedded, tolerance: float, alpha: float) -> Placement:
        """Place the targets; every list must have a word. Scores within the tolerance of 0 lie on an axis."""
        axes = tuple(Axis.of(dimension, embedded, alpha) for dimension in test.dimensions)
        directions = np.stack([axis.direction(embedded) for axis in axes])
        units = units_of(embedded.targets)
        clusters = Clusters.made(embedded.vectors, units, directions, declared=bool(test.targets.families))
        return cls(axes, group_names(test), cell_codes([axis.scores for axis in axes], tolerance), clusters)

    @property
    def counts(self) -> tuple[int, ...]:
        """Words in each group."""
        return tuple(map(int, cell_counts(self.codes, len(self.groups))))

    @property
    def on_axis(self) -> npt.NDArray[np.bool_]:
        """Which words lie in no group: (n,)."""
        return np.asarray(self.codes == ON_AXIS)

    def group_of(self, word: int) -> str:
        """The group of a word by its row."""
        return AXIS if self.codes[word] == ON_AXIS else self.groups[self.codes[word]]

    def projections(self) -> Floats:
        """Projection of each word on the diagonal of its group, sum |b_d| / sqrt k; NaN on an axis: (n,).

        Puttick & Kurpicz-Briki 2025, section 2.5.1, for k = 2.
        """
        lengths = sum(np.abs(axis.scores) for axis in self.axes) / math.sqrt(len(self.axes))
        return np.where(self.on_axis, np.nan, lengths)

    def ranks(self, top: int) -> list[int | None]:
        """Rank of each word within its group by projection, 1 first, None beyond ``top`` and on an axis."""
        projections = self.projections()
        ranks: list[int | None] = [None] * len(projections)
        for code in range(len(self.groups)):
            members = np.flatnonzero(self.codes == code)
            best = members[np.argsort(-projections[members], kind="stable")][:top]
            for rank, word in enumerate(best, start=1):
                ranks[word] = rank
        return ranks


def group_names(test: FiseTest) -> tuple[str, ...]:
    """A name for each combination of sides, dimensions in the order of the test, the sides of A first."""
    sides = [(dimension.A.name, dimension.B.name) for dimension in test.dimensions]
    return tuple(" ".join(names) for names in product(*sides))


def exchanged(dimension: Dimension, used: tuple[Sequence[str], Sequence[str]], alpha: float) -> Exchange:
    """What may be exchanged of the ``used`` words of both lists: families, within counterparts where enough are there.

    A word that is kept twice is one family, so every word is named, declared or not.
    """
    lists = dimension.A, dimension.B
    one, other = (own.families_of(some) for own, some in zip(lists, used, strict=True))
    sizes = len(one), len(other)
    return Exchange.of(sizes, families=(one, other), counterparts=counterparts(lists, used)).reaching(alpha)
