"""StereoSet from its file: what becomes of an example, and every way in which the file can be wrong."""

from __future__ import annotations

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
def test_a_malformed_example_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    examples = [example(0, "aunt", "intrasentence", **changes), example(1, "aunt", "intrasentence")]
    with pytest.raises(
        DataError,
        match=rf"data.intrasentence: 1 malformed example\(s\): example 1 .*{said}.*Correct the file",
    ):
        read(write(tmp_path, {"data": {"intrasentence": examples}}))


def test_an_id_twice_is_an_error(tmp_path: Path) -> None:
    examples = [example(0, "aunt", "intrasentence"), example(0, "miner", "intrasentence")]
    with pytest.raises(
        DataError, match=r"2 malformed example\(s\): example 1 has the id 'e0', as another one has"
    ):
        read(write(tmp_path, {"data": {"intrasentence": examples}}))


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


def test_three_malformed_examples_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    examples = [example(i, "aunt", "intrasentence", context="no blank") for i in range(5)]
    with pytest.raises(
        DataError, match=r": 5 malformed example\(s\): .*; example 3 [^;]*; and 2 more\. Correct"
    ):
        read(write(tmp_path, {"data": {"intrasentence": examples}}))


def test_the_data_are_in_english(tmp_path: Path) -> None:
    path = write(tmp_path, document())
    assert read(path, language="en-US").language == "en-US"
    with pytest.raises(
        DataError, match=r"StereoSet is in English, and the language is given as de\. Give en"
    ):
        read(path, language="de")
