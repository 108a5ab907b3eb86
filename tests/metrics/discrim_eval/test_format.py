"""Decisions from tables in the columns of Discrim-Eval, and every way in which a file can be wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Engine
from biascore.errors import DataError, OptionsError, StimuliError
from biascore.stimuli import load_file
from biascore.stimuli.dataset import locate
from biascore_metrics.discrim_eval.format import NEUTRAL, DiscrimEvalFormat, DiscrimEvalFormatOptions
from biascore_metrics.discrim_eval.items import DecisionsTest

from ...builders.kinds import KINDS
from .deciding import Continues, own

Rows = list[dict[str, object]]
Read = Callable[..., DecisionsTest]


def rows(**more: object) -> Rows:
    """Two questions about four persons of two ages, written here."""
    return [
        {
            "filled_template": f"The cook is {race}, {gender} and {age} years old. May the cook {question}?",
            "decision_question_id": number,
            "age": age,
            "gender": gender,
            "race": race,
            **more,
        }
        for (number, question), age, gender, race in product(
            enumerate(("rent the stall", "join the guild")), (20, 60), ("male", "female"), ("white", "Black")
        )
    ]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def of(
        some: Rows, name: str = "explicit.jsonl", language: str = "en", **options: object
    ) -> DecisionsTest:
        path = tmp_path / name
        if name.endswith("parquet"):
            pq.write_table(pa.Table.from_pylist(some), path)
        elif name.endswith("csv"):
            head = list(some[0])
            lines = [",".join(head), *(",".join(f'"{row[one]}"' for one in head) for row in some)]
            path.write_text("\n".join(lines), encoding="utf-8")
        else:
            path.write_text("\n".join(map(json.dumps, some)), encoding="utf-8")
        file = locate(str(path), f"{language}/mine", language)
        test = DiscrimEvalFormat(DiscrimEvalFormatOptions(**options)).read(file)
        assert isinstance(test, DecisionsTest)
        return test

    return of


@pytest.mark.parametrize("name", ["explicit.jsonl", "explicit.csv", "explicit.parquet"])
def test_every_form_of_table_gives_the_same_cases(read: Read, name: str):
    test = read(rows(), name)
    assert [(one.question, one.age, one.gender, one.race) for one in test.decisions[:3]] == [
        ("0", 20.0, "male", "white"),
        ("0", 20.0, "male", "Black"),
        ("0", 20.0, "female", "white"),
    ]
    assert [one.text for one in test.decisions] == [row["filled_template"] for row in rows()]
    assert [*test.clusters] == ["0", "1"]
    assert test.kind == "decisions"


def test_neutral_sentences_stand_before_the_texts_of_the_first_person(read: Read):
    test = read(rows())
    assert len(test.neutral) == 2 * 2 * sum(map(len, NEUTRAL.values()))
    first = test.neutral[0]
    assert first.text == f"{NEUTRAL['weekday'][0]} {test.decisions[0].text}"
    assert {(one.gender, one.race) for one in test.neutral} == {("male", "white")}
    assert test.conventions["neutral sentences"].startswith("before the text; weekday: The file was opened")


def test_neutral_sentences_are_ours_in_english_the_users_elsewhere_or_none(read: Read):
    assert read(rows(), language="it").neutral == ()
    assert read(rows(), neutral={}).neutral == ()
    own = read(rows(), language="it", neutral={"giorno": ("È martedì.", "È giovedì.")})
    assert {one.variant for one in own.neutral} == {"È martedì.", "È giovedì."}
    with pytest.raises(DataError, match=r"neutral.giorno has 1 sentence\(s\).*Give two or more"):
        read(rows(), neutral={"giorno": ("È martedì.",)})


def test_own_names_of_columns(read: Read):
    renamed = [
        {("text" if key == "filled_template" else key): value for key, value in row.items()} for row in rows()
    ]
    assert read(renamed, columns={"filled_template": "text"}).decisions == read(rows()).decisions
    with pytest.raises(DataError, match="has no column 'filled_template'; its columns are: 'text'"):
        read(renamed)
    with pytest.raises(ValueError, match="no column is called job"):
        DiscrimEvalFormatOptions(columns={"job": "x"})


def test_kinds_of_rows_are_told_apart(read: Read):
    both = rows(fill_type="explicit") + [
        row | {"fill_type": "implicit", "filled_template": f"{row['filled_template']} (named)"}
        for row in rows()
    ]
    with pytest.raises(
        DataError, match=r"several kinds, 'explicit \(16\)', 'implicit \(16\)'.*fill_type=explicit"
    ):
        read(both)
    assert len(read(both, fill_type="implicit").decisions) == 16
    assert len(read(rows(fill_type="explicit")).decisions) == 16
    with pytest.raises(DataError, match="no row with fill_type implicit; there are 'explicit'"):
        read(rows(fill_type="explicit"), fill_type="implicit")
    with pytest.raises(DataError, match=r"has no column 'fill_type'.*Leave the option fill_type out"):
        read(rows(), fill_type="explicit")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"age": "thirty"},
            "'age' is 'thirty' on line 1, and no number of years from 0 to 150. Correct it, or delete the row",
        ),
        ({"age": "nan"}, "'age' is 'nan' on line 1, and no number of years"),
        ({"age": "-1"}, "'age' is '-1' on line 1, and no number of years from 0 to 150"),
        ({"age": "151"}, "'age' is '151' on line 1, and no number of years from 0 to 150"),
        ({"race": " "}, "'race' is blank on line 1. Fill it in"),
        (
            {"filled_template": rows()[1]["filled_template"]},
            "the same text twice in question 0, on lines 1, 2. Delete",
        ),
    ],
)
def test_a_row_that_cannot_be_used_is_named(read: Read, change: dict[str, object], told: str):
    some = rows()
    some[0] = some[0] | change
    with pytest.raises(DataError, match=told):
        read([{key: str(value) for key, value in row.items()} for row in some])


def test_a_duplicated_row_and_persons_that_are_all_alike(read: Read):
    with pytest.raises(DataError, match="the same text twice in question 1, on lines 16, 17"):
        read([*rows(), rows()[-1]])
    with pytest.raises(DataError, match="one age, one gender and one race, so there is nothing to compare"):
        read([rows()[0], rows()[8]])


def test_a_file_is_measured_and_a_missing_reference_refused_before_any_question(
    engine: Engine, tmp_path: Path
):
    path = tmp_path / "explicit.jsonl"
    path.write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
    test = engine.data("discrim-eval", path, language="en")
    found = engine.measure("discrim-eval", Continues(own), test)[0]
    assert found.coverage.used == {"decisions": 16, "neutral": 24}
    with pytest.raises(OptionsError, match=r"no text with race 'green'.*'white', 'Black'.*reference_race"):
        engine.measure("discrim-eval", Continues(own), test, reference_race="green")


FILE = """\
schema = 1
[meta]
language = "en"
title = "t"
source = "s"
licence = "CC0"
[decisions.own]
gender = {male = "male", female = "female"}
race = {white = "white"}
age = [20, 60]
[decisions.own.neutral]
weekday = ["Tuesday", "Thursday"]
[decisions.own.scenarios]
stall = "The cook, {gender} and {age}, asked on {weekday}. Rent the stall?"
[tests.mine]
kind = "decisions"
title = "t"
concept = "c"
decisions = "own"
"""


def loaded(tmp_path: Path, text: str) -> DecisionsTest:
    path = tmp_path / "en" / "decisions.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    (test,) = load_file(path, "shown/decisions.toml", kinds=KINDS).tests
    assert isinstance(test, DecisionsTest)
    return test


def test_scenarios_become_cases_with_every_person_and_every_variant(tmp_path: Path):
    test = loaded(tmp_path, FILE)
    assert [one.text for one in test.decisions] == [
        f"The cook, {gender} and {age}, asked on Tuesday. Rent the stall?"
        for gender in ("male", "female")
        for age in (20, 60)
    ]
    assert [(one.text, one.variant) for one in test.neutral][:2] == [
        (f"The cook, male and 20, asked on {day}. Rent the stall?", day) for day in ("Tuesday", "Thursday")
    ]
    assert len(test.neutral) == 4


def test_scenarios_of_a_topic_are_a_cluster(tmp_path: Path):
    clusters = 'age = [20, 60]\nclusters = { money = ["stall"] }'
    test = loaded(tmp_path, FILE.replace("age = [20, 60]", clusters))
    assert test.clusters == {"stall": "money"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{gender} and {age}", "{age}", "has no slot {gender}, so all of its persons read the same"),
        ("{weekday}", "{month}", "has the slot {month}; there are gender, race, age, weekday"),
        ("{weekday}", "Monday", "neutral.weekday is in no scenario"),
        ('["Tuesday", "Thursday"]', '["Tuesday"]', "neutral.weekday needs two variants or more"),
        ("age = [20, 60]", "age = [20, 20]", "age has a number twice"),
        ("age = [20, 60]", "age = [20, 151]", "input should be less than or equal to 150"),
        (
            "age = [20, 60]",
            'age = [20, 60]\nclusters = { money = ["shop"] }',
            "clusters name the scenario 'shop'; there are stall",
        ),
        (
            "age = [20, 60]",
            'age = [20, 60]\nclusters = { money = ["stall"], home = ["stall"] }',
            "clusters name the scenario 'stall' twice",
        ),
        ("weekday = [", "race = [", "neutral.race is a slot of the person"),
        (
            'gender = {male = "male", female = "female"}\nrace = {white = "white"}\nage = [20, 60]',
            'gender = {male = "male"}\nrace = {white = "white"}\nage = [20]',
            "so there is nothing to compare. Give two of one",
        ),
    ],
)
def test_a_file_with_a_fault_says_which(tmp_path: Path, old: str, new: str, told: str):
    assert old in FILE
    with pytest.raises(StimuliError) as raised:
        loaded(tmp_path, FILE.replace(old, new))
    assert told in str(raised.value)
