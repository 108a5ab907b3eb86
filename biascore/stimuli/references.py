"""What tests of a stimuli file refer to: that it is there, and that the parts of a test fit each other."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from biascore.basics.suggest import did_you_mean
from biascore.stimuli.associations import parts_of, template_problem
from biascore.stimuli.equity_checks import EquityParts, equity_problems
from biascore.stimuli.equity_schema import EquityEntry
from biascore.stimuli.lists import PairList, WordList
from biascore.stimuli.nouns import NounClass, class_problems
from biascore.stimuli.schema import (
    AssociationsEntry,
    FileEntry,
    FiseEntry,
    NounsEntry,
    PairsEntry,
    SamplesTestEntry,
    SentencePairsTestEntry,
    TestEntry,
    WeatEntry,
    WordsEntry,
)

_SECTIONS = (
    *("lists", "pairs", "templates", "sentences", "sentence_pairs", "samples", "forms"),
    *("persons", "emotion_words", "equity_templates", "grammars"),
)
_WORDS, _TARGETS, _SENTENCES, _SAMPLES = ("lists",), ("lists", "pairs"), ("sentence_pairs",), ("samples",)
_TEMPLATES, _FORMS = ("templates",), ("forms",)
_PERSONS, _EMOTIONS, _EQUITY, _GRAMMARS = (
    ("persons",),
    ("emotion_words",),
    ("equity_templates",),
    ("grammars",),
)
_A_LIST = {
    _WORDS: ("word list", "A role takes a word list, so write a table [lists.{0}]"),
    _TARGETS: ("list", "Targets are words or pairs of forms, so write a table [lists.{0}] or [pairs.{0}]"),
    _SENTENCES: ("list of sentence pairs", "Write a table [sentence_pairs.{0}]"),
    _SAMPLES: ("list of samples", "Write a table [samples.{0}]"),
    _TEMPLATES: ("list of templates", "Write a table [templates.{0}]"),
    _FORMS: ("table of forms", "Write a table [forms.{0}]"),
    _PERSONS: ("list of persons", "Write a table [persons.{0}]"),
    _EMOTIONS: ("list of words of emotions", "Write a table [emotion_words.{0}]"),
    _EQUITY: ("list of templates with slots", "Write a table [equity_templates.{0}]"),
    _GRAMMARS: ("grammar", "Write a table [grammars.{0}] with what its language needs"),
}
Problem = tuple[tuple[str | int, ...], str]


def reference_problems(entry: FileEntry) -> Iterator[Problem]:
    """The key and the problem of each list that is not there or is there twice, and of parts that do not fit."""
    seen: dict[str, str] = {}
    for section in _SECTIONS:
        for name in getattr(entry, section):
            if name.casefold() in seen:
                yield (section, name), f"is a second list of this name; the other is {seen[name.casefold()]}"
            seen[name.casefold()] = f"{section}.{name}"
    for name, words in entry.lists.items():
        problem = _counterparts_problem(entry, name, words)
        if problem:
            yield ("lists", name, "counterparts"), problem
    tests: dict[str, str] = {}
    for name, test in entry.tests.items():
        if name.casefold() in tests:
            yield ("tests", name), f"differs from tests.{tests[name.casefold()]} in case only"
        tests[name.casefold()] = name
        problems = list(_missing(entry, test))
        if not problems and isinstance(test, AssociationsEntry):
            problems = list(_unfilled(entry, test))
        if not problems and isinstance(test, NounsEntry):
            problems = list(class_problems(noun_classes(test, entry.lists)))
        yield from ((("tests", name, *key), problem) for key, problem in problems)
        if not problems and isinstance(test, EquityEntry):
            yield from equity_problems(_equity_parts(entry, name, test))


def _counterparts_problem(entry: FileEntry, name: str, words: WordsEntry) -> str:
    wanted = words.counterparts
    if not wanted:
        return ""
    if wanted not in entry.lists or wanted == name:
        near = did_you_mean(wanted, set(entry.lists) - {name})
        return f"names {wanted!r}, which is no other word list of this file. {near}".rstrip()
    other = entry.lists[wanted]
    if len(other.words) != len(words.words):
        return (
            f"names {wanted!r}, which has {len(other.words)} words where this list has {len(words.words)}; "
            "each word needs its counterpart in the same place"
        )
    if other.counterparts not in ("", name):
        return (
            f"names {wanted!r}, which names {other.counterparts!r}; two lists are counterparts of one another"
        )
    return ""


def group_list(
    wanted: str, lists: Container[str], pairs: Mapping[str, PairsEntry] | Mapping[str, PairList]
) -> tuple[str, str | None]:
    """The list that a group's words are, or the pairs and the side; empty where there is no such list."""
    if wanted in lists:
        return wanted, None
    name, _, side = wanted.rpartition(".")
    return (name, side) if name in pairs and side in pairs[name].sides else ("", None)


def noun_classes(
    test: NounsEntry, lists: Mapping[str, WordsEntry] | Mapping[str, WordList]
) -> tuple[NounClass, ...]:
    """The classes of a test of nouns with their words; where only held-out nouns are listed, the rest is learnt from."""
    found = []
    for name, listed in test.classes.items():
        words = lists[listed].words
        held_out = lists[test.test[name]].words if name in test.test else ()
        train = lists[test.train[name]].words if name in test.train else ()
        if held_out and not train:
            train = tuple(word for word in words if word not in held_out)
        found.append(NounClass(name, words, train, held_out))
    return tuple(found)


def _equity_parts(entry: FileEntry, name: str, test: EquityEntry) -> EquityParts:
    return EquityParts(
        name,
        test,
        entry.equity_templates[test.templates].templates,
        {persons: entry.persons[persons].persons for persons in test.persons},
        entry.emotion_words[test.words].words,
        entry.grammars[test.grammar].grammar(test.grammar),
    )


def _missing(entry: FileEntry, test: TestEntry) -> Iterator[Problem]:
    for key, wanted, sections in _references(test):
        known = [list_ for section in sections for list_ in getattr(entry, section)]
        if wanted not in known:
            what, advice = _A_LIST[sections]
            hint = did_you_mean(wanted, known)
            yield key, f"there is no {what} {wanted!r} in this file. {hint}{advice.format(wanted)}"
    for group, wanted in test.groups.items() if isinstance(test, AssociationsEntry) else ():
        if not group_list(wanted, entry.lists, entry.pairs)[0]:
            sides = [f"{name}.{side}" for name, pairs in entry.pairs.items() for side in pairs.sides]
            hint = did_you_mean(wanted, [*entry.lists, *sides])
            advice = "A group is a table [lists.NAME], or a side of [pairs.NAME], written NAME.SIDE"
            yield (
                ("groups", group),
                f"there is no word list or side of pairs {wanted!r} in this file. {hint}{advice}",
            )


def _references(test: TestEntry) -> Iterator[tuple[tuple[str | int, ...], str, tuple[str, ...]]]:
    """Each list that a test names: the key where it stands, its name, and the sections it may be in."""
    match test:
        case WeatEntry():
            yield from (((role,), getattr(test, role), _WORDS) for role in test.roles)
        case FiseEntry():
            yield ("targets",), test.targets, _TARGETS
            for key, dimensions in (("dimensions", test.dimensions), ("affect", test.affect)):
                for position, dimension in enumerate(dimensions):
                    yield (key, position, "A"), dimension.A, _WORDS
                    yield (key, position, "B"), dimension.B, _WORDS
        case SentencePairsTestEntry():
            yield ("pairs",), test.pairs, _SENTENCES
        case SamplesTestEntry():
            yield ("samples",), test.samples, _SAMPLES
        case AssociationsEntry():
            yield from ((("templates", i), name, _TEMPLATES) for i, name in enumerate(test.templates))
            yield ("targets",), test.targets, _WORDS
            if test.opposites:
                yield ("opposites",), test.opposites, _WORDS
            for slot, names in test.choices.items():
                yield from ((("choices", slot, i), name, _WORDS) for i, name in enumerate(names))
            if test.forms:
                yield ("forms",), test.forms, _FORMS
        case NounsEntry():
            for key, parts in (("classes", test.classes), ("train", test.train), ("test", test.test)):
                yield from (((key, name), words, _WORDS) for name, words in parts.items())
        case EquityEntry():
            yield ("templates",), test.templates, _EQUITY
            yield from ((("persons", i), name, _PERSONS) for i, name in enumerate(test.persons))
            yield ("words",), test.words, _EMOTIONS
            yield ("grammar",), test.grammar, _GRAMMARS


def _unfilled(entry: FileEntry, test: AssociationsEntry) -> Iterator[Problem]:
    """Templates that some word of a group cannot be put into; one word without forms of its own stands for all."""
    forms = entry.forms[test.forms] if test.forms else None
    for group, wanted in test.groups.items():
        name, side = group_list(wanted, entry.lists, entry.pairs)
        if side is None:
            words = entry.lists[name].words
        else:
            place = entry.pairs[name].sides.index(side)
            words = tuple(pair[place] for pair in entry.pairs[name].pairs)
        own = [word for word in dict.fromkeys(words) if forms and word in forms.words]
        for word in [*own, *[word for word in words if word not in own][:1]]:
            for position, templates in enumerate(test.templates):
                known = entry.templates[templates]
                for sentence in known.sentences:
                    parts = parts_of(sentence, group, word, tuple(test.choices), forms)
                    problem = template_problem(parts, known.slots)
                    if problem:
                        key = ("templates", position)
                        yield key, f"with {word!r} of {group}, the template {sentence!r} {problem}"
                        return
