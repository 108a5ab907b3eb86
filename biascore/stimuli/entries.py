"""What every table of a stimuli file is made of; values are checked, never coerced or repaired."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, NamedTuple, TypedDict, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from biascore.basics.tags import LANGUAGE_PATTERN
from biascore.stimuli.lists import Stimuli, Uncertain, WordList
from biascore.stimuli.model import Published, Test

T = TypeVar("T")

# They print as nothing or as a plain space, so a word that holds one looks right and is in no vocabulary:
# control and format characters, and spaces other than the plain one. The joiners are part of the spelling
# of Persian, Hindi and other languages.
_INVISIBLE = ("Cc", "Cf", "Zs", "Zl", "Zp")
_SPELT = (" ", "\u200c", "\u200d")


def check_characters(text: str) -> str:
    """A validator: the text as it stands, or ValueError where it is blank or holds what no vocabulary does."""
    if not text.strip():
        raise ValueError("is empty")
    if text != text.strip():
        raise ValueError(f"{text!r} has a space at its start or end")
    for character in "" if text.isprintable() else text:
        if unicodedata.category(character) in _INVISIBLE and character not in _SPELT:
            name = unicodedata.name(character, "control character").lower()
            raise ValueError(f"{text!r} holds a {name} (U+{ord(character):04X})")
    if not (text.isascii() or unicodedata.is_normalized("NFC", text)):
        composed = unicodedata.normalize("NFC", text)
        raise ValueError(
            f"{text!r} is not in Unicode form NFC, so vocabularies would miss it silently; "
            f"write it as {composed!r}"
        )
    return text


def check_not_empty(entries: tuple[T, ...]) -> tuple[T, ...]:
    """A validator: the entries, or ValueError where there is none."""
    if not entries:
        raise ValueError("is empty, but must hold at least one entry")
    return entries


Word = Annotated[str, AfterValidator(check_characters)]
"""A field: a word or text in NFC, without characters that no vocabulary has."""
# TOML gives lists; strict=False lets them become tuples, while the strings inside stay strict.
# Not min_length: pydantic counts only the valid entries, so a list of one bad word would be called empty too.
Words = Annotated[tuple[Word, ...], Field(strict=False), AfterValidator(check_not_empty)]
"""A field: one word or more."""
Pair = Annotated[tuple[Word, Word], Field(strict=False)]
Prose = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
"""A field: any text that is not blank, such as a title or the name of a list."""
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")]
"""A field: a name that can be part of an address."""
Notes = Annotated[tuple[Prose, ...], Field(strict=False)]
LanguageCode = Annotated[str, StringConstraints(pattern=LANGUAGE_PATTERN)]


class Entry(BaseModel):
    """A table with no other keys than its own, and no value turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Meta(Entry):
    """``[meta]``: what holds for the whole file unless a list or test says otherwise."""

    language: LanguageCode
    title: Prose
    source: Prose
    licence: Prose
    doi: Prose | None = None
    notes: Notes = ()


class UncertainEntry(Entry):
    """``[[….doubtful]]``: what is printed, what it may have meant, and why."""

    printed: Prose
    note: Prose
    proposed: Prose | None = None


Problem = tuple[tuple[str | int, ...], str]
"""A key of a stimuli file, and what is wrong there."""
Lists = Mapping[str, Mapping[str, Any]]
"""The lists of one file, by section and name."""


class UnfitError(Exception):
    """What of its lists does not fit a test; the keys are those of the test, or with ``of_file`` of the file."""

    def __init__(self, problems: Sequence[Problem], of_file: bool) -> None:
        super().__init__(problems)
        self.problems, self.of_file = problems, of_file


def check_fit(problems: Iterable[Problem], *, of_file: bool = False) -> None:
    """For ``build`` of a test: raise UnfitError where there is a problem; it is reported with the file and its line."""
    found = [*problems]
    if found:
        raise UnfitError(found, of_file)


class About(TypedDict):
    """What every list says of itself, whatever it holds."""

    name: str
    source: str
    licence: str
    notes: tuple[str, ...]
    doubtful: tuple[Uncertain, ...]


class AboutTest(TypedDict):
    """What every test says of itself."""

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


class ListEntry(Entry):
    """A list of a stimuli file, ``[SECTION.NAME]``; what every one may say of itself."""

    source: Prose | None = None
    licence: Prose | None = None
    notes: Notes = ()
    doubtful: Annotated[tuple[UncertainEntry, ...], Field(strict=False)] = ()

    def build(self, about: About) -> Stimuli:
        """The list."""
        raise NotImplementedError


class PublishedEntry(Entry):
    """``[[tests.ID.published]]``: a figure from a paper, and whether it was got with these very words."""

    what: Prose
    value: float = Field(allow_inf_nan=False)
    p: float | None = Field(default=None, ge=0, le=1)
    model: Prose
    source: Prose
    comparable: bool
    note: str = ""


class Reference(NamedTuple):
    """A list that a test names: the key where it stands, its name, and the sections that it may be in."""

    key: tuple[str | int, ...]
    name: str
    sections: tuple[str, ...] = ("lists",)


class Section(NamedTuple):
    """A kind of list, ``[SECTION.NAME]``: its entry, what one is called in messages, and how to write it."""

    entry: type[ListEntry]
    what: str
    advice: str = ""


class TestEntry(Entry):
    """A kind of test: what ``[tests.ID]`` of this ``kind`` says, and the test that it becomes.

    A subclass names its kind as ``kind: Literal["mac"]`` and is registered with ``register_kinds``. ``sections``: kinds
    of list that come with it, by section of the file.
    """

    __test__: ClassVar[bool] = False
    sections: ClassVar[Mapping[str, Section]] = MappingProxyType({})

    title: Prose
    concept: Prose
    source: Prose | None = None
    licence: Prose | None = None
    doi: Prose | None = None
    notes: Notes = ()
    published: Annotated[tuple[PublishedEntry, ...], Field(strict=False)] = ()

    @classmethod
    def kind_name(cls) -> str:
        """The kind, from the annotation ``kind: Literal[...]``; raises TypeError where there is none."""
        names = get_args(cls.model_fields["kind"].annotation) if "kind" in cls.model_fields else ()
        if len(names) != 1 or not isinstance(names[0], str):
            raise TypeError(f'{cls.__name__} does not say which kind it is. Write kind: Literal["NAME"]')
        return names[0]

    def references(self) -> Iterator[Reference]:
        """Each list that the test names."""
        raise NotImplementedError

    def build(self, lists: Lists, about: AboutTest) -> Test:
        """The test; its ``lists`` are there. Raises UnfitError, by ``check_fit``, where they do not fit it."""
        raise NotImplementedError


class RolesEntry(TestEntry):
    """A kind whose roles are word lists: each of ``roles`` is a key that names one list, or several.

    A key that names several, ``A = ["flowers", "insects"]``, gives the roles ``A.flowers`` and ``A.insects``.
    """

    roles: ClassVar[tuple[str, ...]] = ()

    positive_means: Prose

    def references(self) -> Iterator[Reference]:
        """The list of each role."""
        for role in self.roles:
            named = getattr(self, role)
            if isinstance(named, str):
                yield Reference((role,), named)
            else:
                yield from (Reference((role, i), name) for i, name in enumerate(named))

    def build(self, lists: Lists, about: AboutTest) -> Test:
        """The test with a word list in each role."""
        words = lists["lists"]
        roles: dict[str, WordList] = {}
        for role in self.roles:
            named = getattr(self, role)
            several = {role: named} if isinstance(named, str) else {f"{role}.{name}": name for name in named}
            roles |= {key: words[name] for key, name in several.items()}
        return self.test(roles, about)

    def test(self, roles: Mapping[str, WordList], about: AboutTest) -> Test:
        """The test with these roles; another class where the kind says more, such as how it is planted."""
        return Test(roles=roles, positive_means=self.positive_means, **about)
