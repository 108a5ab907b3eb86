"""The grammatical gender in which a sentence in the first person speaks of its speaker.

Language-free: what a detector answers, where the first sentence of a text ends, and which two sentences are
the masculine and the feminine version of one. Languages bring their detectors as plugins
(``Language.speaker_gender``); the rule engine they share is ``biascore.languages.gender_rules``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Protocol

from biascore.models.questions.questions import Span


class Gender(StrEnum):
    """What agreement says of the speaker; ``conflict`` where words disagree, or one is written for both genders."""

    MASCULINE = "masculine"
    FEMININE = "feminine"
    NONE = "none"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class GenderEvidence:
    """One word that agrees with the speaker, its span in the text, and the rule that found it."""

    word: str
    span: Span
    gender: Gender
    rule: str


@dataclass(frozen=True, slots=True)
class SpeakerGender:
    """A detector's answer with every word that decided it, in reading order."""

    gender: Gender
    evidence: tuple[GenderEvidence, ...]

    @classmethod
    def of(cls, evidence: Collection[GenderEvidence]) -> SpeakerGender:
        """The gender that all evidence shares: ``none`` without any, ``conflict`` where it disagrees."""
        ordered = tuple(sorted(evidence, key=lambda found: found.span))
        genders = {found.gender for found in ordered}
        if not genders:
            return NO_SPEAKER_GENDER
        return cls(genders.pop() if len(genders) == 1 else Gender.CONFLICT, ordered)


NO_SPEAKER_GENDER: Final = SpeakerGender(Gender.NONE, ())


class SpeakerGenderDetector(Protocol):
    """Finds the speaker's gender in texts of one language; ``name`` says how (``"rules"``, ``"stanza"``)."""

    @property
    def name(self) -> str:
        """How it detects, for a run's record."""

    def detect(self, sentence: str) -> SpeakerGender:
        """The gender in which the first sentence of the text speaks of its speaker."""


# Possessive, and begun only where a run begins: a text of full stops alone takes no longer than another.
_END: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'»”“’)\]]*+(?=\s+[\"'«„“‘(¿¡—–-]*\s?[^\W\d_])")
_LAST_WORD: Final = re.compile(r"[\w.]+\Z")


def first_sentence(text: str, abbreviations: Collection[str] = frozenset()) -> str:
    """The text up to the end of its first sentence; offsets in it are offsets in the text.

    A sentence ends at a full stop, exclamation or question mark or ellipsis before a space and a capital
    letter. A full stop after a single letter, a number or one of the ``abbreviations`` (lower case, without
    the full stop) ends nothing.
    """
    for end in _END.finditer(text):
        following = next((c for c in text[end.end() :] if c.isalpha()), "")
        if following.islower():
            continue
        if end.group().strip("\"'»”“’)]") == ".":
            before = _LAST_WORD.search(text, 0, end.start())
            word = before.group() if before else ""
            if word.isdigit() or (len(word) == 1 and word.isupper()) or word.lower() in abbreviations:
                continue
        return text[: end.end()]
    return text


Refusal = Literal["same", "length", "several", "first_letter", "exception"]
"""Why two sentences are no pair: no word differs, the numbers of words do, several words do, the two words
begin with different letters, or the language lists them as differing in more than gender."""


@dataclass(frozen=True, slots=True)
class GenderPair:
    """Two sentences that differ in one word, and where in each that word stands."""

    masculine: str
    feminine: str
    masculine_span: Span
    feminine_span: Span

    @property
    def words(self) -> tuple[str, str]:
        """The masculine and the feminine word."""
        return self.masculine[slice(*self.masculine_span)], self.feminine[slice(*self.feminine_span)]


_WORD: Final = re.compile(r"\S+")
_EDGES: Final = re.compile(r"^\W+|\W+$")


def compare_pair(
    masculine: str, feminine: str, exceptions: Collection[frozenset[str]] = frozenset()
) -> GenderPair | Refusal:
    """The pair, or why there is none (Pikuliak et al. 2023, section 4.3.2).

    Exactly one word, cut at white space, may differ, and both versions of it begin with the same letter.
    ``exceptions`` are pairs of lower-case words that pass both tests and differ in more than gender.
    """
    left, right = list(_WORD.finditer(masculine)), list(_WORD.finditer(feminine))
    if len(left) != len(right):
        return "length"
    differing = [(a, b) for a, b in zip(left, right, strict=True) if a.group() != b.group()]
    if not differing:
        return "same"
    if len(differing) > 1:
        return "several"
    spans = tuple(_inner(found) for found in differing[0])
    words = masculine[slice(*spans[0])].lower(), feminine[slice(*spans[1])].lower()
    if words[0] == words[1]:
        return "same"
    if _initial(words[0]) != _initial(words[1]):
        return "first_letter"
    if frozenset(words) in exceptions:
        return "exception"
    return GenderPair(masculine, feminine, *spans)


def gender_pair(
    masculine: str, feminine: str, exceptions: Collection[frozenset[str]] = frozenset()
) -> GenderPair | None:
    """The pair, or None; ``compare_pair`` takes the same arguments and says why."""
    found = compare_pair(masculine, feminine, exceptions)
    return found if isinstance(found, GenderPair) else None


def _inner(found: re.Match[str]) -> Span:
    """The span of a word without the punctuation around it."""
    inner = _EDGES.sub("", found.group())
    start = found.start() + found.group().find(inner)
    return (start, start + len(inner)) if inner else found.span()


def _initial(word: str) -> str:
    return unicodedata.normalize("NFC", word)[:1]
