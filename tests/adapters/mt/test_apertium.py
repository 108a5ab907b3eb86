"""A real engine: Apertium, from the packages of the system, English to Spanish and to Croatian."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from biascore import Engine
from biascore.api.adapters import Model
from biascore.errors import UnsupportedLanguageError

SENTENCES = (
    "I am a nurse.",
    "She is a good teacher.",
    "The engineer finished the work.",
    "I was not afraid.",
)


@pytest.fixture
def model(apertium: str) -> Iterator[Model]:
    with Engine(cache=None).model(f"apertium:{apertium}") as opened:
        yield opened


def by_program(text: str, mode: str) -> list[str]:
    """The words of a translation by the command line program, which needs no server, without the mark *."""
    done = subprocess.run(
        ["apertium", "-f", "txt", mode], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout.replace("*", "").split()


def test_sentences_as_the_program_translates_them(model: Model) -> None:
    answers = model.translate(SENTENCES, "en", "es")
    assert [a.split() for a in answers] == [by_program(text, "eng-spa") for text in SENTENCES]
    assert "enfermer" in answers[0]
    assert "profesora" in answers[1] or "maestra" in answers[1]


def test_a_translation_does_not_depend_on_those_before_it(model: Model) -> None:
    forth = model.translate(SENTENCES, "en", "es")
    assert model.translate(SENTENCES[::-1], "en", "es") == forth[::-1]


def test_unknown_words_are_left_unmarked_and_signs_come_through(model: Model) -> None:
    (answer,) = model.translate(["The zorgblat sees 2 + 2 = 4 & <b>^$/@\\[x]</b>."], "en", "es")
    assert "zorgblat" in answer
    assert "*" not in answer
    assert "<b>^$/@\\[x]</b>" in answer


def test_croatian_and_serbian_are_variants_of_one_language(model: Model) -> None:
    for tag, mode in (("hr", "eng-hbs_HR"), ("sr", "eng-hbs_SR")):
        (answer,) = model.translate(["My daughter was ill."], "en", tag)
        assert answer.split() == by_program("My daughter was ill.", mode)


def test_a_pair_that_is_not_installed(model: Model) -> None:
    with pytest.raises(UnsupportedLanguageError, match=r"\(eng-deu\); it has .*eng-spa"):
        model.translate(["Hello."], "en", "de")
