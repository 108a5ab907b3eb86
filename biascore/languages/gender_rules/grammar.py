"""The grammar file: word lists, gendered forms and the rules that tie them to the speaker.

In lists, ``"-la"`` is an ending and ``"bol"`` a whole word; both are regular expressions in lower case.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.problems import problems_of
from biascore.basics.tags import canonical_tag
from biascore.basics.wording import brief, few
from biascore.errors import GrammarError
from biascore.files.reading import read_toml
from biascore.languages.gender import Gender
from biascore.languages.gender_rules.words import WordSet
from biascore.languages.language import shorter_tags

Names = frozenset[str]
"""Names of lists and forms of the same file."""
Words = tuple[str, ...]
"""Whole words (``"bol"``) and endings (``"-la"``), as regular expressions in lower case."""

GENDERS: Final = (Gender.MASCULINE, Gender.FEMININE)
FAR: Final = 50
"""How many words a rule looks over at most: no clause is longer, and a list of a thousand words is none."""
_LOOK: Final = re.compile(r"(left|right)(?: ([1-9]\d?))?|here")


@dataclass(frozen=True, slots=True)
class Look:
    """A direction (-1 left, 0 here, 1 right) and over how many words to look."""

    direction: int
    reach: int

    @classmethod
    def parse(cls, text: object) -> Look:
        """``"left"``, ``"right 3"``, ``"here"``; raises ValueError for anything else."""
        if isinstance(text, str) and _LOOK.fullmatch(text):
            way, _, reach = text.partition(" ")
            return cls({"left": -1, "here": 0, "right": 1}[way], int(reach or FAR))
        raise ValueError(f"{text!r} is none of: here, left, right, left 3, right 3")

    def __str__(self) -> str:
        way = {-1: "left", 0: "here", 1: "right"}[self.direction]
        return way if not self.direction or self.reach == FAR else f"{way} {self.reach}"


def _check_stems(stems: Mapping[str, Words]) -> Mapping[str, Words]:
    for endings in stems:
        if endings.count("/") != 1:
            raise ValueError(f"{endings!r} is no pair of endings such as 'en/na'")
    return stems


class Form(Frozen):
    """A form of words that shows gender; words and endings under ``never`` are no such form.

    ``stems`` says both genders at once, so that neither is found more often than the other: the key
    ``"en/na"`` with the stem ``"sposob"`` is *sposoben*, *sposobna*; the stem ``"-[bd]"`` is any word's end.
    """

    masculine: Words = ()
    feminine: Words = ()
    one_sided: str = ""
    """Why the form has words of one gender only: without a reason such a form is refused."""
    stems: Annotated[FrozenMap[Words], AfterValidator(_check_stems)] = Field(default_factory=dict)
    never: Words = ()

    def words(self, gender: Gender) -> Words:
        """All words and endings of one gender."""
        place = 0 if gender is Gender.MASCULINE else 1
        with_ending = [
            (stem if "|" not in stem else f"{stem[: stem[0] == '-']}(?:{stem.lstrip('-')})")
            + endings.split("/")[place]
            for endings, stems in self.stems.items()
            for stem in stems
        ]
        return (*(self.masculine if place == 0 else self.feminine), *with_ending)


class Rule(Frozen):
    """Where a form that agrees with the speaker stands.

    From each word of a list in ``anchor`` (none: from each word of the form itself) the rule looks in the
    directions of ``look``, in this order, never past the end of the clause, for a word of a form in ``find``,
    and takes the first that no other key of the rule excludes. All keys but ``look`` hold names of lists and
    forms.
    """

    name: str
    anchor: Names = frozenset()
    find: Annotated[tuple[str, ...], Field(min_length=1)]
    look: Annotated[tuple[Annotated[Look, BeforeValidator(Look.parse)], ...], Field(min_length=1)]
    halt: Names = frozenset()
    """Before such a word the rule stops looking in this direction."""
    halt_left: Names = frozenset()
    """The same, to the left only."""
    over: Names = frozenset()
    """Where given, the rule looks past such words only."""
    needs_in_clause: Names = frozenset()
    """Without such a word in its clause an anchor is none."""
    unless_clause_has: Names = frozenset()
    """With such a word in its clause an anchor is none: another subject, say."""
    unless_anchor_after: Names = frozenset()
    """Directly after such a word an anchor is none."""
    anchor_after: Names = frozenset()
    """Where given, an anchor counts only behind such a word: an infinitive behind a verb of the speaker's."""
    anchor_over: Names = frozenset()
    """The words that may stand between an anchor and the word of ``anchor_after``; no others may."""
    needs_before_anchor: Names = frozenset()
    """Where given, an anchor counts only where such a word stands somewhere before it in the text."""
    unless_before_anchor: Names = frozenset()
    """With such a word anywhere before it in the text an anchor is none."""
    anchor_first: Names = frozenset()
    """Where given, an anchor has only such words before it in the text."""
    unless_after: Names = frozenset()
    """A form does not count directly after such a word: a demonstrative, say."""
    unless_before: Names = frozenset()
    """A form does not count directly before such a word: "person", which hides the speaker."""
    unless_word_in: Names = frozenset()
    """Words that do not count, though they are of the form."""
    not_attributive: bool = False
    """A form does not count before a word of the form ``noun`` that agrees with it."""
    fallback: bool = False
    """Used only where the rules before it found nothing."""

    @property
    def named(self) -> frozenset[str]:
        """All lists and forms that the rule names."""
        return frozenset(self.find).union(
            self.anchor, self.halt, self.halt_left, self.over, self.needs_in_clause, self.unless_clause_has,
            self.unless_anchor_after, self.anchor_after, self.anchor_over, self.needs_before_anchor,
            self.unless_before_anchor, self.anchor_first,
            self.unless_after, self.unless_before, self.unless_word_in,
        )  # fmt: skip


class Pairs(Frozen):
    """Words that may differ between the versions of a sentence, and differ in more than gender."""

    never: tuple[tuple[str, str], ...] = ()

    @property
    def exceptions(self) -> frozenset[frozenset[str]]:
        """The pairs in either order."""
        return frozenset(frozenset(pair) for pair in self.never)


class Grammar(Frozen):
    """The grammar of one language, as a detector uses it."""

    language: str
    include: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    elided: tuple[str, ...] = ()
    """Words that lose their vowel before an apostrophe, without it: ``"un"`` makes two words of *un'amica*."""
    letters: FrozenMap[str] = Field(default_factory=dict)
    """Letters that are replaced before a word is looked up: another script, look-alikes."""
    words: FrozenMap[Words] = Field(default_factory=dict)
    """Lists by name. ``clause`` holds words that begin a clause, ``and`` those that join equals, ``or`` those that join
    both genders of a word, and ``neutral`` words whose last letter represents either ending."""
    forms: FrozenMap[Form] = Field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    pairs: Pairs = Pairs()


def load_grammar(path: Path, language: str | None = None) -> Grammar:
    """The grammar in a TOML file; lists of the files it includes come before its own.

    ``language`` is the tag that the file must be of. Raises GrammarError, with the file and the key, where one
    cannot be read, names what is not there, finds one gender only, or is of another language.
    """
    try:
        grammar = Grammar.model_validate(_read(path, ()))
        _check(grammar, path, language)
    except ValidationError as error:
        problems = "; ".join(few(problems_of(error, Grammar, list_known=False), attrgetter("text")))
        raise GrammarError(brief(f"{path}: {problems}. See docs/speaker-gender.md")) from error
    except GrammarError as error:
        raise GrammarError(brief(str(error))) from error
    return grammar


def _check(grammar: Grammar, path: Path, language: str | None) -> None:
    if language is not None and canonical_tag(grammar.language) not in shorter_tags(language):
        raise GrammarError(
            f"{path}: language is {grammar.language!r}, and the file is used as the grammar of {language!r}. "
            f'Write language = "{language}", or register the file for {grammar.language!r}'
        )
    _check_names(grammar, path)
    _check_sides(grammar, path)


def _read(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    if path in above:
        raise GrammarError(f"{path} includes itself. Remove it from 'include'")
    own = read_toml(path, str(path), GrammarError).document
    merged: dict[str, Any] = {}
    include = own.get("include", [])
    if not isinstance(include, list) or not all(isinstance(name, str) for name in include):
        raise GrammarError(f'{path}: include is no list of files. Write it like include = ["slavic.toml"]')
    for name in include:
        merged = _merge(merged, _read(path.parent / name, (*above, path)))
    whole: dict[str, Any] = _merge(merged, own)
    return whole


def _merge(base: Any, own: Any) -> Any:
    """Tables are merged key by key, lists joined, single values replaced."""
    if isinstance(base, Mapping) and isinstance(own, Mapping):
        return {**base, **{key: _merge(base[key], own[key]) if key in base else own[key] for key in own}}
    return [*base, *own] if isinstance(base, list) and isinstance(own, list) else own


def _check_names(grammar: Grammar, path: Path) -> None:
    known = {*grammar.words, *grammar.forms}
    twice = set(grammar.words) & set(grammar.forms)
    if twice:
        raise GrammarError(f"{path}: {min(twice)!r} names a list and a form. Rename one of them")
    for rule in grammar.rules:
        for name in sorted(rule.named - known):
            raise GrammarError(f"{path}: rule {rule.name!r} names {name!r}. There are: {_shown(known)}")
        for name in sorted(set(rule.find) - set(grammar.forms)):
            raise GrammarError(
                f"{path}: rule {rule.name!r} finds {name!r}, which is no form. "
                f"There are: {_shown(grammar.forms)}"
            )
    lists = {f"words.{name}": words for name, words in grammar.words.items()}
    for name, form in grammar.forms.items():
        lists |= {f"forms.{name}.{gender}": form.words(gender) for gender in GENDERS}
        lists[f"forms.{name}.never"] = form.never
    for place, words in lists.items():
        for word in words:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter(
                        "error", FutureWarning
                    )  # of what another Python will read in another way
                    WordSet([word])
            except (re.error, RecursionError, OverflowError, FutureWarning) as error:
                raise GrammarError(
                    f"{path}: {place}: {word!r} is not a regular expression ({error}). Correct it"
                ) from error


def _check_sides(grammar: Grammar, path: Path) -> None:
    """A form without words of one gender would find the other more often, and tilt what is measured."""
    for name, form in grammar.forms.items():
        has = {gender.value for gender in GENDERS if form.words(gender)}
        rules = ", ".join(repr(rule.name) for rule in grammar.rules if name in rule.find)
        use = f", which the rules {rules} look for," if rules else ""
        if len(has) == 1 and not form.one_sided:
            (only,) = has
            missing = next(gender.value for gender in GENDERS if gender.value not in has)
            raise GrammarError(
                f"{path}: forms.{name}{use} has {only} words only, so {only} speakers would be found more often. "
                f"Add its {missing} words, or both at once as stems; if it truly has none, say why: "
                f'one_sided = "the {missing} is in forms.…"'
            )
        if len(has) != 1 and form.one_sided:
            raise GrammarError(
                f"{path}: forms.{name} is one_sided, and has {' and '.join(sorted(has)) or 'no'} words. "
                "Remove one_sided"
            )


def _shown(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
