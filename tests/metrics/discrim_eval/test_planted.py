"""Decisions of planted models: found whatever the prompt around them, and refused where a question cannot carry them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import binomtest

from biascore import Engine
from biascore.api.adapters import Model
from biascore.api.queries import Choice, Masked
from biascore.errors import QuestionError

TEST = "en/decisions_own"


@pytest.fixture(scope="module")
def planted(engine: Engine) -> Model:
    return engine.model(f"planted:{TEST}=1.5")


def text_of(engine: Engine) -> str:
    return str(engine.catalogue.test(TEST).lists["decisions"].entries()["cases"][0]["text"])


def test_the_prompt_around_a_text_does_not_matter(engine: Engine, planted: Model):
    text = text_of(engine)
    one, other = planted.choose(
        [Choice(f"{text}\nAnswer:", ("yes", "no")), Choice(f"Read this. {text}", ("no", "yes"))], "likelihood"
    )
    assert one.logprobs == pytest.approx(other.logprobs[::-1])
    assert sum(map(pow, (2.718281828459045,) * 2, one.logprobs)) == pytest.approx(1.0)


def test_answers_in_words_are_those_of_the_logit(engine: Engine, planted: Model):
    question = Choice(text_of(engine), ("yes", "no"))
    (by_text,), (by_likelihood,) = (
        planted.choose([question], "text"),
        planted.choose([question], "likelihood"),
    )
    assert by_text.chosen == by_likelihood.chosen


def test_answers_drawn_with_seeds_have_the_probability_of_the_logit(engine: Engine, planted: Model):
    question = Choice(text_of(engine), ("yes", "no"))
    (told,) = planted.choose([question], "likelihood")
    drawn = planted.choose([replace(question, seed=seed) for seed in range(1000)], "text")
    yes = sum(one.chosen == 0 for one in drawn)
    assert all(one.outcome == "chosen" for one in drawn)
    assert binomtest(yes, 1000, math.exp(told.logprobs[0])).pvalue > 0.01


def test_a_question_that_cannot_carry_a_decision_is_refused(engine: Engine, planted: Model):
    text = text_of(engine)
    told = "kind decisions carries it in choose between yes and no"
    with pytest.raises(QuestionError, match=told):
        planted.score([text], "log_likelihood")
    with pytest.raises(QuestionError, match=told):
        planted.mask_logprob([Masked(text, ((0, 1),))])
    with pytest.raises(QuestionError, match=told):
        planted.translate([text], "en", "it")
    with pytest.raises(QuestionError, match=told):
        planted.embed([text])
