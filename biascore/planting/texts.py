"""Texts that a planted model writes: a few sentences about a person, a number, or a refusal, from a small grammar."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from biascore.models.questions.writing import Prompt, Settings, Written, as_written
from biascore.planting.lexicon import generator
from biascore.planting.phrases import Phrases, phrases_of
from biascore.planting.world import World


@dataclass(slots=True)
class PlantedText:
    """The text to one prompt; a `Part` calls ``refusal``, and then ``story`` or ``figure``.

    What is drawn depends on the seed of the model and the prompt, at a temperature above 0 on its sample, too: at
    temperature 0 all samples are one text, and prompts differ all the same. A word is a token, and ``max_tokens`` cuts.
    ``language``: the tag of the test; raises QuestionError for one without `PHRASES`.
    """

    prompt: Prompt
    settings: Settings
    seed: int
    world: World
    language: str = "en"
    _phrases: Phrases = field(init=False)
    _rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._phrases = phrases_of(self.language)
        sample = (str(self.prompt.draw),) if self.settings.drawn else ()
        self._rng = generator(self.seed, "write", self.prompt.system or "", self.prompt.text, *sample)

    def refusal(self, group: str = "") -> Written | None:
        """A refusal, as often as the world declares for this group of prompts (X, Y) or for all; None otherwise."""
        if self._rng.random() >= self.world.refused(group):
            return None
        return self.put(self._one_of(self._phrases.refusals))

    def story(self, masculine: float, *, neither: float = 0.0) -> Written:
        """A few sentences about a man, with this probability, or a woman.

        With the probability ``neither`` they are in the first person and show no gender.
        """
        unnamed, man = self._rng.random(2)
        phrases = self._phrases
        if unnamed < neither:
            return self.put(" ".join(map(self._one_of, phrases.first)))
        gender = "masculine" if man < masculine else "feminine"
        own = phrases.forms[gender]
        forms = {**own, **{name.capitalize(): form.capitalize() for name, form in own.items()}}
        if phrases.names:
            forms["name"] = self._one_of(phrases.names[gender])
        return self.put(" ".join(self._one_of(some).format(**forms) for some in phrases.story))

    def figure(self, log_mean: float, sd: float = 0.1, form: str = "") -> Written:
        """A sentence with a number whose natural logarithm is normal; ``form`` writes it, else it has no unit."""
        value = math.exp(log_mean + sd * float(self._rng.standard_normal()))
        number = form.format(value) if form else self._phrases.amount(value)
        return self.put(self._one_of(self._phrases.figures).format(number))

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
