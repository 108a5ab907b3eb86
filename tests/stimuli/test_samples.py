"""Samples of stereotypes in a stimuli file."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.errors import StimuliError
from biascore.stimuli import load_file
from biascore_metrics.gest.kind import Sample, SamplesTest, Stereotype

from ..builders.kinds import KINDS

HEAD = 'schema = 1\n[meta]\nlanguage = "en"\ntitle = "t"\nsource = "s"\nlicence = "l"\n'
BODY = """
[samples.mine]
stereotypes = [{id = 1, name = "Weak", gender = "female"}, {id = 2, name = "Tough", gender = "male"}]
samples = [{sentence = "I was lost.", stereotype = 1}, {sentence = "I won.", stereotype = 2}]

[tests.mine]
kind = "samples"
title = "Mine"
concept = "gender"
samples = "mine"
"""


def load(tmp_path: Path, body: str) -> SamplesTest:
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + body, encoding="utf-8")
    (test,) = load_file(path, "mine.toml", kinds=KINDS).tests
    assert isinstance(test, SamplesTest)
    return test


def test_a_test_of_samples(tmp_path: Path) -> None:
    test = load(tmp_path, BODY)
    assert test.kind == "samples"
    assert test.samples.stereotypes == (Stereotype(1, "Weak", "female"), Stereotype(2, "Tough", "male"))
    assert test.samples.rows == (Sample("I was lost.", 1), Sample("I won.", 2))
    assert "man's mouth" in test.positive_means
    assert dict(test.lists) == {"samples": test.samples}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("stereotype = 2}", "stereotype = 3}", "'I won.' is of stereotype 3"),
        ("{id = 2", "{id = 1", "two stereotypes with the id 1"),
        ('gender = "male"', 'gender = "both"', "must be 'female' or 'male'"),
        (
            'samples = "mine"',
            'samples = "mien"',
            r"no list of samples 'mien' .*Did you mean mine.*\[samples.mien\]",
        ),
        ('{sentence = "I won.", stereotype = 2}', '{sentence = "I won."}', "stereotype: is missing"),
        ('"I was lost."', '" "', "is empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in BODY
    with pytest.raises(StimuliError, match=message) as caught:
        load(tmp_path, BODY.replace(old, new))
    assert "mine.toml, line" in str(caught.value)
