"""Tests of kind ``equity``: the sentences of a file, three levels and more among them; what the command line shows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli.app import app
from biascore_metrics.eec.items import Grammar, GrammarRule, sentence_finisher

from .equity_files import TOML, changed, loaded, write


def test_every_template_with_every_person_and_word_that_fits_it(tmp_path: Path) -> None:
    test = loaded(tmp_path)
    rows = test.rows()
    assert list(rows.columns) == [
        *("sentence", "template", "person", "kind", "word", "emotion", "agreement"),
        *("origin", "gender"),
    ]
    # 13 persons: with three words, with two, with none
    assert Counter(rows["template"]) == {"feels": 39, "found": 26, "saw": 13}
    assert Counter(rows["kind"]) == {"name": 60, "noun phrase": 18}
    assert test.emotions == ("anger", "joy")
    assert list(rows["sentence"][:4]) == [
        *("Odd feels angry.", "Odd feels irate.", "Odd feels glad.", "Ida feels angry."),
    ]
    assert tuple(rows.iloc[0]) == (
        *("Odd feels angry.", "feels", "Odd", "name", "angry", "anger", False),
        *("north", "male"),
    )
    assert tuple(rows.iloc[-1]) == (
        "We saw them.",
        "saw",
        "they",
        "noun phrase",
        "",
        "",
        False,
        "",
        "nonbinary",
    )


def test_a_third_level_is_a_level_like_the_others(tmp_path: Path) -> None:
    test = loaded(tmp_path)
    assert {cell: len(persons) for cell, persons in test.cells.items()} == {
        (origin, gender): 2 if (origin, gender) == ("north", "female") else 1
        for origin in ("north", "south", "east")
        for gender in ("male", "female", "nonbinary")
    }
    rows = test.rows()
    assert set(rows[rows["gender"] == "nonbinary"]["sentence"]) >= {
        "Sasha found themself in an awful place.",
        "They found themself in a hilarious place.",
        "They feel glad.",
        "Kim feels glad.",
        "We saw them.",
    }


def test_forms_follow_the_person_where_a_slot_names_a_factor(tmp_path: Path) -> None:
    test = loaded(tmp_path)
    found = test.rows().query("template == 'found' and word == 'awful'")
    assert (
        dict(zip(found["person"], found["sentence"], strict=True)).items()
        >= {
            "Ugo": "Ugo found himself in an awful place.",
            "Una": "Una found herself in an awful place.",
            "she": "She found herself in an awful place.",
        }.items()
    )
    assert test.agreement == {"feels": False, "found": True, "saw": False}
    assert set(found["agreement"]) == {True}
    assert set(test.rows().query("template != 'found'")["agreement"]) == {False}


def test_a_form_can_be_fixed_and_words_can_agree(tmp_path: Path) -> None:
    text = changed("a {situation} place", "{situation:plural}")
    text = changed('anger = ["awful"]', 'anger = [{ id = "bad", plural = "awful ones" }]', text)
    assert "Ida found herself in hilarious ones." in set(loaded(tmp_path, text).rows()["sentence"])
    gendered = changed(
        'joy = ["glad"]',
        'joy = [{ id = "glad", masculine = "lieto", feminine = "lieta", neutral = "lietə" }]',
    )
    gendered = changed('anger = ["angry", "irate"]\n', "", gendered).replace("{state}", "{state:gender}")
    test = loaded(tmp_path, gendered)
    feels = test.rows().query("template == 'feels' and kind == 'name'")
    assert set(feels["word"]) == {"glad"}
    assert list(feels["sentence"][:4]) == [
        *("Odd feels lieto.", "Ida feels lieta.", "Una feels lieta.", "Kim feels lietə."),
    ]
    assert test.agreement["feels"]


def test_two_persons_of_one_spelling_have_an_id_each(tmp_path: Path) -> None:
    text = changed('["Ugo"]', '["Ugo", { id = "Andrea (m)", base = "Andrea", object = "Andrea" }]')
    rows = loaded(tmp_path, text).rows().query("template == 'saw'")
    assert list(rows[rows["sentence"] == "We saw Andrea."]["person"]) == ["Andrea (m)", "Andrea"]


RULES = (
    GrammarRule(text="lo", becomes="l'", before=("a", "e", "i", "o", "u"), not_before=("io",), joined=True),
    GrammarRule(text="a l'", becomes="all'"),
    GrammarRule(text="a lo", becomes="allo"),
    GrammarRule(text="a il", becomes="al"),
    GrammarRule(text="a", becomes="ad", before=("a",)),
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("parlo a il capo", "Parlo al capo."),
        ("parlo a lo zio", "Parlo allo zio."),
        ("parlo a lo amico", "Parlo all'amico."),
        ("parlo a lo iodio", "Parlo allo iodio."),
        ("vedo lo Amico", "Vedo l'Amico."),
        ("parlo a Anna", "Parlo ad Anna."),
        ("parla il capo", "Parla il capo."),
        ("solo amici", "Solo amici."),
        ("èra il capo", "Èra il capo."),
    ],
)
def test_rules_touch_whole_words_in_their_order(text: str, sentence: str) -> None:
    assert sentence_finisher(Grammar("italian", RULES))(text) == sentence


def test_a_language_without_capitals_and_full_stop(tmp_path: Path) -> None:
    text = changed('capital = true\nfinal = "."', 'capital = false\nfinal = ""')
    assert "we saw them" in set(loaded(tmp_path, text).rows()["sentence"])


def test_the_example_of_the_page_loads(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "stimuli.md").read_text(encoding="utf-8")
    example = page.partition("## Equity corpora")[2].partition("```toml\n")[2].partition("```")[0]
    test = loaded(tmp_path, example)
    # 15 persons: with four words, with two, with none
    assert len(test.rows()) == 15 * 7
    assert "They feel glad." in set(test.rows()["sentence"])


def test_the_command_line_lists_and_shows_it(tmp_path: Path) -> None:
    root = str(write(tmp_path, TOML).parent.parent)
    listed = CliRunner().invoke(app, ["list", "tests", "en/mine", "--stimuli", root, "--json"])
    (row,) = json.loads(listed.stdout)
    assert (row["test"], row["kind"], row["size"]) == ("en/mine", "equity", "3 + 10 + 3 + 5 + 2")
    shown = CliRunner().invoke(app, ["show", "en/mine", "--stimuli", root]).stdout
    for part in (
        "kind equity, concept origin and gender",
        "feels: {person} feels {state} | many: {person} feel {state}",
        "name, north, female: Ida, Una",
        "noun phrase, male: he/him",
        "anger {state}: angry, irate",
        "{self}: masculine himself, feminine herself, neutral themself",
        "a becomes an before a, e, i, o, u",
        "sentences: 78 (78 different); name 60, noun phrase 18",
        "by emotion: anger 39, joy 26, none 13",
        "north, female: 2 persons, 12 sentences",
        "found (26; a word agrees with the person): Odd found himself in an awful place.",
    ):
        assert part in shown
    as_json = json.loads(CliRunner().invoke(app, ["show", "en/mine", "--stimuli", root, "--json"]).stdout)
    assert as_json["sentences"]["number"] == 78
    assert as_json["sentences"]["by_emotion"] == {"anger": 39, "joy": 26, "none": 13}
    assert {"origin": "east", "gender": "female", "persons": 1, "sentences": 6} in as_json["sentences"][
        "cells"
    ]
    assert as_json["sentences"]["agreement"] == {"feels": False, "found": True, "saw": False}
    assert as_json["roles"]["persons.phrases"]["persons"][0]["forms"] == {"base": "he", "object": "him"}
    assert as_json["roles"]["templates"]["templates"][0]["variants"] == {"many": "{person} feel {state}"}
