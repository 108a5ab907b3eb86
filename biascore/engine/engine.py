"""The engine: opens models by reference, measures tests on them, and runs whole audits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biascore.basics.notebook import progress_here
from biascore.basics.progress import Progress, Silent
from biascore.basics.several import one_of, several
from biascore.errors import BiascoreError, OptionsError
from biascore.files.paths import user_path
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.cache import DEFAULT_CACHE, opened
from biascore.models.pipeline.source import WAIT, Services
from biascore.plugins.loading import Plugins
from biascore.plugins.stimuli import read_catalogue
from biascore.stats.multiple import Adjustment
from biascore.stimuli import Test

if TYPE_CHECKING:  # imported by the methods that need it: an engine is also made to look something up
    from biascore.adapter import Adapter
    from biascore.audits.audit import Audit, AuditTransform
    from biascore.engine.attempts import Done
    from biascore.engine.checking import Checker
    from biascore.engine.plan import Plan
    from biascore.engine.steps import Checked
    from biascore.models.backend import Backend
    from biascore.models.executor import Cluster, Executor
    from biascore.models.model import Model
    from biascore.models.transforms.transform import Transform
    from biascore.results.run import Run


class Engine:
    """Plugins, stimuli and cache of one installation.

    Args:
        stimuli: Folders of your own ``<language>/*.toml``.
        cache: A folder, ``"default"`` for the user's cache folder, or None to keep no answers.
        seed: Fixes everything random.
        adjust: How ``measure`` adjusts p-values over the measurements on one model; an audit states its own, as the seed.
        progress: Receives what is running; by default a bar in a notebook, and nothing elsewhere.
        require_plugins: Requirements that must be loaded.
        adapters: Adapters that no package brings, as classes; see ``register_adapter``.
        wait: For how many minutes in all a batch of queries waits for a server that is away.
        attempts: How often it is sent instead, whatever that takes.
        max_characters: The most characters sent in all to services with a key, which may charge; BudgetError before more.
        max_tokens: The most tokens in all, of prompts and answers, at services with a key that count tokens; each is
            counted at its bound, as in a plan. BudgetError as with characters.
        time_limit: The seconds that a plugin may take to open a model, answer one batch, or measure a test; no wait counts.
        executor: Workers that models with weights are opened and asked on: a number of processes, the address of a
            scheduler (``"tcp://host:8786"``), a ``Cluster``, or an ``Executor``, which is not closed.
    """

    def __init__(
        self,
        *,
        stimuli: str | Path | Sequence[str | Path] = (),
        cache: str | Path | None = DEFAULT_CACHE,
        seed: int = 0,
        adjust: Adjustment | str = Adjustment.HOLM,
        progress: Progress | None = None,
        require_plugins: str | Iterable[str] = (),
        adapters: type[Adapter] | Iterable[type[Adapter]] = (),
        wait: float = WAIT / 60,
        attempts: int | None = None,
        max_characters: int | None = None,
        max_tokens: int | None = None,
        time_limit: float | None = None,
        executor: Executor | Cluster | str | int | None = None,
    ) -> None:
        self.plugins = Plugins()
        self.plugins.require(several(require_plugins))
        for adapter in several(adapters):
            self.plugins.add_adapter(adapter)
        self.seed = seed
        self.adjust = one_of(Adjustment, adjust, "adjust")
        self._stimuli = tuple(map(user_path, several(stimuli)))
        self.catalogue = read_catalogue(self.plugins, self._stimuli)
        workers = None
        if executor is not None:
            from biascore.engine.workers import Workers

            workers = Workers(self._checker.plugins, executor, time_limit)
        self._services = Services(
            cache=opened(cache),
            progress=progress or progress_here(),
            budget=Budget(max_characters),
            token_budget=Budget(max_tokens, "tokens"),
            wait=60 * wait,
            attempts=attempts,
            time_limit=time_limit,
            workers=workers,
        )

    def register_adapter(self, adapter: type[Adapter]) -> None:
        """Make an adapter of this process available, which replaces itself; raises PluginError as ``add_adapter`` does."""
        self.plugins.add_adapter(adapter)

    def model(
        self,
        ref: str | Backend,
        *,
        name: str | None = None,
        transforms: Sequence[str | Transform | AuditTransform] = (),
        **options: Any,
    ) -> Model:
        """Open a model by reference (``"fasttext:/models/cc.it.300.bin"``).

        See also ``Model.with_transform``. Raises RefError, UnknownNameError, OptionsError, MissingExtraError or
        ModelLoadError; StimuliError or CapabilityError for transforms that do not fit.

        Args:
            ref: Adapter and locator, or a Backend, whose answers are kept for this session.
            name: The name in results; by default the reference.
            transforms: Applied one after the other: by name, ``AuditTransform(name=..., options=...)``, or as made.
            options: The adapter's own.
        """
        from biascore.audits.audit import AuditModel, AuditTransform
        from biascore.engine.opening import given_model, open_model
        from biascore.models.backend import Backend

        named = [AuditTransform(name=one) if isinstance(one, str) else one for one in transforms]
        prepared = [self._checker.prepared(one) for one in named]
        before = f"{name} before" if name and prepared else name
        if isinstance(ref, Backend):
            if options:
                raise OptionsError(
                    f"a Backend has no options, and {', '.join(options)} is given. Leave it out"
                )
            model = given_model(ref, before, self._checker, self._services)
        else:
            opening = self._checker.model(AuditModel(ref=ref, name=before or "", options=options))
            model = open_model(opening, self._checker, self._services)
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
        """The test of a data file: ``engine.data("crows-pairs", "pairs.csv", language="en")``.

        Raises DataError, OptionsError or UnknownNameError.

        Args:
            format: The name of a data format (``biascore list formats``).
            source: A path or ``hub:OWNER/NAME/PATH[@REVISION]``.
            language: The language of its words or sentences.
            name: The name of the test; by default the file's.
            licence: Recorded in the run.
            citation: Recorded in the run.
            options: The format's own.
        """
        from biascore.audits.audit import AuditData
        from biascore.engine.checking import read_data

        named = {"name": name, "licence": licence, "citation": citation}
        stated = AuditData.stated(
            format=format, source=str(source), language=language, options=options, **named
        )
        return read_data(self._checker.plugins, stated)

    def add_tests(self, tests: Sequence[Test]) -> None:
        """Make tests, such as those of data files, part of this engine's stimuli, by their ids.

        Raises StimuliError where a test of that id is there already.
        """
        self.catalogue = self.catalogue.with_tests(tests)
        vars(self).pop("_checker", None)

    def measure(
        self,
        metric: str,
        model: Model | str | Backend | Sequence[Model | str],
        tests: str | Test | Mapping[str, Sequence[str]] | Sequence[str | Test],
        **options: Any,
    ) -> Run:
        """Measure tests on one model or several, and return a Run, a sequence of Measurement.

        Everything is checked before a model is opened. A later error of a model or a plugin fails only its own
        measurements, which are ``failed`` in the run; it is raised if nothing could be measured.

        Args:
            metric: The name of a metric (``biascore list metrics``).
            model: A reference or a Model, or several.
            tests: Ids, globs such as ``"en/weat*"``, Test objects, or lists of words by role: ``{"X": [...], ...}``, as
                ``WeatTest`` takes them.
            options: The metric's own.
        """
        from biascore.basics.finishing import finishing
        from biascore.engine.attempts import concluded
        from biascore.engine.recording import record_call
        from biascore.models.backend import Backend
        from biascore.models.model import Model
        from biascore.stimuli.given import from_lists

        if ":" in metric:
            raise OptionsError(
                f"{metric!r} is no metric. The metric is named first: measure('weat', {metric!r}, ...)"
            )
        if isinstance(tests, Mapping):
            tests = from_lists(tests, self.plugins.test_kinds)
        if isinstance(model, Backend):
            model = self.model(model)
        models, wanted = several(model), several(tests)
        for name, some in (("model", models), ("tests", wanted)):
            if not some:
                raise OptionsError(
                    f"{name} names none. Give one or several: measure('weat', REF, 'en/weat6')"
                )
        audit = self._audit(metric, models, wanted, options)
        given = {one.name: one for one in models if isinstance(one, Model)}
        checked = self._checker.audit(audit, given, wanted)
        done = self._perform(checked, self._checker, audit.seed)
        with finishing() as waiting:
            made = record_call(done, checked, self.plugins, audit, options, self._stimuli)
        return concluded(made, done, waiting)

    def audit(
        self,
        model: Model | str,
        *,
        grounds: str | Sequence[str] = (),
        language: str | None = None,
        design: str | None = None,
        quick: bool = False,
        to: str | Sequence[str] = (),
        **options: Any,
    ) -> Audit:
        """An audit of a model from the tests that were made to decide, for ``run``: those that it can answer.

        Raises UnknownNameError for a language or ground without tests, CapabilityError for a model without any.

        Args:
            model: A reference, which is opened and closed, or a Model.
            grounds: Such as "gender" and "age"; all by default.
            language: Of the tests; English, if the model's words do not fit another far better.
            design: "small" (the lead test of each ground), "standard", the default, or "full"; ``quick``: small.
            to: The target languages of a translator, such as "es" or ("es", "it").
            options: The adapter's own, with a reference.
        """
        from biascore.audits.making import audit_of, chosen_design

        named = chosen_design(design, quick=quick)
        opened = self.model(model, **options) if isinstance(model, str) else model
        try:
            return audit_of(
                opened,
                self.plugins,
                self.catalogue,
                ref=str(opened.source.ref),
                options=opened.source.explicit_options,
                language=language,
                grounds=several(grounds),
                design=named,
                to=several(to),
                seed=self.seed,
                adjust=self.adjust,
            )
        finally:
            if opened is not model:
                opened.close()

    def run(
        self, audit: Audit | str | Path, models: Model | Sequence[Model] = (), *, out: Path | None = None
    ) -> Run:
        """Run an audit (an Audit or the path of its file), models one after the other.

        References, options, metrics, tests and capabilities are checked first. A later error of a model or a plugin
        fails only its own measurements, which are ``failed`` in the run; it is raised if nothing could be measured.
        Answers in the cache are not requested again, so an interrupted run resumes; the KeyboardInterrupt has what was
        measured as ``run``. ``models``: those open already. ``out``: where it will be saved; ``previous`` passes it over.
        """
        from biascore.basics.finishing import finishing
        from biascore.engine.attempts import concluded
        from biascore.engine.recording import record_audit

        plan, checker = self._stated(audit)
        checked = checker.audit(plan, {one.name: one for one in several(models)}, out=out)
        done = self._perform(checked, checker, plan.seed)
        with finishing() as waiting:
            made = record_audit(done, checked, self.plugins, plan, self._stimuli)
        return concluded(made, done, waiting)

    def plan(
        self,
        audit: Audit | str | Path,
        models: Sequence[Model] = (),
        *,
        probe: bool = True,
        whole: bool = True,
    ) -> Plan:
        """What ``run`` would ask of each model, and its cost, without running.

        Models are opened; with ``probe`` each is asked a few questions for an estimate of the time, except services
        with a key, which may charge and are asked nothing. Nothing is cached. ``models``: as for ``run``. Without
        ``whole`` it takes seconds: some counts are "at most", without passes and tokens.
        """
        from biascore.engine.rehearsing import rehearse

        return rehearse(*self._stated(audit), self._services, models, probe=probe, whole=whole)

    def check(self, audit: Audit | str | Path) -> list[tuple[str, str, str]]:
        """Metric, test and model of each measurement of an audit. Opens no model; raises what is wrong with the audit."""
        stated, checker = self._stated(audit)
        return checker.audit(stated).each

    def tests(
        self, metric: str, wanted: Sequence[str | Test], options: Mapping[str, Any], *, on: str = ""
    ) -> tuple[Test, ...]:
        """The tests that ids and globs name, of what a glob names those that the metric takes; each is checked.

        ``on``: the reference of a model, which is checked with them as for ``measure``, and not opened.
        Raises UnknownNameError, TestKindError, OptionsError, or what the metric says of a test.
        """
        if on:
            audit = self._audit(metric, [on], wanted, options)
            return self._checker.audit(audit, tests=wanted).steps[0].tests
        chosen = self._checker.chosen(wanted, self.plugins.metrics.get(metric))
        made = self._checker.metric(metric, options)
        for test in chosen:
            self._checker.check(made, test)
        return chosen

    def with_tests(self, tests: Sequence[Test], seed: int, cache: str | Path | None = None) -> Engine:
        """Another engine with further tests, another seed and its own cache; raises StimuliError for a test it has."""
        other = copy(self)
        other._services = replace(self._services, cache=opened(cache), progress=Silent())
        other.seed = seed
        other.add_tests(tests)
        return other

    @property
    def progress(self) -> Progress:
        """What shows its tasks."""
        return self._services.progress

    def close(self) -> None:
        """Close the cache, and let go of workers."""
        self._services.close()

    @cached_property
    def _checker(self) -> Checker:
        """What checks what is asked; from here on the keys of all adapters are known, and kept out of messages."""
        from biascore.engine.checking import Checker

        return Checker(self.plugins, self.catalogue)

    def _stated(self, audit: Audit | str | Path) -> tuple[Audit, Checker]:
        """An audit or that of a file, and what checks it."""
        from biascore.audits.audit import Audit
        from biascore.engine.checking import Checker

        stated = audit if isinstance(audit, Audit) else Audit.load(audit)
        return stated, Checker.of_audit(self._checker.plugins, self._stimuli, stated)

    def _audit(
        self,
        metric: str,
        models: Sequence[Model | str],
        tests: Sequence[str | Test],
        options: Mapping[str, Any],
    ) -> Audit:
        """What ``measure`` is asked for, as an audit; raises OptionsError."""
        from biascore.audits.audit import audit_of_metric

        return audit_of_metric(metric, models, tests, options, seed=self.seed, adjust=self.adjust)

    def _perform(self, checked: Checked, checker: Checker, seed: int) -> Done:
        """Make all measurements; raises NothingMeasuredError, or the one error that all of them met."""
        from biascore.engine.attempts import perform
        from biascore.engine.measuring import Measuring
        from biascore.engine.opening import pool_of
        from biascore.engine.out_of_reach import out_of_reach
        from biascore.stats import Verdict

        for one in out_of_reach(checked.planned):
            if one.verdict is Verdict.DETECTED:  # that negligible is out of reach, the reasons and a plan say
                self._services.progress.note(one.told)
        measuring = Measuring(checker, seed, self._services.time_limit)
        done = perform(checked, pool_of(checked, checker, self._services), measuring, self._services.progress)
        return replace(done, packages=self._services.packages)
