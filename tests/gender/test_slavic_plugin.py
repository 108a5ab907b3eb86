"""biascore-plugin-slavic: built, installed by pip apart from biascore, found by its entry point; and its parser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from biascore.errors import MissingExtraError
from biascore.languages.gender import Gender
from biascore.plugins.loading import Plugins

from ..builders.slavic import SLAVIC

LANGUAGES = ["be", "cs", "hr", "pl", "ru", "sk", "sl", "sr", "uk"]
BUILD = "import os, sys, hatchling.build as b; os.chdir(sys.argv[1]); print(b.build_wheel(sys.argv[2]))"

PROGRAM = """
import json, sys
from biascore import Engine
plugins = Engine(cache=None).plugins
records = {r.dist: [r.status, r.reason, list(r.provides)] for r in plugins.records}
slavic = [code for code in plugins.speaker_gender.names if code not in ("es", "it")]
read_before = [m for m in sys.modules if m.startswith("biascore_plugin_slavic.")]
serbian = plugins.speaker_gender.get("sr")().detect("Била сам уморна.") if "sr" in slavic else None
pair = plugins.languages["sk"].gender_pair("Bol som tam.", "Bola som tam.") if slavic else None
print(json.dumps({
    "records": records, "slavic": slavic, "read_before": read_before,
    "serbian": serbian and [serbian.gender, [[e.word, e.rule] for e in serbian.evidence]],
    "pair": pair and pair.words, "polish": plugins.languages["pl"].speaker_gender is not None,
    "tests": sorted(t for t in plugins.tests.names if t.startswith("pl/"))[:1],
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="the wheel is built with hatchling")
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, SLAVIC, out], check=True, capture_output=True, text=True
    )
    return out / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("slavic")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", target, wheel], check=True, capture_output=True
    )
    return target


def survey(path: Path, **variables: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env={
            **os.environ,
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(path), os.environ.get("PYTHONPATH")])),
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_depends_on_nothing_but_biascore() -> None:
    project = tomllib.loads((SLAVIC / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == ["biascore"]
    assert list(project["optional-dependencies"]) == ["stanza"]
    assert project["license"] == "Apache-2.0"


def test_the_wheel_holds_the_grammars(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"biascore_plugin_slavic/grammars/{code}.toml" for code in [*LANGUAGES, "bcs"]} <= names
    assert not any(name.startswith("biascore/") for name in names)


def test_the_engine_alone_knows_no_slavic_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_LOAD_PLUGINS", "biascore")
    assert set(Plugins().speaker_gender.names) == {"es", "it"}


@pytest.mark.slow
def test_installed_it_is_found_by_its_entry_point(installed: Path) -> None:
    found = survey(installed, BIASCORE_LOAD_PLUGINS="biascore,biascore-plugin-slavic")
    status, reason, provides = found["records"]["biascore-plugin-slavic"]
    assert (status, reason) == ("loaded", "")
    assert provides == [f"language {code}" for code in LANGUAGES]
    assert found["slavic"] == LANGUAGES
    assert found["serbian"] == ["feminine", [["Била", "sam + l-participle"]]]
    assert found["pair"] == ["Bol", "Bola"]
    # Polish has word lists from one plugin and its grammar from another.
    assert found["polish"]
    assert found["tests"] != []
    assert found["read_before"] == []


def test_it_can_be_switched_off(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(installed)
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "biascore-plugin-slavic")
    plugins = Plugins()
    status = {record.dist: record.status for record in plugins.records}
    assert status["biascore-plugin-slavic"] == "blocked"
    assert set(plugins.speaker_gender.names) == {"es", "it"}
    assert plugins.languages["pl"].speaker_gender is None


# The models of stanza cannot be downloaded where the tests run: what follows is its output as its
# documentation gives it, for sentences parsed by hand.


@dataclass
class Word:
    id: int
    text: str
    upos: str
    feats: str | None
    head: int
    deprel: str
    start_char: int | None = None
    end_char: int | None = None
    parent: Any = None


def parsed(*sentences: list[Word]) -> Any:
    return lambda _: SimpleNamespace(sentences=[SimpleNamespace(words=words) for words in sentences])


def detect(*sentences: list[Word]) -> Any:
    from biascore_plugin_slavic.parser import StanzaDetector

    return StanzaDetector("sk", parsed(*sentences)).detect("…")


SOM = "Mood=Ind|Number=Sing|Person=1|Tense=Pres"


def test_the_head_of_a_first_person_auxiliary_agrees() -> None:
    # Bola som doma.
    found = detect(
        [
            Word(1, "Bola", "VERB", "Gender=Fem|Number=Sing|VerbForm=Part", 0, "root", 0, 4),
            Word(2, "som", "AUX", SOM, 1, "aux", 5, 8),
        ],
        [Word(1, "Bol", "VERB", "Gender=Masc|Number=Sing|Person=1", 0, "root", 15, 18)],
    )
    assert found.gender is Gender.FEMININE
    assert [(e.word, e.span) for e in found.evidence] == [("Bola", (0, 4))]


def test_the_predicate_of_the_subject_i_agrees_and_so_does_its_copula() -> None:
    # Я была рада.
    found = detect(
        [
            Word(1, "Я", "PRON", "Case=Nom|Number=Sing|Person=1", 3, "nsubj", 0, 1),
            Word(2, "была", "AUX", "Gender=Fem|Number=Sing", 3, "cop", 2, 6),
            Word(3, "рада", "ADJ", "Gender=Fem|Number=Sing|Variant=Short", 0, "root", 7, 11),
        ]
    )
    assert [e.word for e in found.evidence] == ["была", "рада"]


def test_a_noun_and_another_subject_do_not_agree() -> None:
    noun = [
        Word(1, "Som", "AUX", SOM, 2, "cop", 0, 3),
        Word(2, "vodca", "NOUN", "Gender=Masc|Number=Sing", 0, "root", 4, 9),
    ]
    other = [
        Word(1, "Ona", "PRON", "Number=Sing|Person=3", 2, "nsubj", 0, 3),
        Word(2, "prišla", "VERB", "Gender=Fem|Number=Sing", 0, "root", 4, 10),
    ]
    assert detect(noun).gender is Gender.NONE
    assert detect(other).gender is Gender.NONE
    assert detect().gender is Gender.NONE


def test_a_polish_ending_cut_off_by_the_parser_lends_its_word_the_span() -> None:
    whole = SimpleNamespace(start_char=4, end_char=11)
    found = detect(
        [
            Word(1, "robiła", "VERB", "Gender=Fem|Number=Sing", 0, "root", None, None, whole),
            Word(2, "m", "AUX", "Number=Sing|Person=1", 1, "aux:clitic", None, None, whole),
        ]
    )
    assert [(e.word, e.span) for e in found.evidence] == [("robiła", (4, 11))]


def test_without_stanza_the_error_is_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    from biascore_plugin_slavic.parser import StanzaDetector

    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*biascore-plugin-slavic\[stanza\]'"):
        StanzaDetector("sk")


def test_without_a_model_the_error_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from biascore_plugin_slavic.parser import StanzaDetector

    from biascore.errors import ModelLoadError

    def pipeline(language: str, **options: Any) -> Any:
        assert options["download_method"] is None
        raise FileNotFoundError("no resources.json")

    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(Pipeline=pipeline))
    with pytest.raises(ModelLoadError, match=r"stanza\.download\('sk'\)"):
        StanzaDetector("sk")


def test_the_parser_says_what_it_saw_and_why_a_gender_is_not_the_speakers() -> None:
    from biascore_plugin_slavic.parser import StanzaDetector

    # Som vodca, ona prišla.
    traced = StanzaDetector(
        "sk",
        parsed(
            [
                Word(1, "Som", "AUX", SOM, 2, "cop", 0, 3),
                Word(2, "vodca", "NOUN", "Gender=Masc|Number=Sing", 0, "root", 4, 9),
                Word(3, "prišla", "VERB", "Gender=Fem|Number=Sing", 2, "conj", 15, 21),
            ]
        ),
    ).trace("…")
    assert traced.answer.gender is Gender.NONE
    assert [(step.word, step.reason) for step in traced.steps] == [
        ("vodca", "NOUN has a gender of its own"),
        ("prišla", "neither a predicate of the speaker nor its auxiliary"),
    ]
    assert traced.words[0].known_as == ("AUX", "Number=Sing", "Person=1", "cop of 'vodca'")
    assert StanzaDetector("sk", parsed()).trace("…").note.startswith("the parser sees no verb")
