"""The shipped nouns by gender: enough of each, each once, written as vocabularies have them, and nobody among them."""

from __future__ import annotations

import re
import unicodedata
from itertools import combinations
from pathlib import Path

import pytest

import biascore_wordlists
from biascore.stimuli import Catalogue
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest

from ..builders.kinds import KINDS

LANGUAGES = ("de", "es", "fr", "it", "pl")
WITH_NEUTER = ("de", "pl")

# People, animals, and words that are also a person's: what a list of nouns might take in by mistake.
ANIMATES = {
    "de": "Mann Frau Kind Mädchen Junge Vater Mutter Lehrer Arzt Mensch Person Hund Katze Pferd Vogel Fisch Leiter Rat",
    "es": "hombre mujer niño niña padre madre gente persona médico reina rey perro gato pez policía cura guía modelo",
    "fr": "homme femme enfant garçon fille père mère gens personne médecin roi reine chien chat souris oiseau guide",
    "it": "uomo donna bambino ragazza padre madre gente persona medico capo tipo cane gatto pesce animale guida spia",
    "pl": "człowiek kobieta dziecko matka ojciec osoba pan państwo lekarz kot pies koń ryba pilot muzyka polityka powód",
}
TWO_GENDERS = {
    "de": "See Band Tor Leiter Steuer Teil Messer Kunde Gehalt Schild Kiefer Gift Laden",
    "es": "mar arte orden cometa capital corte frente margen editorial calor azúcar parte",
    "fr": "livre tour mode page poêle vase manche voile mort critique mémoire après-midi geste",
    "it": "fronte fine capitale viola rosa finale eco",
    "pl": "wina wino",
}
ENDINGS = {
    "de": (r"[^e]$", r"(e|ung|heit|keit|schaft|ion)$"),
    "es": (r"o$", r"a$"),
    "fr": (r"[^e]$", r"e$"),
    "it": (r"o$", r"a$"),
    "pl": (r"[^aeiouyęąó]$", r"a$"),
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.from_folders(
        [(Path(biascore_wordlists.__file__).parent, "biascore_wordlists")], kinds=KINDS
    )


def nouns(catalogue: Catalogue, language: str) -> dict[str, tuple[str, ...]]:
    test = catalogue.test(f"{language}/nouns")
    assert isinstance(test, GenderedNounsTest)
    assert test.licence == "Apache-2.0"
    assert test.is_split
    assert all(len(one.test) == round(len(one.words) / 4) for one in test.classes)
    return {one.name: one.words for one in test.classes}


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_of_each_gender_and_as_many_of_two(catalogue: Catalogue, language: str) -> None:
    found = nouns(catalogue, language)
    assert list(found) == ["masculine", "feminine", *(["neuter"] if language in WITH_NEUTER else [])]
    assert len(found["masculine"]) == len(found["feminine"]) >= 300
    assert len(found.get("neuter", found["feminine"])) >= 150


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_is_written_as_a_vocabulary_has_it_and_stands_once(catalogue: Catalogue, language: str) -> None:
    found = nouns(catalogue, language)
    for first, second in combinations(found.values(), 2):
        assert set(first).isdisjoint(second)
    for words in found.values():
        assert len({word.casefold() for word in words}) == len(words)
        for word in words:
            assert unicodedata.is_normalized("NFC", word)
            assert word.isalpha()
            assert word == (word.capitalize() if language == "de" else word.lower())


@pytest.mark.parametrize("language", LANGUAGES)
def test_none_is_animate_or_of_two_genders(catalogue: Catalogue, language: str) -> None:
    everything = {word for words in nouns(catalogue, language).values() for word in words}
    assert everything.isdisjoint(ANIMATES[language].split())
    assert everything.isdisjoint(TWO_GENDERS[language].split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_file_says_how_many_an_ending_gives_away(catalogue: Catalogue, language: str) -> None:
    found = nouns(catalogue, language)
    shares = [
        sum(bool(re.search(ending, word)) for word in found[name]) / len(found[name])
        for ending, name in zip(ENDINGS[language], ("masculine", "feminine"), strict=True)
    ]
    (file,) = (file for file in catalogue.files if file.language == language and file.stem == "nouns")
    (note,) = (note for note in file.notes if note.startswith("By ending"))
    assert f"{sum(shares) / 2:.0%} of the masculine and feminine nouns" in note


def test_the_spanish_genders_are_those_of_a_treebank(catalogue: Catalogue, shared_data: Path) -> None:
    """UD Spanish GSD has two of them otherwise: dilema (feminine in one sentence) and sal (a form of salir)."""
    rows = [
        line.split("\t") for line in (shared_data / "gg" / "es_nouns.tsv").read_text("utf-8").splitlines()[1:]
    ]
    treebank = {word: {"Masc": "masculine", "Fem": "feminine"}[gender] for word, gender, *_ in rows}
    ours = {word: name for name, words in nouns(catalogue, "es").items() for word in words}
    both = ours.keys() & treebank.keys()
    assert len(both) == 337
    assert {word for word in both if ours[word] != treebank[word]} == {"dilema", "sal"}


GENDERED = ("flowers", "insects", "instruments", "weapons", "pleasant", "unpleasant")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_nouns_of_gg_weat_are_pairs_and_nobody(catalogue: Catalogue, language: str) -> None:
    roles = catalogue.test(f"{language}/gg-weat").roles
    assert {role: words.name for role, words in roles.items()} == {
        "X": "masculine_nouns",
        "Y": "feminine_nouns",
        "A": "men",
        "B": "women",
    }
    assert len(roles["X"].words) == len(roles["Y"].words) >= 12
    assert len(roles["A"].words) == len(roles["B"].words) >= 8
    everything = [word for words in roles.values() for word in words.words]
    assert len(set(everything)) == len(everything)
    assert {*roles["X"].words, *roles["Y"].words}.isdisjoint(ANIMATES[language].split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_gender_is_on_one_side_of_a_baseline(catalogue: Catalogue, language: str) -> None:
    for test, sides in (("weat1", GENDERED[:2]), ("weat2", GENDERED[2:4])):
        roles = catalogue.test(f"{language}/{test}").roles
        assert [words.name for words in roles.values()] == [*sides, "pleasant", "unpleasant"]
        for one, other in (("X", "Y"), ("A", "B")):
            marks = [roles[role].marks for role in (one, other)]
            assert {m: len(w) for m, w in marks[0].items()} == {m: len(w) for m, w in marks[1].items()}
            for role in (one, other):
                marked = [word for words in roles[role].marks.values() for word in words]
                assert sorted(marked) == sorted(roles[role].words)
                assert len(set(marked)) == len(marked) == 16


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_has_one_gender_here_and_another_there(catalogue: Catalogue, language: str) -> None:
    genders = {word: name for name, words in nouns(catalogue, language).items() for word in words}
    for name in GENDERED:
        for gender, words in catalogue.word_list(f"{language}/gg_weat/{name}").marks.items():
            assert {genders.get(word, gender) for word in words} == {gender}
    for role, gender in (("masculine_nouns", "masculine"), ("feminine_nouns", "feminine")):
        words = catalogue.word_list(f"{language}/gg_weat/{role}").words
        assert {genders.get(word, gender) for word in words} == {gender}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_test_measures_a_noun_that_is_learnt_from(catalogue: Catalogue, language: str) -> None:
    learnt = {word for words in nouns(catalogue, language).values() for word in words}
    for test in ("gg-weat", "weat1", "weat2", "GenS", "GenC"):
        for words in catalogue.test(f"{language}/{test}").roles.values():
            assert learnt.isdisjoint(words.words), (test, words.name)
