"""Winogender from its templates: the sentences as published, and every way in which the files can be wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from biascore.errors import DataError
from biascore_metrics.coreference.winogender_items import GENDERS, WinogenderTest

from .made import SHARES, name_sectors, read_winogender, winogender_rows, write_winogender


def test_templates_become_sentences(tmp_path: Path) -> None:
    test = read_winogender(write_winogender(tmp_path))
    named, someone, *_ = test.samples.rows
    assert len(test.samples) == 4 * len(SHARES)
    assert named.sentences == (
        "The miner told the visitor that he was almost ready.",
        "The miner told the visitor that she was almost ready.",
        "The miner told the visitor that they were almost ready.",
    )
    assert someone.sentences[1] == "The miner told someone that she was almost ready."
    assert (named.item, named.occupation_is_right, named.women) == ("miner.visitor.0", True, 4.0)
    later = test.samples.rows[3]
    assert later.sentences[0] == "Someone asked the miner to return his umbrella."
    assert (later.pronouns, later.occupation_is_right) == (("his", "her", "their"), False)
    assert [Path(one.file).name for one in test.read_with] == ["occupations-stats.tsv"]


def test_which_majority_misleads(tmp_path: Path) -> None:
    schemas = {one.item: one for one in read_winogender(write_winogender(tmp_path)).samples.rows}
    right, wrong = schemas["miner.visitor.0"], schemas["miner.visitor.1"]
    assert [right.gotcha(gender) for gender in GENDERS] == [False, True, False]
    assert [wrong.gotcha(gender) for gender in GENDERS] == [True, False, False]
    nanny = schemas["nanny.visitor.0"]
    assert [nanny.gotcha(gender) for gender in GENDERS] == [True, False, False]


def test_the_other_column_of_shares(tmp_path: Path) -> None:
    test = read_winogender(write_winogender(tmp_path), women="bergsma_pct_female")
    assert {one.women for one in test.samples.rows} == {50.0}


def test_sectors_are_named_for_all_occupations_or_for_none(tmp_path: Path) -> None:
    assert {one.sector for one in read_winogender(write_winogender(tmp_path)).samples.rows} == {""}
    name_sectors(tmp_path, *["care", "craft"] * 6)
    sectors = {one.occupation: one.sector for one in read_winogender(tmp_path).samples.rows}
    assert (sectors["miner"], sectors["nanny"]) == ("care", "craft")
    name_sectors(write_winogender(tmp_path), "care", *[""] * 11)
    with pytest.raises(DataError, match=r"has no cluster for 'pilot'.*and has one for others"):
        read_winogender(tmp_path)


def refused(
    tmp_path: Path, said: str, rows: list[str] | None = None, shares: list[str] | None = None
) -> None:
    with pytest.raises(DataError, match=said):
        read_winogender(write_winogender(tmp_path, rows, shares))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("miner\tvisitor\t2\tThe $OCCUPATION told the $PARTICIPANT that $NOM_PRONOUN left.", "answer is '2'"),
        (
            "miner\tvisitor\t0\tThe miner told the $PARTICIPANT that $NOM_PRONOUN left.",
            r"has not \$OCCUPATION and",
        ),
        ("miner\tvisitor\t0\tThe $OCCUPATION told the $PARTICIPANT that he left.", r"has 0 of \$NOM_PRONOUN"),
        ("miner\tvisitor\t0\t", "'sentence' is blank on line 2"),
        ("miner\tvisitor\t0", r"1 malformed row\(s\): line 2 has 3 fields"),
        (
            "typist\tvisitor\t0\tThe $OCCUPATION told the $PARTICIPANT that $NOM_PRONOUN left.",
            "no share of women for 'typist'",
        ),
    ],
)
def test_a_malformed_template_is_named_with_its_line(tmp_path: Path, row: str, said: str) -> None:
    refused(tmp_path, said, [row, *winogender_rows()[2:]])


def test_a_template_twice_is_an_error(tmp_path: Path) -> None:
    rows = winogender_rows()
    refused(tmp_path, "line 26: miner visitor 0 is there again", [*rows, rows[0]])


@pytest.mark.parametrize(
    ("share", "said"),
    [
        ("miner\t1\t140\t2015", "'140' on line 2, which is no percentage"),
        ("miner\t1\tfew\t2015", "'few' on line 2"),
    ],
)
def test_a_share_that_is_no_percentage_is_an_error(tmp_path: Path, share: str, said: str) -> None:
    refused(tmp_path, said, shares=[share])


def test_a_share_twice_other_columns_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    refused(tmp_path, "has 'miner' again on line 3", shares=["miner\t1\t4\t2015", "miner\t1\t5\t2015"])
    (tmp_path / "templates.tsv").write_text("job\tother\nminer\tvisitor\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"has no column 'occupation\(0\)'.*Give templates.tsv"):
        read_winogender(tmp_path)
    write_winogender(tmp_path)
    (tmp_path / "occupations-stats.tsv").unlink()
    with pytest.raises(DataError, match=r"is read with 'occupations-stats.tsv' or 'occ.*\.gz' of its folder"):
        read_winogender(tmp_path)


def test_the_data_are_in_english(tmp_path: Path) -> None:
    write_winogender(tmp_path)
    assert read_winogender(tmp_path, language="en-US").language == "en-US"
    with pytest.raises(
        DataError, match=r"Winogender is in English, and the language is given as de\. Give en"
    ):
        read_winogender(tmp_path, language="de")


def published(shared_data: Path) -> WinogenderTest:
    return read_winogender(shared_data / "choices" / "winogender")


def test_the_720_sentences_are_the_published_ones(shared_data: Path) -> None:
    path = shared_data / "choices" / "winogender" / "all_sentences.tsv.gz"
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()[1:]
    wanted = dict(line.split("\t") for line in lines)
    made = {
        f"{schema.item}.{gender}.txt": sentence
        for schema in published(shared_data).samples.rows
        for gender, sentence in zip(GENDERS, schema.sentences, strict=True)
    }
    assert len(made) == 720
    assert made == wanted
