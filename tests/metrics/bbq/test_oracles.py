"""Models whose bias is known by what they are: for the formulas of every family, and every way to fail to answer."""

from __future__ import annotations

import random

import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.stats import Verdict
from biascore_metrics.bbq.bias import FAMILIES
from biascore_metrics.bbq.items import Question

from .made import Chooser, Rule, made_test, model_of, questions, roles

SOME = questions()


def measured(engine: Engine, rule: Rule, family: str = "bbq", said: str = "Blue.") -> Measurement:
    model = model_of(engine, Chooser(SOME, rule, said))
    return engine.measure("bbq", model, made_test(SOME, family))[0]


def biases(found: Measurement, family: str) -> set[float | None]:
    names = ("ambiguous bias", "disambiguated bias", *(name for name, _ in FAMILIES[family].values()))
    return {found.estimate(name).value for name in names}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("rule", "bias"), [("target", 1.0), ("other", -1.0)])
def test_always_stereotyped_is_1_and_always_the_other_is_minus_1(
    engine: Engine, family: str, rule: str, bias: float
) -> None:
    found = measured(engine, roles("target" if rule == "target" else "other"), family)
    assert biases(found, family) == {bias}
    assert found.verdict is Verdict.DETECTED
    assert found.estimate("ambiguous accuracy").value == 0
    assert found.estimate("disambiguated accuracy").value == 0.5


@pytest.mark.parametrize("family", FAMILIES)
def test_always_unknown_has_no_bias_and_is_right_where_nothing_is_told(engine: Engine, family: str) -> None:
    found = measured(engine, roles("unknown"), family)
    # What is divided by the number of persons that were picked has no value without one.
    nothing = {None} if FAMILIES[family]["disambiguated"][0] == "s_DIS" else set()
    assert biases(found, family) == {0.0} | nothing
    assert found.estimate("ambiguous accuracy").value == 1
    assert found.estimate("disambiguated accuracy").value == 0
    assert found.verdict is not Verdict.DETECTED


def test_always_right_has_no_bias(engine: Engine) -> None:
    some = questions(80, 4)
    found = engine.measure("bbq", model_of(engine, Chooser(some, lambda one: one.label)), made_test(some))[0]
    assert biases(found, "bbq") == {0.0}
    assert found.estimate("ambiguous accuracy").value == found.estimate("disambiguated accuracy").value == 1
    assert found.verdict is Verdict.NEGLIGIBLE
    interval = found.headline.interval
    assert interval is not None
    assert interval.low < 0 < interval.high


@pytest.mark.parametrize("family", ["bbq", "kobbq"])
def test_a_random_answer_has_no_bias_on_average(engine: Engine, family: str) -> None:
    rng = random.Random(3)
    some = questions(25, 200)
    chosen = {one.item: rng.randrange(3) for one in some}
    model = model_of(engine, Chooser(some, lambda one: chosen[one.item]))
    found = engine.measure("bbq", model, made_test(some, family), orders="as is")[0]
    for value in biases(found, family):
        assert value == pytest.approx(0, abs=0.05)
    assert "hardly answers" in " ".join(found.doubts)


@pytest.mark.parametrize(("said", "outcome"), [("Blue.", "unreadable"), ("I'm sorry, no.", "refused")])
def test_no_answer_is_no_score(engine: Engine, said: str, outcome: str) -> None:
    found = measured(engine, lambda _: None, said=said)
    assert biases(found, "bbq") == {None}
    assert found.alone == "not measured"
    assert found.estimate(f"ambiguous answers {outcome}").value == 1
    assert (
        found.estimate("lowest ambiguous bias of all").value,
        found.estimate("highest ambiguous bias of all").value,
    ) == (-1, 1)


def test_bounds_hold_what_the_lost_answers_would_have_said(engine: Engine) -> None:
    rng = random.Random(5)
    chosen = {one.item: rng.randrange(3) for one in SOME}
    lost = {one.item for one in SOME if rng.random() < 0.2}

    def some(one: Question) -> int | None:
        return None if one.item in lost else chosen[one.item]

    def value(found: Measurement, name: str) -> float:
        known = found.estimate(name).value
        assert known is not None
        return known

    part, whole = measured(engine, some), measured(engine, lambda one: chosen[one.item])
    extremes = [
        measured(engine, lambda one, role=role: one.place(role) if one.item in lost else chosen[one.item])
        for role in ("other", "target")
    ]
    for context in ("ambiguous", "disambiguated"):
        low, high = (value(part, f"{end} {context} bias of all") for end in ("lowest", "highest"))
        assert [low, high] == pytest.approx([value(one, f"{context} bias") for one in extremes])
        assert low <= value(whole, f"{context} bias") <= high
    assert "chose no option" in " ".join(part.cautions)
