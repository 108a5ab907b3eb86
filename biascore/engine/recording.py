"""The Run that records what was done: on which models, from which stimuli, by which plugins, when and where."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from biascore.audits.audit import Audit
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.evaluating_scenarios import evidence
from biascore.engine.attempts import Done
from biascore.engine.harmless import harmless_audits
from biascore.engine.mappings import is_file, mapping_named, mapping_used
from biascore.engine.steps import Checked
from biascore.files.reading import file_digest
from biascore.models.usage import ModelUsed
from biascore.plugins.loading import Plugins
from biascore.results.leads import Lead, chosen_leads
from biascore.results.portable import portable
from biascore.results.provenance import PluginUsed, Provenance, computing, required
from biascore.results.run import Run
from biascore.results.stimuli_used import StimuliUsed, TestUsed
from biascore.results.verdicts import BASELINE, Rule
from biascore.stimuli import Origin, StimuliFile, Test


def record_call(
    done: Done,
    checked: Checked,
    plugins: Plugins,
    audit: Audit,
    options: Mapping[str, Any],
    folders: Iterable[Path],
) -> Run:
    """The Run of one metric that was asked for from Python or the command line; ``folders`` of the engine's stimuli."""
    (measured,) = audit.measurements
    refs = checked.refs
    asked = {
        "metric": measured.metric,
        **({"model": refs[0]} if len(refs) == 1 else {"models": refs}),
        "tests": [test.id for test in checked.steps[0].tests],
        "options": options,
        "stimuli": [*map(str, folders)],
    }
    title = f"{measured.metric} on {', '.join(name for name in checked.models if name in done.used)}"
    return portable(record(done, checked, plugins, audit, title=title, asked=asked))


def record_audit(
    done: Done, checked: Checked, plugins: Plugins, audit: Audit, folders: Iterable[Path]
) -> Run:
    """The Run of an audit with its gates and scenarios; the engine's ``folders`` are as much a part of it as its own."""
    asked = {**audit.model_dump(mode="json"), "stimuli": [*map(str, folders), *audit.stimuli]}
    made = record(done, checked, plugins, audit, title=audit.title, asked=asked)
    files = (
        str(entry.options[name])
        for entry, step in zip(audit.measurements, checked.steps, strict=True)
        for name in step.metric.file_options & entry.options.keys()
    )
    own = filter(is_file, audit.mappings)
    named = (*audit.stimuli, *(data.source for data in audit.data), *files, *own)
    made = portable(made, audit.folder, {str(audit.path(text)): text for text in named})
    mappings = [mapping_named(plugins, name, audit.folder)[0] for name in audit.mappings]
    said = {
        "gates": evaluate(audit.gates, made, audit.folder, checked.bases),
        "scenarios": evidence(audit.scenarios, made, mappings),
    }
    made = made.model_copy(update=said)  # gates and scenarios are offered to items of a mapping
    used = tuple(mapping_used(plugins, name, audit.folder, made) for name in audit.mappings)
    return made.model_copy(update={"mappings": used})


def record(
    done: Done, checked: Checked, plugins: Plugins, audit: Audit, *, title: str, asked: Mapping[str, Any]
) -> Run:
    """The Run of an audit that was checked and done; ``asked`` is what was asked for, as it was given."""
    models = tuple(
        done.used[name] for name in dict.fromkeys([*checked.models, *checked.seconds]) if name in done.used
    )
    used_plugins = tuple(
        PluginUsed(name=one.name, dist=one.dist, version=one.version)
        for one in plugins.installed
        if one.status in ("loaded", "conflict")
    )
    packages = computing(done.packages)
    versions = required({"biascore", *packages, *(one.dist for one in used_plugins)})
    started = time.monotonic()
    controls = {model.name: model.control for model in models if model.control is not None}
    harmless = harmless_audits(done.measured, controls, audit.adjust, audit.seed)
    seconds = round(time.monotonic() - started, 3) if harmless else 0.0
    return Run(
        title=title,
        adjustment=audit.adjust,
        rule=Rule.HARMLESS,
        harmless=harmless,
        line=audit.line,
        release=audit.release,
        leads=_leads(done, checked, controls),
        measurements=done.made,
        failed=done.failed,
        models=models,
        warnings=tuple(_warnings(models)),
        stimuli=(
            *_stimuli_used(
                (
                    *(
                        origin
                        for step in checked.steps
                        for one in step.tests
                        for origin in (one, *step.metric.extra_stimuli(one, checked.catalogue))
                    ),
                    *(
                        checked.catalogue.origin(id)
                        for one in models
                        for used in one.transforms
                        for id in used.stimuli
                    ),
                    *_planted(done, checked, plugins),
                )
            ),
            *_files_used(checked),
        ),
        tests=tuple(
            TestUsed.of(test)
            for test in dict.fromkeys(test for step in checked.steps for test in step.tests)
            if test.id in {measurement.test for measurement in done.made}
        ),
        provenance=Provenance(
            biascore_version=versions["biascore"],
            python_version=platform.python_version(),
            packages=packages,
            required=versions,
            platform=platform.platform(),
            started=done.started,
            finished=done.finished,
            harmless_seconds=seconds,
            seed=audit.seed,
            audit=asked,
            plugins=used_plugins,
        ),
    )


def _leads(done: Done, checked: Checked, controls: Mapping[str, object]) -> tuple[Lead, ...]:
    """The lead tests of the models in use, whether they could be measured or not; a change by a transform is none."""
    changes = {(m.model, m.metric, m.test) for m in done.made if m.change_from}
    return chosen_leads(
        (Lead(model=model, ground=test.concept, metric=metric.name, test=test.id), test.lead)
        for group in checked.groups
        for model, metric, test in group
        if model not in controls and test.concept != BASELINE and (model, metric.name, test.id) not in changes
    )


def _warnings(models: Iterable[ModelUsed]) -> Iterator[str]:
    """What answers showed, and what learning the transforms warned of, once for each transform and level."""
    for model in models:
        yield from (f"{model.name}: {text}" for text in model.warnings)
        for used in model.transforms:
            for fit in used.fits:
                yield from (f"{model.name}, {used.name} ({fit.level}): {text}" for text in fit.warnings)


def _planted(done: Done, checked: Checked, plugins: Plugins) -> list[StimuliFile]:
    """The user's own word lists, where a model was made from the stimuli that are available."""
    if not any(name in done.used and one.adapter.uses_stimuli for name, one in checked.every.items()):
        return []
    shipped = {file.display for file in plugins.stimuli}
    return [file for file in checked.catalogue.files if file.display not in shipped]


def _files_used(checked: Checked) -> Iterator[StimuliUsed]:
    """The files that options of the metrics name, each once."""
    for path in dict.fromkeys(path for step in checked.steps for path in step.metric.files):
        yield StimuliUsed(file=path, sha256=file_digest(Path(path), path), source="", licence="", tests=())


def _stimuli_used(origins: Iterable[Origin]) -> tuple[StimuliUsed, ...]:
    """The files of what was measured, of what metrics read in addition, and of what transforms were learnt from."""
    files: dict[str, list[Origin]] = {}
    for one in origins:
        files.setdefault(one.file if isinstance(one, Test) else one.display, []).append(one)
    return tuple(
        StimuliUsed(
            file=file,
            sha256=some[0].sha256,
            source=some[0].source,
            licence=some[0].licence,
            tests=tuple(dict.fromkeys(one.id for one in some if isinstance(one, Test))),
        )
        for file, some in files.items()
    )
