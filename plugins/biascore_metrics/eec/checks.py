"""Whether the parts of a test of kind ``equity`` fit each other: found when a file is read, not while it is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Final

from biascore.api.kinds import Problem
from biascore.api.support import did_you_mean, listed
from biascore_metrics.eec.items import BASE, PERSON, SLOT, EquityTemplate, EquityTest, Person, Slot, form_of

MOST_CELLS: Final = 1000
MOST_SENTENCES: Final = 1_000_000
"""So many a test may have: measuring them takes 1.7 GB, and all are assembled before a model is asked."""
OWN_ID: Final = "Keep one, or give each an id of its own"


def equity_problems(test: EquityTest) -> Iterator[Problem]:
    """The key and the problem of what does not fit; of no more than the sizes, or templates with a wrong slot, if such."""
    large = [*_size_problems(test)]
    if large:
        yield from large
        return
    yield from _person_problems(test)
    yield from _word_problems(test)
    wrong = [problem for template in test.templates.rows for problem in _template_problems(test, template)]
    yield from wrong or _form_problems(test)


def _size_problems(test: EquityTest) -> Iterator[Problem]:
    """What is too large, counted before it is made."""
    cells = prod(map(len, test.factors.values()))
    if cells > MOST_CELLS:
        yield (
            ("tests", _name(test), "factors"),
            f"makes {cells:,} combinations of levels, and {MOST_CELLS:,} are the most. Leave a factor or some levels out",
        )
    words = Counter(word.slot for word in test.words.rows)
    persons = sum(map(len, _people(test).values()))
    of_templates = (
        max([words[slot.name] for slot in Slot.all_of(one.text) if slot.name in words], default=1)
        for one in test.templates.rows
    )
    sentences = persons * sum(of_templates)
    if sentences > MOST_SENTENCES:
        yield (
            ("tests", _name(test)),
            f"makes {sentences:,} sentences, of {len(test.templates):,} templates, {persons:,} persons and "
            f"{len(test.words):,} words, and {MOST_SENTENCES:,} are the most. Leave some of these out",
        )


def _name(test: EquityTest) -> str:
    """What the file calls it."""
    return test.id.partition("/")[2]


def _people(test: EquityTest) -> dict[str, tuple[Person, ...]]:
    """The persons by list, also where the test names one twice."""
    return {people.name: people.rows for people in test.persons}


def _person_problems(test: EquityTest) -> Iterator[Problem]:
    factors, owners, key = test.factors, dict[str, str](), ("tests", _name(test), "persons")
    lists, cells = _people(test), test.cells
    for name, count in Counter(people.name for people in test.persons).items():
        if count > 1:
            yield key, f"name {name!r} {count} times. Name it once"
    for name, persons in lists.items():
        for id, count in Counter(person.id for person in persons).items():
            if count > 1:
                yield ("persons", name), f"has {id!r} {count} times. {OWN_ID}"
            owner = owners.setdefault(id, name)
            if owner != name:
                yield key, f"has {id!r} twice, in {owner} and in {name}. {OWN_ID}"
        for factor, level in dict.fromkeys(pair for person in persons for pair in person.levels.items()):
            if factor in factors and level not in factors[factor]:
                yield (
                    ("persons", name),
                    f"has the level {level!r} of {factor}, and tests.{_name(test)}.factors has {listed(factors[factor])}. "
                    f"{did_you_mean(level, factors[factor])}".rstrip(),
                )
    for cell in product(*factors.values()):
        if cell not in cells:
            named = " and ".join(f"{factor} {level!r}" for factor, level in zip(factors, cell, strict=True))
            told = f"have no person of {named}. Add one, or leave a level out of tests.{_name(test)}.factors"
            yield key, told
    known = {name for template in test.templates.rows for name in template.variants}
    for name, persons in lists.items():
        for variant in dict.fromkeys(person.variant for person in persons if person.variant):
            if variant not in known:
                yield (
                    ("persons", name),
                    f"has the variant {variant!r}, of which no template of {test.templates.name} has a text. "
                    f"{did_you_mean(variant, known)}".rstrip(),
                )


def _word_problems(test: EquityTest) -> Iterator[Problem]:
    key = ("emotion_words", test.words.name)
    for slot in test.words.slots:
        if slot == PERSON or slot in test.grammar.pieces:
            owner = "the person" if slot == PERSON else f"grammars.{test.grammar.name}.pieces"
            yield key, f"has words for the slot {{{slot}}}, which is that of {owner}. Rename the slot"
    for (slot, emotion, id), count in Counter((w.slot, w.emotion, w.id) for w in test.words.rows).items():
        if count > 1:
            yield key, f"has {id!r} {count} times among the words of {emotion} for {{{slot}}}. Keep one"


def _template_problems(test: EquityTest, template: EquityTemplate) -> Iterator[Problem]:
    key, of_words = ("equity_templates", test.templates.name, "of", template.id), test.words.slots
    known = [PERSON, *of_words, *test.grammar.pieces]
    usual = [slot.name for slot in Slot.all_of(template.text)]
    if PERSON not in usual:
        yield key, f"{template.text!r} has no slot {{person}}, so all persons have the same sentence"
    for text in (template.text, *template.variants.values()):
        stray = next((brace for brace in "{}" if brace in SLOT.sub("", text)), None)
        if stray:
            told = f"has a {stray!r} that is part of no slot. Slots are {{NAME}} or {{NAME:FORM}}"
            yield key, f"{text!r} {told}"
        names = tuple(dict.fromkeys(slot.name for slot in Slot.all_of(text)))
        unknown = [name for name in names if name not in known]
        for name in unknown:
            yield (
                key,
                f"{text!r} has the slot {{{name}}}, and known are {listed(known)}. {did_you_mean(name, known)}"
                f"Words are in emotion_words.{test.words.name}.slots, what a language adds is in "
                f"grammars.{test.grammar.name}.pieces",
            )
        wordy, of_text = ([name for name in some if name in of_words] for some in (names, usual))
        if len(wordy) > 1:
            yield key, f"{text!r} has slots of two kinds of words, {listed(wordy)}. A sentence has one word"
        elif not unknown and set(usual) <= set(known) and wordy != of_text[:1]:
            yield (
                key,
                f"the variant {text!r} has not the slot for words that the text has, {template.text!r}. "
                "Give both the same one",
            )
        if test.grammar.final and text.endswith(test.grammar.final):
            yield (
                key,
                f"{text!r} ends in {test.grammar.final!r}, which grammars.{test.grammar.name}.final adds. "
                "Leave it out of the template",
            )


def _form_problems(test: EquityTest) -> Iterator[Problem]:
    """What lacks a form; each is named once, with the first template that needs it."""
    told: set[tuple[str, str, str]] = set()
    for template in test.templates.rows:
        for name, persons in _people(test).items():
            for person, slot in _different(template, persons):
                for key, what, problem in _lacking(test, template, slot, name, person):
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
    test: EquityTest, template: EquityTemplate, slot: Slot, persons: str, person: Person
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    grammar = ("grammars", test.grammar.name)

    def needs() -> str:
        return f"template {template.id} needs: {template.text_for(person)!r}"

    try:
        form = form_of(slot, person, test.grammar)
    except LookupError as error:
        yield grammar, str(error), f"{error.args[0]}, which {needs()}"
        return
    if slot.form in test.factors and slot.form not in test.grammar.agreement:
        levels = ", ".join(f'"{level}" = "…"' for level in test.factors[slot.form])
        yield (
            grammar,
            slot.form,
            f"does not say how words agree by {slot.form}, which {needs()}. "
            f'Write agreement = {{ "{slot.form}" = {{ {levels} }} }}',
        )
        return
    hint = ""
    owners: list[tuple[tuple[str, ...], str, Mapping[str, str]]]
    if slot.name == PERSON:
        owners = [(("persons", persons), f"{person.id!r} ", person.forms)]
        hint = (
            f'. Write {{ base = "{person.forms[BASE]}", {form} = "…" }}, or unchanged = ["{form}"] for all that have but '
            "their base"
        )
    elif slot.name in test.grammar.pieces:
        owners = [((*grammar, "pieces", slot.name), "", test.grammar.pieces[slot.name])]
    else:
        of = ("emotion_words", test.words.name, "slots", slot.name)
        owners = [((*of, one.emotion), f"{one.id!r} ", one.forms) for one in test.words.slots[slot.name]]
    for key, whose, forms in owners:
        if form not in forms:
            told = f"{whose}has no form {form!r}, which {needs()}. It has {listed(list(forms))}{hint}"
            yield key, whose or form, told
