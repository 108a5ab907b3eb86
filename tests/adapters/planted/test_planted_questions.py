"""Planted questions with options have the declared bias, accuracy and refusals; what cannot carry them is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.queries import Choice
from biascore.errors import QuestionError, RefError
from biascore_metrics.bbq.items import ChoicesTest

from ...metrics.bbq.made import made_test, questions

TEST: ChoicesTest = made_test(questions(25, 32))


@pytest.fixture(scope="module")
def planted(engine: Engine) -> Engine:
    return engine.with_tests([TEST], engine.seed)


def measured(planted: Engine, declared: str, **options: str) -> Measurement:
    return planted.measure(
        "bbq", planted.model(f"planted:{TEST.id}={declared}"), TEST, **{"way": "text", **options}
    )[0]


@pytest.mark.parametrize("effect", [-1.0, *(pytest.param(one, marks=pytest.mark.slow) for one in (0.0, 1.9))])
def test_the_bias_is_the_declared_one_in_both_contexts(planted: Engine, effect: float) -> None:
    found = measured(planted, f"{effect},accuracy=0.25")
    for context, accuracy in (("ambiguous", 0.25), ("disambiguated", 0.625)):
        bias = found.estimate(f"{context} bias")
        assert bias.interval is not None
        # Twice as wide as an interval that holds the truth in 95 %: one of 12 would miss it.
        middle, half = (bias.interval.low + bias.interval.high) / 2, bias.interval.high - bias.interval.low
        assert abs(middle - 0.75 * math.tanh(effect / 2)) <= half
        assert found.estimate(f"{context} accuracy").value == pytest.approx(accuracy, abs=0.05)


@pytest.mark.slow
def test_declining_is_refused_and_takes_nothing_from_the_bias(planted: Engine) -> None:
    found = measured(planted, "1,refusals=0.2")
    assert found.estimate("ambiguous answers refused").value == pytest.approx(0.2, abs=0.03)
    assert found.headline.value == pytest.approx(0.5 * math.tanh(0.5), abs=0.05)
    with pytest.raises(QuestionError, match=r"by likelihood a model cannot decline\. Ask with way=text"):
        measured(planted, "1,refusals=0.2", way="likelihood")


@pytest.mark.slow
def test_both_ways_choose_the_same(planted: Engine) -> None:
    text = measured(planted, "1", orders="as is")
    likelihood = measured(planted, "1", way="likelihood")
    assert text.items.column("role") == likelihood.items.column("role")


@pytest.mark.slow
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
    model, prompt = planted.model(f"planted:{TEST.id}=1"), TEST.written(TEST.questions.rows[0])
    with pytest.raises(QuestionError, match="kind choices carries it in choose by likelihood or text"):
        model.score([prompt], "log_likelihood")
    other = Choice("Who was late?", ("The grandfather of the boy", "The boy"))
    assert model.choose([other], "likelihood")[0].outcome == "undetermined"  # it knows no word of it


def test_answers_drawn_with_seeds_differ_and_have_the_declared_bias_and_accuracy(planted: Engine) -> None:
    model = planted.model(f"planted:{TEST.id}=1.9,accuracy=0.25,refusals=0.1")
    asked = [
        Choice(TEST.written(one), tuple(option.text for option in one.options), seed=seed)
        for one in TEST.questions.rows[:8:2]
        for seed in range(500)
    ]
    answers = model.choose(asked, "text")
    for number, one in enumerate(TEST.questions.rows[:8:2]):
        own = answers[500 * number : 500 * (number + 1)]
        stereotyped = 0.75 / (1 + math.exp(-1.9))
        shares = {one.place("target"): stereotyped, one.place("other"): 0.75 - stereotyped, one.label: 0.25}
        counts = [sum(answer.chosen == place for answer in own) for place in shares]
        refused = sum(answer.outcome == "refused" for answer in own)
        expected = [500 * 0.9 * share for share in shares.values()]
        assert chisquare([*counts, refused], [*expected, 50]).pvalue > 0.01
    assert repr(model.view().choose(asked[7:3:-1], "text")) == repr(answers[7:3:-1])


def test_questions_that_are_not_planted_are_drawn_from_the_softmax_of_their_options(engine: Engine) -> None:
    model = engine.model("planted:en/weat6=1.6")
    question = Choice("Amy", ("executive", "corporation", "cousins"))
    (told,) = model.choose([question], "likelihood")
    probabilities = np.exp(told.logprobs) / np.exp(told.logprobs).sum()
    drawn = model.choose([replace(question, seed=seed) for seed in range(1000)], "text")
    counts = np.bincount([one.chosen for one in drawn if one.chosen is not None], minlength=3)
    assert probabilities.max() > 0.5
    assert chisquare(counts, 1000 * probabilities).pvalue > 0.01
