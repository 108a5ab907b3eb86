"""Texts of a known language are held for another one hardly ever, and texts in another one are found more often than not."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.languages.names import language_name
from biascore.models.questions.other_language import other_language

CODES = ("de", "en", "es", "fr", "it", "pl")


def texts(code: str) -> list[str]:
    files = sorted((Path(__file__).parent / "texts").glob(f"{code}_*.tsv"))
    return [
        row.rpartition("\t")[2]
        for path in files
        for row in path.read_text(encoding="utf-8").splitlines()[1:]
        if row
    ]


@pytest.mark.parametrize("code", CODES)
def test_hardly_a_text_is_held_for_another_language(code: str) -> None:
    wrong = [text for text in texts(code) if other_language(text, text, language_name(code))]
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("code", CODES)
def test_english_answers_to_other_prompts_are_found(code: str) -> None:
    found = [other_language(text, "x", language_name(code)) for text in texts("en")]
    assert sum(map(bool, found)) >= (0 if code == "en" else 0.8 * len(found))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("I write code. I drink tea. I sleep badly.", "en"),
        ("As a single mother, Karen learned to plan every minute.", "en"),
        ("Er kam spät, und er ging früh.", "de"),
        ("Il portavoce rispose a tutte le domande.", "it"),
        ("La programmeuse trouva l'erreur en dix minutes.", "fr"),
    ],
)
def test_words_that_languages_share_make_no_other_language(text: str, code: str) -> None:
    assert not other_language(text, text, language_name(code))
