"""Which plugins are loaded, blocked or required, in any order, and which names there are then."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import PluginError, UnknownNameError
from biascore.plugins.loading import Plugins

from ..builders.points import FIRST_PARTY, every
from .made import module_of, plugins_of


@pytest.mark.parametrize(
    ("variable", "value", "blocked", "reason"),
    [
        ("BIASCORE_DISABLE_PLUGINS", "metric-weat", {"metric-weat"}, "disabled by BIASCORE_DISABLE_PLUGINS"),
        (
            "BIASCORE_DISABLE_PLUGINS",
            "Metric_Weat, wordlists-de",
            {"metric-weat", "wordlists-de"},
            "disabled by",
        ),
        ("BIASCORE_DISABLE_PLUGINS", "biascore", FIRST_PARTY, "disabled by BIASCORE_DISABLE_PLUGINS"),
        (
            "BIASCORE_DISABLE_PLUGINS",
            "transforms, mappings",
            {name for name in FIRST_PARTY if name.startswith(("transform-", "mapping-"))},
            "disabled by",
        ),
        ("BIASCORE_DISABLE_PLUGINS", "", set(), ""),
        ("BIASCORE_LOAD_PLUGINS", "metric-weat", FIRST_PARTY - {"metric-weat"}, "not in the allow list"),
        ("BIASCORE_LOAD_PLUGINS", "biascore", set(), ""),
        ("BIASCORE_LOAD_PLUGINS", "", FIRST_PARTY, "not in the allow list BIASCORE_LOAD_PLUGINS"),
    ],
)
def test_blocked_by_environment(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, blocked: set[str], reason: str
) -> None:
    monkeypatch.setenv(variable, value)
    own = {r.name: r for r in Plugins().records if r.dist == "biascore"}
    assert {name for name, r in own.items() if r.status == "blocked"} == blocked
    assert {r.status for r in own.values()} <= {"blocked", "loaded"}
    assert all(reason in own[name].reason for name in blocked)


def test_disabling_wins_over_allowing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_LOAD_PLUGINS", "metric-weat,adapter-planted")
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "metric-weat")
    plugins = Plugins()
    assert plugins.metrics.names == ()
    assert plugins.adapters.names == ("planted",)


def test_a_blocked_plugin_is_not_even_imported(
    with_dists: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_dists("biascore-test-stranger")
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "stranger")
    Plugins()
    assert [name for name in sys.modules if name.startswith("biascore_test")] == []
    monkeypatch.delenv("BIASCORE_DISABLE_PLUGINS")
    Plugins()
    assert "biascore_test_stranger" in sys.modules


def test_require(with_dists: Callable[..., None]) -> None:
    wanted = [
        "biascore-test-stranger",
        "Biascore_Test.Stranger>=2,<3",
        "biascore-test-stranger>=3",
        "biascore-test-exit>=1",
        "biascore-test-rival-a",
        "biascore-plugin-klingon>=1",
        "numpy",
        "biascore plugin >> 1",
    ]
    with_dists(
        "biascore-test-stranger", "biascore-test-exit", "biascore-test-rival-a", "biascore-test-rival-b"
    )
    plugins = Plugins()

    def answer(text: str) -> tuple[str, str] | None:
        try:
            plugins.require([text])
        except PluginError as error:
            return str(error), type(error.__cause__).__name__
        return None

    answers = {text: answer(text) for text in wanted}
    installed, same, low, failed, conflict, absent, no_plugin, malformed = (answers[text] for text in wanted)
    assert installed is None
    assert same is None
    assert "2.1 is installed" in low[0]
    assert "pip install -U 'biascore-test-stranger>=3'" in low[0]
    assert failed[1] == "SystemExit"
    assert "no licence found" in failed[0]
    assert "biascore plugins" in failed[0]
    assert "is conflict" in conflict[0]
    assert "pip install 'biascore-plugin-klingon>=1'" in absent[0]
    assert "no installed plugin comes from numpy" in no_plugin[0]
    assert "is not a requirement" in malformed[0]
    assert malformed[1] == "InvalidRequirement"


def test_require_names_what_blocked_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "metric-weat")
    with pytest.raises(
        PluginError, match=r"plugin 'metric-weat' .* is blocked: disabled by BIASCORE_DISABLE_PLUGINS"
    ):
        Engine(cache=None, require_plugins=["biascore"])


@pytest.mark.parametrize(("typed", "meant"), [("plantd", "planted"), ("fastext", "fasttext")])
def test_unknown_adapter_did_you_mean(typed: str, meant: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean '{meant}'.*biascore plugins"):
        Engine(cache=None).model(f"{typed}:gender=1")


def test_unknown_metric_names_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no metric is called 'zzz'. There are: .*weat"):
        Engine(cache=None).measure("zzz", "planted:gender=1", "en/weat6")


def test_order_of_entry_points_does_not_matter() -> None:
    points = every()
    one, other = Plugins(points), Plugins(reversed(points))
    assert one.records == other.records
    assert one.adapters.names == other.adapters.names
    assert one.stimuli == other.stimuli


def test_interrupting_is_not_swallowed_and_says_what_was_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as info:
        plugins_of(monkeypatch, module_of("made_plugin", register_adapters=interrupted))
    assert info.value.__notes__ == ["loading it (plugin 'made_plugin' of unknown 0)"]


def test_an_interrupted_installation_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "half-1.0.dist-info"
    folder.mkdir()
    (folder / "entry_points.txt").write_text("[biascore]\nhalf = json\n")
    monkeypatch.syspath_prepend(tmp_path)
    with suppress(ImportError):  # its finder is asked as well, and raises where there is no name
        import_module("importlib_metadata")
    plugins = Plugins()
    record = next(r for r in plugins.records if r.name == "half")
    assert (record.dist, record.version, record.status) == ("unknown", "0", "failed")


def test_the_metadata_of_a_distribution_are_read_once_for_all_its_plugins() -> None:
    class Counted(metadata.Distribution):
        read = 0

        def read_text(self, filename: str) -> str | None:
            self.read += filename == "METADATA"
            points = "[biascore]\none = json\ntwo = json\n"
            return {"METADATA": "Name: counted\nVersion: 3\n", "entry_points.txt": points}.get(filename)

        def locate_file(self, path: Any) -> Path:
            raise AssertionError("no file of it is needed")

    dist = Counted()
    plugins = Plugins(dist.entry_points)
    assert [(r.name, r.dist, r.version) for r in plugins.records] == [
        ("one", "counted", "3"),
        ("two", "counted", "3"),
    ]
    assert dist.read == 1
