"""Finds plugins through the entry-point group ``biascore`` and loads each in isolation.

Not ``load_setuptools_entrypoints``: there one broken plugin aborts all of them, and a duplicate
name is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from importlib import metadata
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import pluggy

from biascore.basics.collecting import uncollected
from biascore.basics.guard import guarded
from biascore.basics.keys import declare
from biascore.command import OWN_COMMANDS, Command
from biascore.errors import (
    At,
    BiascoreError,
    Owner,
    PluginError,
    PluginFailedError,
    StimuliError,
    TimeLimitError,
    UnknownNameError,
)
from biascore.exporter import OWN_FORMS
from biascore.hookspecs import DiscoverySpecs
from biascore.installation import install_plugin
from biascore.models.capabilities import PROJECT
from biascore.plugins.contribution import Contribution
from biascore.plugins.kinds import KINDS
from biascore.plugins.points import IMPORT_VARIABLE, comparable, dist_of, import_limit, why_blocked
from biascore.plugins.registry import PluginRecord, Registry

if TYPE_CHECKING:
    from biascore.adapter import Adapter
    from biascore.evidence.mappings import Mapping
    from biascore.exporter import Exporter
    from biascore.languages.gender import GenderPair, SpeakerGenderDetector
    from biascore.languages.language import Language, SpeakerFrames
    from biascore.metric import Diagnostic, Metric
    from biascore.models.backend import ModelPlugin
    from biascore.models.executor import Executor
    from biascore.models.refs import ModelRef
    from biascore.models.transform import Transform
    from biascore.stimuli import Kinds, StimuliFile, Test
    from biascore.stimuli.dataset import DataFormat
    from biascore.stimuli.entries import TestEntry

GROUP: Final = "biascore"


class Plugins:
    """The plugins of this installation, loaded once: what they provide, by name.

    ``only``: plugins are imported and asked these hooks alone, for what they would register by others may be slow to
    import.
    """

    @uncollected()
    def __init__(
        self, entry_points: Iterable[metadata.EntryPoint] | None = None, *, only: Collection[str] = ()
    ) -> None:
        # What stimuli files hold is read by the kinds of test.
        self._only = frozenset(only) | ({"register_kinds"} if "register_wordlists" in only else set())
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
        points = sorted(found, key=_order)
        loaded = [self._load(point) for point in points]
        for record, contribution in loaded:
            for kind in contribution.items["kinds"] if record.status == "loaded" else ():
                self.kinds.add(kind.kind_name(), kind, record)
        # The tests of one plugin may be of a kind that another one brings.
        records = [self._finish(record, contribution) for record, contribution in loaded]
        self.records = tuple(
            sorted(map(self._mark_conflicts, records), key=lambda one: (one.dist, one.name, one.module))
        )
        for adapter in self.adapters.items():
            _declare_keys(adapter)
        for code in self.speaker_gender.conflicts:
            self.languages[code] = replace(self.languages[code], speaker_gender=None)
        for code in self.gender_pair.conflicts:
            self.languages[code] = replace(self.languages[code], gender_pair=None)
        for code in self.speaker_frames.conflicts:
            self.languages[code] = replace(self.languages[code], speaker_frames=None)

    def add_adapter(self, adapter: type[Adapter]) -> None:
        """Make an adapter of this process available; raises PluginError for what is none, and for an installed name."""
        try:
            KINDS[0].check([adapter])
        except (TypeError, ValueError) as error:
            raise PluginError(f"the adapter {adapter!r} cannot be used: it {error}") from error
        # Another version each time: answers of the code of before are not its own.
        record = PluginRecord(f"{adapter.id} (from Python)", "", uuid4().hex, adapter.__module__, "loaded")
        self.adapters.replace(adapter.id, adapter, record)
        _declare_keys(adapter)

    @property
    def stimuli(self) -> tuple[StimuliFile, ...]:
        """The stimuli files of all plugins, without the files and tests that two plugins claim or that biascore has."""
        return tuple(
            replace(
                file, tests=tuple(test for test in file.tests if self.tests.holds(test.id.casefold(), test))
            )
            for file in self._files.items()
        )

    def check_undisputed(self, patterns: Iterable[str], usable: Collection[str]) -> None:
        """Raise PluginError where a glob names a test that is lost to a conflict, and so not ``usable``."""
        for pattern in patterns:
            for id in self.tests.known:
                if id not in usable and fnmatchcase(id, pattern.casefold()):
                    test = self.tests.get(id)
                    self._files.get(_file_key(test.language, test.file))
                    raise PluginError(
                        f"the test {id} is lost: " + "; ".join(self._files.clashes(self.tests.owner(id)))
                    )

    def model_plugins(self, ref: ModelRef) -> list[ModelPlugin]:
        """Every transform and observer that plugins put around this model, by distribution and name.

        Raises PluginError from what a plugin raises.
        """
        found: list[ModelPlugin] = []
        registered = dict(self._manager.list_name_plugin())
        for record in self.records:
            plugin = registered.get(f"{record.dist}:{record.name}")
            if plugin is None:
                continue
            at = At(record.owner, "opening", f"what it puts around {ref}")
            found += guarded(at, partial(_asked, self._alone(plugin, "model_plugins"), ref))
        return found

    def transform_owner(self, transform: Transform) -> Owner:
        """Whose transform this is; of one that no plugin registers, its name alone."""
        for name in self.transforms.names:
            if type(transform) is self.transforms.get(name):
                return self.transforms.owner(name).owner
        return Owner(f"transform {transform.name}")

    def detector(self, tag: str) -> SpeakerGenderDetector:
        """The detector of the speaker's gender in a language, by its tag or a shorter one (``sr`` for ``sr-Latn``).

        Raises UnknownNameError where there is none, which names the plugins that may have one and failed to
        load; PluginError where two bring one; GrammarError where its grammar cannot be used; PluginFailedError
        for everything else that goes wrong in it, now or when it is asked.
        """
        from biascore.languages.gender_trace import OwnedDetector
        from biascore.languages.language import find_language, no_detector, shorter_tags

        language = find_language(self.languages, tag)
        if language is not None and language.speaker_gender is not None:
            code = language.code
            owner = self.speaker_gender.owner(code).owner if code in self.speaker_gender.known else Owner()
            at = At(owner, "checking", f"opening the detector of the speaker's gender in {code!r}")
            opened = language.speaker_gender
            return guarded(at, lambda: OwnedDetector(opened(), owner))
        if language is not None and language.code in self.speaker_gender.conflicts:
            return self.speaker_gender.get(language.code)()  # raises
        absent = [record for record in self.records if record.status in ("failed", "blocked")]
        # Of a plugin that failed late it is known what it would have told; of the others it is not.
        mine = [record for record in absent if set(record.gender_languages) & set(shorter_tags(tag))]
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
        from packaging.requirements import InvalidRequirement, Requirement

        for text in requirements:
            try:
                wanted = Requirement(text)
            except InvalidRequirement as error:
                raise PluginError(
                    f"{text!r} is not a requirement ({error}). "
                    f"Write it as for pip: 'biascore-plugin-slavic>=1'"
                ) from error
            mine = [r for r in self.records if comparable(r.dist) == comparable(wanted.name)]
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
        """The kinds of test that stimuli files may hold; sections that two of them have are those of what ships."""
        from biascore.stimuli.schema import kinds_of

        return kinds_of(
            tuple(sorted(self.kinds.items(), key=lambda kind: not self.kinds.owner(kind.kind_name()).ships))
        )

    def _load(self, point: metadata.EntryPoint) -> tuple[PluginRecord, Contribution]:
        dist, version = dist_of(point)
        record = PluginRecord(point.name, dist, version, point.value, "loaded")
        contribution = Contribution()
        blocked = why_blocked(record)
        if blocked:
            return replace(record, status="blocked", reason=blocked), contribution
        name = f"{dist}:{point.name}"
        step = partial(self._register, point, name, contribution)
        return self._guarded(record, contribution, step), contribution

    def _guarded(
        self, record: PluginRecord, contribution: Contribution, step: Callable[[], object]
    ) -> PluginRecord:
        """The record after a step of its loading, which failed where the step did."""
        name, limit = f"{record.dist}:{record.name}", import_limit()
        try:
            guarded(At(record.owner, "loading", "loading it"), step, limit)
        except BiascoreError as error:
            if self._manager.get_plugin(name) is not None:
                self._manager.unregister(name=name)
            raised = (error.__cause__ or error) if isinstance(error, PluginFailedError) else error
            late = isinstance(error, TimeLimitError)
            reason = (
                f"loading it takes more than {limit:g} seconds ({IMPORT_VARIABLE})"
                if late
                else _why_failed(raised)
            )
            record = replace(record, gender_languages=contribution.gender_languages())
            return replace(record, status="failed", reason=reason, error=raised)
        return record

    def _finish(self, record: PluginRecord, contribution: Contribution) -> PluginRecord:
        """Read its stimuli, and take what it contributes."""
        if record.status == "loaded" and contribution.wordlists:
            record = self._guarded(record, contribution, partial(self._read_stimuli, contribution))
        if record.status != "loaded":
            return record
        name = f"{record.dist}:{record.name}"
        plugin = self._manager.get_plugin(name)
        hooks = tuple(sorted(caller.name for caller in self._manager.get_hookcallers(plugin) or []))
        record = replace(
            record,
            hooks=hooks,
            provides=contribution.provides(),
            gender_languages=contribution.gender_languages(),
        )
        if not hooks:
            self._manager.unregister(name=name)
            return replace(record, status="failed", reason="it implements no hook of biascore (@hookimpl)")
        self._commit(contribution, record)
        return record

    def _read_stimuli(self, contribution: Contribution) -> None:
        """Read its tests; where another plugin has the name of their kind or section, they may be lost, and no more is."""
        own = contribution.items["kinds"]
        lost = any(
            not self.kinds.holds(kind.kind_name(), kind)
            or any(
                self.test_kinds.sections.get(name) is not section for name, section in kind.sections.items()
            )
            for kind in own
        )
        try:
            contribution.read_stimuli(self.test_kinds)
        except StimuliError:
            if not lost:
                raise

    def _register(self, point: metadata.EntryPoint, name: str, contribution: Contribution) -> object:
        plugin: object = point.load()
        contribution.check_contract(plugin)
        self._manager.register(plugin, name=name)
        self._manager.check_pending()
        hooks = {caller.name for caller in self._manager.get_hookcallers(plugin) or []}
        if not self._only or self._only & hooks:
            contribution.collect(partial(self._ask, plugin))
        return plugin

    def _ask(self, plugin: object, hook: str, register: Callable[..., None]) -> None:
        if not self._only or hook in self._only:
            self._alone(plugin, hook)(register=register)

    def _alone(self, plugin: object, hook: str) -> pluggy.HookCaller:
        """The hook as this plugin alone implements it."""
        others = [p for p in self._manager.get_plugins() if p is not plugin]
        return self._manager.subset_hook_caller(hook, remove_plugins=others)

    def _commit(self, contribution: Contribution, record: PluginRecord) -> None:
        for kind in KINDS:
            for item in contribution.items[kind.group]:
                if kind.group != "kinds":  # these were taken before any stimuli were read
                    getattr(self, kind.group).add(kind.name(item), item, record)
        for mapping in contribution.mappings:
            self.mappings.add(mapping.name, mapping, record)
        for command in contribution.commands:
            self.commands.add(command.name, command, record)
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
            *(getattr(self, kind.group) for kind in KINDS),
            *(self.mappings, self.commands),
            *(self.tests, self._files),
            *(self.speaker_gender, self.gender_pair, self.speaker_frames),
        )
        clashes = [clash for registry in registries for clash in registry.clashes(record)]
        return replace(record, status="conflict", reason="; ".join(clashes)) if clashes else record


def _order(point: metadata.EntryPoint) -> tuple[bool, str, str, str]:
    """What ships with biascore first, as it keeps its names."""
    dist = dist_of(point)[0]
    return dist.lower() != "biascore", dist, point.name, point.value


def _declare_keys(adapter: type[Adapter]) -> None:
    declare([*filter(None, [adapter.key_env_var]), *adapter.secret_env_vars])


def _asked(hook: pluggy.HookCaller, ref: ModelRef) -> list[ModelPlugin]:
    return [one for answer in hook(ref=ref) for one in answer]


def _why_failed(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).strip()}"


def _file_key(language: str, display: str) -> str:
    """By what the lists of a file are addressed: language and file name."""
    return f"{language}/{PurePath(display).name}".casefold()
