"""EuroGEST: a file of a language with sentences in two genders, and with neutral ones; each part is a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import DataError

HEADER = "GEST_ID,Source,Stereotype_ID,Masculine,Feminine,Neutral\n"
ROWS = [
    "7,I was late.,1.0,Bol som mimo.,Bola som mimo.,",
    '8,"I like it, too.",9.0,,,"Aj mne sa to páči."',
    "9,I am a cook.,3.0,Som kuchár.,Som kuchárka.,",
]


def part(folder: Path, rows: list[str], **options: Any) -> Any:
    path = folder / "Slovak.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    return Engine(cache=None).data("eurogest", path, language="sk", **options)


def test_each_part_is_a_test(tmp_path: Path) -> None:
    gendered = part(tmp_path, ROWS)
    assert gendered.kind == "gender-pairs"
    assert [(one.male, one.female, one.stereotype) for one in gendered.pairs.rows] == [
        ("Bol som mimo.", "Bola som mimo.", 1),
        ("Som kuchár.", "Som kuchárka.", 3),
    ]
    assert gendered.notes == ("2 of the file's 3 rows are gendered.",)
    neutral = part(tmp_path, ROWS, part="neutral")
    assert neutral.kind == "samples"
    assert [(one.sentence, one.stereotype) for one in neutral.samples.rows] == [("Aj mne sa to páči.", 9)]
    assert neutral.notes == ("1 of the file's 3 rows are neutral.",)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no gendered sentence\. Read the other part: part=neutral"):
        part(tmp_path, ROWS[1:2])
    with pytest.raises(DataError, match=r"neither Masculine and Feminine nor Neutral on line 3"):
        part(tmp_path, [ROWS[0], "1,x,1.0,Bol som.,,"])
    with pytest.raises(DataError, match=r"Stereotype_ID is '17\.0' on line 2"):
        part(tmp_path, ["1,x,17.0,,,Nie."], part="neutral")
    (tmp_path / "German.csv").write_text(HEADER + ROWS[0])
    for format in ("gest", "gender-variants"):
        with pytest.raises(DataError, match=r"columns of EuroGEST\. Read it with the format eurogest"):
            Engine(cache=None).data(format, tmp_path / "German.csv", language="de")


def test_the_parts_are_measured(tmp_path: Path) -> None:
    rows = [
        row
        for n in range(6)
        for row in (
            f"{n},x,{1 + n},Bol som {n} ráz.,Bola som {n} ráz.,",
            f"1{n},x,{8 + n},Bol som tam {n}.,Bola som tam {n}.,",
        )
    ]
    test = part(tmp_path, rows)
    (found,) = Engine(cache=None).measure("gest-lm", "planted:gender=1", test)
    assert found.headline is not None
