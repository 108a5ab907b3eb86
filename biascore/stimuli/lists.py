"""The value objects that stimuli files hold: word lists, pairs, templates, sentences, and the forms of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A spot of a printed list that could not be settled; ``proposed`` is a correction, never applied."""

    printed: str
    note: str
    proposed: str | None = None


class Stimuli:
    """What every list of a stimuli file is: its name, where it comes from, and its entries for people and programs."""

    __slots__ = ()

    name: str
    source: str
    licence: str
    notes: tuple[str, ...]
    doubtful: tuple[Uncertain, ...]

    def __len__(self) -> int:
        """How many entries it has."""
        raise NotImplementedError

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        raise NotImplementedError

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        raise NotImplementedError

    def texts(self) -> Iterable[str]:
        """What of it is text in the language of its test; nothing where that is not known."""
        return ()


@dataclass(frozen=True, slots=True)
class Rows(Stimuli, Generic[T]):
    """Dataclasses in the order of their source; the terminal shows the `str` of each.

    A subclass is a kind of list: it says what the rows are, and in ``key`` what they are called in JSON. ``unread``: what
    the source has that is no usable row, each with its name and the reason; they count as lost.
    """

    key: ClassVar[str]

    name: str
    rows: tuple[T, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Uncertain, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()

    def of(self, rows: tuple[T, ...]) -> Self:
        """The same list of other rows."""
        return replace(self, rows=rows)

    def __len__(self) -> int:
        return len(self.rows)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return "\n  ".join(map(str, self.rows))

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {self.key: [asdict(one) for one in cast("tuple[Any, ...]", self.rows)]}

    def texts(self) -> Iterable[str]:
        """The `str` of each row; a list whose rows say more than texts of the language gives those alone."""
        return map(str, self.rows)


@dataclass(frozen=True, slots=True)
class WordList(Stimuli):
    """Words in the order and with the duplicates of the source, exactly as the file gives them.

    ``marks`` names subsets that the source itself marks, such as words printed as masculine.
    ``parts_of_speech`` gives a word's tag ("noun-singular"), by which sentence templates are chosen for it.
    ``families`` are words that are forms of one another ("bianco", "bianca"), or of one kind: no independent observations.
    ``counterparts`` names another list of the file of which each word belongs to the one in its place here ("he", "she").
    ``about``: of harmless groups, what they are about ("arts"): tests that touch it are not compared with them.
    """

    name: str
    words: tuple[str, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Uncertain, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    parts_of_speech: Mapping[str, str] = field(default_factory=dict, hash=False)
    families: tuple[tuple[str, ...], ...] = ()
    counterparts: str = ""
    about: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", MappingProxyType(dict(self.marks)))
        object.__setattr__(self, "parts_of_speech", MappingProxyType(dict(self.parts_of_speech)))

    def family_of(self, word: str) -> str:
        """The first word of its family, or the word itself where it has none."""
        return self.families_of([word])[0]

    def families_of(self, words: Sequence[str]) -> list[str]:
        """`family_of` of each of these words."""
        first = {word: family[0] for family in reversed(self.families) for word in family}
        return [first.get(word, word) for word in words]

    def paired_with(self, other: WordList) -> bool:
        """Whether the words of the two lists are counterparts, each of the one in its place in the other."""
        return self.counterparts == other.name or other.counterparts == self.name

    def __len__(self) -> int:
        return len(self.words)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return ", ".join(self.words)

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"words": list(self.words)}

    def texts(self) -> Iterable[str]:
        """The words."""
        return self.words


@dataclass(frozen=True, slots=True)
class PairList(Stimuli):
    """Pairs of words; ``sides`` says what the first and the second word of each pair represent.

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
    doubtful: tuple[Uncertain, ...] = ()
    not_before: tuple[str, ...] = ()
    families: tuple[tuple[str, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return ", ".join("/".join(dict.fromkeys(pair)) for pair in self.pairs)

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"sides": list(self.sides), "pairs": [list(pair) for pair in self.pairs]}

    def texts(self) -> Iterable[str]:
        """The words of both sides."""
        return (word for pair in self.pairs for word in pair)


@dataclass(frozen=True, slots=True)
class TemplateList(Stimuli):
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
    doubtful: tuple[Uncertain, ...] = ()

    def __len__(self) -> int:
        return len(self.sentences)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return "\n  ".join(self.sentences)

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"slots": list(self.slots), "sentences": list(self.sentences), "words": list(self.words)}


@dataclass(frozen=True, slots=True)
class SentenceList(Stimuli):
    """Sentences written for single words, by the word; the word may be in them in another form."""

    name: str
    of: Mapping[str, tuple[str, ...]] = field(hash=False)
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Uncertain, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", MappingProxyType(dict(self.of)))

    def __len__(self) -> int:
        return len(self.of)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return "\n  ".join(f"{word}: {' | '.join(sentences)}" for word, sentences in self.of.items())

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"of": {word: list(sentences) for word, sentences in self.of.items()}}
