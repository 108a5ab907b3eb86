"""The engine: opens models by reference, measures tests on them, and runs whole audits."""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
import pluggy
from pydantic import ValidationError

from biascore.adapter import Adapter, LoadContext, ModelPlugin, Options
from biascore.audit import Audit, AuditMeasurement, AuditModel
from biascore.budget import Budget
from biascore.cache import Cache, DiskCache, NoCache, default_folder
from biascore.errors import CapabilityError, OptionsError, PluginError, UnknownNameError
from biascore.files import is_path, user_path
from biascore.measurement import Measurement
from biascore.metric import Metric
from biascore.model import Model, Services, Source
from biascore.plan import Plan, Planner
from biascore.plugins import Plugins
from biascore.progress import Progress, Silent
from biascore.refs import ModelRef
from biascore.run import PluginUsed, Provenance, Run, StimuliUsed
from biascore.stimuli import Catalogue, Test

DEFAULT_CACHE: Final = "default"


@dataclass(frozen=True, slots=True)
class _Opening:
    """A model that was checked and can be opened."""

    spec: AuditModel
    ref: ModelRef
    adapter: Adapter
    options: Options


@dataclass(frozen=True, slots=True)
class _Step:
    """A metric that was checked, its tests, and the models it is for."""

    metric: Metric
    tests: tuple[Test, ...]
    models: frozenset[str]


class Engine:
    """Plugins, stimuli and cache of one installation.

    ``stimuli``: folders of the user's own ``<language>/*.toml``. ``cache``: a folder, ``"default"``
    for the user's cache folder, or None to keep no answers. ``seed`` fixes everything random.
    ``require_plugins``: requirements that must be loaded. ``attempts``: how often a question is put
    to a model that fails in passing. ``max_characters``: how many characters may be sent in all to services
    with a key, which may charge for them; BudgetError before more would be.
    """

    def __init__(
        self,
        *,
        stimuli: Sequence[str | Path] = (),
        cache: str | Path | None = DEFAULT_CACHE,
        seed: int = 0,
        progress: Progress | None = None,
        require_plugins: Iterable[str] = (),
        attempts: int = 5,
        max_characters: int | None = None,
    ) -> None:
        self.plugins = Plugins()
        self.plugins.require(require_plugins)
        self.seed = seed
        self._stimuli = tuple(user_path(folder) for folder in stimuli)
        self.catalogue = self._read_catalogue(self._stimuli)
        self._services = Services(
            cache=_open_cache(cache),
            progress=progress or Silent(),
            budget=Budget(max_characters),
            attempts=attempts,
        )

    def model(
        self, ref: str, *, name: str | None = None, transforms: Sequence[ModelPlugin] = (), **options: Any
    ) -> Model:
        """Open a model by reference (``"fasttext:/models/cc.it.300.bin"``) with the adapter's own options.

        Raises RefError, UnknownNameError, OptionsError, MissingExtraError or ModelLoadError.
        """
        opening = self._check_model(AuditModel(ref=ref, name=name or "", options=options), self.catalogue)
        return self._open(opening, self.catalogue, transforms)

    def measure(
        self, metric: str, model: Model | str, tests: str | Test | Sequence[str | Test], **options: Any
    ) -> Run:
        """Measure tests (ids, globs such as ``"en/weat*"``, or Test objects) on one model.

        Returns a Run, a sequence of Measurement. Everything is checked before a model is opened.
        """
        checked = self._check_metric(metric, options)
        chosen = self._select(tests)
        for test in chosen:
            checked.check(test)
        started = time.time()
        if isinstance(model, str):
            opening = self._check_model(AuditModel(ref=model), self.catalogue)
            _check_capabilities(checked, model, opening.adapter.capabilities)
            opened = self._open(opening, self.catalogue)
        else:
            _check_capabilities(checked, model.name, model.capabilities)
            opened = model
        before = opened.counts
        try:
            measurements = [self._measure(checked, opened, test, self.seed) for test in chosen]
            used = opened.used(since=before)
        finally:
            if isinstance(model, str):
                opened.close()
        audit = {
            "metric": metric,
            "model": str(opened.source.ref),
            "tests": [t.id for t in chosen],
            "options": options,
        }
        return Run(
            title=f"{metric} on {used.name}",
            measurements=tuple(measurements),
            models=(used,),
            stimuli=_stimuli_used(chosen),
            provenance=self._provenance(started, self.seed, audit),
        )

    def run(self, audit: Audit | str | Path) -> Run:
        """Run an audit (an Audit or the path of its file), models one after the other.

        All of it is checked first: references, options, metrics, tests and capabilities.
        Answers already in the cache are not asked again, so an interrupted run resumes.
        """
        plan = audit if isinstance(audit, Audit) else Audit.load(audit)
        catalogue, openings, steps = self._check(plan)
        started = time.time()
        measurements: list[Measurement] = []
        used = []
        for opening in openings:
            model = self._open(opening, catalogue)
            try:
                measurements += [
                    self._measure(step.metric, model, test, plan.seed)
                    for step in steps
                    if opening.spec.label in step.models
                    for test in step.tests
                ]
                used.append(model.used())
            finally:
                model.close()
        tests = [test for step in steps for test in step.tests]
        return Run(
            title=plan.title,
            measurements=tuple(measurements),
            models=tuple(used),
            stimuli=_stimuli_used(tests),
            provenance=self._provenance(started, plan.seed, plan.model_dump(mode="json")),
        )

    def plan(self, audit: Audit | str | Path, *, probe: bool = True) -> Plan:
        """What ``run`` would ask of each model, and its cost, without running.

        Models are opened; with ``probe`` each is asked a few questions for an estimate of the time, except
        services with a key, which may charge. Nothing is written to the cache.
        """
        chosen = audit if isinstance(audit, Audit) else Audit.load(audit)
        catalogue, openings, steps = self._check(chosen)
        planner = Planner(self._services.cache, self._services.progress)
        for opening in openings:
            measurements = [
                (step.metric, test)
                for step in steps
                if opening.spec.label in step.models
                for test in step.tests
            ]
            planner.rehearse(
                partial(self._open, opening, catalogue),
                measurements,
                partial(self._measure, seed=chosen.seed),
                probe=probe and opening.adapter.key_env_var is None,
            )
        return planner.plan(chosen.title)

    def check(self, audit: Audit | str | Path) -> None:
        """Raise what is wrong with an audit without opening any model."""
        self._check(audit if isinstance(audit, Audit) else Audit.load(audit))

    def close(self) -> None:
        """Close the cache."""
        self._services.cache.close()

    def _check(self, audit: Audit) -> tuple[Catalogue, list[_Opening], list[_Step]]:
        self.plugins.require(audit.require_plugins)
        folders = [Path(folder) for folder in audit.stimuli]
        catalogue = self._read_catalogue((*self._stimuli, *folders)) if folders else self.catalogue
        openings = [self._check_model(spec, catalogue) for spec in audit.models]
        labels = [spec.label for spec in audit.models]
        repeated = sorted({label for label in labels if labels.count(label) > 1})
        if repeated:
            raise OptionsError(
                f"several models are called {repeated[0]!r}. Name each model once, or in an audit file give each "
                "its own name = ..."
            )
        steps = [self._check_step(entry, catalogue, labels) for entry in audit.measurements]
        _check_all_used(steps, labels)
        _check_no_repeats(steps, audit)
        for step in steps:
            for opening in openings:
                if opening.spec.label in step.models:
                    _check_capabilities(step.metric, opening.spec.label, opening.adapter.capabilities)
        return catalogue, openings, steps

    def _check_model(self, spec: AuditModel, catalogue: Catalogue) -> _Opening:
        ref = ModelRef.parse(spec.ref)
        adapter = self.plugins.adapters.get(ref.adapter)()
        # A path that exists is a path, even with an @ in it.
        if adapter.takes_revision and not is_path(ref.locator):
            ref = ref.split_revision()
        options = _validate(adapter.options, spec.options, f"adapter {ref.adapter}")
        adapter.check(ref, options, LoadContext(catalogue))
        return _Opening(spec, ref, adapter, options)

    def _check_metric(self, name: str, options: Mapping[str, Any]) -> Metric:
        metric = self.plugins.metrics.get(name)
        return metric(_validate(metric.options, options, f"metric {name}"))

    def _check_step(self, entry: AuditMeasurement, catalogue: Catalogue, labels: list[str]) -> _Step:
        metric = self._check_metric(entry.metric, entry.options)
        tests = self._find(entry.tests, catalogue)
        for test in tests:
            metric.check(test)
        for name in entry.models or ():
            if name not in labels:
                raise UnknownNameError(
                    f"the measurement {entry.metric!r} names a model {name!r}; "
                    f"the audit has: {', '.join(labels)}. "
                    f"Correct its models = [...]"
                )
        return _Step(metric, tests, frozenset(entry.models or labels))

    def _open(self, opening: _Opening, catalogue: Catalogue, transforms: Sequence[ModelPlugin] = ()) -> Model:
        backend = opening.adapter.load(opening.ref, opening.options, LoadContext(catalogue))
        source = Source(
            name=opening.spec.label,
            ref=opening.ref,
            adapter_version=self._adapter_version(opening.ref.adapter),
            options=opening.options.model_dump(mode="json"),
            explicit_options=opening.options.model_dump(mode="json", exclude_unset=True),
            paid=opening.adapter.key_env_var is not None,
        )
        around = [*transforms, *self.plugins.model_plugins(opening.ref)]
        try:
            return Model(source, backend, around, self._services)
        # A ValueError: two plugins around the model have one name.
        except (pluggy.PluginValidationError, ValueError) as error:
            backend.close()
            raise PluginError(
                f"{opening.ref}: a plugin around this model does not fit the hooks: {error}. "
                f"See: biascore plugins"
            ) from error

    def _adapter_version(self, adapter: str) -> str:
        owner = self.plugins.adapters.owner(adapter)
        return f"{owner.dist} {owner.version}"

    def _measure(self, metric: Metric, model: Model, test: Test, seed: int) -> Measurement:
        own_seed = measurement_seed(seed, metric.name, test.id, model.name)
        return metric.measure(model, test, np.random.default_rng(own_seed), own_seed)

    def _select(self, tests: str | Test | Sequence[str | Test]) -> tuple[Test, ...]:
        wanted = [tests] if isinstance(tests, str | Test) else list(tests)
        chosen: dict[str, Test] = {}
        for want in wanted:
            for test in (want,) if isinstance(want, Test) else self._find([want], self.catalogue):
                if chosen.setdefault(test.id, test) != test:
                    raise OptionsError(f"two different tests are called {test.id}. Rename one of them.")
        if not chosen:
            raise UnknownNameError("no test was named. See what there is with: biascore list tests")
        return tuple(chosen.values())

    def _find(self, patterns: Sequence[str], catalogue: Catalogue) -> tuple[Test, ...]:
        usable = {test.id.casefold() for test in catalogue.tests}
        self.plugins.check_undisputed(patterns, usable)
        try:
            return catalogue.select(patterns)
        except UnknownNameError as error:
            failed = [record.shown for record in self.plugins.records if record.status == "failed"]
            if not failed:
                raise
            raise UnknownNameError(
                f"{error}. Not loaded: {', '.join(failed)}; see why with: biascore plugins"
            ) from error

    def _read_catalogue(self, folders: Sequence[Path]) -> Catalogue:
        own = Catalogue.from_folders([(folder, str(folder)) for folder in folders])
        return Catalogue((*self.plugins.stimuli, *own.files))

    def _provenance(self, started: float, seed: int, audit: Mapping[str, Any]) -> Provenance:
        return Provenance(
            biascore_version=metadata.version("biascore"),
            python_version=platform.python_version(),
            platform=platform.platform(),
            started=started,
            finished=time.time(),
            seed=seed,
            audit=audit,
            plugins=tuple(
                PluginUsed(name=r.name, dist=r.dist, version=r.version)
                for r in self.plugins.records
                if r.status in ("loaded", "conflict")
            ),
        )


def measurement_seed(seed: int, metric: str, test: str, model: str) -> int:
    """The seed of one measurement: the same whatever else is in the run, and in whatever order."""
    text = "\0".join((str(seed), metric, test, model))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest())


def _open_cache(cache: str | Path | None) -> Cache:
    if cache is None:
        return NoCache()
    return DiskCache(default_folder() if cache == DEFAULT_CACHE else user_path(cache))


def _validate(model: type[Any], options: Mapping[str, Any], owner: str) -> Any:
    try:
        return model(**options)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, d['loc'])) or 'options'}: {d['msg']}" for d in error.errors()
        )
        known = ", ".join(
            f"{name} ({_shown(field.get_default(call_default_factory=True))})"
            for name, field in model.model_fields.items()
        )
        raise OptionsError(f"{owner}: {problems}. Its options, with defaults: {known or 'none'}.") from error


def _shown(default: object) -> str:
    return repr(getattr(default, "value", default))


def _check_capabilities(metric: Metric, model: str, capabilities: frozenset[str]) -> None:
    missing = metric.requires - capabilities
    if missing:
        raise CapabilityError(
            f"{metric.name} needs a model that can {', '.join(sorted(missing))}, and {model} can "
            f"{', '.join(sorted(capabilities))}. "
            f"Choose another metric, or leave {model!r} out (models = [...])"
        )


def _check_all_used(steps: Sequence[_Step], labels: Sequence[str]) -> None:
    unused = [label for label in labels if not any(label in step.models for step in steps)]
    if unused:
        raise OptionsError(
            f"no measurement names the model(s) {', '.join(unused)}, which would be opened for nothing. "
            "Add them to a models = [...], or leave them out"
        )


def _check_no_repeats(steps: Sequence[_Step], audit: Audit) -> None:
    """The same measurement twice would count twice in the adjustment for multiple testing."""
    seen: set[tuple[str, str, str, str]] = set()
    for step, entry in zip(steps, audit.measurements, strict=True):
        for test in step.tests:
            for model in step.models:
                key = (entry.metric, repr(sorted(entry.options.items())), test.id, model)
                if key in seen:
                    raise OptionsError(
                        f"{entry.metric} on {test.id} and {model} stands twice in the audit with the same options. "
                        "Leave one out"
                    )
                seen.add(key)


def _stimuli_used(tests: Iterable[Test]) -> tuple[StimuliUsed, ...]:
    files: dict[str, list[Test]] = {}
    for test in tests:
        files.setdefault(test.file, []).append(test)
    return tuple(
        StimuliUsed(
            file=file,
            sha256=some[0].sha256,
            source=some[0].source,
            licence=some[0].licence,
            tests=tuple(dict.fromkeys(test.id for test in some)),
        )
        for file, some in files.items()
    )
