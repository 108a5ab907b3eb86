"""One test whose words are tagged by part of speech, templates by tag, and how SEAT measures it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.metrics import Model

META = '[meta]\nlanguage = "xx"\ntitle = "t"\nsource = "s"\nlicence = "CC0"\n'
TEMPLATES = {
    "noun": ["WORD is here.", "this is WORD."],
    "adjective": ["it is WORD.", "home is WORD.", "WORD is over it."],
    "verb": ["nobody noticed WORD."],
}
WORDS = {
    "X": {"he": "noun", "father": "noun", "king": "noun", "lazy": "adjective"},
    "Y": {"she": "noun", "mother": "noun", "queen": "noun", "quick": "adjective"},
    "A": {"mathematics": "noun", "engineer": "noun", "brown": "adjective"},
    "B": {"poetry": "noun", "nurse": "noun", "walked": "verb"},
}
FAST: dict[str, Any] = {"resamples": 100}


def stimuli(
    folder: Path, words: dict[str, dict[str, str]], templates: dict[str, list[str]] = TEMPLATES
) -> Path:
    """A folder with one test, ``xx/test``, whose words are tagged, and templates by tag."""
    (folder / "xx").mkdir(parents=True, exist_ok=True)
    lists = ""
    for role, tags in words.items():
        lists += f"[lists.list{role}]\nwords = {json.dumps(list(tags))}\n[lists.list{role}.parts_of_speech]\n"
        for tag in dict.fromkeys(filter(None, tags.values())):
            lists += f"{tag} = {json.dumps([word for word, own in tags.items() if own == tag])}\n"
    roles = "".join(f'{role} = "list{role}"\n' for role in words)
    test = f'[tests.test]\nkind = "weat"\ntitle = "t"\nconcept = "c"\npositive_means = "p"\n{roles}'
    (folder / "xx" / "words.toml").write_text(f"schema = 1\n{META}{lists}{test}", encoding="utf-8")
    tables = "".join(
        f'[templates.{tag}]\nslots = ["WORD"]\nsentences = {sentences}\n'
        for tag, sentences in templates.items()
    )
    (folder / "xx" / "seat.toml").write_text(f"schema = 1\n{META}{tables}", encoding="utf-8")
    return folder


def measure(folder: Path, model: str | Model, **options: Any) -> Measurement:
    return Engine(stimuli=[folder], cache=None).measure("seat", model, "xx/test", **FAST, **options)[0]
