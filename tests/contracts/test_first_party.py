"""Every installed transform, language, exporter and command keeps the contract; one without a row here fails.

Adapters and data formats are in files of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.languages import read_sentences
from biascore.testing import (
    LanguageContract,
    NotAskedError,
    check_command,
    check_exporter,
    check_language,
    check_transform,
)

from ..builders.portuguese import PORTUGUESE
from ..gender.sentences import NOBODY, SPEAKER

NOUNS = {"nouns": "es/nouns", "min_words": 20, "sample": 50, "neighbours": 2}
TRANSFORMS: Mapping[str, Mapping[str, Any]] = {
    "grammatical-gender": NOUNS,
    "hard-debias": {"pairs": "en/bolukbasi2016/definitional", "sample": 50, "neighbours": 2},
    "inlp": NOUNS,
    "leace": NOUNS,
    "top-components": {"vocabulary": 200, "neighbours": 2},
}
SPEAKING = (*SPEAKER, "pt")
"""Languages that tell the gender of the speaker."""
SILENT = ("ar", "de", "en", "fr")
"""Languages that bring word lists only."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.slow) if one in ("inlp", "leace") else one for one in TRANSFORMS],
)
def test_a_transform_keeps_the_contract(name: str, engine: Engine) -> None:
    check_transform(name, "planted:gender=0.5", engine=engine, **TRANSFORMS[name])


def test_every_transform_is_here(everything: Engine) -> None:
    assert sorted(TRANSFORMS) == sorted(everything.plugins.transforms.names)


def sentences(language: str) -> Mapping[str, str]:
    if language == "pt":
        read = read_sentences(PORTUGUESE / "tests" / "sentences.tsv")
        return {one.sentence: str(one.expected) for one in read}
    shown = {
        sentence: gender
        for pair in SPEAKER[language]
        for sentence, gender in zip(pair, ("masculine", "feminine"), strict=True)
    }
    return {**shown, **{sentence: "none" for sentence, _ in NOBODY[language]}}


@pytest.mark.parametrize("tag", SPEAKING)
def test_a_language_keeps_the_contract(tag: str, everything: Engine) -> None:
    check_language(tag, sentences(tag), engine=everything)


@pytest.mark.parametrize("tag", SILENT)
def test_a_language_without_a_detector_keeps_the_contract(tag: str, everything: Engine) -> None:
    asked = []
    for clause in LanguageContract(tag, {}, everything).clauses():
        try:
            clause()
        except NotAskedError:
            continue
        asked.append(clause.name)
    assert asked == ["registered"]


def test_every_language_is_here(everything: Engine) -> None:
    assert sorted([*SPEAKING, *SILENT]) == sorted(everything.plugins.languages)
    assert sorted(SPEAKING) == sorted(everything.plugins.speaker_gender.names)


def outcomes(engine: Engine, folder: Path, name: str) -> None:
    path = folder / "outcomes.csv"
    rows = [
        f"{group} {i},{group},{'AB'[i % 2]},{int(i % 3 == 0)}"
        for i in range(30)
        for group in ("women", "men")
    ]
    path.write_text("text,sex,race,selected\n" + "\n".join(rows) + "\n", encoding="utf-8")
    test = engine.data("outcomes", path, language="en", groups=["sex", "race"])
    run = engine.measure("impact-ratio", f"answers:{path}", test, draws=500)
    facts = {"date": "2026-10-01", "distributed": "2026-10-15", "source": "made", "explanation": "by a rule"}
    check_exporter(name, run, engine=engine, facts=facts)


EXPORTERS = {"impact-tables": outcomes, "ll144": outcomes}


@pytest.mark.parametrize("name", EXPORTERS)
def test_an_exporter_keeps_the_contract(name: str, engine: Engine, tmp_path: Path) -> None:
    EXPORTERS[name](engine, tmp_path, name)


def emotions(folder: Path) -> list[str]:
    path = folder / "labelled.csv"
    rows = [f"{' '.join(['glad'] * i + ['table'] * (9 - i))},{i / 9}" for i in range(10) for _ in range(3)]
    path.write_text("\n".join(["text,joy", *rows]) + "\n", encoding="utf-8")
    return [str(path), "--emotion", "joy", "--out", "new", "--head", "ridge"]


def corpus(folder: Path) -> list[str]:
    (path := folder / "corpus.txt").write_text("He sings.\n", encoding="utf-8")
    return ["planted:gender=1", str(path), "--preview"]


COMMANDS = {"mitigate": corpus, "train-scorer": emotions}
"""The arguments of each, which write into the folder where it is called."""
TRACKERS = ("mlflow", "wandb")
"""Forms and commands of distributions whose own tests check them, as the commands need a package each."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_keeps_the_contract(name: str, engine: Engine, tmp_path: Path) -> None:
    skipped = check_command(name, COMMANDS[name](tmp_path), wrong=["nobody:x", "--out", "new"], engine=engine)
    assert not skipped


def test_every_command_is_here(everything: Engine) -> None:
    assert sorted([*COMMANDS, *TRACKERS]) == sorted(everything.plugins.commands.names)


def test_every_exporter_is_here(everything: Engine) -> None:
    assert sorted([*EXPORTERS, *TRACKERS]) == sorted(everything.plugins.exporters.names)
