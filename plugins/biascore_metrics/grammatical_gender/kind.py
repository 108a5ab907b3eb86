"""Kind ``nouns``: nouns by grammatical gender, from which a direction of gender is learnt; and what metrics take of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from biascore.api.kinds import (
    AboutTest,
    Lists,
    Name,
    Problem,
    Prose,
    Reference,
    Stimuli,
    Test,
    TestEntry,
    WordList,
    check_fit,
)
from biascore.api.stimuli import Catalogue
from biascore.api.support import listed
from biascore.errors import OptionsError

MASCULINE: Final = "masculine"
FEMININE: Final = "feminine"
PLURAL: Final = "plural"
CLASSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("m", "masc", MASCULINE), MASCULINE),
        **dict.fromkeys(("f", "fem", FEMININE), FEMININE),
        **dict.fromkeys(("n", "neut", "neuter"), "neuter"),
        **dict.fromkeys(("c", "com", "common"), "common"),
        **dict.fromkeys(("pl", "plur", "ptan", PLURAL), PLURAL),
    }
)
"""The class that a value of Gender represents, in lower case; the order is that of the classes of a test."""
ClassName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_+-]*$")]
PARTS: Final = ("train", "test")


@dataclass(frozen=True, slots=True)
class NounClass:
    """The nouns of one grammatical gender (or number), in list order, and which of them a fixed split puts where.

    ``train`` and ``test`` are disjoint parts of ``words``, both empty where the test fixes no split; a word in neither is
    spare: not to be learnt from, and not to be scored.
    """

    name: str
    words: tuple[str, ...]
    train: tuple[str, ...] = ()
    test: tuple[str, ...] = ()

    @property
    def scored(self) -> tuple[str, ...]:
        """The nouns of both parts of a split, or all."""
        return (*self.train, *self.test) or self.words


@dataclass(frozen=True, slots=True, kw_only=True)
class GenderedNounsTest(Test):
    """Kind ``nouns``: nouns of two or more classes ("masculine", "feminine", "neuter", …), in this order.

    No word is in two classes or twice in one. Either every class has a split of ``train`` and ``test``, or none has.
    The roles are the classes' words.
    """

    classes: tuple[NounClass, ...]

    def __post_init__(self) -> None:
        roles = {one.name: WordList(one.name, one.words) for one in self.classes}
        object.__setattr__(self, "roles", MappingProxyType(roles))

    @property
    def is_split(self) -> bool:
        """Whether the test says which nouns are held out."""
        return any(one.test for one in self.classes)

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role: the words of each class, and the parts of its split."""
        parts = {f"{one.name}.{part}": getattr(one, part) for one in self.classes for part in PARTS}
        return {**self.roles, **{name: WordList(name, words) for name, words in parts.items() if words}}

    def two_genders(self, metric: str) -> tuple[NounClass, NounClass]:
        """The masculine and the feminine nouns; raises OptionsError where one of the classes is missing."""
        classes = {one.name: one for one in self.classes if one.words}
        missing = [name for name in (MASCULINE, FEMININE) if name not in classes]
        if missing:
            raise OptionsError(
                f"{metric} needs masculine and feminine nouns, and {self.id} ({self.file}) has no class "
                f"{' and no class '.join(map(repr, missing))}; its classes are {', '.join(self.roles)}. Choose another test "
                "of this kind: biascore list tests --metric sc-gg-weat"
            )
        return classes[MASCULINE], classes[FEMININE]


class NounsEntry(TestEntry):
    """``[tests.ID]`` of kind ``nouns``: the list of each class, and of its training and held-out nouns."""

    kind: Literal["nouns"]
    classes: dict[Name, Prose]
    train: dict[Name, Prose] = Field(default_factory=dict)
    test: dict[Name, Prose] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _classes_compare(self) -> Self:
        if len(self.classes) < 2:
            raise ValueError("classes has fewer than two classes, so there is no gender to tell from another")
        for key, parts in zip(PARTS, (self.train, self.test), strict=True):
            strange = [name for name in parts if name not in self.classes]
            if strange:
                raise ValueError(f"{key} has {strange[0]!r}, which is not among the classes")
        return self

    def references(self) -> Iterator[Reference]:
        for key, parts in (("classes", self.classes), ("train", self.train), ("test", self.test)):
            yield from (Reference((key, name), words) for name, words in parts.items())

    def build(self, lists: Lists, about: AboutTest) -> GenderedNounsTest:
        classes = self._classes(lists["lists"])
        check_fit(_problems(classes))
        return GenderedNounsTest(classes=classes, **about)

    def _classes(self, lists: Mapping[str, Any]) -> tuple[NounClass, ...]:
        """The classes with their words; where only held-out nouns are listed, the rest is learnt from."""
        found = []
        for name, wanted in self.classes.items():
            words = lists[wanted].words
            train, test = (lists[one[name]].words if name in one else () for one in (self.train, self.test))
            if test and not train:
                train = tuple(word for word in words if word not in test)
            found.append(NounClass(name, words, train, test))
        return tuple(found)


def _problems(classes: tuple[NounClass, ...]) -> Iterator[Problem]:
    """The key (``("train", "feminine")``) and the problem of words that stand where they may not."""
    owners = {word: one.name for one in reversed(classes) for word in one.words}
    for one in classes:
        parts = dict(zip(PARTS, (one.train, one.test), strict=True))
        for key, words in {"classes": one.words, **parts}.items():
            twice = [word for word, count in Counter(words).items() if count > 1]
            if twice:
                yield (key, one.name), f"has {listed(twice)} twice. Keep each once"
        of_two = [word for word in dict.fromkeys(one.words) if owners[word] != one.name]
        if of_two:
            other = owners[of_two[0]]
            shared = listed([word for word in of_two if owners[word] == other])
            yield ("classes", one.name), f"has {shared}, as {other} has. Leave nouns of two classes out"
        if one.train and not one.test:
            yield ("train", one.name), "has no test part. Split every class into train and test, or none"
        if one.test and not one.train:
            yield ("test", one.name), "holds every noun out, so that none is left to learn from"
        known, learnt = set(one.words), set(one.train)
        for key, words in parts.items():
            strange = [word for word in words if word not in known]
            if strange:
                yield (key, one.name), f"has {listed(strange)}, which the class does not have"
        both = [word for word in one.test if word in learnt]
        if both:
            told = f"has {listed(both)}, which train has too. Held-out nouns are never learnt from"
            yield ("test", one.name), told
    split = [one.name for one in classes if one.test]
    unsplit = [one.name for one in classes if not one.test]
    if split and unsplit:
        yield ("test", split[0]), f"is split, and {listed(unsplit)} is not. Split every class, or none"


def nouns_of(id: str, catalogue: Catalogue, metric: str) -> GenderedNounsTest:
    """The nouns of an option; raises UnknownNameError, and OptionsError for a test of another kind or of one gender only."""
    test = catalogue.test(id)
    if not isinstance(test, GenderedNounsTest):
        raise OptionsError(
            f"{metric}: nouns={id} names a test of kind {test.kind!r}, and nouns by gender are of kind 'nouns'. See "
            "those that there are: biascore list tests --metric sc-gg-weat"
        )
    test.two_genders(metric)
    return test


@dataclass(frozen=True, slots=True)
class Poles:
    """The test of kind ``weat`` whose A and B a metric needs: that which its ``option`` names, or ``LANGUAGE/usual``.

    ``what`` its A and B are together, ``advice`` which test to name.
    """

    metric: str
    option: str
    usual: str
    what: str
    advice: str

    def of(self, id: str | None, test: Test, catalogue: Catalogue) -> Test:
        """The test; raises UnknownNameError for an id of none, OptionsError for another kind and where there is none."""
        usual = f"{test.language}/{self.usual}"
        if id is None and usual not in {one.id for one in catalogue.index}:
            raise OptionsError(
                f"{self.metric} needs {self.what}, and there is no {usual} to take them from. Name a test of kind weat "
                f"{self.advice.format(language=test.language)}"
            )
        found = catalogue.test(id or usual)
        if found.kind != "weat":
            raise OptionsError(
                f"{self.metric}: {self.option}={found.id} is of kind {found.kind!r}, and {self.what} are the A and B of a "
                "test of kind weat. See those that there are: biascore list tests --metric weat"
            )
        return found
