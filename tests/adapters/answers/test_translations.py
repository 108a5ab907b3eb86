"""Translations from a file: looked up as they stand, and never guessed."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.adapters import Model
from biascore.api.queries import NOT_ASKED
from biascore.errors import AnswerError, ModelLoadError, OptionsError, UnsupportedLanguageError

ROWS = """system,lang,text,translation
one,sk,I am tired.,Som unavená.
two,sk,I am tired.,Som unavený.
one,cs,I am tired.,Jsem unavená.
one,sk,"Well, ""yes"".
No.","Nuž, ""áno"".
Nie."
one,sk,I am tired.,Som unavená.
"""


def save(folder: Path, text: str, name: str = "outputs.csv") -> Path:
    path = folder / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def opened(path: object, **options: Any) -> Model:
    return Engine(cache=None).model(f"answers:{path}", **options)


def test_texts_are_looked_up(tmp_path: Path) -> None:
    model = opened(save(tmp_path, ROWS), language_column="lang", only={"system": "one"})
    assert model.translate(["I am tired."], "en", "sk") == ("Som unavená.",)
    assert model.translate(["I am tired."], "en", "cs") == ("Jsem unavená.",)
    assert model.translate(['Well, "yes".\nNo.'], "en", "sk") == ('Nuž, "áno".\nNie.',)
    assert dict(model.identity.facts) == {"file": "outputs.csv", "languages": "cs, sk", "texts": 3}


@pytest.mark.parametrize("name", ["o.tsv", "o.tsv.gz", "o.CSV", "o.csv.gz"])
def test_the_forms_of_a_file(tmp_path: Path, name: str) -> None:
    mark = "\t" if "tsv" in name else ","
    path = save(tmp_path, f"\ufeffsource{mark}output\nHello.{mark}Ahoj.\n\n", name)
    model = opened(path, text="source", translation="output", language="sk")
    assert model.translate(["Hello."], "en", "sk") == ("Ahoj.",)


def test_two_systems_are_two_models(tmp_path: Path) -> None:
    path = save(tmp_path, ROWS)
    engine = Engine(cache=tmp_path / "cache")
    answers = [
        engine.model(f"answers:{path}", language_column="lang", only={"system": system}).translate(
            ["I am tired."], "en", "sk"
        )
        for system in ("one", "two")
    ]
    engine.close()
    assert answers == [("Som unavená.",), ("Som unavený.",)]


def test_a_text_that_is_not_there(tmp_path: Path) -> None:
    model = opened(save(tmp_path, ROWS), language_column="lang", only={"system": "two"})
    asked = ["I am tired.", "i am tired.", "I am tired. "]
    with pytest.raises(AnswerError, match=r"holds no translation of 'i am tired\.'"):
        model.translate(asked, "en", "sk")
    assert model.translate(asked, "en", "sk", unusable="named")[1:] == (NOT_ASKED, NOT_ASKED)
    assert model.translate(asked, "en", "sk", unusable="empty")[1:] == ("", "")
    with pytest.raises(UnsupportedLanguageError, match="'cs'; it has sk"):
        model.translate(["I am tired."], "en", "cs")


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (ROWS, {"language_column": "lang"}, r"line 3: 'I am tired\.' has another translation to sk"),
        (ROWS, {"language_column": "lang", "only": {"system": "six"}}, "no row with system = 'six'"),
        (
            ROWS,
            {"language_column": "tongue"},
            "no column 'tongue'; its columns are: 'system', 'lang', 'text', 'translation'",
        ),
        (ROWS, {"language": "sk", "text": "sentence"}, "no column 'sentence'"),
        ("text,translation\na,b,c\n", {"language": "sk"}, "line 2 has 3 fields where the header has 2"),
        ('text,translation\na,"b\n', {"language": "sk"}, "unexpected end of data"),
        ("text,text,translation\na,a,b\n", {"language": "sk"}, "has the column 'text' twice"),
        ("text,translation\n", {"language": "sk"}, "a header and no rows"),
        ("", {"language": "sk"}, "is empty"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ModelLoadError, match=reason):
        opened(save(tmp_path, text), **options)


def test_damaged_files(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("text,translation\nä,ö\n".encode("latin-1"))
    (tmp_path / "half.csv.gz").write_bytes(gzip.compress(ROWS.encode())[:60])
    (tmp_path / "nul.csv").write_bytes(b"text,translation\na,b\0\n")
    for name, problem in (
        ("latin.csv", "line 2: is not UTF-8"),
        ("half.csv.gz", "damaged"),
        ("nul.csv", "NUL"),
    ):
        with pytest.raises(ModelLoadError, match=problem):
            opened(tmp_path / name, language="sk")


def test_a_file_is_unpacked_by_what_it_holds_and_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "plain.csv.gz").write_bytes(ROWS.encode())
    assert opened(tmp_path / "plain.csv.gz", language_column="lang", only={"system": "one"})


def test_paths_and_languages_are_checked_before_reading(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", "", tmp_path):
        with pytest.raises(ModelLoadError, match=r"no such file|is a folder"):
            opened(path, language="sk")
    path = save(tmp_path, ROWS)
    with pytest.raises(OptionsError, match="nowhere"):  # it has further columns
        opened(path)
    with pytest.raises(OptionsError, match="twice"):
        opened(path, language="sk", language_column="lang")


@pytest.mark.slow
def test_the_published_translations(shared_data: Path) -> None:
    path = shared_data / "gest" / "translations_dev.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if (row["system"], row["lang"]) == ("deepl", "sk")]
    model = opened(path, text="sentence_en", language_column="lang", only={"system": "deepl"})
    answers = model.translate([row["sentence_en"] for row in rows], "en", "sk")
    assert len(answers) > 1000
    assert list(answers) == [row["translation"] for row in rows]
