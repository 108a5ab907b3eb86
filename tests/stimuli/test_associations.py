"""Tests of kind ``associations``: what a file may say, what it gives, and what the command line shows of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli.app import app
from biascore.engine.engine import Engine
from biascore.errors import StimuliError
from biascore.stimuli import Catalogue, load_file
from biascore_metrics.robust.items import AssociationsTest

from ..builders.kinds import KINDS

TOML = """schema = 1

[meta]
language = "en"
title = "Mine"
source = "Me"
licence = "CC0"

[pairs.people]
sides = ["female", "male"]
pairs = [["mother", "father"], ["she", "he"]]

[lists.traits]
words = ["calm", "at_ease"]

[lists.articles]
words = ["a", "an"]

[lists.neo]
words = ["xe"]

[templates.plain]
slots = ["[ARTICLE]", "[attribute]", "[target]", "[OWN]"]
sentences = ["[attribute] is [ARTICLE] [target] person.", "[attribute] is known for [OWN] [target] ways."]

[forms.english]
pieces = ["[OWN]", "[attribute]"]
groups = { male = ["his"], female = ["her"] }
words = { xe = ["xyr", "[xe]"], he = ["his", "oh [he]"] }

[tests.mine]
kind = "associations"
title = "Mine"
concept = "gender"
templates = ["plain"]
targets = "traits"
groups = { male = "people.male", female = "people.female", neo = "neo" }
choices = { "[ARTICLE]" = ["articles"] }
forms = "english"
"""


def write(tmp_path: Path, text: str = TOML) -> Path:
    folder = tmp_path / "mine" / "en"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder / "mine.toml"


def loaded(tmp_path: Path) -> AssociationsTest:
    (test,) = load_file(write(tmp_path), "shown/mine.toml", kinds=KINDS).tests
    assert isinstance(test, AssociationsTest)
    return test


def test_a_file_gives_groups_targets_and_choices(tmp_path: Path) -> None:
    test = loaded(tmp_path)
    assert [(group.name, group.words, group.pairs) for group in test.groups] == [
        ("male", ("father", "he"), "people"),
        ("female", ("mother", "she"), "people"),
        ("neo", ("xe",), ""),
    ]
    assert test.targets.words == ("calm", "at_ease")
    assert test.choices == {"[ARTICLE]": ("a", "an")}
    assert test.opposites is None
    assert {role: words.words for role, words in test.roles.items()}["neo"] == ("xe",)
    assert list(test.lists) == ["templates.plain", "targets", "male and female", "neo", "[ARTICLE]", "forms"]


def test_forms_take_the_place_of_pieces(tmp_path: Path) -> None:
    test, (plain, known) = loaded(tmp_path), (s for s in loaded(tmp_path).templates[0].sentences)
    assert [(part.text, part.slot) for part in test.parts(plain, "male", "father")] == [
        ("father", "[attribute]"), (" is ", ""), ("", "[ARTICLE]"), (" ", ""), ("", "[target]"), (" person.", "")
    ]  # fmt: skip
    assert [(part.text, part.slot) for part in test.parts(known, "male", "he")] == [
        ("oh ", ""), ("he", "[attribute]"), (" is known for ", ""), ("his", "[agreeing]"), (" ", ""),
        ("", "[target]"), (" ways.", ""),
    ]  # fmt: skip


BROKEN = {
    "unknown list of templates": (
        'templates = ["plain"]',
        'templates = ["plian"]',
        ["tests.mine.templates", "no list of templates 'plian'", "Did you mean plain?", "[templates.plian]"],
    ),
    "unknown side": (
        '"people.male"',
        '"people.men"',
        ["tests.mine.groups.male", "no word list or side of pairs 'people.men'", "NAME.SIDE"],
    ),
    "unknown choice": ('["articles"]', '["artcles"]', ["Did you mean articles?"]),
    "unknown forms": ('forms = "english"', 'forms = "german"', ["tests.mine.forms", "[forms.german]"]),
    "one group": (
        'groups = { male = "people.male", female = "people.female", neo = "neo" }',
        'groups = { male = "people.male" }',
        ["tests.mine", "fewer than two groups"],
    ),
    "a group called targets": ("neo = ", "targets = ", ["groups has one called 'targets'"]),
    "no target in a template": (
        '"[attribute] is [ARTICLE] [target] person."',
        '"[attribute] is [ARTICLE] person."',
        ["tests.mine.templates", "'[attribute] is [ARTICLE] person.'", "has [target] 0 times"],
    ),
    "the attribute twice": (
        '"[attribute] is [ARTICLE] [target] person."',
        '"[attribute] is [ARTICLE] [target] [attribute]."',
        ["has [attribute] 2 times"],
    ),
    "a slot that nothing fills": (
        'choices = { "[ARTICLE]" = ["articles"] }\n',
        "",
        ["has the slot [ARTICLE], which neither choices nor forms fill"],
    ),
    "a group without a form": (
        'female = ["her"]',
        'femal = ["her"]',
        ["with 'mother' of female", "has the slot [OWN]"],
    ),
    "a form that loses the attribute": ('"[xe]"', '"xe"', ["with 'xe' of neo", "has [attribute] 0 times"]),
    "a form too few": ('xe = ["xyr", "[xe]"]', 'xe = ["xyr"]', ["forms.english", "one for each of 2 pieces"]),
    "a form too many": ('male = ["his"]', 'male = ["his", "a", "b"]', ["groups.male has 3 forms for 2"]),
    "a slot without brackets": ('"[ARTICLE]" =', "ARTICLE =", ["tests.mine.choices.ARTICLE"]),
    "an unknown key": ('targets = "traits"', 'targets = "traits"\nX = "y"', ["X: is no key of this table"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_names_the_place_and_the_remedy(case: str, tmp_path: Path) -> None:
    old, new, told = BROKEN[case]
    assert old in TOML
    with pytest.raises(StimuliError) as caught:
        load_file(write(tmp_path, TOML.replace(old, new)), "shown/mine.toml", kinds=KINDS)
    message = str(caught.value)
    assert message.startswith("shown/mine.toml")
    assert "check it with:" in message
    for part in told:
        assert part in message


def test_the_command_line_lists_and_shows_it(tmp_path: Path) -> None:
    root = str(write(tmp_path).parent.parent)
    listed = CliRunner().invoke(app, ["list", "tests", "en/mine", "--stimuli", root, "--json"])
    (row,) = json.loads(listed.stdout)
    assert (row["test"], row["kind"], row["size"]) == ("en/mine", "associations", "2 + 2 + 2 + 1 + 2 + 4")
    shown = CliRunner().invoke(app, ["show", "en/mine", "--stimuli", root]).stdout
    for part in (
        "kind associations",
        "mother/father",
        "calm, at_ease",
        "xe: xyr | [xe]",
        "of: [OWN] | [attribute]",
    ):
        assert part in shown
    as_json = json.loads(CliRunner().invoke(app, ["show", "en/mine", "--stimuli", root, "--json"]).stdout)
    assert as_json["roles"]["forms"]["words"] == {"xe": ["xyr", "[xe]"], "he": ["his", "oh [he]"]}
    assert as_json["roles"]["neo"]["words"] == ["xe"]


def test_nine_dimensions_ship(tmp_path: Path) -> None:
    catalogue: Catalogue = Engine(cache=None).catalogue
    found = catalogue.select(["en/character_*", "en/personality_*"])
    assert len(found) == 9
    sizes = []
    for test in found:
        assert isinstance(test, AssociationsTest)
        assert [group.name for group in test.groups] == ["male", "female", "neo"]
        assert [len(group.words) for group in test.groups] == [94, 94, 5]
        assert sum(len(some.sentences) for some in test.templates) == 6
        assert test.opposites is not None
        assert len(test.opposites.words) == len(test.targets.words)
        sizes.append(len(test.targets.words))
    assert sorted(sizes) == [7, 7, 7, 7, 7, 7, 10, 13, 17]  # Table 13
