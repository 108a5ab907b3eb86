"""Gates that compare a run with a base run: what grew, what may have grown, and what the base does not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biascore import Engine, Run
from biascore.audits.audit import Audit
from biascore.audits.base_runs import BaseRuns
from biascore.audits.evaluating_gates import check_gates, evaluate, growth
from biascore.audits.gates import Gate
from biascore.comparing import Outcome, compare
from biascore.errors import OptionsError, RunError
from biascore.results.estimates import ConfidenceInterval, Estimate
from biascore.results.failure import Failure
from biascore.results.gates import GateOutcome
from biascore.results.verdicts import Role

from ..builders import runs
from ..builders.runs import decided


@pytest.fixture(scope="module")
def measured(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run of a model with a bias, and the folder where one with less of it is stored as "base"."""
    folder = tmp_path_factory.mktemp("bases")
    fast = {"resamples": 200, "draws": 500, "reference": "none"}
    tests = ["en/weat7", "en/weat8"]
    engine.measure("weat", engine.model("planted:gender=0.2", name="m"), tests, **fast).save(folder / "base")
    return engine.measure("weat", engine.model("planted:gender=1.2", name="m"), tests, **fast), folder


def worse(run: Run, folder: Path, **parts: Any) -> Any:
    gate = Gate(measurements=("*",), roles=(Role.CONTROL,), no_worse_than="base", **parts)
    return evaluate([gate], run, folder)[0]


def test_what_surely_grew_fails_and_a_margin_lets_it(measured: tuple[Run, Path]) -> None:
    run, folder = measured
    increase = worse(run, folder, margin=0)
    assert [check.held for check in increase.checks] == [GateOutcome.FAILS, GateOutcome.FAILS]
    assert worse(run, folder, margin=5).passed


@pytest.mark.parametrize(
    ("margin", "held"),
    [
        (None, GateOutcome.HOLDS),
        (0, GateOutcome.FAILS),
        (0.02, GateOutcome.FAILS),
        (0.1, GateOutcome.UNDECIDED),
        (0.129, GateOutcome.HOLDS),
        (0.3, GateOutcome.HOLDS),
    ],
)
def test_the_interval_of_the_growth_alone_decides_at_every_margin(
    tmp_path: Path, margin: float | None, held: GateOutcome
) -> None:
    """d rose from 1.64 by .034 to .129, inside the bound of .2: it once passed at 0 and at .3, and at no margin between."""
    old, new = (decided(0.001, test="en/t", model="m", value=value) for value in (1.64, 1.70))
    run = runs.run_of(new)
    runs.run_of(old).save(tmp_path / "base")
    change = compare(Run.load(tmp_path / "base"), run)[0]
    interval = ConfidenceInterval(low=0.034, high=0.129, level=0.95, method="made")
    same = change.model_copy(
        update={
            "change": change.change.model_copy(update={"value": 0.06, "interval": interval}),
            "outcome": Outcome.UNCHANGED,
            "bound": 0.2,
        }
    )
    found, reason = growth(
        same, Gate(measurements=("*",), no_worse_than="base", margin=margin).margin_of(0.2)
    )
    assert found is held
    assert reason.startswith("increase 0.034 to 0.129")
    assert ("or more it shows" in reason) == (held is GateOutcome.UNDECIDED)
    assert "same within" not in reason


def test_without_a_margin_it_is_the_bound_of_the_measurement_and_that_is_said(
    measured: tuple[Run, Path],
) -> None:
    run, folder = measured
    assert {check.criterion for check in worse(run, folder).checks} == {
        "has not increased by more than 0.2, its equivalence bound"
    }
    assert worse(run, folder, margin=0).checks[0].criterion == "has not increased"
    (said,) = worse(run, folder).criteria
    assert said == "has not increased by more than its equivalence bound since base (inconclusive fails)"


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("margin", [None, 0, 0.1])
def test_the_same_answers_have_surely_not_grown(
    measured: tuple[Run, Path], tmp_path: Path, paired: bool, margin: float | None
) -> None:
    """As compare says, whether its interval comes from the items or from both intervals."""
    run = Run.load(measured[1] / "base")
    if not paired:
        plain = [m.model_copy(update={"estimates": tuple(map(_unpaired, m.estimates))}) for m in run]
        run = run.model_copy(update={"measurements": tuple(plain)})
    run.save(tmp_path / "base")
    found = worse(run, tmp_path, margin=margin, inconclusive="fail")
    assert [check.held for check in found.checks] == [GateOutcome.HOLDS, GateOutcome.HOLDS]
    assert found.checks[0].reason.startswith("increase 0: ")


def _unpaired(estimate: Estimate) -> Estimate:
    return estimate.model_copy(update={"estimator": None})


def test_what_the_base_does_not_hold_or_holds_otherwise_fails(measured: tuple[Run, Path]) -> None:
    run, folder = measured
    other = run[1].model_copy(update={"conventions": {}})
    again = run.model_copy(update={"measurements": (run[0].model_copy(update={"test": "en/weat6"}), other)})
    reasons = [
        check.reason for check in worse(again, folder, margin=9).checks if check.held is GateOutcome.FAILS
    ]
    assert reasons[0] == "the base run does not have it"
    assert reasons[1].startswith("not comparable: ")


def test_a_base_that_is_no_run_is_found_before_a_model_is_opened(engine: Engine) -> None:
    audit = Audit.model_validate(
        {
            "models": [{"ref": "planted:gender=1"}],
            "measurements": [{"metric": "weat", "tests": ["en/weat7"]}],
            "gates": [{"measurements": ["en/*"], "no_worse_than": "nowhere"}],
        }
    )
    with pytest.raises(RunError, match="no_worse_than = 'nowhere'"):
        engine.check(audit)
    gate = Gate(measurements=("it/*",), fail_on="detected")
    with pytest.raises(OptionsError, match="matches no measurement"):
        engine.check(audit.model_copy(update={"gates": (gate,)}))
    named = gate.model_copy(update={"name": "a", "measurements": ("*",)})
    with pytest.raises(OptionsError, match="two gates are called 'a'"):
        engine.check(audit.model_copy(update={"gates": (named, named)}))


@pytest.mark.parametrize(
    ("planned", "wrong"),
    [
        (
            ("weat", "en/weat6", "m"),
            "'gate 1': .*'base' has no measurement .* on m; on m it has weat en/weat7",
        ),
        (("lpbs", "en/weat7", "m"), "has no measurement"),
        (("weat", "en/weat6", "n"), "on n; on m it has"),
    ],
)
def test_a_base_that_holds_nothing_of_the_gate_is_found_before_a_model_is_opened(
    measured: tuple[Run, Path], planned: tuple[str, str, str], wrong: str
) -> None:
    """Once it stopped a run that had been measured, and the run was lost."""
    gate = Gate(measurements=("*",), no_worse_than="base")
    with pytest.raises(OptionsError, match=wrong):
        check_gates([gate], [planned], measured[1], BaseRuns())
    check_gates([gate], [planned, ("weat", "en/weat7", planned[2])], measured[1], BaseRuns())


def test_what_was_measured_is_kept_where_nothing_of_it_is_in_the_base(measured: tuple[Run, Path]) -> None:
    run, folder = measured
    lost = Failure(
        metric="weat", test="en/weat8", model="m", kind="answering", error="E", message="it is down"
    )
    alone = run[0].model_copy(update={"test": "en/weat6"})
    found = worse(run.model_copy(update={"measurements": (alone,), "failed": (lost,)}), folder)
    assert found.checks[0].reason == "the base run does not have it"


def test_a_gate_says_what_its_base_run_is(measured: tuple[Run, Path]) -> None:
    run, folder = measured
    (caution,) = worse(run, folder).cautions
    assert caution.startswith("base: m in the old run and m in the new run: controls")
    same = worse(Run.load(folder / "base"), folder).cautions
    assert any("was one run named twice?" in text for text in same)


def test_gates_are_stored_with_the_run_and_are_no_result(measured: tuple[Run, Path], tmp_path: Path) -> None:
    run, folder = measured
    gated = run.model_copy(update={"gates": (worse(run, folder),)})
    assert gated.results_digest() == run.results_digest()
    assert Run.load(gated.save(tmp_path / "run")).gates == gated.gates
