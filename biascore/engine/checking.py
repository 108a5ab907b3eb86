"""What is checked before any model is opened: references, options, tests, data files, capabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from biascore.adapter import LoadContext, naming_missing_key
from biascore.audits.audit import Audit, AuditData, AuditMeasurement, AuditModel, AuditTransform
from biascore.audits.base_runs import BaseRuns
from biascore.audits.evaluating_gates import check_gates
from biascore.audits.evaluating_scenarios import check_scenarios
from biascore.basics.guard import guarded
from biascore.basics.keys import keys_in
from biascore.basics.problems import problems_of
from biascore.basics.twice import twice
from biascore.engine.fitting import check_capabilities, check_open, check_transformed
from biascore.engine.mappings import mapping_named
from biascore.engine.steps import Checked, Opening, Step
from biascore.errors import At, CapabilityError, OptionsError, UnknownNameError
from biascore.files.paths import is_path
from biascore.metric import SELF, Metric
from biascore.models.model import Model
from biascore.models.refs import ModelRef
from biascore.models.transforms.prepared import Prepared, Transforms, no_vectors
from biascore.models.transforms.transform import Transform
from biascore.plugins.loading import Plugins
from biascore.plugins.stimuli import read_catalogue
from biascore.stimuli import Catalogue, Test
from biascore.stimuli.dataset import default_test_name, locate


def _check_once(labels: Sequence[str]) -> None:
    """Raise OptionsError where two models have one name."""
    repeated = twice(labels)
    if repeated:
        raise OptionsError(
            f"several models are called {min(repeated)!r}. Name each model once, or in an audit file give each "
            "its own name = ..."
        )


def read_data(plugins: Plugins, data: AuditData) -> Test:
    """The test that a data file becomes; raises DataError, OptionsError or UnknownNameError."""
    kind = plugins.formats.get(data.format)
    options = validate(kind.option_type, data.options, f"data format {data.format}")
    name = data.name or default_test_name(data.source)
    file = locate(
        data.source, f"{data.language}/{name}", data.language, folders=kind.folders, in_folder=kind.in_folder
    )
    at = At(plugins.formats.owner(data.format).owner, "checking", f"reading {data.source}")
    return guarded(at, lambda: _with_declared(kind(options).read(file), data))


def _with_declared(test: Test, data: AuditData) -> Test:
    """The test with what is stated of its file; what its format knows stands where nothing is."""
    return replace(test, source=data.citation or test.source, licence=data.licence or test.licence)


def _check_declared_once(files: Sequence[AuditData]) -> None:
    """A run records one licence and one citation of a file, whatever tests it becomes."""
    said: dict[str, tuple[str, str]] = {}
    for one in files:
        stated = (one.licence, one.citation)
        if said.setdefault(one.source, stated) != stated:
            raise OptionsError(
                f"{one.source} is in the audit twice, with another licence or citation. State the same of one file"
            )


class Checker:
    """Checks models, metrics and tests against what is installed."""

    def __init__(self, plugins: Plugins, catalogue: Catalogue) -> None:
        self.plugins = plugins
        self.catalogue = catalogue
        # Before anything is asked, shown or recorded: the keys of every adapter are declared when it is loaded, and a
        # key may stand where another adapter is used, such as in the address of a server.
        plugins.adapters.items()

    @classmethod
    def of_audit(cls, plugins: Plugins, folders: Sequence[Path], audit: Audit) -> Checker:
        """With the stimuli of ``folders`` and those of the audit, and its data files as tests.

        Raises PluginError for a plugin that it requires, StimuliError, DataError, OptionsError or UnknownNameError.
        """
        plugins.require(audit.require_plugins)
        catalogue = read_catalogue(plugins, (*folders, *map(audit.path, audit.stimuli)))
        _check_declared_once(audit.data)
        return cls(plugins, catalogue.with_tests([read_data(plugins, data) for data in audit.located_data]))

    def audit(
        self,
        audit: Audit,
        given: Mapping[str, Model] = MappingProxyType({}),
        tests: Sequence[Test | str] = (),
        out: Path | None = None,
    ) -> Checked:
        """Check an audit whole.

        ``given`` are those of its models that are open, by name; ``tests``, where it has a single measurement, are the
        tests of that, as ids, globs or Test objects. ``out``: where its run will be saved.
        """
        _check_no_keys(audit.model_dump(), "the audit")
        specs = [one for spec in audit.models for one in spec.measured]
        _check_once([spec.label for spec in specs])
        openings = {spec.label: self.model(spec) for spec in specs if spec.label not in given}
        self._check_whose(audit, openings.values())
        duplicates = {spec.label: spec.untransformed.label for spec in audit.models if spec.before}
        labels = [spec.label for spec in specs]
        steps = tuple(
            self.step(
                audit.located(entry, self.plugins.metrics.get(entry.metric).file_options),
                tests or entry.tests,
                labels,
                openings,
                duplicates,
            )
            for entry in audit.measurements
        )
        measured = {label for step in steps for label in (*step.models, *step.seconds)}
        # A metric that compares both asks what a model was before by itself.
        models = tuple(label for label in labels if label in measured or label not in duplicates.values())
        openings = {label: opening for label, opening in openings.items() if label in models}
        _check_all_used(steps, models)
        _check_no_repeats(steps, audit)
        checked = Checked(self.catalogue, models, openings, steps, given, duplicates, BaseRuns(besides=out))
        check_gates(audit.gates, checked.each, audit.folder, checked.bases, audit.not_asked)
        mappings = [mapping_named(self.plugins, name, audit.folder)[0] for name in audit.mappings]
        check_scenarios(audit.scenarios, checked.each, mappings)
        for step in steps:
            for label in models:
                if label in step.models:
                    self._check_fits(step.metric, label, openings.get(label) or given[label])
        return checked

    def _check_fits(self, metric: Metric, label: str, model: Opening | Model) -> None:
        """Raise where a model, open or not, cannot answer what the metric asks."""
        check_transformed(metric, label, after=model.after)
        if isinstance(model, Model):
            check_open(metric, model, self.plugins)
        else:
            check_capabilities(metric, label, model.capabilities, self.plugins, after=model.after)

    def model(self, spec: AuditModel) -> Opening:
        """Check a reference, its options and its transforms.

        Raises RefError, UnknownNameError, OptionsError; StimuliError for words that a transform cannot be learnt from;
        CapabilityError for transforms of what has no vectors.
        """
        _check_no_keys(spec.model_dump(), "the model")
        ref = ModelRef.parse(spec.ref)
        kind = self.plugins.adapters.get(ref.adapter)
        at = At(self.plugins.adapters.owner(ref.adapter).owner, "checking", f"checking {ref}", spec.label)
        adapter = guarded(at, kind)
        # A path that exists is a path, even with an @ in it.
        whole = ref.split_revision() if adapter.takes_revision and not is_path(ref.locator) else ref
        options = guarded(at, lambda: validate(adapter.option_type, spec.options, f"adapter {ref.adapter}"))
        context = LoadContext(self.catalogue, self.plugins.languages)
        guarded(
            at,
            lambda: naming_missing_key(ref, adapter, lambda: adapter.check(whole, options, context)),
            keys=adapter.key_variables,
        )
        transforms = tuple(self.prepared(one) for one in spec.transforms)
        if transforms and "embed" not in adapter.capabilities:
            raise CapabilityError(no_vectors(transforms[0].name, spec.ref, adapter.capabilities))
        return Opening(spec, whole, adapter, options, transforms)

    def _check_whose(self, audit: Audit, openings: Iterable[Opening]) -> None:
        """Raise OptionsError for an option of a metric that it has not, but a model or data file of the audit has."""
        others = [
            ("model", f"adapter {one.ref.adapter}", one.adapter.option_type.model_fields) for one in openings
        ]
        tables = {"model": "[[models]]", "data": "[[data]]"}
        for data in audit.data:
            fields = self.plugins.formats.get(data.format).option_type.model_fields
            others.append(("data", f"data format {data.format}", fields))
        for entry in audit.measurements:
            own = self.plugins.metrics.get(entry.metric).option_type.model_fields
            for name in entry.options:
                for table, owner, fields in others:
                    if name not in own and name in fields:
                        raise OptionsError(
                            f"metric {entry.metric}: {name} is no option of it, but one of {owner}. Write "
                            f"-o {table}.{name}=..., or in an audit file options of {tables[table]}"
                        )

    def metric(self, name: str, options: Mapping[str, Any]) -> Metric:
        """A metric with these options; raises UnknownNameError or OptionsError."""
        metric = self.plugins.metrics.get(name)
        at = At(self.plugins.metrics.owner(name).owner, "checking", f"making the metric {name}")
        return guarded(at, lambda: metric(validate(metric.option_type, options, f"metric {name}")).chosen)

    def prepared(self, transform: AuditTransform | Transform) -> Prepared:
        """A transform by name or as it is, with what can be known to be wrong with it found."""
        if isinstance(transform, AuditTransform):
            prepared = self.transforms.get(transform.name, transform.options)
        else:
            prepared = self.transforms.get(transform, {})
        prepared.check()
        return prepared

    def transform(self, name: str, options: Mapping[str, Any]) -> Transform:
        """A transform with these options; raises UnknownNameError or OptionsError."""
        transform = self.plugins.transforms.get(name)
        at = At(self.plugins.transforms.owner(name).owner, "checking", f"making the transform {name}")
        return guarded(at, lambda: transform(validate(transform.option_type, options, f"transform {name}")))

    @property
    def transforms(self) -> Transforms:
        """What makes transforms by name for a model."""
        return Transforms(self.catalogue, self.transform, self.plugins.transform_owner)

    def step(
        self,
        entry: AuditMeasurement,
        wanted: Sequence[Test | str],
        labels: Sequence[str],
        openings: Mapping[str, Opening],
        duplicates: Mapping[str, str],
    ) -> Step:
        """Check one measurement of an audit, on the tests that are ``wanted``, against the models that the audit has.

        ``twins``: of models that are also measured before their transforms, the name of what they are before. Whoever
        names such a model means both, and a metric that needs a transform is not measured before one.
        """
        tests = self.chosen(wanted, self.plugins.metrics.get(entry.metric))
        metric = self.metric(entry.metric, entry.options)
        for test in tests:
            self.check(metric, test)
        for name in entry.models or ():
            if name not in labels:
                raise UnknownNameError(
                    f"the measurement {entry.metric!r} names a model {name!r}; "
                    f"the audit has: {', '.join(labels)}. "
                    f"Correct its models = [...]"
                )
        seconds = self.seconds(metric, entry.options, openings)
        named = entry.models or tuple(labels)
        models = {*named, *(duplicates[name] for name in named if name in duplicates)}
        if metric.needs_transform:
            models -= set(duplicates.values()) - set(entry.models or ())
        return Step(metric, tests, frozenset(models), seconds)

    def check(self, metric: Metric, test: Test) -> None:
        """Raise what can be known to go wrong with a test before any model is asked.

        TestKindError for a test that is none of the metric's,
        UnknownNameError where no plugin tells the speaker's gender in a language that the metric needs, GrammarError
        where its grammar cannot be used.
        """
        metric.check_kind(test)
        owner = self.plugins.metrics.owner(metric.name).owner
        at = At(owner, "checking", f"checking {metric.name} {test.id}")
        guarded(at, lambda: metric.check(test, self.catalogue))
        for tag in guarded(at, lambda: metric.gender_languages(test)):
            try:
                self.plugins.detector(tag)
            except UnknownNameError as error:
                raise UnknownNameError(f"{metric.name}: {error}") from error

    def seconds(
        self, metric: Metric, options: Mapping[str, Any], openings: Mapping[str, Opening]
    ) -> dict[str, Opening]:
        """The second models that options of the metric name: models of the audit by name, others by reference."""
        found = {}
        for option, needs in metric.model_options.items():
            name = options.get(option)
            if name is None or name == SELF:
                continue
            found[name] = openings.get(name) or self.model(AuditModel(ref=name))
            missing = needs - found[name].capabilities
            if missing:
                raise CapabilityError(
                    f"{metric.name}: the model of {option} = {name!r} must {', '.join(sorted(missing))}, and it can "
                    f"{', '.join(sorted(found[name].capabilities))}. Name another model"
                )
        return found

    def tests(self, patterns: Sequence[str], metric: type[Metric]) -> tuple[Test, ...]:
        """The tests that the patterns name; of what a glob names, those of a kind that the metric takes.

        Of a metric without options: which it lacks matters only for a test that it takes.

        Raises UnknownNameError, PluginError for a disputed test, TestKindError where a glob names none of the
        metric's kinds.
        """
        chosen: dict[str, Test] = {}
        for pattern in patterns:
            found = self._find([pattern])
            taken = [test for test in found if test.kind in metric.kinds]
            if not taken:
                metric.check_kind(found[0])
            is_glob = any(character in pattern for character in "*?[")
            chosen.update({test.id: test for test in (taken if is_glob else found)})
        return tuple(chosen.values())

    def chosen(self, wanted: Sequence[Test | str], metric: type[Metric]) -> tuple[Test, ...]:
        """The tests that are named (see ``tests``) or available, each once.

        Raises TestKindError for one that is none of the metric's,
        OptionsError where two that differ have one id, UnknownNameError where there is none.
        """
        chosen: dict[str, Test] = {}
        for want in wanted:
            for test in (want,) if isinstance(want, Test) else self.tests([want], metric):
                if chosen.setdefault(test.id, test) != test:
                    raise OptionsError(f"two different tests are called {test.id}. Rename one of them.")
        if not chosen:
            raise UnknownNameError("no test was named. See what there is with: biascore list tests")
        for test in chosen.values():
            metric.check_kind(test)
        return tuple(chosen.values())

    def _find(self, patterns: Sequence[str]) -> tuple[Test, ...]:
        usable = {test.id.casefold() for test in self.catalogue.index}
        self.plugins.check_undisputed(patterns, usable)
        try:
            return self.catalogue.select(patterns)
        except UnknownNameError as error:
            failed = [record.shown for record in self.plugins.installed if record.status == "failed"]
            if not failed:
                raise
            raise UnknownNameError(
                f"{error}. Not loaded: {', '.join(failed)}; see why with: biascore plugins"
            ) from error


def validate(model: type[Any], options: Mapping[str, Any], owner: str) -> Any:
    """The options as an instance of their class; raises OptionsError that lists what there is."""
    try:
        return model(**options)
    except ValidationError as error:
        problems = "; ".join(problem.text for problem in problems_of(error, model, list_known=False))
        known = ", ".join(f"{name} ({_default(field)})" for name, field in model.model_fields.items())
        end = "" if problems.endswith("?") else "."
        raise OptionsError(
            f"{owner}: {problems}{end} Its options, with defaults: {known or 'none'}."
        ) from error


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True, validated_data={})
    return repr(getattr(default, "value", default))


def _check_all_used(steps: Sequence[Step], labels: Sequence[str]) -> None:
    unused = [
        label for label in labels if not any(label in step.models or label in step.seconds for step in steps)
    ]
    if unused:
        raise OptionsError(
            f"no measurement names the model(s) {', '.join(unused)}, which would be opened for nothing. "
            "Add them to a models = [...], or leave them out"
        )


def _check_no_keys(stated: Mapping[str, Any], where: str) -> None:
    """Raise OptionsError where what is stored with a run, and may be shown in messages, holds a key of the environment."""
    for place, variable in keys_in(stated):
        raise OptionsError(
            f"{where} holds the key in {variable} ({place}), and all that is stated is stored with the run. Leave it out: "
            "it is read from the environment"
        )


def _check_no_repeats(steps: Sequence[Step], audit: Audit) -> None:
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
