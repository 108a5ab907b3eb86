"""From what a stimuli file says to lists and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from biascore.stimuli.associations import AssociationsTest, AttributeGroup
from biascore.stimuli.entries import DoubtEntry, ListEntry, Meta, PublishedEntry
from biascore.stimuli.equity import EquityTest
from biascore.stimuli.equity_schema import EquityEntry
from biascore.stimuli.lists import (
    Doubt,
    EmotionWords,
    EquityTemplates,
    Grammar,
    PairList,
    PersonList,
    Sample,
    Samples,
    SentenceList,
    SentencePair,
    SentencePairs,
    Stereotype,
    Stimuli,
    TemplateList,
    WordForms,
    WordList,
)
from biascore.stimuli.model import (
    Dimension,
    FiseTest,
    Published,
    SamplesTest,
    SentencePairsTest,
    StimuliFile,
    Test,
)
from biascore.stimuli.nouns import GenderedNounsTest
from biascore.stimuli.references import group_list, noun_classes
from biascore.stimuli.schema import (
    AssociationsEntry,
    FileEntry,
    FiseEntry,
    NounsEntry,
    SamplesTestEntry,
    SentencePairsTestEntry,
    TestEntry,
    WeatEntry,
)


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists of one file, by section and name."""

    words: dict[str, WordList]
    pairs: dict[str, PairList]
    templates: dict[str, TemplateList]
    sentences: dict[str, SentenceList]
    sentence_pairs: dict[str, SentencePairs]
    samples: dict[str, Samples]
    forms: dict[str, WordForms]
    persons: dict[str, PersonList]
    emotion_words: dict[str, EmotionWords]
    equity_templates: dict[str, EquityTemplates]
    grammars: dict[str, Grammar]

    @property
    def all(self) -> tuple[Stimuli, ...]:
        sections = (
            *(self.words, self.pairs, self.templates),
            *(self.sentences, self.sentence_pairs, self.samples, self.forms),
            *(self.persons, self.emotion_words, self.equity_templates, self.grammars),
        )
        return tuple(one for section in sections for one in section.values())


def build_file(entry: FileEntry, stem: str, display: str, sha256: str) -> StimuliFile:
    """The lists and tests of a checked file; ``display`` and ``sha256`` are those of its bytes."""
    meta = entry.meta
    lists = _Lists(
        words={
            name: WordList(
                words=table.words,
                marks=table.marks,
                parts_of_speech=table.tags,
                families=table.families,
                counterparts=table.counterparts,
                **_about(name, table, meta),
            )
            for name, table in entry.lists.items()
        },
        pairs={
            name: PairList(
                pairs=table.pairs,
                sides=table.sides,
                not_before=table.not_before,
                families=table.families,
                **_about(name, table, meta),
            )
            for name, table in entry.pairs.items()
        },
        templates={
            name: TemplateList(
                sentences=table.sentences, slots=table.slots, words=table.words, **_about(name, table, meta)
            )
            for name, table in entry.templates.items()
        },
        sentences={
            name: SentenceList(of=table.of, **_about(name, table, meta))
            for name, table in entry.sentences.items()
        },
        sentence_pairs={
            name: SentencePairs(
                pairs=tuple(SentencePair(**pair.model_dump(exclude_none=True)) for pair in table.pairs),
                **_about(name, table, meta),
            )
            for name, table in entry.sentence_pairs.items()
        },
        samples={
            name: Samples(
                stereotypes=tuple(Stereotype(**one.model_dump()) for one in table.stereotypes),
                samples=tuple(Sample(**sample.model_dump()) for sample in table.samples),
                **_about(name, table, meta),
            )
            for name, table in entry.samples.items()
        },
        forms={
            name: WordForms(
                pieces=table.pieces, groups=table.groups, words=table.words, **_about(name, table, meta)
            )
            for name, table in entry.forms.items()
        },
        persons={
            name: PersonList(kind=table.kind, persons=table.persons, **_about(name, table, meta))
            for name, table in entry.persons.items()
        },
        emotion_words={
            name: EmotionWords(words=table.words, **_about(name, table, meta))
            for name, table in entry.emotion_words.items()
        },
        equity_templates={
            name: EquityTemplates(templates=table.templates, **_about(name, table, meta))
            for name, table in entry.equity_templates.items()
        },
        grammars={
            name: replace(table.grammar(name), **_about(name, table, meta))
            for name, table in entry.grammars.items()
        },
    )
    return StimuliFile(
        display=display,
        stem=stem,
        sha256=sha256,
        language=meta.language,
        title=meta.title,
        source=meta.source,
        licence=meta.licence,
        doi=meta.doi,
        notes=meta.notes,
        lists=lists.all,
        tests=tuple(_test(name, test, meta, lists, display, sha256) for name, test in entry.tests.items()),
    )


class _About(TypedDict):
    name: str
    source: str
    licence: str
    notes: tuple[str, ...]
    doubtful: tuple[Doubt, ...]


def _about(name: str, table: ListEntry, meta: Meta) -> _About:
    """What every list says of itself, whatever it holds."""
    return {
        "name": name,
        "source": table.source or meta.source,
        "licence": table.licence or meta.licence,
        "notes": table.notes,
        "doubtful": _doubts(table.doubtful),
    }


class _AboutTest(TypedDict):
    id: str
    kind: str
    language: str
    title: str
    concept: str
    source: str
    licence: str
    doi: str | None
    notes: tuple[str, ...]
    published: tuple[Published, ...]
    file: str
    sha256: str


def _test(name: str, entry: TestEntry, meta: Meta, lists: _Lists, display: str, sha256: str) -> Test:
    about: _AboutTest = {
        "id": f"{meta.language}/{name}",
        "kind": entry.kind,
        "language": meta.language,
        "title": entry.title,
        "concept": entry.concept,
        "source": entry.source or meta.source,
        "licence": entry.licence or meta.licence,
        "doi": entry.doi or meta.doi,
        "notes": entry.notes,
        "published": tuple(_published(figure) for figure in entry.published),
        "file": display,
        "sha256": sha256,
    }
    match entry:
        case WeatEntry():
            roles = {role: lists.words[getattr(entry, role)] for role in entry.roles}
            return Test(roles=roles, positive_means=entry.positive_means, **about)
        case FiseEntry():
            dimensions, affect = (
                tuple(Dimension(d.name, lists.words[d.A], lists.words[d.B]) for d in entries)
                for entries in (entry.dimensions, entry.affect)
            )
            return FiseTest(
                targets=lists.words.get(entry.targets) or lists.pairs[entry.targets],
                dimensions=dimensions,
                affect=affect,
                **about,
            )
        case SentencePairsTestEntry():
            pairs = lists.sentence_pairs[entry.pairs]
            return SentencePairsTest(pairs=pairs, positive_means=entry.positive_means, **about)
        case SamplesTestEntry():
            samples = lists.samples[entry.samples]
            return SamplesTest(samples=samples, positive_means=entry.positive_means, **about)
        case AssociationsEntry():
            return _associations(entry, lists, about)
        case NounsEntry():
            return GenderedNounsTest(classes=noun_classes(entry, lists.words), **about)
        case EquityEntry():
            return EquityTest(
                factors=entry.factors,
                templates=lists.equity_templates[entry.templates],
                persons=tuple(lists.persons[name] for name in entry.persons),
                words=lists.emotion_words[entry.words],
                grammar=lists.grammars[entry.grammar],
                **about,
            )


def _associations(entry: AssociationsEntry, lists: _Lists, about: _AboutTest) -> AssociationsTest:
    groups, pairs = [], {}
    for name, wanted in entry.groups.items():
        listed, side = group_list(wanted, lists.words, lists.pairs)
        if side is None:
            groups.append(AttributeGroup(name, lists.words[listed].words))
            continue
        pairs[listed] = found = lists.pairs[listed]
        groups.append(
            AttributeGroup(name, tuple(pair[found.sides.index(side)] for pair in found.pairs), listed)
        )
    return AssociationsTest(
        templates=tuple(lists.templates[name] for name in entry.templates),
        targets=lists.words[entry.targets],
        opposites=lists.words[entry.opposites] if entry.opposites else None,
        groups=tuple(groups),
        choices={
            slot: tuple(word for name in names for word in lists.words[name].words)
            for slot, names in entry.choices.items()
        },
        forms=lists.forms[entry.forms] if entry.forms else None,
        pairs=tuple(pairs.values()),
        positive_means=entry.positive_means or "",
        **about,
    )


def _doubts(entries: Sequence[DoubtEntry]) -> tuple[Doubt, ...]:
    return tuple(Doubt(printed=e.printed, note=e.note, proposed=e.proposed) for e in entries)


def _published(entry: PublishedEntry) -> Published:
    return Published(
        what=entry.what,
        value=entry.value,
        model=entry.model,
        source=entry.source,
        comparable=entry.comparable,
        p=entry.p,
        note=entry.note,
    )
