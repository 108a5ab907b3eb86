"""What is installed, and what it brings: an entry point names one thing, or a module with hooks.

A thing is imported when it is first asked for, a module with hooks at once; each in isolation. Not
``load_setuptools_entrypoints``: there one broken plugin aborts all of them, and a duplicate name is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import pluggy

from biascore.basics.collecting import uncollected
from biascore.command import OWN_COMMANDS, Command
from biascore.errors import Owner, PluginError, StimuliError
from biascore.exporter import OWN_FORMS
from biascore.hookspecs import DiscoverySpecs
from biascore.installation import install_plugin
from biascore.models.questions.capabilities import PROJECT
from biascore.plugins.contribution import Contribution, Hooked
from biascore.plugins.kinds import CLASSES
from biascore.plugins.languages import Languages
from biascore.plugins.named import Named, named, tried
from biascore.plugins.points import (
    check_contract,
    comparable,
    dist_of,
    import_limit,
    plugin_name,
    why_blocked,
)
from biascore.plugins.registry import Plugin, PluginRecord, Registry

if TYPE_CHECKING:
    from biascore.adapter import Adapter
    from biascore.exporter import Exporter
    from biascore.languages.gender import SpeakerGenderDetector
    from biascore.languages.language import Language
    from biascore.mapping import Mapping
    from biascore.metric import Diagnostic, Metric
    from biascore.models.executor import Executor
    from biascore.models.transforms.transform import Transform
    from biascore.stimuli import Kinds, Listed, StimuliFile
    from biascore.stimuli.dataset import DataFormat
    from biascore.stimuli.entries import TestEntry

GROUP: Final = "biascore"


class Plugins:
    """The plugins of this installation: what they provide, by name.

    What an entry point names is imported when it is first asked for; a plugin with hooks is asked at once.
    """

    @uncollected()
    def __init__(self, entry_points: Iterable[metadata.EntryPoint] | None = None) -> None:
        self.adapters: Registry[type[Adapter]] = Registry("adapter")
        self.metrics: Registry[type[Metric]] = Registry("metric")
        self.formats: Registry[type[DataFormat]] = Registry("data format")
        self.transforms: Registry[type[Transform]] = Registry("transform")
        self.exporters: Registry[type[Exporter]] = Registry("format of runs", OWN_FORMS)
        self.executors: Registry[type[Executor]] = Registry("executor")
        self.diagnostics: Registry[type[Diagnostic]] = Registry("diagnostic")
        self.kinds: Registry[type[TestEntry]] = Registry("kind of test", ["weat"])
        self.mappings: Registry[Mapping] = Registry("mapping")
        self.commands: Registry[Command] = Registry("command", OWN_COMMANDS)
        self._tests: Registry[Listed] = Registry("test")
        self._files: Registry[StimuliFile] = Registry("stimuli file")
        self._languages = Languages()
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(DiscoverySpecs)
        import_limit()  # raises where it is no number, whatever is installed
        points = _entry_points() if entry_points is None else entry_points
        self._plugins = [self._plugin(point) for point in sorted(points, key=_order)]
        # The tests of one plugin may be of a kind that another one brings.
        for plugin in self._plugins:
            self._add(plugin, kinds=True)
        for plugin in self._plugins:
            if isinstance(plugin, Hooked):
                self._finish(plugin)
            self._add(plugin)

    @property
    def installed(self) -> tuple[PluginRecord, ...]:
        """Every plugin as far as it is known without importing more."""
        registries: tuple[Registry[Any], ...] = (
            *(getattr(self, group) for group in CLASSES),
            *(self.mappings, self.commands, self._tests, self._files),
            *self._languages.registries,
        )
        disputed = [registry for registry in registries if registry.disputed]
        found = (_with_clashes(plugin.record, disputed) for plugin in self._plugins)
        return tuple(sorted(found, key=lambda one: (one.dist, one.name, one.module)))

    @property
    def records(self) -> tuple[PluginRecord, ...]:
        """Every plugin and what became of it; imports all that was not asked for so far."""
        self._load()
        return self.installed

    def _load(self, dist: str | None = None) -> None:
        """Import all that was not asked for so far, of a distribution or of all."""
        for plugin in self._plugins:
            if isinstance(plugin, Named) and dist in (None, comparable(plugin.record.dist)):
                with suppress(PluginError):
                    plugin.get()
        _ = self._stimuli, self._speech

    def add_adapter(self, adapter: type[Adapter]) -> None:
        """Make an adapter of this process available; raises PluginError for what is none, and for an installed name."""
        try:
            CLASSES["adapters"].check([adapter])
        except (TypeError, ValueError) as error:
            raise PluginError(f"the adapter {adapter!r} cannot be used: it {error}") from error
        # Another version each time: answers of the code of before are not its own.
        record = PluginRecord(f"{adapter.id} (from Python)", "", uuid4().hex, adapter.__module__, "loaded")
        self.adapters.replace(adapter.id, adapter, Plugin(record))

    @property
    def stimuli(self) -> tuple[StimuliFile, ...]:
        """The stimuli files of all plugins, without the files and tests that two plugins claim or that biascore has."""

        def usable(file: StimuliFile) -> StimuliFile:
            index = tuple(test for test in file.index if self.tests.holds(test.id.casefold(), test))
            return file if len(index) == len(file.index) else replace(file, index=index)

        return tuple(map(usable, self._stimuli.items()))

    @property
    def tests(self) -> Registry[Listed]:
        """The tests of all plugins, by address in small letters."""
        _ = self._stimuli
        return self._tests

    @cached_property
    def _stimuli(self) -> Registry[StimuliFile]:
        for plugin in self._plugins:
            files: tuple[StimuliFile, ...] = ()
            if isinstance(plugin, Hooked):
                files = plugin.contribution.stimuli
            elif isinstance(plugin, Named) and plugin.group == "wordlists":
                with suppress(PluginError):  # its record says why
                    files = plugin.get()
            for file in files:
                self._files.add(_file_key(file.language, file.display), file, plugin)
                for test in file.index:
                    self._tests.add(test.id.casefold(), test, plugin)
        from biascore.stimuli.outlines import save_outlines  # a list of metrics needs no stimuli

        save_outlines()
        return self._files

    @property
    def languages(self) -> dict[str, Language]:
        """What is known of each language, by its code."""
        return self._speech.known

    @property
    def speaker_gender(self) -> Registry[Callable[[], SpeakerGenderDetector]]:
        """The detectors of the speaker's gender, by the code of their language."""
        return self._speech.speaker_gender

    @cached_property
    def _speech(self) -> Languages:
        for plugin in self._plugins:
            if isinstance(plugin, Hooked) and plugin.record.status == "loaded":
                for language in plugin.contribution.languages:
                    self._languages.add(language, plugin)
            elif isinstance(plugin, Named) and plugin.group == "languages":
                with suppress(PluginError):
                    self._languages.add(plugin.get(), plugin)
        for plugin in self._plugins:
            if isinstance(plugin, Named) and plugin.group == "wordlists":
                self._languages.name(plugin.name)
        return self._languages

    def stimuli_owner(self, file: StimuliFile) -> PluginRecord:
        """Whose stimuli file it is."""
        return self._stimuli.owner(_file_key(file.language, file.display))

    def check_undisputed(self, patterns: Iterable[str], usable: Collection[str]) -> None:
        """Raise PluginError where a glob names a test that is lost to a conflict, and so not ``usable``."""
        for pattern in patterns:
            for id in self.tests.known:
                if id not in usable and fnmatchcase(id, pattern.casefold()):
                    test = self.tests.get(id)
                    self._stimuli.get(_file_key(test.language, test.file))
                    raise PluginError(
                        f"the test {id} is lost: " + "; ".join(self._files.clashes(self.tests.owner(id)))
                    )

    def transform_owner(self, transform: Transform) -> Owner:
        """Whose transform this is; of one that no plugin registers, its name alone."""
        if self.transforms.holds(transform.name, type(transform)):
            return self.transforms.owner(transform.name).owner
        return Owner(f"transform {transform.name}")

    def detector(self, tag: str) -> SpeakerGenderDetector:
        """The detector of the speaker's gender in a language, by its tag or a shorter one (``sr`` for ``sr-Latn``).

        Raises UnknownNameError where there is none, which names the plugins that may have one and failed to
        load; PluginError where two bring one; GrammarError where its grammar cannot be used; PluginFailedError
        for everything else that goes wrong in it, now or when it is asked.
        """
        return self._speech.detector(tag, self.installed)

    def require(self, requirements: Iterable[str]) -> None:
        """Raise PluginError unless every requirement (``"biascore-plugin-slavic>=1"``) is loaded.

        The error is raised from the exception that kept the plugin from loading, if one did.
        """
        for text in requirements:
            from packaging.requirements import (  # of most engines nothing is required
                InvalidRequirement,
                Requirement,
            )

            try:
                wanted = Requirement(text)
            except InvalidRequirement as error:
                raise PluginError(
                    f"{text!r} is not a requirement ({error}). "
                    f"Write it as for pip: 'biascore-plugin-slavic>=1'"
                ) from error
            name = comparable(wanted.name)
            self._load(name)
            mine = [r for r in self.installed if comparable(r.dist) == name]
            if not mine:
                raise PluginError(
                    f"{text} is required, and no installed plugin comes from {wanted.name}. "
                    f"Install it with: {install_plugin(text, wanted.name)}"
                )
            for record in mine:
                if not wanted.specifier.contains(record.version, prereleases=True):
                    raise PluginError(
                        f"{text} is required and {record.version} is installed. "
                        f"Install: pip install -U '{text}'"
                    )
                if record.status != "loaded":
                    raise PluginError(
                        f"{text} is required, and its {record.shown} is {record.status}: {record.reason}. "
                        f"See: biascore plugins"
                    ) from record.error

    @cached_property
    def test_kinds(self) -> Kinds:
        """The kinds of test that stimuli files may hold; those that ship are imported when a file needs them."""
        from biascore.stimuli.schema import kinds_of

        held = {name: self.kinds.holder(name) for name in self.kinds.names}
        later = {
            name: one.record.module
            for name, one in held.items()
            if one.record.ships and isinstance(one, Named)
        }
        others = [self.kinds.item(name) for name in held if name not in later]
        return kinds_of(tuple(one for one in others if one is not None), tuple(later.items()))

    def _plugin(self, point: metadata.EntryPoint) -> Plugin:
        """The plugin of an entry point; one with hooks has been asked what it brings."""
        dist, version = dist_of(point)
        group = point.group.removeprefix(GROUP).removeprefix(".")
        record = PluginRecord(plugin_name(group, point.name), dist, version, point.value, "installed")
        blocked = why_blocked(record, group)
        if blocked:
            return Plugin(replace(record, status="blocked", reason=blocked))
        return named(point, group, record, self._read) if group else self._hooked(point, record)

    def _read(self, folders: Sequence[tuple[Path, str]], dist: str) -> tuple[StimuliFile, ...]:
        """The stimuli of a distribution; where another one has the name of a kind of its tests, they may be lost."""
        from biascore.stimuli import Catalogue

        try:
            files = Catalogue.from_folders(language_folders=folders, kinds=self.test_kinds).files
            for file in files if self._lost_a_kind(dist) else ():
                file.contents()  # at once, as an error of one that is asked for later is the run's
        except StimuliError:
            if not self._lost_a_kind(dist):
                raise
            return ()
        return files

    def _lost_a_kind(self, dist: str) -> bool:
        """Whether a distribution brings a kind of test whose name or section another one has."""
        own: list[type[TestEntry]] = []
        for plugin in self._plugins:
            if plugin.record.ships:
                continue  # it keeps its names
            if plugin.record.dist == dist and isinstance(plugin, Hooked):
                own += plugin.contribution.items["kinds"]
            elif plugin.record.dist == dist and isinstance(plugin, Named) and plugin.group == "kinds":
                with suppress(PluginError):
                    own.append(plugin.get())
        return any(
            not self.kinds.holds(kind.kind_name(), kind)
            or any(
                self.test_kinds.sections.get(name) is not section for name, section in kind.sections.items()
            )
            for kind in own
        )

    def _hooked(self, point: metadata.EntryPoint, record: PluginRecord) -> Hooked:
        plugin = Hooked(record)
        step = partial(self._register, point, plugin)
        plugin.record, _ = tried(replace(record, status="loaded"), step)
        self._settle(plugin)
        return plugin

    def _settle(self, plugin: Hooked) -> None:
        """Take nothing of a plugin that failed."""
        contribution = plugin.contribution
        plugin.record = replace(plugin.record, gender_languages=contribution.gender_languages())
        if plugin.record.status == "failed":
            plugin.contribution = Contribution()
            if self._manager.get_plugin(_key(plugin.record)) is not None:
                self._manager.unregister(name=_key(plugin.record))

    def _finish(self, plugin: Hooked) -> None:
        """Read its stimuli, and say what it contributes."""
        contribution = plugin.contribution
        if contribution.wordlists:
            step = partial(self._read, contribution.wordlists, plugin.record.dist)
            plugin.record, files = tried(plugin.record, step)
            contribution.stimuli = files or ()
            self._settle(plugin)
        if plugin.record.status == "failed":
            return
        callers = self._manager.get_hookcallers(self._manager.get_plugin(_key(plugin.record))) or []
        hooks = tuple(sorted(caller.name for caller in callers))
        plugin.record = replace(plugin.record, hooks=hooks, provides=contribution.provides())
        if not hooks:
            reason = "it implements no hook of biascore (@hookimpl)"
            plugin.record = replace(plugin.record, status="failed", reason=reason)
            self._settle(plugin)

    def _register(self, point: metadata.EntryPoint, plugin: Hooked) -> None:
        module: object = point.load()
        check_contract(getattr(module, "biascore_contract", None))
        self._manager.register(module, name=_key(plugin.record))
        self._manager.check_pending()
        plugin.contribution.collect(lambda hook, register: self._alone(module, hook)(register=register))

    def _alone(self, plugin: object, hook: str) -> pluggy.HookCaller:
        """The hook as this plugin alone implements it."""
        others = [p for p in self._manager.get_plugins() if p is not plugin]
        return self._manager.subset_hook_caller(hook, remove_plugins=others)

    def _add(self, plugin: Plugin, *, kinds: bool = False) -> None:
        """Add what a plugin brings to the registries: its kinds of test, or all else but stimuli and languages."""
        if isinstance(plugin, Named):
            if (plugin.group == "kinds") is kinds and plugin.group in (*CLASSES, "mappings", "commands"):
                getattr(self, plugin.group).announce(plugin.name, plugin.get, plugin)
        elif isinstance(plugin, Hooked):
            for group, items in plugin.contribution.items.items():
                for item in items if (group == "kinds") is kinds else ():
                    getattr(self, group).add(CLASSES[group].name(item), item, plugin)
            for mapping in () if kinds else plugin.contribution.mappings:
                self.mappings.add(mapping.name, mapping, plugin)
            for command in () if kinds else plugin.contribution.commands:
                self.commands.add(command.name, command, plugin)


def _with_clashes(record: PluginRecord, registries: Iterable[Registry[Any]]) -> PluginRecord:
    clashes = [clash for registry in registries for clash in registry.clashes(record)]
    if not clashes or record.status == "failed":
        return record
    return replace(record, status="conflict", reason="; ".join(clashes))


def _entry_points() -> list[metadata.EntryPoint]:
    every = metadata.entry_points()
    groups = [group for group in every.groups if group == GROUP or group.startswith(f"{GROUP}.")]
    return [point for group in groups for point in every.select(group=group)]


def _order(point: metadata.EntryPoint) -> tuple[bool, str, str, str]:
    """What ships with biascore first, as it keeps its names."""
    dist = dist_of(point)[0]
    return dist.lower() != "biascore", dist, point.name, point.value


def _key(record: PluginRecord) -> str:
    return f"{record.dist}:{record.name}"


def _file_key(language: str, display: str) -> str:
    """By what the lists of a file are addressed: language and file name."""
    return f"{language}/{PurePath(display).name}".casefold()
