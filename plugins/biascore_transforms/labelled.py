"""Words of two classes or more: the options that name them, and what the stimuli say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Generic, Literal, Self, TypeVar

from pydantic import Field, model_validator

from biascore.api.stimuli import Catalogue, Test
from biascore.api.support import listed
from biascore.api.transforms import Options, Transform, TransformContext
from biascore.errors import OptionsError, StimuliError
from biascore_transforms.basis_file import check_read_alone
from biascore_transforms.damage import SAMPLE, sample

HELD_OUT: Final = ".test"
"""The end of a role whose words are held out by a fixed split."""
PARTS: Final = (".train", HELD_OUT)
"""The ends of the roles of a test of kind nouns that has a fixed split."""


class LabelledOptions(Options):
    """Which words a transform is learnt from, and which are held out to see whether it found anything.

    ``nouns``: a test of kind nouns, such as ``es/nouns``; or ``lists``: a word list for each class. ``classes``: those
    of the test that are separated, () for all. ``held_out``: the share of each class that is held out, drawn with
    ``seed``; None takes the split of the test where it has one, else a quarter. ``balance``: as many words of every class,
    drawn with ``seed``. ``min_words``: fewer training words are an error; None means the dimension of the vectors.
    ``same_vectors``: words of two classes, or of training and test, with the same vector are an "error", or are left out
    ("drop"). ``sample``: so many of the most frequent words, where the model has a list of them, say what is destroyed, by
    their ``neighbours`` nearest neighbours. ``confidence``: of the intervals. ``basis``: a file that was saved, read instead
    of learning.
    """

    nouns: str = ""
    lists: Annotated[tuple[str, ...], Field(strict=False)] = ()
    classes: Annotated[tuple[str, ...], Field(strict=False)] = ()
    held_out: float | None = Field(default=None, gt=0, lt=1)
    seed: int = Field(default=0, ge=0)
    balance: bool = True
    min_words: int | None = Field(default=None, ge=2)
    same_vectors: Literal["error", "drop"] = "error"
    sample: int = Field(default=2000, ge=0)
    neighbours: int = Field(default=10, ge=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    basis: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = self.model_fields_set
        check_read_alone(self.basis, given)
        if not self.basis and bool(self.nouns) == bool(self.lists):
            raise ValueError(
                "name nouns, a test of kind nouns (such as es/nouns), or lists, a word list for each class; or basis, a "
                "file that was saved"
            )
        if self.lists and (len(self.lists) < 2 or "classes" in given):
            raise ValueError("lists names two lists or more, each a class; classes is for nouns")
        if self.classes and (len(self.classes) < 2 or len(set(self.classes)) < len(self.classes)):
            raise ValueError("classes names two different classes or more, such as masculine and feminine")
        return self

    @property
    def addresses(self) -> tuple[str, ...]:
        """What is read of the stimuli."""
        return (self.nouns,) if self.nouns else self.lists


@dataclass(frozen=True, slots=True)
class ClassWords:
    """The words of one class: of a fixed split the training words and those held out, else all and None."""

    name: str
    train: tuple[str, ...]
    held_out: tuple[str, ...] | None

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """By the names under which the engine asks for them."""
        if self.held_out is None:
            return {self.name: self.train}
        return {f"{self.name}.train": self.train, f"{self.name}{HELD_OUT}": self.held_out}


@dataclass(frozen=True, slots=True)
class Source:
    """The classes in order, and what was left out because it says nothing of a class."""

    classes: tuple[ClassWords, ...]
    repeated: tuple[str, ...] = ()
    of_two_classes: tuple[str, ...] = ()

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """All words to ask for."""
        return {role: words for one in self.classes for role, words in one.roles.items()}


def read_source(options: LabelledOptions, catalogue: Catalogue) -> Source:
    """The words by class; raises UnknownNameError, OptionsError, StimuliError."""
    if not options.nouns:
        return _of_lists(options.lists, catalogue)
    test = catalogue.test(options.nouns)
    if test.kind != "nouns":
        kinds = [one.id for one in catalogue.index if one.kind == "nouns"]
        raise OptionsError(
            f"{test.id} is of kind {test.kind!r} and holds no nouns by class. Name a test of kind nouns: {listed(kinds)}"
        )
    if len(test.roles) < 2:
        raise StimuliError(
            f"{test.id} has one class, {listed(list(test.roles))}. Nouns of two classes are needed, or more"
        )
    wanted = options.classes or tuple(test.roles)
    strange = [name for name in wanted if name not in test.roles]
    if strange:
        raise OptionsError(
            f"{test.id} has no class {listed(strange)}; it has {listed(list(test.roles))}. Set classes"
        )
    if options.held_out is None and any(f"{name}{HELD_OUT}" in test.lists for name in test.roles):
        return Source(
            tuple(ClassWords(name, *(_words(test, name, part) for part in PARTS)) for name in wanted)
        )
    return Source(tuple(ClassWords(name, test.roles[name].words, None) for name in wanted))


def _words(test: Test, name: str, part: str) -> tuple[str, ...]:
    found = test.lists.get(f"{name}{part}")
    return tuple(found.texts()) if found else ()


def _of_lists(addresses: Sequence[str], catalogue: Catalogue) -> Source:
    lists = [catalogue.word_list(address) for address in addresses]
    names = [one.name for one in lists]
    if len(set(names)) < len(names):
        names = list(addresses)
    if len(set(names)) < len(names):
        raise OptionsError(
            f"lists names {listed(names)}, one of them twice. Name a different list for each class"
        )
    counts = Counter(word for one in lists for word in dict.fromkeys(one.words))
    classes = [
        ClassWords(name, tuple(word for word in dict.fromkeys(one.words) if counts[word] == 1), None)
        for name, one in zip(names, lists, strict=True)
    ]
    empty = [one.name for one in classes if not one.train]
    if empty:
        raise StimuliError(f"{listed(empty)} has no word of its own. Name lists that hold different words")
    twice = [word for one in lists for word, count in Counter(one.words).items() if count > 1]
    return Source(tuple(classes), tuple(twice), tuple(word for word, count in counts.items() if count > 1))


OptionsT = TypeVar("OptionsT", bound=LabelledOptions)


class LearntFromClasses(Transform[OptionsT], Generic[OptionsT]):
    """A transform that is learnt from words of classes, or read from a file: what it asks for and what it reads."""

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:
        """The words of each class, and those that say what is destroyed."""
        if self.options.basis:
            if context.identity is None:  # a damaged file is found before a model is opened
                self.fit({}, context)
            return {}
        return {**read_source(self.options, context.catalogue).roles, **sample(context, self.options.sample)}

    def taught_by(self, words: Mapping[str, Sequence[str]]) -> Iterable[str]:
        """The words of the classes, without those that a fixed split holds out."""
        roles = [role for role in words if role != SAMPLE and not role.endswith(HELD_OUT)]
        return [word for role in roles for word in words[role]]

    def stimuli(self) -> Sequence[str]:
        """The test or the lists."""
        return self.options.addresses

    def files(self) -> Sequence[str]:
        """What is read instead of learnt."""
        return (self.options.basis,) if self.options.basis else ()
