"""What gates say of a run: of verdicts, of the ends of intervals, and of a base run."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from biascore import Run
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.cli import codes
from biascore.cli.gates import failure_code, gate_code
from biascore.errors import OptionsError
from biascore.results.estimates import ConfidenceInterval, Estimate
from biascore.results.failure import Failure
from biascore.results.gates import GateOutcome, gates_line
from biascore.results.specificity import Specificity
from biascore.results.verdicts import Role

from ..builders import runs
from ..builders.runs import decided


def run_of(*ends: tuple[float, float, float], p: float = 0.5, **parts: Any) -> Run:
    """A run of measurements with these intervals: low, high, and the value between."""
    some = [
        decided(p, test=f"it/t{number}", model="m", value=value, ends=(low, high), **parts)
        for number, (low, high, value) in enumerate(ends)
    ]
    return runs.run_of(*some)


def said(run: Run, **parts: Any) -> Any:
    return evaluate([Gate(measurements=("*",), **parts)], run, Path())[0]


def test_detected_fails_and_inconclusive_is_what_the_gate_makes_of_it() -> None:
    detected, unsure = run_of((0.4, 1.2, 0.8), p=0.001), run_of((-0.4, 1.2, 0.4), p=0.3)
    assert not said(detected, fail_on="detected").passed
    for policy, passed, warned in (("fail", False, False), ("warn", True, True), ("pass", True, False)):
        found = said(unsure, fail_on="detected", inconclusive=policy)
        assert (found.passed, found.warned) == (passed, warned)
        assert [check.held for check in found.checks] == [GateOutcome.UNDECIDED]
        assert ("with a warning" in found.line) == warned
        told = {
            (False, False): "Not passed: 1 of 1 rule fails (“gate 1”).",
            (
                True,
                True,
            ): "Passed with a warning: 1 of 1 rule, but inconclusive measurements were let pass (“gate 1”).",
        }
        assert gates_line([found]) == told.get((passed, warned), "Passed: 1 of 1 rule.")
    assert gates_line([]) == ""


def among(share: float | None) -> Specificity:
    """What was compared with harmless groups: this share, or that there were none."""
    if share is None:
        return Specificity(pool="en/people", problem="none", lacking="no harmless groups in this language")
    return Specificity(share=share, pairs=300, groups=25, pool="en/people", kind="people")


FAILS, UNDECIDED = GateOutcome.FAILS, GateOutcome.UNDECIDED
P_FEW, P_MANY = 0.001, 0.03  # beside another test only the first rejects, by Holm


@pytest.mark.parametrize(
    ("p", "share", "parts", "held"),
    [
        (P_FEW, 0.02, {"fail_on": "detected"}, FAILS),
        (P_FEW, 0.02, {"fail_on": "hint"}, FAILS),
        # A hint for either reason.
        (P_MANY, 0.02, {"fail_on": "detected"}, UNDECIDED),
        (P_MANY, 0.02, {"fail_on": "hint"}, FAILS),
        (P_FEW, 0.2, {"fail_on": "detected"}, UNDECIDED),
        (P_FEW, 0.2, {"fail_on": "hint"}, FAILS),
        # A hint for want of harmless groups.
        (P_FEW, None, {"fail_on": "detected"}, FAILS),
        (P_FEW, None, {"fail_on": "hint"}, FAILS),
        (P_FEW, None, {"fail_on": "detected", "no_reference": "pass"}, UNDECIDED),
        (P_FEW, None, {"fail_on": "hint", "no_reference": "pass"}, UNDECIDED),
        # Neither.
        (P_MANY, 0.2, {"fail_on": "hint"}, UNDECIDED),
        (P_MANY, None, {"fail_on": "hint"}, UNDECIDED),
        (0.5, 0.02, {"fail_on": "hint"}, UNDECIDED),
        (0.5, None, {"fail_on": "hint"}, UNDECIDED),
        # A share of one's own, stricter than that of the verdict.
        (P_FEW, 0.02, {"fail_on": "detected", "specific": 0.02}, FAILS),
        (P_FEW, 0.02, {"fail_on": "detected", "specific": 0.01}, UNDECIDED),
        (P_MANY, 0.02, {"fail_on": "hint", "specific": 0.01}, UNDECIDED),
        (P_FEW, 0.2, {"fail_on": "hint", "specific": 0.3}, FAILS),
        (P_FEW, None, {"fail_on": "detected", "specific": 0.01}, FAILS),
    ],
)
def test_a_gate_reads_the_state_its_reason_and_the_share(
    p: float, share: float | None, parts: dict[str, Any], held: GateOutcome
) -> None:
    tested = decided(p, test="it/t0", model="m", specificity=among(share))
    run = runs.run_of(tested, decided(0.9, test="it/t1", model="m"))
    found = said(run, **parts)
    assert [check.held for check in found.checks] == [held, UNDECIDED]
    assert found.passed is (held is UNDECIDED)


def test_a_check_says_what_was_asked_and_how_many_harmless_pairs_reach_it() -> None:
    run = run_of((0.4, 1.2, 0.8), p=P_FEW, specificity=among(0.02))
    (check,) = said(run, fail_on="detected", specific=0.05).checks
    assert check.criterion == "not detected with at most 5 % of harmless pairs reaching it"
    assert check.reason.endswith("; 2 of 100 harmless pairs reach it")
    (check,) = said(run, fail_on="hint").checks
    assert check.criterion == "neither detected nor a hint"
    (check,) = said(run_of((0.4, 1.2, 0.8), p=P_FEW, specificity=among(None)), fail_on="detected").checks
    assert check.reason.startswith("hint (no harmless groups in this language): ")


@pytest.mark.parametrize(
    ("ends", "held"),
    [
        ((-0.3, 0.4, 0.1), GateOutcome.HOLDS),
        ((-0.3, 0.6, 0.1), GateOutcome.UNDECIDED),
        ((0.6, 0.9, 0.7), GateOutcome.FAILS),
        ((-0.9, -0.6, -0.7), GateOutcome.FAILS),
    ],
)
def test_within_is_of_both_ends_of_the_interval(ends: tuple[float, float, float], held: GateOutcome) -> None:
    assert [check.held for check in said(run_of(ends), within=0.5).checks] == [held]


def test_all_that_a_gate_states_must_hold() -> None:
    found = said(run_of((-0.3, 0.4, 0.1)), within=0.5, fail_on="detected", inconclusive="fail")
    assert [check.held for check in found.checks] == [GateOutcome.UNDECIDED, GateOutcome.HOLDS]
    assert not found.passed


def test_a_gate_looks_at_findings_and_a_gate_of_nothing_but_baselines_does_not_pass() -> None:
    run = run_of((0.4, 1.2, 0.8), p=0.001, concept="baseline")
    found = said(run, fail_on="detected")
    assert not found.passed
    assert "only: baseline" in found.line
    assert not said(run, fail_on="detected", roles=(Role.BASELINE,)).passed
    assert said(run, within=2, roles=(Role.BASELINE,)).passed


def test_a_gate_that_matches_nothing_is_an_error_that_says_what_there_is() -> None:
    with pytest.raises(OptionsError, match=r"'gate 1' matches no measurement .*Measured are it/t0, on m"):
        evaluate([Gate(measurements=("en/*",), fail_on="detected")], run_of((0, 1, 0.5)), Path())


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        ({}, "states nothing"),
        ({"margin": 0.1, "fail_on": "detected"}, "a margin and no run"),
        ({"specific": 0.05, "within": 1.0}, 'Add fail_on = "detected"'),
        ({"no_reference": "pass", "within": 1.0}, 'Add fail_on = "detected"'),
    ],
)
def test_a_gate_that_states_nothing_is_refused(parts: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Gate(measurements=("*",), **parts)


def test_what_could_not_be_measured_fails_and_is_told_apart() -> None:
    lost = Failure(metric="weat", test="it/t9", model="m", kind="answering", error="E", message="it is down")
    run = run_of((-0.1, 0.1, 0.0)).model_copy(update={"failed": (lost,)})
    found = said(run, within=0.5)
    assert not found.passed
    assert not found.may_pass
    assert gate_code([found], run) == codes.GATE_FAILED
    away = run.model_copy(update={"failed": (lost.model_copy(update={"may_pass": True}),)})
    later = said(away, within=0.05)  # what is inconclusive is let pass, and does not keep it from passing
    assert later.may_pass
    assert gate_code([later], away) == codes.MAY_PASS
    assert not said(away, within=0.05, inconclusive="fail").may_pass
    assert gate_code([later, said(away, within=0.05, inconclusive="fail")], away) == codes.GATE_FAILED


@pytest.mark.parametrize(
    "parts",
    [
        {"fail_on": "detected"},
        {"fail_on": "hint", "no_reference": "pass", "inconclusive": "pass"},
        {"within": 5, "inconclusive": "warn"},
        {"no_worse_than": "base", "margin": 5, "inconclusive": "pass"},
    ],
)
def test_what_is_not_measured_fails_every_gate_that_does_not_let_it_pass(
    parts: dict[str, Any], tmp_path: Path
) -> None:
    """A model that refused everything passed with a warning."""
    run = runs.run_of(
        decided(None, test="it/t0", value=None), decided(0.4, test="it/t1", value=0.1, ends=(-0.1, 0.2))
    )
    run.save(tmp_path / "base")
    for policy, passed in (("fail", False), ("pass", True)):
        gate = Gate(measurements=("*",), not_measured=policy, **parts)
        (found,) = evaluate([gate], run, tmp_path)
        assert [one.what for one in found.of(GateOutcome.NOT_MEASURED)] == ["made it/t0 on m"]
        assert (found.passed, found.warned) == (passed, passed)
        assert "1 not measured" in found.line
    assert gate_code(evaluate([Gate(measurements=("*",), **parts)], run, tmp_path), run) == codes.GATE_FAILED
    # What is measured now, and was not in the base run, is not known to have grown or not.
    if "no_worse_than" in parts:
        now = runs.run_of(decided(0.4, test="it/t0", value=0.1, ends=(-0.1, 0.2)))
        (found,) = evaluate([Gate(measurements=("*",), **parts)], now, tmp_path)
        assert not found.passed


def test_a_run_in_which_nothing_was_measured_is_a_failure_of_its_own() -> None:
    none = decided(None, test="it/t0", value=None)
    whole = decided(0.4, test="it/t1", value=0.1, ends=(-0.1, 0.2))
    assert failure_code(runs.run_of(none)) == codes.PARTLY_FAILED
    assert failure_code(runs.run_of(none, whole)) == codes.DONE
    away = Failure(
        metric="weat", test="it/t9", model="m", kind="answering", error="E", message="", may_pass=True
    )
    assert failure_code(runs.run_of(none).model_copy(update={"failed": (away,)})) == codes.MAY_PASS


def test_an_increase_that_is_not_ruled_out_fails_by_default_and_what_could_be_shown_is_said(
    tmp_path: Path,
) -> None:
    old, new = (decided(0.4, test="it/t", value=value, ends=(value - 1, value + 1)) for value in (0.1, 0.3))
    run = runs.run_of(new)
    runs.run_of(old).save(tmp_path / "base")
    parts: dict[str, Any] = {"measurements": ("*",), "no_worse_than": "base", "margin": 0.1}
    (found,) = evaluate([Gate(**parts)], run, tmp_path)
    (check,) = found.checks
    assert check.held is GateOutcome.UNDECIDED
    assert not found.passed
    # From a 95 % interval of the change of half width h: the margin, and h (1 + .8416 / 1.96) beyond it.
    half = math.hypot(1, 1)
    assert float(re.search(r"of about ([\d.]+) or more", check.reason)[1]) == pytest.approx(
        0.1 + half * (1 + 0.8416 / 1.96), abs=0.06
    )
    for policy in ("warn", "pass"):
        assert evaluate([Gate(inconclusive=policy, **parts)], run, tmp_path)[0].passed
    # Of other criteria in the same gate the default is that they pass with a warning.
    (both,) = evaluate([Gate(fail_on="detected", **{**parts, "margin": 5})], run, tmp_path)
    assert (both.passed, both.warned) == (True, True)


@pytest.mark.parametrize("parts", [{"within": 0.8}, {"no_worse_than": "base", "margin": 0.1}])
def test_one_number_for_several_units_is_an_error_of_the_gate(parts: dict[str, Any], tmp_path: Path) -> None:
    d = decided(0.4, test="it/t0", model="m", value=0.1, ends=(-0.1, 0.2))
    share = decided(0.4, test="it/t1", model="m", value=51.0, ends=(49.0, 53.0), metric="crows-pairs")
    head = share.headline.model_copy(update={"unit": "% of pairs", "neutral": 50.0})
    run = runs.run_of(d, share.model_copy(update={"estimates": (head, *share.estimates[1:])}))
    run.save(tmp_path / "base")
    (found,) = evaluate([Gate(measurements=("*",), **parts)], run, tmp_path)
    assert not found.passed
    assert not found.may_pass
    for told in ("sd (made)", "% of pairs (crows-pairs)", "metrics = "):
        assert told in found.said
    narrowed = [Gate(measurements=("*",), metrics=(metric,), **parts) for metric in ("made", "crows-pairs")]
    weat, crows = evaluate(narrowed, run, tmp_path)
    assert weat.checks
    if "within" in parts:
        assert weat.checks[0].held is GateOutcome.HOLDS
        assert "beyond 0.8 % of pairs of 50" in crows.checks[0].reason
    (free,) = evaluate([Gate(measurements=("*",), no_worse_than="base")], run, tmp_path)
    assert len(free.checks) == 2  # each has its own bound


@pytest.mark.parametrize(
    ("estimate", "held", "told"),
    [
        ("", GateOutcome.HOLDS, "f_s"),
        ("f_m", GateOutcome.FAILS, "raw level f_m"),
        ("f_q", GateOutcome.FAILS, "f_q"),
    ],
)
def test_a_bound_may_be_of_another_estimate_than_the_headline(
    estimate: str, held: GateOutcome, told: str
) -> None:
    def one(name: str, value: float, neutral: float) -> Estimate:
        ends = ConfidenceInterval(low=value - 0.01, high=value + 0.01, level=0.95, method="made")
        return Estimate(name=name, value=value, unit="share", neutral=neutral, n={}, interval=ends)

    made = decided(0.4, test="en/gest", model="m")
    head = one("raw rate f_s", 0.02, 0.0).model_copy(update={"p_values": made.headline.p_values})
    some = (
        head,
        one("raw level f_m", 0.9, 0.5),
        one("level f_m", 0.8, 0.5),
    )
    run = runs.run_of(made.model_copy(update={"estimates": some}))
    (found,) = evaluate([Gate(measurements=("*",), within=0.1, estimate=estimate)], run, Path())
    assert found.checks[0].held is held
    assert told in found.checks[0].reason
    assert ("of f_m" in found.criteria[0]) is (estimate == "f_m")


def test_an_estimate_without_a_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="Add within"):
        Gate(measurements=("*",), fail_on="detected", estimate="f_m")
