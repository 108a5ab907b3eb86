"""The affect of the target words, measured in the tested model or in another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Coverage, LostWord, Model
from biascore.stats import association, cosine_matrix
from biascore_metrics.fise.kind import FiseTest
from biascore_metrics.fise.targets import TARGETS, Embedded, Target

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Affects:
    """The affect of every word of the placement (n,) by name, NaN where it has none, and what a reader must know."""

    scores: Mapping[str, Floats] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def affect_roles(test: FiseTest) -> dict[str, tuple[str, ...]]:
    """The word lists of the affects by role."""
    return {
        f"{affect.name}.{side}": words.words
        for affect in test.affect
        for side, words in (("A", affect.A), ("B", affect.B))
    }


def measure_affects(test: FiseTest, targets: Sequence[Target], embedded: Embedded) -> Affects:
    """Affect of the placed ``targets`` from what was embedded in the affect's model."""
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
    return Affects(found, tuple(warnings))


def joined(tested: Coverage, affect: Coverage, model: Model) -> Coverage:
    """One coverage of two models: the targets of the affect's model have a role of their own."""
    role = f"{TARGETS} in {model.name}"
    names = {TARGETS: role}

    def renamed(words: Iterable[LostWord]) -> tuple[LostWord, ...]:
        return tuple(word.model_copy(update={"role": names.get(word.role, word.role)}) for word in words)

    return Coverage(
        given={**tested.given, **{names.get(name, name): count for name, count in affect.given.items()}},
        used={**tested.used, **{names.get(name, name): count for name, count in affect.used.items()}},
        lost=(
            *tested.lost,
            *renamed(word for word in affect.missing if word.role == TARGETS),
            *(word for word in affect.lost if word.role != TARGETS),
        ),
        composed=tuple(dict.fromkeys((*tested.composed, *affect.composed))),
        unseen=tuple(dict.fromkeys((*tested.unseen, *renamed(affect.unseen)))),
    )
