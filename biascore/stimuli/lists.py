"""The value objects that stimuli files hold: word lists, pairs, templates, sentences, and the forms of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Doubt:
    """A spot of a printed list that could not be settled; ``proposed`` is a correction, never applied."""

    printed: str
    note: str
    proposed: str | None = None


@dataclass(frozen=True, slots=True)
class WordList:
    """Words in the order and with the duplicates of the source, exactly as the file gives them.

    ``marks`` names subsets that the source itself marks, such as words printed as masculine.
    ``parts_of_speech`` gives a word's tag ("noun-singular"), by which sentence templates are chosen for it.
    ``families`` are words that are forms of one another ("bianco", "bianca"), or of one kind: no independent observations.
    ``counterparts`` names another list of the file of which each word belongs to the one in its place here ("he", "she").
    """

    name: str
    words: tuple[str, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    parts_of_speech: Mapping[str, str] = field(default_factory=dict, hash=False)
    families: tuple[tuple[str, ...], ...] = ()
    counterparts: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", MappingProxyType(dict(self.marks)))
        object.__setattr__(self, "parts_of_speech", MappingProxyType(dict(self.parts_of_speech)))

    def family_of(self, word: str) -> str:
        """The first word of its family, or the word itself where it has none."""
        return next((family[0] for family in self.families if word in family), word)

    def paired_with(self, other: WordList) -> bool:
        """Whether the words of the two lists are counterparts, each of the one in its place in the other."""
        return self.counterparts == other.name or other.counterparts == self.name


@dataclass(frozen=True, slots=True)
class PairList:
    """Pairs of words; ``sides`` says what the first and the second word of each pair stand for.

    ``not_before``: where words are swapped in a text, these pairs are meant only where another word follows that is
    none of these, as "her" is "his" before a noun and "him" elsewhere. Empty for pairs that are meant anywhere.
    ``families`` name pairs by their first words, such as occupations of one kind: no independent observations.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    sides: tuple[str, str]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()
    not_before: tuple[str, ...] = ()
    families: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateList:
    """Sentences with the markers in ``slots``; every sentence holds at least one of them.

    ``words`` are those that these templates are for, where others of their part of speech go into other ones.
    """

    name: str
    sentences: tuple[str, ...]
    slots: tuple[str, ...]
    words: tuple[str, ...] = ()
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceList:
    """Sentences written for single words, by the word; the word may stand in them in another form."""

    name: str
    of: Mapping[str, tuple[str, ...]] = field(hash=False)
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", MappingProxyType(dict(self.of)))


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences that differ in the group they speak of (Nangia et al. 2020, whose names these are).

    ``sent_more`` is the more stereotypical one. "stereo": the pair is about a negative stereotype of an
    underprivileged group; "antistereo": about a positive stereotype of a privileged one. ``template``: the name of what
    the pair was made from, if anything; pairs of one template are no independent observations.
    """

    sent_more: str
    sent_less: str
    stereo_antistereo: Literal["stereo", "antistereo"]
    bias_type: str
    template: str = ""


@dataclass(frozen=True, slots=True)
class SentencePairs:
    """Sentence pairs in the order of their source."""

    name: str
    pairs: tuple[SentencePair, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Stereotype:
    """A stereotype about women ("female") or about men ("male"), by the number that samples refer to."""

    id: int
    name: str
    gender: Literal["female", "male"]

    @property
    def label(self) -> str:
        """Number and name: ``1 Emotional and irrational``."""
        return f"{self.id} {self.name}"


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence about oneself that leaves the speaker's gender open, and the stereotype it stands for."""

    sentence: str
    stereotype: int


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of stereotypes in the order of their source (Pikuliak et al. 2023)."""

    name: str
    stereotypes: tuple[Stereotype, ...]
    samples: tuple[Sample, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class GenderedSample:
    """A sample in a language that marks the speaker's gender: as a man says it, and as a woman does."""

    male: str
    female: str
    stereotype: int


@dataclass(frozen=True, slots=True)
class GenderedSamples:
    """Gendered samples in the order of their source (Pikuliak et al. 2023, section 4.3)."""

    name: str
    stereotypes: tuple[Stereotype, ...]
    pairs: tuple[GenderedSample, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class WordForms:
    """What pieces of templates become with some words: pronouns take no article, possessives agree.

    ``pieces`` are parts of templates. ``words`` gives an attribute word one form for each of them; ``groups`` gives
    all other words of a group one for each of the first pieces. In a form, the attribute itself stands in square
    brackets ("admire [him]"); a form without any agrees with the attribute, and so gives its group away.
    """

    name: str
    pieces: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))
        object.__setattr__(self, "words", MappingProxyType(dict(self.words)))


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", MappingProxyType(dict(self.levels)))
        object.__setattr__(self, "forms", MappingProxyType(dict(self.forms)))


@dataclass(frozen=True, slots=True)
class PersonList:
    """Persons of one kind, in the order of their source; all have levels of the same factors."""

    name: str
    kind: Literal["name", "noun phrase"]
    persons: tuple[Person, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class EmotionWord:
    """A word of an emotion, for the templates with this slot; ``forms`` is its text by form ("base", "feminine", …)."""

    id: str
    emotion: str
    slot: str
    forms: Mapping[str, str] = field(hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "forms", MappingProxyType(dict(self.forms)))


@dataclass(frozen=True, slots=True)
class EmotionWords:
    """Words of emotions in the order of their source."""

    name: str
    words: tuple[EmotionWord, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class EquityTemplate:
    """A sentence with slots ``{NAME}`` or ``{NAME:FORM}``; ``variants`` are its texts for persons of a variant."""

    id: str
    text: str
    variants: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variants", MappingProxyType(dict(self.variants)))

    def text_for(self, person: Person) -> str:
        """The text that the person goes into."""
        return self.variants.get(person.variant, self.text)


@dataclass(frozen=True, slots=True)
class EquityTemplates:
    """Templates of persons and emotions in the order of their source."""

    name: str
    templates: tuple[EquityTemplate, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class GrammarRule:
    """What whole words of a sentence become, everywhere or before words that start with one of ``before``.

    ``not_before`` are starts that are excepted. ``joined``: the space after it goes.
    """

    text: str
    becomes: str
    before: tuple[str, ...] = ()
    not_before: tuple[str, ...] = ()
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a language does to a sentence that is put together from parts.

    ``agreement``: by factor, the form that a level takes (``{"gender": {"female": "feminine"}}``). ``pieces``: by name,
    parts of sentences by form (``{"self": {"feminine": "herself"}}``). ``rules`` are applied in their order, then the
    first letter becomes a ``capital`` and ``final`` is added.
    """

    name: str
    capital: bool
    final: str
    agreement: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    pieces: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    rules: tuple[GrammarRule, ...] = ()
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        for name in ("agreement", "pieces"):
            tables = {key: MappingProxyType(dict(table)) for key, table in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(tables))


Stimuli: TypeAlias = (
    WordList
    | PairList
    | TemplateList
    | SentenceList
    | SentencePairs
    | Samples
    | GenderedSamples
    | WordForms
    | PersonList
    | EmotionWords
    | EquityTemplates
    | Grammar
)
