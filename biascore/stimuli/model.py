"""The value objects of the stimuli: word lists, pairs, templates, and the tests that are built from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, TypeAlias


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
    """

    name: str
    words: tuple[str, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", MappingProxyType(dict(self.marks)))


@dataclass(frozen=True, slots=True)
class PairList:
    """Pairs of words; ``sides`` says what the first and the second word of each pair stand for."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    sides: tuple[str, str]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateList:
    """Sentences with the markers in ``slots``; every sentence holds at least one of them."""

    name: str
    sentences: tuple[str, ...]
    slots: tuple[str, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


Stimuli: TypeAlias = WordList | PairList | TemplateList


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a paper gives for a test; compare with it only where ``comparable`` is true."""

    what: str
    value: float
    model: str
    source: str
    comparable: bool
    p: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Test:
    """A test as an auditor names it (``en/weat6``): roles filled with word lists, and where they come from.

    For kind ``weat`` the roles are the targets X, Y and the attributes A, B; ``positive_means`` says in words
    what a positive effect size associates. ``file`` is a display name, ``sha256`` the digest of its bytes.
    """

    __test__: ClassVar[bool] = False  # pytest would otherwise collect the class by its name

    id: str
    kind: str
    language: str
    roles: Mapping[str, WordList] = field(hash=False)
    title: str = ""
    concept: str = ""
    positive_means: str = ""
    source: str = ""
    licence: str = ""
    doi: str | None = None
    notes: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    file: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))


@dataclass(frozen=True, slots=True)
class StimuliFile:
    """One file: its language, and its lists and tests in the order of the file."""

    display: str
    stem: str
    sha256: str
    language: str
    title: str
    source: str
    licence: str
    doi: str | None
    notes: tuple[str, ...]
    lists: tuple[Stimuli, ...]
    tests: tuple[Test, ...]
