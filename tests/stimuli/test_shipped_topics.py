"""The shipped topics, from which pairs of harmless groups are drawn where a test names no people."""

from pathlib import Path

import pytest

import biascore_wordlists
from biascore.api.stimuli import Catalogue
from biascore.designs.harmless import Groups
from biascore.designs.options import ReferenceOptions

from ..builders.kinds import KINDS

CATALOGUE = Catalogue.from_folders(
    [(Path(biascore_wordlists.__file__).parent, "biascore_wordlists")], kinds=KINDS
)
LANGUAGES = sorted({test.language for test in CATALOGUE.tests if test.kind == "weat"})


@pytest.mark.parametrize("code", LANGUAGES)
def test_topics_are_many_and_share_no_word_with_each_other_or_with_a_test(code: str) -> None:
    topics = CATALOGUE.file(code, "topics").lists
    words = [word.casefold() for topic in topics for word in topic.words]
    assert len(topics) >= (44 if code == "en" else 20)
    assert min(len(topic.words) for topic in topics) >= (16 if code == "en" else 12)
    assert len(words) == len(set(words))
    in_tests = {
        word.casefold()
        for test in CATALOGUE.tests
        if test.language == code and test.kind == "weat" and "/audit-" not in test.id  # those have many words
        for role, some in test.roles.items()
        if not (test.id.endswith("/gg-weat") and role in "XY")  # nouns of each gender, whatever they mean
        for word in some.words
    }
    assert not in_tests & set(words)


def test_long_tests_share_few_words_with_topics() -> None:
    long = CATALOGUE.select("*/audit-*")
    assert {test.language for test in long} == {"de", "en", "es", "fr", "it", "pl"}
    for test in long:
        left = Groups.of(test, CATALOGUE, ReferenceOptions(reference="topics")).lists
        assert len(left) >= 0.8 * len(CATALOGUE.file(test.language, "topics").lists), test.id


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_word_has_the_sentences_of_its_kind(code: str) -> None:
    templates = CATALOGUE.templates(code, "seat")
    for topic in CATALOGUE.file(code, "topics").lists:
        assert set(topic.parts_of_speech) == set(topic.words)
        assert set(topic.parts_of_speech.values()) <= set(templates)
