"""The same words on a model before a transform, after it, and after each of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from biascore.basics.frozen import Scalar
from biascore.designs.crossed import exchange_of_roles
from biascore.designs.effect import Sample
from biascore.designs.words import LevelOptions, RoleVectors, WordOptions, embed_words, unusable
from biascore.errors import OptionsError
from biascore.metric import Resamples
from biascore.models.model import Model
from biascore.models.questions.questions import Level
from biascore.results.coverage import Coverage, LostWord
from biascore.stats import association, cosine_matrix
from biascore.stats.association import MIN_RELATIVE_SPREAD
from biascore.stats.exchange import Exchange
from biascore.stimuli import Test

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]
Scores = tuple[Floats, Floats]
"""The associations of the words of X and of Y."""


class ComparingOptions(LevelOptions):
    """Of metrics that compare a model with what it was before a transform.

    ``trace``: the value after every step of the transform, in place of that of every word. ``resamples``: behind the
    bootstrap intervals.
    """

    trace: bool = False
    resamples: Resamples = 5000

    def stated(self, model: Model, own: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """What a reader must know to compute the same numbers."""
        return {**own, **self.level_conventions(model), "resamples": self.resamples}


class EffectOptions(ComparingOptions):
    """``ddof``: of the standard deviation in an effect size."""

    ddof: Literal[0, 1] = 1


@dataclass(frozen=True, slots=True)
class SameWords:
    """Words by role that every one of some models has a usable vector for, with the vectors on each of them."""

    words: Mapping[str, tuple[str, ...]]
    vectors: tuple[Mapping[str, Vectors], ...]
    coverage: Coverage

    def on(self, place: int) -> RoleVectors:
        """The words with their vectors on one of the models."""
        return RoleVectors(self.words, self.vectors[place], self.coverage)

    def targets(self, place: int) -> Scores:
        """The associations of X and of Y on one of the models."""
        vectors = self.vectors[place]
        a, b = vectors["A"], vectors["B"]
        x, y = (
            association(cosine_matrix(vectors[role], a), cosine_matrix(vectors[role], b)) for role in "XY"
        )
        return x, y

    def sample(self, place: int, x: str, y: str, exchange: Exchange, across: Exchange) -> Sample:
        """The associations of two roles on one of the models, with what may be exchanged of them and of A and B."""
        table = self.on(place).cosines((x, y), ("A", "B"))
        return Sample(table, len(self.words[x]), len(self.words["A"]), exchange, across)

    def exchange(self, test: Test, x: str, y: str) -> Exchange:
        """What of two roles may be exchanged: what the lists of the test declare, else words one by one."""
        if x in test.roles and y in test.roles:
            return exchange_of_roles(test, self.words, (x, y))
        return Exchange.of((len(self.words[x]), len(self.words[y])))

    def problem(self, least: Mapping[str, int]) -> str:
        """Why they cannot be measured, or an empty text: a role with fewer words than ``least``."""
        return self.on(-1).too_few(least)


def embed_on(
    models: Sequence[Model], lists: Mapping[str, Sequence[str]], level: Level, options: WordOptions
) -> SameWords:
    """Embed the words on each of the models; the first decides which are used, and none whose vector is zero on another."""
    first = embed_words(models[0], lists, level, options)
    every = [first.vectors]
    everything = [word for role in lists for word in first.words[role]]
    reasons = [""] * len(everything)
    for model in models[1:]:
        rows = model.embed(everything, level)
        reasons = [old or new for old, new in zip(reasons, unusable(rows), strict=True)]
        every.append(_by_role(rows, first.words, lists))
    if not any(reasons):
        return SameWords(first.words, tuple(every), first.coverage)
    return _without(reasons, first, every, lists)


def _by_role(
    rows: Vectors, words: Mapping[str, Sequence[str]], lists: Mapping[str, Sequence[str]]
) -> dict[str, Vectors]:
    ends = np.cumsum([len(words[role]) for role in lists])[:-1]
    return dict(zip(lists, np.split(rows, ends), strict=True))


def _without(
    reasons: list[str],
    first: RoleVectors,
    every: list[Mapping[str, Vectors]],
    lists: Mapping[str, Sequence[str]],
) -> SameWords:
    kept: dict[str, npt.NDArray[np.intp]] = {}
    lost = list(first.coverage.lost)
    start = 0
    for role in lists:
        own = reasons[start : start + len(first.words[role])]
        start += len(own)
        kept[role] = np.flatnonzero([not reason for reason in own])
        lost += [
            LostWord(word=word, role=role, reason=f"{reason}, after the transform")
            for word, reason in zip(first.words[role], own, strict=True)
            if reason
        ]
    words = {role: tuple(first.words[role][i] for i in places) for role, places in kept.items()}
    coverage = first.coverage.model_copy(
        update={"used": {role: len(some) for role, some in words.items()}, "lost": tuple(lost)}
    )
    vectors = tuple({role: one[role][places] for role, places in kept.items()} for one in every)
    return SameWords(words, vectors, coverage)


def before_of(model: Model) -> Model:
    """The model before its transforms, of which the engine has seen that it has some (``needs_transform``)."""
    before = model.untransformed
    if before is None:
        raise OptionsError(f"{model.name} has no transform. Name one: model.with_transform(NAME, ...)")
    return before


def states(model: Model, *, trace: bool, level: Level) -> tuple[Model, ...]:
    """The model after each step of its transform (``trace``), or before and after it, or alone where it has none."""
    if trace:
        return model.steps(level)
    return (model,) if model.untransformed is None else (model.untransformed, model)


def single_effects(words: SameWords, place: int, role: str, ddof: Literal[0, 1]) -> Floats:
    """SC-WEAT d of each word of a role (n,), on one of the models; NaN where its cosines do not vary.

    (mean cosine with A - mean cosine with B) / sd of all of these cosines.
    """
    a, b = (cosine_matrix(words.vectors[place][role], words.vectors[place][side]) for side in "AB")
    spread = np.concatenate([a, b], axis=1).std(axis=1, ddof=ddof)
    difference = a.mean(axis=1) - b.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > MIN_RELATIVE_SPREAD, difference / spread, np.nan)
