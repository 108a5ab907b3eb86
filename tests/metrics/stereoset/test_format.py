"""StereoSet from its file: what becomes of an example, and every way in which the file can be wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from biascore.errors import DataError

from .made import document, example, read, write


def test_examples_become_triples_in_the_order_of_labels(tmp_path: Path) -> None:
    test = read(write(tmp_path, document()))
    first = test.samples.rows[0]
    assert (test.kind, test.part, test.title, len(test.samples)) == (
        "stereoset",
        "intrasentence",
        "StereoSet, intrasentence",
        20,
    )
    assert (first.item, first.target, first.domain) == ("e0", "florist", "profession")
    assert first.words == ("careless", "thorough", "purple")
    assert first.filled(1) == "The florist of house 0 is thorough."
    assert first.filled(1)[first.start :] == "thorough."
    assert test.notes == ("20 examples of 5 target terms, intrasentence.",)


def test_second_sentences_have_no_blank(tmp_path: Path) -> None:
    test = read(write(tmp_path, document()), part="intersentence")
    first = test.samples.rows[0]
    assert (first.context, first.words) == ("A florist moved into house 0.", ())
    assert first.sentences[0] == "They are careless there."


def test_the_word_is_what_stands_at_the_place_of_the_blank_without_punctuation(tmp_path: Path) -> None:
    sentences = [
        {"id": "1", "sentence": "My aunt, a careless-driver!, waved.", "gold_label": "stereotype"},
        {"id": "2", "sentence": "My aunt, a star!, waved.", "gold_label": "anti-stereotype"},
        {"id": "3", "sentence": "My aunt, a cloud!, waved.", "gold_label": "unrelated"},
    ]
    one = example(0, "aunt", "intrasentence", context="My aunt, a BLANK!, waved.", sentences=sentences)
    (found,) = read(write(tmp_path, {"data": {"intrasentence": [one]}})).samples.rows
    assert found.words == ("carelessdriver", "star", "cloud")  # as the published code strips it


def changed(place: int, **values: Any) -> list[dict[str, Any]]:
    sentences: list[dict[str, Any]] = example(0, "aunt", "intrasentence")["sentences"]
    return [{**one, **values} if i == place else one for i, one in enumerate(sentences)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"context": "The aunt of house 0 is kind."}, r"\(e0\) has 0 BLANK in its context, and needs one"),
        ({"context": "BLANK and BLANK"}, r"\(e0\) has 2 BLANK in its context"),
        (
            {"context": "The aunt of house 0 is very, very, very BLANK."},
            "without a word where its context has BLANK",
        ),
        ({"bias_type": ""}, "has not the texts id, target, bias_type, context"),
        ({"sentences": changed(0, gold_label="neutral")}, "whose gold_label is 'neutral'"),
        ({"sentences": changed(0, sentence=" ")}, "or which is blank"),
        (
            {"sentences": changed(0, gold_label="stereotype")},
            "has two sentences of the gold_label 'stereotype'",
        ),
        ({"sentences": changed(0)[:2]}, "has not a sentence each of stereotype, anti-stereotype, unrelated"),
        ({"sentences": None}, "has not a sentence each of"),
    ],
)
def test_a_malformed_example_costs_that_example(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    examples = [example(0, "aunt", "intrasentence", **changes), example(1, "aunt", "intrasentence")]
    samples = read(write(tmp_path, {"data": {"intrasentence": examples}})).samples
    ((where, why),) = samples.unread
    assert (where, [one.item for one in samples.rows]) == ("example 1", ["e1"])
    assert re.search(said, why)
    assert "Left out: 1 (example 1 " in samples.notes[0]


def test_an_id_twice_costs_both(tmp_path: Path) -> None:
    numbers = [(0, "aunt"), (0, "miner"), (1, "miner")]
    examples = [example(number, target, "intrasentence") for number, target in numbers]
    samples = read(write(tmp_path, {"data": {"intrasentence": examples}})).samples
    assert [one.item for one in samples.rows] == ["e1"]
    assert [where for where, _ in samples.unread] == ["example 1", "example 2"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is no valid JSON"),
        ("[1]", "it has no data"),
        ({"data": {"intersentence": []}}, "it has 'intersentence'"),
        ({"data": {"intrasentence": ["a"]}}, "example 1 is no object"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(write(tmp_path, content))


@pytest.mark.parametrize(
    ("part", "other"), [("intrasentence", "intersentence"), ("intersentence", "intrasentence")]
)
def test_of_an_empty_part_the_other_one_is_advised(tmp_path: Path, part: str, other: str) -> None:
    with pytest.raises(DataError, match=rf"has no examples in data.{part}; .* -o data.part={other}\)"):
        read(write(tmp_path, {"data": {part: []}}), part=part)


def test_a_file_without_a_usable_example_is_refused_with_three_reasons(tmp_path: Path) -> None:
    examples = [example(i, "aunt", "intrasentence", context="no blank") for i in range(5)]
    with pytest.raises(DataError, match=r"has no usable example: .*; example 3 [^;]*; and 2 more\. Give"):
        read(write(tmp_path, {"data": {"intrasentence": examples}}))


def test_other_languages_have_the_same_layout(tmp_path: Path) -> None:
    path = write(tmp_path, document())
    assert [read(path, language=tag).language for tag in ("en-US", "de")] == ["en-US", "de"]
