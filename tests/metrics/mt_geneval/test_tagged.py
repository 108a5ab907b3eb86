"""A line with a tag left in it is lost with its reason, and what is left is measured."""

from __future__ import annotations

from pathlib import Path

from biascore import Engine
from biascore.stats import Verdict

from ...builders.models import model_of
from .conftest import SENTENCES, Translator, read, write


def test_a_tagged_line_is_lost_and_the_others_are_measured(engine: Engine, tmp_path: Path) -> None:
    files = {
        name: tuple(f"{line} {k}" for k in range(4) for line in lines) for name, lines in SENTENCES.items()
    }
    files["feminine.it"] = ("È una <F>cuoca</F>.", *files["feminine.it"][1:])
    test = read(write(tmp_path, files, "sentences"))
    by_source = {line.source: line.own for line in test.lines.rows}
    found = engine.measure("mt-geneval", model_of(Translator(by_source.__getitem__)), test)[0]
    assert found.verdict is not Verdict.NOT_MEASURED
    assert found.headline.value == 0
    lost = [(one.word, one.role) for one in found.coverage.lost if "tags" in one.reason]
    assert lost == [("line 1", "feminine"), ("line 1", "masculine")]
    assert found.coverage.given["feminine"] == 16
    assert found.coverage.used["feminine"] < 16
