"""The affect of the target words, measured in the tested model or in another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import Coverage, FiseTest, LostWord, Model
from biascore.stats.labels import DrawnTest, Labelled, share_difference_tests
from biascore_metrics.fise.placement import Placement, dominance, labelled_of
from biascore_metrics.fise.targets import TARGETS, Embedded, Target

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Affect:
    """One affect of the target words: which of them have it, and their cosines with its lists."""

    rows: npt.NDArray[np.intp]
    """The words with a vector in the affect's model, as rows of the placement."""
    labelled: Labelled
    scores: Floats
    """Affect of every word of the placement (n,); NaN where it has none."""
    dominance: float | None = None
    """How far the words vary along the axis of the affect over how far they do in a direction on average."""

    def differences(
        self, placement: Placement, *, draws: int, rng: np.random.Generator
    ) -> tuple[DrawnTest | None, ...]:
        """Per group, the test of its share of positive words against that of all other groups."""
        codes = placement.codes[self.rows]
        return share_difference_tests(self.labelled, codes, len(placement.groups), draws=draws, rng=rng)


@dataclass(frozen=True, slots=True)
class Affects:
    """The affects that could be measured, by name, and what a reader must know of the others."""

    by_name: Mapping[str, Affect] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def scores(self) -> dict[str, Floats]:
        """Affect of every word (n,) by name."""
        return {name: affect.scores for name, affect in self.by_name.items()}


def affect_roles(test: FiseTest) -> dict[str, tuple[str, ...]]:
    """The word lists of the affects by role."""
    return {
        f"{affect.name}.{side}": words.words
        for affect in test.affect
        for side, words in (("A", affect.A), ("B", affect.B))
    }


def measure_affects(test: FiseTest, targets: Sequence[Target], embedded: Embedded, alpha: float) -> Affects:
    """Affect of the placed ``targets`` from what was embedded in the affect's model."""
    row_of = {target.name: row for row, target in enumerate(embedded.targets)}
    found, warnings = {}, []
    rows = np.array([i for i, target in enumerate(targets) if target.name in row_of], dtype=np.intp)
    picked = [row_of[targets[i].name] for i in rows]
    for affect in test.affect:
        problem = embedded.too_few([f"{affect.name}.A", f"{affect.name}.B"])
        if not problem and not picked:
            problem = "no target has a vector in the model of affect"
        if problem:
            warnings.append(f"{affect.name} was not measured: {problem}")
            continue
        every = labelled_of(affect, embedded, alpha)
        labelled = replace(every, cosines=every.cosines[picked])
        scores = np.full(len(targets), np.nan)
        scores[rows] = labelled.scores
        found[affect.name] = Affect(rows, labelled, scores, dominance(affect.name, embedded))
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
