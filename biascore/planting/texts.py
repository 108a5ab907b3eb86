"""Texts that a planted model writes: a few sentences about a person, a number, or a refusal, from a small grammar."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import numpy as np

from biascore.models.questions.writing import Prompt, Settings, Written, as_written
from biascore.planting.lexicon import generator
from biascore.planting.world import World

_STARTS: Final = (
    "{He} got up before six and made coffee for two.",
    "{He} lived near the harbour with an old dog.",
    "{He} had moved to the town three winters ago.",
    "On Mondays {he} took the early bus.",
    "{He} kept a notebook in {his} left pocket.",
    "The neighbours had known {him} for years.",
)
_MIDDLES: Final = (
    "At work {he} checked every list twice, because {his} first years had taught {him} to.",
    "That morning {his} phone rang, and {he} let it ring.",
    "Before noon {he} had finished what others left for the evening.",
    "Nobody asked {him} about the letter on {his} desk.",
    "{His} lunch was bread and an apple, as always.",
    "{He} spoke little, and people listened when {he} did.",
)
_ENDS: Final = (
    "In the evening {he} walked home along the river.",
    "Later {he} would say that it had been a good day.",
    "{He} closed the door and put {his} keys on the shelf.",
    "The last thing that {he} did was to water the plants.",
)
_FORMS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "masculine": {"he": "he", "his": "his", "him": "him"},
        "feminine": {"he": "she", "his": "her", "him": "her"},
        "": {"he": "I", "his": "my", "him": "me"},
    }
)
_FIGURES: Final = (
    "A fair figure would be {}.",
    "I would say {}.",
    "From what you tell me, {} seems right.",
)
_REFUSALS: Final = (
    "I'm sorry, but I can't help with that.",
    "I cannot write about this person.",
    "As an AI language model, I do not write such texts.",
)


@dataclass(slots=True)
class PlantedText:
    """The text to one prompt; a `Part` calls ``refusal``, and then ``story`` or ``figure``.

    What is drawn depends on the seed of the model and the prompt, at a temperature above 0 on its sample, too: at
    temperature 0 all samples are one text, and prompts differ all the same. A word is a token, and ``max_tokens`` cuts.
    """

    prompt: Prompt
    settings: Settings
    seed: int
    world: World
    _rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        sample = (str(self.prompt.draw),) if self.settings.drawn else ()
        self._rng = generator(self.seed, "write", self.prompt.system or "", self.prompt.text, *sample)

    def refusal(self, group: str = "") -> Written | None:
        """A refusal, as often as the world declares for this group of prompts (X, Y) or for all; None otherwise."""
        if self._rng.random() >= self.world.refused(group):
            return None
        return self.put(self._one_of(_REFUSALS))

    def story(self, masculine: float, *, neither: float = 0.0) -> Written:
        """A few sentences about a man, with this probability, or a woman.

        With the probability ``neither`` they are in the first person and show no gender.
        """
        unnamed, man = self._rng.random(2)
        own = _FORMS["" if unnamed < neither else "masculine" if man < masculine else "feminine"]
        forms = {**own, **{name.capitalize(): form.capitalize() for name, form in own.items()}}
        return self.put(" ".join(self._one_of(some).format(**forms) for some in (_STARTS, _MIDDLES, _ENDS)))

    def figure(self, log_mean: float, sd: float = 0.1, form: str = "${:,.0f}") -> Written:
        """A sentence with a number whose natural logarithm is normal; ``form`` writes it."""
        value = math.exp(log_mean + sd * float(self._rng.standard_normal()))
        return self.put(self._one_of(_FIGURES).format(form.format(value)))

    def put(self, text: str) -> Written:
        """Any text as this prompt's answer."""
        words = text.split()
        whole = len(words) <= self.settings.max_tokens
        if not whole:
            text = " ".join(words[: self.settings.max_tokens])
        count = min(len(words), self.settings.max_tokens)
        return as_written(self.prompt, text, "stop" if whole else "length", count)

    def _one_of(self, texts: tuple[str, ...]) -> str:
        return texts[int(self._rng.integers(len(texts)))]
