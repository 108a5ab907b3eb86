"""Errors of an audit file and of options, in the words of what was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biascore import Audit, Engine
from biascore.errors import OptionsError, RefError
from biascore.models.refs import ModelRef

from ..builders.word_lists import weat_file, write_weat

GOOD = """seed = 7
[[models]]
ref = "planted:gender=1"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
"""
JARGON = (
    "Input should",
    "Field required",
    "Extra inputs",
    "tuple",
    "Tuple",
    "instance",
    "valid ",
    "pydantic",
)


def told(text: str, folder: Path) -> list[str]:
    """The lines of the error, each without the name of the file."""
    path = folder / "audit.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionsError) as info:
        Audit.load(path)
    *lines, last = str(info.value).splitlines()
    assert last == "The keys of an audit file are described in docs/audits.md."
    assert not [word for line in lines for word in JARGON if word in line]
    return [line.removeprefix(str(path)).lstrip(":") for line in lines]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (
            ("[[models]]", "[[model]]"),
            [
                "2: model is not known here. Did you mean models? There are: title, line, release, seed, adjust, design, "
                "not_asked, stimuli, require_plugins, data, models, measurements, gates, scenarios, mappings"
            ],
        ),
        (
            ('["en/weat7"]', '"en/weat7"'),
            [
                '6: tests of [[measurements]] number 1 must be a list, such as ["en/weat7"], and is \'en/weat7\''
            ],
        ),
        (('["en/weat7"]', "[]"), ["6: tests of [[measurements]] number 1 must not be empty"]),
        (("seed = 7", 'seed = "7"'), ["1: seed must be a whole number, and is '7'"]),
        (("seed = 7", "seed = true"), ["1: seed must be a whole number, and is True"]),
        (("seed = 7", "seed = -7"), ["1: seed must be greater than or equal to 0, and is -7"]),
        (
            ("ref = ", "reff = "),
            ["3: reff of [[models]] number 1 is not known here. Did you mean ref? There are: ref, name, options, "
             "transforms, before"],
        ),
        (
            ('ref = "planted:gender=1"', "ref = 5"),
            ['3: ref of [[models]] number 1 must be text in quotes, such as "5", and is 5'],
        ),
        (
            ('metric = "weat"', 'metric = "weat"\noptions = 5'),
            ["6: options of [[measurements]] number 1 must be a table, such as { key = 1 }, and is 5"],
        ),
        (
            ('ref = "planted:gender=1"', 'ref = "planted:gender=1"\ntransforms = [{ nme = "centre" }]'),
            ["4: transforms.0.nme of [[models]] number 1 is not known here. Did you mean name? There are: name, options"],
        ),
        (
            ('ref = "planted:gender=1"', 'ref = "planted:gender=1"\nbefore = true'),
            ["4: before of [[models]] number 1: says to measure the model also before its transforms, and it has none. "
             "Add transforms = [...]"],
        ),
        (
            ("[[models]]", "[models]"),
            ["2: [[models]] must be a list of tables, and is one table: write it with two brackets"],
        ),
    ],
)  # fmt: skip
def test_an_audit_file_is_told_what_is_wrong(
    tmp_path: Path, change: tuple[str, str], lines: list[str]
) -> None:
    assert told(GOOD.replace(*change), tmp_path) == lines


def test_what_is_missing_is_named_as_it_is_written(tmp_path: Path) -> None:
    assert told("seed = 1\n", tmp_path) == [" [[models]] is missing", " [[measurements]] is missing"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"ddoff": 1}, "ddoff is not known here. Did you mean ddof? Its options, with defaults: "),
        ({"ddof": "x"}, "ddof must be 0 or 1, and is 'x'"),
        ({"level": "tok"}, "level must be 'sentence' or 'token', and is 'tok'"),
        ({"draws": True}, "draws must be a whole number, and is True"),
    ],
)
def test_options_are_told_what_is_wrong(options: dict[str, Any], text: str) -> None:
    with pytest.raises(OptionsError) as info:
        Engine(cache=None).measure("weat", "planted:gender=1", "en/weat7", **options)
    assert text in str(info.value)
    assert not [word for word in JARGON if word in str(info.value)]


def test_options_that_do_not_go_together_are_told_without_a_key() -> None:
    with pytest.raises(OptionsError, match="pairwise-distance: reference and reference_gap both say"):
        Engine(cache=None).measure(
            "pairwise-distance", "planted:gender=1", "es/nouns", reference="x", reference_gap=0.1
        )


def test_an_audit_that_is_not_there_names_what_is_near(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(OptionsError, match=r"there is no such file. Did you mean .*audit.toml\?"):
        Audit.load(tmp_path / "audti.toml")
    with pytest.raises(OptionsError, match=r"is a folder, and an audit is a file. .* holds .*audit.toml"):
        Audit.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ("cc.it.300.bin", "fasttext:cc.it.300.bin"),
        ("C:\\models\\x.vec", "fasttext:C:\\models\\x.vec"),
        ("folder", "hf:folder"),
    ],
)
def test_a_path_without_an_adapter_is_understood(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, guess: str
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RefError) as info:
        ModelRef.parse(text)
    assert f"Did you mean {guess}? " in str(info.value)


def test_own_stimuli_named_twice_are_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_weat(tmp_path / "my", weat_file("own", language="nl", concept="own"), language="nl")
    path = tmp_path / "audit.toml"
    path.write_text(
        'stimuli = ["my"]\n' + GOOD.replace("en/weat7", "nl/own").replace("gender", "own"), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    for again in (["my"], ["my", str(tmp_path / "my")], [tmp_path / "my" / ".." / "my"]):
        Engine(cache=None, stimuli=again).check(path)
