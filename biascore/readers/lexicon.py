"""How many words of a text are in lists (agentic, communal), negated words apart, and the mean of their ratings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biascore.basics.wording import quoted
from biascore.errors import DataError
from biascore.files.reading import UTF8
from biascore.files.tables import read_table
from biascore.languages.gender_rules.words import WordSet
from biascore.readers.reading import Evidence, Reading
from biascore.readers.tokens import Token, tokens_of
from biascore.readers.words import ReaderWords

FOUND: Final = "words found"
NONE: Final = "none"
EMPTY: Final = "empty"
LEXICON: Final = (FOUND, NONE, EMPTY)
"""The outcomes: *none* has words and none of the lists, negated or not; *empty* has no word."""
_REACH: Final = 3
"""How many words before a word a negation may stand, in the same sentence, with no comma or other mark between."""


@dataclass(frozen=True, slots=True)
class LexiconReading(Reading):
    """Counts of one text: ``words`` are all, ``counts`` those of each list, ``negated`` those of each that are negated.

    ``ratings`` are those of each rated word that is not negated, in reading order, one for each time that it stands.
    """

    words: int = 0
    counts: Mapping[str, int] | None = None
    negated: Mapping[str, int] | None = None
    ratings: tuple[float, ...] = ()

    def share(self, name: str) -> float | None:
        """Words of a list that are not negated, of all words; None without words."""
        return (self.counts or {})[name] / self.words if self.words else None

    def share_of(self, name: str, other: str) -> float | None:
        """Words of one list, of those of two; None where the text has neither."""
        counts = self.counts or {name: 0, other: 0}
        both = counts[name] + counts[other]
        return counts[name] / both if both else None

    @property
    def rating(self) -> float | None:
        """The mean rating; None without a rated word."""
        return math.fsum(self.ratings) / len(self.ratings) if self.ratings else None


class LexiconReader:
    """Reads texts by lists of words, and by ratings of words.

    A word counts as it is written in a list, in any case: other forms of it have to be listed, too. Words of several parts
    ("self-assured") are found. ``words`` gives the negations of the language; without it nothing is negated.
    Raises ValueError where there is no word, or a word is in two lists.
    """

    outcomes: Final = LEXICON

    def __init__(
        self,
        lists: Mapping[str, Collection[str]],
        words: ReaderWords | None = None,
        ratings: Mapping[str, float] | None = None,
    ) -> None:
        self.names = tuple(lists)
        self._negations = WordSet(words.words.get("negations", ()) if words is not None else ())
        self._lists: dict[tuple[str, ...], str] = {}
        for name, entries in lists.items():
            for entry in entries:
                if self._lists.setdefault(_parts(entry), name) != name:
                    raise ValueError(
                        f"{entry!r} is in two lists, {self._lists[_parts(entry)]} and {name}. Take it out of one"
                    )
        self._ratings = {_parts(word): rating for word, rating in (ratings or {}).items()}
        everything = {*self._lists, *self._ratings} - {()}
        if not everything:
            raise ValueError("the lexicon has no word. Give it lists or ratings")
        self._longest = max(map(len, everything))

    def read(self, text: str) -> LexiconReading:
        """The words of the lists in a text; of words that begin at one place the longest counts."""
        tokens = tokens_of(text)
        counts: Counter[str] = Counter()
        negated: Counter[str] = Counter()
        ratings: list[float] = []
        evidence: list[Evidence] = []
        at = 0
        while at < len(tokens):
            length = next(
                (n for n in range(self._longest, 0, -1) if self._known(key := _key(tokens[at : at + n]))), 0
            )
            if not length:
                at += 1
                continue
            key = _key(tokens[at : at + length])
            name, rating = self._lists.get(key), self._ratings.get(key)
            is_negated = self._is_negated(tokens, at)
            if name is not None:
                (negated if is_negated else counts)[name] += 1
            if rating is not None and not is_negated:
                ratings.append(rating)
            what = name or "rated"
            span = tokens[at].span[0], tokens[at + length - 1].span[1]
            evidence.append(Evidence(*span, f"negated {what}" if is_negated else what))
            at += length
        total = sum(1 for token in tokens if token.is_word)
        outcome = FOUND if evidence else NONE if total else EMPTY
        by_name = {name: counts[name] for name in self.names}
        return LexiconReading(
            outcome,
            tuple(evidence),
            total,
            by_name,
            {name: negated[name] for name in self.names},
            tuple(ratings),
        )

    def _known(self, key: tuple[str, ...]) -> bool:
        return key in self._lists or key in self._ratings

    def _is_negated(self, tokens: list[Token], at: int) -> bool:
        steps = 0
        for before in reversed(tokens[:at]):
            if before.sentence != tokens[at].sentence or steps == _REACH:
                return False
            if before.text in self._negations:
                return True
            if not before.is_word and before.written not in "'’-":
                return False
            steps += before.is_word
        return False


def _parts(entry: str) -> tuple[str, ...]:
    return _key(tokens_of(entry))


def _key(tokens: Iterable[Token]) -> tuple[str, ...]:
    return tuple(token.text for token in tokens)


def read_ratings(
    path: Path, word: str = "word", rating: str = "rating", encoding: str = UTF8
) -> dict[str, float]:
    """Ratings by word from a table of the user's, in any form that a table has, with columns of these names.

    Raises DataError, with the lines, for a rating that is no number and a word that has two.
    """
    table = read_table(path, str(path), (word, rating), encoding=encoding)
    table.check_filled(word)
    found: dict[str, float] = {}
    for row in table.rows:
        entry, written = row.fields[word].strip().lower(), row.fields[rating].strip()
        try:
            value = float(written)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise DataError(
                f"{path}, {table.places([row])}: {quoted(written)} is no rating. Write a number with a decimal point"
            )
        if found.setdefault(entry, value) != value:
            raise DataError(f"{path}, {table.places([row])}: {quoted(entry)} has a second rating. Keep one")
    return found
