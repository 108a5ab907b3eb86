"""Tests of kind ``nouns``: what a file may say, what it gives, and what the command line shows of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli.app import app
from biascore.errors import StimuliError
from biascore.stimuli import load_file
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest

from ..builders.kinds import KINDS

TOML = """schema = 1

[meta]
language = "es"
title = "Mine"
source = "Me"
licence = "CC0"

[lists]
m = { words = ["puente", "sol", "día"] }
f = { words = ["mesa", "luz", "mano", "noche"] }
m_learnt = { words = ["puente", "sol"] }
m_held_out = { words = ["día"] }
f_learnt = { words = ["mesa", "luz"] }
f_held_out = { words = ["noche"] }

[tests.mine]
kind = "nouns"
title = "Mine"
concept = "grammatical gender"
classes = { masculine = "m", feminine = "f" }
"""
SPLIT = """train = { masculine = "m_learnt", feminine = "f_learnt" }
test = { masculine = "m_held_out", feminine = "f_held_out" }
"""


def write(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "mine" / "es"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder / "mine.toml"


def loaded(tmp_path: Path, text: str) -> GenderedNounsTest:
    (test,) = load_file(write(tmp_path, text), "shown/mine.toml", kinds=KINDS).tests
    assert isinstance(test, GenderedNounsTest)
    return test


def test_classes_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    test = loaded(tmp_path, TOML)
    assert [(one.name, one.words) for one in test.classes] == [
        ("masculine", ("puente", "sol", "día")),
        ("feminine", ("mesa", "luz", "mano", "noche")),
    ]
    assert not test.is_split
    assert list(test.lists) == list(test.roles) == ["masculine", "feminine"]
    turned = TOML.replace('masculine = "m", feminine = "f"', 'feminine = "f", masculine = "m"')
    assert [one.name for one in loaded(tmp_path, turned).classes] == ["feminine", "masculine"]


def test_a_fixed_split_may_leave_words_spare(tmp_path: Path) -> None:
    test = loaded(tmp_path, TOML + SPLIT)
    assert test.is_split
    assert [(one.train, one.test) for one in test.classes] == [
        (("puente", "sol"), ("día",)),
        (("mesa", "luz"), ("noche",)),
    ]
    assert test.roles["feminine"].words == ("mesa", "luz", "mano", "noche")
    assert test.lists["feminine.test"].name == "feminine.test"


def test_what_is_not_held_out_is_learnt_from(tmp_path: Path) -> None:
    test = loaded(tmp_path, TOML + SPLIT.splitlines()[1] + "\n")
    assert [(one.train, one.test) for one in test.classes] == [
        (("puente", "sol"), ("día",)),
        (("mesa", "luz", "mano"), ("noche",)),
    ]


BROKEN = {
    "every noun held out": (
        TOML[TOML.index("m_held_out") :] + SPLIT,
        TOML[TOML.index("m_held_out") :].replace('["día"]', '["puente", "sol", "día"]') + SPLIT.splitlines()[1],
        ["tests.mine.test.masculine: holds every noun out"],
    ),
    "a noun of two classes": (
        '"mano", "noche"',
        '"día", "noche"',
        ["tests.mine.classes.feminine: has 'día', as masculine has"],
    ),
    "a noun twice": ('"luz", "mano"', '"luz", "luz"', ["tests.mine.classes.feminine: has 'luz' twice"]),
    "one class": ('{ masculine = "m", feminine = "f" }', '{ masculine = "m" }', ["fewer than two classes"]),
    "an unknown list": ('masculine = "m",', 'masculine = "mm",', ["classes.masculine", "no word list 'mm'"]),
    "a split of an unknown class": ('test = { masculine', 'test = { male', ["test has 'male'"]),
    "a class without a split": (', feminine = "f_held_out"', "", ["train.feminine: has no test part"]),
    "a held-out noun that is learnt": (
        'm_held_out = { words = ["día"] }',
        'm_held_out = { words = ["sol"] }',
        ["tests.mine.test.masculine: has 'sol', which train has too"],
    ),
    "a held-out noun of no class": (
        'f_held_out = { words = ["noche"] }',
        'f_held_out = { words = ["tarde"] }',
        ["tests.mine.test.feminine: has 'tarde', which the class does not have"],
    ),
    "an unknown key": ("concept =", 'targets = "m"\nconcept =', ["targets: is no key of this table"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_names_the_place_and_the_remedy(case: str, tmp_path: Path) -> None:
    old, new, told = BROKEN[case]
    text = TOML + SPLIT
    assert old in text
    with pytest.raises(StimuliError) as caught:
        load_file(write(tmp_path, text.replace(old, new)), "shown/mine.toml", kinds=KINDS)
    message = str(caught.value)
    assert message.startswith("shown/mine.toml")
    for part in (*told, "check it with:"):
        assert part in message


def test_a_split_of_some_classes_only_is_refused(tmp_path: Path) -> None:
    half = 'train = { masculine = "m_learnt" }\ntest = { masculine = "m_held_out" }\n'
    with pytest.raises(StimuliError, match=r"test\.masculine: is split, and 'feminine' is not"):
        load_file(write(tmp_path, TOML + half), "shown/mine.toml", kinds=KINDS)


def test_the_command_line_lists_and_shows_it(tmp_path: Path) -> None:
    root = str(write(tmp_path, TOML + SPLIT).parent.parent)
    listed = CliRunner().invoke(app, ["list", "tests", "es/mine", "--stimuli", root, "--json"])
    (row,) = json.loads(listed.stdout)
    assert (row["test"], row["kind"], row["size"]) == ("es/mine", "nouns", "3 + 4 + 2 + 1 + 2 + 1")
    shown = CliRunner().invoke(app, ["show", "es/mine", "--stimuli", root]).stdout
    for part in ("kind nouns", "masculine = masculine (3)", "feminine.test = feminine.test (1)", "noche"):
        assert part in shown
    as_json = json.loads(CliRunner().invoke(app, ["show", "es/mine", "--stimuli", root, "--json"]).stdout)
    assert as_json["roles"]["masculine.train"]["words"] == ["puente", "sol"]
