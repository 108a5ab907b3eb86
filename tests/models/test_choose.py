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
from biascore.engine.measuring import Measuring
from biascore.errors import AnswerError, CapabilityError, QuestionError
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services
from biascore.results.measurement import Measurement
from biascore.stats import Decision, Verdict

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


def test_questions_that_differ_in_their_item_alone_are_asked_once(tmp_path: Path) -> None:
    asked: list[Choice] = []

    def answer(questions: Sequence[Choice]) -> tuple[Chosen, ...]:
        asked.extend(questions)
        return (GOOD,) * len(questions)

    named = [replace(QUESTION, item=str(i // 2), prompt=f"Who was {i % 3}?") for i in range(12)]
    model = model_of(Chooses(answer), services=Services(cache=DiskCache(tmp_path)))
    assert model.choose(named, "likelihood") == (GOOD,) * 12
    assert [one.prompt for one in asked] == ["Who was 0?", "Who was 1?", "Who was 2?"]
    assert (model.counts.put, model.counts.asked, model.counts.repeated) == (12, 3, 9)
    model.choose([replace(one, item="another") for one in named], "likelihood")
    assert (model.counts.asked, model.counts.cached) == (3, 3)
    # Each item of answers given before has its own.
    before = Chooses(lambda questions: tuple(by_text(one, one.item, (0, 1)) for one in questions))
    before.identity = replace(before.identity, chosen_before=True)
    items = [replace(QUESTION, item=item) for item in "ABA"]
    assert [one.chosen for one in model_of(before).choose(items, "text")] == [0, 1, 0]


class Asks(Metric):
    """Asks what it is told to; in the name of a metric that is installed."""

    name = "weat"
    requires = frozenset({"score"})
    kinds = frozenset({"weat"})

    def __init__(self, ask: Callable[[Model], Any], *, tests: bool = False) -> None:
        super().__init__(MetricOptions())
        self._ask, self.tests = ask, tests

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        self._ask(model)
        value = None if self.tests else 0.0
        return Finding(
            estimates=(Estimate(name="x", value=value, n={"words": 1}, unit="nats"),),
            coverage=Coverage(given={}, used={}),
            conventions={},
            decision=Decision(Verdict.NOT_MEASURED, "It could not be tested.") if self.tests else None,
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


def measured(model: Model, ask: Callable[[Model], Any], *, tests: bool = False) -> Measurement:
    engine = Engine(cache=None)
    test = engine.tests("weat", ["en/weat6"], {})[0]
    return (
        Measuring(engine._checker, 0)
        .measure(Asks(ask, tests=tests), model, test, lambda _: model)
        .measurement
    )


SAID = (
    *("A", "The engineer."),
    *("I'm sorry, no.", "<think>Hm", "", "<muse>A</muse>", "Blue.", "Green.", "Blue.", "A or B", "护士"),
)


def says(*texts: str) -> Model:
    return model_of(Chooses(lambda asked: tuple(by_text(one, texts[int(one.item)], (0, 1)) for one in asked)))


def numbered(count: int) -> list[Choice]:
    return [replace(QUESTION, prompt=f"Who was late, {i}?", item=str(i)) for i in range(count)]


def test_what_became_of_the_answers_is_counted_by_its_reason() -> None:
    model = says(*SAID)
    made = measured(model, lambda one: one.choose(numbered(len(SAID)), "text"))
    assert made.answers == {
        "chosen": 2,
        "refused": 1,
        "unreadable: its thoughts do not end (<think>)": 1,
        "unreadable: it is empty": 1,
        "unreadable: marks that are not known (<muse>)": 1,
        "unreadable: it names no option": 3,
        "undetermined: it names several options": 1,
        "unreadable: it is in another language (Chinese characters)": 1,
    }
    (caveat,) = made.caveats
    assert caveat.short == "answers end before they say anything"
    assert "3 unreadable: it names no option" in caveat.text
    assert caveat.text.endswith(
        "of 11 answers. Some that chose none: \"I'm sorry, no.\", '<think>Hm', '<muse>A</muse>'. "
        "Raise the model's option max_answer_tokens, or have it answer without thinking"
    )
    assert Measurement.model_validate_json(made.model_dump_json()).answers == made.answers
    again = measured(model, lambda one: one.choose(numbered(2), "text"))
    assert (again.answers, again.caveats) == ({"chosen": 2}, ())
    none = measured(model, lambda one: one.score(["The nurse"], "log_likelihood"))
    assert "answers" not in none.model_dump()


@pytest.mark.parametrize(
    ("said", "quotes", "advice"),
    [
        ("0", "'0', '0 ', '0  '", "option labels"),
        ("I can't say.", '"I can\'t say."', "declines"),
        ("<think>Let me see", "'<think>Let me see'", "max_answer_tokens"),
        ("<muse>A</muse>B", "'<muse>A</muse>B'", "leave thoughts out"),
        ("Пилот", "'Пилот'", "language of the test"),
        ("A or B", "'A or B'", "one letter alone"),
    ],
)
def test_where_nothing_was_read_three_answers_are_quoted_and_the_next_step_is_named(
    said: str, quotes: str, advice: str
) -> None:
    answers = [f"{said}{' ' * i}" for i in range(4)]
    made = measured(says(*answers), lambda one: one.choose(numbered(4), "text"), tests=True)
    assert made.reason.startswith("No answer chose an option, so it was not measured: 4 ")
    assert quotes in made.reason
    assert advice in made.reason
    read = measured(says("A", *answers), lambda one: one.choose(numbered(5), "text"), tests=True)
    assert read.reason == "It could not be tested."


def test_letters_of_a_log_are_another_quantity_than_those_of_a_model() -> None:
    """Two that were asked so are not compared: the convention is not the model's own."""
    told = []
    for before in (False, True):
        backend = Chooses(lambda asked: (replace(GOOD, way="letters", tokens=()),) * len(asked))
        backend.identity = replace(backend.identity, ways=("letters",), chosen_before=before)
        made = measured(model_of(backend), lambda one: one.choose([QUESTION], "letters"))
        told.append(made.conventions["options chosen by"])
        assert "options chosen by" not in made.model_conventions
    assert told == ["letters, with and without white space around", "letters, in the form that the log has"]
