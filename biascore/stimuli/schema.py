"""What a stimuli file may hold, key by key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from biascore.stimuli.entries import (
    Entry,
    ListEntry,
    Meta,
    Name,
    Pair,
    Prose,
    TestBase,
    Word,
    Words,
    check_not_empty,
)
from biascore.stimuli.equity_schema import (
    EmotionWordsEntry,
    EquityEntry,
    EquityTemplatesEntry,
    GrammarEntry,
    PersonsEntry,
)

SAMPLES_MEAN = "what stereotypes say of men is put into a man's mouth more than what they say of women"


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
                    raise ValueError(f"{word!r} stands in parts_of_speech.{tags[word]} and in .{tag}")
        return self

    @property
    def tags(self) -> dict[str, str]:
        """The tag of every word that has one."""
        special = {word: tag for tag, words in self.parts_of_speech.items() for word in words}
        general = dict.fromkeys(self.words, self.part_of_speech) if self.part_of_speech else {}
        return {word: tag for word, tag in (general | special).items() if tag}


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


class SentencesEntry(ListEntry):
    """``[sentences.NAME]``: ``of`` gives each word its sentences."""

    of: dict[Word, Words] = Field(min_length=1)


class FormsEntry(ListEntry):
    """``[forms.NAME]``: what pieces of templates become with the words of a group, and with words of their own forms."""

    pieces: Words
    groups: dict[Name, Words] = Field(default_factory=dict)
    words: dict[Word, Words] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _forms_fit_the_pieces(self) -> Self:
        count = len(self.pieces)
        for group, forms in self.groups.items():
            if len(forms) > count:
                raise ValueError(f"groups.{group} has {len(forms)} forms for {count} pieces")
        for word, forms in self.words.items():
            if len(forms) != count:
                raise ValueError(
                    f"words.{word} has {len(forms)} forms, and needs one for each of {count} pieces"
                )
        return self


class SentencePairEntry(Entry):
    """One of ``pairs`` in ``[sentence_pairs.NAME]``."""

    sent_more: Word
    sent_less: Word
    stereo_antistereo: Literal["stereo", "antistereo"]
    bias_type: Word
    template: Word | None = None


class SentencePairsEntry(ListEntry):
    """``[sentence_pairs.NAME]``."""

    pairs: Annotated[tuple[SentencePairEntry, ...], Field(strict=False), AfterValidator(check_not_empty)]


class StereotypeEntry(Entry):
    """One of ``stereotypes`` in ``[samples.NAME]``."""

    id: int = Field(ge=1)
    name: Word
    gender: Literal["female", "male"]


class SampleEntry(Entry):
    """One of ``samples`` in ``[samples.NAME]``."""

    sentence: Word
    stereotype: int


class SamplesEntry(ListEntry):
    """``[samples.NAME]``."""

    stereotypes: Annotated[tuple[StereotypeEntry, ...], Field(strict=False), AfterValidator(check_not_empty)]
    samples: Annotated[tuple[SampleEntry, ...], Field(strict=False), AfterValidator(check_not_empty)]

    @model_validator(mode="after")
    def _stereotypes_fit(self) -> Self:
        known = [stereotype.id for stereotype in self.stereotypes]
        for id in known:
            if known.count(id) > 1:
                raise ValueError(f"has two stereotypes with the id {id}")
        for sample in self.samples:
            if sample.stereotype not in known:
                raise ValueError(
                    f"{sample.sentence!r} is of stereotype {sample.stereotype}, which is not among the stereotypes"
                )
        return self


class WeatEntry(TestBase):
    """``[tests.ID]`` of kind ``weat``: targets X, Y and attributes A, B, each a list of this file."""

    roles: ClassVar[tuple[str, ...]] = ("X", "Y", "A", "B")

    kind: Literal["weat"]
    X: Prose
    Y: Prose
    A: Prose
    B: Prose
    positive_means: Prose


class DimensionEntry(Entry):
    """``[[tests.ID.dimensions]]`` and ``[[tests.ID.affect]]``: a name and two lists of this file."""

    name: Name
    A: Prose
    B: Prose


Dimensions = Annotated[tuple[DimensionEntry, ...], Field(strict=False)]


class FiseEntry(TestBase):
    """``[tests.ID]`` of kind ``fise``: targets (words or pairs of forms), dimensions and affects."""

    kind: Literal["fise"]
    targets: Prose
    dimensions: Dimensions
    affect: Dimensions = ()

    @model_validator(mode="after")
    def _dimensions_differ(self) -> Self:
        if len(self.dimensions) < 2:
            raise ValueError("has fewer than two dimensions; one dimension alone is what sc-weat measures")
        names = [dimension.name.casefold() for dimension in (*self.dimensions, *self.affect)]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"has two dimensions or affects called {name!r}")
        return self


class SentencePairsTestEntry(TestBase):
    """``[tests.ID]`` of kind ``sentence-pairs``: sentence pairs of this file."""

    kind: Literal["sentence-pairs"]
    pairs: Prose
    positive_means: Prose = "the more stereotypical sentence is preferred"


class SamplesTestEntry(TestBase):
    """``[tests.ID]`` of kind ``samples``: samples of this file."""

    kind: Literal["samples"]
    samples: Prose
    positive_means: Prose = SAMPLES_MEAN


Slot = Annotated[str, StringConstraints(pattern=r"^\[[^\]\[]+\]$")]


class AssociationsEntry(TestBase):
    """``[tests.ID]`` of kind ``associations``: templates, targets and groups of this file.

    A group is a list, or a side of pairs (``"gendered.female"``).
    """

    kind: Literal["associations"]
    templates: Words
    targets: Prose
    opposites: Prose | None = None
    groups: dict[Name, Prose]
    choices: dict[Slot, Words] = Field(default_factory=dict)
    forms: Prose | None = None
    positive_means: Prose | None = None

    @model_validator(mode="after")
    def _groups_compare(self) -> Self:
        if len(self.groups) < 2:
            raise ValueError("groups has fewer than two groups, so there is nothing to compare")
        for name in self.groups:
            if name in ("targets", "opposites"):
                raise ValueError(
                    f"groups has one called {name!r}, which is what the test's other words are called"
                )
        return self


class NounsEntry(TestBase):
    """``[tests.ID]`` of kind ``nouns``: the list of each class, and of its training and held-out nouns."""

    kind: Literal["nouns"]
    classes: dict[Name, Prose]
    train: dict[Name, Prose] = Field(default_factory=dict)
    test: dict[Name, Prose] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _classes_compare(self) -> Self:
        if len(self.classes) < 2:
            raise ValueError("classes has fewer than two classes, so there is no gender to tell from another")
        for key, parts in (("train", self.train), ("test", self.test)):
            strange = [name for name in parts if name not in self.classes]
            if strange:
                raise ValueError(f"{key} has {strange[0]!r}, which is not among the classes")
        return self


TestEntry = Annotated[
    WeatEntry
    | FiseEntry
    | SentencePairsTestEntry
    | SamplesTestEntry
    | AssociationsEntry
    | NounsEntry
    | EquityEntry,
    Field(discriminator="kind"),
]
KINDS = ("weat", "fise", "sentence-pairs", "samples", "associations", "nouns", "equity")


class FileEntry(Entry):
    """A whole stimuli file.

    Tests name lists of their own file only: then one digest covers every word of a test.
    """

    version: Literal[1] = Field(alias="schema")
    meta: Meta
    lists: dict[Name, WordsEntry] = Field(default_factory=dict)
    pairs: dict[Name, PairsEntry] = Field(default_factory=dict)
    templates: dict[Name, TemplatesEntry] = Field(default_factory=dict)
    sentences: dict[Name, SentencesEntry] = Field(default_factory=dict)
    sentence_pairs: dict[Name, SentencePairsEntry] = Field(default_factory=dict)
    samples: dict[Name, SamplesEntry] = Field(default_factory=dict)
    forms: dict[Name, FormsEntry] = Field(default_factory=dict)
    persons: dict[Name, PersonsEntry] = Field(default_factory=dict)
    emotion_words: dict[Name, EmotionWordsEntry] = Field(default_factory=dict)
    equity_templates: dict[Name, EquityTemplatesEntry] = Field(default_factory=dict)
    grammars: dict[Name, GrammarEntry] = Field(default_factory=dict)
    tests: dict[Name, TestEntry] = Field(default_factory=dict)
