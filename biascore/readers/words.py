"""What the readers know of one language: closed lists of words and the rules that use them, from a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.problems import problems_of
from biascore.basics.tags import canonical_tag
from biascore.basics.wording import brief, few
from biascore.errors import GrammarError, UnknownNameError
from biascore.files.reading import read_toml
from biascore.languages.gender import Gender
from biascore.languages.gender_rules.grammar import Form, Names, Words
from biascore.languages.gender_rules.words import WordSet
from biascore.languages.language import Language, find_language, shorter_tags

GENDERS: Final = (Gender.MASCULINE, Gender.FEMININE)
PATTERNS: Final = ("never", "open", "self")


class PersonRule(Frozen):
    """A word that shows the gender of the person a text is about, and where it counts.

    ``find`` names forms. The other keys but ``over`` name lists or forms that the nearest word, or mark, before or after it
    must (``after``, ``before``) or must not (``unless_after``, ``unless_before``) be in; words of ``over`` are looked past.
    """

    name: str
    """What it is called in evidence: ``pronoun``."""
    find: Annotated[tuple[str, ...], Field(min_length=1)]
    weak: bool = False
    """Counts only where no other rule found anything: a noun in the masculine may be said of a woman, *er* of a table."""
    proper: bool = False
    """A first name: with a capital letter, and not where a family name stands."""
    needs_person: bool = False
    """Only where a person was mentioned before it, or at the beginning: *er* and *elle* may be things."""
    unless_thing: Names = frozenset()
    """Not where a word of these forms, of its gender, stands between the last person and it: *la porte … elle*."""
    opens: bool = False
    """Only where the word of ``after`` begins the sentence: then its subject is the person of the text (*È nata qui*)."""
    after: Names = frozenset()
    unless_after: Names = frozenset()
    before: Names = frozenset()
    unless_before: Names = frozenset()
    over: Names = frozenset()
    unless_sentence_has: Names = frozenset()

    @property
    def named(self) -> frozenset[str]:
        """All lists and forms that the rule names."""
        return frozenset(self.find).union(
            self.after,
            self.unless_thing,
            self.unless_after,
            self.before,
            self.unless_before,
            self.over,
            self.unless_sentence_has,
        )


class NumberWords(Frozen):
    """How numbers are written: the decimal sign, and words in lower case; none of these lists holds expressions."""

    decimal: Literal[",", "."]
    regions: FrozenMap[Literal[",", "."]] = Field(default_factory=dict)
    """The decimal sign of tags that differ: ``es-MX``."""
    units: FrozenMap[float] = Field(default_factory=dict)
    """Words that are added: ``fifteen``."""
    scales: FrozenMap[float] = Field(default_factory=dict)
    """Words, and letters directly after digits, that multiply: ``thousand``, ``k``."""
    joins: Words = ()
    """Words inside a number in words: ``and``."""
    ranges: Words = ()
    """Words between the two ends of a range: ``to``."""
    between: Words = ()
    """Words before a range whose ends ``and`` joins: ``between``."""
    and_: Words = Field(default=(), alias="and")
    or_: Words = Field(default=(), alias="or")
    """Words between two numbers of which the text gives either."""
    minus: Words = ()
    of: Words = ()
    """Words between a scale and its currency: *millones de euros*."""
    currencies: tuple[Words, ...] = ()
    """Words and signs of money, those of one currency together; a sign may be of several."""
    counted: Words = ()
    """Units other than money: ``hours``, ``points``."""
    percent: Words = ()


class ReaderWords(Frozen):
    """The file of one language. ``forms`` show gender, ``rules`` say where; ``words`` are lists, and some have a meaning:

    ``first`` are subjects of the first person, ``mine`` stand before a relation of the writer's (*my*), ``possessive``
    before anybody's. ``link`` stand between a person and what the person is (*is*, *named*) and ``cut`` end such a link, but
    ``and`` does not end what a writer is; behind ``relative`` (*who*) a comma is no link;
    an ``object`` is not the person that its own sentence is about. ``persons`` are nouns of persons
    that show no gender, ``they`` pronouns of no one gender, ``plural`` nouns that these may refer to, ``before_name`` words
    with a capital letter that begin a sentence, ``titled`` titles without a gender, ``surname`` first names that are often
    family names, ``unisex`` other first names, ``negations`` words after which a word of a lexicon is negated. ``patterns``
    are regular expressions on the text: what is ``never`` read, forms that are ``open`` to any gender (*he or she*), and how
    writers begin to speak of what they are (``self``).
    """

    language: str
    source: str
    licence: str
    abbreviations: tuple[str, ...] = ()
    capital_nouns: bool = False
    """Whether nouns have capital letters, so that one before a name makes it no family name."""
    patterns: FrozenMap[tuple[str, ...]] = Field(default_factory=dict)
    words: FrozenMap[Words] = Field(default_factory=dict)
    forms: FrozenMap[Form] = Field(default_factory=dict)
    rules: tuple[PersonRule, ...] = ()
    numbers: NumberWords | None = None


@cache
def load_reader_words(path: Path, language: str | None = None) -> ReaderWords:
    """The words of a TOML file; ``language`` is the tag that it must be of.

    Raises GrammarError, with the file and the key, where it cannot be read, names what is not there, or has a form of one
    gender only.
    """
    try:
        words = ReaderWords.model_validate(read_toml(path, str(path), GrammarError).document)
    except ValidationError as error:
        problems = "; ".join(few(problems_of(error, ReaderWords, list_known=False), attrgetter("text")))
        raise GrammarError(brief(f"{path}: {problems}. See docs/readers.md")) from error
    if language is not None and canonical_tag(words.language) not in shorter_tags(language):
        raise GrammarError(
            f"{path}: language is {words.language!r}, and the file is registered for {language!r}. "
            f"Write language = {language!r}, or register the file for {words.language!r}"
        )
    _check(words, path)
    return words


def reader_words(languages: Mapping[str, Language], tag: str) -> ReaderWords:
    """What readers know of the language of a BCP 47 tag.

    Raises UnknownNameError where no plugin has a file for it, GrammarError where the file cannot be used.
    """
    language = find_language(languages, tag)
    if language is None or language.readers is None:
        known = ", ".join(sorted(code for code, one in languages.items() if one.readers)) or "no language"
        raise UnknownNameError(
            f"no plugin reads texts in {tag!r}; there are readers for {known}. "
            "Install a plugin for it, or write its lists: docs/readers.md"
        )
    return load_reader_words(language.readers, language.code)


def _check(words: ReaderWords, path: Path) -> None:
    known = {*words.words, *words.forms}
    for rule in words.rules:
        missing = sorted((rule.named - known) | (set(rule.find) - set(words.forms)))
        if missing:
            raise GrammarError(
                f"{path}: rule {rule.name!r} names {missing[0]!r}, which is not there. There are: {', '.join(sorted(known))}"
            )
    for name, form in words.forms.items():
        sides = [bool(form.words(gender)) for gender in GENDERS]
        if not all(sides) and not form.one_sided:
            raise GrammarError(
                f"{path}: forms.{name} has words of one gender only, so that one would be found more often. "
                'Add the other\'s, or say why there are none: one_sided = "…"'
            )
    for place, entries in (
        *((f"words.{name}", entries) for name, entries in words.words.items()),
        *(
            (f"forms.{name}", (*form.words(g), *form.never))
            for name, form in words.forms.items()
            for g in GENDERS
        ),
    ):
        if "-" in entries:
            raise GrammarError(
                f'{path}: {place} holds "-", an ending that every word has. Write the mark as "(?:-)"'
            )
        try:
            WordSet(entries)
        except re.error as error:
            raise GrammarError(
                f"{path}: {place} is no list of words and regular expressions: {error}. Correct it"
            ) from error
    for name, patterns in words.patterns.items():
        if name not in PATTERNS:
            raise GrammarError(f"{path}: patterns.{name} is unknown. There are: {', '.join(PATTERNS)}")
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise GrammarError(f"{path}: patterns.{name}: {pattern!r}: {error}. Correct it") from error
