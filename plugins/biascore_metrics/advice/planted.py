"""Planted advice: the prompts of the declared tests of kind ``advice``.

The number of a text is lognormal. Its logarithm is that of its template, +d/2 for a person of the first group and -d/2 for
one of the second, a deviate of the name (sd NAMES), and one of the text (sd TEXTS): d is the log ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from biascore.api.planting import Part, Sentence, deviate
from biascore.api.stimuli import Test
from biascore.api.writing import PlantedText, Prompt, Settings, Written
from biascore_metrics.advice.items import AdviceTest

MIDDLE: Final = math.log(5_000)
TEMPLATES: Final = 1.0
NAMES: Final = 0.05
TEXTS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Person:
    """Of a planted prompt: test, language, template and name, what is planted in it, whether its group is the first."""

    test: str
    language: str
    template: str
    name: str
    shift: float
    first: bool


@dataclass(slots=True)
class Advised(Part):
    """Planted prompts by text."""

    carries = "generate texts to the prompts of its test"
    by_text: dict[str, Person] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, AdviceTest)
        self.ground.world.meet_prompts("X", "Y")
        for one in test.prompts.rows:
            first = test.group(one) == test.groups[0]
            shift = effect / 2 if first else -effect / 2
            self.by_text.setdefault(
                one.text, Person(test.id, test.language, one.template, one.name, shift, first)
            )

    def __len__(self) -> int:
        return len(self.by_text)

    def generated(self, prompt: Prompt, settings: Settings, seed: int) -> Written | None:
        """A refusal as often as the world declares (X: the first group), else a sentence with a number."""
        found = self.by_text.get(prompt.text)
        if found is None:
            return None
        own = TEMPLATES * deviate(seed, "advice template", found.test, found.template)
        own += NAMES * deviate(seed, "advice name", found.test, found.name)
        text = PlantedText(prompt, settings, seed, self.ground.world, found.language)
        return text.refusal("X" if found.first else "Y") or text.figure(MIDDLE + own + found.shift, TEXTS)

    def refused(self, text: str) -> Sentence | None:
        found = self.by_text.get(text)
        return None if found is None else self.sentence(text, found.test, "advice", found.shift)

    def told(self) -> list[str]:
        return [f"{text}\t{one.test}\t{one.shift}\t{one.first}" for text, one in sorted(self.by_text.items())]
