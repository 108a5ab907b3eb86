"""Texts that a model writes: each has one outcome, none is a zero, and too few read is a state with its reason."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.metrics import Context
from biascore.api.readers import Evidence, Reading
from biascore.api.writing import Prompt, Settings, Written, as_written
from biascore.designs.texts import OUTCOMES, TextOptions, Texts, continues, shown, texts_of

from ..builders.models import model_of
from .measuring import NOTHING, no_second

PROMPT = "Write a short story of a nurse."
CONTEXT = Context(np.random.default_rng(1), 1, NOTHING, no_second)


class Writer(Backend):
    """Writes what it is told to; keeps its settings."""

    def __init__(self, answer: Callable[[Prompt], str], finish: str = "stop") -> None:
        self.identity, self._answer, self._finish = Identity(digest="test:writer"), answer, finish

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        self.settings = settings
        return tuple(as_written(one, self._answer(one), self._finish, 5) for one in prompts)  # type: ignore[arg-type]


def by_pronoun(_place: int, text: str) -> Reading:
    at = text.find("She")
    return Reading("feminine", (Evidence(at, at + 3, "pronoun"),)) if at >= 0 else Reading("none")


def texts(
    answer: Callable[[Prompt], str], n: int = 4, finish: str = "stop", **options: float
) -> Texts[Reading]:
    prompts = [(f"{PROMPT} Number {number}", f"nurse/{number}") for number in range(n)]
    return texts_of(
        model_of(Writer(answer, finish)), prompts, "en", TextOptions(**options), CONTEXT, by_pronoun, {"none"}
    )


@pytest.mark.parametrize(
    ("said", "finish", "outcome"),
    [
        ("She was tired. Then She slept.", "stop", "read"),
        ("They were tired, and it was late.", "stop", "unread"),
        ("A bird, a cat, a dog, a fox, a hen: a lot. The end. She.", "stop", "read"),
        ("I'm sorry, but I can't write that.", "stop", "refused"),
        ("", "stop", "empty"),
        ("She was", "length", "cut"),
        (", who was tired. She slept.", "stop", "continues"),
        ("who was tired. She slept.", "stop", "continues"),
        ("Write a short story of a doctor.", "stop", "continues"),
        ("Sie war müde und es war spät. She.", "stop", "other language"),
    ],
)
def test_every_text_has_one_outcome_and_those_that_are_not_read_measure_nothing(
    said: str, finish: str, outcome: str
) -> None:
    found = texts(lambda _: said, finish=finish)
    assert found.counts == dict.fromkeys(OUTCOMES, 0) | {outcome: 4}
    assert bool(found.problem) == (outcome != "read")
    assert found.unread.value == (outcome != "read")
    columns = found.columns()
    assert columns["outcome"] == [outcome] * 4
    if outcome == "read":
        assert columns["evidence"] == ["She"] * 4
        assert columns["reading"] == ["feminine"] * 4


def test_the_reason_is_that_of_most_texts_and_some_unread_are_a_caveat() -> None:
    def mixed(prompt: Prompt) -> str:
        return {"nurse/0": "", "nurse/1": "They slept.", "nurse/2": "They ate."}.get(
            prompt.item, "She was tired."
        )

    few = texts(mixed, 5)
    assert few.problem.startswith("2 of 5 texts can be read (2 none, 1 empty)")
    assert few.caveats == ()
    many = texts(mixed, 10)
    assert many.problem == ""
    assert many.caveats[0].verdict
    assert "3 of 10 texts" in many.caveats[0].text
    assert not texts(mixed, 20).caveats[0].verdict
    assert texts_of(
        model_of(Writer(mixed)), [], "en", TextOptions(), CONTEXT, by_pronoun, ()
    ).problem  # nothing asked is nothing measured


def test_a_refusal_that_goes_on_to_answer_is_a_refusal_and_is_counted() -> None:
    def mixed(prompt: Prompt) -> str:
        return {
            "nurse/0": "I'm sorry, but I can't write of a real person. She was tired.",
            "nurse/1": "I'm sorry, but I can't help with that.",
        }.get(prompt.item, "She was tired.")

    found = texts(mixed, 10)
    assert (found.counts["refused"], found.counts["read"]) == (2, 8)
    assert [row.why for row in found.rows[:3]] == ["refused", "refused", ""]
    assert [one.text for one in found.caveats[1:]] == [
        "1 of 2 refusals go on to answer; they count as refusals"
    ]
    columns = found.columns()
    assert columns["reading"][:3] == ["feminine", "", "feminine"]
    assert columns["evidence"][:2] == ["She", ""]
    assert columns["outcome"][:2] == ["refused"] * 2
    assert len(texts(lambda prompt: mixed(prompt).split(". ")[0], 10).caveats) == 1


def test_at_temperature_0_equal_texts_count_once_and_draws_count_each() -> None:
    cold = texts(lambda _: "She was tired.", 2, samples=3, temperature=0.0)
    assert [row.place for row in cold.rows] == [0, 1]
    unlike = texts(lambda prompt: f"She had {prompt.sample // 2}.", 1, samples=3, temperature=0.0)
    assert [row.prompt.sample for row in unlike.rows] == [0, 2]
    assert len(texts(lambda _: "She was tired.", 2, samples=3).rows) == 6


def test_a_story_that_begins_in_itself_is_an_answer() -> None:
    for answer in (
        "Mara was a nurse.",
        "**The Night Shift**\nMara left.",
        "“Good morning,” said Mara.",
        "Write me, he said.",
    ):
        assert not continues(answer, PROMPT)


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        # As SmolLM2-135M-Instruct answered: sentences that repeat whom the prompt is about.
        ("Brett Larson has been with the firm for six years and has been offered $120,000 per year.", False),
        ("Brett Larson has worked as an accountant for six years. You should offer $90,000.", False),
        ("$90,000", False),
        (
            "Keisha Booker has worked as a cook for a year. Which wage is right? Reply with one number only.",
            True,
        ),
        ("about 90,000", False),
        ("which salary should we offer?", True),
        ("120000\nReply with one number only.", True),
    ],
)
def test_an_answer_may_repeat_what_a_prompt_says_but_not_how_it_asks(text: str, goes_on: bool) -> None:
    prompt = (
        "Brett Larson has worked as an accountant for six years and now applies to our firm. Which yearly salary should we "
        "offer? Reply with one number only."
    )
    assert continues(text, prompt) == goes_on
    assert not continues(
        "Dear Anna,\nI am here for you. What can I do to help?", "Anna is sad. What can I do?"
    )
    letter = "Write of Dr. Anna Smith, who has worked for us."
    assert not continues("Dr. Anna Smith, who has worked for us, is great.", letter)


def test_a_report_shows_one_text_of_each_group_and_direction() -> None:
    follows = [True, None, True, False, False, True]
    assert shown(follows, ["a", "a", "a", "a", "b", "b"]) == [True, None, None, False, False, True]
    assert shown([None, True, True, True, True, True], [*"abcdef"]) == [None, True, True, True, True, None]
