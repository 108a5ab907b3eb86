"""Shares of words of lists, negated words apart, and ratings of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import DataError
from biascore.languages.language import Language
from biascore.readers.lexicon import LexiconReader, read_ratings
from biascore.readers.words import reader_words

LISTS = {"agentic": ["bold", "self-assured"], "communal": ["warm", "kind"]}


@pytest.fixture
def lexicon(languages: dict[str, Language]) -> LexiconReader:
    return LexiconReader(LISTS, reader_words(languages, "en"))


def test_negated_words_are_counted_apart(lexicon: LexiconReader) -> None:
    found = lexicon.read("She isn't warm, but kind, and never very bold. He is Self-Assured.")
    assert (found.outcome, found.words) == ("words found", 14)
    assert (found.counts, found.negated) == (
        {"agentic": 1, "communal": 1},
        {"agentic": 1, "communal": 1},
    )
    assert (found.share("agentic"), found.share_of("agentic", "communal")) == (1 / 14, 0.5)
    assert [one.what for one in found.evidence] == [
        "negated communal",
        "communal",
        "negated agentic",
        "agentic",
    ]


def test_a_text_without_such_words_and_one_without_words(lexicon: LexiconReader) -> None:
    none, empty = lexicon.read("It rained."), lexicon.read("…")
    assert (none.outcome, none.share("agentic"), none.share_of("agentic", "communal")) == ("none", 0.0, None)
    assert (empty.outcome, empty.share("agentic"), empty.rating) == ("empty", None, None)


def test_a_negation_does_not_reach_over_a_mark_or_three_words(lexicon: LexiconReader) -> None:
    found = lexicon.read("No, she is warm. Not that anybody here was kind.")
    assert (found.counts or {})["communal"] == 2


def test_ratings_of_the_user(tmp_path: Path, languages: dict[str, Language]) -> None:
    path = tmp_path / "own.csv"
    path.write_text("word,rating\nwarm,4.5\ncold,1\n", encoding="utf-8")
    reader = LexiconReader({}, reader_words(languages, "en"), read_ratings(path))
    found = reader.read("Warm and cold, never cold, warm.")
    assert (found.ratings, found.rating) == ((4.5, 1.0, 4.5), 10 / 3)
    path.write_text("word,rating\nwarm,4.5\nwarm,5\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"line 3: 'warm' has a second rating"):
        read_ratings(path)
    path.write_text("word,rating\nwarm,high\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"line 2: 'high' is no rating"):
        read_ratings(path)


def test_a_word_in_two_lists_and_no_word_at_all() -> None:
    with pytest.raises(ValueError, match="'warm' is in two lists, a and b"):
        LexiconReader({"a": ["warm"], "b": ["warm"]})
    with pytest.raises(ValueError, match="has no word"):
        LexiconReader({})


def test_the_lists_that_ship(languages: dict[str, Language]) -> None:
    catalogue = Engine(cache=None).catalogue
    lists = {name: catalogue.word_list(f"en/readers/{name}").words for name in ("agentic", "communal")}
    assert all(len(words) >= 100 for words in lists.values())
    found = LexiconReader(lists, reader_words(languages, "en")).read(
        "He leads with confidence; she listens and helps."
    )
    assert found.counts == {"agentic": 2, "communal": 2}
