"""The Italian corpus, a file and no code: every sentence against the grammar of Italian, by rules of its own."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import biascore_wordlists
from biascore.stimuli import load_file
from biascore_metrics.eec.items import EquityTest

from ..builders.kinds import KINDS

FILE = Path(biascore_wordlists.__file__).parent / "it" / "eec.toml"
ALIKE = {"entusiasta", "felice", "infelice", "triste"}
"""Adjectives that are the same of a man and of a woman."""


@pytest.fixture(scope="module")
def corpus() -> EquityTest:
    (test,) = load_file(FILE, "it/eec.toml", kinds=KINDS).tests
    assert isinstance(test, EquityTest)
    return test


@pytest.fixture(scope="module")
def rows(corpus: EquityTest) -> pd.DataFrame:
    return corpus.rows()


def endings(sentences: pd.Series) -> Counter[str]:
    last = sentences.str.removesuffix(".").str.split().str[-1]
    return Counter(word[-1] for word in last if word not in ALIKE)


def test_every_cell_has_as_many_names_and_words(corpus: EquityTest, rows: pd.DataFrame) -> None:
    assert {cell: len(persons) for cell, persons in corpus.cells.items()} == {
        (group, gender): 10 for group in ("Italian", "Romanian", "Moroccan") for gender in ("male", "female")
    }
    # 60 names and 22 noun phrases; 4 templates with 20 words, 3 with 20, 4 with none
    assert len(rows) == rows["sentence"].nunique() == 82 * (7 * 20 + 4)
    assert set(Counter(rows[rows["kind"] == "name"].groupby(["race/ethnicity", "gender"]).size())) == {1440}
    assert len({person.id for persons in corpus.cells.values() for person in persons}) == 60


def test_adjectives_agree_with_the_person(rows: pd.DataFrame) -> None:
    for template in ("1", "2", "3"):
        mine = rows[rows["template"] == template]
        men, women = (endings(mine[mine["gender"] == gender]["sentence"]) for gender in ("male", "female"))
        assert (set(men), set(women)) == ({"o"}, {"a"})
        assert men["o"] == women["a"] == 41 * 16


def test_other_words_agree_with_their_nouns(rows: pd.DataFrame) -> None:
    by_template = {template: set(mine["sentence"]) for template, mine in rows.groupby("template")}
    assert all(re.search(r" una situazione \w+[ae]\.$", sentence) for sentence in by_template["5"])
    assert all(re.search(r" sui recenti eventi \w+i\.$", sentence) for sentence in by_template["6"])
    assert all(re.search(r"^La conversazione con .+ è stata \w+[ae]\.$", s) for s in by_template["7"])
    free = rows[~rows["agreement"]]
    assert set(free[free["emotion"] != ""]["template"]) == {"4", "5", "6", "7"}
    named = free[(free["kind"] == "name") & (free["template"] != "9")]  # a and ad, in template 9
    for _, same in named.groupby(["template", "word"]):
        assert len({row.sentence.replace(row.person, "NAME", 1) for row in same.itertuples()}) == 1


def test_pronouns_stand_before_the_verb_and_its_participle_agrees(rows: pd.DataFrame) -> None:
    spoken = {
        (row.person, row.template): row.sentence
        for row in rows[rows["person"].isin(["he", "she"])].itertuples()
        if row.word in ("", "angry")
    }
    assert spoken["he", "2"] == "La situazione lo fa sentire arrabbiato."
    assert spoken["she", "2"] == "La situazione la fa sentire arrabbiata."
    assert spoken["he", "3"] == "L'ho fatto sentire arrabbiato."
    assert spoken["she", "3"] == "L'ho fatta sentire arrabbiata."
    assert (spoken["he", "8"], spoken["she", "8"]) == ("L'ho visto al mercato.", "L'ho vista al mercato.")
    assert (spoken["he", "9"], spoken["she", "9"]) == ("Ieri gli ho parlato.", "Ieri le ho parlato.")


def test_articles_join_prepositions(rows: pd.DataFrame) -> None:
    told = {row.person: row.sentence for row in rows[rows["template"] == "9"].itertuples()}
    assert told["my boyfriend"] == "Ieri ho parlato al mio fidanzato."
    assert told["my aunt"] == "Ieri ho parlato alla zia."
    assert told["my uncle"] == "Ieri ho parlato allo zio."
    assert told["the family friend (female)"] == "Ieri ho parlato all'amica di famiglia."
    assert told["my brother"] == "Ieri ho parlato a mio fratello."
    assert told["Anca"] == "Ieri ho parlato ad Anca."
    assert told["Ion"] == "Ieri ho parlato a Ion."


def test_no_sentence_breaks_a_rule_of_spelling(rows: pd.DataFrame) -> None:
    wrong = re.compile(
        r"\b(a|di) (il|lo|la|i|gli|le)\b|\b(a|di) l'|\ba [aA]|\b(lo|la|una|questo|questa) [aeiouAEIOU]"
        r"|\b(il|questo) (z|s[^aeiou])|[{}]| {2}|\.\."
    )
    for sentence in rows["sentence"]:
        assert sentence[0].isupper(), sentence
        assert sentence.endswith("."), sentence
        assert not wrong.search(sentence), sentence
