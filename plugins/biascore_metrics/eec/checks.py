"""Whether the parts of a test of kind ``equity`` fit each other: found when a file is read, not while it is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final, Protocol

from biascore.api.support import did_you_mean, listed
from biascore_metrics.eec.parts_of_sentences import EmotionWord, EquityTemplate, Grammar, Person
from biascore_metrics.eec.sentences import PERSON, Slot, around_slots, form_of

Problem = tuple[tuple[str | int, ...], str]

MOST_CELLS: Final = 1000
MOST_SENTENCES: Final = 1_000_000
"""So many a test may have: measuring them takes 1.7 GB, and all are put together before a model is asked."""


class Named(Protocol):
    """What ``[tests.ID]`` names."""

    factors: dict[str, tuple[str, ...]]
    templates: str
    persons: tuple[str, ...]
    words: str
    grammar: str


@dataclass(frozen=True, slots=True)
class EquityParts:
    """What a test of a file named ``test`` is assembled from."""

    test: str
    entry: Named
    templates: tuple[EquityTemplate, ...]
    persons: Mapping[str, tuple[Person, ...]]
    words: tuple[EmotionWord, ...]
    grammar: Grammar

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that words fill."""
        return tuple(dict.fromkeys(word.slot for word in self.words))

    def at(self, *key: str | int) -> tuple[str | int, ...]:
        """The key of the test, or of something in it."""
        return ("tests", self.test, *key)


def equity_problems(parts: EquityParts) -> Iterator[Problem]:
    """The key and the problem of what does not fit; of no more than the sizes, or templates with a wrong slot, if such."""
    large = [*_size_problems(parts)]
    if large:
        yield from large
        return
    yield from _person_problems(parts)
    yield from _word_problems(parts)
    wrong = [problem for template in parts.templates for problem in _template_problems(parts, template)]
    yield from wrong or _form_problems(parts)


def _size_problems(parts: EquityParts) -> Iterator[Problem]:
    """What is too large, counted before it is made."""
    cells = prod(map(len, parts.entry.factors.values()))
    if cells > MOST_CELLS:
        yield (
            parts.at("factors"),
            f"makes {cells:,} combinations of levels, and {MOST_CELLS:,} are the most. Leave a factor or some levels out",
        )
    words = Counter(word.slot for word in parts.words)
    persons = sum(map(len, parts.persons.values()))
    of_templates = (
        max([words[slot.name] for slot in Slot.all_of(one.text) if slot.name in words], default=1)
        for one in parts.templates
    )
    sentences = persons * sum(of_templates)
    if sentences > MOST_SENTENCES:
        yield (
            parts.at(),
            f"makes {sentences:,} sentences, of {len(parts.templates):,} templates, {persons:,} persons and "
            f"{len(parts.words):,} words, and {MOST_SENTENCES:,} are the most. Leave some of these out",
        )


def _person_problems(parts: EquityParts) -> Iterator[Problem]:
    factors, owners = parts.entry.factors, dict[str, str]()
    for name, count in Counter(parts.entry.persons).items():
        if count > 1:
            yield parts.at("persons"), f"name {name!r} {count} times. Name it once"
    for name, persons in parts.persons.items():
        key = ("persons", name)
        for id, count in Counter(person.id for person in persons).items():
            if count > 1:
                yield key, f"has {id!r} {count} times. Keep one, or give each an id of its own"
            owner = owners.setdefault(id, name)
            if owner != name:
                yield (
                    parts.at("persons"),
                    f"has {id!r} twice, in {owner} and in {name}. Keep one, or give each an id of its own",
                )
        for factor, level in dict.fromkeys(pair for person in persons for pair in person.levels.items()):
            if factor in factors and level not in factors[factor]:
                yield (
                    key,
                    f"has the level {level!r} of {factor}, and tests.{parts.test}.factors has {listed(factors[factor])}. "
                    f"{did_you_mean(level, factors[factor])}".rstrip(),
                )
    people = [person for persons in parts.persons.values() for person in persons]
    filled = {tuple(person.levels.get(factor) for factor in factors) for person in people}
    for cell in product(*factors.values()):
        if cell not in filled:
            named = " and ".join(f"{factor} {level!r}" for factor, level in zip(factors, cell, strict=True))
            yield (
                parts.at("persons"),
                f"have no person of {named}. Add one, or leave a level out of tests.{parts.test}.factors",
            )
    known = {name for template in parts.templates for name in template.variants}
    for name, persons in parts.persons.items():
        for variant in dict.fromkeys(person.variant for person in persons if person.variant):
            if variant not in known:
                yield (
                    ("persons", name),
                    f"has the variant {variant!r}, of which no template of {parts.entry.templates} has a text. "
                    f"{did_you_mean(variant, known)}".rstrip(),
                )


def _word_problems(parts: EquityParts) -> Iterator[Problem]:
    key = ("emotion_words", parts.entry.words)
    for slot in parts.slots:
        if slot == PERSON or slot in parts.grammar.pieces:
            owner = "the person" if slot == PERSON else f"grammars.{parts.entry.grammar}.pieces"
            yield key, f"has words for the slot {{{slot}}}, which is that of {owner}. Rename the slot"
    for (slot, emotion, id), count in Counter((w.slot, w.emotion, w.id) for w in parts.words).items():
        if count > 1:
            yield key, f"has {id!r} {count} times among the words of {emotion} for {{{slot}}}. Keep one"


def _template_problems(parts: EquityParts, template: EquityTemplate) -> Iterator[Problem]:
    key = ("equity_templates", parts.entry.templates, "of", template.id)
    known = [PERSON, *parts.slots, *parts.grammar.pieces]
    usual = [slot.name for slot in Slot.all_of(template.text)]
    if PERSON not in usual:
        yield key, f"{template.text!r} has no slot {{person}}, so all persons have the same sentence"
    for text in (template.text, *template.variants.values()):
        slots = Slot.all_of(text)
        stray = next((brace for brace in "{}" if brace in around_slots(text)), None)
        if stray:
            yield (
                key,
                f"{text!r} has a {stray!r} that is part of no slot. Slots are {{NAME}} or {{NAME:FORM}}",
            )
        names = tuple(dict.fromkeys(slot.name for slot in slots))
        unknown = [name for name in names if name not in known]
        for name in unknown:
            yield (
                key,
                f"{text!r} has the slot {{{name}}}, and known are {listed(known)}. {did_you_mean(name, known)}"
                f"Words are in emotion_words.{parts.entry.words}.slots, what a language adds is in "
                f"grammars.{parts.entry.grammar}.pieces",
            )
        wordy = [name for name in names if name in parts.slots]
        if len(wordy) > 1:
            yield key, f"{text!r} has slots of two kinds of words, {listed(wordy)}. A sentence has one word"
        elif (
            not unknown
            and set(usual) <= set(known)
            and wordy != [name for name in usual if name in parts.slots][:1]
        ):
            yield (
                key,
                f"the variant {text!r} has not the slot for words that the text has, {template.text!r}. "
                "Give both the same one",
            )
        if parts.grammar.final and text.endswith(parts.grammar.final):
            yield (
                key,
                f"{text!r} ends in {parts.grammar.final!r}, which grammars.{parts.entry.grammar}.final adds. "
                "Leave it out of the template",
            )


def _form_problems(parts: EquityParts) -> Iterator[Problem]:
    """What lacks a form; each is named once, with the first template that needs it."""
    told: set[tuple[str, str, str]] = set()
    for template in parts.templates:
        for name, persons in parts.persons.items():
            for person, slot in _different(template, persons):
                for key, what, problem in _lacking(parts, template, slot, name, person):
                    if (str(key), what, slot.form) not in told:
                        told.add((str(key), what, slot.form))
                        yield key, problem


def _different(template: EquityTemplate, persons: tuple[Person, ...]) -> Iterator[tuple[Person, Slot]]:
    """Every person with each slot of the text; a slot for a word or piece once for persons who differ in name only."""
    seen: set[object] = set()
    for person in persons:
        for slot in Slot.all_of(template.text_for(person)):
            alike = (slot, person.variant, person.levels.get(slot.form))
            if slot.name == PERSON or alike not in seen:
                seen.add(alike)
                yield person, slot


def _lacking(
    parts: EquityParts, template: EquityTemplate, slot: Slot, persons: str, person: Person
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    grammar = ("grammars", parts.entry.grammar)

    def needs() -> str:
        return f"template {template.id} needs: {template.text_for(person)!r}"

    try:
        form = form_of(slot, person, parts.grammar)
    except LookupError as error:
        yield grammar, str(error), f"{error.args[0]}, which {needs()}"
        return
    if slot.form in parts.entry.factors and slot.form not in parts.grammar.agreement:
        levels = ", ".join(f'"{level}" = "…"' for level in parts.entry.factors[slot.form])
        yield (
            grammar,
            slot.form,
            f"does not say how words agree by {slot.form}, which {needs()}. "
            f'Write agreement = {{ "{slot.form}" = {{ {levels} }} }}',
        )
    elif slot.name == PERSON:
        if form not in person.forms:
            yield (
                ("persons", persons),
                person.id,
                f"{person.id!r} has no form {form!r}, which {needs()}. It has {listed(list(person.forms))}. "
                f'Write {{ base = "{person.forms["base"]}", {form} = "…" }}, or unchanged = ["{form}"] for all that '
                "have but their base",
            )
    elif slot.name in parts.grammar.pieces:
        piece = parts.grammar.pieces[slot.name]
        if form not in piece:
            yield (
                (*grammar, "pieces", slot.name),
                form,
                f"has no form {form!r}, which {needs()}. It has {listed(list(piece))}",
            )
    else:
        for word in parts.words:
            if word.slot == slot.name and form not in word.forms:
                yield (
                    ("emotion_words", parts.entry.words, "slots", word.slot, word.emotion),
                    word.id,
                    f"{word.id!r} has no form {form!r}, which {needs()}. It has {listed(list(word.forms))}",
                )
