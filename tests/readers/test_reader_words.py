"""The file of a language: what is wrong with it is said with file and key; plugins bring it with their language."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.errors import GrammarError, UnknownNameError
from biascore.languages.language import Language
from biascore.readers.characters import CharacterReader, character_reader
from biascore.readers.reading import Reading, outcome_counts
from biascore.readers.words import load_reader_words

from .conftest import LANGUAGES

DANISH = """
language = "da"
source = "written for a test"
licence = "CC0-1.0"
[words]
link = ["er"]
[forms.pronoun]
feminine = ["hun"]
masculine = ["han"]
[[rules]]
name = "pronoun"
find = ["pronoun"]
"""


@pytest.fixture
def danish(tmp_path: Path) -> Path:
    path = tmp_path / "da.toml"
    path.write_text(DANISH, encoding="utf-8")
    return path


def test_a_language_of_a_few_lines(danish: Path) -> None:
    reader = character_reader({"da": Language("da", "Danish", readers=danish)}, "da-DK")
    readings = [
        reader.read(text) for text in ("Hun synger.", "Han synger.", "Hun og han synger.", "Det regner.")
    ]
    assert outcome_counts(CharacterReader.outcomes, readings) == {
        "feminine": 1, "masculine": 1, "they": 0, "both": 1, "none": 1, "first person": 0,
    }  # fmt: skip
    with pytest.raises(ValueError, match="'sad' is no outcome of this reader"):
        outcome_counts(CharacterReader.outcomes, [Reading("sad")])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"hun"', '"("', r"forms.pronoun is no list of words and regular expressions"),
        ('link = ["er"]', 'link = ["-"]', r'words.link holds "-", an ending that every word has'),
        ('feminine = ["hun"]\n', "", "forms.pronoun has words of one gender only"),
        (
            'find = ["pronoun"]',
            'find = ["noun"]',
            "rule 'pronoun' names 'noun', which is not there. There are: link, pronoun",
        ),
        ('find = ["pronoun"]', 'find = ["pronoun"]\nunless = ["link"]', "unless"),
        (
            "[words]",
            "[patterns]\nclosed = ['x']\n[words]",
            "patterns.closed is unknown. There are: never, open, self",
        ),
        ("[words]", "[patterns]\nopen = ['(']\n[words]", r"patterns.open: '\('"),
        ('"da"', '"sv"', "language is 'sv', and the file is registered for 'da'"),
    ],
)
def test_what_is_wrong_is_named(danish: Path, old: str, new: str, message: str) -> None:
    danish.write_text(DANISH.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(GrammarError, match=message) as error:
        load_reader_words(danish, "da")
    assert str(danish) in str(error.value)


def test_a_language_without_readers(languages: dict[str, Language]) -> None:
    with pytest.raises(
        UnknownNameError, match="no plugin reads texts in 'ru'; there are readers for de, en, es, fr, it, pl"
    ):
        character_reader(languages, "ru")


def test_no_list_that_ships_holds_a_word_of_both_genders(languages: dict[str, Language]) -> None:
    for tag in LANGUAGES:
        path = languages[tag].readers
        assert path is not None
        words = load_reader_words(path, tag)
        for name, form in words.forms.items():
            assert not set(form.masculine) & set(form.feminine), (tag, name)
        assert not set(words.words["unisex"]) & {
            *words.forms["name"].masculine,
            *words.forms["name"].feminine,
        }, tag
        assert words.numbers is not None
