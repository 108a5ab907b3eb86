"""The files of MT-GenEval: both styles of names, packed or not, and every way in which they can be wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest

from biascore import Engine
from biascore.api.adapters import Model
from biascore.archive.bundle import write_bundle
from biascore.archive.verify import verify_run
from biascore.audits.audit import Audit
from biascore.errors import DataError
from biascore.stats import Verdict
from biascore_metrics.mt_geneval.items import GenevalTest, Line

from .conftest import CONTEXT, SENTENCES, read, write


@pytest.mark.parametrize("upstream", [True, False], ids=["upstream", "short"])
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
def test_sentences_of_both_styles(tmp_path: Path, upstream: bool, packed: bool):
    write(tmp_path, SENTENCES, "sentences", upstream=upstream, packed=packed)
    for path in tmp_path.iterdir():  # whichever file is named
        test = read(path)
        assert test.lines.rows[:2] == (
            Line("She is a cook.", "È una cuoca.", "È un cuoco.", "feminine", 0),
            Line("He is a cook.", "È un cuoco.", "È una cuoca.", "masculine", 0),
        )
        assert (len(test.lines), test.part, test.target, test.language) == (8, "sentences", "it", "en")
        assert {Path(name).name for name, _ in test.files} == {one.name for one in tmp_path.iterdir()}


@pytest.mark.parametrize("upstream", [True, False], ids=["upstream", "short"])
def test_contexts_of_both_styles(tmp_path: Path, upstream: bool):
    test = read(write(tmp_path, CONTEXT, "context", upstream=upstream, packed=True))
    assert [line.gender for line in test.lines.rows] == ["feminine", "masculine", "", ""]
    assert test.lines.rows[0].asked(context=False) == "The cook was tired."
    assert (test.title, len(test.lines)) == ("MT-GenEval, context (test), it", 4)


@pytest.mark.parametrize("target", ["ar", "de", "es", "fr", "hi", "it", "pt", "ru"])
def test_the_target_is_in_the_name(tmp_path: Path, target: str):
    files = {name.replace(".it", f".{target}"): lines for name, lines in SENTENCES.items()}
    assert read(write(tmp_path, files, "sentences", pair=f"en_{target}")).target == target


def without(name: str) -> Mapping[str, Sequence[str]]:
    return {key: lines for key, lines in SENTENCES.items() if key != name}


@pytest.mark.parametrize(
    ("files", "part", "problem"),
    [
        (
            SENTENCES | {"masculine.it": SENTENCES["masculine.it"][:3]},
            "sentences",
            r"unequal numbers of lines: geneval-sentences-feminine-test.en_it.en 4, .*masculine-test.en_it.it 3. Fetch",
        ),
        (
            CONTEXT | {"flipped.it": ("Il cuoco.",)},
            "context",
            r"original-test.en_it.it 4, .*flipped-test.en_it.it 1",
        ),
        (
            without("masculine.en"),
            "sentences",
            "masculine-test.en_it.en belongs to it, and does not lie next to it",
        ),
        (
            SENTENCES | {"feminine.it": ("È una cuoca.", " ", "Legge.", "")},
            "sentences",
            "is blank on lines 2, 4",
        ),
        (
            SENTENCES | {"feminine.it": ("È una <F>cuoca</F>.", "<F>a</F>", "<F>b</F>", "c")},
            "sentences",
            "line 1: marks words with tags. Give the files of the folder above",
        ),
        (
            CONTEXT | {"2to1.en": ("a <sep> b", "c", "d", "e <sep> f")},
            "context",
            "there is no <sep> on lines 2, 3",
        ),
    ],
    ids=[
        "pair of unequal length",
        "context of unequal length",
        "a file missing",
        "blank",
        "annotated",
        "separator",
    ],
)
def test_wrong_files(tmp_path: Path, files: Mapping[str, Sequence[str]], part: str, problem: str):
    with pytest.raises(DataError, match=problem):
        read(write(tmp_path, files, part))


@pytest.mark.parametrize(
    ("files", "part", "place"),
    [
        (SENTENCES | {"feminine.it": ("a", "b", "È una <F>cuoca</F>.", "c")}, "sentences", 2),
        (CONTEXT | {"original.it": ("<M>a</M>", "b", "c", "d")}, "context", 0),
    ],
    ids=["sentences", "context"],
)
def test_a_line_with_tags_left_in_it_costs_that_line(
    tmp_path: Path, files: Mapping[str, Sequence[str]], part: str, place: int
):
    lines = read(write(tmp_path, files, part)).lines
    ((where, why),) = lines.unread
    assert where == f"line {place + 1}"
    assert why.startswith("marks words with tags in ")
    assert {line.pair for line in lines.rows} == {0, 1, 2, 3} - {place}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("sentences.csv", "is not named as a file of MT-GenEval"),
        ("geneval-sentences-2to1-test.en_it.it", "is not named as a file of MT-GenEval"),
        ("geneval-sentences-feminine-test.en_pl.pl", "this file is to pl. Give a file of one of these"),
    ],
)
def test_wrong_names(tmp_path: Path, name: str, problem: str):
    (tmp_path / name).write_text("a\n", encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        read(tmp_path / name)


def test_the_language_is_that_of_the_sources(tmp_path: Path):
    with pytest.raises(
        DataError, match=r"the sentences are English, and the language is given as it. Give en"
    ):
        read(write(tmp_path, SENTENCES, "sentences"), language="it")


def run_model(engine: Engine, table: Path) -> Model:
    return engine.model(f"answers:{table}", language="it")


def test_answers_from_a_file_and_every_file_in_the_bundle(engine: Engine, tmp_path: Path):
    (tmp_path / "data").mkdir()
    path = write(tmp_path / "data", SENTENCES, "sentences")
    table = tmp_path / "answers.jsonl"
    rows = [{"text": line.source, "translation": line.own} for line in read(path).lines.rows]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    audit = Audit.from_parts(
        title="Translations",
        models=[{"ref": f"answers:{table}", "options": {"language": "it"}}],
        measurements=[{"metric": "mt-geneval", "tests": ["en/mine"]}],
        data=[{"format": "mt-geneval", "source": str(path), "language": "en", "name": "mine"}],
    )
    run = engine.run(audit)
    assert run[0].estimate("correct").value == 1.0
    run.save(tmp_path / "run")
    names = {one.name for one in (tmp_path / "data").iterdir()}
    assert {used.file for used in run.stimuli} == names  # no path of this machine
    packed = write_bundle(tmp_path / "run", tmp_path / "all.zip").path
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    found = {check.what: check.outcome for check in verify_run(packed)}
    assert {found[f"stimuli {name}"] for name in names} == {"matches"}
    with ZipFile(packed) as archive:
        archive.extractall(tmp_path)
    assert {one.name for one in (tmp_path / "biascore-bundle" / "data").iterdir()} == names
    again = read(tmp_path / "biascore-bundle" / "data" / path.name)
    assert again.lines.rows == read(tmp_path / "elsewhere" / path.name).lines.rows


def test_answers_of_half_of_the_sentences(engine: Engine, tmp_path: Path, sentences: GenevalTest):
    table = tmp_path / "answers.jsonl"
    rows = [{"text": line.source, "translation": line.own} for line in sentences.lines.rows[::2]]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (found,) = engine.measure("mt-geneval", run_model(engine, table), sentences)
    assert found.verdict is Verdict.NOT_MEASURED  # no pair is whole
    assert "none of its 8 sentences was asked" in found.reason
    assert found.coverage.used == {"feminine": 0, "masculine": 0}
    assert len(found.coverage.lost) == 8
