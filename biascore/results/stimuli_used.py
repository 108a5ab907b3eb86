"""What a run keeps of its stimuli: the files, and of each test its words by list and what was published for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from biascore.basics.frozen import Frozen
from biascore.results.words.effects import lists_of
from biascore.stimuli import PairList, TemplateList, Test, WordList

MOST_WORDS: Final = 500
"""A run keeps so many words of a list; ``given`` says how many there are, and the file has all."""
_FURNITURE: Final = re.compile(r"^[A-Za-z]{1,5}\d+_|_\d+[a-z]?$")


class StimuliUsed(Frozen):
    """A stimuli file that tests of this run came from, with the hash of its bytes, source and licence."""

    file: str
    sha256: str
    source: str
    licence: str
    tests: tuple[str, ...]


class ListUsed(Frozen):
    """A list of a test: its role, what people call it, and its words, of which MOST_WORDS are kept of the ``given``."""

    role: str
    title: str
    words: tuple[str, ...]
    given: int


class PublishedFigure(Frozen):
    """What a paper gives for a test; to be compared with only where ``comparable`` is true."""

    what: str
    value: float
    model: str
    source: str
    comparable: bool
    p: float | None = None
    note: str = ""


class TestUsed(Frozen):
    """A test as it was measured, with its lists and what was published for it."""

    __test__: ClassVar[bool] = False  # pytest would otherwise collect the class by its name

    id: str
    lists: tuple[ListUsed, ...] = ()
    published: tuple[PublishedFigure, ...] = ()

    @classmethod
    def of(cls, test: Test) -> TestUsed:
        """What is kept of a test."""
        figures = tuple(
            PublishedFigure(
                what=one.what,
                value=one.value,
                model=one.model,
                source=one.source,
                comparable=one.comparable,
                p=one.p,
                note=one.note,
            )
            for one in test.published
        )
        return cls(id=test.id, lists=tuple(_lists(test)), published=figures)


def called(name: str) -> str:
    """The name of a list without what only tells it from others: ``weat7_math`` is math, ``pleasant_5`` pleasant."""
    return _FURNITURE.sub("", _FURNITURE.sub("", name)).replace("_", " ").strip() or name


def _lists(test: Test) -> Iterator[ListUsed]:
    said = lists_of(test.positive_means)
    titles = dict(zip("XAYB", said, strict=True)) if said else {}
    for role, one in test.lists.items():
        words = _words(one)
        if words:
            title = titles.get(role) or called(one.name)
            yield ListUsed(role=role, title=title, words=tuple(words[:MOST_WORDS]), given=len(words))


def _words(one: object) -> Sequence[str]:
    match one:
        case WordList():
            return one.words
        case PairList():
            return [" / ".join(pair) for pair in one.pairs]
        case TemplateList():
            return one.sentences
    return ()
