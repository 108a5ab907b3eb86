"""Vectors through a transform: fitted once for each level, when it is first needed, on the model underneath."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from biascore.basics.frozen import Scalar
from biascore.basics.guard import At, Owner, failed, guarded, report_it
from biascore.basics.wording import listed
from biascore.errors import BiascoreError, CapabilityError, OptionsError, UnknownNameError
from biascore.files.paths import user_path
from biascore.files.reading import file_digest
from biascore.models import codecs
from biascore.models.adapter import Backend, Identity
from biascore.models.capabilities import hookimpl
from biascore.models.questions import Familiarity, Level, Text
from biascore.models.used import FitUsed, TransformUsed
from biascore.models.vocabulary import BLOCK_ROWS, Vocabulary
from biascore.stimuli import Catalogue
from biascore.transform import FittedTransform, Transform, TransformContext, Vectors, VocabularyUnknownError

_After = Callable[[npt.NDArray[np.float32], Sequence[str]], npt.NDArray[np.float32]]


class Embeds(Protocol):
    """What a transform needs of the model underneath."""

    identity: Identity

    @property
    def name(self) -> str:
        """Its short name."""

    def embed(self, texts: Sequence[Text | str], level: Level = ...) -> npt.NDArray[np.float32]:
        """Vectors (n, d), float32; a row of NaN is out of vocabulary."""

    def familiarity(self, words: Sequence[str]) -> tuple[Familiarity, ...]:
        """Whether it has seen each word in training."""

    def vocabulary(self) -> Vocabulary:
        """All words that it has vectors for; raises CapabilityError where it has no list of them."""


@dataclass(frozen=True, slots=True)
class Transforms:
    """What the engine lends to models so that they can be transformed by name: ``make`` and ``owner`` of a class.

    The defaults know no name, so that a model made by hand takes instances of ``Transform`` alone.
    """

    catalogue: Catalogue = field(default_factory=lambda: Catalogue(()))
    make: Callable[[str, Mapping[str, Any]], Transform] = lambda name, _options: _no_names(name)
    owner: Callable[[Transform], Owner] = lambda transform: Owner(f"transform {transform.name}")

    def get(self, transform: str | Transform, options: Mapping[str, Any]) -> Prepared:
        """The transform by name with these options, or an instance, with the plugin that it comes from.

        Raises UnknownNameError, or OptionsError for options that it does not take.
        """
        if isinstance(transform, str):
            transform = self.make(transform, options)
        elif options:
            raise OptionsError(
                f"{transform.name} was made with its options already; it takes no {', '.join(options)} beside them. "
                f"Give them to {type(transform).__name__}, or name the transform: with_transform({transform.name!r}, ...)"
            )
        return Prepared(transform, self.owner(transform), self.catalogue)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A transform with its options, the plugin that it comes from, and the stimuli that it may learn from."""

    transform: Transform
    owner: Owner
    catalogue: Catalogue

    @property
    def name(self) -> str:
        """What users type."""
        return self.transform.name

    def at(self, what: str, model: str = "") -> At:
        """The place that errors of its code carry."""
        return At(self.owner, "answering" if model else "checking", what, model)

    def context(self, model: Embeds | None, level: Level | None = None) -> TransformContext:
        """What is lent to the transform on this model, or before one is open."""
        return TransformContext(
            catalogue=self.catalogue,
            identity=model.identity if model else None,
            level=level,
            vocabulary=partial(_vocabulary, model),
        )

    def words(self, model: Embeds | None = None) -> dict[str, tuple[str, ...]]:
        """The words that it is learnt from, by role; raises what is wrong with them."""
        at = self.at(f"naming the words that {self.name} is learnt from")
        found = guarded(at, lambda: dict(self.transform.words(self.context(model))))
        wrong = [
            role
            for role, words in found.items()
            if isinstance(words, str) or not all(isinstance(word, str) and word for word in words)
        ]
        if wrong:
            raise failed(
                at,
                f"{self.owner.shown}: {self.name} names {listed(wrong)} without a sequence of words. "
                f"{report_it(self.owner)}",
            )
        return {role: tuple(words) for role, words in found.items()}

    def check(self) -> None:
        """Raise what can be known to be wrong before a model is opened."""
        with suppress(VocabularyUnknownError):  # its words depend on the model
            self.words()
        self.files()

    def files(self) -> tuple[str, ...]:
        """The digests of the files that it reads; raises DataError."""
        paths = guarded(self.at(f"naming the files of {self.name}"), lambda: tuple(self.transform.files()))
        return tuple(file_digest(user_path(path), str(path)) for path in paths)

    def fingerprint(self, words: Mapping[str, Sequence[str]]) -> str:
        """What tells its answers from those of another: who wrote it, name, options, words and files."""
        options = self.transform.options.model_dump(mode="json")
        parts = [f"{self.owner.dist} {self.owner.version}", self.name, options]
        return codecs.digest(
            [*parts, {role: list(some) for role, some in words.items()}, list(self.files())]
        ).hex()

    def used(self, fingerprint: str, fits: Sequence[FitUsed]) -> TransformUsed:
        """The record of it for a run."""
        options = self.transform.options
        return TransformUsed(
            name=self.name,
            dist=self.owner.dist,
            version=self.owner.version,
            options=options.model_dump(mode="json"),
            explicit_options=options.model_dump(mode="json", exclude_unset=True),
            fingerprint=fingerprint,
            stimuli=tuple(self.transform.stimuli()),
            fits=tuple(fits),
        )


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
        """The same over another face of the model; what either learns, both know, unless one of them does not learn."""
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


def _vocabulary(model: Embeds | None, most: int) -> Sequence[str]:
    if model is None:
        raise VocabularyUnknownError("the most frequent words of a model are known once it is open")
    return tuple(model.vocabulary().words(most))


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


def _no_names(name: str) -> Transform:
    raise UnknownNameError(
        f"there is no transform {name!r}: this model was not opened by an Engine, which knows them by name. Open it "
        "with engine.model(...), or give the transform itself"
    )


def no_vectors(transform: str, model: str, capabilities: Collection[str]) -> str:
    """Why a model that cannot embed has no transform."""
    return (
        f"{transform} changes vectors, and {model} has none: it can {', '.join(sorted(capabilities))}. Leave the "
        "transform out, or name a model that can embed: biascore list adapters"
    )


def only_vectors(hook: str, model: str, transform: str) -> str:
    """Why a transformed model does not answer ``hook``."""
    return (
        f"{model} cannot {hook}: {transform} changes vectors alone, so the answer would be that of the model without it. "
        f"Ask the model without {transform}, or choose a metric that needs only embed: biascore list metrics"
    )
