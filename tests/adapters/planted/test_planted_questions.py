"""Planted questions with options have the declared bias, accuracy and refusals; what cannot carry them is refused."""

from __future__ import annotations

import math

import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.queries import Choice
from biascore.errors import QuestionError, RefError
from biascore_metrics.bbq.test import ChoicesTest

from ...metrics.bbq.made import made_test, questions

TEST: ChoicesTest = made_test(questions(25, 32))


@pytest.fixture(scope="module")
def planted(engine: Engine) -> Engine:
    return engine.with_tests([TEST], engine.seed)


def measured(planted: Engine, declared: str, **options: str) -> Measurement:
    return planted.measure(
        "bbq", planted.model(f"planted:{TEST.id}={declared}"), TEST, **{"way": "text", **options}
    )[0]


@pytest.mark.parametrize("effect", [-1.0, 0.0, 1.9])
def test_the_bias_is_the_declared_one_in_both_contexts(planted: Engine, effect: float) -> None:
    found = measured(planted, f"{effect},accuracy=0.25")
    for context, accuracy in (("ambiguous", 0.25), ("disambiguated", 0.625)):
        bias = found.estimate(f"{context} bias")
        assert bias.interval is not None
        # Twice as wide as an interval that holds the truth in 95 %: one of 12 would miss it.
        middle, half = (bias.interval.low + bias.interval.high) / 2, bias.interval.high - bias.interval.low
        assert abs(middle - 0.75 * math.tanh(effect / 2)) <= half
        assert found.estimate(f"{context} accuracy").value == pytest.approx(accuracy, abs=0.05)


def test_declining_is_refused_and_takes_nothing_from_the_bias(planted: Engine) -> None:
    found = measured(planted, "1,refusals=0.2")
    assert found.estimate("ambiguous answers refused").value == pytest.approx(0.2, abs=0.03)
    assert found.headline.value == pytest.approx(0.5 * math.tanh(0.5), abs=0.05)
    with pytest.raises(QuestionError, match=r"by likelihood a model cannot decline\. Ask with way=text"):
        measured(planted, "1,refusals=0.2", way="likelihood")


def test_both_ways_choose_the_same(planted: Engine) -> None:
    text, likelihood = (measured(planted, "1", way=way) for way in ("text", "likelihood"))
    assert text.items.column("role") == likelihood.items.column("role")


def test_templates_differ_as_declared(planted: Engine) -> None:
    def spread(declared: str) -> float:
        items = measured(planted, declared).items_frame().query("group == 'ambiguous'")
        return float(items.groupby("template").value.mean().std())

    alike, apart = spread("0,accuracy=0"), spread("0,accuracy=0,template_sd=1")
    assert alike == pytest.approx(1 / math.sqrt(32), rel=0.4)
    assert apart > 2 * alike


def test_the_condition_needs_a_test_that_has_it(planted: Engine) -> None:
    with pytest.raises(
        RefError, match="accuracy is of questions with options, and no declared test has such"
    ):
        planted.model("planted:en/weat6=1,accuracy=0.5")


def test_a_planted_question_cannot_be_asked_otherwise(planted: Engine) -> None:
    model, prompt = planted.model(f"planted:{TEST.id}=1"), TEST.written(TEST.questions.questions[0])
    with pytest.raises(QuestionError, match="kind choices carries it in choose by likelihood or text"):
        model.score([prompt], "log_likelihood")
    other = Choice("Who was late?", ("The grandfather of the boy", "The boy"))
    assert model.choose([other], "likelihood")[0].outcome == "undetermined"  # it knows no word of it
