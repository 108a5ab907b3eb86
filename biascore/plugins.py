"""Finds plugins through the entry-point group ``biascore`` and loads each in isolation.

Not ``load_setuptools_entrypoints``: there one broken plugin aborts all of them, and a duplicate
name is dropped silently.
"""

from __future__ import annotations

import difflib
import inspect
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from importlib import metadata
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, TypeVar

import pluggy
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from biascore.adapter import Adapter, ModelPlugin
from biascore.dataset import DataFormat
from biascore.errors import PluginError, UnknownNameError
from biascore.gender import GenderPair, SpeakerGenderDetector
from biascore.hookspecs import CAPABILITIES, PROJECT, DiscoverySpecs
from biascore.installation import install_plugin
from biascore.language import Language, SpeakerFrames, find_language, no_detector, shorter_tags
from biascore.metric import Metric
from biascore.refs import ModelRef
from biascore.stimuli import Catalogue, StimuliFile, Test

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
    detects: tuple[str, ...] = ()
    """The languages whose speaker's gender it tells, or would tell had it loaded, as far as it came."""

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
    def known(self) -> tuple[str, ...]:
        """All names, those in conflict too, sorted."""
        return tuple(sorted(self._items))

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
            owners = self._conflicts[name]
            names = [owner.name for owner in owners]
            remedies = [o.name if names.count(o.name) == 1 else o.dist for o in owners]
            raise PluginError(
                f"{self.kind} {name!r} is provided by {' and '.join(owner.shown for owner in owners)}, "
                f"and biascore does not choose between them. Uninstall one, or disable it: "
                + " or ".join(f"{DISABLE_VARIABLE}={remedy}" for remedy in remedies)
            )
        if name in self._items:
            return self._items[name][0]
        near = difflib.get_close_matches(name, self._items, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise UnknownNameError(
            f"no {self.kind} is called {name!r}. {hint}There are: {', '.join(self.names) or 'none'}. "
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
    formats: list[type[DataFormat]] = field(default_factory=list)
    stimuli: tuple[StimuliFile, ...] = ()

    def add_wordlist(self, folder: Path, shown_as: str) -> None:
        self.wordlists.append((folder, shown_as))

    def read_stimuli(self) -> None:
        """Read the folders; raises StimuliError where one cannot be used, and then none of it is."""
        self.stimuli = Catalogue.from_folders(language_folders=self.wordlists).files

    def detects(self) -> tuple[str, ...]:
        languages = [one for one in self.languages if isinstance(one, Language)]
        return tuple(one.code for one in languages if one.speaker_gender is not None)

    def provides(self) -> tuple[str, ...]:
        return (
            *(f"adapter {a.id}" for a in self.adapters),
            *(f"metric {m.name}" for m in self.metrics),
            *(f"language {lang.code}" for lang in self.languages),
            *(f"wordlists {shown}" for _, shown in self.wordlists),
            *(f"data format {one.id}" for one in self.formats),
        )


class Plugins:
    """The plugins of this installation, loaded once: what they provide, by name."""

    def __init__(self, entry_points: Iterable[metadata.EntryPoint] | None = None) -> None:
        self.adapters: Registry[type[Adapter]] = Registry("adapter")
        self.metrics: Registry[type[Metric]] = Registry("metric")
        self.formats: Registry[type[DataFormat]] = Registry("data format")
        self.tests: Registry[Test] = Registry("test")
        self.languages: dict[str, Language] = {}
        self.speaker_gender: Registry[Callable[[], SpeakerGenderDetector]] = Registry(
            "speaker-gender detector"
        )
        self.gender_pair: Registry[Callable[[str, str], GenderPair | None]] = Registry("gender-pair filter")
        self.speaker_frames: Registry[SpeakerFrames] = Registry("speaker frames")
        self._files: Registry[StimuliFile] = Registry("stimuli file")
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(DiscoverySpecs)
        found = metadata.entry_points(group=GROUP) if entry_points is None else entry_points
        points = sorted(found, key=lambda point: (_dist(point)[0], point.name, point.value))
        records = [self._load(point) for point in points]
        self.records = tuple(self._mark_conflicts(record) for record in records)
        for code in self.speaker_gender.conflicts:
            self.languages[code] = replace(self.languages[code], speaker_gender=None)
        for code in self.gender_pair.conflicts:
            self.languages[code] = replace(self.languages[code], gender_pair=None)
        for code in self.speaker_frames.conflicts:
            self.languages[code] = replace(self.languages[code], speaker_frames=None)

    @property
    def stimuli(self) -> tuple[StimuliFile, ...]:
        """The stimuli files of all plugins, without the files and tests that two plugins claim."""
        usable = set(self.tests.names)
        return tuple(
            replace(file, tests=tuple(test for test in file.tests if test.id.casefold() in usable))
            for file in self._files.items()
        )

    def check_undisputed(self, patterns: Iterable[str], usable: Collection[str]) -> None:
        """Raise PluginError where a glob names a test that is lost to a conflict, and so not ``usable``."""
        for pattern in patterns:
            for id in self.tests.known:
                if id not in usable and fnmatchcase(id, pattern.casefold()):
                    test = self.tests.get(id)
                    self._files.get(_file_key(test.language, test.file))

    def model_plugins(self, ref: ModelRef) -> list[ModelPlugin]:
        """Every transform and observer that plugins put around this model, by distribution and name.

        Raises PluginError from what a plugin raises.
        """
        found: list[ModelPlugin] = []
        for name, plugin in self._manager.list_name_plugin():
            try:
                found.extend(
                    some for answer in self._alone(plugin, "model_plugins")(ref=ref) for some in answer
                )
            except Exception as error:
                raise PluginError(
                    f"the plugin {name} failed to say what it puts around {ref}: {_why_failed(error)}. "
                    f"Disable it: {DISABLE_VARIABLE}={name.rpartition(':')[2]}"
                ) from error
        return found

    def detector(self, tag: str) -> SpeakerGenderDetector:
        """The detector of the speaker's gender in a language, by its tag or a shorter one (``sr`` for ``sr-Latn``).

        Raises UnknownNameError where there is none, which names the plugins that may have one and failed to
        load; PluginError where two bring one; GrammarError where its grammar cannot be used.
        """
        language = find_language(self.languages, tag)
        if language is not None and language.speaker_gender is not None:
            return language.speaker_gender()
        if language is not None and language.code in self.speaker_gender.conflicts:
            return self.speaker_gender.get(language.code)()  # raises
        absent = [record for record in self.records if record.status in ("failed", "blocked")]
        # Of a plugin that failed late it is known what it would have told; of the others it is not.
        mine = [record for record in absent if set(record.detects) & set(shorter_tags(tag))]
        perhaps = "" if mine else "perhaps it is in what is not loaded: "
        shown = [
            f"{perhaps}the {record.shown} is {record.status}: {record.reason}"
            for record in mine or absent[:3]
        ]
        raise UnknownNameError(no_detector(self.languages, tag, shown))

    def require(self, requirements: Iterable[str]) -> None:
        """Raise PluginError unless every requirement (``"biascore-plugin-slavic>=1"``) is loaded.

        The error is raised from the exception that kept the plugin from loading, if one did.
        """
        for text in requirements:
            try:
                wanted = Requirement(text)
            except InvalidRequirement as error:
                raise PluginError(
                    f"{text!r} is not a requirement ({error}). "
                    f"Write it as for pip: 'biascore-plugin-slavic>=1'"
                ) from error
            mine = [r for r in self.records if canonicalize_name(r.dist) == canonicalize_name(wanted.name)]
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

    def _load(self, point: metadata.EntryPoint) -> PluginRecord:
        dist, version = _dist(point)
        record = PluginRecord(point.name, dist, version, point.value, "loaded")
        blocked = _why_blocked(record)
        if blocked:
            return replace(record, status="blocked", reason=blocked)
        name = f"{dist}:{point.name}"
        plugin: object = None
        contribution = _Contribution()
        try:
            plugin = point.load()
            self._manager.register(plugin, name=name)
            self._manager.check_pending()
            self._collect(plugin, contribution)
        except KeyboardInterrupt:
            raise
        # A plugin is a stranger's code: whatever it raises, sys.exit() or a panic of a compiled extension
        # too (neither is an Exception), must not reach the others.
        except BaseException as error:
            if plugin is not None and self._manager.get_plugin(name) is not None:
                self._manager.unregister(name=name)
            record = replace(record, detects=contribution.detects())
            return replace(record, status="failed", reason=_why_failed(error), error=error)
        hooks = tuple(sorted(caller.name for caller in self._manager.get_hookcallers(plugin) or []))
        record = replace(
            record, hooks=hooks, provides=contribution.provides(), detects=contribution.detects()
        )
        if not hooks:
            self._manager.unregister(name=name)
            return replace(record, status="failed", reason="it implements no hook of biascore (@hookimpl)")
        self._commit(contribution, record)
        return record

    def _alone(self, plugin: object, hook: str) -> pluggy.HookCaller:
        """The hook as this plugin alone implements it."""
        others = [p for p in self._manager.get_plugins() if p is not plugin]
        return self._manager.subset_hook_caller(hook, remove_plugins=others)

    def _collect(self, plugin: object, contribution: _Contribution) -> None:
        for hook, argument in (
            ("register_adapters", contribution.adapters.append),
            ("register_metrics", contribution.metrics.append),
            ("register_languages", contribution.languages.append),
            ("register_wordlists", contribution.add_wordlist),
            ("register_formats", contribution.formats.append),
        ):
            self._alone(plugin, hook)(register=argument)
        for adapter in contribution.adapters:
            _check_class(
                adapter, Adapter, {"id": str, "summary": str, "example": str, "capabilities": frozenset}
            )
            _check_capabilities(adapter, adapter.capabilities)
        for metric in contribution.metrics:
            _check_class(
                metric, Metric, {"name": str, "summary": str, "reference": str, "requires": frozenset}
            )
            _check_class(metric, Metric, {"kinds": frozenset})
            _check_capabilities(metric, metric.requires)
        for data_format in contribution.formats:
            _check_class(data_format, DataFormat, {"id": str, "summary": str, "example": str})
        _check_once([a.id for a in contribution.adapters])
        _check_once([m.name for m in contribution.metrics])
        _check_once([f.id for f in contribution.formats])
        for language in contribution.languages:
            if not isinstance(language, Language):
                raise TypeError(f"registered {language!r}, which is not a Language")
        contribution.read_stimuli()

    def _commit(self, contribution: _Contribution, record: PluginRecord) -> None:
        for adapter in contribution.adapters:
            self.adapters.add(adapter.id, adapter, record)
        for metric in contribution.metrics:
            self.metrics.add(metric.name, metric, record)
        for data_format in contribution.formats:
            self.formats.add(data_format.id, data_format, record)
        for language in contribution.languages:
            self._add_language(language, record)
        for file in contribution.stimuli:
            self._files.add(_file_key(file.language, file.display), file, record)
            for test in file.tests:
                self.tests.add(test.id.casefold(), test, record)

    def _add_language(self, language: Language, record: PluginRecord) -> None:
        """Several plugins may know a language: one brings its word lists, another its grammar."""
        known = self.languages.setdefault(language.code, language)
        if language.speaker_gender is not None:
            self.speaker_gender.add(language.code, language.speaker_gender, record)
            known = replace(known, speaker_gender=known.speaker_gender or language.speaker_gender)
        if language.gender_pair is not None:
            self.gender_pair.add(language.code, language.gender_pair, record)
            known = replace(known, gender_pair=known.gender_pair or language.gender_pair)
        if language.speaker_frames is not None:
            self.speaker_frames.add(language.code, language.speaker_frames, record)
            known = replace(known, speaker_frames=known.speaker_frames or language.speaker_frames)
        self.languages[language.code] = known

    def _mark_conflicts(self, record: PluginRecord) -> PluginRecord:
        registries: tuple[Registry[Any], ...] = (
            *(self.adapters, self.metrics, self.formats),
            *(self.tests, self._files),
            *(self.speaker_gender, self.gender_pair, self.speaker_frames),
        )
        clashes = [
            f"{registry.kind} {name!r} is also provided by "
            + " and ".join(
                owner.shown for owner in owners if (owner.dist, owner.name) != (record.dist, record.name)
            )
            for registry in registries
            for name, owners in registry.conflicts.items()
            if any((owner.dist, owner.name) == (record.dist, record.name) for owner in owners)
        ]
        return replace(record, status="conflict", reason="; ".join(clashes)) if clashes else record


def _dist(point: metadata.EntryPoint) -> tuple[str, str]:
    # An installation that was interrupted may have left its entry points and no name.
    fields = dict(point.dist.metadata.json) if point.dist is not None else {}
    return str(fields.get("name", "unknown")), str(fields.get("version", "0"))


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


def _check_class(found: object, base: type, attributes: Mapping[str, type]) -> None:
    if not (inspect.isclass(found) and issubclass(found, base)):
        raise TypeError(f"registered {found!r}, which is not a subclass of biascore's {base.__name__}")
    wrong = [
        f"{n}: {kind.__name__}"
        for n, kind in attributes.items()
        if not isinstance(getattr(found, n, None), kind)
    ]
    if wrong:
        raise TypeError(f"{base.__name__} {found.__name__} lacks {', '.join(wrong)}")
    abstract = [
        f"{n}()" for n in dir(found) if getattr(getattr(found, n, None), "__isabstractmethod__", False)
    ]
    if abstract:
        raise TypeError(f"{base.__name__} {found.__name__} lacks {', '.join(abstract)}")


def _check_capabilities(owner: type, named: frozenset[str]) -> None:
    unknown = named - set(CAPABILITIES)
    if unknown:
        raise TypeError(
            f"{owner.__name__} names {', '.join(sorted(unknown))}; there are {', '.join(CAPABILITIES)}"
        )


def _check_once(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"registered {name!r} twice")


def _file_key(language: str, display: str) -> str:
    """By what the lists of a file are addressed: language and file name."""
    return f"{language}/{PurePath(display).name}".casefold()
