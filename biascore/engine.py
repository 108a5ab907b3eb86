"""The engine: opens models by reference, measures tests on them, and runs whole audits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import ValidationError

from biascore.audit import Audit, AuditData, AuditModel, AuditTransform
from biascore.basics.guard import At, failed, guarded, report_it
from biascore.basics.notebook import progress_here
from biascore.basics.problems import problems_of
from biascore.basics.progress import Progress, Silent
from biascore.checking import (
    Checker,
    check_audit,
    check_measure,
    check_open,
    read_data,
)
from biascore.errors import BiascoreError, OptionsError
from biascore.evidence.evaluating import evidence
from biascore.files.paths import user_path
from biascore.gates.evaluating import evaluate
from biascore.metric import Context, Metric
from biascore.models.adapter import ModelPlugin
from biascore.models.budget import Budget
from biascore.models.cache import Cache, DiskCache, NoCache, default_cache
from biascore.models.model import Model
from biascore.models.pool import Pool
from biascore.models.source import Services
from biascore.planning.out_of_reach import out_of_reach
from biascore.planning.plan import Plan, Planner
from biascore.plugins.loading import Plugins
from biascore.plugins.stimuli import read_catalogue
from biascore.results.finding import Finding, measurement_of, wrong_result
from biascore.results.measurement import Measurement
from biascore.results.portable import portable
from biascore.results.run import Run
from biascore.running.attempts import Done, perform
from biascore.running.opening import open_model
from biascore.running.recording import mappings_used, record
from biascore.running.training_words import with_taught
from biascore.stats import Adjustment
from biascore.steps import Checked
from biascore.stimuli import Catalogue, Test
from biascore.transform import Transform

DEFAULT_CACHE: Final = "default"


class Engine:
    """Plugins, stimuli and cache of one installation.

    ``stimuli``: folders of the user's own ``<language>/*.toml``. ``cache``: a folder, ``"default"``
    for the user's cache folder, or None to keep no answers. ``seed`` fixes everything random. ``adjust`` is how
    ``measure`` adjusts p-values over the measurements on one model; an audit says it itself, as it does the seed.
    ``progress`` is told what is at work; by default a bar in a notebook, and nothing elsewhere.
    ``require_plugins``: requirements that must be loaded. ``attempts``: how often a question is put
    to a model that fails in passing. ``max_characters``: how many characters may be sent in all to services
    with a key, which may charge for them; BudgetError before more would be. ``time_limit``: the seconds that a
    plugin may take to open a model, to answer one batch of questions, or to measure a test, the waiting for
    answers apart; None for no limit.
    """

    def __init__(
        self,
        *,
        stimuli: Sequence[str | Path] = (),
        cache: str | Path | None = DEFAULT_CACHE,
        seed: int = 0,
        adjust: Adjustment | str = Adjustment.BENJAMINI_HOCHBERG,
        progress: Progress | None = None,
        require_plugins: Iterable[str] = (),
        attempts: int = 5,
        max_characters: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.plugins = Plugins()
        self.plugins.require(require_plugins)
        self.seed = seed
        self.adjust = _adjustment(adjust)
        self._stimuli = tuple(user_path(folder) for folder in stimuli)
        self.catalogue = read_catalogue(self.plugins, self._stimuli)
        self._checker = Checker(self.plugins, self.catalogue)
        self._services = Services(
            cache=_open_cache(cache),
            progress=progress or progress_here(),
            budget=Budget(max_characters),
            attempts=attempts,
            time_limit=time_limit,
        )

    def model(
        self,
        ref: str,
        *,
        name: str | None = None,
        transforms: Sequence[str | Transform | AuditTransform | ModelPlugin] = (),
        **options: Any,
    ) -> Model:
        """Open a model by reference (``"fasttext:/models/cc.it.300.bin"``) with the adapter's own options.

        ``transforms`` are applied one after the other: by name, ``AuditTransform(name=..., options=...)``, or made
        already; a ``ModelPlugin`` is put around the model itself. See also ``Model.with_transform``.

        Raises RefError, UnknownNameError, OptionsError, MissingExtraError or ModelLoadError; StimuliError or
        CapabilityError for transforms that do not fit.
        """
        wrappers = [one for one in transforms if isinstance(one, ModelPlugin)]
        named = [AuditTransform(name=one) if isinstance(one, str) else one for one in transforms]
        prepared = [self._checker.prepared(one) for one in named if not isinstance(one, ModelPlugin)]
        before = f"{name} before" if name and prepared else name
        opening = self._checker.model(AuditModel(ref=ref, name=before or "", options=options))
        model = open_model(opening, self.plugins, self.catalogue, self._services, wrappers)
        try:
            after = model.through(*prepared)
            return after.view(name) if name and prepared else after
        except BiascoreError:
            model.close()
            raise

    def data(
        self,
        format: str,
        source: str | Path,
        *,
        language: str,
        name: str = "",
        licence: str = "",
        citation: str = "",
        **options: Any,
    ) -> Test:
        """The test that a data file becomes: ``engine.data("crows-pairs", "pairs.csv", language="en")``.

        ``source`` is a path or ``hub:OWNER/NAME/PATH[@REVISION]``, which a run records with its ``licence`` and
        ``citation``; the options are the format's own.
        Raises DataError, OptionsError or UnknownNameError.
        """
        try:
            data = AuditData(
                format=format,
                source=str(source),
                language=language,
                name=name,
                licence=licence,
                citation=citation,
                options=options,
            )
        except ValidationError as error:
            raise OptionsError("; ".join(one.text for one in problems_of(error, AuditData))) from error
        return read_data(self.plugins, data)

    def add_tests(self, tests: Sequence[Test]) -> None:
        """Make tests, such as those of data files, part of this engine's stimuli, by their ids.

        Raises StimuliError where a test of that id is there already.
        """
        self.catalogue = self.catalogue.with_tests(tests)
        self._checker = Checker(self.plugins, self.catalogue)

    def measure(
        self,
        metric: str,
        model: Model | str | Sequence[Model | str],
        tests: str | Test | Sequence[str | Test],
        **options: Any,
    ) -> Run:
        """Measure tests (ids, globs such as ``"en/weat*"``, or Test objects) on one model or several.

        Returns a Run, a sequence of Measurement. Everything is checked before a model is opened. What a model or a
        plugin then does wrong costs its own measurements, which are ``failed`` in the run; where nothing could be
        measured, that error is raised.
        """
        models = [model] if isinstance(model, Model | str) else list(model)
        wanted = [tests] if isinstance(tests, str | Test) else list(tests)
        checked = check_measure(self._checker, metric, options, models, wanted)
        done = self._perform(checked, self.seed)
        refs = checked.refs
        made = record(
            done,
            checked,
            self.plugins,
            title=f"{metric} on {', '.join(name for name in checked.models if name in done.used)}",
            adjustment=self.adjust,
            seed=self.seed,
            audit={
                "metric": metric,
                **({"model": refs[0]} if len(refs) == 1 else {"models": refs}),
                "tests": [test.id for test in checked.steps[0].tests],
                "options": options,
                "stimuli": [str(folder) for folder in self._stimuli],
            },
        )
        return portable(made)

    def run(self, audit: Audit | str | Path) -> Run:
        """Run an audit (an Audit or the path of its file), models one after the other.

        All of it is checked first: references, options, metrics, tests and capabilities. What a model or a plugin then
        does wrong costs its own measurements, which are ``failed`` in the run; where nothing could be measured,
        that error is raised. Answers already in the cache are not asked again, so that a run which was interrupted,
        or of which a part failed, goes on.
        """
        plan = audit if isinstance(audit, Audit) else Audit.load(audit)
        checked = check_audit(self.plugins, self._stimuli, plan)
        done = self._perform(checked, plan.seed)
        # The engine's own folders of stimuli are as much a part of it as those that the audit names.
        folders = [*map(str, self._stimuli), *plan.stimuli]
        made = record(
            done,
            checked,
            self.plugins,
            title=plan.title,
            adjustment=plan.adjust,
            seed=plan.seed,
            audit={**plan.model_dump(mode="json"), "stimuli": folders},
        )
        named = (*plan.stimuli, *(data.source for data in plan.data))
        made = portable(made, plan.folder, {str(plan.path(text)): text for text in named})
        mappings = [self.plugins.mappings.get(name) for name in plan.mappings]
        said = {
            "gates": evaluate(plan.gates, made, plan.folder),
            "scenarios": evidence(plan.scenarios, made, mappings),
            "mappings": mappings_used(self.plugins, plan.mappings),
        }
        return made.model_copy(update=said)

    def plan(self, audit: Audit | str | Path, *, probe: bool = True) -> Plan:
        """What ``run`` would ask of each model, and its cost, without running.

        Models are opened; with ``probe`` each is asked a few questions for an estimate of the time, except
        services with a key, which may charge. Nothing is written to the cache.
        """
        chosen = audit if isinstance(audit, Audit) else Audit.load(audit)
        checked = check_audit(self.plugins, self._stimuli, chosen)
        planner = Planner(self._services.cache, self._services.progress)
        with self._pool(checked) as pool:
            for label in checked.models:
                if not checked.measurements(label):
                    continue
                planner.rehearse(
                    label,
                    pool.model,
                    checked.measurements(label),
                    partial(self._measure, catalogue=checked.catalogue, seed=chosen.seed),
                    probe=lambda name: probe and checked.every[name].adapter.key_env_var is None,
                )
                if label not in checked.seconds:
                    pool.release(label)
        return planner.plan(chosen.title, out_of_reach(checked.planned))

    def check(self, audit: Audit | str | Path) -> None:
        """Raise what is wrong with an audit without opening any model."""
        check_audit(self.plugins, self._stimuli, audit if isinstance(audit, Audit) else Audit.load(audit))

    def tests(
        self, metric: str, wanted: Sequence[str | Test], options: Mapping[str, Any], *, on: str = ""
    ) -> tuple[Test, ...]:
        """The tests that ids and globs name, of what a glob names those that the metric takes; each is checked.

        ``on``: the reference of a model, which is checked with them as for ``measure``, and not opened.
        Raises UnknownNameError, TestKindError, OptionsError, or what the metric says of a test.
        """
        if on:
            return check_measure(self._checker, metric, options, [on], wanted).steps[0].tests
        chosen = self._checker.chosen(wanted, self.plugins.metrics.get(metric))
        made = self._checker.metric(metric, options)
        for test in chosen:
            self._checker.check(made, test)
        return chosen

    def with_tests(self, tests: Sequence[Test], seed: int) -> Engine:
        """Another engine over the same plugins and stimuli, with further tests and another seed; it keeps no answers.

        Raises StimuliError where a test of that id is there already.
        """
        other = copy(self)
        other._services = replace(self._services, cache=NoCache(), progress=Silent())
        other.seed = seed
        other.add_tests(tests)
        return other

    def close(self) -> None:
        """Close the cache."""
        self._services.cache.close()

    def _pool(self, checked: Checked) -> Pool:
        every = checked.every
        openers = {
            name: partial(open_model, opening, self.plugins, checked.catalogue, self._services)
            for name, opening in every.items()
        }
        return Pool(
            openers,
            checked.given,
            keys={name: opening.key for name, opening in every.items()},
            transforms={name: opening.transforms for name, opening in every.items()},
        )

    def _perform(self, checked: Checked, seed: int) -> Done:
        """Make all measurements; raises NothingMeasuredError, or the one error that all of them met."""
        for one in out_of_reach(checked.planned):
            self._services.progress.note(one.told)
        with self._pool(checked) as pool:
            return perform(
                checked.groups,
                partial(self._measure_on, pool, checked.catalogue, seed),
                pool,
                keep=checked.seconds,
                progress=self._services.progress,
            )

    def _measure_on(
        self, pool: Pool, catalogue: Catalogue, seed: int, label: str, metric: Metric, test: Test
    ) -> Measurement:
        model = pool.model(label)
        # Now that it is open: of its kind, an adapter names all that any model can answer.
        check_open(metric, model, self.plugins)
        return self._measure(metric, model, test, pool.model, catalogue, seed)

    def _measure(
        self,
        metric: Metric,
        model: Model,
        test: Test,
        pool: Callable[[str], Model],
        catalogue: Catalogue,
        seed: int,
    ) -> Measurement:
        own_seed = measurement_seed(seed, metric.name, test.id)
        context = Context(
            np.random.default_rng(own_seed),
            own_seed,
            catalogue,
            pool,
            self.plugins.languages,
            tuple(one() for one in self.plugins.diagnostics.items()),
        )
        owner = self.plugins.metrics.owner(metric.name).owner
        what = f"{metric.name} {test.id} on {model.name}"
        at = At(owner, "measuring", f"measuring {what}")
        for transform in model.transforms:
            transform.asked.clear()
        found: object = guarded(at, lambda: metric.measure(model, test, context), self._services.time_limit)
        if not isinstance(found, Finding):
            wrong = f"returned a {type(found).__name__}, which is not a Finding"
        else:
            measured = guarded(
                at,
                lambda: measurement_of(
                    found,
                    metric=metric.name,
                    alpha=metric.options.alpha,
                    test=test,
                    model=model.name,
                    seed=own_seed,
                    unreachable=metric.unreachable(test),
                ),
            )
            wrong = wrong_result(measured)
        if wrong:
            raise failed(
                At(owner, "result", what),
                f"{owner.shown}: {metric.name} {wrong}, for {test.id} on {model.name}. {report_it(owner)}",
            )
        return with_taught(measured, model, (test, *metric.extra_stimuli(test, catalogue)))


def _adjustment(name: Adjustment | str) -> Adjustment:
    try:
        return Adjustment(name)
    except ValueError:
        raise OptionsError(
            f"adjust={name!r} is none of: {', '.join(Adjustment)}. Choose one of them"
        ) from None


def measurement_seed(seed: int, metric: str, test: str) -> int:
    """The seed of one measurement: the same whatever else is in the run, in whatever order, for every model.

    A model is no part of it: neither its path nor its name moves an interval, and models that are compared
    are compared on the same draws.
    """
    text = "\0".join((str(seed), metric, test))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest())


def _open_cache(cache: str | Path | None) -> Cache:
    if cache is None:
        return NoCache()
    return default_cache() if cache == DEFAULT_CACHE else DiskCache(user_path(cache))
