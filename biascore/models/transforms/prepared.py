"""A transform that is ready for models: made by name or given, with the plugin it comes from, its words checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from biascore.basics.guard import failed, guarded, report_it
from biascore.basics.wording import listed
from biascore.errors import At, OptionsError, Owner, UnknownNameError
from biascore.files.paths import user_path
from biascore.files.reading import file_digest
from biascore.models.backend import Identity
from biascore.models.questions import codecs
from biascore.models.questions.questions import Familiarity, Level, Text
from biascore.models.transforms.transform import Transform, TransformContext, VocabularyUnknownError
from biascore.models.usage import FitUsed, TransformUsed
from biascore.models.vocabulary import Vocabulary
from biascore.stimuli import Catalogue


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
                f"{transform.name} was made with its options already; it takes no further {', '.join(options)}. "
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

    def taught_by(self, words: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """Those of its ``words`` that decide what it does to vectors."""
        at = self.at(f"naming the words that decide what {self.name} does")
        return guarded(at, lambda: frozenset(self.transform.taught_by(words)))

    def check(self) -> None:
        """Raise what can be known to be wrong before a model is opened."""
        with suppress(VocabularyUnknownError):  # its words depend on the model
            self.words()
        for address in self.addresses:
            self.catalogue.origin(address)
        self.files()

    @property
    def addresses(self) -> tuple[str, ...]:
        """The tests and lists that its words are from."""
        return guarded(self.at(f"naming the stimuli of {self.name}"), lambda: tuple(self.transform.stimuli()))

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
            stimuli=self.addresses,
            fits=tuple(fits),
        )


def _vocabulary(model: Embeds | None, most: int) -> Sequence[str]:
    if model is None:
        raise VocabularyUnknownError("the most frequent words of a model are known once it is open")
    return tuple(model.vocabulary().words(most))


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
