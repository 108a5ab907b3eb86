"""Texts in another script than their language is usually written in are counted in a caveat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.basics.scripts import main_script, other_script

RUSSIAN, LATIN = "Повар опоздал на рынок.", "Povar opozdal na rynok."


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Le café", "Latin"),
        (RUSSIAN, "Cyrillic"),
        ("谁看不懂秤？", "Chinese characters"),
        ("ひらがな", "Japanese"),
        ("누가", "Hangul"),
        ("{person:object} يشعر", "Arabic"),
        ("[DET] [attribute] кот", "Cyrillic"),
        ("12 — 3", ""),
        ("", ""),
    ],
)
def test_the_script_of_most_letters(text: str, script: str) -> None:
    assert main_script(text) == script


@pytest.mark.parametrize(
    ("texts", "tag", "found"),
    [
        ([RUSSIAN] * 3, "ru", None),
        ([RUSSIAN] + [LATIN] * 2, "ru", ("Latin", "Cyrillic", 2, 3)),
        ([RUSSIAN, LATIN], "ru", None),
        ([LATIN, LATIN, "12", ""], "rus", ("Latin", "Cyrillic", 2, 2)),
        ([LATIN] * 3, "ru-Latn", None),
        ([RUSSIAN] * 3, "ru-Latn", ("Cyrillic", "Latin", 3, 3)),
        ([LATIN] * 3, "sr", None),
        ([RUSSIAN] * 3, "sr-Latn", ("Cyrillic", "Latin", 3, 3)),
        (["谁看不懂秤？"], "ja", None),
        (["谁看不懂秤？"], "zh", None),
        (["谁看不懂秤？"], "zh-Hant", None),
        (["ひらがな"], "zh", ("Japanese", "Chinese characters", 1, 1)),
        ([LATIN], "und", None),
        ([], "ru", None),
    ],
)
def test_texts_in_another_script_than_the_usual_one(texts: list[str], tag: str, found: Any) -> None:
    assert other_script(texts, tag) == found


def measured(folder: Path, texts: list[str], language: str) -> Any:
    pair = {"stereo_antistereo": "stereo", "bias_type": "age"}
    rows = [{**pair, "sent_more": text, "sent_less": f"{text} {text}"} for text in texts]
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    engine = Engine(cache=None)
    test = engine.data("crows-pairs", path, language=language)
    (found,) = engine.measure("crows-pairs", "planted:gender=1", test)
    return found


def test_it_is_measured_with_a_caveat_that_names_both_and_the_count(tmp_path: Path) -> None:
    other = measured(tmp_path, [LATIN, LATIN, LATIN, RUSSIAN], "ru")
    usual = measured(tmp_path, [RUSSIAN] * 4, "ru")
    assert other.headline is not None
    told = other.warnings[0]
    assert told.startswith(
        "3 of the 4 texts of ru/x are not written in Cyrillic, in which Russian usually is, but in Latin"
    )
    assert other.doubts[0] == "3 of 4 texts are in Latin and not in Cyrillic"
    assert not any("Cyrillic" in one for one in usual.warnings)
