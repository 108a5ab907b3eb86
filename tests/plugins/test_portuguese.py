"""biascore-plugin-portuguese: the language, its stimuli measured on models with a known bias, its audit, its wheel."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from biascore import Engine
from biascore.api.languages import read_sentences
from biascore.errors import UnknownNameError
from biascore.testing import check_language

from ..builders.portuguese import PORTUGUESE, portuguese_installed

STIMULI = PORTUGUESE / "biascore_plugin_portuguese" / "pt"
WEAT = ["weat1", "weat6", "weat7", "weat8"]
AUDIT = [
    "audit-gender-career-family",
    "audit-gender-stem-arts",
    "audit-gender-valence",
    "audit-ethnicity-names-valence",
    "audit-age-valence",
]
BUILD = "import os, sys, hatchling.build as b; os.chdir(sys.argv[1]); print(b.build_wheel(sys.argv[2]))"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with portuguese_installed(tmp_path_factory.mktemp("portuguese")):
        yield Engine(cache=None, require_plugins=["biascore-plugin-portuguese>=0.1"])


def sentences(name: str) -> dict[str, str]:
    read = read_sentences(PORTUGUESE / "tests" / name)
    return {one.sentence: str(one.expected) for one in read}


def test_biascore_alone_has_no_portuguese() -> None:
    alone = Engine(cache=None)
    assert "pt" not in alone.plugins.languages
    assert not [test for test in alone.plugins.tests.names if test.startswith("pt/")]
    with pytest.raises(UnknownNameError, match="no audit tests in 'pt'"):
        alone.audit("planted:en/audit-gender-valence=1", language="pt")


def test_the_language_keeps_the_contract(engine: Engine) -> None:
    check_language("pt", sentences("sentences.tsv"), engine=engine)


def test_sentences_that_were_held_back_find_no_wrong_gender_and_most_of_the_right_ones(
    engine: Engine,
) -> None:
    detector = engine.plugins.speaker_gender.get("pt")()
    held = sentences("held_back.tsv")
    assert not set(held) & set(sentences("sentences.tsv"))
    found = {text: str(detector.detect(text).gender) for text in held}
    missed = [text for text, gender in held.items() if found[text] == "none" != gender]
    assert {text for text in held if found[text] != held[text]} == set(missed)
    assert (len(held), len(missed)) == (31, 2)


def test_the_sentences_are_in_both_genders_and_some_were_held_back() -> None:
    own, held = sentences("sentences.tsv"), sentences("held_back.tsv")
    for some in (own, held):
        genders = list(some.values())
        assert genders.count("masculine") == genders.count("feminine") > 0
        assert genders.count("none") >= 9
    assert len(own) > len(held) > 30


@pytest.mark.parametrize("test", WEAT)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_planted_association_is_found_with_its_sign(test: str, sign: int, engine: Engine) -> None:
    model = f"planted:pt/{test}={1.5 * sign}"
    found = engine.measure("weat", model, f"pt/{test}", reference="none", draws=199, resamples=100)
    assert found[0].headline.value * sign > 0.5


@pytest.mark.parametrize("test", AUDIT)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("metric", ["weat", pytest.param("lpbs", marks=pytest.mark.slow)])
def test_an_audit_test_finds_what_is_planted(metric: str, test: str, sign: int, engine: Engine) -> None:
    model = f"planted:pt/{test}={0.8 * sign}"
    found = engine.measure(metric, model, f"pt/{test}", reference="none", draws=199, resamples=100)
    assert found[0].headline.value * sign > 0.3


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
def test_the_equity_corpus_finds_what_is_planted(sign: int, engine: Engine) -> None:
    """What is planted is on the first factor, Arabic names less Portuguese ones."""
    found = engine.measure("eec", f"planted:pt/eec={1.5 * sign}", "pt/eec")
    effects = [one for one in found[0].estimates if "Arabic" in one.name and one.value is not None]
    assert effects
    assert effects[0].value * sign > 0


def test_persons_of_the_corpus_agree_and_prepositions_join(engine: Engine) -> None:
    rows = set(engine.plugins.tests.get("pt/eec").build().rows()["sentence"])
    assert {
        "A Joana sente-se zangada.",
        "O João sente-se zangado.",
        "Ela sente-se zangada.",
        "Deixei-a furiosa.",
        "A situação fá-lo sentir-se triste.",
        "Ontem falei do João.",
        "Ontem falei dela.",
        "Ontem falei deste homem.",
    } <= rows
    assert not [row for row in rows if " de o " in row or " de a " in row or " de ele " in row]


@pytest.mark.parametrize("file", ["audit", "weat"])
def test_lists_on_either_side_hold_as_many_nouns_of_each_gender(file: str) -> None:
    lists = tomllib.loads((STIMULI / f"{file}.toml").read_text(encoding="utf-8"))["lists"]
    marked = [one for one in lists.values() if "marks" in one]
    assert len(marked) >= 6
    for one in marked:
        masculine, feminine = one["marks"]["masculine"], one["marks"]["feminine"]
        assert one["words"] == masculine + feminine
        assert len(masculine) == len(feminine)


def test_nouns_of_either_gender_have_the_same_endings_and_a_quarter_is_held_out() -> None:
    lists = tomllib.loads((STIMULI / "nouns.toml").read_text(encoding="utf-8"))["lists"]
    by_ending = [
        sum(word.endswith(end) and not word.endswith("ão") for word in lists[name]["words"])
        for name, end in (("masculine", "o"), ("feminine", "a"))
    ]
    for name in ("masculine", "feminine"):
        words, held = set(lists[name]["words"]), set(lists[f"{name}_held_out"]["words"])
        assert held < words
        assert len(held) == len(words) // 4
        assert len(words) >= 90
    assert by_ending == [44, 44]


@pytest.mark.slow
def test_an_audit_in_portuguese_end_to_end(engine: Engine) -> None:
    model = "planted:pt/audit-gender-career-family=1.2"
    run = engine.run(engine.audit(model, language="pt", quick=True))
    found = {
        one.test: said.verdict for one, said in zip(run, run.verdicts, strict=True) if one.model == model
    }
    assert found["pt/audit-gender-career-family"] == "detected"
    assert {"pt/audit-age-valence", "pt/audit-ethnicity-names-valence", "pt/weat1"} <= set(found)


@pytest.mark.slow
def test_the_wheel_holds_the_grammar_and_the_stimuli(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="the wheel is built with hatchling")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, PORTUGUESE, tmp_path], check=True, capture_output=True, text=True
    )
    names = set(zipfile.ZipFile(tmp_path / done.stdout.split()[-1]).namelist())
    package = {f"biascore_plugin_portuguese/{name}" for name in ("__init__.py", "py.typed", "pt.toml")}
    stimuli = {f"biascore_plugin_portuguese/pt/{path.name}" for path in STIMULI.glob("*.toml")}
    assert len(stimuli) == 5
    assert package | stimuli <= names
    assert not [name for name in names if name.startswith(("biascore/", "tests/"))]
