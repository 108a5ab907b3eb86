"""Applies the rules of a grammar to a sentence: pure Python, no parser, no dictionary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import compress
from pathlib import Path
from typing import Final

from biascore.gender import (
    NO_SPEAKER_GENDER,
    Gender,
    GenderEvidence,
    GenderPair,
    SpeakerGender,
    first_sentence,
    gender_pair,
)
from biascore.gender_rules.grammar import FAR, GENDERS, Grammar, Look, Rule, load_grammar
from biascore.gender_rules.words import WordSet
from biascore.language import Language

_TOKEN: Final = re.compile(
    r"[^\W_][\w\u0300-\u036f]*(?:['’ʼ‘‑-][^\W_][\w\u0300-\u036f]*)*|[.,;:!?…()\[\]/—–-]"
)
_ACCENTS: Final = re.compile("[\u0300\u0301]")
_APOSTROPHES: Final = str.maketrans("’ʼ‘‑", "'''-")
NOUN: Final = "noun"
"""The form by which a grammar tells what may be a noun, for ``not_attributive``."""
_KNOWN_WORDS: Final = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class _Word:
    """What the grammar says of a word: its lists and forms, its gender as each form, the rules it anchors.

    A word that is both genders of a form has no gender as that form; as a noun it agrees with either.
    """

    text: str
    boundary: bool
    kinds: frozenset[str]
    genders: Mapping[str, Gender]
    nouns: frozenset[Gender]
    anchored: tuple[int, ...]


class RuleDetector:
    """Detects the speaker's gender with the rules of one grammar; the same text always gives the same answer."""

    name = "rules"

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._abbreviations = frozenset(grammar.abbreviations)
        self._letters = str.maketrans(dict(grammar.letters))
        lists = {name: WordSet(words) for name, words in grammar.words.items()}
        self._open_lists = [(name, words) for name, words in lists.items() if not words.is_closed]
        self._closed_lists: dict[str, set[str]] = {}
        for name, words in lists.items():
            for word in words.plain if words.is_closed else ():
                self._closed_lists.setdefault(word, set()).add(name)
        self._forms = [
            (
                name,
                WordSet(form.never),
                WordSet(form.words(Gender.MASCULINE)),
                WordSet(form.words(Gender.FEMININE)),
            )
            for name, form in grammar.forms.items()
        ]
        self._anchored: dict[str, list[int]] = {}
        for number, rule in enumerate(grammar.rules):
            for kind in rule.anchor or rule.find:
                self._anchored.setdefault(kind, []).append(number)
        # Most words of a corpus are the same few thousand: what the grammar says of each is worked out once.
        self._word = lru_cache(maxsize=_KNOWN_WORDS)(self._analyse)

    def detect(self, sentence: str) -> SpeakerGender:
        """The gender in which the first sentence of the text speaks of its speaker."""
        text = first_sentence(sentence, self._abbreviations)
        tokens = list(_TOKEN.finditer(text))
        words = [self._word(token.group()) for token in tokens]
        found: dict[int, tuple[Gender, int]] = {}
        for number, anchor in sorted((rule, at) for at, word in enumerate(words) for rule in word.anchored):
            rule = self.grammar.rules[number]
            if rule.fallback and any(earlier < number for _, earlier in found.values()):
                break
            hit = _apply(rule, words, anchor)
            if hit is not None:
                found.setdefault(hit[0], (hit[1], number))
        if not found:
            return NO_SPEAKER_GENDER
        return SpeakerGender.of(
            [
                GenderEvidence(tokens[at].group(), tokens[at].span(), gender, self.grammar.rules[number].name)
                for at, (gender, number) in found.items()
            ]
        )

    def _analyse(self, token: str) -> _Word:
        if not token[0].isalnum():
            return _Word(token, True, frozenset(), {}, frozenset(), ())
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFC", token)))
        text = text.lower().translate(_APOSTROPHES).translate(self._letters)
        kinds = {name for name, words in self._open_lists if text in words}
        kinds |= self._closed_lists.get(text, set())
        genders: dict[str, Gender] = {}
        nouns: frozenset[Gender] = frozenset()
        for name, never, masculine, feminine in self._forms:
            found = (text in masculine, text in feminine)
            if not any(found) or text in never:
                continue
            kinds.add(name)
            if not all(found):
                genders[name] = GENDERS[found.index(True)]
            if name == NOUN:
                nouns = frozenset(compress(GENDERS, found))
        anchored = tuple(sorted({number for kind in kinds for number in self._anchored.get(kind, ())}))
        return _Word(text, "clause" in kinds, frozenset(kinds), genders, nouns, anchored)


def _apply(rule: Rule, words: Sequence[_Word], anchor: int) -> tuple[int, Gender] | None:
    """Where the form that a rule finds from one anchor stands, and its gender."""
    if not _is_anchor(rule, words, anchor):
        return None
    for look in rule.look:
        halt = rule.halt | rule.halt_left if look.direction < 0 else rule.halt
        for at in _walk(words, anchor, look):
            word = words[at]
            gender = _gender(word, rule.find)
            if gender is not None and _counts(rule, words, at, gender):
                return at, gender
            if word.kinds & halt or (rule.over and not word.kinds & rule.over):
                break
    return None


def _is_anchor(rule: Rule, words: Sequence[_Word], at: int) -> bool:
    if at and words[at - 1].kinds & rule.unless_anchor_after:
        return False
    if rule.unless_clause_has and _clause_has(words, at, rule.unless_clause_has):
        return False
    if rule.needs_in_clause and not _clause_has(words, at, rule.needs_in_clause):
        return False
    return not rule.anchor_first or all(word.kinds & rule.anchor_first for word in words[:at])


def _counts(rule: Rule, words: Sequence[_Word], at: int, gender: Gender) -> bool:
    if rule.unless_word_in & words[at].kinds:
        return False
    if rule.unless_after and at and words[at - 1].kinds & rule.unless_after:
        return False
    if rule.unless_before and at + 1 < len(words) and words[at + 1].kinds & rule.unless_before:
        return False
    return not (rule.not_attributive and _is_attributive(words, at, gender, rule.find))


def _walk(words: Sequence[_Word], anchor: int, look: Look) -> Iterator[int]:
    """Positions from the anchor in one direction to the end of the clause."""
    if look.direction == 0:
        yield anchor
        return
    at = anchor + look.direction
    if look.direction > 0:
        at = _past_insertion(words, at)
    last = at + look.direction * look.reach
    while 0 <= at < len(words) and at != last and not words[at].boundary:
        yield at
        at += look.direction


def _past_insertion(words: Sequence[_Word], at: int) -> int:
    """The position behind the second comma where one stands here: "I, as a mother, …" is one clause."""
    if at < len(words) and words[at].text == ",":
        for end in range(at + 2, min(at + 8, len(words))):
            if words[end].text == ",":
                return end + 1
    return at


def _clause_has(words: Sequence[_Word], at: int, kinds: frozenset[str]) -> bool:
    """Whether the clause around a word holds a word of these kinds."""
    start = end = at
    while start > max(at - FAR, 0) and not words[start - 1].boundary:
        start -= 1
    while end < min(at + FAR, len(words) - 1) and not words[end + 1].boundary:
        end += 1
    return any(words[place].kinds & kinds for place in range(start, end + 1))


def _gender(word: _Word, forms: tuple[str, ...]) -> Gender | None:
    for form in forms:
        if form in word.genders:
            return word.genders[form]
    return None


def _is_attributive(words: Sequence[_Word], at: int, gender: Gender, forms: tuple[str, ...]) -> bool:
    """Whether the word, or the row of equals it stands in, comes before a noun that agrees with it."""
    last = at
    for following in range(at + 1, len(words)):
        word = words[following]
        if _gender(word, forms) is gender and (not word.nouns or _joins(words[following - 1])):
            last = following
        elif not _joins(word):
            return last == following - 1 and gender in word.nouns
    return False


def _joins(word: _Word) -> bool:
    """Whether the word joins equals; what agrees behind it continues the row, though it may be a noun too."""
    return "and" in word.kinds or word.text == ","


def language_with_rules(code: str, name: str, grammar: Path) -> Language:
    """A language whose speaker gender and gender pairs a grammar file tells; the file is read when first used."""

    @cache
    def detector() -> RuleDetector:
        return RuleDetector(load_grammar(grammar))

    def pair(masculine: str, feminine: str) -> GenderPair | None:
        return gender_pair(masculine, feminine, detector().grammar.pairs.exceptions)

    return Language(code, name, speaker_gender=detector, gender_pair=pair)
