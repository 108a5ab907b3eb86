"""Who is the person a text is about: feminine, masculine, they, both, none, or the writer, who shows no gender.

One interpreter for all languages, which are data (``ReaderWords``). It reads what is outside quotations:

1. The rules of the file find words that show a gender: pronouns, nouns, titles, first names, words that agree.
2. Where the caller names the noun asked for ("nurse"), only words count that are linked to it ("Anna is a nurse", "the
   nurse, a man of forty"), and pronouns behind it by which nobody else in the text can be meant.
3. The writer is the person where the text says so ("I am a nurse"), or where it is in the first person and nobody is in it
   but relations of the writer's ("my husband").
4. Else all persons of the text count: *both* where genders differ, *none* where all are relations of somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from biascore.languages.gender import Gender, SpeakerGenderDetector
from biascore.languages.gender_rules.words import WordSet
from biascore.languages.language import Language, find_language
from biascore.readers.reading import Evidence, Reading
from biascore.readers.tokens import Token, blanked, masked, sentences_of, tokens_of
from biascore.readers.words import GENDERS, PersonRule, ReaderWords, reader_words

FEMININE: Final = "feminine"
MASCULINE: Final = "masculine"
THEY: Final = "they"
BOTH: Final = "both"
NONE: Final = "none"
FIRST_PERSON: Final = "first person"
CHARACTERS: Final = (FEMININE, MASCULINE, THEY, BOTH, NONE, FIRST_PERSON)
"""The outcomes. *they* is also *he or she*; *first person* is a writer without a gender; *none* is a text without any."""

PRONOUN: Final = "pronoun"
"""The rule of words that refer to a person named before."""
_FEW: Final = 4
"""How many words that the file does not know a link may have."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """A word for a person, at a token; ``gender`` is None where it shows none."""

    at: int
    gender: Gender | None
    rule: str = "person"
    weak: bool = False

    @property
    def is_pronoun(self) -> bool:
        return self.rule == PRONOUN


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    """A text without what is not read: its tokens, what each is known as, and the persons mentioned, in order."""

    text: str
    tokens: Sequence[Token]
    kinds: Sequence[frozenset[str]]
    mentions: list[_Mention]
    either: list[Evidence]
    """Where a person is written of in no one gender."""

    def near(self, at: int, step: int, over: Collection[str] = ()) -> int | None:
        """The token next to one in its sentence, past those of the lists ``over``."""
        sentence = self.tokens[at].sentence
        at += step
        while 0 <= at < len(self.tokens) and self.tokens[at].sentence == sentence:
            if not self.kinds[at] & frozenset(over):
                return at
            at += step
        return None

    def has(self, at: int | None, names: Collection[str]) -> bool:
        """Whether a token is in one of the lists."""
        return at is not None and bool(self.kinds[at] & frozenset(names))

    def evidence(self, mentions: Iterable[_Mention]) -> list[Evidence]:
        return [
            Evidence(*self.tokens[one.at].span, f"{one.gender} {one.rule}") for one in mentions if one.gender
        ]


class CharacterReader:
    """Reads texts of one language; ``speaker`` tells a writer's gender in languages whose first person shows it."""

    outcomes: Final = CHARACTERS

    def __init__(self, words: ReaderWords, speaker: SpeakerGenderDetector | None = None) -> None:
        self.words = words
        self._speaker = speaker
        self._lists = {name: WordSet(entries) for name, entries in words.words.items()}
        self._forms = {
            name: (WordSet(form.never), [WordSet(form.words(gender)) for gender in GENDERS])
            for name, form in words.forms.items()
        }
        self._patterns = {
            name: [re.compile(pattern, re.IGNORECASE if name != "self" else 0) for pattern in patterns]
            for name, patterns in words.patterns.items()
        }
        self._known = lru_cache(maxsize=50_000)(self._known_as)

    def read(self, text: str, asked: Collection[str] = ()) -> Reading:
        """Who a text is about; ``asked`` are forms of the noun asked for, such as ``["nurse"]``.

        Where none of them is in the text, all its persons count.
        """
        page = self._page(text)
        places = _places(page, asked)
        said = self._said_of_writer(page)
        if places:
            if said and any(_follows(page, place[0], said) for place in places):
                return self._writer(page, said)
            return self._of_asked(page, places)
        if said:
            return self._writer(page, said)
        if any("first" in kinds for kinds in page.kinds):
            others = self._not_of_the_writer(page)
            return _decided(others, page) if others else self._writer(page, None)
        gendered = [one for one in page.mentions if one.gender]
        relations = self._relations(page)
        return (
            Reading(NONE)
            if gendered and all(one in relations for one in gendered)
            else _decided(gendered, page)
        )

    def _known_as(self, word: str) -> tuple[frozenset[str], dict[str, Gender]]:
        """The lists and forms that a word is in, and its gender as each form."""
        kinds = {name for name, words in self._lists.items() if word in words}
        genders = {}
        for name, (never, sides) in self._forms.items():
            found = [word in side for side in sides]
            if any(found) and word not in never:
                kinds.add(name)
                if not all(found):
                    genders[name] = GENDERS[found.index(True)]
        return frozenset(kinds), genders

    def _page(self, text: str) -> _Page:
        left = masked(text, self._patterns.get("never", ()))
        either: list[Evidence] = []
        for pattern in self._patterns.get("open", ()):
            spans = [match.span() for match in pattern.finditer(left)]
            either += [Evidence(*span, "form for any gender") for span in spans]
            left = blanked(left, spans)
        tokens = tokens_of(left, self.words.abbreviations)
        page = _Page(left, tokens, [self._known(token.text)[0] for token in tokens], [], either)
        plural = False
        for at, token in enumerate(tokens):
            kinds = page.kinds[at]
            rule = next((rule for rule in self.words.rules if self._applies(rule, page, at)), None)
            if rule is not None:
                page.mentions.append(_Mention(at, self._gender(page, at, rule.find), rule.name, rule.weak))
            elif "persons" in kinds:
                page.mentions.append(_Mention(at, None))
            plural = plural or "plural" in kinds
            if "they" in kinds and not plural:
                either.append(Evidence(*token.span, "pronoun for any gender"))
        return page

    def _applies(self, rule: PersonRule, page: _Page, at: int) -> bool:
        if self._gender(page, at, rule.find) is None:
            return False
        before, after = page.near(at, -1, rule.over), page.near(at, 1, rule.over)
        if rule.after and not page.has(before, rule.after):
            return False
        if rule.before and not page.has(after, rule.before):
            return False
        if rule.opens and (before is None or page.near(before, -1, rule.over) is not None):
            return False
        if rule.needs_person and at and all(one.is_pronoun for one in page.mentions):
            return False
        if rule.unless_thing and self._thing_before(rule, page, at):
            return False
        if page.has(before, rule.unless_after) or page.has(after, rule.unless_before):
            return False
        sentence = page.tokens[at].sentence
        if rule.unless_sentence_has and any(
            kinds & rule.unless_sentence_has
            for token, kinds in zip(page.tokens, page.kinds, strict=True)
            if token.sentence == sentence
        ):
            return False
        return not rule.proper or self._first_name(page, at, rule)

    def _gender(self, page: _Page, at: int, forms: Iterable[str]) -> Gender | None:
        genders = self._known(page.tokens[at].text)[1]
        return next((genders[form] for form in forms if form in genders), None)

    def _thing_before(self, rule: PersonRule, page: _Page, at: int) -> bool:
        last = max((one.at for one in page.mentions if not one.is_pronoun), default=at)
        gender = self._gender(page, at, rule.find)
        return any(self._gender(page, it, rule.unless_thing) is gender for it in range(last + 1, at))

    def _first_name(self, page: _Page, at: int, rule: PersonRule) -> bool:
        """Whether a name is written as one and stands where no family name does: *Mr. James*, *Olga Thomas*."""
        if not page.tokens[at].is_capital:
            return False
        names = {"unisex", *rule.find}
        before, after = page.near(at, -1), page.near(at, 1)
        if before is not None and page.has(before, {"titled", "persons"}) and not page.has(before, names):
            return "surname" not in page.kinds[at] or (after is not None and page.tokens[after].is_capital)
        if before is None or not (page.tokens[before].is_capital or page.tokens[before].written == "-"):
            return True
        if page.has(before, names):
            return False
        return self.words.capital_nouns or page.has(before, {"before_name"})

    def _said_of_writer(self, page: _Page) -> re.Match[str] | None:
        found = [match for pattern in self._patterns.get("self", ()) if (match := pattern.search(page.text))]
        return min(found, key=lambda match: match.start(), default=None)

    def _writer(self, page: _Page, said: re.Match[str] | None) -> Reading:
        """The gender that the writer shows, by agreement or by a noun behind "I am a"."""
        shown = [
            one
            for one in page.mentions
            if said is not None
            and one.gender
            and not one.is_pronoun
            and _follows(page, one.at, said)
            and not self._related(page, one.at)
            and not any(
                "cut" in page.kinds[at] and "and" not in page.kinds[at]
                for at in _between(page, said.end(), one.at)
            )
        ]
        evidence = page.evidence(shown[:1])
        if self._speaker is not None:
            for start, end in sentences_of(page.tokens):
                evidence += [
                    Evidence(start + found.span[0], start + found.span[1], f"{found.gender} first person")
                    for found in self._speaker.detect(page.text[start:end]).evidence
                ]
        if evidence:
            return _reading(evidence)
        first = [
            Evidence(*t.span, FIRST_PERSON)
            for t, kinds in zip(page.tokens, page.kinds, strict=True)
            if "first" in kinds
        ]
        return Reading(FIRST_PERSON, tuple(first or ([Evidence(*said.span(), FIRST_PERSON)] if said else [])))

    def _related(self, page: _Page, at: int, to: str = "possessive") -> bool:
        """Whether a person is somebody's: *her husband*, *my old friend*."""
        before = page.near(at, -1)
        steps = 0
        while (
            before is not None
            and steps < 3
            and page.tokens[before].is_word
            and not page.has(before, {"link"})
        ):
            if to in page.kinds[before]:
                return True
            before, steps = page.near(before, -1), steps + 1
        return False

    def _relations(self, page: _Page) -> list[_Mention]:
        """Persons who are somebody's, and their names: they say nothing of that somebody, who is in the text, too."""
        found: list[_Mention] = []
        for one in page.mentions:
            named = found and one.rule == "name" and all(
                page.tokens[at].written == "," for at in range(found[-1].at + 1, one.at)
            )  # fmt: skip
            if named or (self._related(page, one.at) and not self._related(page, one.at, "mine")):
                found.append(one)
        return found

    def _not_of_the_writer(self, page: _Page) -> list[_Mention]:
        """The persons of a text in the first person without relations of the writer's and pronouns that may be theirs."""
        mine = {one.at for one in page.mentions if not one.is_pronoun and self._related(page, one.at, "mine")}
        genders = {one.gender for one in page.mentions if one.at in mine}
        return [
            one
            for one in page.mentions
            if one.gender and one.at not in mine and not (one.is_pronoun and one.gender in genders)
        ]

    def _of_asked(self, page: _Page, places: Sequence[tuple[int, int]]) -> Reading:
        """The person asked for, by mentions that are linked to it, else by pronouns that can be nobody else's."""
        linked = [one for one in page.mentions if any(self._linked(page, one, place) for place in places)]
        names = {page.tokens[one.at].text for one in linked if one.rule == "name"}
        own = [one for one in page.mentions if one in linked or page.tokens[one.at].text in names]
        shown = [one for one in own if one.gender]
        if any(not one.weak for one in shown):
            return _decided(shown, page)
        others = [one for one in page.mentions if not one.is_pronoun and one not in own]
        begins = min([start for start, _ in places] + [one.at for one in own])
        behind = [
            one
            for one in page.mentions
            if one.is_pronoun
            and one.at > begins
            and _is_nobody_else(one, [it for it in others if it.at < one.at])
            and not self._is_object(page, one.at, places)
        ]
        before = [one for one in page.mentions if one.is_pronoun and one.at < begins and not others]
        found = shown + (behind or before)
        return Reading(NONE) if others and not found else _decided(found, page)

    def _is_object(self, page: _Page, at: int, places: Sequence[tuple[int, int]]) -> bool:
        """Whether a pronoun is an object in a sentence that names the person asked for: *the nurse handed him the file*."""
        if "object" not in page.kinds[at] or page.tokens[at].sentence not in {
            page.tokens[p].sentence for p, _ in places
        }:
            return False
        after = page.near(at, 1)
        return after is None or not page.tokens[after].is_word or page.has(after, {"article", "cut"})

    def _linked(self, page: _Page, one: _Mention, place: tuple[int, int]) -> bool:
        """Whether a mention and the noun asked for are said to be one person, by the words between them."""
        start, end = place
        if one.at in range(start, end):
            return True
        between = range(end, one.at) if one.at >= end else range(one.at + 1, start)
        if page.tokens[one.at].sentence != page.tokens[start].sentence:
            return False
        if not between:
            return not one.is_pronoun
        if one.is_pronoun and (one.at > start or "link" not in page.kinds[between[0]]):
            return False
        cut = [at for at in between if "cut" in page.kinds[at]]
        if cut and not (one.rule == "noun" and _joins(page, between, cut)):
            return False
        if self._related(page, max(one.at, start)):
            return False
        if any(it.at in between and not it.is_pronoun and it.rule != "name" for it in page.mentions):
            return False
        relative = any("relative" in page.kinds[at] for at in between)
        links = [
            at for at in between if "link" in page.kinds[at] and (page.tokens[at].is_word or not relative)
        ]
        unknown = [at for at in between if not page.kinds[at] & {"link", "article", "relative", "and"}]
        return bool(links) and len(unknown) <= _FEW


def _is_nobody_else(pronoun: _Mention, others: Sequence[_Mention]) -> bool:
    """Whether a pronoun can mean none of the others: each of them shows the other gender."""
    return all(one.gender not in (None, pronoun.gender) for one in others)


def _places(page: _Page, asked: Collection[str]) -> list[tuple[int, int]]:
    """Where the noun asked for stands, as ranges of tokens."""
    wanted = [[token.text for token in tokens_of(form)] for form in asked]
    texts = [token.text for token in page.tokens]
    return [
        (at, at + len(form))
        for at in range(len(texts))
        for form in wanted
        if form and texts[at : at + len(form)] == form and texts[at - 1 : at] != ["-"]
    ]


def _follows(page: _Page, at: int, said: re.Match[str]) -> bool:
    """Whether a token stands behind what the writer says of itself, in the same sentence."""
    token = page.tokens[at]
    return token.span[0] >= said.start() and not re.search(r"[.!?…\n]", page.text[said.end() : token.span[0]])


def _between(page: _Page, start: int, at: int) -> list[int]:
    return [n for n, token in enumerate(page.tokens[:at]) if token.span[0] >= start]


def _joins(page: _Page, between: range, cut: Sequence[int]) -> bool:
    """Whether what cuts is an *and* of two adjectives: *is a kind and energetic man*."""
    first = [at for at in between[2:] if at == cut[0] + 1 or not page.has(at, {"adjective"})]
    other = [at for at in first if page.has(at, {"article", "link", "before_name"})]
    return other == [*cut] and page.has(cut[0], {"and"}) and page.has(between[1], {"article"})


def _decided(mentions: Sequence[_Mention], page: _Page) -> Reading:
    """What the mentions say together; weak ones only where neither others nor a form for any gender is in the text."""
    gendered = [one for one in mentions if one.gender]
    strong = [one for one in gendered if not one.weak]
    if not strong and page.either:
        return Reading(THEY, tuple(sorted(page.either, key=lambda one: one.span)))
    return _reading(page.evidence(strong or gendered)) if gendered else Reading(NONE)


def _reading(evidence: Sequence[Evidence]) -> Reading:
    genders = {one.what.split()[0] for one in evidence}
    outcome = genders.pop() if len(genders) == 1 else BOTH
    return Reading(outcome, tuple(sorted(evidence, key=lambda one: one.span)))


def character_reader(languages: Mapping[str, Language], tag: str) -> CharacterReader:
    """The reader of whom texts of a BCP 47 tag are about, with the language's detector of the speaker's gender.

    Raises UnknownNameError where no plugin has words for the language, GrammarError where a file cannot be used.
    """
    words = reader_words(languages, tag)
    language = find_language(languages, tag)
    opened = language.speaker_gender if language is not None else None
    return CharacterReader(words, None if opened is None else opened())
