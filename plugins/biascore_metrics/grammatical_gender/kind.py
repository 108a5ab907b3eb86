"""Kind ``nouns``: nouns by grammatical gender, from which a direction of gender is learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Self

from pydantic import Field, model_validator

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
)
from biascore.api.support import listed


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
        parts = {
            f"{one.name}.{part}": WordList(f"{one.name}.{part}", words)
            for one in self.classes
            for part, words in (("train", one.train), ("test", one.test))
            if words
        }
        return {**self.roles, **parts}


def class_problems(classes: Sequence[NounClass]) -> Iterator[Problem]:
    """The key (``("train", "feminine")``) and the problem of words that stand where they may not."""
    owners: dict[str, str] = {}
    for one in classes:
        for key, words in (("classes", one.words), ("train", one.train), ("test", one.test)):
            twice = [word for word, count in Counter(words).items() if count > 1]
            if twice:
                yield (key, one.name), f"has {listed(twice)} twice. Keep each once"
        known = dict.fromkeys(one.words)
        for word in known:
            owners.setdefault(word, one.name)
        of_two = [word for word in known if owners[word] != one.name]
        if of_two:
            other = owners[of_two[0]]
            shared = listed([word for word in of_two if owners[word] == other])
            yield ("classes", one.name), f"has {shared}, as {other} has. Leave nouns of two classes out"
        if one.train and not one.test:
            yield ("train", one.name), "has no test part. Split every class into train and test, or none"
        if one.test and not one.train:
            yield ("test", one.name), "holds every noun out, so that none is left to learn from"
        for key, words in (("train", one.train), ("test", one.test)):
            strange = [word for word in words if word not in known]
            if strange:
                yield (key, one.name), f"has {listed(strange)}, which the class does not have"
        learnt = set(one.train)
        both = [word for word in one.test if word in learnt]
        if both:
            yield (
                ("test", one.name),
                f"has {listed(both)}, which train has too. Held-out nouns are never learnt from",
            )
    split = [one.name for one in classes if one.test]
    if split and len(split) < len(classes):
        unsplit = [one.name for one in classes if not one.test]
        yield ("test", split[0]), f"is split, and {listed(unsplit)} is not. Split every class, or none"


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
        for key, parts in (("train", self.train), ("test", self.test)):
            strange = [name for name in parts if name not in self.classes]
            if strange:
                raise ValueError(f"{key} has {strange[0]!r}, which is not among the classes")
        return self

    def references(self) -> Iterator[Reference]:
        """The list of each class, and of its training and held-out nouns."""
        for key, parts in (("classes", self.classes), ("train", self.train), ("test", self.test)):
            yield from (Reference((key, name), words) for name, words in parts.items())

    def problems(self, file: Any) -> Iterator[Problem]:
        """Words that stand where they may not."""
        yield from class_problems(noun_classes(self, file.lists))

    def build(self, lists: Lists, about: AboutTest) -> GenderedNounsTest:
        """The test."""
        return GenderedNounsTest(classes=noun_classes(self, lists["lists"]), **about)


def noun_classes(test: NounsEntry, lists: Mapping[str, Any]) -> tuple[NounClass, ...]:
    """The classes of a test of nouns with their words; where only held-out nouns are listed, the rest is learnt from."""
    found = []
    for name, wanted in test.classes.items():
        words = lists[wanted].words
        held_out = lists[test.test[name]].words if name in test.test else ()
        train = lists[test.train[name]].words if name in test.train else ()
        if held_out and not train:
            train = tuple(word for word in words if word not in held_out)
        found.append(NounClass(name, words, train, held_out))
    return tuple(found)
