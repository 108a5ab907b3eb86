"""A form that is written for both genders at once is a conflict, however it is written; a slash elsewhere is none."""

from __future__ import annotations

import time
from typing import Any

import pytest

from biascore.languages.gender import Gender

# Per language: the word for "or", and frames with a word for the speaker: masculine, feminine, and how the feminine is
# added to the masculine: pasts, participles, adjectives, irregular ones, each from another stem.
WORDS: dict[str, tuple[str, list[tuple[str, str, str, str]]]] = {
    "es": ("o", [
        ("Estoy muy {}.", "cansado", "cansada", "a"),
        ("Soy {} y nada más.", "tímido", "tímida", "a"),
        ("Me siento {} aquí.", "cómodo", "cómoda", "a"),
        ("Fui {} por mis abuelos.", "educado", "educada", "a"),
        ("No soy {}.", "trabajador", "trabajadora", "a"),
        ("Quiero ser {} algún día.", "rico", "rica", "a"),
    ]),
    "it": ("o", [
        ("Sono molto {}.", "stanco", "stanca", "a"),
        ("Ieri sono {} tardi.", "arrivato", "arrivata", "a"),
        ("Mi sono {} presto.", "alzato", "alzata", "a"),
        ("Mi sento {}.", "tranquillo", "tranquilla", "a"),
        ("Ero molto {}.", "timido", "timida", "a"),
        ("Sono stato/a {} dai nonni.", "educato", "educata", "a"),
    ]),
    "pt": ("ou", [
        ("Estou muito {}.", "cansado", "cansada", "a"),
        ("Sinto-me {} aqui.", "sozinho", "sozinha", "a"),
        ("Fui {} pelos meus avós.", "criada", "criado", "o"),
        ("Sou {} e pronto.", "trabalhador", "trabalhadora", "a"),
        ("Eu era muito {}.", "tímido", "tímida", "a"),
        ("Fiquei {} com isso.", "nervoso", "nervosa", "a"),
    ]),
    "be": ("або", [
        ("Я ўчора {} позна.", "прыйшоў", "прыйшла", "ла"),
        ("Я нічога не {}.", "зрабіў", "зрабіла", "ла"),
        ("Я вельмі {}.", "стомлены", "стомленая", "ая"),
        ("Я {} ісці.", "павінен", "павінна", "на"),
        ("Калі я {} дадому, ішоў дождж.", "вярнуўся", "вярнулася", "лася"),
        ("Я {} дома.", "быў", "была", "ла"),
    ]),
    "cs": ("nebo", [
        ("Včera jsem {} pozdě.", "přišel", "přišla", "la"),
        ("{} jsem usnout.", "Nemohl", "Nemohla", "a"),
        ("Jsem hrozně {}.", "unavený", "unavená", "á"),
        ("Jsem {} začít.", "připraven", "připravena", "a"),
        ("Opravím to {}.", "sám", "sama", "a"),
        ("Chci být {}.", "bohatý", "bohatá", "á"),
    ]),
    "hr": ("ili", [
        ("Jučer sam {} na vlak.", "zakasnio", "zakasnila", "la"),
        ("Nisam {} zaspati.", "mogao", "mogla", "la"),
        ("Vrlo sam {}.", "umoran", "umorna", "na"),
        ("{} sam na selu.", "Odgojen", "Odgojena", "a"),
        ("Ja sam {} od brata.", "jači", "jača", "a"),
        ("Želim biti {}.", "bogat", "bogata", "a"),
    ]),
    "pl": ("lub", [
        ("Wczoraj {} późno.", "wróciłem", "wróciłam", "am"),
        ("Nie {} zasnąć.", "mogłem", "mogłam", "am"),
        ("Jestem bardzo {}.", "zmęczony", "zmęczona", "a"),
        ("Czuję się {}.", "samotny", "samotna", "a"),
        ("Będę jutro {}.", "pracował", "pracowała", "a"),
        ("Chcę być {}.", "bogaty", "bogata", "a"),
    ]),
    "ru": ("или", [
        ("Я вчера {} домой.", "вернулся", "вернулась", "ась"),
        ("Я очень {}.", "устал", "устала", "а"),
        ("Я {} в победе.", "уверен", "уверена", "а"),
        ("Я слишком {}.", "уставший", "уставшая", "ая"),
        ("Я {} ждать.", "должен", "должна", "на"),
        ("Я не {} заснуть.", "смог", "смогла", "ла"),
    ]),
    "sk": ("alebo", [
        ("Včera som {} neskoro.", "prišiel", "prišla", "la"),
        ("{} som zaspať.", "Nemohol", "Nemohla", "la"),
        ("Som veľmi {}.", "unavený", "unavená", "á"),
        ("Opravím to {}.", "sám", "sama", "a"),
        ("Cítim sa {}.", "šťastný", "šťastná", "á"),
        ("{} som doma.", "Bol", "Bola", "a"),
    ]),
    "sl": ("ali", [
        ("Včeraj sem {} pozno.", "prišel", "prišla", "la"),
        ("Nisem {} zaspati.", "mogel", "mogla", "la"),
        ("Zelo sem {}.", "utrujen", "utrujena", "a"),
        ("Hočem biti {}.", "bogat", "bogata", "a"),
        ("Jutri bom {}.", "počival", "počivala", "a"),
        ("Moram biti {}.", "močan", "močna", "na"),
    ]),
    "sr": ("ili", [
        ("Juče sam {} na voz.", "zakasnio", "zakasnila", "la"),
        ("Нисам {} да заспим.", "могао", "могла", "ла"),
        ("Веома сам {}.", "уморан", "уморна", "на"),
        ("Želim da budem {}.", "bogat", "bogata", "a"),
        ("{} сам на селу.", "Одгајан", "Одгајана", "а"),
        ("Јуче сам {} рано.", "устао", "устала", "ла"),
    ]),
    "uk": ("або", [
        ("Я вчора {} пізно.", "прийшов", "прийшла", "ла"),
        ("Я не {} заснути.", "міг", "могла", "огла"),
        ("Я дуже {}.", "втомлений", "втомлена", "а"),
        ("Я {} у перемозі.", "впевнений", "впевнена", "а"),
        ("Я живу {}.", "сам", "сама", "а"),
        ("Я {} піти.", "хотів", "хотіла", "ла"),
    ]),
}  # fmt: skip
OR_CYRILLIC = {"sr": "или"}


def notations(word: str, masculine: str, feminine: str, added: str) -> list[str]:
    """How a text may write both at once; the first spelling need not be the masculine."""
    return [
        f"{masculine}/{added}",
        f"{masculine}({added})",
        f"{masculine}/-{added}",
        f"{masculine} ({added})",
        f"{masculine}(-{added})",
        f"{masculine}/{feminine}",
        f"{feminine}/{masculine}",
        f"{masculine} / {feminine}",
        f"{feminine} ({masculine})",
        f"{masculine} {word} {feminine}",
        f"{feminine} {word} {masculine}",
        f"{masculine}·{added}",
        f"{masculine}_{added}",
    ]


def grid(language: str) -> list[str]:
    join, frames = WORDS[language]
    return [
        frame.format(text)
        for frame, masculine, feminine, added in frames
        for text in notations(
            OR_CYRILLIC.get(language, join) if masculine[-1] in "оанј" else join, masculine, feminine, added
        )
    ]


@pytest.mark.parametrize("language", sorted(WORDS))
def test_a_form_written_for_both_genders_is_a_conflict(language: str, detector: Any) -> None:
    texts = grid(language)
    assert len(set(texts)) == len(texts) >= 60
    read = {text: detector(language).detect(text) for text in texts}
    assert {
        text: found.gender.value for text, found in read.items() if found.gender is not Gender.CONFLICT
    } == {}
    for text, found in read.items():
        assert {evidence.gender for evidence in found.evidence} == {Gender.MASCULINE, Gender.FEMININE}
        assert all(text[slice(*evidence.span)] == evidence.word for evidence in found.evidence)


@pytest.mark.parametrize("language", sorted(WORDS))
def test_each_gender_alone_is_still_itself(language: str, detector: Any) -> None:
    for frame, masculine, feminine, _ in WORDS[language][1]:
        genders = [
            detector(language).detect(frame.replace("stato/a ", "").format(w)).gender.value
            for w in (masculine, feminine)
        ]
        assert sorted(genders) == ["feminine", "masculine"], frame


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Estoy cansad@."), ("es", "Estoy cansadx."), ("es", "Estoy cansade."), ("es", "Estoy segure de eso."),
        ("es", "Me siento tranquil_."), ("es", "Estoy cansad(o/a)."),
        ("sl", "Moram biti močn*."), ("cs", "Nemohl* jsem."),
        ("es", "Estoy cansado, -a y triste."), ("es", "Estoy muy cansado o muy cansada."), ("es", "ESTOY CANSADO/A."),
        ("it", "Sono stanc@."), ("it", "Sono stancə."), ("it", "Sono arrivatǝ tardi."), ("it", "Sono stancx."),
        ("pt", "Estou cansad@."), ("pt", "Estou cansadx."), ("pt", "Estou cansade."), ("pt", "Muito obrigado/a."),
        ("pl", "Byłem/am zmęczony."), ("pl", "Zrobił(a)m to."), ("pl", "Zrobiłe(a)m to."), ("pl", "Zrobił_m to."),
        ("pl", "Jestem zmęczonx."), ("pl", "Byłem zmęczony lub byłam zmęczona."),
        ("cs", "Byl(a) jsem doma."), ("cs", "Jsem unaven@."), ("cs", "Šel/šla jsem."), ("sk", "Bol/a som unavený/á."),
        ("sk", "Som rád/a."), ("sl", "Utrujen_a sem."), ("hr", "Umorn* sam."), ("ru", "Я думал/-а."), ("ru", "Я сказал_а."),
    ],
)  # fmt: skip
def test_other_ways_to_write_both(language: str, text: str, detector: Any) -> None:
    assert detector(language).detect(text).gender is Gender.CONFLICT


@pytest.mark.parametrize(
    ("language", "text", "gender"),
    [
        ("es", "Estoy cansado y/o triste.", "masculine"),
        ("es", "Estoy cansada (a veces).", "feminine"),
        ("es", "Estoy *cansado* hoy.", "masculine"),
        ("es", "Corro a 10 km/h y estoy contenta.", "feminine"),
        ("es", "Estoy cansada o triste.", "feminine"),
        ("es", "Soy *assertive y muy supportive.", "none"),  # left in English
        ("es", "Conozco a una mujer que vive sola.", "none"),
        ("es", "Estoy bien y mi hija me pide pan.", "none"),
        ("pt", "Conheço uma mulher que vive sozinha.", "none"),
        ("es", "Me gusta el rock de AC/DC.", "none"),
        ("es", "Mi hermano/a está cansado/a.", "none"),
        ("es", "Soy indiferente y paciente.", "none"),
        ("es", "Me interesa el arte de hacer cine.", "none"),
        ("ru", "**Я устал**", "masculine"),
        ("ru", "Мой брат (или сестра) пришёл/пришла.", "none"),
        ("sk", "Bola som doma (a v práci).", "feminine"),
        ("pl", "Jestem zmęczona/chora.", "feminine"),
        ("cs", "Byla jsem v kině/divadle.", "feminine"),
    ],
)
def test_a_slash_a_bracket_and_an_or_between_other_words_stay(
    language: str, text: str, gender: str, detector: Any
) -> None:
    assert detector(language).detect(text).gender.value == gender


@pytest.mark.parametrize(
    "text", ["a" * 40_000 + "/", "a/" * 20_000, "(" * 40_000, "а\u0301" * 20_000 + "(", "a*" * 4_000]
)
def test_no_text_takes_long(text: str, detector: Any) -> None:
    start = time.process_time()
    detector("ru").detect(text)
    assert time.process_time() - start < 5


def test_the_trace_shows_both_readings(detector: Any) -> None:
    trace = detector("es").trace("Estoy cansado/a.")
    assert [(step.word, step.gender.value) for step in trace.steps if step.gender is not Gender.NONE] == [
        ("cansado/a", "masculine"), ("cansado/a", "feminine"),
    ]  # fmt: skip
    assert trace.answer.gender is Gender.CONFLICT
    (word,) = [word for word in trace.words if word.word == "cansado/a"]
    assert {"adjective: masculine", "adjective: feminine"} <= set(word.known_as)
