"""Applies the rules of a grammar to a sentence: pure Python, no parser, no dictionary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
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
from biascore.gender_rules.grammar import GENDERS, Grammar, Rule, expression, load_grammar
from biascore.language import Language

_TOKEN: Final = re.compile(r"[^\W_][\w\u0300-\u036f]*(?:['’ʼ‘‑-][^\W_][\w\u0300-\u036f]*)*|[.,;:!?…()\[\]/—–-]")
_ACCENTS: Final = re.compile("[\u0300\u0301]")
_APOSTROPHES: Final = str.maketrans("’ʼ‘‑", "'''-")
NOUN: Final = "noun"
"""The form by which a grammar tells what may be a noun, for ``not_attributive``."""
_KNOWN_WORDS: Final = 200_000
_FAR: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Step:
    """A direction (-1, 0 or 1) and how many words to look at."""

    direction: int
    reach: int

    @classmethod
    def parse(cls, look: str) -> _Step:
        way, _, reach = look.partition(" ")
        return cls({"left": -1, "here": 0, "right": 1}[way], int(reach or _FAR))


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    rule: Rule
    steps: tuple[_Step, ...]
    halt: frozenset[str]
    over: frozenset[str]
    unless_clause_has: frozenset[str]
    needs_in_clause: frozenset[str]
    unless_anchor_after: frozenset[str]
    unless_after: frozenset[str]
    unless_before: frozenset[str]


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
        self._lists = {name: expression(words) for name, words in grammar.words.items()}
        self._forms = {
            name: (
                expression(form.never),
                [(expression(getattr(form, key)), gender) for key, gender in GENDERS],
            )
            for name, form in grammar.forms.items()
        }
        self._rules = tuple(
            _Rule(
                rule,
                tuple(_Step.parse(look) for look in rule.look),
                *map(frozenset, (rule.halt, rule.over, rule.unless_clause_has, rule.needs_in_clause)),
                frozenset(rule.unless_anchor_after),
                *map(frozenset, (rule.unless_after, rule.unless_before)),
            )
            for rule in grammar.rules
        )
        # Most words of a corpus are the same few thousand: what the grammar says of each is worked out once.
        self._word = lru_cache(maxsize=_KNOWN_WORDS)(self._analyse)

    def detect(self, sentence: str) -> SpeakerGender:
        """The gender in which the first sentence of the text speaks of its speaker."""
        text = first_sentence(sentence, self._abbreviations)
        tokens = list(_TOKEN.finditer(text))
        words = [self._word(token.group()) for token in tokens]
        found: dict[int, tuple[Gender, str]] = {}
        anchored = sorted((rule, at) for at, word in enumerate(words) for rule in word.anchored)
        for number, anchor in anchored:
            rule = self._rules[number]
            if found and rule.rule.fallback:
                break
            hit = self._apply(rule, words, anchor)
            if hit is not None:
                found.setdefault(hit[0], (hit[1], rule.rule.name))
        if not found:
            return NO_SPEAKER_GENDER
        return SpeakerGender.of(
            [
                GenderEvidence(tokens[at].group(), tokens[at].span(), gender, rule_name)
                for at, (gender, rule_name) in found.items()
            ]
        )

    def _apply(self, rule: _Rule, words: Sequence[_Word], anchor: int) -> tuple[int, Gender] | None:
        if anchor and words[anchor - 1].kinds & rule.unless_anchor_after:
            return None
        if rule.unless_clause_has and _clause_has(words, anchor, rule.unless_clause_has):
            return None
        if rule.needs_in_clause and not _clause_has(words, anchor, rule.needs_in_clause):
            return None
        for step in rule.steps:
            for at in _walk(words, anchor, step):
                word = words[at]
                gender = _gender(word, rule.rule.find)
                if gender is not None:
                    if self._counts(rule, words, at, gender):
                        return at, gender
                    if not rule.over:
                        continue
                if word.kinds & rule.halt or (rule.over and not word.kinds & rule.over):
                    break
        return None

    def _counts(self, rule: _Rule, words: Sequence[_Word], at: int, gender: Gender) -> bool:
        if rule.unless_after and at and words[at - 1].kinds & rule.unless_after:
            return False
        if rule.unless_before and at + 1 < len(words) and words[at + 1].kinds & rule.unless_before:
            return False
        return not (rule.rule.not_attributive and _is_attributive(words, at, gender, rule.rule.find))

    def _analyse(self, token: str) -> _Word:
        if not token[0].isalnum():
            return _Word(token, True, frozenset(), {}, frozenset(), ())
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFC", token)))
        text = text.lower().translate(_APOSTROPHES).translate(self._letters)
        kinds = {name for name, words in self._lists.items() if words.fullmatch(text)}
        fitting = {
            name: frozenset(gender for words, gender in endings if words.fullmatch(text))
            for name, (never, endings) in self._forms.items()
            if not never.fullmatch(text)
        }
        genders = {name: next(iter(both)) for name, both in fitting.items() if len(both) == 1}
        kinds |= {name for name, both in fitting.items() if both}
        anchored = tuple(
            number
            for number, rule in enumerate(self.grammar.rules)
            if kinds.intersection(rule.anchor or rule.find)
        )
        nouns = fitting.get(NOUN, frozenset())
        return _Word(text, "clause" in kinds, frozenset(kinds), genders, nouns, anchored)


def _walk(words: Sequence[_Word], anchor: int, step: _Step) -> Iterator[int]:
    """Positions from the anchor in one direction to the end of the clause."""
    if step.direction == 0:
        yield anchor
        return
    at = anchor + step.direction
    if step.direction > 0:
        at = _past_insertion(words, at)
    for _ in range(step.reach):
        if not 0 <= at < len(words) or words[at].boundary:
            return
        yield at
        at += step.direction


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
    while start > 0 and not words[start - 1].boundary:
        start -= 1
    while end < len(words) - 1 and not words[end + 1].boundary:
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
        if _gender(word, forms) is gender and not word.nouns:
            last = following
        elif not ("and" in word.kinds or word.text == ","):
            return last == following - 1 and gender in word.nouns
    return False


def language_with_rules(code: str, name: str, grammar: Path) -> Language:
    """A language whose speaker gender and gender pairs a grammar file tells; the file is read when first used."""

    @cache
    def detector() -> RuleDetector:
        return RuleDetector(load_grammar(grammar))

    def pair(masculine: str, feminine: str) -> GenderPair | None:
        return gender_pair(masculine, feminine, detector().grammar.pairs.exceptions)

    return Language(code, name, speaker_gender=detector, gender_pair=pair)
