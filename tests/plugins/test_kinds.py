"""Kinds of test and diagnostics that plugins bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from biascore import Engine
from biascore.api.metrics import Caveat, Estimate, Model, Test
from biascore.api.stimuli import WordList
from biascore.designs.crossed import Crossed
from biascore.errors import StimuliError
from biascore.metric import Context, Diagnosis, Diagnostic
from biascore.stimuli.entries import AboutTest, Prose, RolesEntry, TestEntry, Words

Register = Callable[[Any], None]
TOML = """
schema = 1
[meta]
language = "eo"
title = "t"
source = "s"
licence = "CC0-1.0"
[lists.targets]
words = ["viro", "virino"]
[lists.good]
words = ["bona", "bela"]
[lists.bad]
words = ["malbona", "malbela"]
[tests.mine]
kind = "mean"
title = "Mine"
concept = "gender"
positive_means = "targets are near to the attributes"
T = "targets"
A = ["good", "bad"]
[[tests.mine.published]]
what = "MAC"
value = 0.5
model = "w2v"
source = "table 1"
comparable = false
"""


class MeanTest(Test):
    """A test that says how it is planted."""

    __slots__ = ()

    @property
    def contrast(self) -> Mapping[str, WordList]:
        x, y = (WordList(word, (word,)) for word in self.roles["T"].words)
        return {"X": x, "Y": y, "A": self.roles["A.good"], "B": self.roles["A.bad"]}


class MeanEntry(RolesEntry):
    """``[tests.ID]`` of kind ``mean``."""

    roles: ClassVar[tuple[str, ...]] = ("T", "A")

    kind: Literal["mean"]
    T: Prose
    A: Words

    def test(self, roles: Mapping[str, WordList], about: AboutTest) -> Test:
        return MeanTest(roles=roles, positive_means=self.positive_means, **about)


class Every(Diagnostic):
    """Says something of all crossed scores."""

    name = "every"
    summary = "something of all"
    reads = (Crossed,)

    def diagnose(self, model: Model, test: Test, scores: Crossed, context: Context) -> Diagnosis:
        n = {"cells": scores.table.size}
        return Diagnosis(
            (Caveat("looked at", short="seen"),),
            (Estimate(name="largest", value=float(scores.table.max()), unit="cosine", n=n),),
            {"looked": True},
        )


def files(tmp_path: Path, text: str = TOML) -> str:
    (tmp_path / "eo").mkdir()
    (tmp_path / "eo" / "mine.toml").write_text(text, encoding="utf-8")
    return str(tmp_path)


def kinds(*entries: Any) -> dict[str, Any]:
    def register_kinds(register: Register) -> None:
        for entry in entries:
            register(entry)

    return {"register_kinds": register_kinds}


def test_hook_register_kinds(install: Callable[..., Any], tmp_path: Path) -> None:
    plugins = install(**kinds(MeanEntry))
    from biascore.plugins.stimuli import read_catalogue

    test = read_catalogue(plugins, [Path(files(tmp_path))]).test("eo/mine")
    assert (test.kind, list(test.roles), len(test.published)) == ("mean", ["T", "A.good", "A.bad"], 1)
    assert isinstance(test, MeanTest)
    assert test.roles["A.bad"].words == ("malbona", "malbela")
    assert "kind of test mean" in {one for record in plugins.records for one in record.provides}


def test_a_file_of_an_unknown_kind_names_those_there_are(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(
        StimuliError, match=r"'mean' is no kind of test. Known kinds: weat, .*fise.*see biascore plugins"
    ):
        Engine(cache=None, stimuli=[files(tmp_path)])


def test_a_list_that_is_missing_is_named(install: Callable[..., Any], tmp_path: Path) -> None:
    from biascore.plugins.stimuli import read_catalogue

    with pytest.raises(
        StimuliError, match=r"tests.mine.A\[1\]: there is no word list 'bda' in this file. Did you mean bad"
    ):
        read_catalogue(
            install(**kinds(MeanEntry)),
            [Path(files(tmp_path, TOML.replace('"good", "bad"', '"good", "bda"')))],
        )


class Nameless(TestEntry):
    """Does not say its kind."""


class Taken(MeanEntry):
    """Brings a section that is biascore's."""

    sections: ClassVar = {"lists": None}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (Nameless, "does not say which kind it is"),
        (Taken, "section 'lists', which is biascore's own"),
        (int, "not a subclass"),
    ],
)
def test_a_kind_that_cannot_be_used_is_refused(install: Callable[..., Any], entry: Any, told: str) -> None:
    record = next(one for one in install(**kinds(entry)).records if one.name == "made")
    assert record.status == "failed"
    assert told in record.reason


def test_hook_register_diagnostics(install: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def register_diagnostics(register: Register) -> None:
        register(Every)

    plugins = install(register_diagnostics=register_diagnostics)
    monkeypatch.setattr("biascore.engine.engine.Plugins", lambda: plugins)
    (found,) = Engine(cache=None).measure(
        "weat", "planted:gender=1", "en/weat6", reference="none", resamples=100
    )
    assert "seen" in found.doubts
    assert found.estimate("largest").value is not None
    assert found.conventions["looked"] is True


def test_an_effect_is_planted_in_a_kind_that_states_a_contrast(
    install: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plugins = install(**kinds(MeanEntry))
    monkeypatch.setattr("biascore.engine.engine.Plugins", lambda: plugins)
    with Engine(cache=None, stimuli=[files(tmp_path)]).model("planted:eo/mine=1.5") as model:
        viro, virino, bona, malbona = model.embed(["viro", "virino", "bona", "malbona"]).astype(float)
    assert (viro - virino) @ (bona - malbona) > 0.05
