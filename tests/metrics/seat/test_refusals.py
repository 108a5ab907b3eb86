"""Words, templates and options that SEAT refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import OptionsError, StimuliError

from .tagged import META, WORDS, measure, stimuli


@pytest.mark.parametrize(
    ("changes", "error", "told"),
    [
        (
            {"he": ""},
            StimuliError,
            r"xx/test: no part of speech says .*'he' \(X, list listX\).*noun, adjective, verb",
        ),
        (
            {"he": "pronoun"},
            StimuliError,
            r"no templates for words with the tag 'pronoun': he.*noun, adjective, verb",
        ),
    ],
)
def test_words_without_sentences(
    tmp_path: Path, changes: dict[str, str], error: type[Exception], told: str
) -> None:
    folder = stimuli(tmp_path, {**WORDS, "X": {**WORDS["X"], **changes}})
    with pytest.raises(error, match=told):
        measure(folder, "planted:")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            'slots = ["WORD"]\nsentences = ["WORD is WORD."]',
            "'WORD is WORD.' has the slot WORD 2 times. Write it once",
        ),
        ('slots = ["WORD", "NAME"]\nsentences = ["NAME is WORD."]', "xx/seat/noun: has the slots WORD, NAME"),
        ('slots = ["WORD"]\nsentences = ["he is here."]', "holds none of the slots WORD"),
    ],
)
def test_templates_that_cannot_be_used(tmp_path: Path, table: str, told: str) -> None:
    folder = stimuli(tmp_path, WORDS)
    path = folder / "xx" / "seat.toml"
    kept = path.read_text(encoding="utf-8").split("[templates.adjective]")[1]
    path.write_text(
        f"schema = 1\n{META}[templates.noun]\n{table}\n[templates.adjective]{kept}", encoding="utf-8"
    )
    with pytest.raises(StimuliError, match=told):
        measure(folder, "planted:")


def test_options_that_cannot_be_used(mine: Path) -> None:
    with pytest.raises(
        OptionsError, match=r"'seats' names no templates.*Did you mean seat\?.*xx/seats\.toml"
    ):
        measure(mine, "planted:", templates="seats")
    with pytest.raises(OptionsError, match=r"templates.*is empty; name the stimuli file"):
        measure(mine, "planted:", templates=" ")
    with pytest.raises(OptionsError, match=r"en/weat1: 100 \+ 100 sentences have too many partitions"):
        Engine(cache=None).measure("seat", "planted:", "en/weat1", unit="sentence", permutation="exact")
    with pytest.raises(OptionsError, match="unit"):
        measure(mine, "planted:", unit="template")


def test_words_of_a_language_without_any_file_have_no_templates() -> None:
    with pytest.raises(OptionsError, match="'seat' names no templates"):
        Engine(cache=None).measure("seat", "planted:", {"X": "ab", "Y": "cd", "A": "ef", "B": "gh"})
