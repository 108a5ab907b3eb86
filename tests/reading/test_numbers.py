"""Numbers in tables that people bring: decimal commas, whole numbers with a point, and workbooks that are no tables."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import DataError, ModelLoadError
from biascore.files.tables import read_table
from biascore_emotions.labelled import Reading, read_labelled

BOM = "\ufeff"


def excel(*lines: str) -> bytes:
    """A file as a German Excel saves it: BOM, CRLF."""
    return (BOM + "".join(f"{line}\r\n" for line in lines)).encode()


@pytest.mark.parametrize("separator", [";", "\t"])
def test_scores_with_decimal_commas(separator: str, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "de.csv"
    lines = ("sentence;anger;joy", "Ich bin's;0,53;1", "Ja, du;-1,5E-2;,25", "Oh;;2")
    path.write_bytes(excel(*(line.replace(";", separator) for line in lines)))
    for options in ({}, {"quantities": {"anger": "anger", "joy": "joy"}}):
        model = engine.model(f"answers:{path}", **options)
        assert model.identity.quantities == ("anger", "joy")
        assert model.score(["Ich bin's", "Ja, du"], "anger").tolist() == [0.53, -0.015]
        assert model.score(["Ich bin's", "Ja, du", "Oh"], "joy").tolist() == [1, 0.25, 2]
        assert "decimal comma" in str(model.identity.conventions)
    path.write_bytes(excel(*(line.replace(";", separator).replace(",", ".") for line in lines)))
    assert "decimal comma" not in str(engine.model(f"answers:{path}").identity.conventions)


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (("sentence;joy", "a;0,5", "b;1.234,5"), ["'joy'", "'1.234,5'", "line 3"]),
        (("sentence;joy", "a;0,5", "b;1", "c;0.5"), ["'joy'", "'0,5'", "line 2", "'0.5'", "line 4"]),
        (("sentence;joy;fear", "a;0,5;1.000"), ["'joy'", "'fear'", "'1.000'", "line 2"]),
        (("sentence,joy", 'a,"0,5"', 'b,"0,7"'), ["'joy'", "'0,5'", "line 2", "semicolons"]),
    ],
)
def test_numbers_that_could_mean_two_things(
    lines: tuple[str, ...], named: list[str], engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "de.csv"
    path.write_bytes(excel(*lines))
    for options in ({}, {"quantities": {"joy": "joy", **({"fear": "fear"} if "fear" in lines[0] else {})}}):
        with pytest.raises(ModelLoadError, match=r"de\.csv") as caught:
            engine.model(f"answers:{path}", **options)
        assert all(one in str(caught.value) for one in named), caught.value


def test_commas_are_no_numbers_in_columns_of_text(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "de.csv"
    path.write_bytes(excel("sentence;note;day;joy", "a;0,5;12.05.2024;1,5", "b;x 0.5;13.05.2024;2,5"))
    assert engine.model(f"answers:{path}").identity.quantities == ("joy",)
    path.write_bytes(excel("sentence;joy", "a;1,5", "b;hoch"))
    with pytest.raises(ModelLoadError, match="'joy' is no number on line 3"):
        engine.model(f"answers:{path}", quantities={"joy": "joy"})


def test_labels_and_norms_with_decimal_commas(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    for header, emotions in (("text;emotion;score", ()), ("text;x;anger", ("anger",))):
        path.write_bytes(excel(header, "Na, gut.;anger;0,53", "Oh;anger;1"))
        found = read_labelled(path, Reading(), emotions)
        assert [(row.text, row.score) for row in found.rows] == [("Na, gut.", 0.53), ("Oh", 1)]
        assert "decimal comma" in found.read_as
    path.write_bytes(excel("text;emotion;score", "a;anger;0,5", "b;anger;0.5"))
    with pytest.raises(DataError, match=r"labels\.csv.*line 3"):
        read_labelled(path, Reading())
    path.write_bytes(excel("word;score", "gut;7,5", "mau;2,5", "na;5"))
    test = engine.data("valence-norms", path, language="de")
    assert test.scores == (7.5, 2.5, 5)  # type: ignore[attr-defined]
    assert test.conventions == {"decimal sign": "comma"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.csv", excel("sentence,stereotype", "I am tired.,9.0", "I like it.,2")),
        ("g.csv", excel("sentence;stereotype", "I am tired.;9,0", "I like it.;2")),
        (
            "g.jsonl",
            b'{"sentence": "I am tired.", "stereotype": 9.0}\n{"sentence": "x", "stereotype": "2."}\n',
        ),
    ],
)
def test_whole_numbers_with_a_point(name: str, content: bytes, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    test = engine.data("gest", path, language="en")
    assert [one.stereotype for one in test.samples.rows] == [9, 2]  # type: ignore[attr-defined]


def test_stereotypes_of_pairs_with_a_point(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_bytes(excel("male,female,stereotype", "Som rád.,Som rada.,9.0", "On.,Ona.,1.00"))
    test = engine.data("gender-variants", path, language="sk")
    assert [one.stereotype for one in test.pairs.rows] == [9, 1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("cell", ["9.5", "9.0.0", "1e1", "", "nine", "90"])
def test_what_is_no_stereotype(cell: str, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_bytes(excel("sentence,stereotype", "a,1", f"b,{cell}"))
    with pytest.raises(DataError, match=r"g\.csv: stereotype is .* on line 3"):
        engine.data("gest", path, language="en")


def packed(**members: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (packed(**{"[Content_Types].xml": "x", "xl/workbook.xml": "y"}), "Excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "Excel"),
        (packed(mimetype="application/vnd.oasis.opendocument.spreadsheet"), "OpenDocument"),
        (packed(**{"scores.csv": "sentence,joy\na,1\n"}), "zip"),
    ],
    ids=["Excel", "old Excel", "OpenDocument", "zip"],  # an archive holds the time at which it was made
)
@pytest.mark.parametrize("options", [{}, {"encoding": "cp1252"}])
def test_a_workbook_is_named(content: bytes, what: str, options: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"^book\.csv is .*{what}") as caught:
        read_table(path, path.name, ("a",), **options)  # type: ignore[arg-type]
    assert "NUL" not in str(caught.value)
    assert ("CSV UTF-8" in str(caught.value)) == (what != "zip")
