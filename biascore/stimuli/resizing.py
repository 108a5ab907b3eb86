"""Lists with fewer items, or with more: as many again, made up, which a planted model knows as well as the real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from biascore.stimuli.lists import PairList, WordList

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Resizing:
    """``times`` as many items in each list of a test.

    Of fewer items those at even steps are taken, words of a family together. Further ones are copies with a number
    (``salary_2``): another word, of which a planted model draws another place.
    """

    times: float

    def words(self, given: WordList) -> WordList:
        """A word list, with the families, tags and marks of the words that it has then."""
        return _words(given, self.times)

    def pairs(self, given: PairList) -> PairList:
        """A list of pairs of words."""
        return _pairs(given, self.times)

    def items(self, items: Sequence[T], copy: Callable[[T, int], T]) -> tuple[T, ...]:
        """Items of any kind, of which ``copy`` makes the copy of a number."""
        return _scaled(items, self.times, copy)

    def items_of(
        self, items: Sequence[T], group: Callable[[T], int], copy: Callable[[T, int], T]
    ) -> tuple[T, ...]:
        """The same within each group."""
        groups: dict[int, list[T]] = {}
        for item in items:
            groups.setdefault(group(item), []).append(item)
        return tuple(item for some in groups.values() for item in _scaled(some, self.times, copy, least=1))


def said(sentence: str, number: int) -> str:
    """Another sentence of the same form: what it says is of no matter to a planted model."""
    if number == 1:
        return sentence
    body = sentence.rstrip(".!?…。")
    return f"{body} {number}{sentence[len(body) :]}"


def _words(given: WordList, times: float) -> WordList:
    whole = {family[0]: family for family in given.families}
    units = dict.fromkeys(given.families_of(given.words))
    families = [whole.get(unit, (unit,)) for unit in units]
    chosen = _scaled(families, times, lambda family, number: tuple(_named(word, number) for word in family))
    words = tuple(word for family in chosen for word in family)
    numbers = range(1, _copies(times) + 1)
    tags = {_named(word, number): tag for word, tag in given.parts_of_speech.items() for number in numbers}
    marks = {
        mark: tuple(found for one in some for number in numbers if (found := _named(one, number)) in words)
        for mark, some in given.marks.items()
    }
    return replace(
        given,
        words=words,
        families=tuple(family for family in chosen if len(family) > 1),
        parts_of_speech={word: tag for word, tag in tags.items() if word in words},
        marks={mark: some for mark, some in marks.items() if some},
    )


def _pairs(given: PairList, times: float) -> PairList:
    def copy(pair: tuple[str, str], number: int) -> tuple[str, str]:
        return _named(pair[0], number), _named(pair[1], number)

    pairs = _scaled(tuple(dict.fromkeys(given.pairs)), times, copy)
    kept = {first for first, _ in pairs}
    copied = [
        tuple(found for word in family if (found := _named(word, number)) in kept)
        for number in range(1, _copies(times) + 1)
        for family in given.families
    ]
    return replace(given, pairs=pairs, families=tuple(family for family in copied if len(family) > 1))


def _scaled(items: Sequence[T], times: float, copy: Callable[[T, int], T], least: int = 2) -> tuple[T, ...]:
    """``times`` as many items, ``least`` of them at least: even steps through the items, and numbered copies."""
    wanted = max(min(least, len(items)), round(times * len(items)))
    found = [copy(item, number) for number in range(1, wanted // len(items) + 1) for item in items]
    left = wanted - len(found)
    steps = [items[(2 * i + 1) * len(items) // (2 * left)] for i in range(left)]
    return (*found, *(copy(item, wanted // len(items) + 1) for item in steps))


def _named(word: str, number: int) -> str:
    return word if number == 1 else f"{word}_{number}"


def _copies(times: float) -> int:
    return int(times) + 1
