"""Nouns by gender from a treebank and from a table: what is taken, what is left out and said, what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from biascore import Engine
from biascore.api.formats import DataFile, source_digest
from biascore.cli.app import app
from biascore.errors import DataError, OptionsError
from biascore_metrics.grammatical_gender.conllu import ConlluFormat, ConlluOptions
from biascore_metrics.grammatical_gender.formats import NounsFormat, NounsOptions
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest


def line(
    form: str, gender: str, *, lemma: str = "", number: str = "Sing", more: str = "", upos: str = "NOUN"
) -> str:
    features = [f"Gender={gender}"] if gender else []
    features += [f"Number={number}"] + ([more] if more else [])
    return "\t".join(
        ["1", form, lemma or form.lower(), upos, "_", "|".join(sorted(features)), "0", "root", "_", "_"]
    )


M = ("puente", "sol", "libro", "coche", "árbol", "reloj", "papel", "mes")
F = ("mesa", "luz", "mano", "noche", "calle", "flor", "pared", "carta")
BANK = [line(word, "Masc") for word in M] + [line(word, "Fem") for word in F]


def bank(tmp_path: Path, lines: list[str], language: str = "es", end: str = "\n") -> DataFile:
    path = tmp_path / "bank.conllu"
    path.write_bytes((end.join(["# sent_id = 1", *lines, ""]) + end).encode())
    return DataFile(path, "bank.conllu", source_digest(path, "bank.conllu"), f"{language}/bank", language)


def read(file: DataFile, **options: Any) -> GenderedNounsTest:
    test = ConlluFormat(ConlluOptions(**options)).read(file)
    assert isinstance(test, GenderedNounsTest)
    return test


def words(test: GenderedNounsTest) -> dict[str, tuple[str, ...]]:
    return {one.name: one.words for one in test.classes}


def test_nouns_come_by_class_the_most_frequent_first(tmp_path: Path) -> None:
    more = [line("Papel", "Masc"), line("papel", "Masc"), line("sol", "Masc"), line("Noche", "Fem")]
    test = read(bank(tmp_path, BANK + more), held_out=0)
    assert (test.kind, test.id, test.concept) == ("nouns", "es/bank", "grammatical gender")
    found = words(test)
    assert found["masculine"][:3] == ("papel", "sol", "coche")
    assert found["feminine"][0] == "noche"
    assert not test.is_split


def test_words_of_two_genders_are_left_out_and_counted(tmp_path: Path) -> None:
    more = [line("orden", "Masc"), line("orden", "Fem"), line("mar", "Fem,Masc"), line("arte", "")]
    test = read(bank(tmp_path, BANK + more), held_out=0)
    assert not {"orden", "mar", "arte"} & {word for one in test.classes for word in one.words}
    assert "20 nouns in running text, taken by their form; 1 without Gender left out." in test.notes
    assert "Words left out: 2 of two classes." in test.notes


def test_only_nouns_count_and_ranges_and_empty_nodes_are_no_words(tmp_path: Path) -> None:
    ranged = "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_"
    empty = "1.1\tgato\tgato\tNOUN\t_\tGender=Masc\t_\t_\t0:root\t_"
    more = [ranged, empty, line("bonita", "Fem", upos="ADJ"), line("Juan", "Masc", upos="PROPN")]
    assert words(read(bank(tmp_path, BANK + more), held_out=0)) == words(
        read(bank(tmp_path, BANK), held_out=0)
    )


def test_animates_go_by_the_feature_and_by_a_list(tmp_path: Path) -> None:
    bank_of = [line("pies", "Masc", more="Animacy=Nhum"), line("Actriz", "Fem"), *BANK]
    kept = read(bank(tmp_path, bank_of), held_out=0, balance=False)
    assert "pies" not in words(kept)["masculine"]
    assert "actriz" in words(kept)["feminine"]
    assert any(note.startswith("Animates are among the feminine nouns") for note in kept.notes)
    animates = tmp_path / "animates.txt"
    animates.write_text("Actriz\n\nmujer\n", encoding="utf-8")
    named = read(bank(tmp_path, bank_of), held_out=0, balance=False, animates=str(animates))
    assert "actriz" not in words(named)["feminine"]
    assert "Words left out: 1 animate by the list, 1 animate by the treebank." in named.notes
    assert any(source_digest(animates, "animates.txt") in note for note in named.notes)
    assert not any(note.startswith("Animates are among") for note in named.notes)


def test_forms_lemmas_and_capitals(tmp_path: Path) -> None:
    german = [
        line("Tisch", "Masc", lemma="Tisch"),
        line("Tische", "Masc", lemma="Tisch"),
        line("Uhr", "Fem", lemma="Uhr"),
    ]
    file = bank(tmp_path, german, "de")
    assert words(read(file, held_out=0, balance=False))["masculine"] == ("Tisch", "Tische")
    assert words(read(file, held_out=0, word="lemma"))["masculine"] == ("Tisch",)
    assert words(read(file, held_out=0, case="lower"))["feminine"] == ("uhr",)
    assert words(read(bank(tmp_path, german, "es"), held_out=0))["feminine"] == ("uhr",)


def test_decomposed_words_are_composed_and_counted(tmp_path: Path) -> None:
    test = read(bank(tmp_path, [*BANK, line("a\u0301guila", "Fem")]), held_out=0, balance=False)
    assert "\u00e1guila" in words(test)["feminine"]
    assert any(note.startswith("1 nouns stood in decomposed Unicode") for note in test.notes)


def test_plurals_can_be_a_class_of_their_own(tmp_path: Path) -> None:
    more = [line("drzwi", "Neut", number="Ptan"), line("stoły", "Masc", number="Plur")]
    file = bank(tmp_path, BANK + more, "pl")
    classes = ("masculine", "feminine", "plural")
    assert words(read(file, held_out=0, plural="own-class", classes=classes))["plural"] == ("drzwi", "stoły")
    out = read(file, held_out=0, plural="leave-out")
    assert "stoły" not in words(out)["masculine"]
    assert "2 in the plural left out" in out.notes[0]
    with pytest.raises(ValidationError, match="own-class"):
        ConlluOptions(classes=classes)


def test_balance_and_most_keep_the_most_frequent(tmp_path: Path) -> None:
    more = [line("papel", "Masc"), line("mes", "Masc"), *(line(f"casa{i}", "Fem") for i in range(5))]
    test = read(bank(tmp_path, BANK + more), held_out=0)
    assert {name: len(found) for name, found in words(test).items()} == {"masculine": 8, "feminine": 8}
    assert "Classes cut to the smallest class, the most frequent kept; left out: 5 feminine." in test.notes
    assert words(read(bank(tmp_path, BANK + more), held_out=0, most=2))["masculine"] == ("mes", "papel")
    kept = read(bank(tmp_path, [*BANK, *BANK, *more]), held_out=0, min_count=2, balance=False)
    assert "Words left out: 5 found less than 2 times." in kept.notes


def test_the_held_out_nouns_are_drawn_by_seed_and_lemma(tmp_path: Path) -> None:
    forms = [line(f"{word}s", "Masc", lemma=word, number="Plur") for word in M]
    forms += [line(f"{word}s", "Fem", lemma=word, number="Plur") for word in F]
    file = bank(tmp_path, BANK + forms)
    test = read(file, seed=3)
    assert test.is_split
    for one in test.classes:
        assert set(one.train).isdisjoint(one.test)
        assert set(one.train) | set(one.test) == set(one.words)
        assert len(one.test) == 4
        assert {word.rstrip("s") for word in one.test}.isdisjoint(word.rstrip("s") for word in one.train)
    assert read(file, seed=3).classes == test.classes
    assert read(file, seed=4).classes != test.classes
    assert any("seed 3" in note and "4 of 16 masculine, 4 of 16 feminine" in note for note in test.notes)


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_a_mark_at_the_start_and_other_line_ends_change_nothing(tmp_path: Path, end: str) -> None:
    plain = read(bank(tmp_path, BANK))
    file = bank(tmp_path, BANK, end=end)
    file.path.write_bytes(b"\xef\xbb\xbf" + file.path.read_bytes())
    assert read(file).classes == plain.classes
    packed = tmp_path / "bank.conllu.gz"
    packed.write_bytes(gzip.compress(file.path.read_bytes()))
    assert read(DataFile(packed, "bank.conllu.gz", "", "es/bank", "es")).classes == plain.classes


REFUSED = {
    "empty": ([], ["bank.conllu has no noun (UPOS NOUN)"]),
    "no gender anywhere": ([line("table", ""), line("chair", "")], ["2 nouns, and none has a Gender"]),
    "one gender": (BANK[:8], ["no feminine noun", "8 masculine", "classes=["]),
    "spaces for tabs": ([*BANK, "1 mesa mesa NOUN"], ["line 18 has 1 column separated by tabs, and not 10"]),
    "a column lost": ([*BANK, BANK[0].rsplit("\t", 1)[0]], ["line 18 has 9 columns"]),
    "no number": ([BANK[0].replace("1\t", "x\t", 1), *BANK], ["line 2 has the ID 'x'"]),
    "no form": ([BANK[0].replace("\tpuente\t", "\t\t", 1)], ["line 2 has a blank FORM"]),
    "features": ([BANK[0].replace("Gender=Masc", "Gender"), *BANK], ["line 2 has the features 'Gender|Number=Sing'"]),
    "many lines": (["x"] * 9, ["line 6 has", "; and 4 more", "Correct these lines"]),
    "too few": ([BANK[0], BANK[8]], ["too few nouns to hold out 25%", "held_out=0"]),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_treebank_of_genders_is_refused(case: str, tmp_path: Path) -> None:
    lines, told = REFUSED[case]
    with pytest.raises(DataError) as caught:
        read(bank(tmp_path, lines))
    for part in ("bank.conllu", *told):
        assert part in str(caught.value)


def test_a_file_of_nothing_and_an_empty_list_are_refused(tmp_path: Path) -> None:
    file = bank(tmp_path, BANK)
    animates = tmp_path / "animates.txt"
    animates.write_text("\n\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"animates\.txt is empty"):
        read(file, animates=str(animates))
    file.path.write_bytes(b"\n\n")
    with pytest.raises(DataError, match=r"bank\.conllu is empty"):
        read(file)


def table(tmp_path: Path, text: str, name: str = "nouns.tsv", **options: Any) -> GenderedNounsTest:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    file = DataFile(path, name, source_digest(path, name), "es/mine", "es")
    test = NounsFormat(NounsOptions(**options)).read(file)
    assert isinstance(test, GenderedNounsTest)
    return test


def test_a_table_gives_classes_and_its_split(tmp_path: Path) -> None:
    rows = "word\tgender\tset\nmesa\tFem\ttrain\nluz\tf\ttest\nsol\tMasc\ttrain\nmes\tM\tTest\nmano\tfeminine\t\n"
    test = table(tmp_path, rows)
    assert [(one.name, one.words, one.train, one.test) for one in test.classes] == [
        ("masculine", ("sol", "mes"), ("sol",), ("mes",)),
        ("feminine", ("mesa", "luz", "mano"), ("mesa",), ("luz",)),
    ]
    assert table(tmp_path, rows.replace("\n", "\r\n")).classes == test.classes
    assert table(tmp_path, "\ufeff" + rows).classes == test.classes
    assert not table(tmp_path, "word;gender\nmesa;f\nsol;m\n", "nouns.csv").is_split


def test_a_table_in_its_own_words(tmp_path: Path) -> None:
    rows = "lemma,genre\nTisch,maskulin\nUhr,feminin\nBuch,n\n"
    test = table(
        tmp_path, rows, "nouns.csv",
        columns={"word": "lemma", "gender": "genre"}, genders={"maskulin": "masculine", "feminin": "feminine"},
    )  # fmt: skip
    assert words(test) == {"masculine": ("Tisch",), "feminine": ("Uhr",), "neuter": ("Buch",)}


TABLES = {
    "no column": ("word,genre\nmesa,f\n", ["no column 'gender'", "columns={word="]),
    "a gender unknown": ("word,gender\nmesa,fm\nsol,m\n", ["gender is 'fm' on line 2", "genders={"]),
    "one class": ("word,gender\nmesa,f\nluz,f\n", ["nouns of one class only (feminine, 2)"]),
    "twice": ("word,gender\nmesa,f\nsol,m\nmesa,Fem\n", ["'mesa' twice, on lines 2, 4", "Keep it once"]),
    "two genders": ("word,gender\nmar,f\nsol,m\nmar,m\n", ["'mar' as feminine and as masculine, on lines 2, 4"]),
    "a blank word": ("word,gender\n ,f\nsol,m\n", ["'word' is blank on line 2"]),
    "no set that is known": ("word,gender,set\na,f,dev\nb,m,dev\n", ["set is 'dev' on every line"]),
    "half a split": ("word,gender,set\nmesa,f,train\nsol,m,train\n", ["no test nouns of 'masculine', 'feminine'"]),
    "a class unsplit": ("word,gender,set\na,f,train\nb,f,test\nc,m,train\n", ["no test nouns of 'masculine'"]),
    "empty": ("word,gender\n", ["a header and no rows"]),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_a_table_that_cannot_be_used_is_refused(case: str, tmp_path: Path) -> None:
    text, told = TABLES[case]
    with pytest.raises(DataError) as caught:
        table(tmp_path, text, "nouns.csv")
    for part in ("nouns.csv", *told):
        assert part in str(caught.value)


def test_the_nouns_of_the_shared_data_are_read(shared_data: Path) -> None:
    path = shared_data / "gg" / "es_nouns.tsv"
    test = NounsFormat(NounsOptions()).read(DataFile(path, "es_nouns.tsv", "", "es/nouns", "es"))
    assert isinstance(test, GenderedNounsTest)
    assert [(one.name, len(one.train), len(one.test)) for one in test.classes] == [
        ("masculine", 718, 240),
        ("feminine", 718, 240),
    ]
    spare = sum(len(one.words) - len(one.train) - len(one.test) for one in test.classes)
    assert spare + 2 * (718 + 240) + 558 == 2524
    assert test.notes == ("Rows left out, as their set is neither train, test nor spare: 558 unfiltered.",)


def test_the_engine_and_the_command_line_know_the_formats(engine: Engine, tmp_path: Path) -> None:
    file = bank(tmp_path, BANK)
    test = engine.data("conllu", file.path, language="es", licence="CC BY-SA 4.0", held_out=0, most=3)
    assert isinstance(test, GenderedNounsTest)
    assert [len(one.words) for one in test.classes] == [3, 3]
    assert (test.id, test.licence) == ("es/bank", "CC BY-SA 4.0")
    with pytest.raises(OptionsError, match="word"):
        engine.data("conllu", file.path, language="es", word="wordform")
    listed = CliRunner().invoke(app, ["list", "formats", "--json"])
    assert {"conllu", "nouns"} <= {row["id"] for row in json.loads(listed.stdout)}


def test_nouns_of_a_file_are_learnt_from_and_not_measured(tmp_path: Path) -> None:
    both = {"m": ("rose", "tulip", "daisy", "lily"), "f": ("ant", "flea", "wasp", "moth")}
    rows = [f"{word},{gender}" for gender, words in both.items() for word in words]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["word,gender", *rows]), encoding="utf-8")
    command = ["measure", "weat", "--model", "planted:gender=1", "--tests", "en/weat7", "-o", "resamples=100"]
    command += ["--data", f"nouns:{file}", "--language", "en", "--no-cache", "--json"]
    learnt = "inlp:nouns=en/mine,min_words=2,sample=0"
    done = CliRunner().invoke(app, [*command, "--transform", learnt], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    run = json.loads(done.stdout)
    assert [one["test"] for one in run["measurements"]] == ["en/weat7", "en/weat7"]
    assert run["models"][1]["transforms"][0]["stimuli"] == ["en/mine"]
