"""The two forms of an entry point: by name, where a thing is imported when it is asked for, and by hooks."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from biascore.basics.keys import declared
from biascore.engine.checking import Checker
from biascore.errors import PluginError
from biascore.plugins.loading import Plugins
from biascore.plugins.registry import Registry
from biascore.plugins.stimuli import read_catalogue

from ..builders.points import name_of, own
from .made import adapter_of, module_of, registers
from .test_clashes import Dist

THINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "biascore_plugin_github": {"exporters": ("github = exporter:GithubExporter",)},
    "biascore_plugin_mac": {
        "metrics": ("mac = metric:Mac", "nearness = nearness:Nearness"),
        "kinds": ("mac = kind:MacEntry",),
        "wordlists": ("en = en",),
    },
    "biascore_plugin_standardize": {"transforms": ("standardize = transform:Standardize",)},
    "biascore_plugin_vendor": {
        "adapters": ("vendor = adapter:VendorAdapter",),
        "transforms": ("vendor-short = short:Short",),
    },
    "biascore_test_stranger": {
        "adapters": ("stranger = adapter:StrangerAdapter",),
        "metrics": ("nearest-rate = metric:NearestRate",),
        "wordlists": ("eo = words.eo",),
    },
}
"""What five distributions of strangers bring, by group: name, module and class."""


@pytest.fixture
def strangers(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(site)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in THINGS]:
        del sys.modules[name]


def by_name(package: str) -> list[EntryPoint]:
    return [
        EntryPoint(name, f"{package}.{value}", f"biascore.{group}")
        for group, things in THINGS[package].items()
        for name, value in (thing.split(" = ") for thing in things)
    ]


def by_hooks(package: str, monkeypatch: pytest.MonkeyPatch) -> EntryPoint:
    """The same things, registered by a module with hooks."""
    hooks: dict[str, Callable[..., None]] = {}
    for group in THINGS[package]:
        points = [point for point in by_name(package) if point.group == f"biascore.{group}"]
        if group == "wordlists":
            folders = [Path(next(iter(point.load().__path__))) for point in points]
            items: list[Any] = [(folder, f"{folder.parent.name}/{folder.name}") for folder in folders]
        else:
            items = [point.load() for point in points]
        hooks[f"register_{group}"] = registers(*items)
    module = module_of(f"hooks_of_{package}", **hooks)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return EntryPoint(package, module.__name__, "biascore")


def registries(plugins: Plugins) -> dict[str, Registry[Any]]:
    groups = ("adapters", "metrics", "kinds", "formats", "transforms", "exporters")
    return {group: getattr(plugins, group) for group in groups}


def shared() -> list[EntryPoint]:
    return own("adapter-planted", "metric-weat", "kinds", "wordlists-en")


@pytest.mark.parametrize("package", THINGS)
def test_a_class_in_either_form_gives_the_same_registry(
    strangers: None, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    named = Plugins([*shared(), *by_name(package)])
    hooked = Plugins([*shared(), by_hooks(package, monkeypatch)])
    for one, other in zip(registries(named).values(), registries(hooked).values(), strict=True):
        assert one.names == other.names
        assert one.items() == other.items()
    assert named.stimuli == hooked.stimuli
    assert named.tests.names == hooked.tests.names
    assert named.languages == hooked.languages | {code: named.languages[code] for code in named.languages}
    mine = [record for record in named.records if record.dist == "unknown"]
    (record,) = (record for record in hooked.records if record.dist == "unknown")
    assert {one.status for one in mine} == {record.status} == {"loaded"}
    assert {hook for one in mine for hook in one.hooks} == set(record.hooks)
    assert {thing for one in mine for thing in one.provides} == set(record.provides)


def test_what_is_named_is_imported_when_it_is_asked_for(strangers: None) -> None:
    plugins = Plugins([*shared(), *by_name("biascore_plugin_mac")])
    assert {"mac", "nearness"} <= set(plugins.metrics.names)
    assert not [name for name in sys.modules if name.startswith("biascore_plugin_mac")]
    assert plugins.metrics.get("nearness").__name__ == "Nearness"
    imported = {name for name in sys.modules if name.startswith("biascore_plugin_mac.")}
    assert "biascore_plugin_mac.metric" not in imported
    states = {record.name: record.status for record in plugins.installed}
    assert (states["metric-nearness"], states["metric-mac"]) == ("loaded", "installed")
    assert {record.status for record in plugins.records} == {"loaded"}


def wrong(monkeypatch: pytest.MonkeyPatch, thing: object, **stated: object) -> str:
    module = types.ModuleType("made_wrong")
    vars(module).update(thing=thing, **stated)
    monkeypatch.setitem(sys.modules, "made_wrong", module)
    return "made_wrong:thing"


MADE = adapter_of()


@pytest.mark.parametrize(
    ("group", "name", "thing", "reason"),
    [
        ("adapters", "another", MADE, "its entry point is called 'another', and MadeAdapter.id is 'made'"),
        ("adapters", "made", MADE(), "is not a subclass of biascore's Adapter"),  # type: ignore[abstract]
        ("adapters", "made", adapter_of(summary=None), "MadeAdapter lacks summary: str"),
        ("metrics", "made", MADE, "is not a subclass of biascore's Metric"),
        ("languages", "eo", "Esperanto", "is not a Language"),
        ("mappings", "made", "made.toml", "is no pathlib.Path of a TOML file"),
        ("wordlists", "eo", "eo", "neither a package nor a pathlib.Path of a folder"),
        ("wordlists", "eo", Path("/nowhere/xx"), "called 'eo', and the folder is 'xx'"),
        ("wordlists", "xx", Path("/nowhere/xx"), "there is no such folder"),
    ],
)
def test_what_cannot_be_used_fails_alone(
    monkeypatch: pytest.MonkeyPatch, group: str, name: str, thing: object, reason: str
) -> None:
    point = EntryPoint(name, wrong(monkeypatch, thing), f"biascore.{group}")
    records = {record.name: record for record in Plugins([*shared(), point]).records}
    failed = records.pop(name_of(point))
    assert (failed.status, failed.provides) == ("failed", ())
    assert reason in failed.reason
    assert {record.status for record in records.values()} == {"loaded"}


def test_a_broken_one_costs_its_name_and_says_why_when_it_is_asked_for() -> None:
    point = EntryPoint("broken", "no_such_module:Broken", "biascore.metrics")
    plugins = Plugins([*shared(), point])
    assert "broken" in plugins.metrics.names
    for _ in range(2):
        with pytest.raises(PluginError, match=r"'metric-broken' .*No module named 'no_such_module'") as error:
            plugins.metrics.get("broken")
        assert isinstance(error.value.__cause__, ModuleNotFoundError)
    assert plugins.metrics.names == ("weat",)
    assert [metric.name for metric in plugins.metrics.items()] == ["weat"]


def test_two_that_state_one_name_are_imported_where_it_is_asked_for() -> None:
    points = [EntryPoint("both", f"no_such_module_{n}:Both", "biascore.metrics") for n in "ab"]
    points[1] = points[1]._for(Dist("other"))  # type: ignore[attr-defined]
    plugins = Plugins([*shared(), *points])
    assert "both" not in plugins.metrics.names

    def states() -> list[str]:
        return [record.status for record in plugins.installed if record.name == "metric-both"]

    assert states() == ["conflict", "conflict"]
    with pytest.raises(PluginError, match=r"'metric-both' .* cannot be used: ModuleNotFoundError"):
        plugins.metrics.get("both")
    assert states() == ["failed", "failed"]


def test_what_ships_keeps_its_name_from_one_that_states_it() -> None:
    plugins = Plugins([*shared(), EntryPoint("weat", "no_such_module:Weat", "biascore.metrics")])
    assert plugins.metrics.owner("weat").dist == "biascore"
    assert plugins.metrics.get("weat").__module__ == "biascore_metrics.weat.weat"
    (record,) = (record for record in plugins.installed if record.dist == "unknown")
    assert record.status == "conflict"
    assert "metric 'weat' is that of plugin 'metric-weat' of biascore" in record.reason


@pytest.mark.parametrize(
    ("name", "group", "reason"),
    [
        ("weat", "biascore.metric", r"biascore.metric, is none of biascore's: .*biascore.metrics"),
        ("Weat", "biascore.metrics", r"'Weat', which is no name"),
    ],
)
def test_a_group_or_a_name_that_there_is_not_is_told(name: str, group: str, reason: str) -> None:
    (record,) = Plugins([EntryPoint(name, "no_such_module:Weat", group)]).installed
    assert record.status == "failed"
    assert re.search(reason, record.reason)


def test_a_later_contract_is_told_in_this_form_too(monkeypatch: pytest.MonkeyPatch) -> None:
    value = wrong(monkeypatch, MADE, biascore_contract=99)
    (record,) = Plugins([EntryPoint("made", value, "biascore.adapters")]).records
    assert record.status == "failed"
    assert "was written for contract 99" in record.reason


def test_the_keys_of_all_adapters_are_known_before_a_model_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    made = adapter_of(key_env_var="BIASCORE_TEST_KEY_OF_ONE", secret_env_vars=("BIASCORE_TEST_TOKEN_OF_ONE",))
    plugins = Plugins([*shared(), EntryPoint("made", wrong(monkeypatch, made), "biascore.adapters")])
    assert "BIASCORE_TEST_KEY_OF_ONE" not in declared()
    Checker(plugins, read_catalogue(plugins, ()))
    assert {"BIASCORE_TEST_KEY_OF_ONE", "BIASCORE_TEST_TOKEN_OF_ONE"} <= declared()


def test_what_ships_is_by_name() -> None:
    points = [
        one for one in metadata.distribution("biascore").entry_points if one.group.startswith("biascore")
    ]
    assert "biascore" not in {point.group for point in points}
    assert {"biascore.metrics", "biascore.wordlists"} <= {point.group for point in points}
