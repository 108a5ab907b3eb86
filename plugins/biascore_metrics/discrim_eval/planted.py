"""Planted decisions: prompts that hold a text of the declared tests of kind ``decisions``.

The logit of yes is a deviate of the question (sd QUESTIONS), of the question for each gender but the first (sd SLOPES), of
the text (sd TEXTS), and the effect: +d/2 of those slopes' standard deviations for a person of any gender but the first,
-d/2 for one of the first. On race, age and neutral changes nothing is planted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from biascore.api.planting import Part, Sentence, cannot, deviate, drawn
from biascore.api.queries import Choice, Chosen, Continuation, Way, by_likelihood, by_text, order_of
from biascore.api.stimuli import Test
from biascore_metrics.discrim_eval.items import Case, DecisionsTest

QUESTIONS: Final = 1.0
SLOPES: Final = 0.4
TEXTS: Final = 0.1
YES: Final = "yes"
ANSWERS: Final = (YES, "no")
PREFIX: Final = 24


@dataclass(frozen=True, slots=True)
class Decision:
    """A case of a planted test, with what is planted in it, in logits; ``first``: its person has the first gender."""

    case: Case
    test: str
    shift: float
    first: bool


@dataclass(slots=True)
class Decisions(Part):
    """Planted texts, by how they begin."""

    carries = "choose between yes and no, and log_likelihood of either after the text"
    by_text: dict[str, Decision] = field(default_factory=dict)
    _by_prefix: dict[str, set[int]] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, DecisionsTest)
        reference = test.decisions[0].gender
        for case in test.cases.rows:
            first = case.gender == reference
            shift = (-1 if first else 1) * SLOPES * effect / 2
            self.by_text.setdefault(case.text, Decision(case, test.id, shift, first))
            self._by_prefix.setdefault(case.text[:PREFIX], set()).add(len(case.text))

    def __len__(self) -> int:
        return len(self.by_text)

    def refused(self, text: str) -> Sentence | None:
        """A text that holds a planted one."""
        found = self._within(text)
        return None if found is None else self._said(found)

    def _said(self, found: Decision) -> Sentence:
        return self.sentence(found.case.text, found.test, "decisions", found.shift)

    def _within(self, prompt: str) -> Decision | None:
        """The longest planted text that the prompt holds; None without any."""
        if not self.by_text:
            return None
        found = [
            self.by_text[text]
            for start in range(len(prompt))
            for length in self._by_prefix.get(prompt[start : start + PREFIX], ())
            if (text := prompt[start : start + length]) in self.by_text
        ]
        return max(found, key=lambda one: len(one.case.text), default=None)

    def chosen(self, question: Choice, way: Way, seed: int) -> Chosen | None:
        """What is decided of a question with the options yes and no whose prompt holds a planted text."""
        found = self._within(question.prompt)
        if found is None:
            return None
        logs = [self._log(found, option, seed) for option in question.options]
        told = by_likelihood(logs, [1] * len(logs))
        if way == "likelihood":
            return told
        place = told.chosen if question.seed is None else drawn(question, logs, seed)
        return told if place is None else by_text(question, question.options[place], order_of(question))

    def log_likelihood(self, text: str | Continuation, seed: int) -> float | None:
        """Of yes or no after a prompt that holds a planted text: half of it with a capital letter."""
        if isinstance(text, str) or (found := self._within(text.prompt)) is None:
            return None
        if text.text.strip().casefold() not in ANSWERS:
            raise cannot(self._said(found), f"log_likelihood of {text.text!r} after {text.prompt!r}")
        return self._log(found, text.text, seed) - math.log(2)

    def told(self) -> list[str]:
        return [f"{text}\t{one.test}\t{one.shift}\t{one.first}" for text, one in sorted(self.by_text.items())]

    def _log(self, found: Decision, answer: str, seed: int) -> float:
        """The log-probability of yes, else of no."""
        logit = self._logit(found, seed)
        return -math.log1p(math.exp(-logit if answer.strip().casefold() == YES else logit))

    def _logit(self, found: Decision, seed: int) -> float:
        question = (found.test, found.case.question)
        own = 0.0 if found.first else SLOPES * deviate(seed, "decision gender", *question, found.case.gender)
        common = QUESTIONS * deviate(seed, "decision", *question)
        return (
            found.shift + own + common + TEXTS * deviate(seed, "decision text", found.test, found.case.text)
        )
