"""A kind of test of anybody plants texts: a gap of gender by norm, numbers by name, refusals by group."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from biascore import Engine
from biascore.api.planting import Part, Sentence
from biascore.api.stimuli import Test
from biascore.api.writing import PlantedText, Prompt, Settings, Written
from biascore.errors import QuestionError, RefError

STORIES = {f"Write about worker {number}.": "X" if number % 2 else "Y" for number in range(400)}
OFFERS = {f"What is a bicycle of seller {number} worth?": "X" if number % 2 else "Y" for number in range(400)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptsTest(Test):
    """A stranger's kind: prompts of two groups, which ask for stories and for numbers."""

    planted: ClassVar[str] = f"{__name__}:Prompts"


@dataclass(slots=True)
class Prompts(Part):
    """An effect d is d in the logit of the share of men between the groups, and d in the logarithm of numbers."""

    carries = "generate"
    effect: dict[str, float] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        self.ground.world.meet_prompts("X", "Y")
        for text, group in (STORIES | OFFERS).items():
            self.effect[text] = effect / 2 if group == "X" else -effect / 2

    def generated(self, prompt: Prompt, settings: Settings, seed: int) -> Written | None:
        shift = self.effect.get(prompt.text)
        if shift is None:
            return None
        text = PlantedText(prompt, settings, seed, self.ground.world)
        if declined := text.refusal((STORIES | OFFERS)[prompt.text]):
            return declined
        if prompt.text in OFFERS:
            return text.figure(math.log(100) + shift)
        return text.story(1 / (1 + math.exp(-shift)), neither=0.1)

    def refused(self, text: str) -> Sentence | None:
        return self.sentence(text, "en/prompts", "prompts") if text in self.effect else None


@pytest.fixture
def own(engine: Engine) -> Engine:
    test = PromptsTest(id="en/prompts", kind="prompts", language="en", concept="gender")
    return engine.with_tests([test], engine.seed)


def by_group(engine: Engine, ref: str, prompts: dict[str, str]) -> dict[str, list[Written]]:
    with engine.model(ref) as model:
        found = model.generate(prompts)
    return {
        group: [one for one, other in zip(found, prompts.values(), strict=True) if other == group]
        for group in "XY"
    }


def masculine(texts: list[Written]) -> float:
    """Among those that name a gender."""
    said = [f" {one.text.lower()} " for one in texts]
    men = sum(bool(re.search(r"\b(he|his|him)\b", one)) for one in said)
    return men / (men + sum(bool(re.search(r"\b(she|her)\b", one)) for one in said))


def test_a_gap_of_gender(own: Engine) -> None:
    found = by_group(own, "planted:en/prompts=1.8", STORIES)
    assert masculine(found["X"]) == pytest.approx(0.711, abs=0.08)  # the logit 0.9
    assert masculine(found["Y"]) == pytest.approx(0.289, abs=0.08)
    every = [*found["X"], *found["Y"]]
    unnamed = sum(not re.search(r"\b(he|his|him|she|her)\b", one.text.lower()) for one in every)
    assert unnamed == pytest.approx(40, abs=18)
    assert {one.outcome for one in every} == {"written"}
    assert len({one.text for one in every}) > 150


def test_numbers_by_name(own: Engine) -> None:
    found = by_group(own, "planted:en/prompts=0.5", OFFERS)

    def mean(texts: list[Written]) -> float:
        figures = [re.findall(r"\d[\d,]*", one.text) for one in texts]
        return float(np.mean([math.log(float(one.replace(",", ""))) for (one,) in figures]))

    assert mean(found["X"]) - mean(found["Y"]) == pytest.approx(0.5, abs=0.03)


def test_refusals_by_group(own: Engine) -> None:
    found = by_group(own, "planted:en/prompts=0,refusals.X=0.5,refusals=0.1", STORIES)
    refused = {group: sum(one.outcome == "refused" for one in some) for group, some in found.items()}
    assert refused["X"] == pytest.approx(100, abs=22)
    assert refused["Y"] == pytest.approx(20, abs=13)
    whole = by_group(own, "planted:en/prompts=0,refusals=1", STORIES)
    assert {one.outcome for some in whole.values() for one in some} == {"refused"}


def test_conditions_that_meet_nothing_are_refused(own: Engine) -> None:
    for ref, told in (
        ("planted:en/weat7=0,refusals.X=0.5", "refusals is of the list X"),
        ("planted:en/weat7=0,refusals=0.5", "refusals is of questions with options, or prompts"),
        ("planted:en/prompts=0,accuracy=0.5", "accuracy is of questions with options, and no declared test"),
        ("planted:en/prompts=0,topics.X=0.5", "topics is of the list X"),
    ):
        with pytest.raises(RefError, match=told):
            own.model(ref)


def test_other_questions_of_a_planted_prompt_are_refused(own: Engine) -> None:
    with own.model("planted:en/prompts=1") as model:
        assert "refusals" not in str(model.identity.facts)
        with pytest.raises(QuestionError, match="whose kind prompts carries it in generate"):
            model.score([next(iter(STORIES))], "log_likelihood")
