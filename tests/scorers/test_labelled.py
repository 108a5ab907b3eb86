"""Labelled files in every form that is read, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biascore.errors import DataError, OptionsError
from biascore_emotions.labelled import Reading, read_labelled
from biascore_emotions.parts import read_data

from .conftest import rows

HEADER = "ID\tTweet\tAffect Dimension\tIntensity Score"
QUOTED = '"Unclosed, @someone said &amp; left   at once'


def official(path: Path, lines: list[str], start: bytes = b"") -> Path:
    path.write_bytes(start + ("\r\n".join([HEADER, *lines]) + "\r\n").encode())
    return path


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_the_official_files(tmp_path: Path, start: bytes) -> None:
    path = official(
        tmp_path / "anger.txt",
        [f"2017-En-1\t{QUOTED}\tanger\t0.517", "2017-En-2\tplain\tanger\t1.000"],
        start,
    )
    read = read_labelled(path, Reading())
    assert [tuple(row) for row in read.rows] == [(2, QUOTED, "anger", 0.517), (3, "plain", "anger", 1.0)]
    as_released = read_labelled(path, Reading(clean=True, decimals=2), ["Anger"])
    assert as_released.rows[0].text == '"Unclosed, said & left at once'
    assert [row.score for row in as_released.rows] == [0.51, 1.0]


def test_the_official_file_without_labels_is_named(tmp_path: Path) -> None:
    path = official(tmp_path / "test.txt", ["1\ta\tanger\tNONE", "2\tb\tanger\tNONE"])
    with pytest.raises(DataError, match=r"test\.txt has the score NONE on lines 2, 3: .* ends in test-gold"):
        read_labelled(path, Reading())


@pytest.mark.parametrize(
    ("content", "emotions", "options", "found"),
    [
        ("text,emotion,score\na,Anger,0.5\nb,joy,1\n", [], {}, [("a", "anger", 0.5), ("b", "joy", 1.0)]),
        ("text,emotion,score\na,Anger,0.5\nb,joy,1\n", ["JOY"], {}, [("b", "joy", 1.0)]),
        (
            "text,Joy,anger\na,0.5,\nb,1,0\n",
            ["anger", "joy"],
            {},
            [("b", "anger", 0), ("a", "joy", 0.5), ("b", "joy", 1)],
        ),
        (
            "s;x\na;3\nb;5\n",
            ["fear"],
            {"columns": {"text": "s", "score": "x"}, "bounds": (1, 5)},
            [("a", "fear", 0.5), ("b", "fear", 1.0)],
        ),
    ],
    ids=["long", "one of them", "wide", "named, of another range"],
)
def test_tables(
    tmp_path: Path,
    content: str,
    emotions: list[str],
    options: dict[str, Any],
    found: list[tuple[str, str, float]],
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    assert [row[1:] for row in read_labelled(path, Reading(**options), emotions).rows] == found


@pytest.mark.parametrize(
    ("content", "emotions", "message"),
    [
        ("text,emotion,score\na,joy,0.5\nb,joy,high\n", [], "'score' is no number on line 3, such as 'high'"),
        ("text,emotion,score\na,joy,nan\n", [], "'score' is no number on line 2, such as 'nan'"),
        ("text,emotion,score\na,joy,0.5\nb,joy,7\n", [], r"outside 0 to 1 on line 3 .*bounds=\(0, 7\)$"),
        ("text,emotion,score\na,joy,-1\n", [], r"the lowest is -1, .*bounds=\(-1, 1\)$"),
        ("text,emotion,score\n ,joy,0.5\n", [], "'text' is blank on line 2"),
        (
            "text,emotion\na,joy\n",
            [],
            "none called 'score'; its columns are: 'text', 'emotion'.* columns=.'score': 'NAME'.",
        ),
        ("text,emotion,score\na,joy,0.5\n", ["fear"], "has no row of 'fear'; its emotions are: 'joy'"),
        ("text,joy\na,0.5\n", ["fear"], "has no scores of 'fear'; its columns are: 'text', 'joy'"),
        ("text,joy\na,0.5\n", [], "has no column 'emotion'.* such as: emotions=.'anger'."),
        ("sentence,joy\na,0.5\n", ["joy"], "no column 'text'; .*columns=.'text': 'sentence'"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, content: str, emotions: list[str], message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message) as error:
        read_labelled(path, Reading(), emotions)
    assert str(path) in str(error.value)


def test_options_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="no column is called 'tweet'; there are text, emotion, score"):
        Reading({"tweet": "Tweet"})
    with pytest.raises(OptionsError, match="the range 1 to 0 is none"):
        Reading(bounds=(1, 0))
    for bounds in ((0, 1e308), (-1e10, 0), (0, 1e-300), (1e9 - 1e-8, 1e9)):
        with pytest.raises(OptionsError, match=r"the range .* within ±1,000,000,000, at least 1e-06 wide"):
            Reading(bounds=bounds)
    for decimals in (0, -1, 16, 10**9):
        with pytest.raises(OptionsError, match=r"cut to -?\d+ decimals.*1 to 15"):
            Reading(decimals=decimals)
    with pytest.raises(OptionsError, match="shipped:xx is no labelled set that comes with biascore"):
        read_labelled("shipped:xx", Reading())
    with pytest.raises(OptionsError, match="test_share=1 is no share"):
        read_data(["shipped:xx"], test_share=1.0)


def test_parts_are_drawn_by_seed_and_a_text_that_stands_twice_is_in_one(table: Path) -> None:
    twice = table.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([*twice, *twice[1:]]) + "\n", encoding="utf-8")
    one = read_data([table], emotions=["anger"], chooses=True).parts["anger"]
    assert (len(one.train), len(one.dev), len(one.test)) == (84, 12, 24)
    texts = [{row.text for row in part} for part in (one.train, one.dev, one.test)]
    assert not texts[0] & texts[1]
    assert not (texts[0] | texts[1]) & texts[2]
    assert one.records["test"].drawn == "0.2 of the texts of the train files, by seed 0"
    assert one == read_data([table], emotions=["anger"], chooses=True).parts["anger"]
    assert one != read_data([table], emotions=["anger"], chooses=True, seed=1).parts["anger"]
    assert not read_data([table], emotions=["anger"]).parts["anger"].dev  # nothing to choose


def test_rows_from_which_nothing_can_be_learnt(tmp_path: Path) -> None:
    def table(name: str, lines: list[str]) -> Path:
        (tmp_path / name).write_text("\n".join(["text,joy", *lines]) + "\n", encoding="utf-8")
        return tmp_path / name

    def read(train: Path, **options: Any) -> None:
        read_data([train], emotions=["joy"], **options)

    few = table("few.csv", [f"t{i},0.{i}" for i in range(9)])
    enough = table("enough.csv", [f"t{i},0.{i % 10}" for i in range(12)])
    with pytest.raises(DataError, match=r"few\.csv: 9 rows of joy are too few to train on; at least 10"):
        read(few)
    with pytest.raises(
        DataError, match=r"2 rows of joy to test on, and at least 4 are needed.*test_share=0.3"
    ):
        read(enough)
    constant = table("constant.csv", [f"t{i},0.5" for i in range(30)])
    with pytest.raises(DataError, match=r"all 24 scores of joy to train on are 0.5"):
        read(constant)
    with pytest.raises(DataError, match=r"all 30 scores of joy to test on are 0.5"):
        read(enough, test=[constant])
    warned = read_data([enough], emotions=["joy"], test=[few]).warnings
    assert warned == ("joy: 9 of 9 test texts are trained on too, so that r is too high",)
    wide = tmp_path / "wide.csv"
    lines = [f"{text},{a},{b}\n" for text, a, b in rows(20)]
    wide.write_text("".join(["text,joy,fear\n", *lines]), encoding="utf-8")
    with pytest.raises(DataError, match=r"no row of fear in few\.csv, of: 'joy'"):
        read_data([wide], emotions=["joy", "fear"], test=[few])


def test_official_files_of_several_emotions_and_parts(tmp_path: Path) -> None:
    def file(name: str, emotion: str, place: int, seed: int, start: bytes = b"") -> Path:
        lines = [f"{i}\t{row[0]}\t{emotion}\t{row[place]:.3f}" for i, row in enumerate(rows(14, seed))]
        return official(tmp_path / name, lines, start)

    train = [file("anger.txt", "anger", 1, 1), file("joy.txt", "joy", 2, 2)]
    dev = [file("anger-dev.txt", "anger", 1, 3), file("joy-dev.txt", "joy", 2, 4)]
    gold = [
        file("anger-gold.txt", "anger", 1, 5, b"\xef\xbb\xbf"),
        file("joy-gold.txt", "joy", 2, 6, b"\xef\xbb\xbf"),
    ]
    data = read_data(train, dev=dev, test=gold, chooses=True)
    assert list(data.parts) == ["anger", "joy"]
    for name, one in data.parts.items():
        assert (len(one.train), len(one.dev), len(one.test)) == (14, 14, 14)
        assert [list(one.records[part].files) for part in ("train", "dev", "test")] == [
            [f"{name}.txt"],
            [f"{name}-dev.txt"],
            [f"{name}-gold.txt"],
        ]
        assert not one.records["test"].drawn
    with pytest.raises(DataError, match=r"no row of joy in anger-gold\.txt, of: 'anger'.*emotions=.'anger'."):
        read_data(train, test=gold[:1])
