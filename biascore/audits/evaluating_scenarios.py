"""Scenarios compared with a run: what speaks of each, what does not, and what it could see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from biascore.audits.scenarios import Scenario
from biascore.basics.twice import twice
from biascore.errors import OptionsError
from biascore.mapping import Ground, Mapping
from biascore.results.gates import ends, several_units, within
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.scenarios import ScenarioResult, Tested


def check_scenarios(
    scenarios: Sequence[Scenario], planned: Iterable[tuple[str, str, str]], mappings: Sequence[Mapping] = ()
) -> None:
    """Raise OptionsError for two scenarios of one name, a glob that names nothing that is planned, or a mapping twice.

    ``planned`` are metrics, tests and models.
    A scenario without measurements is one that is not tested, and says so.
    """
    for name in twice(one.name for one in mappings):
        raise OptionsError(f"mappings names {name!r} twice. Name each once")
    every = list(planned)
    for name in twice(scenario.name for scenario in scenarios):
        raise OptionsError(f"two scenarios are called {name!r}. Give each a name of its own")
    for scenario in scenarios:
        unmatched = scenario.unmatched(every)
        if unmatched:
            there = (
                ", ".join(dict.fromkeys(f"{metric} {test}" for metric, test, _ in every)),
                ", ".join(dict.fromkeys(model for *_, model in every)),
            )
            raise OptionsError(
                f"the scenario {scenario.name!r} names {unmatched[0]!r}{scenario.narrowed}, which matches nothing that is "
                f"measured. Measured are {there[0]}, on {there[1]}. Name some of these, or nothing (measurements = []) "
                "where it is not tested yet"
            )


def evidence(
    scenarios: Sequence[Scenario], run: Run, mappings: Sequence[Mapping]
) -> tuple[ScenarioResult, ...]:
    """Each scenario with what the run holds of it, and the articles that name its ground."""
    return tuple(_result(scenario, run, mappings) for scenario in scenarios)


def without_scenario(scenarios: Sequence[ScenarioResult]) -> tuple[str, ...]:
    """The grounds that no scenario is about."""
    there = {scenario.ground for scenario in scenarios}
    return tuple(ground.value for ground in Ground if ground.value not in there)


def _result(scenario: Scenario, run: Run, mappings: Sequence[Mapping]) -> ScenarioResult:
    ground = scenario.ground.value
    return ScenarioResult(
        name=scenario.name,
        group=scenario.group,
        ground=ground,
        hazard=scenario.hazard,
        bound=scenario.bound,
        bound_reason=scenario.bound_reason,
        owner=scenario.owner,
        review=scenario.review.isoformat(),
        tested=tuple(_tested(scenario, run)),
        not_tested=tuple(_not_tested(scenario, run)),
        articles={one.name: one.grounds[ground] for one in mappings if ground in one.grounds},
    )


def _tested(scenario: Scenario, run: Run) -> Iterator[Tested]:
    every = zip(run, run.verdicts, run.sensitivities, strict=True)
    for number, (measurement, said, seen) in enumerate(every, start=1):
        if not scenario.takes(measurement.metric, measurement.test, measurement.model):
            continue
        held, reason = None, measurement.reason
        if scenario.bound is not None and not _mixed(scenario, run):
            held, reason = within(measurement, scenario.bound, scenario.estimate)
        yield Tested(
            number=number,
            what=_what(measurement),
            said=said.shown,
            found=_found(measurement),
            held=held,
            reason=reason,
            would_decide=seen.text if seen else "",
        )


def _mixed(scenario: Scenario, run: Run) -> str:
    """The units of what the bound would be compared with, where it is one number for several of them."""
    if scenario.bound is None:
        return ""
    taken = (one for one in run if scenario.takes(one.metric, one.test, one.model))
    return several_units(taken, scenario.estimate)


def _not_tested(scenario: Scenario, run: Run) -> Iterator[str]:
    if not scenario.measurements:
        yield "the hazard: no measurement speaks of it yet"
        return
    mixed = _mixed(scenario, run)
    if mixed:
        yield f"the bound {scenario.bound:g}: one number, and the effects are in {mixed}. Narrow it with metrics = [...]"
    for failure in run.failed:
        if scenario.takes(failure.metric, failure.test, failure.model):
            yield f"{failure.what}: it could not be measured: {failure.message}"
    measured = {m.model for m in run if scenario.takes(m.metric, m.test, m.model)}
    for model in dict.fromkeys(m.model for m in run):
        if model not in measured:
            yield f"the model {model}: nothing of this scenario was measured on it"
    for measurement in run:
        takes = scenario.takes(measurement.metric, measurement.test, measurement.model)
        if takes and measurement.headline.value is None:
            yield f"{_what(measurement)}: it could not be estimated: {measurement.reason}"
        lost = len(measurement.coverage.missing)
        if takes and lost:
            given = sum(measurement.coverage.given.values())
            yield f"{_what(measurement)}: tested, but without {lost} of its {given} words or sentences"


def _what(measurement: Measurement) -> str:
    method = " ".join(filter(None, [measurement.method, measurement.test, measurement.subject]))
    return f"{method} on {measurement.model}"


def _found(measurement: Measurement) -> str:
    head = measurement.headline
    return "not estimable" if head.value is None else f"{head.name} = {head.value:z.3g}{ends(head.interval)}"
