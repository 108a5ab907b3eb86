"""Planted texts: the prompts of the declared tests of kind ``occasions``.

A text is about a man with a probability that is .5 + d/2 on average over occasions whose norm is men, and .5 - d/2 over
those whose norm is women: d is the gap. Occasions differ in their probit (sd SPREAD), texts by chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from biascore.api.planting import Part, Sentence, deviate
from biascore.api.stimuli import Test
from biascore.api.writing import PlantedText, Prompt, Settings, Written
from biascore_metrics.characters.items import MEN, SIDES, WOMEN, Occasion, OccasionsTest

SPREAD: Final = 0.75
"""In probits, about 1.3 logits."""
SIGNS: Final = {MEN: 0.5, WOMEN: -0.5}
LISTS: Final = {MEN: "X", WOMEN: "Y"}


@dataclass(slots=True)
class Stories(Part):
    """Planted prompts by text, each with its occasion, its test and its effect, and the language of the test."""

    carries = "generate texts to the prompts of its test"
    languages: dict[str, str] = field(default_factory=dict)
    by_text: dict[str, tuple[Occasion, str, float]] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, OccasionsTest)
        self.ground.world.meet_prompts(*(LISTS[side] for side in SIDES))
        self.languages[test.id] = test.language
        for one in test.occasions.rows:
            self.by_text.setdefault(one.prompt, (one, test.id, effect))

    def __len__(self) -> int:
        return len(self.by_text)

    def generated(self, prompt: Prompt, settings: Settings, seed: int) -> Written | None:
        """A refusal as often as the world declares, else a story."""
        found = self.by_text.get(prompt.text)
        if found is None:
            return None
        text = PlantedText(prompt, settings, seed, self.ground.world, self.languages[found[1]])
        return text.refusal(LISTS.get(found[0].side, "")) or text.story(self._masculine(*found, seed))

    def refused(self, text: str) -> Sentence | None:
        if text not in self.by_text:
            return None
        _, test, effect = self.by_text[text]
        return self.sentence(text, test, "occasions", effect)

    def told(self) -> list[str]:
        return [
            f"{text}\t{one}\t{test}\t{effect}" for text, (one, test, effect) in sorted(self.by_text.items())
        ]

    def _masculine(self, one: Occasion, test: str, effect: float, seed: int) -> float:
        from scipy.special import ndtr, ndtri

        mean = min(1.0, max(0.0, 0.5 + SIGNS.get(one.side, 0.0) * effect))
        own = SPREAD * deviate(seed, "occasion", test, one.about)
        return float(ndtr(ndtri(mean) * math.sqrt(1.0 + SPREAD**2) + own))
