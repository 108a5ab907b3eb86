"""A run as trackers of experiments take it: flat numbers, settings and states, by names that stay the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from biascore.results.left_out import not_asked
from biascore.results.run_files import RUN_FILE, report_of
from biascore.results.verdicts import Role, RunVerdict, State

if TYPE_CHECKING:
    from biascore.models.usage import ModelUsed
    from biascore.results.measurement import Measurement
    from biascore.results.run import Run

_TAKEN: Final = re.compile(r"[^\w.-]+")
FAILED: Final = "failed"
NOT_ASKED: Final = "not asked"


class Tracked(NamedTuple):
    """One model of a run.

    ``numbers``: of each measurement METRIC/TEST/effect in the unit of ``settings``, low and high (its interval), p,
    p_adjusted and n/WHAT. What has no value has no number. ``states``: METRIC/TEST with its state, ``failed`` or
    ``not asked``; gate/NAME with ``passed``, ``passed with a warning`` or ``failed``. A baseline or control says so.
    """

    model: str
    numbers: dict[str, float]
    settings: dict[str, str]
    states: dict[str, str]


def tracked(run: Run) -> tuple[Tracked, ...]:
    """Each model in use that the run asked, or, where it asked controls alone, each of these."""
    named = {one.model for one in run.measurements} | {one.model for one in run.failed}
    models = [one for one in run.models if one.name in named]
    return tuple(_tracked(run, one) for one in [m for m in models if m.control is None] or models)


def tracked_files(folder: Path, run: Run) -> tuple[Path, ...]:
    """What trackers keep of a stored run as it is: ``run.json``, and its report if there is one with its results."""
    page = report_of(folder, run.report_path, run.results_digest())
    return (folder / RUN_FILE, *([page] if page else []))


def _tracked(run: Run, model: ModelUsed) -> Tracked:
    found = Tracked(model.name, {}, _settings(run, model), {})
    for measurement, said in zip(run.measurements, run.verdicts, strict=True):
        if measurement.model == model.name:
            about = (measurement.metric, measurement.variant, measurement.subject)
            name = _free(_name(".".join(filter(None, about)), measurement.test), found.states)
            role = "" if said.role is Role.FINDING else f" ({said.role.value})"
            found.states[name] = f"{State.of(measurement, said).value}{role}"
            found.numbers.update((f"{name}/{key}", value) for key, value in _numbers(measurement, said))
            head = measurement.headline
            zero = "" if head.neutral is None else f", no bias is {head.neutral:g}"
            level = f", interval of {100 * head.interval.level:g} %" if head.interval else ""
            found.settings[f"{name}/unit"] = f"{head.name} ({head.unit}){zero}{level}"
    for failure in run.failed:
        if failure.model == model.name:
            found.states[_free(_name(failure.metric, failure.test), found.states)] = FAILED
    found.states.update((_name(test), NOT_ASKED) for test in not_asked(run))
    for gate in run.gates:
        own = tuple(one for one in gate.checks if one.model == model.name)
        if own or gate.problem:
            here = gate.model_copy(update={"checks": own})
            passed = "passed with a warning" if here.warned else "passed" if here.passed else FAILED
            found.states[_free(_name("gate", gate.name), found.states)] = passed
    return found


def _numbers(measurement: Measurement, said: RunVerdict) -> Iterator[tuple[str, float]]:
    head = measurement.headline
    if head.value is not None:
        yield "effect", head.value + 0.0
        if head.interval is not None:
            yield from (("low", head.interval.low + 0.0), ("high", head.interval.high + 0.0))
        if measurement.p_value is not None:
            yield "p", measurement.p_value
        if said.p_adjusted is not None:
            yield "p_adjusted", said.p_adjusted
    yield from ((_name("n", what), float(count)) for what, count in head.n.items())


def _settings(run: Run, model: ModelUsed) -> dict[str, str]:
    audit = run.provenance.audit
    given = {
        "title": run.title,
        "line": run.line,
        "release": run.release,
        "design": str(audit.get("design") or ""),
        "model": model.name,
        "ref": model.ref,
        "revision": model.revision or "",
        "digest": model.digest,
        "transforms": ", ".join(one.name for one in model.transforms),
        "control": "a model with a known bias" if model.control is not None else "",
        "biascore": run.provenance.biascore_version,
        "seed": str(run.provenance.seed),
        "adjustment": run.adjustment.value,
        "results_digest": run.results_digest(),
    }
    return {name: value for name, value in given.items() if value}


def _name(*parts: str) -> str:
    """The parts with what trackers take in a name: letters, digits and ``_.-/``, and no step that leads out."""
    steps = (_TAKEN.sub("-", step).strip("-") for part in parts for step in part.split("/"))
    return "/".join(step if step.strip(".") else "_" for step in steps)


def _free(name: str, taken: dict[str, str]) -> str:
    """The name, with a number where another measurement has it."""
    number = 2
    while f"{name}.{number}" in taken and name in taken:
        number += 1
    return f"{name}.{number}" if name in taken else name
