"""Sentences of our own: what agrees with the speaker counts in both genders alike, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from biascore.languages.gender import Gender

from .sentences import NOBODY, SPEAKER


def cases(table: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str, str]]:
    return [(language, a, b) for language, sentences in table.items() for a, b in sentences]


@pytest.mark.parametrize(("language", "masculine", "feminine"), cases(SPEAKER))
def test_both_genders_are_found(language: str, masculine: str, feminine: str, detector: Any) -> None:
    for sentence, gender in ((masculine, Gender.MASCULINE), (feminine, Gender.FEMININE)):
        found = detector(language).detect(sentence)
        assert found.gender is gender, (sentence, found)
        for evidence in found.evidence:
            start, end = evidence.span
            assert sentence[start:end] == evidence.word
            assert evidence.rule in {rule.name for rule in detector(language).grammar.rules}


@pytest.mark.parametrize(("language", "sentence", "why"), cases(NOBODY))
def test_nothing_else_counts(language: str, sentence: str, why: str, detector: Any) -> None:
    assert detector(language).detect(sentence).evidence == (), why


def test_the_same_rule_finds_both_genders(detector: Any) -> None:
    for language, masculine, feminine in cases(SPEAKER):
        rules = [
            {evidence.rule for evidence in detector(language).detect(sentence).evidence}
            for sentence in (masculine, feminine)
        ]
        assert rules[0] == rules[1], (masculine, feminine)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("pl", "Nie mogłem spać, więc wstałam wcześnie."),
        ("hr", "Mislila sam da ću stići, ali pogriješio sam."),
        ("ru", "Я пришёл, но я ничего не увидела."),
        ("sk", "Prišiel som domov a potom som zaspala."),
    ],
)
def test_a_translation_that_changes_the_gender_is_a_conflict(
    language: str, sentence: str, detector: Any
) -> None:
    found = detector(language).detect(sentence)
    assert found.gender is Gender.CONFLICT
    assert {evidence.gender for evidence in found.evidence} == {Gender.MASCULINE, Gender.FEMININE}
    assert found.evidence == tuple(sorted(found.evidence, key=lambda evidence: evidence.span))


@pytest.mark.parametrize(
    ("language", "masculine", "feminine"),
    [
        ("hr", "Moja žena je otišla pa sam tužan.", "Moj muž je otišao pa sam tužna."),
        ("hr", "Moja žena je otišla i sad sam tužan.", "Moj muž je otišao i sad sam tužna."),
        ("cs", "Manželka odešla a já jsem smutný.", "Manžel odešel a já jsem smutná."),
        ("cs", "Otec byl moje opora a teď jsem ztracený.", "Matka byla moje opora a teď jsem ztracená."),
        ("sk", "Manželka odišla a teraz som smutný.", "Manžel odišiel a teraz som smutná."),
    ],
)
def test_the_participle_of_a_clause_before_is_not_the_speakers(
    language: str, masculine: str, feminine: str, detector: Any
) -> None:
    assert detector(language).detect(masculine).gender is Gender.MASCULINE
    assert detector(language).detect(feminine).gender is Gender.FEMININE


def test_only_the_first_sentence_is_read(detector: Any) -> None:
    assert detector("cs").detect("Je pozdě. Přišla jsem domů.").gender is Gender.NONE
    assert detector("cs").detect("Přišla jsem domů. Byl jsem tam.").gender is Gender.FEMININE


@pytest.mark.parametrize(
    ("language", "sentence", "gender"),
    [
        ("ru", "Я пришла\u0301 домой.", Gender.FEMININE),  # a stress mark
        ("ru", "Я yстала и ушла.", Gender.FEMININE),  # a Latin y
        ("sr", "Нисaм мoглa да заспим.", Gender.FEMININE),  # Latin a and o
        ("uk", "Я з\u2019їла яблуко.", Gender.FEMININE),  # a typographic apostrophe
        ("cs", "Prˇisˇla jsem.".replace("rˇ", "r\u030c").replace("sˇ", "s\u030c"), Gender.FEMININE),
        ("sk", "„Bola som doma,“ povedal otec.", Gender.FEMININE),
        ("pl", "ZAPOMNIAŁAM O TYM.", Gender.FEMININE),
    ],
)
def test_writing(language: str, sentence: str, gender: Gender, detector: Any) -> None:
    found = detector(language).detect(sentence)
    assert found.gender is gender
    for evidence in found.evidence:
        assert sentence[slice(*evidence.span)] == evidence.word


@pytest.mark.parametrize("text", ["", " ", ".", "…", "123", "Я", "som", "\u0301", "som som som", "я" * 5000])
@pytest.mark.parametrize("language", sorted(SPEAKER))
def test_any_text_has_an_answer(language: str, text: str, detector: Any) -> None:
    assert detector(language).detect(text).gender is Gender.NONE
