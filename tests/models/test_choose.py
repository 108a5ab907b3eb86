"""Choose as the engine asks it: one way, checked answers, kept answers, conventions of the measurement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine
from biascore.api.adapters import Backend, Identity, Model, hookimpl
from biascore.api.metrics import Context, Coverage, Estimate, Finding, Metric, MetricOptions
from biascore.api.queries import Choice, Chosen, Continuation, Way, by_likelihood, by_text
from biascore.api.stimuli import Test
from biascore.errors import AnswerError, CapabilityError, QuestionError
from biascore.models.cache import DiskCache
from biascore.models.source import Services
from biascore.running.measuring import Measuring

from ..builders.models import model_of

QUESTION = Choice("Who was late?", ("the nurse", "the engineer"))
GOOD = by_likelihood((-1.0, -2.0), (1, 2))


class Chooses(Backend):
    """Gives what it was told to, and counts."""

    identity = Identity(
        digest="test:chooses",
        continues=True,
        ways=("likelihood", "text"),
        prompting={"prompt put": "as it is"},
    )

    def __init__(self, answer: Callable[[Sequence[Choice]], Any]) -> None:
        self._answer, self.calls = answer, 0

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> Any:
        self.calls += 1
        return self._answer(questions)

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        return np.array([-1.0] * len(texts))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "answered a NoneType for 1 questions"),
        ((), "answered a tuple of 0 for 1 questions"),
        (("the nurse",), "is a str, not a Chosen"),
        ((replace(GOOD, logprobs=(-1.0,)),), "has 1 log-probabilities for 2 options"),
        ((replace(GOOD, logprobs=(-1.0, 0.5)),), "positive or infinite"),
        ((replace(GOOD, logprobs=(-1.0, -math.inf)),), "positive or infinite"),
        ((replace(GOOD, chosen=2),), "names option 2 of 2"),
        ((replace(GOOD, chosen=None),), "is 'chosen' with the option None"),
        ((replace(GOOD, outcome="refused"),), "is 'refused' with the option 0"),
    ],
)
def test_an_answer_that_is_none(answer: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Chooses(lambda _: answer), services=Services(cache=DiskCache(tmp_path))).choose(
            [QUESTION], "likelihood"
        )


@pytest.mark.parametrize("kept", [GOOD, by_text(QUESTION, "No idea.", (0, 1))])
def test_answers_are_kept_by_way_and_order(kept: Chosen, tmp_path: Path) -> None:
    backend = Chooses(lambda questions: tuple(replace(kept) for _ in questions))
    model = model_of(backend, services=Services(cache=DiskCache(tmp_path)))
    first = model.choose([QUESTION, QUESTION], kept.way)
    assert repr(first) == repr((kept, kept))
    again = model_of(Chooses(lambda _: None), services=Services(cache=DiskCache(tmp_path)))
    assert repr(again.choose([QUESTION], kept.way)) == repr((kept,))
    model.choose([replace(QUESTION, order=(1, 0))], kept.way)
    model.choose([QUESTION], "text" if kept.way == "likelihood" else "likelihood")
    assert backend.calls == 3


def test_each_seed_has_an_answer_of_its_own(tmp_path: Path) -> None:
    said = iter("ABAB")
    backend = Chooses(lambda questions: tuple(by_text(one, next(said), (0, 1)) for one in questions))
    model = model_of(backend, services=Services(cache=DiskCache(tmp_path)))
    asked = [QUESTION, replace(QUESTION, seed=0), replace(QUESTION, seed=1)]
    first = model.choose([*asked, asked[1]], "text")
    assert [one.said for one in first] == ["A", "B", "A", "B"]
    again = model_of(Chooses(lambda _: None), services=Services(cache=DiskCache(tmp_path)))
    assert [one.said for one in again.choose(asked, "text")] == ["A", "B", "A"]
    with pytest.raises(
        QuestionError,
        match=r"'Who was late\?' has the seed 0, and is asked by likelihood, which draws no answer\. Ask by text, or",
    ):
        model.choose(asked, "likelihood")


def test_what_a_model_cannot_do() -> None:
    model = model_of(Chooses(lambda _: (GOOD,)))
    with pytest.raises(
        CapabilityError, match="cannot be asked to choose by letters; it can by likelihood, text"
    ):
        model.choose([QUESTION], "letters")


class Asks(Metric):
    """Asks what it is told to; in the name of a metric that is installed."""

    name = "weat"
    requires = frozenset({"score"})
    kinds = frozenset({"weat"})

    def __init__(self, ask: Callable[[Model], Any]) -> None:
        super().__init__(MetricOptions())
        self._ask = ask

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        self._ask(model)
        return Finding(
            estimates=(Estimate(name="x", value=0.0, n={"words": 1}, unit="nats"),),
            coverage=Coverage(given={}, used={}),
            conventions={},
        )


def test_how_prompts_are_put_is_a_convention_of_the_measurements_that_put_some() -> None:
    model = model_of(Chooses(lambda questions: (GOOD,) * len(questions)))
    engine = Engine(cache=None)

    def conventions(ask: Callable[[Model], Any]) -> dict[str, Any]:
        measuring = Measuring(engine._checker, 0)
        test = engine.tests("weat", ["en/weat6"], {})[0]
        made = measuring.measure(Asks(ask), model, test, lambda _: model).measurement
        # So a comparison refuses models that were asked in different ways.
        assert not {*made.conventions} & {*made.model_conventions}
        return dict(made.conventions)

    chosen = conventions(lambda one: one.choose([QUESTION], "likelihood"))
    assert chosen == {"prompt put": "as it is", "options chosen by": "likelihood"}
    continued = conventions(lambda one: one.score([Continuation("The", " nurse")], "log_likelihood"))
    assert continued == {"prompt put": "as it is"}
    assert conventions(lambda one: one.score(["The nurse"], "log_likelihood")) == {}
