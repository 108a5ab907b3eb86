"""A small stimuli file with a test of kind ``equity``, written for the tests; and what reads it."""

from __future__ import annotations

from pathlib import Path

from biascore.stimuli import load_file
from biascore_metrics.eec.items import EquityTest

from ..builders.kinds import KINDS

# Two genders and no more would hide what is fixed to two; so three of each factor, and a pronoun of its own verbs.
TOML = """schema = 1

[meta]
language = "en"
title = "Mine"
source = "Me"
licence = "CC0"

[persons.names]
kind = "name"
unchanged = ["object"]
cells = [
  { levels = { origin = "north", gender = "male" }, persons = ["Odd"] },
  { levels = { origin = "north", gender = "female" }, persons = ["Ida", "Una"] },
  { levels = { origin = "north", gender = "nonbinary" }, persons = ["Kim"] },
  { levels = { origin = "south", gender = "male" }, persons = ["Ugo"] },
  { levels = { origin = "south", gender = "female" }, persons = ["Anna"] },
  { levels = { origin = "south", gender = "nonbinary" }, persons = ["Andrea"] },
  { levels = { origin = "east", gender = "male" }, persons = ["Ivo"] },
  { levels = { origin = "east", gender = "female" }, persons = ["Ewa"] },
  { levels = { origin = "east", gender = "nonbinary" }, persons = ["Sasha"] },
]

[persons.phrases]
kind = "noun phrase"
cells = [
  { levels = { gender = "male" }, persons = [{ base = "he", object = "him" }] },
  { levels = { gender = "female" }, persons = [{ base = "she", object = "her" }] },
  { levels = { gender = "nonbinary" }, persons = [{ base = "they", object = "them", variant = "many" }] },
]

[emotion_words.feelings.slots.state]
anger = ["angry", "irate"]
joy = ["glad"]

[emotion_words.feelings.slots.situation]
anger = ["awful"]
joy = [{ id = "fun", base = "hilarious", plural = "hilarious ones" }]

[equity_templates.sentences.of]
feels = { text = "{person} feels {state}", many = "{person} feel {state}" }
found = "{person} found {self:gender} in a {situation} place"
saw = "we saw {person:object}"

[grammars.english]
capital = true
final = "."
rules = [{ text = "a", before = ["a", "e", "i", "o", "u"], becomes = "an" }]
agreement = { gender = { male = "masculine", female = "feminine", nonbinary = "neutral" } }
pieces = { self = { masculine = "himself", feminine = "herself", neutral = "themself" } }

[tests.mine]
kind = "equity"
title = "Mine"
concept = "origin and gender"
templates = "sentences"
persons = ["names", "phrases"]
words = "feelings"
grammar = "english"
factors = { origin = ["north", "south", "east"], gender = ["male", "female", "nonbinary"] }
"""


def write(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "mine" / "en"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder / "mine.toml"


def loaded(tmp_path: Path, text: str = TOML) -> EquityTest:
    (test,) = load_file(write(tmp_path, text), "shown/mine.toml", kinds=KINDS).tests
    assert isinstance(test, EquityTest)
    return test


def changed(old: str, new: str, text: str = TOML) -> str:
    assert old in text
    return text.replace(old, new, 1)
