"""Planted translations: the sources of the declared tests of kind ``geneval``.

A translation is the reference in the gender of the source with probability Phi(LEVEL +- d/2), + for feminine sources and -
for masculine ones, and else the reference in the other gender: d is the difference in probits of the shares correct. Without
references it is a sentence in the first person of either gender.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from biascore.api.planting import Part, Sentence, generator
from biascore.api.stimuli import Test
from biascore_metrics.mt_geneval.items import FEMININE, MASCULINE, SPEAKER, GenevalTest

LEVEL: Final = 1.0
SIGNS: Final = {FEMININE: 0.5, MASCULINE: -0.5}


@dataclass(frozen=True, slots=True)
class Source:
    """A text of a planted test, both references, and how probable, in probits, that of its own gender is."""

    text: str
    test: str
    own: str
    other: str
    lean: float


@dataclass(slots=True)
class Translations(Part):
    """Planted sources by text and target language."""

    carries = "translate to the language of its references"
    by_text: dict[tuple[str, str], Source] = field(default_factory=dict)
    _tests: dict[str, str] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, GenevalTest)
        for line in test.lines.rows:
            lean = LEVEL + SIGNS.get(line.gender, 0.0) * effect
            if test.part == SPEAKER:
                man = lean if line.gender == MASCULINE else -lean
                self.ground.sentences.add(
                    Sentence(line.source, test.id, test.kind, 0.0, man, carries=self.carries)
                )
                continue
            for text in {line.asked(context=True), line.asked(context=False)}:
                source = Source(text, test.id, line.own, line.other, lean)
                self.by_text.setdefault((text, test.target), source)
                self._tests.setdefault(text, test.id)

    def __len__(self) -> int:
        return len(self._tests)

    def translated(self, text: str, target: str, seed: int) -> str | None:
        """The translation of a planted source; None to another language than planted."""
        from scipy.special import ndtr

        found = self.by_text.get((text, target.partition("-")[0]))
        if found is None:
            return None
        kept = generator(seed, "geneval", target, text).random() < ndtr(found.lean)
        return found.own if kept else found.other

    def refused(self, text: str) -> Sentence | None:
        return self.sentence(text, self._tests[text], "geneval") if text in self._tests else None

    def told(self) -> list[str]:
        return [
            f"{one.text}\t{target}\t{one.test}\t{one.own}\t{one.other}\t{one.lean}"
            for (_, target), one in sorted(self.by_text.items())
        ]
