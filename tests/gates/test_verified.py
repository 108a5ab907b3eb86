"""Gates and scenarios of a stored run, derived again: what was tampered with is found, what is not here is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biascore import Engine, Run
from biascore.archive.gates import gate_checks, mapping_checks, scenario_checks
from biascore.archive.locating import Places
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.evaluating_scenarios import evidence
from biascore.audits.gates import Gate
from biascore.audits.scenarios import Scenario
from biascore.engine.mappings import mapping_used
from biascore.results.gates import GateOutcome
from biascore.results.mappings import OfferState

from ..builders import runs
from ..builders.runs import decided

GATES = (
    Gate(name="none", measurements=("*",), fail_on="detected"),
    Gate(measurements=("*",), no_worse_than="base", margin=0.3, inconclusive="warn"),
)
SCENARIO = Scenario.model_validate(
    {
        "name": "ranked lower", "group": "women", "ground": "sex", "hazard": "ranked lower", "measurements": ["*"],
        "owner": "hiring tools", "review": "2027-03-01", "bound": 0.3, "bound_reason": "so",
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def judged(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run with two gates, of which one fails, and a scenario; and the folder beside which its base run lies."""
    folder = tmp_path_factory.mktemp("judged")
    some = [decided(0.001, test="en/weat6", value=0.9, ends=(0.6, 1.2)), decided(0.4, test="en/weat7")]
    audit = {
        "gates": [gate.model_dump(mode="json") for gate in GATES],
        "scenarios": [SCENARIO.model_dump(mode="json")],
        "mappings": ["eu-charter"],
    }
    run = runs.run_of(*some, audit=audit)
    provenance = run.provenance.model_copy(
        update={"biascore_version": engine.plugins.mappings.owner("eu-charter").version}
    )
    run = run.model_copy(update={"provenance": provenance})
    run.save(folder / "base")
    said: dict[str, Any] = {
        "gates": evaluate(GATES, run, folder),
        "scenarios": evidence([SCENARIO], run, [engine.plugins.mappings.get("eu-charter")]),
    }
    run = run.model_copy(update=said)
    run = run.model_copy(update={"mappings": (mapping_used(engine.plugins, "eu-charter", folder, run),)})
    assert [gate.passed for gate in run.gates] == [False, True]
    return Run.load(run.save(folder / "run")), folder


def outcomes(run: Run, folder: Path) -> list[tuple[str, str]]:
    return [(one.what, one.outcome) for one in gate_checks(run, Places.around(folder / "run"))]


def test_what_was_not_touched_matches(judged: tuple[Run, Path], engine: Engine) -> None:
    assert outcomes(*judged) == [("gate 'none'", "matches"), ("gate 'gate 2'", "matches")]
    assert [one.outcome for one in scenario_checks(judged[0], engine.plugins, Places.around(judged[1]))] == [
        "matches"
    ]


@pytest.mark.parametrize("version", ["as it is", "0.0.1"])
def test_a_tampered_outcome_differs_in_whatever_version_it_was_written(
    judged: tuple[Run, Path], engine: Engine, version: str
) -> None:
    run, folder = judged
    if version != "as it is":
        run = run.model_copy(
            update={"provenance": run.provenance.model_copy(update={"biascore_version": version})}
        )
    first, second = run.gates
    held = tuple(check.model_copy(update={"held": GateOutcome.HOLDS}) for check in first.checks)
    passed = run.model_copy(update={"gates": (first.model_copy(update={"checks": held}), second)})
    assert outcomes(passed, folder)[0] == ("gate 'none'", "differs")
    assert outcomes(run.model_copy(update={"gates": (second,)}), folder)[0] == ("gate 'none'", "differs")
    more = first.model_copy(update={"name": "more"})
    assert outcomes(run.model_copy(update={"gates": (*run.gates, more)}), folder)[-1] == (
        "gate 'more'",
        "differs",
    )
    (scenario,) = run.scenarios
    inside = tuple(one.model_copy(update={"held": GateOutcome.HOLDS}) for one in scenario.tested)
    better = run.model_copy(update={"scenarios": (scenario.model_copy(update={"tested": inside}),)})
    assert [one.outcome for one in scenario_checks(better, engine.plugins, Places.around(folder))] == [
        "differs"
    ]


def test_another_base_run_or_mapping_or_none_is_not_here(
    judged: tuple[Run, Path], engine: Engine, tmp_path: Path
) -> None:
    run, _ = judged
    assert outcomes(run, tmp_path)[1] == ("gate 'gate 2'", "not here")
    runs.run_of(decided(0.5, test="en/weat6")).save(tmp_path / "base")
    assert outcomes(run, tmp_path)[1] == ("gate 'gate 2'", "not here")
    other = run.model_copy(update={"mappings": (run.mappings[0].model_copy(update={"sha256": "0" * 64}),)})
    assert [one.outcome for one in scenario_checks(other, engine.plugins, Places.around(tmp_path))] == [
        "not here"
    ]


def test_what_a_run_offers_is_derived_again(judged: tuple[Run, Path], engine: Engine) -> None:
    run, folder = judged
    places = Places.around(folder)
    (found,) = mapping_checks(run, engine.plugins, places)
    assert (found.what, found.outcome) == ("mapping 'eu-charter'", "matches")
    assert found.detail.startswith("of 5 items ")
    (used,) = run.mappings
    sex = next(one for one in used.items if one.id == "Article 23")
    for change in ({"state": OfferState.NOT}, {"found": "99 measured: 99 negligible"}):
        claimed = tuple(one.model_copy(update=change) for one in sex.offers)
        items = tuple(one.model_copy(update={"offers": claimed}) if one is sex else one for one in used.items)
        tampered = run.model_copy(update={"mappings": (used.model_copy(update={"items": items}),)})
        assert [one.outcome for one in mapping_checks(tampered, engine.plugins, places)] == ["differs"]
    other = run.model_copy(update={"mappings": (used.model_copy(update={"sha256": "0" * 64}),)})
    assert [one.outcome for one in mapping_checks(other, engine.plugins, places)] == ["not here"]
