"""One test per hook that registers something; the hook of model plugins in every way it can be misused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

from biascore.api.commands import Command
from biascore.api.executors import Cluster, Executor
from biascore.api.formats import DataFile, DataFormat, Test
from biascore.api.languages import Language
from biascore.api.stimuli import WordList
from biascore.engine import worker
from biascore.errors import DataError, OptionsError, UnknownNameError
from biascore.plugins.loading import Plugins

from ..builders.transforms import Centre
from .made import adapter_of, engine_with, module_of, plugins_of, registers, wordlists_of


def test_hook_register_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = adapter_of(id="made")
    plugins = plugins_of(monkeypatch, module_of("made_plugin", register_adapters=registers(adapter)))
    assert plugins.adapters.get("made") is adapter
    assert plugins.adapters.owner("made").provides == ("adapter made",)


def test_hook_register_metrics(with_dists: Callable[..., None]) -> None:
    with_dists("biascore-test-stranger")
    assert "nearest-rate" in Plugins().metrics.names


def test_hook_register_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of("made_plugin", register_languages=registers(Language("xx", "Exish")))
    assert plugins_of(monkeypatch, module).languages["xx"] == Language("xx", "Exish")


def test_hook_register_wordlists(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = wordlists_of(tmp_path, "one", "first", "one.toml")
    engine = engine_with(monkeypatch, plugins_of(monkeypatch, module))
    assert engine.catalogue.test("xx/first").file == "one/xx/one.toml"
    assert engine.catalogue.word_list("xx/one/x").words == ("x1", "x2")


class Lines(DataFormat):
    """Every line of a file as a word list, in all four roles."""

    id = "lines"
    summary = "words, a line each"
    example = "lines:words.txt"

    def read(self, file: DataFile) -> Test:
        words = WordList("lines", tuple(file.path.read_text(encoding="utf-8").split()))
        roles = dict.fromkeys("XYAB", words)
        return Test(file.test, "weat", file.language, roles, file=file.display, sha256=file.sha256)


def test_hook_register_formats(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = module_of("made_plugin", register_formats=registers(Lines))
    plugins = plugins_of(monkeypatch, module)
    assert ("data format lines",) in {record.provides for record in plugins.records}
    engine = engine_with(monkeypatch, plugins)
    path = tmp_path / "some.words.txt"
    path.write_text("uno due", encoding="utf-8")
    test = engine.data("lines", path, language="it")
    assert (test.id, test.roles["X"].words, test.file) == ("it/some", ("uno", "due"), str(path))
    assert test.sha256 == hashlib.sha256(b"uno due").hexdigest()
    with pytest.raises(DataError, match=r"gone\.txt cannot be read .*Give the path"):
        engine.data("lines", tmp_path / "gone.txt", language="it")
    with pytest.raises(OptionsError, match="data format lines: wrong"):
        engine.data("lines", path, language="it", wrong=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'lines'"):
        engine.data("line", path, language="it")
    with pytest.raises(DataError, match="names no file of a dataset"):
        engine.data("lines", "hub:only/two", language="it")


def test_hook_register_transforms(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = plugins_of(monkeypatch, module_of("made_plugin", register_transforms=registers(Centre)))
    assert plugins.transforms.get("centre") is Centre
    assert ("transform centre",) in {record.provides for record in plugins.records}
    engine = engine_with(monkeypatch, plugins)
    with engine.model("planted:gender=1") as plain:
        clean = plain.with_transform("centre", words=("rose", "ant"))
        assert abs(clean.embed(["rose", "ant"]).sum(axis=0)).max() < 1e-5
        with pytest.raises(UnknownNameError, match="Did you mean 'centre'"):
            plain.with_transform("center")
        with pytest.raises(OptionsError, match="transform centre: wrods"):
            plain.with_transform("centre", wrods=("rose",))


def test_hook_register_mappings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "charter.toml"
    file.write_text(
        'name = "made"\ntitle = "A charter"\nversion = "1"\nsource = "a page"\n[grounds]\nage = ["Article 1"]\n',
        encoding="utf-8",
    )
    plugins = plugins_of(monkeypatch, module_of("made_plugin", register_mappings=registers(file)))
    assert plugins.mappings.get("made").grounds["age"] == ("Article 1",)
    assert next(one for one in plugins.records if one.name == "made_plugin").provides == ("mapping made 1",)


class Direct(Executor):
    """Another engine of clusters, whole: it runs each call at once."""

    name = "direct"
    summary = "this process"
    schemes = ("direct",)
    slots = 1

    @classmethod
    def connect(cls, cluster: Cluster) -> Self:  # noqa: ARG003
        return cls()

    def everywhere(self, call: Callable[[], Any]) -> dict[str, Any]:
        return {"only": call()}

    def submit(self, call: Callable[[], Any]) -> Any:
        return call()

    def close(self) -> None:
        """Nothing."""


def test_hook_register_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command("greet", "Greet somebody.", "made_plugin.greet:call")
    plugins = plugins_of(monkeypatch, module_of("made_plugin", register_commands=registers(command)))
    assert plugins.commands.get("greet") is command
    assert plugins.commands.owner("greet").provides == ("command greet",)


@pytest.mark.parametrize(
    ("register", "reason"),
    [
        (lambda register: register("greet"), "TypeError: registered 'greet', which is not a Command"),
        (lambda register: register(Command("a b", "s", "m:f")), "'a b', which is not a name"),
        (lambda register: register(Command("--version", "s", "m:f")), "which is not a name"),
        (lambda register: register(Command("greet", "one\ntwo", "m:f")), "which is not a summary"),
        (lambda register: register(Command("greet", "", "m:f")), "'', which is not a summary"),
        (lambda register: register(Command("greet", "s", "m.f")), "'m.f', which is not a target"),
        (lambda register: register(Command("greet", "s", print)), "which is no text"),  # type: ignore[arg-type]
        (registers(*[Command("greet", "s", "m:f")] * 2), "registered the command 'greet' twice"),
    ],
)
def test_what_is_no_command_fails_its_plugin(
    monkeypatch: pytest.MonkeyPatch, register: Callable[..., None], reason: str
) -> None:
    plugins = plugins_of(monkeypatch, module_of("made_plugin", register_commands=register))
    (record,) = [one for one in plugins.records if one.name == "made_plugin"]
    assert record.status == "failed"
    assert reason in record.reason
    assert "greet" not in plugins.commands.known


def test_hook_register_executors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plugins = plugins_of(monkeypatch, module_of("made_plugin", register_executors=registers(Direct)))
    assert plugins.executors.get("direct") is Direct
    assert ("executor direct",) in {record.provides for record in plugins.records}
    monkeypatch.setattr("biascore.engine.worker.Plugins", lambda: plugins)
    monkeypatch.setattr("biascore.engine.worker._checker", worker._checker.__wrapped__)
    (tmp_path / "v.txt").write_text("rose 1 0\nant 0 1\n", encoding="utf-8")
    engine = engine_with(monkeypatch, plugins, executor="direct://anywhere")
    with engine.model(f"fasttext:{tmp_path / 'v.txt'}") as model:
        assert model.embed(["ant"]).tolist() == [[0.0, 1.0]]
    engine.close()
    with pytest.raises(OptionsError, match="workers fits several executors: dask, direct"):
        engine_with(monkeypatch, plugins, executor=2).model(f"fasttext:{tmp_path / 'v.txt'}")
