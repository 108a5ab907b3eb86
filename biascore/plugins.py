"""Finds plugins through the entry-point group ``biascore`` and loads each in isolation.

Not ``load_setuptools_entrypoints``: there one broken plugin aborts all of them, and a duplicate
name is dropped silently.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, TypeVar

import pluggy
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from biascore.adapter import Adapter, ModelPlugin
from biascore.errors import PluginError, UnknownNameError
from biascore.hookspecs import PROJECT, DiscoverySpecs
from biascore.language import Language
from biascore.metric import Metric
from biascore.refs import ModelRef

GROUP: Final = "biascore"
DISABLE_VARIABLE: Final = "BIASCORE_DISABLE_PLUGINS"
ALLOW_VARIABLE: Final = "BIASCORE_LOAD_PLUGINS"

Status = Literal["loaded", "failed", "blocked", "conflict"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """One entry point and what became of it; ``reason`` says why it is not loaded."""

    name: str
    dist: str
    version: str
    module: str
    status: Status
    hooks: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    reason: str = ""
    error: BaseException | None = field(default=None, compare=False)

    @property
    def shown(self) -> str:
        """Name, distribution and version in one phrase."""
        return f"plugin {self.name!r} of {self.dist} {self.version}"


class Registry(Generic[T]):
    """What plugins provide of one kind, by id; an id that two plugins provide cannot be used."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, tuple[T, PluginRecord]] = {}
        self._conflicts: dict[str, list[PluginRecord]] = {}

    def add(self, name: str, item: T, owner: PluginRecord) -> None:
        """Add an item; a second owner of the same name makes the name unusable."""
        if name in self._items:
            self._conflicts.setdefault(name, [self._items[name][1]]).append(owner)
        else:
            self._items[name] = (item, owner)

    @property
    def conflicts(self) -> Mapping[str, Sequence[PluginRecord]]:
        """Names that several plugins provide."""
        return MappingProxyType(self._conflicts)

    @property
    def names(self) -> tuple[str, ...]:
        """The usable names, sorted."""
        return tuple(sorted(name for name in self._items if name not in self._conflicts))

    def owner(self, name: str) -> PluginRecord:
        """The plugin that provides ``name``."""
        self.get(name)
        return self._items[name][1]

    def get(self, name: str) -> T:
        """The item; raises PluginError for a conflict, UnknownNameError with a did-you-mean otherwise."""
        if name in self._conflicts:
            owners = " and ".join(record.shown for record in self._conflicts[name])
            raise PluginError(
                f"{self.kind} {name!r} is provided by {owners}, and biascore does not choose between them. "
                f"Uninstall one, or disable it: {DISABLE_VARIABLE}={self._conflicts[name][-1].name}"
            )
        if name in self._items:
            return self._items[name][0]
        near = difflib.get_close_matches(name, self._items, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownNameError(
            f"no {self.kind} is called {name!r}; {hint}There are: {', '.join(self.names) or 'none'}. "
            f"See what is installed, and what failed to load, with: biascore plugins"
        )

    def items(self) -> tuple[T, ...]:
        """The usable items, sorted by name."""
        return tuple(self._items[name][0] for name in self.names)


@dataclass(slots=True)
class _Contribution:
    """What one plugin registers, held back until all of its hooks have run without error."""

    adapters: list[type[Adapter]] = field(default_factory=list)
    metrics: list[type[Metric]] = field(default_factory=list)
    languages: list[Language] = field(default_factory=list)
    wordlists: list[tuple[Path, str]] = field(default_factory=list)

    def add_wordlist(self, folder: Path, shown_as: str) -> None:
        self.wordlists.append((folder, shown_as))

    def provides(self) -> tuple[str, ...]:
        return (
            *(f"adapter {a.id}" for a in self.adapters),
            *(f"metric {m.name}" for m in self.metrics),
            *(f"language {lang.code}" for lang in self.languages),
            *(f"wordlists {shown}" for _, shown in self.wordlists),
        )


class Plugins:
    """The plugins of this installation, loaded once: adapters, metrics, languages and word lists by name."""

    def __init__(self, entry_points: Iterable[metadata.EntryPoint] | None = None) -> None:
        self.adapters: Registry[type[Adapter]] = Registry("adapter")
        self.metrics: Registry[type[Metric]] = Registry("metric")
        self.languages: dict[str, Language] = {}
        self.wordlists: list[tuple[Path, str]] = []
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(DiscoverySpecs)
        found = metadata.entry_points(group=GROUP) if entry_points is None else entry_points
        points = sorted(found, key=lambda point: (_dist(point)[0], point.name, point.value))
        records = [self._load(point) for point in points]
        self.records = tuple(self._mark_conflicts(record) for record in records)

    def model_plugins(self, ref: ModelRef) -> list[ModelPlugin]:
        """Every transform and observer that plugins put around this model."""
        return [plugin for some in self._manager.hook.model_plugins(ref=ref) for plugin in some]

    def require(self, requirements: Iterable[str]) -> None:
        """Raise PluginError unless every requirement (``"biascore-plugin-slavic>=1"``) is loaded.

        The error is raised from the exception that kept the plugin from loading, if one did.
        """
        for text in requirements:
            try:
                wanted = Requirement(text)
            except InvalidRequirement as error:
                raise PluginError(
                    f"{text!r} is not a requirement ({error}). Write it as for pip: 'biascore-plugin-slavic>=1'"
                ) from error
            mine = [r for r in self.records if canonicalize_name(r.dist) == canonicalize_name(wanted.name)]
            if not mine:
                raise PluginError(f"{text} is required and not installed. Install it with: pip install '{text}'")
            for record in mine:
                if not wanted.specifier.contains(record.version, prereleases=True):
                    raise PluginError(
                        f"{text} is required and {record.version} is installed. Install: pip install -U '{text}'"
                    )
                if record.status != "loaded":
                    raise PluginError(
                        f"{text} is required, and its {record.shown} is {record.status}: {record.reason}. "
                        f"See: biascore plugins"
                    ) from record.error

    def _load(self, point: metadata.EntryPoint) -> PluginRecord:
        dist, version = _dist(point)
        record = PluginRecord(point.name, dist, version, point.value, "loaded")
        blocked = _why_blocked(record)
        if blocked:
            return replace(record, status="blocked", reason=blocked)
        name = f"{dist}:{point.name}"
        plugin: object = None
        try:
            plugin = point.load()
            self._manager.register(plugin, name=name)
            self._manager.check_pending()
            contribution = self._collect(plugin)
        # A plugin is a stranger's code: whatever it raises, sys.exit() too, must not reach the others.
        except (Exception, SystemExit) as error:
            if plugin is not None and self._manager.get_plugin(name) is not None:
                self._manager.unregister(name=name)
            return replace(record, status="failed", reason=_why_failed(error), error=error)
        hooks = tuple(sorted(caller.name for caller in self._manager.get_hookcallers(plugin) or []))
        record = replace(record, hooks=hooks, provides=contribution.provides())
        if not hooks:
            self._manager.unregister(name=name)
            return replace(record, status="failed", reason="it implements no hook of biascore (@hookimpl)")
        self._commit(contribution, record)
        return record

    def _collect(self, plugin: object) -> _Contribution:
        contribution = _Contribution()
        others = [p for p in self._manager.get_plugins() if p is not plugin]
        for hook, argument in (
            ("register_adapters", contribution.adapters.append),
            ("register_metrics", contribution.metrics.append),
            ("register_languages", contribution.languages.append),
            ("register_wordlists", contribution.add_wordlist),
        ):
            self._manager.subset_hook_caller(hook, remove_plugins=others)(register=argument)
        for adapter in contribution.adapters:
            _check_class(adapter, Adapter, ("id", "summary", "example", "capabilities"))
        for metric in contribution.metrics:
            _check_class(metric, Metric, ("name", "summary", "reference", "requires", "kinds"))
        return contribution

    def _commit(self, contribution: _Contribution, record: PluginRecord) -> None:
        for adapter in contribution.adapters:
            self.adapters.add(adapter.id, adapter, record)
        for metric in contribution.metrics:
            self.metrics.add(metric.name, metric, record)
        for language in contribution.languages:
            self.languages.setdefault(language.code, language)
        self.wordlists.extend(contribution.wordlists)

    def _mark_conflicts(self, record: PluginRecord) -> PluginRecord:
        registries: tuple[Registry[Any], ...] = (self.adapters, self.metrics)
        clashes = [
            f"{registry.kind} {name!r} is also provided by "
            + " and ".join(owner.shown for owner in owners if (owner.dist, owner.name) != (record.dist, record.name))
            for registry in registries
            for name, owners in registry.conflicts.items()
            if any((owner.dist, owner.name) == (record.dist, record.name) for owner in owners)
        ]
        return replace(record, status="conflict", reason="; ".join(clashes)) if clashes else record


def _dist(point: metadata.EntryPoint) -> tuple[str, str]:
    dist = point.dist
    return (dist.metadata["Name"], dist.version) if dist is not None else ("unknown", "0")


def _names(variable: str) -> set[str] | None:
    text = os.environ.get(variable)
    return None if text is None else {_key(name) for name in re.split(r"[,\s]+", text) if name}


def _key(name: str) -> str:
    return str(canonicalize_name(name))


def _why_blocked(record: PluginRecord) -> str:
    mine = {_key(record.name), _key(record.dist)}
    if mine & (_names(DISABLE_VARIABLE) or set()):
        return f"disabled by {DISABLE_VARIABLE}"
    allowed = _names(ALLOW_VARIABLE)
    if allowed is not None and not mine & allowed:
        return f"not in the allow list {ALLOW_VARIABLE}"
    return ""


def _why_failed(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).strip()}"


def _check_class(found: object, base: type, attributes: tuple[str, ...]) -> None:
    if not (isinstance(found, type) and issubclass(found, base)):
        raise TypeError(f"registered {found!r}, which is not a subclass of biascore's {base.__name__}")
    missing = [name for name in attributes if not hasattr(found, name)]
    if missing:
        raise TypeError(f"{base.__name__} {found.__name__} lacks {', '.join(missing)}")
