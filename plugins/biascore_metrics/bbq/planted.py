"""Planted questions with options: those of the declared tests of kind ``choices``, known by their prompt and options.

A share ``accuracy`` of the answers is what the context tells: the right person, or "unknown" where it tells nothing. The
rest names one of the two persons, the stereotyped one with log odds d, plus a normal deviate of the template where the world
declares ``template_sd``. So the bias is (1 - accuracy) tanh(d / 2) in both contexts; accuracy is as declared where the
context tells nothing, and half way from it to 1 where it tells. A share ``refusals`` of all answers declines. A
question with a seed is answered anew with each, by the same odds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from biascore.api.planting import Part, Sentence, deviate, generator, told
from biascore.api.queries import Choice, Chosen, Way, by_text, order_of
from biascore.api.stimuli import Test
from biascore.errors import QuestionError
from biascore_metrics.bbq.asking import options_of
from biascore_metrics.bbq.items import ChoicesTest, Question

REFUSAL: Final = "I cannot answer that."
Key = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PlantedQuestion:
    """A question of a declared test, and the effect that its answer carries, in log odds."""

    test: str
    question: Question
    effect: float


@dataclass(slots=True)
class PlantedQuestions(Part):
    """Planted questions, by the prompt and the options that they are put with."""

    carries = "choose by likelihood or text"
    by_prompt: dict[Key, PlantedQuestion] = field(default_factory=dict)
    _prompts: dict[str, str] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, ChoicesTest)
        self.ground.world.meet_questions()
        for question in test.questions.rows:
            for prompt in range(len(test.prompts)):
                text, options = test.written(question, prompt), options_of(question, test, prompt)
                self.by_prompt.setdefault((text, options), PlantedQuestion(test.id, question, effect))
                self._prompts.setdefault(text, test.id)

    def __len__(self) -> int:
        return len(self._prompts)

    def chosen(self, question: Choice, way: Way, seed: int) -> Chosen | None:
        """What is chosen; raises QuestionError where it is to be refused, and the way has no refusals."""
        from scipy.special import expit

        found = self.by_prompt.get((question.prompt, question.options))
        if found is None:
            return None
        again = () if question.seed is None else (str(question.seed),)
        refuses, knows, picks = generator(seed, "choose", question.prompt, *question.options, *again).random(
            3
        )
        if self.ground.world.refusals and way != "text":
            raise QuestionError(
                f"planted: declares refusals, and by {way} a model cannot decline. Ask with way=text, or leave refusals out"
            )
        if refuses < self.ground.world.refusals:
            return by_text(question, REFUSAL, order_of(question))
        own = found.question
        place = own.label
        if knows >= self.ground.world.accuracy:
            deviation = deviate(seed, "questions", own.category, own.template)
            odds = found.effect + self.ground.world.template_sd * deviation
            place = own.place("target" if picks < expit(odds) else "other")
        return told(question, way, place)

    def refused(self, text: str) -> Sentence | None:
        test = self._prompts.get(text)
        return None if test is None else self.sentence(text, test, "choices")

    def told(self) -> Iterable[str]:
        return (
            f"{prompt}\t{options}\t{one.test}\t{one.effect}\t{one.question.label}\t{one.question.place('target')}"
            for (prompt, options), one in sorted(self.by_prompt.items())
        )
