"""A run decides on p-values adjusted over the measurements on one model; baselines and controls are apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from biascore import Audit, Engine, Run
from biascore.errors import OptionsError
from biascore.results.estimates import Equivalence
from biascore.results.hashes import content_hash
from biascore.results.measurement import Measurement, item_table
from biascore.results.run import read_run
from biascore.results.specificity import Specificity
from biascore.results.verdicts import Rule, RunVerdict, State, contradiction, reason_of, run_verdicts, unseen
from biascore.stats import Adjustment, Verdict

from ..builders.runs import decided, model_used, run_of

D, N, I = Verdict.DETECTED, Verdict.NEGLIGIBLE, Verdict.INCONCLUSIVE  # noqa: E741  # as in a table
BH, HOLM, NONE = Adjustment.BENJAMINI_HOCHBERG, Adjustment.HOLM, Adjustment.NONE


# Families.


def test_the_family_is_what_is_measured_on_one_model() -> None:
    five = [decided(p) for p in (0.01, 0.02, 0.03, 0.04, 0.9)]
    other = [decided(0.04, model="other")]
    said = run_verdicts([*five, *other], (), BH)
    # By hand: 5p/rank is .05, .05, .05, .05, .9, and one test alone stays as it is.
    assert [v.p_adjusted for v in said] == pytest.approx([0.05, 0.05, 0.05, 0.05, 0.9, 0.04])
    assert [v.verdict for v in said] == [D, D, D, D, I, D]
    assert [v.tests for v in said] == [5] * 5 + [1]
    assert len({v.family for v in said}) == 2
    by_holm = run_verdicts([*five, *other], (), HOLM)
    assert [v.p_adjusted for v in by_holm] == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.9, 0.04])
    assert [v.verdict for v in by_holm] == [D, I, I, I, I, D]
    assert [v.hint for v in by_holm] == [False, True, True, True, False, False]
    alone = run_verdicts([*five, *other], (), NONE)
    assert [v.verdict for v in alone] == [D, D, D, D, I, D]
    assert [v.p_adjusted for v in alone] == [m.p_value for m in (*five, *other)]


def test_baselines_and_controls_are_families_of_their_own() -> None:
    some = [
        decided(0.04),
        decided(0.001, concept="baseline", test="en/weat1"),
        decided(0.9),
        decided(0.001, model="made", test="en/weat6"),
        decided(0.9, model="made", test="en/weat6"),
        decided(0.5, model="made", test="en/weat3", concept="ethnicity"),
        decided(0.5, model="made", test="en/weat1", concept="baseline"),
    ]
    said = run_verdicts(some, ["made"], HOLM)
    assert [v.role.value for v in said] == ["finding", "baseline", "finding"] + ["control"] * 4
    assert [v.tests for v in said] == [2, 1, 2, 4, 4, 4, 4]
    assert said[0].verdict is I
    assert said[0].hint


def test_without_a_p_value_a_test_does_not_count_and_negligible_stays() -> None:
    some = [decided(0.04), decided(None), decided(0.03, N, ends=(-0.1, 0.1), equivalence=WITHIN)]
    said = run_verdicts(some, (), HOLM)
    assert [v.tests for v in said] == [2, 2, 2]
    assert [v.p_adjusted for v in said] == [pytest.approx(0.06), None, pytest.approx(0.06)]
    assert [v.verdict for v in said] == [I, I, N]
    assert [v.hint for v in said] == [True, False, False]


def test_each_measurement_keeps_its_own_alpha() -> None:
    said = run_verdicts([decided(0.04, alpha=0.1), decided(0.04, test="en/weat7", alpha=0.05)], (), HOLM)
    assert [v.verdict for v in said] == [D, I]


def test_one_test_that_is_shown_in_two_ways_counts_once() -> None:
    """As a change with and without the steps of its transform: the same estimate and p, other items."""
    shown = [decided(0.03, test="en/weat7"), decided(0.03, test="en/weat7", variant="trace=True")]
    said = run_verdicts([decided(0.9), *shown, decided(None), decided(None)], (), HOLM)
    assert [v.tests for v in said] == [2] * 5
    assert [v.p_adjusted for v in said] == [pytest.approx(p) for p in (0.9, 0.06, 0.06)] + [None, None]
    other = decided(0.03, test="en/weat7", value=0.4, variant="level=token")
    assert [v.tests for v in run_verdicts([*shown, other], (), HOLM)] == [2] * 3


def test_the_reason_says_what_adjustment_made_of_it() -> None:
    some = [decided(0.04), decided(0.9)]
    kept, lost = (run_verdicts(some, (), how)[0] for how in (NONE, HOLM))
    assert reason_of(some[0], kept, NONE) == "So."
    assert reason_of(some[0], lost, HOLM).startswith(
        "So. Adjusted over 2 measurements (Holm; findings on m), p is 0.08, above 0.05. "
        "So it is a hint: not after adjustment."
    )


# The rule: adjusted, and among harmless groups.

NONE_THERE = Specificity(
    pool="en/people", problem="there are none", lacking="no harmless groups in this vocabulary"
)


def among(share: float) -> Specificity:
    return Specificity(share=share, pairs=300, groups=25, pool="en/people", kind="people")


def of(p: float, found: Specificity | None, rule: Rule = Rule.HARMLESS, **parts: Any) -> RunVerdict:
    """What a run says of a test with this p beside another one, so that .04 is not significant by Holm."""
    return run_verdicts(
        [decided(p, specificity=found, **parts), decided(0.9, test="en/weat7")], (), HOLM, rule
    )[0]


@pytest.mark.parametrize(
    ("p", "found", "verdict", "because"),
    [
        (0.001, among(0.02), D, ""),
        (0.001, among(0.05), D, ""),
        (0.001, None, D, ""),  # a metric that compares with none
        (0.04, among(0.02), I, "not after adjustment"),
        (0.04, None, I, "not after adjustment"),
        (0.001, among(0.13), I, "13 of 100 harmless pairs reach it"),
        (0.001, NONE_THERE, I, "no harmless groups in this vocabulary"),
        (0.04, among(0.13), I, ""),
        (0.04, NONE_THERE, I, ""),
        (0.3, among(0.02), I, ""),
        (0.3, NONE_THERE, I, ""),
    ],
)
def test_detected_needs_both_and_a_hint_one_of_two(
    p: float, found: Specificity | None, verdict: Verdict, because: str
) -> None:
    said = of(p, found)
    assert (said.verdict, said.because, said.hint) == (verdict, because, bool(because))
    assert said.no_reference is (found is NONE_THERE and bool(because))
    assert said.alone is (D if p <= 0.05 else I)
    made = decided(p, specificity=found)
    state = State.DETECTED if verdict is D else State.HINT if because else State.INCONCLUSIVE
    assert State.of(made, said) is state
    assert said.p_adjusted == pytest.approx(min(2 * p, 0.9))


def test_harmless_groups_do_not_touch_what_an_interval_decides() -> None:
    small = {"verdict": N, "ends": (-0.1, 0.1), "equivalence": WITHIN}
    assert of(0.5, among(0.5), **small).verdict is N
    assert of(0.5, NONE_THERE, **small).verdict is N


@pytest.mark.parametrize("found", [among(0.13), NONE_THERE])
def test_by_the_rule_of_stored_runs_adjustment_alone_decides(found: Specificity) -> None:
    assert of(0.001, found, Rule.LABELS).verdict is D
    lost = of(0.04, found, Rule.LABELS)
    assert (lost.verdict, lost.because, lost.no_reference) == (I, "not after adjustment", False)


def test_the_reason_of_a_hint_says_how_many_harmless_pairs_reach_it() -> None:
    made = decided(0.001, specificity=among(0.13))
    (said,) = run_verdicts([made], (), HOLM)
    told = reason_of(made, said, HOLM)
    assert "p is 0.001, at most 0.05. Share 0.13 (300 pairs of 25 groups of people from en/people). " in told
    assert "So it is a hint: 13 of 100 harmless pairs reach it." in told


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0.003, "fewer than 1"),
        (0.005, "1"),
        (0.049, "5"),
        (0.05, "5"),
        (0.051, "6"),
        (0.13, "13"),
        (1.0, "100"),
    ],
)
def test_a_share_is_told_in_hundredths(share: float, told: str) -> None:
    assert among(share).told == f"{told} of 100 harmless pairs reach it"


def test_a_specificity_has_a_share_or_a_problem() -> None:
    for share, problem in ((None, ""), (0.5, "none")):
        with pytest.raises(ValidationError, match="a share, or a problem"):
            Specificity(share=share, problem=problem, pool="en/people")
    assert "problem" not in among(0.5).model_dump()
    stored = {"share": 0.5, "pairs": 190, "topics": 20, "pool": "en/topics", "level": 0.05}
    old = Specificity.model_validate(stored)
    assert (old.groups, old.kind, old.low, old.transposed) == (20, "topics", None, None)


# What a measurement must say, and what may not be said of it.

WITHIN = Equivalence(bound=0.2, of="d")


def test_a_p_value_needs_its_alpha_and_a_bound_its_estimate() -> None:
    with pytest.raises(ValidationError, match="needs a decision"):
        decided(0.04, alpha=None)
    with pytest.raises(ValidationError, match="there is no 'e'"):
        decided(0.04, equivalence=Equivalence(bound=0.2, of="e"))
    assert decided(None, alpha=None).alpha is None


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (decided(0.04), ""),
        (decided(0.06), ""),
        (decided(0.06, D), "detected, and its p-value"),
        (decided(0.04, I), "inconclusive, and its p-value"),
        (decided(None, D), "detected, and its p-value"),
        (decided(0.04, N), "no interval lies inside its bound"),
        (decided(0.04, N, equivalence=WITHIN), "no interval lies inside its bound"),
        (decided(0.04, N, ends=(-0.1, 0.2), equivalence=WITHIN), ""),
        (decided(0.06, I, ends=(-0.1, 0.2), equivalence=WITHIN), "its interval lies inside its bound"),
        (decided(0.06, I, alpha=0.01, ends=(-0.1, 0.2), equivalence=WITHIN), ""),  # 95 % is too low a level
        (decided(0.06, N, alpha=0.01, ends=(-0.1, 0.2), equivalence=WITHIN), "no interval lies inside its"),
        (decided(0.04, ends=(-0.1, 0.2), equivalence=WITHIN), ""),  # detected by another of its tests
        (decided(None, value=None), ""),
        (decided(None, D, value=None), "nothing could be estimated"),
    ],
)
def test_a_verdict_must_follow_from_p_and_interval(made: Measurement, problem: str) -> None:
    found = contradiction(made)
    assert problem in found if problem else not found


def test_what_is_detected_may_be_small_in_an_estimate_that_is_not_tested() -> None:
    made = decided(0.04)  # as of FISE: a mean bias, and a distribution that is nearly even
    distance = made.headline.model_copy(update={"name": "distance", "value": 0.01, "p_values": ()})
    small = {"estimates": (*made.estimates, distance), "equivalence": Equivalence(bound=0.1, of="distance")}
    assert not contradiction(made.model_copy(update=small))


@pytest.mark.parametrize(("size", "problem"), [(0.01, False), (0.3, True)])
def test_what_is_inconclusive_by_an_older_rule_has_an_effect_size_inside_its_bound(
    size: float, problem: bool
) -> None:
    made = decided(0.01, I)
    share = made.headline.model_copy(update={"name": "R²", "value": size, "interval": None, "p_values": ()})
    small = {"estimates": (*made.estimates, share), "equivalence": Equivalence(bound=0.1, of="R²")}
    assert bool(contradiction(made.model_copy(update=small))) is problem


def test_a_minimum_detectable_effect_is_told_of_a_hint_for_want_of_power_alone() -> None:
    weak, reached = decided(0.04, specificity=among(0.02)), decided(0.001, specificity=among(0.13))
    for made, told in ((weak, True), (reached, False)):
        said = run_verdicts([made, decided(0.9, test="en/weat7")], (), HOLM)[0]
        assert said.hint
        assert (unseen(made, said) is not None) is told


def test_the_bound_of_every_item() -> None:
    items = item_table(["a", "b"], ["X"] * 2, [0.0] * 2, {"ci_low": [-0.1] * 2, "ci_high": [0.15, 0.3]})
    made = decided(0.5, N, equivalence=Equivalence(bound=0.2, of=None), items=items)
    assert contradiction(made)
    assert not contradiction(made.model_copy(update={"equivalence": Equivalence(bound=0.3, of=None)}))


# Where it comes from, and where it goes.


def audit(**changes: Any) -> Audit:
    parts = {
        "title": "Families",
        "models": [{"name": "made", "ref": "planted:gender=1,en/weat7=0"}],
        "measurements": [
            {"metric": "weat", "tests": ["en/weat6", "en/weat7", "en/weat1"], "options": {"resamples": 100}}
        ],
    }
    return Audit.from_parts(**{**parts, **changes})


@pytest.fixture(scope="module")
def run(engine: Engine) -> Run:
    return engine.run(audit(adjust="holm"))


def test_the_adapter_declares_a_control(run: Run) -> None:
    control = dict(run.models[0].control or {})
    assert (control["en/weat6"], control["en/weat7"], "en/weat1" in control) == (1.0, 0.0, False)
    assert {said.role.value for said in run.verdicts} == {"control"}
    known, none, unknown = run.control_lines
    assert known == "A bias of 1.00 was missed in 1 measurement (made; gender)"
    assert none == "No bias injected (made; gender): detected in 0 of 1 measurement, no false alarm"
    assert unknown.startswith("Unknown injected bias (made; baseline)")


def test_how_it_is_adjusted_is_an_option_of_audit_and_engine(engine: Engine, run: Run) -> None:
    assert audit().adjust is HOLM
    assert run.adjustment is HOLM
    assert run.to_frame()["adjustment"].dropna().unique().tolist() == ["holm"]
    assert Engine(cache=None, adjust="none").adjust is NONE
    with pytest.raises(OptionsError, match="benjamini-hochberg, holm, none"):
        Engine(cache=None, adjust="bonferroni")
    with pytest.raises(OptionsError, match="adjust must be 'benjamini-hochberg', 'holm' or 'none'"):
        audit(adjust="bh")


def test_a_run_comes_back_with_its_verdicts(run: Run, tmp_path: Path) -> None:
    loaded = Run.load(run.save(tmp_path / "run"))
    assert loaded.verdicts == run.verdicts
    assert (loaded.adjustment, loaded.rule) == (HOLM, Rule.HARMLESS)
    assert loaded.model_copy(update={"adjustment": BH}).results_digest() != run.results_digest()


def _negligible(body: dict[str, Any]) -> None:
    body["measurements"][0]["verdict"] = "negligible"
    body["verdicts"][0]["verdict"] = body["verdicts"][0]["alone"] = "negligible"


def _raised(body: dict[str, Any]) -> None:
    body["verdicts"][0]["p_adjusted"] = 0.99


def _turned(body: dict[str, Any]) -> None:
    body["verdicts"][0]["verdict"] = "negligible"


def _acquitted(body: dict[str, Any]) -> None:
    body["measurements"][0]["estimates"][0]["p_values"][0]["value"] = 0.9


def _without(body: dict[str, Any]) -> None:
    del body["verdicts"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_negligible, "measurement 1.*does not follow: it is negligible, and no interval"),
        (_raised, "measurement 1 after adjustment .*does not follow from the p-values"),
        (_turned, "measurement 1 after adjustment .*does not follow from the p-values"),
        (_acquitted, "measurement 1.*does not follow"),
        (_without, "the stored verdicts are not one for each measurement"),
    ],
)
def test_who_recomputes_the_hashes_is_found(
    run: Run, tmp_path: Path, change: Callable[[dict[str, Any]], None], problem: str
) -> None:
    folder = run.save(tmp_path / "run")
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    change(body)
    del body["content_sha256"]
    body["content_sha256"] = content_hash(body)
    (folder / "run.json").write_text(json.dumps(body), encoding="utf-8")
    problems, _ = read_run(folder)
    assert "run.json was changed after it was written" not in problems
    assert any(re.search(problem, found) for found in problems)


def test_a_run_that_was_stored_before_there_were_harmless_groups_is_read_by_its_own_rule(
    tmp_path: Path,
) -> None:
    """It states no rule; of its hints no reason is stored, and its verdicts still follow from what it holds."""
    some = [decided(0.001, specificity=among(0.13)), decided(0.04, test="en/weat7", specificity=among(0.02))]
    new = run_of(*some, models=[model_used("m")])
    assert [said.verdict for said in new.verdicts] == [I, D]
    folder = new.model_copy(update={"rule": Rule.LABELS}).save(tmp_path / "run")
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del body["content_sha256"], body["rule"]
    body.pop("harmless", None)
    for said in body["verdicts"]:
        for key in ("because", "no_reference"):
            said.pop(key, None)
    body["content_sha256"] = content_hash(body)
    (folder / "run.json").write_text(json.dumps(body), encoding="utf-8")
    problems, read = read_run(folder)
    assert not problems
    assert read is not None
    assert (read.rule, read.harmless) == (Rule.LABELS, ())
    assert [said.verdict for said in read.verdicts] == [D, D]
    assert not any("because" in said for said in body["verdicts"])


def test_a_run_that_was_stored_before_not_measured_was_a_verdict_is_read_as_it(tmp_path: Path) -> None:
    """Such runs call it inconclusive; they keep opening, with the digest that they have."""
    new = run_of(decided(None, value=None), decided(0.001, test="en/weat7"), models=[model_used("m")])
    folder = new.save(tmp_path / "run")
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert body["measurements"][0]["verdict"] == "not measured"
    assert {body["verdicts"][0][key] for key in ("verdict", "alone")} == {"not measured"}
    body["measurements"][0]["verdict"] = "inconclusive"
    body["verdicts"][0] |= {"verdict": "inconclusive", "alone": "inconclusive"}
    del body["content_sha256"]
    body["content_sha256"] = content_hash(body)
    (folder / "run.json").write_text(json.dumps(body), encoding="utf-8")
    read = Run.load(folder)
    assert [one.verdict for one in read] == [Verdict.NOT_MEASURED, D]
    assert [one.verdict for one in read.verdicts] == [Verdict.NOT_MEASURED, D]
    assert read.results_digest() == new.results_digest() == body["results_digest"]


def test_what_has_an_effect_is_not_called_not_measured() -> None:
    assert "its effect could be estimated" in contradiction(decided(0.5, Verdict.NOT_MEASURED))
