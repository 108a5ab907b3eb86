"""What every table of a stimuli file is made of; values are checked, never coerced or repaired."""

from __future__ import annotations

import unicodedata
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

T = TypeVar("T")

LANGUAGE_PATTERN = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"

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
# TOML gives lists; strict=False lets them become tuples, while the strings inside stay strict.
# Not min_length: pydantic counts only the valid entries, so a list of one bad word would be called empty too.
Words = Annotated[tuple[Word, ...], Field(strict=False), AfterValidator(check_not_empty)]
Pair = Annotated[tuple[Word, Word], Field(strict=False)]
Prose = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")]
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


class DoubtEntry(Entry):
    """``[[….doubtful]]``: what is printed, what it may have meant, and why."""

    printed: Prose
    note: Prose
    proposed: Prose | None = None


class ListEntry(Entry):
    """What every list of a file may say of itself."""

    source: Prose | None = None
    licence: Prose | None = None
    notes: Notes = ()
    doubtful: Annotated[tuple[DoubtEntry, ...], Field(strict=False)] = ()


class PublishedEntry(Entry):
    """``[[tests.ID.published]]``: a figure from a paper, and whether it was got with these very words."""

    what: Prose
    value: float = Field(allow_inf_nan=False)
    p: float | None = Field(default=None, ge=0, le=1)
    model: Prose
    source: Prose
    comparable: bool
    note: str = ""


class TestBase(Entry):
    """What every ``[tests.ID]`` says of itself."""

    title: Prose
    concept: Prose
    source: Prose | None = None
    licence: Prose | None = None
    doi: Prose | None = None
    notes: Notes = ()
    published: Annotated[tuple[PublishedEntry, ...], Field(strict=False)] = ()
