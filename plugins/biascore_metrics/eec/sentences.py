"""Kind ``equity``: sentences assembled from templates, persons and words of emotions (Kiritchenko & Mohammad 2018)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from biascore.api.kinds import Stimuli, Test
from biascore_metrics.eec.parts_of_sentences import (
    EmotionWord,
    EmotionWords,
    EquityTemplates,
    Grammar,
    GrammarRule,
    Person,
    PersonList,
)

if TYPE_CHECKING:
    import pandas as pd

PERSON: Final = "person"
BASE: Final = "base"
COLUMNS: Final = ("sentence", "template", "person", "kind", "word", "emotion", "agreement")
"""The columns of `EquityTest.rows` before those of the factors."""
_SLOT: Final = re.compile(r"\{([^{}:]*)(?::([^{}:]*))?\}")


@dataclass(frozen=True, slots=True)
class Slot:
    """``{NAME}`` or ``{NAME:FORM}``: what is put there, and in which form; a factor represents the form that agrees."""

    name: str
    form: str

    @classmethod
    @lru_cache(maxsize=4096)  # every person of a corpus is put into the same few texts
    def all_of(cls, text: str) -> tuple[Slot, ...]:
        """The slots of a text, in order."""
        return tuple(cls(found[1], BASE if found[2] is None else found[2]) for found in _SLOT.finditer(text))


def around_slots(text: str) -> str:
    """The text without its slots."""
    return _SLOT.sub("", text)


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


def agreeing(text: str, grammar: Grammar) -> tuple[str, ...]:
    """The names of the slots of a text whose form follows the person."""
    return tuple(dict.fromkeys(slot.name for slot in Slot.all_of(text) if slot.form in grammar.agreement))


def finisher(grammar: Grammar) -> Callable[[str], str]:
    """What turns filled texts into sentences: the rules of the grammar, its capital and its final."""
    rules = [(rule, _pattern(rule)) for rule in grammar.rules]

    def finish(text: str) -> str:
        for rule, pattern in rules:
            if rule.text in text:
                text = pattern.sub(rule.becomes.replace("\\", r"\\"), text)
        return (text[0].upper() + text[1:] if grammar.capital else text) + grammar.final

    return finish


def _pattern(rule: GrammarRule) -> re.Pattern[str]:
    # A text that ends in an apostrophe is followed by its word at once.
    end = r"(?!\w)" if rule.text[-1].isalnum() else ""
    follows = f"(?i:{'|'.join(map(re.escape, rule.before))})" if rule.before else ""
    unless = f"(?!(?i:{'|'.join(map(re.escape, rule.not_before))}))" if rule.not_before else ""
    if rule.joined or follows or unless:
        end = f" (?={unless}{follows})" if rule.joined else f"(?= {unless}{follows})"
    return re.compile(rf"(?<!\w){re.escape(rule.text)}{end}")


@dataclass(frozen=True, slots=True)
class EquityRow:
    """A sentence and its parts by id; ``word`` and ``emotion`` are "" where the template has no word.

    ``levels`` are those of the person in the order of the test's factors, "" where the person has none.
    """

    sentence: str
    template: str
    person: str
    kind: str
    word: str
    emotion: str
    agreement: bool
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EquityTest(Test):
    """Kind ``equity``: every template with every person and every word that fits it.

    ``factors``: the levels that are compared, by factor; the first level is the reference. Every combination of
    levels has a person. ``given``: sentences that are spelt out, as those of a published corpus with its misprints; without
    them they are assembled from the parts.
    """

    factors: Mapping[str, tuple[str, ...]] = field(hash=False)
    templates: EquityTemplates
    persons: tuple[PersonList, ...]
    words: EmotionWords
    grammar: Grammar
    given: tuple[EquityRow, ...] = ()
    _rows: list[EquityRow] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", MappingProxyType({}))
        object.__setattr__(self, "factors", MappingProxyType(dict(self.factors)))

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        people = {f"persons.{one.name}": one for one in self.persons}
        return {"templates": self.templates, **people, "words": self.words, "grammar": self.grammar}

    @property
    def emotions(self) -> tuple[str, ...]:
        """The emotions in the order of the words."""
        return tuple(dict.fromkeys(word.emotion for word in self.words.words))

    @property
    def agreement(self) -> Mapping[str, bool]:
        """By template, whether a word of its sentences about named persons agrees with the person.

        There grammar tells a level, whatever the name says.
        """
        if self.given:
            agreeing_ids = {row.template for row in self.given if row.agreement and row.kind == "name"}
            return {one.id: one.id in agreeing_ids for one in self.templates.templates}
        return {one.id: bool(agreeing(one.text, self.grammar)) for one in self.templates.templates}

    @property
    def cells(self) -> Mapping[tuple[str, ...], tuple[Person, ...]]:
        """The persons with a level of every factor, by these levels, in the order of the factors."""
        cells: dict[tuple[str, ...], list[Person]] = {}
        for person in (person for people in self.persons for person in people.persons):
            levels = self._levels(person)
            if all(levels):
                cells.setdefault(levels, []).append(person)
        return {levels: tuple(people) for levels, people in cells.items()}

    def details(self) -> list[str]:
        """Its sentences, counted, and the first of every template, for the terminal."""
        return sentence_lines(self)

    def details_json(self) -> dict[str, Any]:
        """The same as JSON."""
        return {"sentences": sentences_json(self)}

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A score of each sentence for each emotion, as ``answers:`` reads it."""
        return ("sentence", *self.emotions), tuple(dict.fromkeys(self.rows()["sentence"]))

    def rows(self) -> pd.DataFrame:
        """The sentences, a row each: COLUMNS and a column for every factor, all text but ``agreement``.

        Ordered by template, person and word as the lists are. ``kind`` is "name" or "noun phrase"; ``agreement`` says
        whether a word of the sentence agrees with its person. What does not apply is an empty text: the word and
        emotion of a template without one, a factor of which the person has no level.
        """
        import pandas as pd  # slow to import, and only frames need it

        if not self._rows:  # put together once: a run asks for them several times
            self._rows.extend(self.given or self._generated())
        rows = self._rows
        columns: dict[str, Sequence[object]] = {
            name: [getattr(row, name) for row in rows] for name in COLUMNS
        }
        for position, factor in enumerate(self.factors):
            columns[factor] = [row.levels[position] for row in rows]
        return pd.DataFrame(columns)

    def _levels(self, person: Person) -> tuple[str, ...]:
        return tuple(person.levels.get(factor, "") for factor in self.factors)

    def _generated(self) -> Iterator[EquityRow]:
        finish = finisher(self.grammar)
        of_slot: dict[str, list[EmotionWord]] = {}
        for known in self.words.words:
            of_slot.setdefault(known.slot, []).append(known)
        for template in self.templates.templates:
            for people in self.persons:
                for person in people.persons:
                    text = template.text_for(person)
                    parts = tuple(_parts(text, person, self.grammar))
                    slots = {part.name for part in parts if isinstance(part, Slot)}
                    words: Sequence[EmotionWord | None] = of_slot[slots.pop()] if slots else (None,)
                    agrees, levels = bool(agreeing(text, self.grammar)), self._levels(person)
                    for word in words:
                        yield EquityRow(
                            sentence=finish(_joined(parts, word)),
                            template=template.id,
                            person=person.id,
                            kind=people.kind,
                            word=word.id if word else "",
                            emotion=word.emotion if word else "",
                            agreement=agrees,
                            levels=levels,
                        )


def _parts(text: str, person: Person, grammar: Grammar) -> Iterator[str | Slot]:
    """The text with its person, and of each slot for a word the form that it takes."""
    tables = {**grammar.pieces, PERSON: person.forms}
    end = 0
    for found, slot in zip(_SLOT.finditer(text), Slot.all_of(text), strict=True):
        form = form_of(slot, person, grammar)
        yield text[end : found.start()]
        yield tables[slot.name][form] if slot.name in tables else Slot(slot.name, form)
        end = found.end()
    yield text[end:]


def _joined(parts: Sequence[str | Slot], word: EmotionWord | None) -> str:
    forms = word.forms if word else {}
    return "".join(part if isinstance(part, str) else forms[part.form] for part in parts)


def sentences_json(test: EquityTest) -> dict[str, object]:
    """Counts of the sentences by kind of person, emotion, template and cell, and the first of every template."""
    rows = test.rows()
    return {
        "number": len(rows),
        "different": int(rows["sentence"].nunique()),
        "by_kind": _counts(rows, "kind"),
        "by_emotion": _counts(rows, "emotion"),
        "by_template": _counts(rows, "template"),
        "cells": _cells(test, rows).to_dict("records"),
        "agreement": dict(test.agreement),
        "first": _first(rows),
    }


def sentence_lines(test: EquityTest) -> list[str]:
    """The same for the terminal."""
    rows = test.rows()
    by_template, agreement = _counts(rows, "template"), test.agreement
    lines = [
        f"sentences: {len(rows):,} ({rows['sentence'].nunique():,} different); {_listed(_counts(rows, 'kind'))}",
        f"by emotion: {_listed(_counts(rows, 'emotion'))}",
        f"persons by {' and '.join(test.factors)}",
    ]
    for cell in _cells(test, rows).to_dict("records"):
        levels = ", ".join(str(cell[factor]) for factor in test.factors)
        lines.append(f"  {levels}: {cell['persons']:,} persons, {cell['sentences']:,} sentences")
    lines.append("the first sentence of each template")
    for template, sentence in _first(rows).items():
        agrees = "; a word agrees with the person" if agreement[template] else ""
        lines.append(f"  {template} ({by_template[template]:,}{agrees}): {sentence}")
    return lines


def _counts(rows: pd.DataFrame, column: str) -> dict[str, int]:
    counts = rows[column].value_counts(sort=False)
    return {str(value) or "none": int(count) for value, count in counts.items()}


def _cells(test: EquityTest, rows: pd.DataFrame) -> pd.DataFrame:
    """The sentences of persons with a level of every factor; columns: the factors, persons, sentences."""
    factors = list(test.factors)
    whole = rows[(rows[factors] != "").all(axis=1)]
    cells = whole.groupby(factors, sort=False).agg(
        persons=("person", "nunique"), sentences=("sentence", "size")
    )
    return cells.reset_index()


def _first(rows: pd.DataFrame) -> dict[str, str]:
    first = rows.drop_duplicates("template")
    return dict(zip(first["template"], first["sentence"], strict=True))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
