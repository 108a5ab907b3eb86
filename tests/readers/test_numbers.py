"""Which number a text gives, by language."""

from __future__ import annotations

import pytest

from biascore import Engine
from biascore.errors import UnknownNameError
from biascore.languages.language import Language
from biascore.readers.numbers import NUMBERS, number_reader


def read(
    languages: dict[str, Language], tag: str, text: str, kind: str | None = None
) -> tuple[str, tuple[float, ...]]:
    found = number_reader(languages, tag).read(text, kind)  # type: ignore[arg-type]
    assert found.outcome in NUMBERS
    return found.outcome, found.values


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        ("en", "$1,500", 1500),
        ("en", "I'd say 1.5k.", 1500),
        ("en", "fifteen hundred dollars", 1500),
        ("en", "two thousand five hundred and ten", 2510),
        ("en", "1 500,50", 1500.5),
        ("en", "USD 1.500", 1.5),
        ("en", "2 million", 2e6),
        ("en", "It costs 1,234,567.89 dollars.", 1234567.89),
        ("en", "Seven", 7),
        ("en", "In 2019 I paid $300, 20% less.", 300),
        ("en", "1. Be polite\n2. Offer $200", 200),
        ("en", "$200. Yes, $200.", 200),
        ("en", "-5", -5),
        ("en", "It is -$20.", -20),
        ("en", "minus 5 dollars", -5),
        ("en", "a rate of .5", 0.5),
        ("de", "1,5 Mio. Euro", 1.5e6),
        ("fr", "2,5 millions d’euros", 2.5e6),
        ("en", "It was in 2019.", 2019),
        ("de", "1.500 €", 1500),
        ("de", "1,500 €", 1.5),
        ("de", "1,5 Millionen Euro", 1.5e6),
        ("de-CH", "1'500.50 Franken", 1500.5),
        ("fr", "1 500,50 €", 1500.5),
        ("fr", "1\u202f500 euros", 1500),
        ("es", "1.500 €", 1500),
        ("es-MX", "1,500 pesos", 1500),
        ("es", "3,5 millones de euros", 3.5e6),
        ("it", "1.500,75 euro", 1500.75),
        ("pl", "1 500 zł", 1500),
    ],
)
def test_one_number(tag: str, text: str, value: float, languages: dict[str, Language]) -> None:
    assert read(languages, tag, text) == ("one number", (value,))
    if "uro" in text or "$" in text:
        assert read(languages, tag, text, "money") == ("one number", (value,))


@pytest.mark.parametrize(
    ("tag", "text", "ends"),
    [
        ("en", "between 50 and 60", (50, 60)),
        ("en", "10-15", (10, 15)),
        ("en", "$50–$60", (50, 60)),
        ("en", "$45K-$55K", (45e3, 55e3)),
        ("en", "from $10 to 15k", (10e3, 15e3)),
        ("en", "5-10 million dollars", (5e6, 10e6)),
        ("en", "$500 to $1.5k", (500, 1500)),
        ("de", "zwischen 1.000 und 2.000 Euro", (1000, 2000)),
        ("fr", "de 10 à 15 €", (10, 15)),
        ("es", "entre 20 y 30 euros", (20, 30)),
        ("it", "10-15 €", (10, 15)),
    ],
)
def test_a_range_is_no_number(
    tag: str, text: str, ends: tuple[float, float], languages: dict[str, Language]
) -> None:
    assert read(languages, tag, text) == ("range", ends)


@pytest.mark.parametrize(
    ("text", "outcome", "values"),
    [
        ("200 or 300 dollars", "several", (200, 300)),
        ("two or three hundred dollars", "several", (200, 300)),
        ("$200 for the first, $300 for the second", "several", (200, 300)),
        ("One of them is nice, on the 3rd of May at 10:30.", "none", ()),
        ("1. first\n2. second", "none", ()),
        ("2024-05-01", "none", ()),
        ("hundreds of dollars", "none", ()),
        ("9" * 400, "none", ()),
        ("100 dollar\u017f", "one number", (100,)),  # letters that fold into others
        ("3 m\u0131ll\u0130on", "one number", (3e6,)),
        ("I'm sorry, I can't name a price.", "refused", ()),
        ("I'm sorry, I can't be exact: about $40.", "one number", (40,)),
        ("", "none", ()),
    ],
)
def test_several_none_and_refused(
    text: str, outcome: str, values: tuple[float, ...], languages: dict[str, Language]
) -> None:
    assert read(languages, "en", text) == (outcome, values)


@pytest.mark.parametrize(
    ("tag", "prompt", "text", "outcome", "values"),
    [
        # As SmolLM2-135M-Instruct answered.
        (
            "en",
            "in US dollars?",
            "You should offer 100 US dollars for the three-year-old bicycle.",
            "one number",
            (100,),
        ),
        (
            "en",
            "in US dollars?",
            "Options: 1. 3-year-old city bicycle 2. 1000 US dollars",
            "one number",
            (1000,),
        ),
        (
            "en",
            "in US dollars?",
            "She has been here for six years. So it is 12 * 6 = 64.",
            "several",
            (12, 6, 64),
        ),
        ("en", "in US dollars?", "10,000 yuan (approximately $1.10 USD).", "one number", (1.1,)),
        ("en", "in US dollars?", "I would offer 50,000 rupees, or 50 cents, or 100 euros.", "none", ()),
        ("en", "in US dollars?", "Offer 10-to-15.", "range", (10, 15)),
        ("en", "in US dollars?", "a 10- to 15-year-old bike: 120", "one number", (120,)),
        ("en", "in US dollars?", "40-per-hour", "one number", (40,)),
        ("en", "in US dollars?", "It depends on the 2024 market.", "none", ()),
        ("en", "She earns 20 dollars an hour. How many hours a week?", "40 hours", "one number", (40,)),
        ("en", "How likely (0-100%)?", "In 3 games out of 5, so 60-percent likely", "one number", (60,)),
        ("en", "Would $500 be right?", "In 3 years, 400", "one number", (400,)),
        ("de", "Wie viel Prozent?", "Nach 3 Stunden eine 50-Prozent-Chance", "one number", (50,)),
        ("es", "¿Qué probabilidad tiene, en porcentaje?", "A sus 20 años, un 60 %", "one number", (60,)),
        ("es-MX", "¿Cuántos pesos?", "$1,500", "one number", (1500,)),
        (
            "it",
            "Quanto è probabile, in percentuale?",
            "Il premio è 500 euro, la probabilità il 45%",
            "one number",
            (45,),
        ),
        ("en", "in US dollars?", "You work for six years.", "none", ()),
        ("en", "in US dollars?", "2000", "one number", (2000,)),
        ("en", "in US dollars?", "In 2022 it was 2,000 dollars, 5 percent more.", "one number", (2000,)),
        ("en", "in percent?", "A win is 60 percent likely, and costs $5.", "one number", (60,)),
        ("en", "in percent?", "60", "one number", (60,)),
        ("en", "How many?", "Two-thirds of the three-room flats", "none", ()),
        ("en", "How many?", "A 20-hour week at 300 dollars", "one number", (300,)),
        ("en", "in US dollars?", "a 300-dollar fine", "one number", (300,)),
        ("de", "in Euro?", "Für das 3-Jahres-Abo sind 90 angemessen.", "one number", (90,)),
        ("de", "in US-Dollar?", "Rund 90 US-Dollar im Monat, 2 Jahre lang.", "one number", (90,)),
        ("es", "¿Cuántos euros?", "Trabaja 6 años: 1.500", "one number", (1500,)),
        ("fr", "en euros ?", "Après 6 ans, 1 500.", "one number", (1500,)),
        ("it", "in euro?", "Dopo 6 anni, 1.500.", "one number", (1500,)),
    ],
)
def test_the_unit_that_a_prompt_asks_for_counts(
    tag: str, prompt: str, text: str, outcome: str, values: tuple[float, ...], languages: dict[str, Language]
) -> None:
    found = number_reader(languages, tag).read(text, prompt=prompt)
    assert (found.outcome, found.values) == (outcome, values)


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it"])
def test_every_prompt_of_ours_names_a_unit(language: str, languages: dict[str, Language]) -> None:
    engine = Engine(cache=None)
    reader = number_reader(languages, language)
    for test in engine.catalogue.select(f"{language}/advice-*"):
        for one in test.prompts.rows:
            percent = one.template == "chess"
            text = "In 3 hours 7 % or $8 or 8 €" if percent else "In 3 hours 7 %, $8"
            found = reader.read(
                text.replace("$8", "8 €") if "eur" in one.text.lower() else text, prompt=one.text
            )
            assert found.values == ((7,) if percent else (8,)), one.text


def test_a_kind_that_is_asked_for(languages: dict[str, Language]) -> None:
    text = "In 2019 I paid $300 for 3 months, 20% less."
    values = {
        kind: read(languages, "en", text, kind)[1] for kind in ("money", "counted", "percent", "year", "bare")
    }
    assert values == {"money": (300,), "counted": (3,), "percent": (20,), "year": (2019,), "bare": ()}
    with pytest.raises(ValueError, match="kind is 'sum'; pass one of: money"):
        read(languages, "en", text, "sum")


def test_evidence_is_where_the_number_stands(languages: dict[str, Language]) -> None:
    text = "About $50–60 per hour."
    (found,) = number_reader(languages, "en").read(text).evidence
    assert (text[found.start : found.end], found.what) == ("$50–60", "money range")


def test_a_language_without_words_for_numbers(languages: dict[str, Language]) -> None:
    with pytest.raises(
        UnknownNameError, match="no plugin reads texts in 'sv'; there are readers for de, en, es, fr, it, pl"
    ):
        number_reader(languages, "sv")
