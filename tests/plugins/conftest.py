"""Plugins made in the process of the tests: modules with hooks, found beside those that are installed."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.metrics import hookimpl
from biascore.plugins.loading import Plugins

from ..builders.points import own

EngineOf = Callable[..., Engine]
Install = Callable[..., Plugins]
BESIDE = own("adapter-planted", "kinds", "metric-weat", "wordlists-en")
"""Reading every plugin takes a while."""


@pytest.fixture
def with_dists(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Lets this process find the named distributions of tests and examples beside biascore, by their metadata.

    What they are imported as is forgotten after the test.
    """

    def find(*dists: str) -> None:
        monkeypatch.syspath_prepend(site)
        monkeypatch.setenv("BIASCORE_LOAD_PLUGINS", ",".join(["biascore", *dists]))

    yield find
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").is_relative_to(site):
            del sys.modules[name]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes a plugin called ``made`` with these hooks, and gives the plugins that there are then."""

    def make(**hooks: Callable[..., Any]) -> Plugins:
        module = types.ModuleType("made")
        for name, function in hooks.items():
            setattr(module, name, hookimpl(function))
        monkeypatch.setitem(sys.modules, "made", module)
        return Plugins([*BESIDE, metadata.EntryPoint("made", "made", "biascore")])

    return make


@pytest.fixture
def engine_of(install: Install, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Engine]:
    """An engine with a plugin that registers these adapters and metrics."""

    def make(*classes: type, cache: Any = None, **options: Any) -> Engine:
        from biascore.api.adapters import Adapter
        from biascore.api.metrics import Metric

        def register(kind: type) -> Callable[..., None]:
            def hook(register: Callable[[type], None]) -> None:
                for one in classes:
                    if issubclass(one, kind):
                        register(one)

            return hook

        plugins = install(register_adapters=register(Adapter), register_metrics=register(Metric))
        (record,) = (record for record in plugins.records if record.name == "made")
        assert record.status == "loaded", record.reason
        monkeypatch.setattr("biascore.engine.engine.Plugins", lambda: plugins)
        return Engine(cache=cache, **options)

    return make
