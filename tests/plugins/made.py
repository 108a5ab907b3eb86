"""Plugins made on the spot: modules with hooks, and what they register."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.adapters import Adapter, hookimpl
from biascore.plugins.loading import Plugins

from ..builders.points import every
from ..builders.word_lists import weat_file


def plugins_of(monkeypatch: pytest.MonkeyPatch, *modules: types.ModuleType) -> Plugins:
    points = []
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
        points.append(metadata.EntryPoint(module.__name__, module.__name__, "biascore"))
    return Plugins([*every(), *points])


def module_of(name: str, **hooks: Callable[..., Any]) -> types.ModuleType:
    module = types.ModuleType(name)
    for hook, function in hooks.items():
        setattr(module, hook, hookimpl(function))
    return module


def load(*_: Any) -> None:
    """Opens nothing."""


def adapter_of(**attributes: Any) -> type[Adapter]:
    whole = {
        "id": "made",
        "summary": "made",
        "example": "made:",
        "capabilities": frozenset({"embed"}),
        "load": load,
    }
    return type("MadeAdapter", (Adapter,), {**whole, **attributes})


def registers(*items: Any) -> Callable[..., None]:
    def hook(register: Callable[..., None]) -> None:
        for item in items:
            register(*item) if isinstance(item, tuple) else register(item)

    return hook


def lists_of(test: str) -> str:
    """A stimuli file in the language ``xx`` with one test."""
    return weat_file(test, language="xx", x=("x1", "x2"), y=("y1", "y2"))


def wordlists_of(folder: Path, module: str, test: str, file: str) -> types.ModuleType:
    own = folder / module / "xx"
    own.mkdir(parents=True)
    (own / file).write_text(lists_of(test), encoding="utf-8")
    return module_of(module, register_wordlists=registers((own, f"{module}/xx")))


def engine_with(monkeypatch: pytest.MonkeyPatch, plugins: Plugins, **options: Any) -> Engine:
    monkeypatch.setattr("biascore.engine.engine.Plugins", lambda: plugins)
    return Engine(cache=None, **options)
