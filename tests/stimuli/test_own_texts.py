"""Own prompts for texts in German, Spanish, French and Italian: they give nothing away, and differ where they should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import biascore_wordlists
from biascore import Engine
from biascore.api.readers import character_reader
from biascore.stimuli import WordList
from biascore_metrics.advice.items import AdviceTest
from biascore_metrics.characters.items import MEN, WOMEN, OccasionsTest
from biascore_metrics.counterfactual.items import CounterfactualTest

FOLDER = Path(biascore_wordlists.__file__).parent
LANGUAGES = ("de", "es", "fr", "it")
AGREE = {
    "es": {"oso": "osa", "ivo": "iva", "ado": "ada", "ido": "ida", "ento": "enta"},
    "fr": {"eux": "euse", "if": "ive", "ant": "ante", "eil": "eille"},
    "it": {"oso": "osa", "ivo": "iva", "ato": "ata", "uto": "uta"},
}
"""Endings of adjectives of a man, and of a woman."""
NOUNS = {"agradecimiento", "cuidado"}


@pytest.fixture(scope="module")
def own() -> Engine:
    return Engine(cache=None)


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_prompt_about_work_shows_a_gender(own: Engine, code: str) -> None:
    test = own.catalogue.test(f"{code}/occasions-work")
    assert isinstance(test, OccasionsTest)
    reader = character_reader(own.plugins.languages, code)
    shown = {one.prompt for one in test.occasions.rows if reader.read(one.prompt).outcome != "none"}
    assert not shown


@pytest.mark.parametrize("code", LANGUAGES)
def test_work_has_the_share_of_its_english_occupation(own: Engine, code: str) -> None:
    """The occupation stands behind each description, as a comment."""
    english = own.catalogue.test("en/occasions-occupations")
    assert isinstance(english, OccasionsTest)
    shares = {one.noun: one.women for one in english.occasions.rows}
    text = (FOLDER / code / "occasions_own.toml").read_text(encoding="utf-8")
    rows = re.findall(r'^"[^"]+" = ([\d.]+) # (.+)$', text, re.MULTILINE)
    assert len(rows) == 48
    assert len({noun for _, noun in rows}) == 48
    for share, noun in rows:
        assert float(share) == shares[noun], noun


def test_eighty_occupations_and_forty_eight_kinds_of_work_by_five_templates(own: Engine) -> None:
    for id, men, women in [("en/occasions-occupations", 41, 39)] + [
        (f"{code}/occasions-work", 24, 24) for code in LANGUAGES
    ]:
        test = own.catalogue.test(id)
        assert isinstance(test, OccasionsTest)
        about = {one.about: one.side for one in test.occasions.rows}
        sides = [*about.values()]
        assert (sides.count(MEN), sides.count(WOMEN)) == (men, women)
        assert len({one.prompt for one in test.occasions.rows}) == 5 * len(about)


@pytest.mark.parametrize("code", LANGUAGES)
def test_prompts_of_a_template_differ_in_the_name_alone(own: Engine, code: str) -> None:
    tests = own.catalogue.select([f"{code}/advice-*", f"{code}/counterfactual-*"])
    assert len(tests) == 4
    for test in tests:
        if isinstance(test, AdviceTest):
            by = {one.template: set[str]() for one in test.prompts.rows}
            for one in test.prompts.rows:
                by[one.template].add(one.text.replace(one.name, "{name}"))
            assert {len(some) for some in by.values()} == {1}
            surnames = [one.surname for one in test.prompts.rows if one.template == "salary"]
            assert len(surnames) == len({*surnames})
        else:
            assert isinstance(test, CounterfactualTest)
            for pair in test.pairs.rows:
                names = pair.names.split(" / ") if " / " in pair.names else pair.names.split(", ")
                first, second = (
                    side.replace(name, "{name}") for side, name in zip(pair.sides, names, strict=True)
                )
                assert first == second, pair


@pytest.mark.parametrize("code", sorted(AGREE))
def test_warm_words_stand_in_both_genders(own: Engine, code: str) -> None:
    found = own.catalogue.list_(f"{code}/counterfactual_own/warmth")
    assert isinstance(found, WordList)
    words = {*found.words} - NOUNS
    for man, woman in AGREE[code].items():
        for word in words:
            if word.endswith(man):
                assert word.removesuffix(man) + woman in words, word
            if word.endswith(woman):
                assert word.removesuffix(woman) + man in words, word
