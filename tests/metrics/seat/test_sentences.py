"""The sentences of SEAT: what ships is right in articles, number and capitals; own sentences for single words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from biascore.api.stimuli import TemplateList
from biascore.designs.crossed import ROLES
from biascore.engine.engine import Engine
from biascore.errors import OptionsError, StimuliError
from biascore_metrics.seat.sentences import Frames

VOWEL = re.compile("[aeiouàèéìòùáíóúœAEIOU]")


def sentences(engine: Engine, test_id: str, file: str = "seat") -> dict[str, list[str]]:
    test = engine.catalogue.test(test_id)
    frames = Frames.of(test, engine.catalogue, file)
    return {w: [t.text for t in frames.texts(role, w)] for role in ROLES for w in test.roles[role].words}


@pytest.mark.parametrize(
    ("test", "word", "first"),
    [
        ("en/weat7", "he", "Here he was."),
        ("en/weat7", "his", "This was his."),
        ("en/weat7", "man", "This was a man."),
        ("en/weat7", "math", "This was math."),
        ("en/weat7", "equations", "These were equations."),
        ("en/weat1", "orchid", "This was an orchid."),
        ("en/weat1", "honest", "This was honest."),
        ("en/weat3", "Adam", "This was Adam."),
        ("en/weat8", "NASA", "This was NASA."),
        ("it/GenC", "stipendio", "Lo stipendio è qui."),
        ("it/GenC", "ufficio", "L'ufficio è qui."),
        ("it/GenC", "carriera", "La carriera è qui."),
        ("it/GenC", "Marco", "Qui c'è Marco."),
        ("it/GenS", "telecomunicazioni", "Le telecomunicazioni sono qui."),
        ("es/GenS", "álgebra", "El álgebra está aquí."),
        ("es/GenC", "niños", "Los niños están aquí."),
        ("fr/GenC", "entreprise", "L'entreprise est ici."),
        ("fr/GenS", "oncle", "L'oncle est ici."),
        ("de/GER1", "Mädchen", "Das Mädchen ist hier."),
        ("de/CW2", "Erwachsener", "Ein Erwachsener ist hier."),
        ("de/GenC", "Eltern", "Hier sind Eltern."),
        ("pl/GenC", "kariera", "Tutaj jest kariera."),
    ],
)
def test_the_shipped_sentences_are_grammatical(engine: Engine, test: str, word: str, first: str) -> None:
    assert sentences(engine, test)[word][0] == first


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "it", "pl"])
def test_no_shipped_sentence_begins_with_the_word_and_elision_fits(engine: Engine, language: str) -> None:
    for address, found in engine.catalogue.lists(language).items():
        if address.startswith(f"{language}/seat/") and isinstance(found, TemplateList):
            assert not any(sentence.startswith("WORD") for sentence in found.sentences)
            assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in found.sentences)
            for word in found.words:
                if found.name.endswith("-l"):
                    assert VOWEL.match(word) or word.startswith("h"), word
                if found.name.endswith("-an"):
                    assert VOWEL.match(word) or word == "honor", word
                if language in ("fr", "it") and found.name.endswith(("-le", "-la", "-il", "-lo")):
                    assert "plural" in found.name or not VOWEL.match(word), word


def test_no_noun_in_small_letters_lacks_its_article(engine: Engine) -> None:
    """In languages with articles only names go without one; in English mass nouns too. Long tests have too many nouns."""
    for test in engine.catalogue.tests:
        if test.kind == "weat" and test.language in ("de", "es", "fr", "it") and "/audit-" not in test.id:
            frames = Frames.of(test, engine.catalogue, "seat")
            bare = {word for (_, word), tag in frames.tags.items() if tag == "noun-singular"}
            assert all(word[0].isupper() for word in bare - {"lui", "lei"}), (test.id, bare)


def test_every_shipped_test_has_its_sentences(engine: Engine) -> None:
    tests = [test for test in engine.catalogue.tests if test.kind == "weat"]
    assert len(tests) > 20
    for test in tests:
        frames = Frames.of(test, engine.catalogue, "seat")
        for role, words in test.roles.items():
            for word in words.words:
                for text in frames.texts(role, word):
                    assert text.span is not None
                    assert text.text[slice(*text.span)] == word
                    assert "WORD" not in text.text


def test_the_italian_sentences_of_the_study_are_at_hand(engine: Engine) -> None:
    found = sentences(engine, "it/IT1", "puttick2025_seat")
    assert found["Andrea"] == ["Andrea è qui.", "Andrea è lì."]
    assert found["more"] == ["more sono qui.", "more sono lì."]
    assert found["meraviglioso"] == ["È meraviglioso.", "Era meraviglioso."]


OWN = """schema = 1
[meta]
language = "en"
title = "t"
source = "s"
licence = "CC0"
[templates.noun-singular]
slots = ["WORD"]
sentences = ["We met WORD."]
[templates.noun-plural]
slots = ["WORD"]
sentences = ["We met WORD."]
[sentences.mine]
of = { he = ["He was here.", "We met him."], math = ["Math was taught."] }
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder: Path = tmp_path_factory.mktemp("own")
    (folder / "en").mkdir()
    (folder / "en" / "mine.toml").write_text(OWN, encoding="utf-8")
    only = OWN.replace("templates.noun-singular]", "templates.other]").replace("noun-plural", "another")
    (folder / "en" / "lacking.toml").write_text(only, encoding="utf-8")
    return Engine(cache=None, stimuli=[folder])


def test_a_word_may_have_sentences_of_its_own(own: Engine) -> None:
    found = sentences(own, "en/weat7", "mine")
    assert found["he"] == ["He was here.", "We met him."]
    assert found["man"] == ["We met man."]
    model = own.model("planted:en/weat7=1")
    got = own.measure("seat", model, "en/weat7", templates="mine", resamples=100)[0]
    assert got.conventions["sentences of 'he' in en/mine"] == "He was here. | We met him."
    assert got.items.to_pylist()[0]["n_templates"] == 1
    assert {row["item"]: row["tag"] for row in got.items.to_pylist()}["math"] == "own sentences"
    assert np.isfinite(got.headline.value)


def test_the_word_itself_must_stand_in_them_where_it_is_asked_for(own: Engine) -> None:
    with pytest.raises(
        OptionsError, match=r"level=token needs 'he' in each of its sentences, and 'We met him\.'"
    ):
        own.measure("seat", "planted:", "en/weat7", templates="mine", level="token")


def test_words_without_sentences_and_templates_are_named(own: Engine) -> None:
    with pytest.raises(
        StimuliError, match=r"no templates for words with the tag 'noun-singular': algebra, geometry"
    ):
        own.measure("seat", "planted:", "en/weat7", templates="lacking")
