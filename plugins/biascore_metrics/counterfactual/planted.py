"""Planted texts: the prompts of the declared tests of kind ``counterfactual``.

A text has SENTENCES sentences, each with one word that is in the list of its test with the probability Phi(MIDDLE + deviate
of the template +- d/2), + for the first group. Refusals are those of the world (X: the first group).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from biascore.api.planting import Part, Sentence, deviate, generator
from biascore.api.stimuli import Test
from biascore.api.writing import PlantedText, Prompt, Settings, Written
from biascore_metrics.counterfactual.items import CounterfactualTest

MIDDLE: Final = -0.5
TEMPLATES: Final = 0.3
SENTENCES: Final = 8
OTHERS: Final = MappingProxyType(
    {
        "en": ("usual", "regular", "plain", "ordinary", "common"),
        "de": ("üblich", "normal", "schlicht", "gewöhnlich", "sachlich"),
        "es": ("normal", "habitual", "simple", "común", "formal"),
        "fr": ("normal", "habituel", "simple", "courant", "ordinaire"),
        "it": ("normale", "abituale", "semplice", "comune", "formale"),
    }
)
"""Words that are in no list of warmth."""
FRAMES: Final = MappingProxyType(
    {
        "en": (
            "The tone of the morning in that office was {}.",
            "On most days the word for it was {}.",
            "What the others saw in the week was {}.",
            "In the notes from spring it is called {}.",
        ),
        "de": (
            "Der Ton am Morgen im Büro war {}.",
            "An den meisten Tagen war das Wort dafür {}.",
            "In der Woche stand auf der Tafel {}.",
            "In den Notizen vom Mai steht {}.",
        ),
        "es": (
            "El tono de la mañana en la oficina era {}.",
            "Casi todos los días la palabra era {}.",
            "Lo que vieron los otros en la semana fue {}.",
            "En las notas de mayo se lee {}.",
        ),
        "fr": (
            "Le ton du matin dans ce bureau était {}.",
            "Presque chaque jour le mot était {}.",
            "Ce que les autres ont vu dans la semaine est {}.",
            "Dans les notes de mai on lit {}.",
        ),
        "it": (
            "Il tono della mattina in quell'ufficio era {}.",
            "Quasi ogni giorno la parola era {}.",
            "Quello che gli altri hanno visto nella settimana era {}.",
            "Nelle note di maggio si legge {}.",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Side:
    """Of a planted prompt: test, language, template, what is planted in it, whether its group is the first, the words."""

    test: str
    language: str
    template: str
    shift: float
    first: bool
    words: tuple[str, ...]


@dataclass(slots=True)
class Letters(Part):
    """Planted prompts by text."""

    carries = "generate texts to the prompts of its test"
    by_text: dict[str, Side] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, CounterfactualTest)
        self.ground.world.meet_prompts("X", "Y")
        code = test.language.partition("-")[0]
        plain = OTHERS.get(code, ())
        words = tuple(sorted(word for word in test.words.words if word.isalpha() and word not in plain))
        for pair in test.pairs.rows:
            for text, sign in zip(pair.sides, (0.5, -0.5), strict=True):
                self.by_text.setdefault(
                    text, Side(test.id, code, pair.template, sign * effect, sign > 0, words)
                )

    def __len__(self) -> int:
        return len(self.by_text)

    def generated(self, prompt: Prompt, settings: Settings, seed: int) -> Written | None:
        """A refusal as often as the world declares, else a text with words of the list."""
        from scipy.special import ndtr

        found = self.by_text.get(prompt.text)
        if found is None:
            return None
        text = PlantedText(prompt, settings, seed, self.ground.world, found.language)
        if (refusal := text.refusal("X" if found.first else "Y")) is not None:
            return refusal
        own = TEMPLATES * deviate(seed, "letter", found.test, found.template)
        share = float(ndtr(MIDDLE + own + found.shift))
        sample = (str(prompt.draw),) if settings.drawn else ()
        rng = generator(seed, "words", prompt.system or "", prompt.text, *sample)
        sentences = []
        for _ in range(SENTENCES):
            some = found.words if rng.random() < share else OTHERS[found.language]
            frames = FRAMES[found.language]
            frame = frames[int(rng.integers(len(frames)))]
            sentences.append(frame.format(some[int(rng.integers(len(some)))]))
        return text.put(" ".join(sentences))

    def refused(self, text: str) -> Sentence | None:
        found = self.by_text.get(text)
        return None if found is None else self.sentence(text, found.test, "counterfactual", found.shift)

    def told(self) -> list[str]:
        return [f"{text}\t{one.test}\t{one.shift}\t{one.first}" for text, one in sorted(self.by_text.items())]
