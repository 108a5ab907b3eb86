"""The figures of docs/readers.md are those of the readers."""

from __future__ import annotations

import re
from pathlib import Path

from biascore.readers.characters import CharacterReader

from .conftest import HALVES, LANGUAGES, LAST, stated

PAGE = Path(__file__).parents[2] / "docs" / "readers.md"
ROW = re.compile(r"^\| (\w\w) \| (\d+) \| (.+?) \| .+? \| (.+?) \|$", re.MULTILINE)
SEXES = {"feminine", "masculine"}


def figures(reader: CharacterReader, language: str, half: str) -> str:
    pairs = [(one.expected, reader.read(one.text, one.asked).outcome) for one in stated(language, half)]
    read = [expected == outcome for expected, outcome in pairs if outcome in SEXES]
    return f"{sum(read)}/{len(read)}, {sum(read)}/{sum(expected in SEXES for expected, _ in pairs)}"


def test_the_table_of_the_page(readers: dict[str, CharacterReader]) -> None:
    shown = {
        tag: (count, first, now) for tag, count, first, now in ROW.findall(PAGE.read_text(encoding="utf-8"))
    }
    assert shown == {
        tag: (
            str(sum(len(stated(tag, half)) for half in HALVES)),
            *(figures(readers[tag], tag, half) for half in HALVES),
        )
        for tag in LANGUAGES
    }


def test_the_last_set(readers: dict[str, CharacterReader]) -> None:
    pairs = [
        (one.expected, readers[tag].read(one.text, one.asked).outcome)
        for tag in LANGUAGES
        for one in stated(tag, LAST)
    ]
    read = [expected == outcome for expected, outcome in pairs if outcome in SEXES]
    shown = re.search(
        r"last set of (\d+) hard texts.+after fixes (\d+), (\d+) right", PAGE.read_text(encoding="utf-8")
    )
    assert shown is not None
    assert [int(number) for number in shown.groups()] == [len(pairs), len(read), sum(read)]
