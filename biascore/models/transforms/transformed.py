"""Vectors through a transform: fitted once for each level, when it is first needed, on the model underneath."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.basics.frozen import Scalar
from biascore.basics.guard import failed, guarded, report_it
from biascore.basics.wording import listed
from biascore.errors import At, BiascoreError, CapabilityError
from biascore.models.backend import Backend
from biascore.models.questions.capabilities import hookimpl
from biascore.models.questions.questions import Familiarity, Level, Text
from biascore.models.transforms.prepared import Embeds, Prepared
from biascore.models.transforms.transform import FittedTransform, Vectors
from biascore.models.usage import FitUsed, TransformUsed
from biascore.models.vocabulary import BLOCK_ROWS, Vocabulary

_After = Callable[[npt.NDArray[np.float32], Sequence[str]], npt.NDArray[np.float32]]


class Transformed(Backend):
    """Answers ``embed`` with what a transform makes of the answers of the model underneath, and nothing else.

    ``model`` is asked through its cache, for the words to learn from and for every text; nothing is kept here, since
    a product is cheaper than a look-up. ``learns`` False: the words are asked for and nothing is learnt or changed,
    which is how a run is rehearsed.
    """

    def __init__(
        self,
        model: Embeds,
        prepared: Prepared,
        *,
        time_limit: float | None = None,
        learns: bool = True,
    ) -> None:
        self.model = model
        self.prepared = prepared
        self.learns = learns
        self._limit = time_limit
        self._words = prepared.words(model)
        self.taught_by = prepared.taught_by(self._words)
        self.asked: set[str] = set()
        """The texts whose vectors were asked for since somebody emptied it; copies share it."""
        self.fingerprint = prepared.fingerprint(self._words)
        under = model.identity
        self.identity = replace(
            under,
            digest=f"{under.digest}+{prepared.name}:{self.fingerprint}",
            quantities=(),
            # Of which bias is left nothing is known, and it is no model of the world either.
            control=None if under.control is None else {},
        )
        self._stands_still = False
        self._fitted: dict[Level, FittedTransform] = {}
        self._errors: dict[Level, BiascoreError] = {}
        self._lost: dict[Level, dict[str, tuple[str, ...]]] = {}
        self._asked: set[Level] = set()

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """The vectors of the texts after the transform; out of vocabulary stays out of vocabulary."""
        self.asked.update(text.text for text in texts)
        fitted = self.fitted(level)
        rows = self.model.embed(texts, level)
        return rows if fitted is None else self.applied(fitted, rows, [text.text for text in texts])

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> list[int]:  # noqa: ARG002
        """All at once: the model underneath cuts its own batches, the same as without a transform."""
        return [len(questions)] if questions else []

    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        """What the model underneath has seen."""
        return self.model.familiarity(words)

    def vocabulary(self) -> Vocabulary:
        """All words of the model underneath, with their vectors after the transform (fitted at level "sentence")."""
        fitted = self.fitted("sentence")
        words = self.model.vocabulary()
        return words if fitted is None else _TransformedVocabulary(words, partial(self.applied, fitted))

    @property
    def name(self) -> str:
        """The name of the transform."""
        return self.prepared.name

    def on(self, model: Embeds, *, learns: bool) -> Transformed:
        """The same over another view of the model; what either learns, both know, unless one of them does not learn."""
        again = copy(self)
        again.model = model
        if learns is not self.learns:
            again.learns = learns
            again._fitted, again._errors, again._lost, again._asked = {}, {}, {}, set()
        return again

    def at_step(self, step: FittedTransform, level: Level) -> Transformed:
        """What an earlier step of it does, at the level that it was learnt at."""
        again = copy(self)
        again._fitted, again._errors, again._stands_still = {level: step}, {}, True
        again.identity = replace(self.identity, digest=f"{self.identity.digest}, {step.digest}")
        return again

    def fitted(self, level: Level) -> FittedTransform | None:
        """What was learnt at this level, now if it was not yet; None in a rehearsal, where only the words are asked.

        What cannot be learnt is tried once. Raises what the model underneath or the transform raises,
        PluginFailedError for a result that cannot be.
        """
        if level in self._fitted:
            return self._fitted[level]
        if level in self._errors:
            raise self._errors[level]
        if self._stands_still:
            raise CapabilityError(
                f"{self.model.name} after a step of {self.prepared.name} at level {next(iter(self._fitted))!r} cannot "
                f"answer at level {level!r}. Take the steps at that level: model.steps({level!r})"
            )
        if not self.learns:
            if level not in self._asked:
                self._asked.add(level)
                self._learnt_from(level)
            return None
        learnt_from = self._learnt_from(level)
        try:
            self._fitted[level] = self._fit(learnt_from, level)
        except BiascoreError as error:
            self._errors[level] = error
            raise
        return self._fitted[level]

    def applied(
        self, fitted: FittedTransform, rows: npt.NDArray[np.float32], words: Sequence[str]
    ) -> npt.NDArray[np.float32]:
        """The rows after the transform; raises PluginFailedError where it gives other rows than it was given."""
        known = _known(rows)
        if not known.any():
            return rows
        given = rows[known]
        texts = [word for word, is_known in zip(words, known, strict=True) if is_known]
        at = self._at(f"applying {self.prepared.name} to {len(texts)} vector(s)")
        new = guarded(at, lambda: fitted.apply(given.copy(), texts), self._limit)
        if not isinstance(new, np.ndarray) or new.shape != given.shape or new.dtype != np.float32:
            kind = f"shape {new.shape}, {new.dtype}" if isinstance(new, np.ndarray) else type(new).__name__
            raise self._impossible(at, f"gave {kind} for vectors of shape {given.shape}, float32")
        bad = ~np.isfinite(new).all(axis=1)
        if bad.any():
            raise self._impossible(
                at, f"made NaN or infinity of the vector of {texts[int(np.argmax(bad))]!r}"
            )
        after = rows.copy()
        after[known] = new
        return after

    def steps(self, level: Level) -> tuple[FittedTransform, ...]:
        """What was learnt after each step, the last one last; empty in a rehearsal."""
        fitted = self.fitted(level)
        if fitted is None:
            return ()
        at = self._at(f"giving the steps of {self.prepared.name}")
        found = guarded(at, lambda: tuple(fitted.steps()), self._limit)
        if not found or not all(isinstance(step, FittedTransform) for step in found):
            raise self._impossible(at, "gave steps that are none")
        return found

    def used(self) -> TransformUsed:
        """The record of the transform for a run, with what was learnt so far."""
        fits = [
            FitUsed(
                level=level,
                digest=fitted.digest,
                facts={**fitted.facts, **self._lost_facts(level)},
                warnings=(*self._lost_warnings(level), *fitted.warnings),
            )
            for level, fitted in sorted(self._fitted.items())
        ]
        return self.prepared.used(self.fingerprint, fits)

    def _at(self, what: str) -> At:
        return self.prepared.at(f"{what}, on {self.model.name},", self.model.name)

    def _learnt_from(self, level: Level) -> dict[str, Vectors]:
        """The vectors of the words to learn from, asked in one call."""
        words = [word for some in self._words.values() for word in some]
        rows = self.model.embed(words, level) if words else np.empty((0, 0), np.float32)
        known = _known(rows)
        found: dict[str, Vectors] = {}
        start = 0
        for role, some in self._words.items():
            mine = known[start : start + len(some)]
            found[role] = Vectors(
                words=tuple(word for word, is_known in zip(some, mine, strict=True) if is_known),
                rows=rows[start : start + len(some)][mine].astype(np.float64),
                lost=tuple(word for word, is_known in zip(some, mine, strict=True) if not is_known),
            )
            start += len(some)
        self._lost[level] = {role: one.lost for role, one in found.items()}
        return found

    def _fit(self, learnt_from: dict[str, Vectors], level: Level) -> FittedTransform:
        at = self._at(f"fitting {self.prepared.name}")
        context = self.prepared.context(self.model, level)
        fitted: object = guarded(at, lambda: self.prepared.transform.fit(learnt_from, context), self._limit)
        if not isinstance(fitted, FittedTransform):
            raise self._impossible(at, f"returned a {type(fitted).__name__}, which is no FittedTransform")
        if not str(getattr(fitted, "digest", "")).startswith("blake2b:"):
            raise self._impossible(at, "has no digest of what was learnt, 'blake2b:<hex>'")
        guarded(
            at,
            lambda: FitUsed(level=level, digest=fitted.digest, facts=fitted.facts, warnings=fitted.warnings),
        )
        return fitted

    def _impossible(self, at: At, what: str) -> BiascoreError:
        owner = self.prepared.owner
        return failed(at, f"{owner.shown}: {at.what} {what}. {report_it(owner)}")

    def _lost_facts(self, level: Level) -> dict[str, Scalar]:
        facts: dict[str, Scalar] = {}
        for role, some in self._lost.get(level, {}).items():
            facts[f"{role}: words used"] = len(self._words[role]) - len(some)
            if some:
                facts[f"{role}: words out of vocabulary"] = len(some)
        return facts

    def _lost_warnings(self, level: Level) -> tuple[str, ...]:
        return tuple(
            f"{len(some)} of the {len(self._words[role])} words of {role!r} that {self.prepared.name} is learnt from "
            f"are out of vocabulary: {listed(some)}"
            for role, some in self._lost.get(level, {}).items()
            if some
        )


def _known(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Which rows are of words that the model knows."""
    return np.asarray(~np.isnan(rows).all(axis=1))


class _TransformedVocabulary(Vocabulary):
    """The words of the model underneath, with their vectors after the transform, a block at a time."""

    def __init__(self, under: Vocabulary, after: _After) -> None:
        self._under = under
        self._after = after

    def __len__(self) -> int:
        return len(self._under)

    def words(self, most: int | None = None) -> Iterator[str]:
        return self._under.words(most)

    def blocks(
        self, rows: int = BLOCK_ROWS, most: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.float32]]]:
        for words, vectors in self._under.blocks(rows, most):
            yield words, self._after(vectors, words)
