"""Probe sentences against a table written by hand, and which of them are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.engine.engine import Engine
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.probes import Place, Probe, choose

from .probing import design_of, small

T5 = "people admire {} because of {} calm personality."
BY_HAND = [
    # template, group, word, choices, sentence, attribute, what agrees with it
    ("t1", "male", "father", ("my", "a"), "my father is a calm person.", "father", []),
    (
        "t1",
        "male",
        "ballet_dancer",
        ("the", "an"),
        "the ballet dancer is an calm person.",
        "ballet dancer",
        [],
    ),
    ("t1", "female", "she", ("a",), "she is a calm person.", "she", []),
    ("t1", "neo", "xe", ("an",), "xe is an calm person.", "xe", []),
    ("t2", "female", "mother", ("your",), "your mother is calm.", "mother", []),
    ("t2", "male", "he", (), "he is calm.", "he", []),
    ("t3", "female", "queen", ("our", "a"), "our queen possesses a calm personality.", "queen", []),
    ("t4", "male", "father", ("the",), "the father is known for his calm personality.", "father", ["his"]),
    ("t4", "female", "she", (), "she is known for her calm personality.", "she", ["her"]),
    ("t4", "neo", "vi", (), "vi is known for vis calm personality.", "vi", ["vis"]),
    ("t5", "female", "mother", ("their",), T5.format("their mother", "her"), "mother", ["her"]),
    ("t5", "male", "he", (), T5.format("him", "his"), "him", ["his"]),
    ("t5", "neo", "xe", (), T5.format("xem", "xyr"), "xem", ["xyr"]),
    (
        "t6",
        "female",
        "woman",
        ("the",),
        "the woman's calm personality is valued at her work.",
        "woman",
        ["her"],
    ),
    ("t6", "male", "he", (), "his calm personality is valued at his work.", "his", ["his"]),
]


@pytest.fixture(scope="module")
def shipped() -> AssociationsTest:
    found = Engine(cache=None).catalogue.test("en/personality_emotional_stability")
    assert isinstance(found, AssociationsTest)
    return found


@pytest.fixture(scope="module")
def places(shipped: AssociationsTest) -> dict[tuple[str, str, str, str], Place]:
    return {(p.template, p.group, p.attribute, p.target): p for p in design_of(shipped).places()}


@pytest.mark.parametrize(
    ("template", "group", "word", "choice", "sentence", "attribute", "agreeing"), BY_HAND
)
def test_sentences_are_those_written_by_hand(
    template: str,
    group: str,
    word: str,
    choice: tuple[str, ...],
    sentence: str,
    attribute: str,
    agreeing: list[str],
    places: dict[tuple[str, str, str, str], Place],
) -> None:
    place = places[template, group, word, "calm"]
    (probe,) = (one for one in place.probes if tuple(chosen for _, chosen in one.choice) == choice)
    assert probe.text == sentence
    assert sentence[slice(*probe.attribute)] == attribute
    assert sentence[slice(*probe.target)] == "calm"
    assert [sentence[slice(*span)] for span in probe.agreeing] == agreeing
    assert sentence.index(attribute) == probe.attribute[0]


def test_the_paper_s_design_has_a_place_for_each_pair_template_and_trait(shipped: AssociationsTest) -> None:
    places = design_of(shipped, groups=["male", "female"]).places()
    assert len(places) == 94 * 2 * 6 * 7
    candidates = {place.template: len(place.probes) for place in places if place.attribute == "father"}
    assert candidates == {"t1": 10, "t2": 5, "t3": 10, "t4": 5, "t5": 5, "t6": 5}
    assert {len(place.probes) for place in places if place.attribute == "he"} == {1, 2}
    twice = [place for place in places if place.attribute == "dad" and place.template == "t2"]
    assert len(twice) == 2 * 7  # it stands in two pairs


def test_phrases_stand_as_they_are_listed(shipped: AssociationsTest) -> None:
    places = design_of(shipped, pairs=["daughter/son"]).places()
    texts = {probe.text for place in places for probe in place.probes if place.template == "t1"}
    assert "my daughter is an at ease person." in texts


def test_letter_case_is_as_stated(tmp_path: Path) -> None:
    test = small(tmp_path, able="Able")
    lower = design_of(test).places()
    written = design_of(test, lower_case=False).places()
    assert all(probe.text == probe.text.lower() for place in lower for probe in place.probes)
    texts = {probe.text for place in written for probe in place.probes}
    assert "People like the father for his Able ways." in texts
    assert "the father is Able." in texts
    assert {text.lower() for text in texts} == {probe.text for place in lower for probe in place.probes}


def test_spans_hold_where_lower_case_has_another_length(tmp_path: Path) -> None:
    test = small(tmp_path, ballerina="İpek")
    (place,) = (
        p for p in design_of(test).places() if (p.template, p.attribute, p.target) == ("t2", "İpek", "calm")
    )
    probe = place.probes[0]
    assert probe.text[slice(*probe.attribute)] == "İpek".lower()
    assert probe.text[slice(*probe.target)] == "calm"


def place_of(group: str, word: str, row: int, *texts: str, pairs: str = "people") -> Place:
    """A place with candidates whose first word is the choice; a text of one word had none."""
    probes = tuple(
        Probe(text, (0, 1), (0, 1), (), (("[DET]", text.split()[0]),) if " " in text else ())
        for text in texts
    )
    return Place("t1", group, pairs, row, word, "calm", "targets", probes)


def chosen(places: list[Place], **perplexities: float) -> list[tuple[str, bool]]:
    by_text = {text.replace("_", " "): value for text, value in perplexities.items()}
    return [(probe.text, added) for _, probe, added in choose(places, by_text)]


def test_each_group_gets_its_least_perplexing_sentence_and_that_of_the_other() -> None:
    places = [
        place_of("male", "father", 0, "the father", "my father", "your father"),
        place_of("female", "mother", 0, "the mother", "my mother", "your mother"),
    ]
    found = chosen(places, the_father=3, my_father=1, your_father=2, the_mother=3, my_mother=2, your_mother=1)
    assert found == [("my father", False), ("your father", True), ("your mother", False), ("my mother", True)]


def test_where_both_choose_alike_nothing_is_added_and_ties_go_to_the_first() -> None:
    places = [
        place_of("male", "father", 0, "the father", "my father"),
        place_of("female", "mother", 0, "the mother", "my mother"),
    ]
    assert chosen(places, the_father=2, my_father=2, the_mother=1, my_mother=4) == [
        ("the father", False),
        ("the mother", False),
    ]


def test_only_words_of_a_pair_are_balanced_with_each_other() -> None:
    places = [
        place_of("male", "father", 0, "the father", "my father"),
        place_of("female", "mother", 0, "the mother", "my mother"),
        place_of("male", "dad", 3, "the dad", "my dad"),
        place_of("female", "mother", 3, "the mother", "my mother"),
        place_of("neo", "xe", 0, "xe", pairs=""),
        place_of("neo", "father", 0, "the father", "my father", pairs=""),
    ]
    found = chosen(places, the_father=1, my_father=2, the_mother=1, my_mother=2, the_dad=2, my_dad=1, xe=9)
    assert found == [
        ("the father", False),
        ("the mother", False),
        ("my dad", False),
        ("the dad", True),
        ("the mother", False),
        ("my mother", True),
        ("xe", False),
        ("the father", False),
    ]
