"""A test with fewer items, or with more: as many again, made up, which a planted model knows as well as the real ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from biascore.stimuli import (
    Dimension,
    FiseTest,
    GenderedSample,
    GenderPairsTest,
    PairList,
    Sample,
    SamplesTest,
    SentencePair,
    SentencePairsTest,
    Test,
    WordList,
)

T = TypeVar("T")


def resized(test: Test, times: float, id: str) -> Test | None:
    """The test under another id with ``times`` as many items in each of its lists, or None where its kind cannot be resized.

    Of fewer items those at even steps are taken, words of a family together. Further ones are copies with a number
    (``salary_2``): another word, of which a planted model draws another place. Samples are counted within a stereotype.
    """
    if isinstance(test, FiseTest):
        return replace(
            test,
            id=id,
            targets=_pairs(test.targets, times)
            if isinstance(test.targets, PairList)
            else _words(test.targets, times),
            dimensions=tuple(_dimension(one, times) for one in test.dimensions),
            affect=tuple(_dimension(one, times) for one in test.affect),
        )
    if isinstance(test, SentencePairsTest):
        pairs = _scaled(test.pairs.pairs, times, _sentence_pair)
        return replace(test, id=id, pairs=replace(test.pairs, pairs=pairs))
    if isinstance(test, SamplesTest):
        samples = _by(test.samples.samples, lambda one: one.stereotype, times, _sample)
        return replace(test, id=id, samples=replace(test.samples, samples=samples))
    if isinstance(test, GenderPairsTest):
        gendered = _by(test.pairs.pairs, lambda one: one.stereotype, times, _gendered)
        return replace(test, id=id, pairs=replace(test.pairs, pairs=gendered))
    if type(test) is Test:
        return replace(test, id=id, roles={role: _words(one, times) for role, one in test.roles.items()})
    return None


def sizes(test: Test) -> Mapping[str, int]:
    """How many items each list of a test that can be resized holds, by role; duplicates count once."""
    found: dict[str, int] = {}
    for role, one in test.lists.items():
        items = next(
            (getattr(one, name) for name in ("words", "pairs", "samples", "persons") if hasattr(one, name)),
            None,
        )
        if items is not None:
            found[role] = len(dict.fromkeys(items))
    return found


def _dimension(dimension: Dimension, times: float) -> Dimension:
    return replace(dimension, A=_words(dimension.A, times), B=_words(dimension.B, times))


def _words(given: WordList, times: float) -> WordList:
    whole = {family[0]: family for family in given.families}
    units = dict.fromkeys(given.family_of(word) for word in given.words)
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


def _sentence_pair(pair: SentencePair, number: int) -> SentencePair:
    return replace(
        pair,
        sent_more=_said(pair.sent_more, number),
        sent_less=_said(pair.sent_less, number),
        template=pair.template and _said(pair.template, number),
    )


def _sample(sample: Sample, number: int) -> Sample:
    return replace(sample, sentence=_said(sample.sentence, number))


def _gendered(pair: GenderedSample, number: int) -> GenderedSample:
    return replace(pair, male=_said(pair.male, number), female=_said(pair.female, number))


def _named(word: str, number: int) -> str:
    return word if number == 1 else f"{word}_{number}"


def _said(sentence: str, number: int) -> str:
    """Another sentence of the same form: what it says is of no matter to a planted model."""
    if number == 1:
        return sentence
    body = sentence.rstrip(".!?…。")
    return f"{body} {number}{sentence[len(body) :]}"


def _by(
    items: Sequence[T], of: Callable[[T], int], times: float, copy: Callable[[T, int], T]
) -> tuple[T, ...]:
    groups: dict[int, list[T]] = {}
    for item in items:
        groups.setdefault(of(item), []).append(item)
    return tuple(item for group in groups.values() for item in _scaled(group, times, copy, least=1))


def _scaled(items: Sequence[T], times: float, copy: Callable[[T, int], T], least: int = 2) -> tuple[T, ...]:
    """``times`` as many items, ``least`` of them at least: even steps through the items, and numbered copies."""
    wanted = max(min(least, len(items)), round(times * len(items)))
    found = [copy(item, number) for number in range(1, wanted // len(items) + 1) for item in items]
    left = wanted - len(found)
    steps = [items[(2 * i + 1) * len(items) // (2 * left)] for i in range(left)]
    return (*found, *(copy(item, wanted // len(items) + 1) for item in steps))


def _copies(times: float) -> int:
    return int(times) + 1
