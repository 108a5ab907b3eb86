"""Names that two plugins have: what ships keeps its own, and a clash costs a name and nothing else of either."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import pytest

from biascore.api.adapters import hookimpl
from biascore.api.exporters import Exporter
from biascore.api.formats import DataFormat
from biascore.api.kinds import RolesEntry, Word
from biascore.api.languages import Language
from biascore.api.metrics import Metric
from biascore.api.transforms import Transform
from biascore.engine.engine import Engine
from biascore.errors import PluginError
from biascore.plugins.loading import Plugins

from ..builders.points import own as points_of
from ..builders.word_lists import weat_file
from .made import adapter_of, engine_with, registers

SHIPPED = (
    "adapter-planted",
    "adapter-fasttext",
    "kinds",
    "metric-weat",
    "wordlists-en",
    "transforms",
    "mappings",
)


class StrangeWeat(RolesEntry):
    """Another kind of test by the name of the core's."""

    roles = ("X", "Q")
    kind: Literal["weat"]
    X: Word
    Q: Word

    @classmethod
    def kind_name(cls) -> str:
        return "weat"


def of(base: type, **attributes: Any) -> type:
    made = type("Made", (base,), attributes)
    made.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]
    return made


def metric(name: str) -> type:
    return of(
        Metric, name=name, summary="s", reference="r", requires=frozenset({"embed"}), kinds=frozenset({"weat"}),
        measure=lambda *_: None,
    )  # fmt: skip


TAKEN = {
    "adapter": ("register_adapters", lambda name: adapter_of(id=name), "planted", lambda p: p.adapters),
    "metric": ("register_metrics", metric, "weat", lambda p: p.metrics),
    "format": (
        "register_formats",
        lambda name: of(
            DataFormat, id=name, summary="s", example="e", columns=lambda *_: None, read=lambda *_: None
        ),
        "crows-pairs",
        lambda p: p.formats,
    ),
    "exporter": (
        "register_exporters",
        lambda name: of(Exporter, id=name, summary="s", suffix=".x", export=lambda *_: ()),
        "csv",
        lambda p: p.exporters,
    ),
    "transform": (
        "register_transforms",
        lambda name: of(Transform, name=name, summary="s", reference="r", fit=lambda *_: None),
        "leace",
        lambda p: p.transforms,
    ),
}


class Dist(metadata.Distribution):
    """A distribution of one plugin."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename: str) -> str | None:
        points = f"[biascore]\n{self._name} = {self._name.replace('-', '_')}\n"
        return {"METADATA": f"Name: {self._name}\nVersion: 1\n", "entry_points.txt": points}.get(filename)

    def locate_file(self, path: Any) -> Path:
        raise AssertionError("no file of it is needed")


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Plugins]:
    """``beside({"aaa": hooks, ...})``: plugins of these distributions next to some that ship."""

    def make(dists: dict[str, dict[str, Callable[..., None]]], own: tuple[str, ...] = SHIPPED) -> Plugins:
        points = points_of(*own)
        for name, hooks in dists.items():
            module = types.ModuleType(name.replace("-", "_"))
            for hook, function in hooks.items():
                setattr(module, hook, hookimpl(function))
            monkeypatch.setitem(sys.modules, module.__name__, module)
            points += Dist(name).entry_points
        return Plugins(points)

    return make


def statuses(plugins: Plugins) -> dict[str, str]:
    """The state of each stranger, and why where it failed."""
    strangers = [record for record in plugins.records if record.dist != "biascore"]
    return {one.dist: one.status + (f": {one.reason}" if one.status == "failed" else "") for one in strangers}


@pytest.mark.parametrize("dist", ["aaa", "zzz"])
@pytest.mark.parametrize(("hook", "make", "name", "registry"), TAKEN.values(), ids=TAKEN)
def test_what_ships_keeps_its_name(
    beside: Callable[..., Plugins], hook: str, make: Any, name: str, registry: Any, dist: str
) -> None:
    own = (*SHIPPED, "format-crows-pairs")
    plugins = beside({dist: {hook: registers(make(name), make("mine"))}}, own)
    alone = beside({}, own)
    assert {record.status for record in plugins.records if record.dist == "biascore"} == {"loaded"}
    assert list(statuses(plugins).values()) == ["conflict"]
    assert set(registry(plugins).names) - set(registry(alone).names) == {"mine"}
    if name in registry(alone).names:
        assert registry(plugins).get(name) is registry(alone).get(name)
        assert registry(plugins).owner(name).dist == "biascore"
    (record,) = [record for record in plugins.records if record.dist == dist]
    assert record.status == "conflict"
    assert repr(name) in record.reason
    assert "biascore" in record.reason


@pytest.mark.parametrize("dist", ["aaa", "zzz"])
def test_a_kind_of_the_core_keeps_its_tests(
    beside: Callable[..., Plugins], dist: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file cannot be read as that kind: the file is lost, and neither its metric nor the lists that ship."""
    folder = tmp_path / "en"
    folder.mkdir()
    (folder / "strange.toml").write_text(weat_file("strange").replace('Y = "y"', 'Q = "y"'), encoding="utf-8")
    hooks = {
        "register_kinds": registers(StrangeWeat),
        "register_metrics": registers(metric("mine")),
        "register_wordlists": registers((folder, f"{dist}/en")),
    }
    plugins = beside({dist: hooks})
    engine = engine_with(monkeypatch, plugins)
    assert engine.catalogue.test("en/weat6").kind == "weat"
    assert "mine" in plugins.metrics.names
    assert statuses(plugins) == {dist: "conflict"}
    run = engine.measure("weat", "planted:en/weat6=1", "en/weat6")
    assert run[0].headline.value > 0.5


@pytest.mark.parametrize("dist", ["aaa", "zzz"])
def test_a_test_and_a_file_that_ship_keep_their_words(
    beside: Callable[..., Plugins], dist: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "en"
    folder.mkdir()
    (folder / "caliskan2017.toml").write_text(weat_file("other"), encoding="utf-8")
    (folder / "mine.toml").write_text(weat_file("weat6", source="mine"), encoding="utf-8")
    plugins = beside({dist: {"register_wordlists": registers((folder, f"{dist}/en"))}})
    alone = engine_with(monkeypatch, beside({})).catalogue.test("en/weat6")
    engine = engine_with(monkeypatch, plugins)
    assert engine.catalogue.test("en/weat6") == alone
    assert statuses(plugins) == {dist: "conflict"}
    assert "en/mine/x" in engine.catalogue.lists()


def test_a_grammar_that_ships_keeps_its_language(beside: Callable[..., Plugins]) -> None:
    strange = Language("es", "Spanish", speaker_gender=lambda: None)  # type: ignore[arg-type, return-value]
    own = ("language-es",)
    plugins = beside({"aaa": {"register_languages": registers(strange)}}, own)
    assert plugins.speaker_gender.owner("es").dist == "biascore"
    assert plugins.languages["es"].speaker_gender is plugins.speaker_gender.get("es")


def test_two_strangers_still_conflict_and_keep_the_rest(beside: Callable[..., Plugins]) -> None:
    plugins = beside(
        {
            "aaa": {"register_metrics": registers(metric("both"), metric("first"))},
            "zzz": {"register_metrics": registers(metric("both"), metric("second"))},
        }
    )
    assert statuses(plugins) == {"aaa": "conflict", "zzz": "conflict"}
    assert {"first", "second", "weat"} <= set(plugins.metrics.names)
    assert "both" not in plugins.metrics.names


def test_a_name_for_python_is_not_one_that_ships() -> None:
    with pytest.raises(Exception, match="planted"):
        Engine(cache=None).plugins.add_adapter(adapter_of(id="planted"))


@pytest.fixture
def by_name(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Plugins]:
    """``by_name(aaa=Adapter, zzz=None)``: each distribution states the adapter ``made``; that of None cannot be imported."""

    def make(**dists: type | None) -> Plugins:
        points = points_of("adapter-planted")
        for name, thing in dists.items():
            if thing is not None:
                module = types.ModuleType(name)
                vars(module)["thing"] = thing
                monkeypatch.setitem(sys.modules, name, module)
            point = metadata.EntryPoint("made", f"{name}:thing", "biascore.adapters")
            points.append(point._for(Dist(name)))  # type: ignore[attr-defined]
        return Plugins(points)

    return make


@pytest.mark.parametrize("broken", ["aaa", "zzz"])
def test_what_cannot_be_imported_takes_no_name_from_another(
    by_name: Callable[..., Plugins], broken: str
) -> None:
    made = adapter_of(id="made")
    plugins = by_name(**{name: None if name == broken else made for name in ("aaa", "zzz")})
    assert plugins.adapters.get("made") is made
    assert plugins.adapters.owner("made").dist != broken
    assert plugins.adapters.names == ("made", "planted")
    found = {name: said.partition(":")[0] for name, said in statuses(plugins).items()}
    assert found == {broken: "failed", ({"aaa", "zzz"} - {broken}).pop(): "loaded"}


def test_two_whole_ones_clash_before_and_after_they_are_imported(by_name: Callable[..., Plugins]) -> None:
    plugins = by_name(aaa=adapter_of(id="made"), zzz=adapter_of(id="made"))
    for _ in range(2):
        with pytest.raises(PluginError, match="and biascore does not choose"):
            plugins.adapters.get("made")
        assert plugins.adapters.names == ("planted",)
    assert set(statuses(plugins).values()) == {"conflict"}


def test_where_all_of_a_name_are_broken_the_first_says_why(by_name: Callable[..., Plugins]) -> None:
    plugins = by_name(aaa=None, zzz=None)
    with pytest.raises(PluginError, match="of aaa 1 cannot be used: ModuleNotFoundError"):
        plugins.adapters.get("made")
    assert "made" not in plugins.adapters.names
