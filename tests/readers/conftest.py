"""Readers of the languages that have words for them, and texts whose person's gender is stated."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from biascore import Engine
from biascore.languages.language import Language
from biascore.readers.characters import CharacterReader, character_reader

from ..builders.slavic import slavic_importable

TEXTS = Path(__file__).with_name("texts")
LANGUAGES = ("de", "en", "es", "fr", "it", "pl")
HALVES = ("tuned", "untouched")
"""Both were written before the rules; these were made with the first and read the second when they were done."""
LAST = "last"
"""A set of hard texts only, written when the errors in these were fixed."""


@dataclass(frozen=True)
class Stated:
    """A text, whom it is about as its author states, and the noun asked for, in its forms."""

    level: str
    expected: str
    asked: tuple[str, ...]
    text: str


@cache
def stated(language: str, half: str) -> tuple[Stated, ...]:
    with (TEXTS / f"{language}_{half}.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(
        Stated(
            row["level"],
            row["expected"],
            tuple(filter(None, row["asked"].split("|"))),
            row["text"].replace("\\n", "\n"),
        )
        for row in rows
    )


@pytest.fixture(scope="session")
def languages() -> Iterator[dict[str, Language]]:
    """What the plugins of this repository know of languages, the Slavic ones included."""
    with slavic_importable():
        from biascore_plugin_slavic import LANGUAGES as slavic

        yield {**Engine(cache=None).plugins.languages, **{one.code: one for one in slavic}}


@pytest.fixture(scope="session")
def readers(languages: dict[str, Language]) -> dict[str, CharacterReader]:
    return {tag: character_reader(languages, tag) for tag in LANGUAGES}
