"""What controls, baselines and descriptions of a run say: they are no findings, and a failed check comes first."""

from __future__ import annotations

import pytest

from biascore.results.sensitivity import Sensitivity
from biascore.results.specificity import Specificity
from biascore.results.verdicts import Role, State
from biascore.results.words.answers import findings
from biascore.results.words.result import checks_of, missed_line
from biascore.results.words.sentence import result_lines

from ..builders.runs import decided
from .test_answers import d, of


def test_a_negative_bias_that_was_injected_is_apart_from_none() -> None:
    known = {"m": {"en/weat6": -1.0, "en/weat7": 0.0}}
    assert [one.planted for one in of(d(0.001), d(0.9, test="en/weat7"), controls=known)] == [(-1.0,), (0.0,)]


@pytest.mark.parametrize(
    ("control", "p", "parts", "passed"),
    [
        (1.0, 0.001, ("Known bias of 1.00", "detected in 1 of 1 measurement"), True),
        (1.0, 0.9, ("A bias of 1.00 was missed", "in 1 measurement (m; gender)"), False),
        (0.0, 0.9, ("No bias injected", "detected in 0 of 1 measurement, no false alarm"), True),
        (0.0, 0.001, ("No bias injected", "detected in 1 of 1 measurement, a false alarm"), False),
        (None, 0.001, ("Unknown injected bias", "detected in 1 of 1 measurement"), None),
    ],
)
def test_controls_are_no_findings(
    control: float | None, p: float, parts: tuple[str, str], passed: bool | None
) -> None:
    found = of(d(p), controls={"m": {} if control is None else {"en/weat6": control}})
    (answer,), (check,) = found, checks_of(found)
    assert answer.role is Role.CONTROL
    assert check.line.startswith(parts[0])
    assert check.line.endswith(parts[1])
    assert check.passed is passed
    assert not findings(found)
    assert result_lines(found) == ()


@pytest.mark.parametrize(("other", "known"), [(1.0, True), (0.0, False), (None, False)])
def test_a_control_of_several_tests_is_compared_with_what_all_of_them_have(
    other: float | None, known: bool
) -> None:
    control = {"en/weat6": 1.0} | ({} if other is None else {"es/weat6": other})
    found = of(d(0.001, joined=("es/weat6",)), controls={"m": control})
    assert found[0].planted == ((1.0,) if known else ())
    assert checks_of(found)[0].line.startswith("Known bias" if known else "Unknown injected bias")


def test_baselines_changes_and_descriptions_are_no_findings() -> None:
    found = of(d(0.001, concept="baseline"), d(0.001, change_from="m"), d(None, alpha=None, describes=True))
    assert [answer.role for answer in found] == [Role.BASELINE, Role.CHANGE, Role.DESCRIPTION]
    (check,) = checks_of(found)
    assert check.line.startswith("Harmless associations")
    assert check.passed is True
    assert found[1].size is not None
    assert found[1].size.word == ""  # no convention says how large a change of d is
    assert found[2].state is State.DESCRIBED
    assert not findings(found)


@pytest.mark.parametrize(
    ("p", "effect", "told"),
    [
        (0.9, 0.8, "A bias of 0.80 was missed in 1 measurement (m; gender). So nothing here shows"),
        (0.001, 0.0, "a false alarm. So what is detected here may be a false alarm too."),
        (0.001, 0.8, ""),
        (0.9, 0.0, ""),
    ],
)
def test_a_failed_check_is_the_first_thing_said(p: float, effect: float, told: str) -> None:
    line = missed_line(of(d(p), controls={"m": {"en/weat6": effect}}))
    assert told in line
    assert bool(line) is bool(told)


@pytest.mark.parametrize(
    ("least", "told"), [(1.2, ", where effects below 1.20 are often missed."), (0.5, "")]
)
def test_a_missed_effect_that_such_tests_often_miss_is_said_to_be_one(least: float, told: str) -> None:
    seen = Sensitivity(
        estimate="d",
        unit="sd",
        n={},
        neutral=0.0,
        alpha=0.05,
        power=0.8,
        smallest=least,
        bound=None,
        times_bound=None,
    )
    line = missed_line(of(d(0.9), controls={"m": {"en/weat6": 0.8}}), [seen])
    assert ("often missed" in line) is bool(told)
    assert told in line


@pytest.mark.parametrize(("p", "passed"), [((0.9, 0.9), False), ((0.001, 0.9), True), ((0.04, 0.9), None)])
def test_a_baseline_that_nothing_detects_fails(p: tuple[float, float], passed: bool | None) -> None:
    found = of(*(d(one, test=f"en/weat{number}", concept="baseline") for number, one in enumerate(p)))
    (check,) = checks_of(found)
    assert check.passed is passed  # a hint is no failure
    assert bool(missed_line(found)) is (passed is False)
    (unmeasured,) = checks_of(of(d(None, None, concept="baseline")))
    assert unmeasured.passed is None


@pytest.mark.parametrize(
    ("effect", "passed", "told"), [(1.0, True, "Known bias"), (0.0, False, "a false alarm")]
)
def test_a_control_without_harmless_groups_checks_the_p_value_alone(
    effect: float, passed: bool, told: str
) -> None:
    none = Specificity(pool="xx/people", problem="there are no harmless groups", lacking="no harmless groups")
    found = of(decided(0.001, model="made", specificity=none), controls={"made": {"en/weat6": effect}})
    (check,) = checks_of(found)
    assert (check.passed, check.answer.counts.detected, check.answer.unreferenced) == (passed, 0, 1)
    assert told in check.line
    assert bool(missed_line(found)) is not passed
