"""Kind ``equity``: sentences assembled from templates, persons and words of emotions (Kiritchenko & Mohammad 2018)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import Field

from biascore.api.kinds import Entry, Rows, Stimuli, Test, Word

if TYPE_CHECKING:
    import pandas as pd

PERSON: Final = "person"
BASE: Final = "base"
SLOT: Final = re.compile(r"\{([^{}:]*)(?::([^{}:]*))?\}")


@dataclass(frozen=True, slots=True)
class Person:
    """A person that sentences speak of, by name or by a noun phrase.

    ``levels``: what is known of the person, by factor (``{"gender": "female"}``). ``forms``: the text by form, of which
    "base" is always there. ``variant``: the texts of templates that are meant for this person, where a template has one.
    """

    id: str
    levels: Mapping[str, str] = field(hash=False)
    forms: Mapping[str, str] = field(hash=False)
    variant: str = ""

    def __str__(self) -> str:
        return _all_forms(self.forms)


@dataclass(frozen=True, slots=True)
class EmotionWord:
    """A word of an emotion, for the templates with this slot; ``forms`` is its text by form ("base", "feminine", …)."""

    id: str
    emotion: str
    slot: str
    forms: Mapping[str, str] = field(hash=False)

    def __str__(self) -> str:
        return _all_forms(self.forms)


@dataclass(frozen=True, slots=True)
class EquityTemplate:
    """A sentence with slots ``{NAME}`` or ``{NAME:FORM}``; ``variants`` are its texts for persons of a variant."""

    id: str
    text: str
    variants: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return " | ".join(f"{name}: {text}" for name, text in {self.id: self.text, **self.variants}.items())

    def text_for(self, person: Person) -> str:
        """The text that the person goes into."""
        return self.variants.get(person.variant, self.text)


class GrammarRule(Entry):
    """What whole words of a sentence become, everywhere or before words that start with one of ``before``.

    ``not_before`` are starts that are excepted. ``joined``: the space after it goes.
    """

    text: Word
    becomes: Word
    before: Annotated[tuple[Word, ...], Field(strict=False)] = ()
    not_before: Annotated[tuple[Word, ...], Field(strict=False)] = ()
    joined: bool = False

    def __str__(self) -> str:
        before = f" before {', '.join(self.before)}" if self.before else ""
        unless = f" but not before {', '.join(self.not_before)}" if self.not_before else ""
        return f"{self.text} becomes {self.becomes}{before}{unless}"

    @property
    def pattern(self) -> re.Pattern[str]:
        """Where it holds; a text that ends in an apostrophe is followed by its word at once."""
        end = r"(?!\w)" if self.text[-1].isalnum() else ""
        follows = f"(?i:{'|'.join(map(re.escape, self.before))})" if self.before else ""
        unless = f"(?!(?i:{'|'.join(map(re.escape, self.not_before))}))" if self.not_before else ""
        if self.joined or follows or unless:
            end = f" (?={unless}{follows})" if self.joined else f"(?= {unless}{follows})"
        return re.compile(rf"(?<!\w){re.escape(self.text)}{end}")


@dataclass(frozen=True, slots=True)
class PersonList(Rows[Person]):
    """Persons of one kind, in the order of their source; all have levels of the same factors."""

    key: ClassVar = "persons"
    kind: Literal["name", "noun phrase"] = "name"

    def contents(self) -> str:
        return _grouped((f"{self.kind}, {', '.join(one.levels.values())}", one) for one in self.rows)

    def entries(self) -> dict[str, Any]:
        return {"kind": self.kind, **Rows.entries(self)}


@dataclass(frozen=True, slots=True)
class EmotionWords(Rows[EmotionWord]):
    """Words of emotions in the order of their source."""

    key: ClassVar = "words"

    def contents(self) -> str:
        return _grouped((f"{word.emotion} {{{word.slot}}}", word) for word in self.rows)

    @property
    def slots(self) -> dict[str, list[EmotionWord]]:
        """The words by the slot that they fill."""
        found: dict[str, list[EmotionWord]] = {}
        for word in self.rows:
            found.setdefault(word.slot, []).append(word)
        return found


class EquityTemplates(Rows[EquityTemplate]):
    """Templates of persons and emotions in the order of their source."""

    key: ClassVar = "templates"


@dataclass(frozen=True, slots=True)
class Grammar(Rows[GrammarRule]):
    """What a language does to a sentence that is assembled from parts.

    ``agreement``: by factor, the form that a level takes (``{"gender": {"female": "feminine"}}``). ``pieces``: by name,
    parts of sentences by form (``{"self": {"feminine": "herself"}}``). The rules are applied in their order, then the
    first letter becomes a ``capital`` and ``final`` is added.
    """

    key: ClassVar = "rules"
    capital: bool = True
    final: str = "."
    agreement: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    pieces: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    def __len__(self) -> int:
        return len(self.pieces) + len(self.rows)

    def contents(self) -> str:
        ends = [f"a capital at the start: {'yes' if self.capital else 'no'}", f"at the end: {self.final!r}"]
        agrees = [
            f"{by}: {', '.join(map(' = '.join, forms.items()))}" for by, forms in self.agreement.items()
        ]
        pieces = [
            f"{{{name}}}: {', '.join(map(' '.join, forms.items()))}" for name, forms in self.pieces.items()
        ]
        return "\n  ".join([*ends, *agrees, *pieces, *map(str, self.rows)])

    def entries(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ("capital", "final", "agreement", "pieces")}
        return {**own, "rules": [rule.model_dump() for rule in self.rows]}

    def agreeing(self, text: str) -> bool:
        """Whether the form of some slot of a text follows the person."""
        return any(slot.form in self.agreement for slot in Slot.all_of(text))


def _all_forms(forms: Mapping[str, str]) -> str:
    return "/".join(dict.fromkeys(forms.values()))


def _grouped(rows: Iterable[tuple[str, object]]) -> str:
    found: dict[str, list[str]] = {}
    for group, row in rows:
        found.setdefault(group, []).append(str(row))
    return "\n  ".join(f"{group}: {', '.join(some)}" for group, some in found.items())


@dataclass(frozen=True, slots=True)
class Slot:
    """``{NAME}`` or ``{NAME:FORM}``: what is put there, and in which form; a factor represents the form that agrees."""

    name: str
    form: str

    @classmethod
    @lru_cache(maxsize=4096)  # every person of a corpus is put into the same few texts
    def all_of(cls, text: str) -> tuple[Slot, ...]:
        """The slots of a text, in order."""
        return tuple(cls(found[1], BASE if found[2] is None else found[2]) for found in SLOT.finditer(text))


def form_of(slot: Slot, person: Person, grammar: Grammar) -> str:
    """The form that the slot takes with this person.

    Raises LookupError, which says what is missing, where the form follows a factor of which the person has no level, or
    the grammar no form for the level.
    """
    forms = grammar.agreement.get(slot.form)
    if forms is None:
        return slot.form
    level = person.levels.get(slot.form)
    if level is None:
        raise LookupError(f"{person.id!r} has no level of {slot.form}")
    if level not in forms:
        raise LookupError(f"agreement.{slot.form} has no form for {level!r}, the level of {person.id!r}")
    return forms[level]


def sentence_finisher(grammar: Grammar) -> Callable[[str], str]:
    """What turns filled texts into sentences: the rules of the grammar, its capital and its final."""
    rules = [(rule, rule.pattern) for rule in grammar.rows]

    def finish(text: str) -> str:
        for rule, pattern in rules:
            if rule.text in text:
                text = pattern.sub(rule.becomes.replace("\\", r"\\"), text)
        return (text[0].upper() + text[1:] if grammar.capital else text) + grammar.final

    return finish


class EquityRow(NamedTuple):
    """A sentence and its parts by id; ``word`` and ``emotion`` are "" where the template has no word.

    ``agreement``: whether a word of the sentence agrees with the person. ``levels`` are those of the person in the order of
    the test's factors, "" where the person has none.
    """

    sentence: str
    template: str
    person: str
    kind: str
    word: str
    emotion: str
    agreement: bool
    levels: tuple[str, ...]


COLUMNS: Final = EquityRow._fields[:-1]
"""The columns of `EquityTest.rows` before those of the factors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EquityTest(Test):
    """Kind ``equity``: every template with every person and every word that fits it.

    ``factors``: the levels that are compared, by factor; the first level is the reference. Every combination of
    levels has a person. ``given``: sentences that are spelt out, as those of a published corpus with its misprints; without
    them they are assembled from the parts.
    """

    planted: ClassVar[str] = "biascore_metrics.eec.planted:Emotions"

    factors: Mapping[str, tuple[str, ...]] = field(hash=False)
    templates: EquityTemplates
    persons: tuple[PersonList, ...]
    words: EmotionWords
    grammar: Grammar
    given: tuple[EquityRow, ...] = ()
    _rows: list[pd.DataFrame] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", MappingProxyType({}))
        object.__setattr__(self, "factors", MappingProxyType(dict(self.factors)))

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        people = {f"persons.{one.name}": one for one in self.persons}
        return {"templates": self.templates, **people, "words": self.words, "grammar": self.grammar}

    @property
    def emotions(self) -> tuple[str, ...]:
        """The emotions in the order of the words."""
        return tuple(dict.fromkeys(word.emotion for word in self.words.rows))

    @property
    def agreement(self) -> Mapping[str, bool]:
        """By template, whether its sentences about named persons have a word that agrees: grammar tells a level there."""
        given = {row.template for row in self.given if row.agreement and row.kind == "name"}
        return {
            one.id: one.id in given if self.given else self.grammar.agreeing(one.text)
            for one in self.templates.rows
        }

    @property
    def cells(self) -> Mapping[tuple[str, ...], tuple[Person, ...]]:
        """The persons with a level of every factor, by these levels, in the order of the factors."""
        cells: dict[tuple[str, ...], list[Person]] = {}
        for person in (person for people in self.persons for person in people.rows):
            levels = self._levels(person)
            if all(levels):
                cells.setdefault(levels, []).append(person)
        return {levels: tuple(people) for levels, people in cells.items()}

    def details(self) -> list[str]:
        """Its sentences, counted, and the first of every template, for the terminal."""
        counted: dict[str, Any] = self.details_json()["sentences"]

        def counts(by: str) -> str:
            return ", ".join(f"{name} {count:,}" for name, count in counted[by].items())

        agrees = {name: "; a word agrees with the person" * one for name, one in self.agreement.items()}
        return [
            f"sentences: {counted['number']:,} ({counted['different']:,} different); {counts('by_kind')}",
            f"by emotion: {counts('by_emotion')}",
            f"persons by {' and '.join(self.factors)}",
            *(
                f"  {', '.join(str(cell[factor]) for factor in self.factors)}: {cell['persons']:,} persons, "
                f"{cell['sentences']:,} sentences"
                for cell in counted["cells"]
            ),
            "the first sentence of each template",
            *(
                f"  {template} ({counted['by_template'][template]:,}{agrees[template]}): {sentence}"
                for template, sentence in counted["first"].items()
            ),
        ]

    def details_json(self) -> dict[str, Any]:
        """Counts of the sentences by kind of person, emotion, template and cell, and the first of every template."""
        rows, factors = self.rows(), list(self.factors)
        whole = rows[(rows[factors] != "").all(axis=1)].groupby(factors, sort=False)
        cells = whole.agg(persons=("person", "nunique"), sentences=("sentence", "size")).reset_index()
        first = rows.drop_duplicates("template")

        def counts(column: str) -> dict[str, int]:
            found = rows[column].value_counts(sort=False)
            return {str(value) or "none": int(count) for value, count in found.items()}

        sentences = {
            "number": len(rows),
            "different": int(rows["sentence"].nunique()),
            **{f"by_{column}": counts(column) for column in ("kind", "emotion", "template")},
            "cells": cells.to_dict("records"),
            "agreement": dict(self.agreement),
            "first": dict(zip(first["template"], first["sentence"], strict=True)),
        }
        return {"sentences": sentences}

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A score of each sentence for each emotion, as ``answers:`` reads it."""
        return ("sentence", *self.emotions), tuple(dict.fromkeys(self.rows()["sentence"]))

    def rows(self) -> pd.DataFrame:
        """The sentences, a row each: COLUMNS and a column for every factor, all text but ``agreement``.

        Ordered by template, person and word as the lists are. What does not apply is an empty text: the word and emotion of
        a template without one, a factor of which the person has no level.
        """
        import pandas as pd  # slow to import, and only frames need it

        if not self._rows:  # put together once: a run asks for them several times
            rows = [(*row[:-1], *row.levels) for row in self.given or self._generated()]
            self._rows.append(pd.DataFrame(rows, columns=[*COLUMNS, *self.factors]))
        return self._rows[0].copy()

    def _levels(self, person: Person) -> tuple[str, ...]:
        return tuple(person.levels.get(factor, "") for factor in self.factors)

    def _generated(self) -> Iterator[EquityRow]:
        finish, words_of_slot = sentence_finisher(self.grammar), self.words.slots
        for template in self.templates.rows:
            for people in self.persons:
                for person in people.rows:
                    text = template.text_for(person)
                    parts = tuple(_parts(text, person, self.grammar))
                    slots = {part.name for part in parts if isinstance(part, Slot)}
                    words: Sequence[EmotionWord | None] = words_of_slot[slots.pop()] if slots else (None,)
                    agrees, levels = self.grammar.agreeing(text), self._levels(person)
                    for word in words:
                        forms, id, emotion = (word.forms, word.id, word.emotion) if word else ({}, "", "")
                        text = "".join(part if isinstance(part, str) else forms[part.form] for part in parts)
                        yield EquityRow(
                            finish(text), template.id, person.id, people.kind, id, emotion, agrees, levels
                        )


def _parts(text: str, person: Person, grammar: Grammar) -> Iterator[str | Slot]:
    """The text with its person, and of each slot for a word the form that it takes."""
    tables = {**grammar.pieces, PERSON: person.forms}
    end = 0
    for found, slot in zip(SLOT.finditer(text), Slot.all_of(text), strict=True):
        form = form_of(slot, person, grammar)
        yield text[end : found.start()]
        yield tables[slot.name][form] if slot.name in tables else Slot(slot.name, form)
        end = found.end()
    yield text[end:]
