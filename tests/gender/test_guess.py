"""Texts in another language than the one that they are said to be in."""

from __future__ import annotations

import pytest

from benchmarks.bench_gender_accuracy import languages, read_language
from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.languages.guess import other_language

from ..builders.models import model_of
from ..metrics.gest.conftest import samples_test

LATIN_SERBIAN = [one.sentence for one in read_language("sr") if one.sentence.isascii()]
TEXTS = {
    language: [one.sentence for one in read_language(language)]
    for language in languages()
    if language != "sr"
}
CLOSE = [{"cs", "sk"}, {"es", "pt"}, {"hr", "sl"}, {"be", "ru", "uk"}]


@pytest.mark.parametrize("language", TEXTS)
def test_no_language_is_taken_for_another(language: str) -> None:
    assert other_language(TEXTS[language], language) == ""
    assert other_language(TEXTS[language], f"{language}-XX") == ""


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("said", ["en", "es", "it", "pl", "ru", "de"])
def test_a_wrong_language_is_noticed(language: str, said: str) -> None:
    if language != said and not any({language, said} <= close for close in CLOSE):
        assert other_language(TEXTS[language], said) != ""


def test_nothing_is_said_of_few_words_or_unknown_languages() -> None:
    assert other_language(["The cat is on the table."], "es") == ""
    assert other_language(TEXTS["es"], "fi") == ""
    assert other_language([], "es") == ""


def test_sentences_that_are_in_another_language_are_told() -> None:
    english = [
        f"I told my {who} that I was not in the house." for who in ("sister", "father", "boss", "friend")
    ]
    test = samples_test({1: english[:2], 8: english[2:]}, language="es")
    (found,) = Engine(cache=None).measure("gest-mt", model_of(Echo("Sono stanca.")), test, target="it")
    assert any(
        "the sentences seem to be English, and are said to be Spanish (es)" in one for one in found.warnings
    )


class Echo(Backend):
    """Gives each text back, or a text of its own."""

    def __init__(self, answer: str = "") -> None:
        self.answer = answer
        self.identity = Identity(f"test:echo {answer}")

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        return tuple(self.answer or text for text in texts)


def test_translations_that_are_in_another_language_are_told() -> None:
    (found,) = Engine(cache=None).measure("gest-mt", model_of(Echo()), "en/gest_own", target="es")
    assert any("translations" in text and "English" in text for text in found.warnings)
    (right,) = Engine(cache=None).measure(
        "gest-mt", model_of(Echo("Estoy cansada de que me digan que no.")), "en/gest_own", target="es"
    )
    assert not any("seem to be" in text for text in right.warnings)
