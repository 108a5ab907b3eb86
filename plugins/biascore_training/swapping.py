"""Swapping the words of pairs in a text: pure work on text, with no language but that of the pairs in it."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from biascore.api.stimuli import PairList
from biascore.errors import StimuliError

_NEXT: Final = re.compile(r"\s+[\"'“‘«(\[]?(\w[\w-]*)")
"""The word that follows: after white space, and perhaps one mark that opens a quotation or bracket."""


@dataclass(frozen=True, slots=True)
class Swapped:
    """A text after swapping, and how many words were changed in it; 0 leaves it as it was."""

    text: str
    words: int


@dataclass(frozen=True, slots=True)
class _Partner:
    """What a word becomes: ``listed`` is the word as its pair gives it, ``not_before`` as in PairList, folded."""

    listed: str
    word: str
    not_before: frozenset[str]


class Swapper:
    """Swaps each word for its partner, in both directions at once.

    The pair of a word is the first that holds it, in the order of ``pairs`` and then ``names``; one of a list with
    ``not_before`` counts only where another word follows that is none of these. A word is a run of letters, digits,
    underscores and the marks on them, so that hyphens and apostrophes end it: "mother-in-law", "he's". A phrase
    ("ballet dancer", also written with underscores in the list) is swapped before its parts. Case is ignored and kept
    (he, He, HE); names, which may be words ("Will", "Rose"), are only taken as the list writes them, or in capitals. A
    pair of the same word twice keeps it as it is. Articles, adjectives and verbs around a word are not changed.
    """

    def __init__(self, pairs: Iterable[PairList], names: Iterable[PairList] = ()) -> None:
        self._words: dict[str, list[_Partner]] = {}
        self._names: dict[str, list[_Partner]] = {}
        self._lengths: dict[str, set[int]] = {}  # by first word: of how many words are what begins with it
        for listed in pairs:
            self._add(listed, self._words, _folded)
        for listed in names:
            self._add(listed, self._names, _composed)
            self._add(_in_capitals(listed), self._names, _composed)

    def __call__(self, text: str) -> Swapped:
        """The text with its words swapped; text without any is returned as it is."""
        parts: list[str] = []
        end = words = 0
        for start, stop, new in self._swaps(text):
            changed = new != text[start:stop]
            parts += (text[end:start], new)
            end, words = stop, words + changed
        return Swapped("".join([*parts, text[end:]]), words)

    def _swaps(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and new text of each word or phrase that has a partner, from left to right, longest first."""
        found = [match.span() for match in _word().finditer(text)]
        at = 0
        while at < len(found):
            start = found[at][0]
            for length in sorted(self._lengths.get(_folded(text[slice(*found[at])]), ()), reverse=True):
                if at + length <= len(found):
                    stop = found[at + length - 1][1]
                    new = self._swapped(text, start, stop)
                    if new is not None:
                        yield start, stop, new
                        at += length - 1
                        break
            at += 1

    def _swapped(self, text: str, start: int, stop: int) -> str | None:
        found = text[start:stop]
        for partner in (*self._words.get(_folded(found), ()), *self._names.get(_composed(found), ())):
            if partner.not_before:
                following = _NEXT.match(text, stop)
                if following is None or _folded(following[1]) in partner.not_before:
                    continue
            return _like(found, partner)
        return None

    def _add(self, listed: PairList, into: dict[str, list[_Partner]], key: Callable[[str], str]) -> None:
        not_before = frozenset(map(_folded, listed.not_before))
        for pair in listed.pairs:
            one, other = (word.replace("_", " ") for word in pair)
            for word, partner in ((one, other), (other, one)):
                words = _word().findall(word)
                if not words:
                    raise StimuliError(
                        f"{listed.name}: {word!r} holds no letter or digit, so that it is no word to swap. Leave its pair "
                        "out"
                    )
                into.setdefault(key(word), []).append(_Partner(_composed(word), partner, not_before))
                self._lengths.setdefault(_folded(words[0]), set()).add(len(words))


def _composed(text: str) -> str:
    """As words are compared: composed, one kind of space, one kind of apostrophe."""
    return unicodedata.normalize("NFC", " ".join(text.split()).replace("’", "'"))


def _folded(text: str) -> str:
    """The same without case."""
    return unicodedata.normalize("NFC", _composed(text).casefold())


def _in_capitals(listed: PairList) -> PairList:
    capitals = tuple((one.upper(), other.upper()) for one, other in listed.pairs)
    return PairList(listed.name, capitals, listed.sides)


def _like(found: str, partner: _Partner) -> str:
    """The partner in the case of the word that was found, which stays as it is where it is its own partner."""
    if _folded(partner.word) == _folded(partner.listed):
        return found
    if _composed(found) == partner.listed:
        return partner.word
    if found.isupper() and len(found) > 1:
        return partner.word.upper()
    if found.islower():
        return partner.word.lower()
    return partner.word[:1].upper() + partner.word[1:] if found[:1].isupper() else partner.word


@cache
def _word() -> re.Pattern[str]:
    """A word with the marks on its letters, which Python's ``\\w`` does not know ("é" of two characters, Devanagari)."""
    marks = [code for code in range(sys.maxunicode) if unicodedata.category(chr(code)).startswith("M")]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    inside = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
    return re.compile(rf"\w[\w{inside}]*")
