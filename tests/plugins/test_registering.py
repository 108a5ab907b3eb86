"""What a plugin registers is checked, and what two of them give is nobody's until the user says whose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Engine
from biascore.api.adapters import Adapter
from biascore.errors import PluginError, UnknownNameError

from ..builders.word_lists import write_weat
from .made import adapter_of, engine_with, lists_of, module_of, plugins_of, registers, wordlists_of


class Panic(BaseException):
    """What a compiled extension raises when it panics: no Exception."""


def raises(error: BaseException) -> Callable[..., None]:
    def hook(register: Callable[..., None]) -> None:
        raise error

    return hook


@pytest.mark.parametrize(
    ("hook", "function", "reason"),
    [
        ("register_adapters", raises(Panic("index out of bounds")), "Panic: index out of bounds"),
        (
            "register_adapters",
            registers(adapter_of(capabilities=frozenset({"smell"}))),
            "names smell; there are embed",
        ),
        ("register_adapters", registers(adapter_of(), adapter_of()), "registered 'made' twice"),
        ("register_adapters", registers(adapter_of(load=Adapter.load)), "MadeAdapter lacks load()"),
        ("register_languages", registers("eo"), "registered 'eo', which is not a Language"),
        ("register_wordlists", registers((Path("nowhere"), "made/xx")), "made/xx: there is no such folder"),
        ("register_wordlists", registers((None, "made/xx")), "AttributeError"),
    ],
)
def test_a_bad_registration_fails_its_plugin_only(
    monkeypatch: pytest.MonkeyPatch, hook: str, function: Callable[..., None], reason: str
) -> None:
    plugins = plugins_of(monkeypatch, module_of("made_plugin", **{hook: function}))
    record = next(r for r in plugins.records if r.name == "made_plugin")
    assert record.status == "failed"
    assert reason in record.reason
    assert {r.status for r in plugins.records if r.dist == "biascore"} == {"loaded"}
    with pytest.raises(UnknownNameError):
        plugins.adapters.get("made")


def test_a_stranger_cannot_take_over_a_first_party_id(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = plugins_of(
        monkeypatch, module_of("usurper", register_adapters=registers(adapter_of(id="planted")))
    )
    assert plugins.adapters.owner("planted").name == "adapter-planted"
    assert {"planted", "fasttext", "hf"} <= set(plugins.adapters.names)
    record = next(r for r in plugins.records if r.name == "usurper")
    assert record.status == "conflict"
    assert "adapter 'planted' is that of plugin 'adapter-planted' of biascore" in record.reason
    assert {r.status for r in plugins.records if r.dist == "biascore"} == {"loaded"}


def test_two_plugins_with_one_file_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = wordlists_of(tmp_path, "one", "first", "same.toml")
    two = wordlists_of(tmp_path, "two", "second", "Same.toml")
    engine = engine_with(monkeypatch, plugins_of(monkeypatch, one, two))
    assert {r.name for r in engine.plugins.records if r.status == "conflict"} == {"one", "two"}
    assert "xx" not in engine.catalogue.languages
    with pytest.raises(
        PluginError, match=r"stimuli file 'xx/same.toml' is provided by plugin 'one' .* 'two'"
    ):
        engine.measure("weat", "planted:gender=1", "xx/first")


def test_a_users_folder_may_settle_a_conflict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = wordlists_of(tmp_path, "one", "same", "one.toml")
    two = wordlists_of(tmp_path, "two", "same", "two.toml")
    own = tmp_path / "own"
    write_weat(own, lists_of("same"), language="xx", name="mine.toml")
    engine = engine_with(monkeypatch, plugins_of(monkeypatch, one, two), stimuli=[own])
    assert engine.measure("weat", "planted:", "xx/same").stimuli[0].file == "own/xx/mine.toml"


def test_a_users_broken_folder_raises(tmp_path: Path) -> None:
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "mine.toml").write_text("schema = ", encoding="utf-8")
    with pytest.raises(Exception, match=r"mine.toml is no valid TOML"):
        Engine(cache=None, stimuli=[tmp_path])
