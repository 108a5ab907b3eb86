"""Applies the rules of a grammar to a sentence: pure Python, no parser, no dictionary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import Final

from biascore.languages.gender import (
    NO_SPEAKER_GENDER,
    Gender,
    GenderEvidence,
    SpeakerGender,
    first_sentence,
)
from biascore.languages.gender_rules.grammar import FAR, GENDERS, Grammar, Look, Rule
from biascore.languages.gender_rules.tokens import NOUN, Token, Tokens
from biascore.languages.gender_rules.words import WordSet
from biascore.languages.gender_trace import Trace, TracedWord, TraceStep

_ACCENTS: Final = re.compile("[\u0300\u0301]")
_APOSTROPHES: Final = str.maketrans("’ʼ‘‑", "'''-")
ROLE: Final = "role"
"""The form of nouns of persons, which are the speaker: what stands before one agrees with the speaker, too."""
CLAUSE: Final = "clause"
"""The list of words that begin a clause."""
_KNOWN_WORDS: Final = 200_000


_Why = tuple[str, frozenset[str], int | None]
"""The key of a rule that refused something, the names in it that apply, and the word that did it."""
_Log = list[tuple[int, int, int, Gender, _Why | None]]
"""Attempts: the number of a rule, the places of its anchor and of the word it came to, what it found, or why not."""
_NO_NAMES: Final[frozenset[str]] = frozenset()


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
        self._tokens = Tokens(
            lambda word: self._word(word).genders,
            lambda word: self._word(word).kinds,
            (pair for form in grammar.forms.values() for pair in form.stems),
            grammar.elided,
        )

    def detect(self, sentence: str) -> SpeakerGender:
        """The gender in which the first sentence of the text speaks of its speaker."""
        return self._read(sentence, None)

    def trace(self, sentence: str) -> Trace:
        """What each word is to the grammar, each rule that was tried, and why it found nothing."""
        log: _Log = []
        answer = self._read(sentence, log)
        text = first_sentence(sentence, self._abbreviations)
        tokens = self._tokens(text)
        words = [token for token in tokens if token.written[0].isalnum()]
        known = [(token.written, token.span, self._known_as(token)) for token in words]
        called = {
            n for token in tokens for spelling in token.spellings for n in self._word(spelling).anchored
        }
        steps: list[TraceStep] = []
        for number, rule in enumerate(self.grammar.rules):
            tried = [attempt for attempt in dict.fromkeys(log) if attempt[0] == number]
            for _, anchor, at, gender, why in tried:
                reason = "" if why is None else _reason(why, tokens)
                steps.append(TraceStep(rule.name, tokens[anchor].written, tokens[at].written, gender, reason))
            if not tried:
                anchors = ", ".join(sorted(rule.anchor or rule.find))
                reason = (
                    "fallback: a rule above found a form" if number in called else f"no word is in {anchors}"
                )
                steps.append(TraceStep(rule.name, "", "", Gender.NONE, reason))
        return Trace(self.name, text, answer, tuple(TracedWord(*word) for word in known), tuple(steps))

    def _read(self, sentence: str, log: _Log | None) -> SpeakerGender:
        """A text with words for both genders is read in each; both readings count."""
        tokens = self._tokens(first_sentence(sentence, self._abbreviations))
        found: dict[tuple[int, Gender], int] = {}
        for reading in range(max((len(token.spellings) for token in tokens), default=0)):
            words = [self._word(token.spellings[min(reading, len(token.spellings) - 1)]) for token in tokens]
            for place, rule in self._applied(words, log).items():
                found.setdefault(place, rule)
        if not found:
            return NO_SPEAKER_GENDER
        return SpeakerGender.of(
            [
                GenderEvidence(tokens[at].written, tokens[at].span, gender, self.grammar.rules[number].name)
                for (at, gender), number in found.items()
            ]
        )

    def _applied(self, words: Sequence[_Word], log: _Log | None) -> dict[tuple[int, Gender], int]:
        """Which rule found which gender at which word."""
        found: dict[int, tuple[Gender, int]] = {}
        for number, anchor in sorted((rule, at) for at, word in enumerate(words) for rule in word.anchored):
            rule = self.grammar.rules[number]
            if rule.fallback and any(earlier < number for _, earlier in found.values()):
                break
            hit = _apply(rule, words, anchor, number, log)
            if hit is not None:
                found.setdefault(hit[0], (hit[1], number))
        return {(at, gender): number for at, (gender, number) in found.items()}

    def _known_as(self, token: Token) -> tuple[str, ...]:
        """What each spelling of a token is known as."""
        return tuple(dict.fromkeys(known for word in token.spellings for known in self._word_known_as(word)))

    def _word_known_as(self, token: str) -> tuple[str, ...]:
        """The lists and forms of a word, with its gender as each form, and the forms that "never" keeps it from."""
        word = self._word(token)
        barred = [
            f"{name}: never"
            for name, never, masculine, feminine in self._forms
            if word.text in never and (word.text in masculine or word.text in feminine)
        ]
        forms = self.grammar.forms
        named = [
            f"{name}: {word.genders.get(name, 'both genders')}" if name in forms else name
            for name in sorted(word.kinds)
        ]
        return (*named, *barred)

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
        if ROLE in genders:
            nouns = frozenset()
        anchored = tuple(sorted({number for kind in kinds for number in self._anchored.get(kind, ())}))
        return _Word(text, CLAUSE in kinds, frozenset(kinds), genders, nouns, anchored)


def _reason(why: _Why, tokens: Sequence[Token]) -> str:
    key, names, at = why
    named = f"{key} = {', '.join(sorted(names))}" if names else key
    return named if at is None else f"{named}: {tokens[at].written!r}"


def _apply(
    rule: Rule, words: Sequence[_Word], anchor: int, number: int, log: _Log | None
) -> tuple[int, Gender] | None:
    """Where the form that a rule finds from one anchor stands, and its gender; each attempt goes into the log."""
    attempts: _Log = [] if log is None else log
    why = _why_no_anchor(rule, words, anchor)
    if why is not None:
        attempts.append((number, anchor, anchor, Gender.NONE, why))
        return None
    for look in rule.look:
        halt = rule.halt | rule.halt_left if look.direction < 0 else rule.halt
        at = anchor
        why = None
        for at in _walk(words, anchor, look):
            word = words[at]
            gender = _gender(word, rule.find)
            if gender is not None:
                why = _why_not(rule, words, at, gender)
                attempts.append((number, anchor, at, Gender.NONE if why else gender, why))
                if why is None:
                    return at, gender
            if word.kinds & halt:
                why = ("halt", word.kinds & halt, at)
            elif rule.over and not word.kinds & rule.over:
                why = ("not in over", rule.over, at)
            else:
                continue
            attempts.append((number, anchor, at, Gender.NONE, why))
            break
        else:
            if log is not None and (look.direction or why is None):
                attempts.append((number, anchor, at, Gender.NONE, _found_none(rule, look, words, at)))
    return None


def _found_none(rule: Rule, look: Look, words: Sequence[_Word], at: int) -> _Why:
    """That a look went as far as it may, and what ended the clause where something did."""
    end = at + look.direction
    ended = look.direction != 0 and 0 <= end < len(words) and words[end].boundary
    found_none = f"{look}: no {' or '.join(rule.find)}"
    return (f"{found_none}, and the clause ends", _NO_NAMES, end) if ended else (found_none, _NO_NAMES, None)


def _why_no_anchor(rule: Rule, words: Sequence[_Word], at: int) -> _Why | None:
    """What keeps a word of its lists from being an anchor: the key, its names that apply, and the word."""
    if at and words[at - 1].kinds & rule.unless_anchor_after:
        return "unless_anchor_after", words[at - 1].kinds & rule.unless_anchor_after, at - 1
    if rule.anchor_after:
        before = at - 1
        while before >= 0 and not words[before].kinds & rule.anchor_after:
            if not words[before].kinds & rule.anchor_over:
                return "neither in anchor_after nor in anchor_over", _NO_NAMES, before
            before -= 1
        if before < 0:
            return "nothing of anchor_after before it", rule.anchor_after, None
    if rule.unless_clause_has:
        other = _in_clause(words, at, rule.unless_clause_has)
        if other is not None:
            return "unless_clause_has", words[other].kinds & rule.unless_clause_has, other
    if rule.needs_in_clause and _in_clause(words, at, rule.needs_in_clause) is None:
        return "needs_in_clause", rule.needs_in_clause, None
    if rule.needs_before_anchor and not any(word.kinds & rule.needs_before_anchor for word in words[:at]):
        return "needs_before_anchor", rule.needs_before_anchor, None
    if rule.unless_before_anchor:
        for before in range(at):
            if words[before].kinds & rule.unless_before_anchor:
                return "unless_before_anchor", words[before].kinds & rule.unless_before_anchor, before
    if rule.anchor_first:
        for before in range(at):
            if not words[before].kinds & rule.anchor_first:
                return "not in anchor_first", rule.anchor_first, before
    return None


def _why_not(rule: Rule, words: Sequence[_Word], at: int, gender: Gender) -> _Why | None:
    """What keeps a form from counting, as of ``_why_no_anchor``."""
    kinds = words[at].kinds
    if rule.unless_word_in & kinds:
        return "unless_word_in", rule.unless_word_in & kinds, at
    if rule.unless_after and at and words[at - 1].kinds & rule.unless_after:
        return "unless_after", words[at - 1].kinds & rule.unless_after, at - 1
    if rule.unless_before and at + 1 < len(words) and words[at + 1].kinds & rule.unless_before:
        return "unless_before", words[at + 1].kinds & rule.unless_before, at + 1
    if rule.not_attributive:
        noun = _noun_of(words, at, gender, rule.find)
        if noun is not None:
            return "not_attributive", frozenset({NOUN}), noun
    return None


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


def _in_clause(words: Sequence[_Word], at: int, kinds: frozenset[str]) -> int | None:
    """The first word of these kinds in the clause around a word; the word that opens a clause is in it."""
    start = end = at
    while start > max(at - FAR, 0) and not words[start - 1].boundary:
        start -= 1
    while end < min(at + FAR, len(words) - 1) and not words[end + 1].boundary:
        end += 1
    start -= start > 0 and CLAUSE in words[start - 1].kinds
    return next((place for place in range(start, end + 1) if words[place].kinds & kinds), None)


def _gender(word: _Word, forms: tuple[str, ...]) -> Gender | None:
    for form in forms:
        if form in word.genders:
            return word.genders[form]
    return None


def _noun_of(words: Sequence[_Word], at: int, gender: Gender, forms: tuple[str, ...]) -> int | None:
    """The noun that the word, or the row of equals it is in, comes before and agrees with."""
    last = at
    for following in range(at + 1, len(words)):
        word = words[following]
        if _gender(word, forms) is gender and (not word.nouns or _joins(words[following - 1])):
            last = following
        elif not _joins(word):
            return following if last == following - 1 and gender in word.nouns else None
    return None


def _joins(word: _Word) -> bool:
    """Whether the word joins equals; what agrees behind it continues the row, though it may be a noun too."""
    return "and" in word.kinds or word.text == ","
