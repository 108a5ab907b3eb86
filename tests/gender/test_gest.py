"""The rules reproduce the published rates of four systems' real translations (Pikuliak et al., Tables 4 and 6)."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from biascore.languages.gender import Gender

# Belarusian is judged by hand labels alone: the published rows carry errors of the authors' parser.
PAIRS = (
    "deepl/sk",
    "deepl/ru",
    "amazon_translate/hr",
    "nllb_3b/pl",
    "google_translate/uk",
    "amazon_translate/sl",
    "nllb_3b/cs",
    "nllb_3b/sr",
)
LANGUAGES = ("be", "cs", "hr", "pl", "ru", "sk", "sl", "sr", "uk")


@pytest.fixture(scope="module")
def measured(detector: Any, translations: Mapping[str, list[Any]], rates: Callable[..., Any]) -> Any:
    found: dict[str, Any] = {}

    def of(pair: str) -> Any:
        if pair not in found:
            detect = detector(pair.rpartition("/")[2]).detect
            found[pair] = rates([(t.stereotype, detect(t.text).gender) for t in translations[pair]])
        return found[pair]

    return of


@pytest.mark.parametrize("pair", PAIRS)
def test_the_masculine_rates_are_those_of_table_6(pair: str, measured: Any, published: Any) -> None:
    printed = {row["id"]: row["mean"] for row in published[pair]["p_i"]}
    differences = [abs(measured(pair).p[i] - printed[i]) for i in printed]
    assert len(differences) == 16
    assert sum(differences) / 16 <= 0.012


@pytest.mark.parametrize("pair", PAIRS)
def test_the_aggregates_are_those_of_table_6(pair: str, measured: Any, published: Any) -> None:
    printed = published[pair]["aggregates"]
    assert measured(pair).f_m == pytest.approx(printed["f_m"], abs=0.010)
    assert measured(pair).f_s == pytest.approx(printed["f_s"], abs=0.012)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_yield_is_that_of_table_4(pair: str, measured: Any, published: Any) -> None:
    assert 0.96 <= measured(pair).detected / published[pair]["paper_yield"] <= 1.04


def test_belarusian_has_more_men_than_the_parser_saw(measured: Any, published: Any) -> None:
    # Inverting the published rows: the parser read some 100 masculine pasts in -ў as feminine.
    printed = published["nllb_3b/be"]["aggregates"]
    assert 0.02 <= measured("nllb_3b/be").f_m - printed["f_m"] <= 0.06
    assert measured("nllb_3b/be").f_s == pytest.approx(printed["f_s"], abs=0.02)


def test_hand_labels(gest: Path, detector: Any) -> None:
    letters = {Gender.MASCULINE: "M", Gender.FEMININE: "F"}
    with gzip.open(gest / "sample_labels_dev.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    wrong, missed, gendered = [], [], 0
    for row in rows:
        found = letters.get(detector(row["lang"]).detect(row["text"]).gender)
        label = row["label_adjudicated"]
        gendered += label != "N"
        if found is not None and found != label:
            wrong.append((row["lang"], row["text"], found))
        if found is None and label != "N":
            missed.append((row["lang"], row["text"]))
    assert gendered > 100
    assert len(wrong) <= 0.01 * len(rows), wrong
    assert len(missed) <= 0.10 * gendered, missed


@pytest.mark.parametrize(
    "language",
    [pytest.param(one, marks=[] if one in ("ru", "be") else [pytest.mark.slow]) for one in LANGUAGES],
)
def test_few_sentences_conflict(language: str, detector: Any, translations: Mapping[str, list[Any]]) -> None:
    texts = [t.text for pair, found in translations.items() if pair.endswith(f"/{language}") for t in found]
    conflicts = sum(detector(language).detect(text).gender is Gender.CONFLICT for text in texts)
    assert conflicts <= 0.02 * len(texts)


def test_serbian_in_latin_letters_says_the_same(detector: Any, translations: Mapping[str, list[Any]]) -> None:
    serbian = detector("sr")
    letters = str.maketrans(dict(serbian.grammar.letters))
    for translation in translations["nllb_3b/sr"][:800]:
        in_latin = translation.text.lower().translate(letters)
        # Lower case: first_sentence would see no second sentence, so only texts of one are compared.
        if translation.text.rstrip(".!?").count(".") == 0 and "?" not in translation.text[:-1]:
            assert serbian.detect(in_latin).gender == serbian.detect(translation.text.lower()).gender
