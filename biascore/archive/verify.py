"""Derives again what a stored run says of itself: that it was not changed, and that its inputs are those available.

This finds damage and changes. It does not prove who measured: whoever changes results can also compute the hashes
anew, and only measuring again shows that results are those of the models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from types import MappingProxyType

from biascore.archive.check import Check
from biascore.archive.gates import gate_checks, mapping_checks, scenario_checks
from biascore.archive.locating import Inputs, Places, inputs_of
from biascore.archive.members import member_checks
from biascore.archive.opening import Opened, opened
from biascore.audits.audit import AuditTransform
from biascore.basics.surface import either
from biascore.engine.checking import read_data
from biascore.engine.engine import Engine
from biascore.errors import BiascoreError, ModelLoadError, PluginError, RunError
from biascore.files.folders import source_digest
from biascore.files.paths import user_path
from biascore.installation import install_plugin
from biascore.models.usage import ModelUsed
from biascore.results.run import read_run
from biascore.results.run_files import RUN_FILE
from biascore.results.stimuli_used import StimuliUsed


def verify_run(
    folder: str | Path,
    *,
    models: bool = False,
    stimuli: Sequence[Path] = (),
    refs: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Check, ...]:
    """Check results, verdicts and item tables, gates and scenarios, then the stimuli and, with ``models``, the models.

    ``folder`` is that of a run, or a bundle, unpacked or not.
    ``stimuli`` are folders in which own stimuli, data files and base runs are looked for before the run's surroundings, and
    ``refs`` other references of models by name. Raises RunError for what is no stored run.
    """
    with opened(user_path(folder)) as found:
        checks = _checks(found, models, [user_path(one) for one in stimuli], refs)
        if found.archive is None:
            return checks
        # The folder that it was unpacked to is gone when somebody reads this.
        gone = f"{found.top}/"
        return tuple(one.model_copy(update={"detail": one.detail.replace(gone, "")}) for one in checks)


def _checks(
    found: Opened, models: bool, stimuli: Sequence[Path], refs: Mapping[str, str]
) -> tuple[Check, ...]:
    path = found.run
    problems, run = read_run(path)
    if found.top is None and not (path / RUN_FILE).is_file():
        raise RunError(
            f"{path} is not a stored run: it has no {RUN_FILE}. Name a folder that biascore run wrote, or a bundle."
        )
    checks = [
        Check(what="results and item tables", outcome="differs", detail=problem) for problem in problems
    ]
    if run is None:
        return (*found.damaged.values(), *checks)
    if not problems:
        checks.append(Check(what="results and item tables", outcome="matches", detail=run.results_digest()))
    places = Places.around(path, stimuli)
    checks += member_checks(run, found)
    inputs = inputs_of(run, places)
    engine, unusable = _engine(inputs)
    checks += [*gate_checks(run, places), *scenario_checks(run, engine.plugins, places)]
    checks += mapping_checks(run, engine.plugins, places)
    checks += [_check_stimuli(used, engine, places) for used in run.stimuli]
    if models:
        absent = ", ".join((*inputs.missing, *unusable))
        checks += [_check_model(used, engine, refs.get(used.name), absent) for used in run.models]
    return (*found.damaged.values(), *checks)


def _engine(inputs: Inputs) -> tuple[Engine, list[str]]:
    """An engine with the run's own stimuli, and those that cannot be used."""
    unusable = []
    try:
        engine = Engine(stimuli=inputs.stimuli, cache=None)
    except BiascoreError:
        unusable += [str(folder) for folder in inputs.stimuli]
        engine = Engine(cache=None)
    tests = []
    for data in inputs.data:
        try:
            tests.append(read_data(engine.plugins, data))
        except BiascoreError:
            unusable.append(data.source)
    engine.add_tests(tests)
    return engine, unusable


def _check_stimuli(used: StimuliUsed, engine: Engine, places: Places) -> Check:
    what = f"stimuli {used.file}"
    for shipped in engine.plugins.stimuli:
        if shipped.display == used.file:
            return _compared(what, shipped.sha256, used.sha256)
    try:
        path = places.file(used.file, used.sha256)
        if path is not None:
            return _compared(what, source_digest(path, str(path)), used.sha256)
    except BiascoreError as error:
        return Check(what=what, outcome="not here", detail=str(error))
    return Check(
        what=what,
        outcome="not here",
        detail="no such file next to the run or in the current folder; name its folder with "
        + either("--stimuli", "stimuli"),
    )


def _check_model(used: ModelUsed, engine: Engine, ref: str | None, absent: str) -> Check:
    what = f"model {used.name}"
    try:
        _check_runs_no_code(used, engine)
        with engine.model(
            ref or used.ref, transforms=_transforms(used, engine), **used.explicit_options
        ) as model:
            found = model.identity.digest
            planted = engine.plugins.adapters.get(model.source.ref.adapter).uses_stimuli
    except BiascoreError as error:
        named = either(f"--model {quote(f'{used.name}=REF')}", f"refs={{{used.name!r}: REF}}")
        where = "" if ref else f". If it lies elsewhere, say where: {named}"
        return Check(what=what, outcome="not here", detail=f"{error}{where}")
    if found != used.digest and planted and absent:
        return Check(
            what=what,
            outcome="not here",
            detail=f"it is made from stimuli, and of them {absent} cannot be read here",
        )
    return _compared(what, found, used.digest)


def _check_runs_no_code(used: ModelUsed, engine: Engine) -> None:
    """Raise ModelLoadError where the run asks for its author's code: whoever reads a run has not agreed to that."""
    kind = engine.plugins.adapters.get(used.ref.partition(":")[0])
    asked = sorted(name for name in kind.code_options if used.explicit_options.get(name))
    if asked:
        raise ModelLoadError(
            f"it was measured with {asked[0]}, by which its author's code can run, and verify runs none. If you trust it, "
            "run the audit again and compare the two runs"
        )


def _transforms(used: ModelUsed, engine: Engine) -> list[AuditTransform]:
    """The transforms of a model, to be put on it again; raises PluginError where they are others now, or none here."""
    found = []
    for one in used.transforms:
        if not one.dist:
            raise PluginError(
                f"it went through {one.name!r}, which was given from Python and is in no plugin"
            )
        here = engine.plugins.transforms.owner(one.name)
        if (here.dist, here.version) != (one.dist, one.version):
            raise PluginError(
                f"it went through {one.name!r} of {one.dist} {one.version}, and here that is of {here.dist} "
                f"{here.version}. Install: {install_plugin(f'{one.dist}=={one.version}', one.dist)}"
            )
        found.append(AuditTransform(name=one.name, options=one.explicit_options))
    return found


def _compared(what: str, found: str, stored: str) -> Check:
    return Check(what=what, outcome="matches" if found == stored else "differs", detail=found)
