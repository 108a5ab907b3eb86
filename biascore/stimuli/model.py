"""The tests built from stimuli, one class a kind, and the file that they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

from biascore.stimuli.lists import GenderedSamples, PairList, Samples, SentencePairs, Stimuli, WordList


@dataclass(frozen=True, slots=True)
class Dimension:
    """Two word lists that span an axis: a positive value lies on the side of ``A``."""

    name: str
    A: WordList
    B: WordList


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

    ``roles`` are the word lists: for kind ``weat`` the targets X, Y and the attributes A, B. ``positive_means``
    says in words what a positive value associates. ``file`` is a display name, ``sha256`` the digest of its bytes.
    Other kinds are subclasses.
    """

    __test__: ClassVar[bool] = False  # pytest would otherwise collect the class by its name

    id: str
    kind: str
    language: str
    roles: Mapping[str, WordList] = field(default_factory=dict, hash=False)
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

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return self.roles


@dataclass(frozen=True, slots=True, kw_only=True)
class FiseTest(Test):
    """Kind ``fise``: target words placed by two or more dimensions, and the affects measured of them.

    ``targets`` with forms are pairs ("cuoco", "cuoca"). ``A`` of an affect is its positive pole. The roles are
    the lists of dimensions and affects, as ``gender.A``.
    """

    targets: WordList | PairList
    dimensions: tuple[Dimension, ...]
    affect: tuple[Dimension, ...] = ()

    def __post_init__(self) -> None:
        roles = {
            f"{dimension.name}.{side}": words
            for dimension in (*self.dimensions, *self.affect)
            for side, words in (("A", dimension.A), ("B", dimension.B))
        }
        object.__setattr__(self, "roles", MappingProxyType(roles))

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"targets": self.targets, **self.roles}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePairsTest(Test):
    """Kind ``sentence-pairs``: pairs of a more and a less stereotypical sentence."""

    pairs: SentencePairs

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"pairs": self.pairs}


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplesTest(Test):
    """Kind ``samples``: sentences about oneself by stereotype; ``version`` names a published edition of them."""

    samples: Samples
    version: str = ""

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"samples": self.samples}


@dataclass(frozen=True, slots=True, kw_only=True)
class GenderPairsTest(Test):
    """Kind ``gender-pairs``: sentences about oneself, each in a masculine and a feminine version."""

    pairs: GenderedSamples

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"pairs": self.pairs}


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
