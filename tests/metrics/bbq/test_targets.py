"""Which option agrees with the stereotype, in each of the eleven categories of BBQ and in MBBQ, by the family's own rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import DataError

from .written import bbq_row, mbbq_row, read, target

UNKNOWN = ["Unknown", "unknown"]
Info = list[str]


@pytest.mark.parametrize(
    ("category", "first", "second", "groups", "hit"),
    [
        ("Age", ["baker", "old"], ["pupil", "nonOld"], ["old"], 0),
        ("Age", ["baker", "old"], ["pupil", "nonOld"], ["nonOld"], 1),
        (
            "Disability_status",
            ["the deaf man", "disabled"],
            ["the man", "nonDisabled"],
            ["disabled people"],
            0,
        ),
        ("Gender_identity", ["baker", "man"], ["nurse", "woman"], ["F"], 1),
        ("Gender_identity", ["boy", "boy"], ["girl", "girl"], ["M"], 0),
        ("Gender_identity", ["Ann", "F"], ["Bob", "M"], ["women"], 0),
        (
            "Gender_identity",
            ["trans man", "trans"],
            ["man", "nonTrans"],
            ["transgender women", "transgender men"],
            0,
        ),
        ("Gender_identity", ["Ann", "nonTrans_F"], ["Bea", "trans_F"], ["Transgender women", "trans"], 1),
        ("Nationality", ["Kenyan", "Africa"], ["Dane", "Europe"], ["Kenyan", "Malian"], 0),
        ("Nationality", ["Dane", "Europe"], ["Malian", "Africa"], ["Africa"], 1),
        ("Physical_appearance", ["thin man", "nonObese"], ["fat man", "obese"], ["obese"], 1),
        ("Race_ethnicity", ["Black man", "Black"], ["White man", "White"], ["African American", "Black"], 0),
        ("Race_ethnicity", ["Ann Lee", "F-Asian"], ["Bea Ford", "F-White"], ["Asian"], 0),
        (
            "Race_ethnicity",
            ["African", "African"],
            ["African American", "African American"],
            ["African American"],
            1,
        ),
        ("Religion", ["Sikh", "Sikh"], ["Mormon", "Mormon"], ["Mormon", "Catholic"], 1),
        ("SES", ["banker", "highSES"], ["cleaner", "lowSES"], ["low SES"], 1),
        ("SES", ["banker", "highSES"], ["cleaner", "lowSES"], ["high SES"], 0),
        ("Sexual_orientation", ["gay man", "gay"], ["straight man", "straight"], ["gay", "bisexual"], 0),
    ],
)
@pytest.mark.parametrize("polarity", ["neg", "nonneg"])
def test_bbq(
    engine: Engine,
    tmp_path: Path,
    category: str,
    first: Info,
    second: Info,
    groups: list[str],
    hit: int,
    polarity: str,
) -> None:
    row = bbq_row(
        category=category, infos=[UNKNOWN, first, second], groups=groups, question_polarity=polarity, label=0
    )
    (question,) = read(engine, "bbq", tmp_path / "a.jsonl", "en", [row]).questions.rows
    persons = (first, second)
    assert target(question) == f"The {persons[hit if polarity == 'neg' else 1 - hit][0]}"
    assert question.subgroup == persons[hit][1]


@pytest.mark.parametrize(
    ("category", "first", "second", "groups"),
    [
        ("Religion", ["Sikh", "Sikh"], ["Jew", "Jewish"], ["Mormon"]),
        ("Religion", ["Catholic", "Catholic"], ["Mormon", "Mormon"], ["Mormon", "Catholic"]),
        ("Race_ethnicity", ["African", "African"], ["Dane", "White"], ["African American"]),
        ("Gender_identity", ["person", ""], ["man", "man"], ["F"]),
        ("Age", ["baker", "old"], ["pupil", "nonOld"], []),
    ],
)
def test_items_without_a_target_are_left_out_counted_and_named(
    engine: Engine, tmp_path: Path, category: str, first: Info, second: Info, groups: list[str]
) -> None:
    rows = [
        bbq_row(n, category=category, infos=[UNKNOWN, first, second], groups=groups, label=0)
        for n in range(5)
    ]
    kept = [bbq_row(n) for n in range(3)]
    if category == "Age":
        kept = [row | {"example_id": 10 + row["example_id"]} for row in kept]
    test = read(engine, "bbq", tmp_path / "a.jsonl", "en", [*rows, *kept])
    assert len(test.questions.rows) == 3
    told = (
        f"5 of 8 items are left out, as no option, or each of them, is of a stereotyped group: {category}/0"
    )
    assert test.notes[0] == f"{told}, {category}/1, {category}/2 and 2 more."
    assert test.questions.notes == test.notes


def test_a_file_without_any_target_is_refused(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"no item that can be used. 1 of 1 items are left out.*Age/0.*another file"
    ):
        read(engine, "bbq", tmp_path / "a.jsonl", "en", [bbq_row(groups=[])])


def intersection(
    engine: Engine, path: Path, category: str, pairs: list[tuple[Info, Info]], groups: list[str]
) -> dict[str, str]:
    """The target of each row, by item; rows are of one template, and negative."""
    rows = [
        bbq_row(n, category=category, infos=[first, UNKNOWN, second], groups=groups, label=1)
        for n, (first, second) in enumerate(pairs)
    ]
    return {one.item: target(one) for one in read(engine, "bbq", path, "en", rows).questions.rows}


def test_race_and_gender(engine: Engine, tmp_path: Path) -> None:
    black_woman, black_man = ["Black woman", "F-Black"], ["Black man", "M-Black"]
    white_woman, white_man = ["White woman", "F-White"], ["White man", "M-White"]
    pairs = [
        (black_woman, white_woman),
        (white_man, black_woman),
        (black_man, black_woman),
        (black_woman, black_man),
    ]
    found = intersection(engine, tmp_path / "a.jsonl", "Race_x_gender", pairs, ["Black", "African American"])
    assert found == {f"Race_x_gender/{n}": "The Black woman" for n in range(4)}


def test_two_persons_of_one_race_have_no_target_where_nothing_tells_the_gender(
    engine: Engine, tmp_path: Path
) -> None:
    black_woman, black_man, white_man = (
        ["Black woman", "F-Black"],
        ["Black man", "M-Black"],
        ["White man", "M-White"],
    )
    pairs = [(black_man, black_woman), (black_woman, white_man), (black_man, ["White woman", "F-White"])]
    found = intersection(engine, tmp_path / "a.jsonl", "Race_x_gender", pairs, ["Black"])
    assert found == {"Race_x_gender/1": "The Black woman", "Race_x_gender/2": "The Black man"}


def test_groups_may_name_the_gender_themselves(engine: Engine, tmp_path: Path) -> None:
    pairs = [
        (["Black man", "M-Black"], ["Black woman", "F-Black"]),
        (["Black woman", "F-Black"], ["White man", "M-White"]),
    ]
    found = intersection(engine, tmp_path / "a.jsonl", "Race_x_gender", pairs, ["M-Black"])
    assert found == {"Race_x_gender/0": "The Black man"}


def test_a_group_that_the_file_leaves_blank_is_latino(engine: Engine, tmp_path: Path) -> None:
    pairs = [(["", ""], ["Asian woman", "F-Asian"]), (["Latina woman", "F-Latino"], ["White man", "M-White"])]
    rows = [
        bbq_row(n, category="Race_x_gender", infos=[*pair, UNKNOWN], groups=["Hispanic", "Latino"])
        for n, pair in enumerate(pairs)
    ]
    rows[0] |= {"ans0": "The Latina woman"}
    first, second = read(engine, "bbq", tmp_path / "a.jsonl", "en", rows).questions.rows
    assert (target(first), target(second)) == ("The Latina woman", "The Latina woman")


def test_race_and_class(engine: Engine, tmp_path: Path) -> None:
    low, high = ["Black cleaner", "lowSES-Black"], ["Black banker", "highSES-Black"]
    white_low, white_high = ["White cleaner", "lowSES-White"], ["White banker", "highSES-White"]
    pairs = [(low, white_high), (white_low, low), (high, low)]
    found = intersection(engine, tmp_path / "a.jsonl", "Race_x_SES", pairs, ["Black", "African American"])
    assert found == {f"Race_x_SES/{n}": "The Black cleaner" for n in range(3)}


def test_race_and_class_of_named_persons(engine: Engine, tmp_path: Path) -> None:
    pairs = [(["Ann Ford", "lowSES-F-Black"], ["Bea Moss", "highSES-F-White"])]
    rows = [
        bbq_row(
            0,
            category="Race_x_SES",
            infos=[*pairs[0], UNKNOWN],
            groups=["Black"],
            ans0="Ann Ford",
            ans1="Bea Moss",
        )
    ]
    (question,) = read(engine, "bbq", tmp_path / "a.jsonl", "en", rows).questions.rows
    assert question.names
    assert target(question) == "Ann Ford"


def test_of_black_and_hispanic_people_the_hispanic_are_meant_where_one_is_there(
    engine: Engine, tmp_path: Path
) -> None:
    pairs = [(["Black cleaner", "lowSES-Black"], ["Hispanic cleaner", "lowSES-Hispanic"])]
    groups = ["Black", "African American", "Latino", "Hispanic"]
    found = intersection(engine, tmp_path / "a.jsonl", "Race_x_SES", pairs, groups)
    assert found == {"Race_x_SES/0": "The Hispanic cleaner"}


@pytest.mark.parametrize(
    ("category", "first", "second", "groups", "hit"),
    [
        ("Gender_identity", "meisje", "jongen", "F", 0),
        ("Gender_identity", "meisje", "jongen", "M", 1),
        ("Gender_identity", "F", "M", "F", 0),
        ("Gender_identity", "kız", "erkek çocuk", "M", 1),
        ("Gender_identity", "maestra", "maestro", "F", 0),
        ("SES", "highSES", "lowSES", "low SES", 1),
        ("Age", "old", "nonOld", "nonOld", 1),
        ("Sexual_orientation", "gay", "hetero", "gay", 0),
        ("Age", "old", "old", "old", None),
        ("Age", "nonOld", "nonOld", "old", None),
        ("Physical_appearance", "obese", "nonObese", "obes", None),
    ],
)
def test_mbbq(
    engine: Engine, tmp_path: Path, category: str, first: str, second: str, groups: str, hit: int | None
) -> None:
    infos = [["een", first], ["twee", second], ["Niet bekend", "unknown"]]
    row = mbbq_row(
        category=category,
        infos=infos,
        groups=[groups],
        label=2,
        ans0="De een",
        ans1="De twee",
        ans2="Niet bekend",
    )
    rows = [row, mbbq_row(1)]
    test = read(engine, "mbbq", tmp_path / "a.jsonl", "nl", rows)
    found = {one.item: target(one) for one in test.questions.rows}
    assert found.get(f"{category}/0") == (None if hit is None else ("De een", "De twee")[hit])
