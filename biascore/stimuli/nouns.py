"""Kind ``nouns``: nouns by grammatical gender, from which a direction of gender is learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from biascore.basics.wording import listed
from biascore.stimuli.lists import Stimuli, WordList
from biascore.stimuli.model import Test


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


Problem = tuple[tuple[str, str], str]


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
            yield ("train", one.name), "has no test beside it. Split every class into train and test, or none"
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
