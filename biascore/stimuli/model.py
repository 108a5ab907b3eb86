"""The tests built from stimuli, one class a kind, and the file that they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import ceil
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

from biascore.stimuli.lists import Stimuli, WordList
from biascore.stimuli.resizing import Resizing


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
    ``conventions`` are those of every measurement with it: how its file was read. ``asked_in``: sentences with TARGET and
    ATTRIBUTE, in which metrics that ask in sentences ask where their options name none. ``min_used``: the share of each
    list that a model has to know, else it is not measured. ``of_people``: the lists that name groups of people,
    "XY", "AB" or none; ``touches``: what the other two are about; ``lead``: whether the test represents its ground.
    Other kinds are subclasses.
    """

    __test__: ClassVar[bool] = False  # pytest would otherwise collect the class by its name
    planted: ClassVar[str] = ""
    """``"module:Class"`` of what an effect planted in tests of this kind is; see docs/adapters/planted.md."""

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
    conventions: Mapping[str, str] = field(default_factory=dict, hash=False)
    asked_in: tuple[str, ...] = ()
    min_used: float = 0.0
    of_people: Literal["", "XY", "AB"] = ""
    touches: tuple[str, ...] = ()
    lead: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role: what of its fields is a list, by their names, or else its roles."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: one for name, one in own.items() if isinstance(one, Stimuli)} or self.roles

    @property
    def contrast(self) -> Mapping[str, WordList] | None:
        """Lists X, Y, A and B such that X with A and Y with B is a bias: what is planted to calibrate it, or None.

        Y and B may be empty: then X is planted near A.
        """
        return self.roles if {"X", "Y", "A", "B"} <= self.roles.keys() else None

    def least(self, given: int) -> int:
        """How many words of a list of ``given`` a model has to know; 0.55 of 100 are 55, whatever floats say."""
        return ceil(self.min_used * given - 1e-9)

    def resized(self, size: Resizing) -> Self | None:
        """The same with more or fewer words in each list; None for a kind that cannot be resized."""
        if self.lists is not self.roles:
            return None
        return replace(self, roles={role: size.words(one) for role, one in self.roles.items()})

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str | tuple[str, ...], ...]] | None:
        """For a table of answers made elsewhere: its columns, and of each row the text or texts of the first of them.

        None without sentences.
        """
        return None

    def details(self) -> list[str]:
        """What ``biascore show`` prints of it beyond its lists."""
        return []

    def details_json(self) -> dict[str, Any]:
        """The same as JSON."""
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """A test before it is built: what the index of its file says of it. ``build`` gives the same test each time.

    ``build`` raises StimuliError, which names the file, where the file cannot be used.
    """

    id: str
    kind: str
    language: str
    title: str
    concept: str
    file: str
    build: Callable[[], Test] = field(repr=False)

    @classmethod
    def of(cls, test: Test) -> Self:
        """A test that is built already."""
        return cls(test.id, test.kind, test.language, test.title, test.concept, test.file, build=lambda: test)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file becomes when it is built: its lists and tests by name, in the order of the file."""

    lists: Mapping[str, Stimuli]
    tests: Mapping[str, Test]


@dataclass(frozen=True, slots=True)
class StimuliFile:
    """One file: its language, and an index of its lists and tests, which are built when they are first asked for.

    ``sections``: the section of each list, by name. ``contents`` gives what the file becomes, the same each time, and
    raises StimuliError, which names what is wrong in it, where it cannot be used.
    """

    display: str
    stem: str
    sha256: str
    language: str
    title: str
    source: str
    licence: str
    doi: str | None
    notes: tuple[str, ...]
    sections: Mapping[str, str] = field(hash=False)
    index: tuple[Listed, ...]
    contents: Callable[[], Contents] = field(repr=False, compare=False)

    @property
    def lists(self) -> tuple[Stimuli, ...]:
        """Its lists in the order of the file; raises StimuliError."""
        found = self.contents().lists
        return tuple(found[name] for name in self.sections)

    @property
    def tests(self) -> tuple[Test, ...]:
        """Its tests in the order of the file; raises StimuliError."""
        return tuple(one.build() for one in self.index)
