"""What a stimuli file may hold, key by key."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Annotated, Any, ClassVar, Final, Literal, Self, Union

from pydantic import AfterValidator, ConfigDict, Field, create_model, model_validator

from biascore.stimuli.entries import (
    About,
    AboutTest,
    Entry,
    ListEntry,
    Lists,
    Meta,
    Name,
    Pair,
    Prose,
    Reference,
    RolesEntry,
    Section,
    TestEntry,
    Word,
    Words,
    check_fit,
    check_not_empty,
)
from biascore.stimuli.lists import PairList, SentenceList, TemplateList, WordList
from biascore.stimuli.model import Test


def _check_families(families: tuple[Words, ...], words: Sequence[str]) -> None:
    """Raise ValueError unless families are of two words or more of the list, each word in one."""
    seen: set[str] = set()
    for family in families:
        if len(family) < 2:
            raise ValueError(f"the family of {family[0]!r} has one word; leave it out, as it is one anyway")
        for word in family:
            if word not in words:
                raise ValueError(f"families name {word!r}, which is not among the words")
            if word in seen:
                raise ValueError(f"families name {word!r} twice")
            seen.add(word)


class WordsEntry(ListEntry):
    """``[lists.NAME]``."""

    words: Words
    marks: dict[Name, Words] = Field(default_factory=dict)
    part_of_speech: Name | None = None
    parts_of_speech: dict[Name, Words] = Field(default_factory=dict)
    families: Annotated[tuple[Words, ...], Field(strict=False)] = ()
    counterparts: Prose = ""
    about: Annotated[tuple[Name, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _marked_words_are_listed(self) -> Self:
        for key, groups in (("marks", self.marks), ("parts_of_speech", self.parts_of_speech)):
            for mark, words in groups.items():
                for word in words:
                    if word not in self.words:
                        raise ValueError(f"{key}.{mark} names {word!r}, which is not among the words")
        return self

    @model_validator(mode="after")
    def _families_part_the_words(self) -> Self:
        _check_families(self.families, self.words)
        return self

    @model_validator(mode="after")
    def _one_tag_a_word(self) -> Self:
        tags: dict[str, str] = {}
        for tag, words in self.parts_of_speech.items():
            for word in words:
                if tags.setdefault(word, tag) != tag:
                    raise ValueError(f"{word!r} is in parts_of_speech.{tags[word]} and in .{tag}")
        return self

    @property
    def tags(self) -> dict[str, str]:
        """The tag of every word that has one."""
        special = {word: tag for tag, words in self.parts_of_speech.items() for word in words}
        general = dict.fromkeys(self.words, self.part_of_speech) if self.part_of_speech else {}
        return {word: tag for word, tag in (general | special).items() if tag}

    def build(self, about: About) -> WordList:
        """The word list."""
        return WordList(
            words=self.words,
            marks=self.marks,
            parts_of_speech=self.tags,
            families=self.families,
            counterparts=self.counterparts,
            about=self.about,
            **about,
        )


class PairsEntry(ListEntry):
    """``[pairs.NAME]``."""

    sides: Annotated[tuple[Prose, Prose], Field(strict=False)]
    pairs: Annotated[tuple[Pair, ...], Field(strict=False), AfterValidator(check_not_empty)]
    not_before: Annotated[tuple[Word, ...], Field(strict=False)] = ()
    families: Annotated[tuple[Words, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _families_part_the_pairs(self) -> Self:
        _check_families(self.families, [first for first, _ in self.pairs])
        return self

    def build(self, about: About) -> PairList:
        """The list of pairs."""
        return PairList(
            pairs=self.pairs, sides=self.sides, not_before=self.not_before, families=self.families, **about
        )


class TemplatesEntry(ListEntry):
    """``[templates.NAME]``."""

    slots: Words
    sentences: Words
    words: Annotated[tuple[Word, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _slots_are_used(self) -> Self:
        for sentence in self.sentences:
            if not any(slot in sentence for slot in self.slots):
                raise ValueError(f"the sentence {sentence!r} holds none of the slots {', '.join(self.slots)}")
        for slot in self.slots:
            if not any(slot in sentence for sentence in self.sentences):
                raise ValueError(f"the slot {slot!r} is in none of the sentences")
        return self

    def build(self, about: About) -> TemplateList:
        """The list of templates."""
        return TemplateList(sentences=self.sentences, slots=self.slots, words=self.words, **about)


class SentencesEntry(ListEntry):
    """``[sentences.NAME]``: ``of`` gives each word its sentences."""

    of: dict[Word, Words] = Field(min_length=1)

    def build(self, about: About) -> SentenceList:
        """The sentences by word."""
        return SentenceList(of=self.of, **about)


TARGET: Final = "TARGET"
"""In templates, the place of a word of X or Y."""
ATTRIBUTE: Final = "ATTRIBUTE"
"""In templates, the place of a word of A or B."""


def slots_missing(sentences: Iterable[str]) -> Iterator[str]:
    """What is wrong with templates of a target and an attribute: each holds both words once."""
    for sentence in sentences:
        for slot in (TARGET, ATTRIBUTE):
            if sentence.count(slot) != 1:
                yield (
                    f"the template {sentence!r} has {slot} {sentence.count(slot)} times; write {TARGET} and {ATTRIBUTE} "
                    f'once each, as in "{TARGET} {ATTRIBUTE}"'
                )


class WeatEntry(RolesEntry):
    """``[tests.ID]`` of kind ``weat``: targets X, Y and attributes A, B, each a list of this file.

    ``templates``: a list of templates with TARGET and ATTRIBUTE once each, for metrics that ask in sentences.
    ``min_used``: the share of each list that has to be usable, else it is not measured.
    ``people``: which lists name groups of people, "XY" or "AB", so that harmless groups of people take their place; without
    it topics take that of A and B. ``touches``: what the other lists are about, so that no group that is ``about`` it is
    compared. ``lead``: whether this test represents its ground.
    """

    roles: ClassVar[tuple[str, ...]] = ("X", "Y", "A", "B")

    kind: Literal["weat"]
    X: Prose
    Y: Prose
    A: Prose
    B: Prose
    templates: Prose | None = None
    min_used: float = Field(default=0.0, ge=0, le=1)
    people: Literal["", "XY", "AB"] = ""
    touches: Annotated[tuple[Name, ...], Field(strict=False)] = ()
    lead: bool = False

    def references(self) -> Iterator[Reference]:
        """The list of each role, and the templates."""
        yield from super().references()
        if self.templates is not None:
            yield Reference(("templates",), self.templates, ("templates",))

    def build(self, lists: Lists, about: AboutTest) -> Test:
        """The test with a word list in each role, its templates and the least share of words."""
        asked_in = () if self.templates is None else lists["templates"][self.templates].sentences
        check_fit((("templates",), problem) for problem in slots_missing(asked_in))
        return replace(
            super().build(lists, about),
            asked_in=asked_in,
            min_used=self.min_used,
            of_people=self.people,
            touches=self.touches,
            lead=self.lead,
        )


class _NoEntry(TestEntry):
    """A second kind, so that the kind is looked at first where there is one only."""

    kind: Literal[""]


SECTIONS: Final[Mapping[str, Section]] = {
    "lists": Section(WordsEntry, "word list", "A role takes a word list, so write a table [lists.{0}]"),
    "pairs": Section(PairsEntry, "list of pairs"),
    "templates": Section(TemplatesEntry, "list of templates"),
    "sentences": Section(SentencesEntry, "list of sentences"),
}
"""The kinds of list that serve every kind of test."""


class Kinds:
    """The kinds of test that stimuli files may hold: ``weat``, and those that plugins bring.

    ``later``: ``(name, "module:Class")`` of kinds that are imported when a file of theirs is built; of two sections of one
    name theirs counts.
    """

    def __init__(
        self, entries: Iterable[type[TestEntry]] = (), later: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._known = {one.kind_name(): one for one in entries}
        self._later = dict(later)
        self._parts: dict[tuple[str, ...], Kinds] = {}
        self.names = (WeatEntry.kind_name(), *self._later, *self._known)

    @cached_property
    def entries(self) -> Mapping[str, type[TestEntry]]:
        """What a file says of a test of each kind."""
        return {name: self._entry(name) for name in self.names}

    def _entry(self, name: str) -> type[TestEntry]:
        if name in self._later:
            module, _, attribute = self._later[name].partition(":")
            entry: type[TestEntry] = getattr(import_module(module), attribute)
            return entry
        return self._known.get(name, WeatEntry)

    @cached_property
    def sections(self) -> Mapping[str, Section]:
        """The kinds of list, by section of a file; of equal names the first counts."""
        found = dict(SECTIONS)
        for one in self.entries.values():
            found = {**one.sections, **found}
        return found

    def needed(self, names: Collection[str], sections: Collection[str]) -> Kinds:
        """The kinds of these names alone; all, where they lack one of the sections."""
        wanted = tuple(name for name in self.names[1:] if name in names)
        if wanted not in self._parts:
            self._parts[wanted] = Kinds(self._entry(name) for name in wanted)
        part = self._parts[wanted]
        return part if set(sections) <= set(part.sections) else self

    @cached_property
    def file(self) -> type[FileEntry]:
        """What a whole file may hold.

        Tests name lists of their own file only: then one digest covers every word of a test.
        """
        kinds: Any = Annotated[Union[*self.entries.values(), _NoEntry], Field(discriminator="kind")]
        fields: dict[str, Any] = {
            name: (dict[Name, section.entry], Field(default_factory=dict))  # type: ignore[name-defined]
            for name, section in self.sections.items()
        }
        return create_model(
            "StimuliFileEntry",
            __base__=FileEntry,
            **fields,
            tests=(dict[Name, kinds], Field(default_factory=dict)),
        )


@lru_cache(maxsize=16)
def kinds_of(entries: tuple[type[TestEntry], ...], later: tuple[tuple[str, str], ...] = ()) -> Kinds:
    """The kinds of these entries, made once a process: building what a file may hold takes longer than reading one."""
    return Kinds(entries, later)


class FileEntry(Entry):
    """A whole stimuli file, without its lists and tests."""

    version: Literal[1] = Field(alias="schema")
    meta: Meta


class HeadOfTest(Entry):
    """What an index says of a test, whatever its kind holds."""

    model_config = ConfigDict(extra="ignore")

    kind: str
    title: str = ""
    concept: str = ""


class Head(FileEntry):
    """What an index says of a file, whatever its lists and tests hold."""

    model_config = ConfigDict(extra="ignore")

    tests: dict[Name, HeadOfTest] = Field(default_factory=dict)
