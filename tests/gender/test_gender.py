"""Where a first sentence ends, which two sentences are a gender pair, and what evidence adds up to."""

from __future__ import annotations

import pytest

from biascore.languages.gender import (
    Gender,
    GenderEvidence,
    GenderPair,
    SpeakerGender,
    compare_pair,
    first_sentence,
    gender_pair,
)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        ("One", "One"),
        ("", ""),
        ("What?! No.", "What?!"),
        ("Wait… Go.", "Wait…"),
        ("Wait... Go.", "Wait..."),
        ("Well... maybe so. Yes.", "Well... maybe so."),
        ("“Stop.” He left.", "“Stop.”"),
        ("Он сказал: «Стой!» Я ушла.", "Он сказал: «Стой!»"),
        ("About 3.5 km. Far.", "About 3.5 km."),
        ("At J. Novak's house. Fine.", "At J. Novak's house."),
        ("See e.g. Prague. Fine.", "See e.g. Prague."),
        ("No.Space here", "No.Space here"),
        ("¿Qué? ¡Nada!", "¿Qué?"),
        ("The 2. January was cold. Yes.", "The 2. January was cold."),
    ],
)
def test_the_first_sentence(text: str, first: str) -> None:
    assert first_sentence(text, {"e.g"}) == first


@pytest.mark.parametrize("text", ["." * 100_000, "a. " * 50_000, '"' * 100_000, "?! " * 50_000])
def test_long_texts_of_marks_take_no_time(text: str) -> None:
    # The quadratic expression that stood here before took minutes for the first of them.
    assert first_sentence(text) in (text, "a.")


def evidence(gender: Gender, start: int) -> GenderEvidence:
    return GenderEvidence("w", (start, start + 1), gender, "r")


def test_evidence_adds_up() -> None:
    m, f = evidence(Gender.MASCULINE, 4), evidence(Gender.FEMININE, 0)
    assert SpeakerGender.of([]) == SpeakerGender(Gender.NONE, ())
    assert SpeakerGender.of([m, evidence(Gender.MASCULINE, 9)]).gender is Gender.MASCULINE
    assert SpeakerGender.of([m, f]) == SpeakerGender(Gender.CONFLICT, (f, m))


@pytest.mark.parametrize(
    ("masculine", "feminine", "words"),
    [
        ("Som unavený.", "Som unavená.", ("unavený", "unavená")),
        ("„Šel jsem domů.“", "„Šla jsem domů.“", ("Šel", "Šla")),
        ("Я сам, без помощи.", "Я сама, без помощи.", ("сам", "сама")),
    ],
)
def test_one_word_of_the_same_letter_is_a_pair(masculine: str, feminine: str, words: tuple[str, str]) -> None:
    pair = gender_pair(masculine, feminine)
    assert isinstance(pair, GenderPair)
    assert pair.words == words
    assert masculine[slice(*pair.masculine_span)] == words[0]


@pytest.mark.parametrize(
    ("masculine", "feminine", "reason"),
    [
        ("Bol som tam.", "Bol som tam.", "same"),
        ("Bol som tam", "Bol som tam.", "same"),
        ("Bol som tam.", "Bola som aj tam.", "length"),
        ("Bol som unavený.", "Bola som unavená.", "several"),
        ("Bol som tam.", "Išla som tam.", "first_letter"),
        ("Silnejší ako ty.", "Silnejší akožto ty.", "exception"),
        ("Silnejší akožto ty.", "Silnejší ako ty.", "exception"),
    ],
)
def test_why_two_sentences_are_no_pair(masculine: str, feminine: str, reason: str) -> None:
    exceptions = {frozenset({"ako", "akožto"})}
    assert compare_pair(masculine, feminine, exceptions) == reason
    assert gender_pair(masculine, feminine, exceptions) is None
