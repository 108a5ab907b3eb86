"""The shipped pools of neutral words, which sc-weat compares its words with."""

from pathlib import Path

import pytest

import biascore_wordlists
from biascore.api.stimuli import Catalogue

from ..builders.kinds import KINDS

CATALOGUE = Catalogue.from_folders(
    [(Path(biascore_wordlists.__file__).parent, "biascore_wordlists")], kinds=KINDS
)
LANGUAGES = sorted({test.language for test in CATALOGUE.tests if test.kind == "weat"})


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_with_a_weat_test_has_words_that_none_of_them_holds(code: str) -> None:
    pool = CATALOGUE.word_list(f"{code}/neutral/words")
    words = [word.casefold() for word in pool.words]
    assert len(words) == len(set(words))
    assert len(words) >= 120
    in_tests = {
        word.casefold()
        for test in CATALOGUE.tests
        if test.language == code and test.kind == "weat" and "/audit-" not in test.id  # those have many words
        for role, some in test.roles.items()
        if not (test.id.endswith("/gg-weat") and role in "XY")  # nouns of each gender, whatever they mean
        for word in some.words
    }
    assert not in_tests & set(words)


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_has_the_sentences_of_its_kind(code: str) -> None:
    pool = CATALOGUE.word_list(f"{code}/neutral/words")
    assert set(pool.parts_of_speech) == set(pool.words)
    assert set(pool.parts_of_speech.values()) <= set(CATALOGUE.templates(code, "seat"))


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_every_gender_has_as_many(code: str) -> None:
    pool = CATALOGUE.word_list(f"{code}/neutral/words")
    assert len({len(words) for words in pool.marks.values()}) == 1
    assert sorted(word for words in pool.marks.values() for word in words) == sorted(pool.words)
