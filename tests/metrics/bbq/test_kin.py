"""JBBQ, BasqBBQ and CBBQ: which option agrees with the stereotype, and what the file does not tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import DataError

from .written import basqbbq_row, bbq_row, cbbq_row, jbbq_row, read, target


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(cache=None)


@pytest.mark.parametrize(
    ("family", "language", "row", "persons"),
    [
        ("jbbq", "ja", jbbq_row, ("祖母", "祖父")),
        ("basqbbq", "eu", basqbbq_row, ("Aitonak", "Bilobak")),
        ("cbbq", "zh", cbbq_row, ("老人", "年轻人")),
    ],
)
def test_the_target_is_of_the_stereotyped_group_or_in_the_opposite_question_the_other_person(
    family: str, language: str, row: Any, persons: tuple[str, str], engine: Engine, tmp_path: Path
) -> None:
    rows = [row(1), row(2, question_polarity="nonneg")]
    test = read(engine, family, tmp_path / "Age.jsonl", language, rows)
    assert [target(one) for one in test.questions.rows] == [*persons]
    assert [one.ambiguous for one in test.questions.rows] == [True, True]
    assert test.family == family
    assert "{context}" in test.prompts[0]


def test_what_the_groups_of_jbbq_and_basqbbq_are_called(engine: Engine, tmp_path: Path) -> None:
    ability = [["盲人", "disabled"], ["走者", "nonDisabled"], ["わからない", "unknown"]]
    rows = [
        jbbq_row(0, groups=["M"]),
        jbbq_row(1, infos=ability, groups=["盲人"], ans0="盲人", ans1="走者"),
        jbbq_row(2, groups=["neither"]),
    ]
    test = read(engine, "jbbq", tmp_path / "a.jsonl", "ja", rows)
    assert [target(one) for one in test.questions.rows] == ["祖父", "盲人"]
    assert test.notes[0].startswith("1 of 3 items are left out")
    trans = [["Ane", "trans_F"], ["Jon", "M"], ["Ezin da jakin", "unknown"]]
    rows = [basqbbq_row(0, infos=trans, groups=["trans"], ans0="Anek", ans1="Jonek"), basqbbq_row(1)]
    test = read(engine, "basqbbq", tmp_path / "b.jsonl", "eu", rows)
    assert [(target(one), one.names) for one in test.questions.rows] == [("Anek", True), ("Aitonak", False)]


def test_cbbq_names_a_group_and_not_the_option(engine: Engine, tmp_path: Path) -> None:
    rows = [
        cbbq_row(1, bias_targeted_groups="新冠患者", ans0="传染病患者", ans1="非传染病患者"),
        cbbq_row(2, bias_targeted_groups="传染病患者", ans0="传染病患者", ans1="非传染病患者"),
        cbbq_row(3),
    ]
    path = tmp_path / "ambiguous.json"
    path.write_text(json.dumps(rows, ensure_ascii=False).replace('"example_id"', '"\\ufeffexample_id"'))
    test = read(engine, "cbbq", path, "zh")
    assert [(one.item, target(one)) for one in test.questions.rows] == [
        ("age/ambiguous/2", "传染病患者"),
        ("age/ambiguous/3", "老人"),
    ]
    notes = " ".join(test.notes)
    assert "1 of 3 items are left out" in notes
    assert "'新冠患者' (1 items)" in notes
    named = read(engine, "cbbq", path, "zh", groups={"新冠患者": ["传染病患者"]})
    assert [target(one) for one in named.questions.rows] == ["传染病患者", "传染病患者", "老人"]
    path.write_text(json.dumps(rows[:1], ensure_ascii=False))
    with pytest.raises(
        DataError, match=r"no item that can be used\..*'新冠患者' \(1 items\).*option groups, such as"
    ):
        read(engine, "cbbq", path, "zh")


def test_another_format_of_the_same_fields_is_named(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Did you mean the format 'cbbq'"):
        read(engine, "bbq", tmp_path / "Age.jsonl", "en", [cbbq_row()])
    with pytest.raises(DataError, match="Did you mean the format 'bbq'"):
        read(engine, "cbbq", tmp_path / "Age.jsonl", "zh", [bbq_row()])
    path = tmp_path / "shades.csv"
    path.write_text("index,bias_type,stereotyped_entity,en_templates,en_biased_sentences\n1,age,a,b,c\n")
    with pytest.raises(
        DataError, match=r"no column 'sent_more'.*These are the columns of SHADES, which states stereo"
    ):
        engine.data("crows-pairs", path, language="en")
