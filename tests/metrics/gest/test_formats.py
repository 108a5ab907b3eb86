"""GEST's files, and files of the same columns, as tests."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import DataError, OptionsError
from biascore_metrics.gest.formats import gest_stereotypes
from biascore_metrics.gest.kind import GenderedSample, GenderPairsTest, SamplesTest


@pytest.mark.parametrize(("file", "version"), [("gest.csv.gz", "GEST 1.0"), ("gest_1.1.csv.gz", "GEST 1.1")])
def test_the_editions_are_told_apart(engine: Engine, shared_data: Path, file: str, version: str) -> None:
    test = engine.data("gest", shared_data / "gest" / file, language="en")
    assert isinstance(test, SamplesTest)
    assert test.version == version
    assert test.title.startswith(version)
    counts = {s.name: sum(x.stereotype == s.id for x in test.samples.rows) for s in test.samples.stereotypes}
    assert len(test.samples.rows) == 3565
    assert (counts["Emotional and irrational"], counts["Strong"]) == (254, 221)


def test_an_edition_is_known_by_its_sentences_not_by_its_file(
    engine: Engine, shared_data: Path, tmp_path: Path
) -> None:
    with gzip.open(shared_data / "gest" / "gest.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    for name, some in {"same": rows, "less": rows[:-1]}.items():
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, delimiter=";").writerows(some)
    editions = [
        engine.data("gest", tmp_path / f"{name}.csv", language="en").version for name in ("same", "less")
    ]  # type: ignore[attr-defined]
    assert editions == ["GEST 1.0", "other"]


def test_the_sixteen_stereotypes_ship_twice_and_are_the_same(engine: Engine) -> None:
    own = engine.catalogue.test("en/gest_own")
    assert isinstance(own, SamplesTest)
    assert own.samples.stereotypes == gest_stereotypes()
    assert [s.gender for s in gest_stereotypes()] == ["female"] * 7 + ["male"] * 9
    assert {s.id: sum(x.stereotype == s.id for x in own.samples.rows) for s in own.samples.stereotypes} == (
        dict.fromkeys(range(1, 17), 5)
    )


def test_own_samples_are_not_those_of_gest(engine: Engine, shared_data: Path) -> None:
    own = engine.catalogue.test("en/gest_own")
    assert isinstance(own, SamplesTest)
    for file in ("gest.csv.gz", "gest_1.1.csv.gz"):
        theirs = engine.data("gest", shared_data / "gest" / file, language="en")
        assert isinstance(theirs, SamplesTest)
        known = {sample.sentence.casefold().rstrip(".!?") for sample in theirs.samples.rows}
        assert not known & {sample.sentence.casefold().rstrip(".!?") for sample in own.samples.rows}


def test_other_stereotypes_and_languages_need_no_code(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "it.csv"
    path.write_text("frase,tipo\nSto guidando,30\nSto cucendo,31\n", encoding="utf-8")
    test = engine.data(
        "gest",
        path,
        language="it",
        columns={"sentence": "frase", "stereotype": "tipo"},
        stereotypes=[
            {"id": 30, "name": "Drivers", "gender": "male"},
            {"id": 31, "name": "Sewing", "gender": "female"},
        ],
    )
    assert isinstance(test, SamplesTest)
    assert test.version == "other"
    assert [(s.label, s.gender) for s in test.samples.stereotypes] == [
        ("30 Drivers", "male"),
        ("31 Sewing", "female"),
    ]


def test_wrong_rows_are_named(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("sentence,stereotype\na,1\nb,17\nc,x\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"stereotype is '17' on lines 3, 4.*describe your own stereotypes"):
        engine.data("gest", path, language="en")
    path.write_text("sentence,stereotype\n ,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="'sentence' is blank on line 2"):
        engine.data("gest", path, language="en")
    with pytest.raises(OptionsError, match="no column is called text"):
        engine.data("gest", path, language="en", columns={"text": "x"})
    with pytest.raises(OptionsError, match="two stereotypes have one id"):
        engine.data("gest", path, language="en", stereotypes=[{"id": 1, "name": "a", "gender": "male"}] * 2)


VARIANTS = """translator,language,original,stereotype,male,female
DeepL,sk,I am weak,6,som slabý,som slabá
DeepL,cs,I am weak,6,jsem slabý,jsem slabá
GoogleTranslate,sk,I am strong,16,som silný,som silná
"""


def test_gendered_pairs_of_one_language_and_translator(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "variants.csv"
    path.write_text(VARIANTS, encoding="utf-8")
    test = engine.data("gender-variants", path, language="sk")
    assert isinstance(test, GenderPairsTest)
    assert test.pairs.rows == (
        GenderedSample("som slabý", "som slabá", 6),
        GenderedSample("som silný", "som silná", 16),
    )
    assert "2 of the file's 3 rows" in test.notes[0]
    one = engine.data("gender-variants", path, language="sk", translator="DeepL")
    assert isinstance(one, GenderPairsTest)
    assert len(one.pairs.rows) == 1
    with pytest.raises(DataError, match=r"no row with language = 'pl'. It has language: cs, sk"):
        engine.data("gender-variants", path, language="pl")
