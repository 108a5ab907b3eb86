"""WinoBias from its files: what becomes of a line, and every way in which the files can be wrong."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from pydantic import ValidationError

from biascore.errors import DataError
from biascore_metrics.coreference.winobias_items import NO_OTHER, SEVERAL, UNLIKE

from .made import read_winobias, winobias_lines, write_winobias

PRO, ANTI = "pro_stereotyped_type1.txt.dev", "anti_stereotyped_type1.txt.dev"


def two_files(folder: Path, pro: list[str], anti: list[str]) -> Path:
    (folder / PRO).write_text("\n".join(pro), encoding="utf-8")
    (folder / ANTI).write_text("\n".join(anti), encoding="utf-8")
    return folder


def test_a_folder_becomes_pairs_of_both_types(tmp_path: Path) -> None:
    test = read_winobias(write_winobias(tmp_path))
    first = test.pairs.rows[0]
    assert (test.kind, test.title, len(test.pairs)) == ("winobias", "WinoBias, dev, type 1 and 2", 144)
    assert (first.item, first.part, first.problem) == ("type1/1", "type 1", "")
    assert first.pro.text == "The miner greeted the florist because he was early."
    assert (first.pro.mention, first.other, first.pro.pronoun) == ("miner", "florist", "he")
    assert (first.masculine, first.feminine, first.occupations) == ("miner", "florist", "miner and florist")
    second = test.pairs.rows[1]
    assert (second.pro.mention, second.masculine, second.feminine) == ("florist", "miner", "florist")
    assert test.file == str(tmp_path / PRO)
    assert [Path(one.file).name for one in test.read_with] == [
        ANTI, "pro_stereotyped_type2.txt.dev", "anti_stereotyped_type2.txt.dev"
    ]  # fmt: skip


def test_one_type_alone_and_the_other_split(tmp_path: Path) -> None:
    write_winobias(tmp_path, "test", (1,))
    assert read_winobias(tmp_path).title == "WinoBias, test, type 1"
    write_winobias(tmp_path, "test", (2,))
    found = read_winobias(tmp_path / "pro_stereotyped_type1.txt.test", types="2")
    assert {one.part for one in found.pairs.rows} == {"type 2"}


@pytest.mark.parametrize("kind", [1, 2])
def test_a_type_may_be_given_as_a_number(tmp_path: Path, kind: int) -> None:
    write_winobias(tmp_path)
    found = read_winobias(tmp_path, types=kind)
    assert found == read_winobias(tmp_path, types=str(kind))
    assert {one.part for one in found.pairs.rows} == {f"type {kind}"}
    with pytest.raises(ValidationError, match="Input should be 'both', '1' or '2'"):
        read_winobias(tmp_path, types=True)


@pytest.mark.parametrize(("side", "other"), [("pro", "anti"), ("anti", "pro")])
def test_a_missing_file_is_named_with_its_partner(tmp_path: Path, side: str, other: str) -> None:
    write_winobias(tmp_path)
    (tmp_path / f"{side}_stereotyped_type2.txt.dev").unlink()
    with pytest.raises(
        DataError, match=rf"{other}_stereotyped_type2.txt.dev is read with '{side}_stereotyped_type2"
    ):
        read_winobias(tmp_path)


def test_three_malformed_lines_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"has 5 malformed line\(s\): line 1 [^;]*; line 2 [^;]*; line 3 [^;]*; and 2 more"
    ):
        read_winobias(two_files(tmp_path, ["no number"] * 5, []))


def test_the_data_are_in_english(tmp_path: Path) -> None:
    write_winobias(tmp_path)
    assert read_winobias(tmp_path, language="en-US").language == "en-US"
    with pytest.raises(DataError, match=r"WinoBias is in English, and the language is given as de\. Give en"):
        read_winobias(tmp_path, language="de")


def test_packed_files_are_read(tmp_path: Path) -> None:
    for side, name in (("pro", PRO), ("anti", ANTI)):
        text = "\n".join(winobias_lines(1, side))
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert len(read_winobias(tmp_path).pairs) == 72


def test_brackets_and_spaces_as_the_published_files_have_them(tmp_path: Path) -> None:
    pro = [
        "1 The  [ miner] 's friend met the nanny and [he] lost [his] hat.",
        "2 The miner met [the nanny] as [she] left.",
    ]
    anti = [
        "1 [The miner] 's friend met the nanny and [she] lost [her] hat.",
        "2 The miner met [the nanny] as [he] left.",
    ]
    first, second = read_winobias(two_files(tmp_path, pro, anti)).pairs.rows
    assert first.pro.text == "The miner 's friend met the nanny and he lost his hat."
    assert (first.pro.mention, first.anti.mention, first.problem, second.problem) == (
        "miner",
        "miner",
        "",
        "",
    )
    assert [first.pro.text[slice(*span)] for span in first.pro.pronouns] == ["he", "his"]


def test_what_cannot_be_compared_is_named(tmp_path: Path) -> None:
    pro = [
        "1 [The miner] met the nanny because [he] waited.",
        "2 The miner met [the nanny] because [she] waited.",
        "3 [The miner] met the nanny because [he] waved.",
        "4 [The miner] met somebody because [he] waited.",
        "5 [The pilot] met the miner and the nanny when [he] waited.",
    ]
    anti = [line.replace("[he]", "[x]").replace("[she]", "[he]").replace("[x]", "[she]") for line in pro]
    anti[2] = "3 [The miner] met the nanny because [she] did."
    found = read_winobias(two_files(tmp_path, pro, anti)).pairs.rows
    assert [one.problem for one in found] == ["", "", UNLIKE, NO_OTHER, SEVERAL]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 The miner met the nanny because [he] was late.", "has 0 mentions in brackets, and needs one"),
        ("1 [The miner] met [the nanny] because [he] was late.", "has 2 mentions in brackets"),
        ("1 [The miner] met the nanny because he was late.", "has no pronoun"),
        ("1 [The miner] met the nanny because [he was late.", "has a bracket without its other half"),
        ("1 [The miner] met the nanny because [he] lost [her] hat.", "has pronouns of both genders"),
        ("1 [The miner] met the nanny because [she] was late.", "has female pronouns in both sentences"),
    ],
)
def test_a_malformed_line_costs_its_pair(tmp_path: Path, line: str, said: str) -> None:
    good = ["1 [The miner] met the nanny as [he] left.", "2 The miner met [the nanny] as [he] came."]
    anti = [one.replace("[he]", "[she]") for one in good]
    pairs = read_winobias(two_files(tmp_path, [line, good[1]], anti)).pairs
    ((where, why),) = pairs.unread
    assert (where, [one.item for one in pairs.rows]) == ("type1/1", ["type1/2"])
    assert why.startswith(said)
    assert f"Left out: 1 (type1/1 {said}" in pairs.notes[0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[The miner] met the nanny because [he] was late.", "does not begin with a number"),
        ("2 [The miner] met the nanny because [he] was late.", "has the number 2 again"),
    ],
)
def test_a_line_that_cannot_be_paired_is_an_error(tmp_path: Path, line: str, said: str) -> None:
    good = "2 [The miner] met the nanny as [he] came."
    wrong = [good, line]
    with pytest.raises(DataError, match=rf"{PRO} has 1 malformed line\(s\): line 2 {said}.*Write lines"):
        read_winobias(two_files(tmp_path, wrong, wrong))


def test_unequal_numbers_of_lines_are_an_error(tmp_path: Path) -> None:
    pro, anti = winobias_lines(1, "pro"), winobias_lines(1, "anti")
    with pytest.raises(DataError, match=r"has 72 sentences and .* 71: they are paired line by line"):
        read_winobias(two_files(tmp_path, pro, anti[:-1]))


def test_lines_of_another_order_and_pronouns_of_one_gender_are_errors(tmp_path: Path) -> None:
    pro, anti = winobias_lines(1, "pro"), winobias_lines(1, "anti")
    with pytest.raises(DataError, match=r"has the number 1 where .* has 2"):
        read_winobias(two_files(tmp_path, pro, [anti[1], anti[0], *anti[2:]]))
    with pytest.raises(DataError, match="has no usable pair: type1/1 has male pronouns in both sentences"):
        read_winobias(two_files(tmp_path, pro, pro))


def test_a_missing_counterpart_another_name_and_an_empty_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is a folder without pro_stereotyped_type1.txt.dev"):
        read_winobias(tmp_path)
    (tmp_path / PRO).write_text("\n".join(winobias_lines(1, "pro")), encoding="utf-8")
    with pytest.raises(DataError, match=rf"{PRO} is read with '{ANTI}' or '{ANTI}\.gz' of its folder, which"):
        read_winobias(tmp_path)
    (tmp_path / "mine.txt").write_text("1 [The miner] met the nanny as [he] left.", encoding="utf-8")
    with pytest.raises(DataError, match="is not called as a file of WinoBias is"):
        read_winobias(tmp_path / "mine.txt")
    two_files(tmp_path, [""], [""])
    with pytest.raises(DataError, match="has no sentence"):
        read_winobias(tmp_path)


def test_the_published_files(shared_data: Path) -> None:
    test = read_winobias(shared_data / "choices" / "winobias")
    pairs = test.pairs.rows
    assert Counter(one.part for one in pairs) == {"type 1": 396, "type 2": 396}
    # Two and nine pairs differ by more than their pronouns, and one sentence names three occupations.
    assert Counter((one.part, one.problem) for one in pairs) == {
        ("type 1", ""): 394, ("type 1", UNLIKE): 2, ("type 2", ""): 386, ("type 2", UNLIKE): 9, ("type 2", SEVERAL): 1
    }  # fmt: skip
    usable = [one for one in pairs if not one.problem]
    assert (
        len({one.masculine.lower() for one in usable}) == len({one.feminine.lower() for one in usable}) == 20
    )
    assert not {one.masculine.lower() for one in usable} & {one.feminine.lower() for one in usable}
    assert Counter(one.pro.gender for one in pairs) == {"male": 396, "female": 396}
