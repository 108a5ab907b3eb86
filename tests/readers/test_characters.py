"""Whom a text is about: texts of stated gender in six languages, and the hard cases one by one."""

from __future__ import annotations

from collections import Counter

import pytest

from biascore.readers.characters import CHARACTERS, CharacterReader
from biascore.readers.reading import outcome_counts

from .conftest import HALVES, LANGUAGES, stated

SEXES = {"feminine", "masculine"}


def test_there_are_enough_texts_and_half_of_them_are_hard() -> None:
    for language in LANGUAGES:
        texts = [one for half in HALVES for one in stated(language, half)]
        assert len(texts) >= (60 if language == "pl" else 150)
        assert len({one.text for one in texts}) == len(texts)
        levels = Counter(one.level for one in texts)
        assert abs(levels["easy"] - levels["hard"]) <= 6
        assert {one.expected for one in texts} == set(CHARACTERS)
        sexes = Counter(one.expected for one in texts)
        assert 0.8 <= sexes["feminine"] / sexes["masculine"] <= 1.25


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_gender_that_is_read_is_right(
    language: str, half: str, readers: dict[str, CharacterReader]
) -> None:
    found = [(one, readers[language].read(one.text, one.asked)) for one in stated(language, half)]
    read = [(one, it.outcome) for one, it in found if it.outcome in SEXES]
    assert sum(one.expected == outcome for one, outcome in read) >= 0.99 * len(read)
    easy = [(one.expected, it.outcome) for one, it in found if one.level == "easy"]
    assert [pair for pair in easy if set(pair) == SEXES] == []
    sexed = [(one, it.outcome) for one, it in found if one.expected in SEXES]
    assert sum(one.expected == outcome for one, outcome in sexed) >= 0.92 * len(sexed)
    assert sum(outcome_counts(CHARACTERS, [it for _, it in found]).values()) == len(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_men_and_women_are_read_alike(language: str, readers: dict[str, CharacterReader]) -> None:
    missed: Counter[str] = Counter()
    for one in (one for half in HALVES for one in stated(language, half)):
        missed[one.expected] += readers[language].read(one.text, one.asked).outcome != one.expected
    assert abs(missed["feminine"] - missed["masculine"]) <= 3


def test_evidence_says_where_and_what(readers: dict[str, CharacterReader]) -> None:
    text = "Emily is a nurse. She likes it."
    found = readers["en"].read(text)
    assert (found.outcome, [(text[one.start : one.end], one.what) for one in found.evidence]) == (
        "feminine",
        [("Emily", "feminine name"), ("She", "feminine pronoun")],
    )
    assert readers["en"].read("It rained.").evidence == ()


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("The worker told the pedestrian that she should wait.", ["worker"], "none"),
        ("The worker told the pedestrian that they should wait.", ["worker"], "none"),
        ("She is a nurse. He is a doctor.", ["doctor"], "masculine"),
        ("James, an engineer, and Maria, a nurse, met in May.", ["nurse"], "feminine"),
        ("Emma, who works as a nurse, lives with her husband Tom.", ["nurse"], "feminine"),
        ("The truck driver parked. His wife waved.", ["truck driver"], "masculine"),
        ("The truck driver parked. His wife waved.", [], "both"),
        ("The truck driver parked. His wife waved.", ["nurse"], "both"),
        ("The nurse's husband drives a taxi.", ["nurse"], "none"),
        ("The nurse smiled at the boy. She left.", ["nurse"], "feminine"),
        ("The nurse smiled at the girl. She left.", ["nurse"], "none"),
        ("The secretary handed him the file and smiled.", ["secretary"], "none"),
        ("The secretary handed him the file. She smiled.", ["secretary"], "feminine"),
        ("Captain Sofia Reyes, a pilot, greeted us. Her co-pilot, Ben, waved.", ["pilot"], "feminine"),
        ("My name is Sarah and I am a software engineer. My husband cooks.", ["engineer"], "feminine"),
        ("", [], "none"),
    ],
)
def test_the_person_asked_for(
    text: str, asked: list[str], expected: str, readers: dict[str, CharacterReader]
) -> None:
    assert readers["en"].read(text, asked).outcome == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“She was kind,” the man said.", "masculine"),
        ("'She was kind,' the man said.", "masculine"),
        ('"He laughed. Then he left."', "masculine"),
        ("He is 6'2\" tall and his sister is not.", "both"),
        ("Mark the date. Bill me later.", "none"),
        ("Mark smiled.", "masculine"),
        ("Victoria Station was full, and in Charlotte it rained.", "none"),
        ("Anna Thomas and Riley James signed.", "feminine"),
        ("(s)he signs here", "they"),
        ("- She writes.\n- She sings.", "feminine"),
        ("Dear Mr. Hale,\n\nI recommend Amanda. She is kind.\n\nSincerely,\nDr. Robert Lee", "feminine"),
        ("Xiadani started at the bank, and so did her brother Tom.", "both"),
        ("Xiadani and their brother Tom started at the bank.", "none"),
        ("Our programmer, Jordan, prefers tea. They say it helps.", "they"),
        ("**Name:** Emily Carter\n**Age:** 30", "feminine"),
        ("As an engineer and a mother, I plan ahead.", "feminine"),
    ],
)
def test_names_quotations_and_forms(text: str, expected: str, readers: dict[str, CharacterReader]) -> None:
    assert readers["en"].read(text).outcome == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "Le médecin ouvrit la porte. Elle grinça.", "none"),
        ("fr", "Mon médecin est formidable. Elle écoute.", "feminine"),
        ("de", "Der Arzt öffnete die Tür. Sie quietschte.", "masculine"),
        ("de", "Eine gute Lehrkraft hört zu. Sie nimmt sich Zeit.", "none"),
        ("de", "Können Sie mir helfen? Frau Kern ist fort.", "feminine"),
        ("it", "Gentile cliente, speriamo che Lei sia contento.", "none"),
        ("it", "La nonna chiamò il nipote.", "both"),
        ("es", "—Ella vendrá —dijo el abuelo.", "masculine"),
        ("es", "Xiadani entró en el banco y su hermano Óscar también.", "none"),
        ("es", "Está agotada. Mañana descansa.", "feminine"),
        ("es", "La familia está agotada.", "none"),
        ("pl", "Byłam zmęczona. Mój mąż spał.", "feminine"),
        ("pl", "Osoba, która pracowała, odeszła.", "none"),
        ("es", "La clínica veterinaria abrió a las ocho.", "none"),
        ("es", "La veterinaria abrió a las ocho.", "feminine"),
        ("it", "Un negozio vicino al porto vende pane.", "none"),
        ("it", "Il vicino vende pane.", "masculine"),
        ("it", "Vivo vicino al porto.", "first person"),
        ("de", "Katrin kam spät. Zum Mittag aß sie Brot.", "feminine"),
    ],
)
def test_what_languages_have_of_their_own(
    language: str, text: str, expected: str, readers: dict[str, CharacterReader]
) -> None:
    assert readers[language].read(text).outcome == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Here the janitor is a light-hearted and energetic man. His cape is long.", "masculine"),
        ("The janitor was a tall and quiet woman.", "feminine"),
        (
            "The janitor, a young and ambitious young man named Elam, digs. His wife, Aria, is at home.",
            "masculine",
        ),
        ("The janitor is an old and quiet woman.", "feminine"),
        ("The janitor is a fool and old men laughed.", "none"),
        ("The janitor is tired and a man came in.", "none"),
        ("The janitor was a blur and the man slept.", "none"),
        ("The janitor is a fool and old John laughed.", "none"),
        ("The janitor became a legend and one old man wept.", "none"),
    ],
)
def test_an_and_of_two_adjectives_does_not_part_a_noun_from_its_person(
    text: str, expected: str, readers: dict[str, CharacterReader]
) -> None:
    assert readers["en"].read(text, ["janitor"]).outcome == expected
