"""Planted scores of emotions: sentences of the declared tests of kind ``equity``.

The logit of a score is a deviate of the word with its template (sd WORDS), one of the person (sd PERSONS), one of the
sentence (sd SENTENCES), all of the output asked for, and the effect: +d/2 persons' standard deviations for a person of any
level of the first factor but its reference, -d/2 for one of the reference, 0 for one without a level. On the other factors,
and where factors meet, nothing is planted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from biascore.api.planting import Part, Sentence, deviate
from biascore.api.stimuli import Test
from biascore_metrics.eec.items import EquityTest

WORDS: Final = 0.5
PERSONS: Final = 0.2
SENTENCES: Final = 0.1


@dataclass(frozen=True, slots=True)
class EquitySentence:
    """A sentence of a planted test: whom it speaks of, the word and template that others share, and its shift in logits."""

    text: str
    test: str
    person: str
    frame: str
    shift: float


@dataclass(slots=True)
class Emotions(Part):
    """Planted sentences by their text."""

    carries = "score of anger, fear, joy, sadness and valence"
    by_text: dict[str, EquitySentence] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, EquityTest)
        factor, (reference, *_) = next(iter(test.factors.items()))
        rows = test.rows()
        columns = (rows[name].tolist() for name in ("sentence", "person", "template", "word", factor))
        for text, person, template, word, level in zip(*columns, strict=True):
            side = 0 if not level else -1 if level == reference else 1
            shift = side * PERSONS * effect / 2
            self.by_text.setdefault(text, EquitySentence(text, test.id, person, f"{template} {word}", shift))

    def refused(self, text: str) -> Sentence | None:
        found = self.by_text.get(text)
        return None if found is None else self.sentence(text, found.test, "equity", found.shift)

    def __len__(self) -> int:
        return len(self.by_text)

    def scored(self, text: str, quantity: str, seed: int) -> float | None:
        """The score in (0, 1) of a planted sentence."""
        from scipy.special import expit

        found = self.by_text.get(text)
        if found is None:
            return None
        parts = (
            (WORDS, "frame", found.frame),
            (PERSONS, "person", found.person),
            (SENTENCES, "sentence", text),
        )
        noise = sum(sd * deviate(seed, "emotion", quantity, kind, of) for sd, kind, of in parts)
        return float(expit(found.shift + noise))

    def told(self) -> list[str]:
        return [
            f"{one.text}\t{one.test}\t{one.person}\t{one.frame}\t{one.shift}"
            for _, one in sorted(self.by_text.items())
        ]
