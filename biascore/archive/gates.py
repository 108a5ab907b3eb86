"""What the gates, scenarios and mappings of a stored run came to, derived again from its measurements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import metadata
from typing import Any

from pydantic import ValidationError

from biascore.archive.check import Check
from biascore.archive.locating import Places, mappings_of
from biascore.audits.base_runs import BaseRuns, NoBaseRuns
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.evaluating_mappings import offered
from biascore.audits.evaluating_scenarios import evidence
from biascore.audits.gates import Gate, named
from biascore.audits.scenarios import Scenario
from biascore.basics.problems import problems_of
from biascore.basics.surface import either
from biascore.errors import BiascoreError
from biascore.mapping import Mapping
from biascore.plugins.loading import Plugins
from biascore.results.gates import GateResult
from biascore.results.mappings import MappingUsed, OfferState
from biascore.results.run import Run
from biascore.results.scenarios import ScenarioResult


def gate_checks(run: Run, places: Places) -> Iterator[Check]:
    """Each gate of the run's audit evaluated again; one whose base run is not among ``places`` is not here."""
    try:
        stated = named(Gate.model_validate(dict(one)) for one in run.provenance.audit.get("gates", ()))
    except ValidationError as error:
        yield Check(what="gates", outcome="differs", detail=problems_of(error, Gate)[0].text)
        return
    stored = {one.name: one for one in run.gates}
    bases = BaseRuns()
    for name, gate in stated:
        yield _gate(name, gate, stored.get(name), run, places, bases)
    yield from _not_in_audit("gate", stored, [name for name, _ in stated])


def scenario_checks(run: Run, plugins: Plugins, places: Places) -> Iterator[Check]:
    """Each scenario of the run's audit evaluated on it again; without its mapping it is not here."""
    audit = run.provenance.audit
    try:
        stated = [Scenario.model_validate(dict(one)) for one in audit.get("scenarios", ())]
    except ValidationError as error:
        yield Check(what="scenarios", outcome="differs", detail=problems_of(error, Scenario)[0].text)
        return
    mappings = _mappings(run, plugins, places)
    there = {one.name for one in mappings}
    absent = [one for one in run.mappings if one.name not in there]
    stored = {one.name: one for one in run.scenarios}
    for scenario, found in zip(stated, evidence(stated, run, mappings), strict=True):
        what = f"scenario {scenario.name!r}"
        if absent:
            detail = f"the mapping {absent[0].name!r} {_not_here(absent[0], run)}"
            yield Check(what=what, outcome="not here", detail=detail)
        else:
            yield _compared(what, found, stored.get(scenario.name), run)
    yield from _not_in_audit("scenario", stored, [one.name for one in stated])


def mapping_checks(run: Run, plugins: Plugins, places: Places) -> Iterator[Check]:
    """What the run offers to the items of each of its mappings, looked up again."""
    here = {one.name: one for one in _mappings(run, plugins, places)}
    for used in run.mappings:
        what = f"mapping {used.name!r}"
        if used.name not in here:
            yield Check(what=what, outcome="not here", detail=f"it {_not_here(used, run)}")
            continue
        again = used.model_copy(update={"items": offered(here[used.name], run)})
        same = run.provenance.biascore_version == metadata.version("biascore")
        if again == used if same else _states(again) == _states(used):
            yield Check(
                what=what, outcome="matches", detail=again.in_short if again.items else "articles alone"
            )
        else:
            yield Check(
                what=what, outcome="differs", detail=f"from the measurements it comes to: {again.in_short}"
            )


def _not_here(used: MappingUsed, run: Run) -> str:
    own = mappings_of(run).get(used.name)
    if own is None:
        return "is not here in that version; see: biascore plugins"
    where = either("--stimuli", "stimuli")
    return f"is in the file {own.file}, which is not here or was changed; name its folder with {where}"


def _states(used: MappingUsed) -> list[OfferState]:
    return [offer.state for item in used.items for offer in item.offers]


def _mappings(run: Run, plugins: Plugins, places: Places) -> list[Mapping]:
    """Those of the run that are here with the same bytes: of plugins, and files that its audit names."""
    recorded = {one.name: one.sha256 for one in run.mappings}
    found = list(plugins.mappings.items())
    for used in mappings_of(run).values():
        with suppress(BiascoreError):
            if (path := places.file(used.file, used.sha256)) is not None:
                found.append(Mapping.read(path))
    return [one for one in found if recorded.get(one.name) == one.sha256]


def _gate(
    name: str, gate: Gate, stored: GateResult | None, run: Run, places: Places, bases: BaseRuns
) -> Check:
    what = f"gate {name!r}"
    root = places.beside
    first = gate.previous is not None or gate.no_base == "pass"
    if first and stored is not None and not stored.base:
        bases = NoBaseRuns()
    elif gate.base is not None:
        found = places.root_of_run(gate.base, folder=gate.previous is not None)
        if found is None:
            where = either("--stimuli", "stimuli")
            detail = f"its base run {gate.base!r} is not here; name the folder in which it lies with {where}"
            return Check(what=what, outcome="not here", detail=detail)
        root = found
    try:
        (again,) = evaluate([gate.model_copy(update={"name": name})], run, root, bases)
    except BiascoreError as error:
        return Check(what=what, outcome="differs", detail=str(error))
    if stored is not None and again.base != stored.base:
        detail = f"the run in {gate.base!r} is another than the gate compared with, by its results"
        return Check(what=what, outcome="not here", detail=detail)
    return _compared(what, again, stored, run)


def _compared(
    what: str, again: GateResult | ScenarioResult, stored: GateResult | ScenarioResult | None, run: Run
) -> Check:
    """Word by word where this version wrote it, else in what it came to."""
    shown = again.said if isinstance(again, GateResult) else again.in_short
    if stored is None:
        return Check(what=what, outcome="differs", detail=f"the run does not hold it; it comes to: {shown}")
    same = run.provenance.biascore_version == metadata.version("biascore")
    if again == stored if same else _core(again) == _core(stored):
        return Check(what=what, outcome="matches", detail=shown)
    return Check(what=what, outcome="differs", detail=f"from the measurements it comes to: {shown}")


def _core(found: GateResult | ScenarioResult) -> Any:
    if isinstance(found, GateResult):
        return found.passed, found.warned, [(one.what, one.criterion, one.held) for one in found.checks]
    return [(one.number, one.said, one.held) for one in found.tested], found.ground, found.articles


def _not_in_audit(kind: str, stored: Iterable[str], stated: list[str]) -> Iterator[Check]:
    for name in stored:
        if name not in stated:
            yield Check(
                what=f"{kind} {name!r}",
                outcome="differs",
                detail="the audit of the run states none of that name",
            )
