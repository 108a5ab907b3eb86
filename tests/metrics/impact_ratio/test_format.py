"""Tables of people, and every way in which they can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import DataError, OptionsError
from biascore.stimuli.dataset import locate
from biascore_metrics.impact_ratio.items import OutcomesFormat, OutcomesOptions, OutcomesTest, Person

TABLE = "id,sex,race,hired\np1,F, A ,0\np2,M,B,1\np3,,A,1\n"


def read(tmp_path: Path, table: str, name: str = "hires.csv", **options: object) -> OutcomesTest:
    path = tmp_path / name
    path.write_text(table, encoding="utf-8")
    given = OutcomesOptions(**({"text": "id", "groups": ["sex", "race"]} | options))
    test = OutcomesFormat(given).read(locate(str(path), "en/mine", "en"))
    assert isinstance(test, OutcomesTest)
    return test


def test_people_with_their_categories(tmp_path: Path):
    test = read(tmp_path, TABLE)
    assert test.people.rows == (Person("p1", ("F", "A")), Person("p2", ("M", "B")), Person("p3", ("", "A")))
    assert (test.people.groups, test.concept, test.title) == (
        ("sex", "race"),
        "sex and race",
        "Outcomes by sex and race, hires.csv",
    )
    assert test.to_answer() == (("text", "selected"), ("p1", "p2", "p3"))


def test_one_group_and_the_usual_column_of_texts(tmp_path: Path):
    test = read(tmp_path, TABLE.replace("id,", "text,"), text=None, groups="sex")
    assert [one.categories for one in test.people.rows] == [("F",), ("M",), ("",)]


UNKNOWN = "id,sex,race,hired\n" + "".join(
    f"p{i},{sex},A,{int(i < 40)}\n"
    for i, sex in enumerate(["F", "M"] * 40 + ["Unknown"] * 20 + ["NaN"] * 3 + [""] * 2)
)


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "unknown",
            "Prefer not to say",
            "prefer-not-to-answer",
            "I don\u2019t wish to answer",
            "Not Disclosed",
            "N/A",
        ),
        *(
            "NaN",
            "null",
            "NA",
            "<NA>",
            "-",
            "?",
            "No contesta",
            "Prefiero no decirlo",
            "NS/NC",
            "non dichiarato",
        ),
        *(
            "n.d.",
            "Non pr\u00e9cis\u00e9",
            "non precise",
            "keine Angabe",
            "k.A.",
            "Nie podano",
            "brak danych",
        ),
        *("N\u00e3o informado", "nao informado", "DESCONHECIDO"),
    ],
)
def test_cells_that_state_no_category(tmp_path: Path, cell: str):
    people = read(tmp_path, TABLE.replace("p3,,", f"p3,{cell},")).people
    assert people.rows[2] == Person("p3", ("", "A"), (cell, ""))
    assert [one for one in people.unstated if one[1] == "p3"] == [(people.groups[0], "p3", cell)]


@pytest.mark.parametrize("cell", ["ND", "NC", "None", "Other", "X", "Nonbinary", "No", "Mixed", "Namibia"])
def test_words_that_are_categories_of_their_own(tmp_path: Path, cell: str):
    assert read(tmp_path, TABLE.replace("p3,,", f"p3,{cell},")).people.rows[2].categories == (cell, "A")


def test_the_users_own_values_replace_the_list(tmp_path: Path):
    table = TABLE.replace("p3,,A", "p3,Unknown,B").replace("M,B", "M,tbc")
    assert read(tmp_path, table, not_stated=["TBC", "?"]).people.rows == (
        Person("p1", ("F", "A")),
        Person("p2", ("M", ""), ("", "tbc")),
        Person("p3", ("Unknown", "B")),
    )
    every = read(tmp_path, table, not_stated=[]).people.rows
    assert [one.categories for one in every] == [("F", "A"), ("M", "tbc"), ("Unknown", "B")]
    assert [one.categories for one in read(tmp_path, TABLE, not_stated=[]).people.rows][2] == ("", "A")


@pytest.mark.parametrize(
    ("options", "verdict", "smallest"),
    [({}, "inconclusive", 1.0), ({"not_stated": []}, "detected", 0.0)],
)
def test_people_of_unknown_sex_are_no_category_that_bias_is_against(
    engine: Engine, tmp_path: Path, options: dict[str, list[str]], verdict: str, smallest: float
):
    path = tmp_path / "hires.csv"
    path.write_text(UNKNOWN, encoding="utf-8")
    test = engine.data("outcomes", str(path), language="en", text="id", groups=["sex"], **options)
    with engine.model(f"answers:{path}", text="id") as model:
        found = engine.measure("impact-ratio", model, test, quantity="hired", draws=2000)[0]
    assert found.verdict == verdict
    assert found.headline.value == smallest
    lost = dict(found.coverage.given)["sex"] - dict(found.coverage.used)["sex"]
    assert lost == (25 if not options else 2)
    told = "25 of 105 people have no sex stated (Unknown 20, NaN 3, blank 2), and count in none"
    assert any(text.startswith(told) for text in found.warnings) is not bool(options)


def test_a_column_of_clusters(tmp_path: Path):
    table = "id,sex,race,opening,cluster\np1,F,A,x,1\np2,M,B,y,1\np3,F,B,y,2\n"
    named = read(tmp_path, table, cluster="opening").people
    assert (named.cluster, [one.cluster for one in named.rows]) == ("opening", ["x", "y", "y"])
    usual = read(tmp_path, table).people
    assert (usual.cluster, [one.cluster for one in usual.rows]) == ("cluster", ["1", "1", "2"])
    assert read(tmp_path, TABLE).people.cluster == ""
    with pytest.raises(DataError, match="all people are of one 'opening', 'x', so nothing shows"):
        read(tmp_path, table.replace(",y,", ",x,"), cluster="opening")
    with pytest.raises(DataError, match="'opening' is blank on line 2"):
        read(tmp_path, table.replace(",x,", ",,"), cluster="opening")


def test_more_and_fewer_people(tmp_path: Path):
    from biascore.stimuli.resizing import Resizing

    people = read(tmp_path, TABLE).resized(Resizing(3)).people.rows
    assert len(people) == len({one.text for one in people}) == 9


@pytest.mark.parametrize(
    ("table", "options", "problem"),
    [
        (TABLE, {"groups": ["sex", "age"]}, r"has no column 'age'; its columns are: .* Name your columns"),
        (TABLE, {"text": "name"}, "has no column 'name'"),
        (
            TABLE,
            {"text": None},
            r"has none of the columns 'text', 'sentence'.*-o data.text=id -o model.text=id",
        ),
        (TABLE, {"text": "sex"}, "'sex' is named as text and as a group"),
        (TABLE.replace("p2", "p1"), {}, "'p1' is the id of two people, on lines 2, 3. Give each an id"),
        (TABLE.replace("p2", " "), {}, "'id' is blank on line 3"),
        (
            TABLE.replace("M,B", "F,B"),
            {},
            "everybody with a 'sex' has the same, 'F', so nobody can be compared",
        ),
        ("id,sex,race\np1,,A\np2,,B\n", {}, "everybody with a 'sex' has the same, none, so"),
        (
            TABLE.replace("p2,M", "p2,['M']"),
            {},
            r"sex is \"\['M'\]\" on line 3, which is a list of Python or JSON",
        ),
        ("id,sex,race,hired\n", {}, "has a header and no rows"),
        ("", {}, "is empty"),
        (
            "id,sex,race\n" + "".join(f"p{i},{i},{i % 2}\n" for i in range(300)),
            {},
            "'sex' has 300 different values, such as '0', '1', '2'. Name a column of categories, 200 at most",
        ),
        (
            TABLE.replace("p3,,", "p3, m ,"),
            {},
            "sex is 'M' on line 3, and 'm' on line 4, which differ in case or spaces alone. Write both alike",
        ),
    ],
    ids=[
        *("no group", "no id", "unnamed id", "id as group", "twice", "blank id", "one category"),
        *("empty categories", "literals", "no rows", "empty", "ages", "in other case"),
    ],
)
def test_wrong_tables(tmp_path: Path, table: str, options: dict[str, object], problem: str):
    with pytest.raises(DataError, match=problem):
        read(tmp_path, table, **options)


@pytest.mark.parametrize("groups", [[], ["sex", "sex"]])
def test_wrong_groups(tmp_path: Path, groups: list[str]):
    with pytest.raises((OptionsError, ValueError), match="groups"):
        read(tmp_path, TABLE, groups=groups)


def test_groups_not_given():
    with pytest.raises(ValueError, match=r"groups is missing: .*\(-o 'data.groups=\[\"sex\", \"race\"\]'\)"):
        OutcomesOptions.model_validate({"text": "id"})
    # Of a wrong name the engine tells the right one.
    with pytest.raises(ValueError, match=r"group\n.*Extra inputs"):
        OutcomesOptions.model_validate({"group": ["sex"]})
