"""Planted answers to StereoSet.

Stereotype and anti-stereotype differ by the effect d plus a normal deviate with sd 1, in nats for each token; what is
unrelated is far below both.
"""

from __future__ import annotations

from typing import Final

from biascore.api.planting import TOKEN, AfterAPrompt, deviate
from biascore.api.stimuli import Test
from biascore_metrics.stereoset.items import StereoSetTest, Triple

EACH: Final = -6.0
"""Log-probability, in nats, of each token of a stereotype and an anti-stereotype, on average."""
FAR: Final = 2 * EACH
"""Log-probability of each token of unrelated text."""


class StereoSet(AfterAPrompt):
    """Planted triples."""

    carries = "mask_logprob of the word in the blank, and log_likelihood of sentences, after a context if there is one"

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, StereoSetTest)
        for triple in test.samples.rows:
            gap = effect + deviate(seed, "triple", test.id, triple.item)
            for place, value in enumerate((EACH + gap / 2, EACH - gap / 2, FAR)):
                self._fill(test, triple, place, value)

    def _fill(self, test: Test, triple: Triple, place: int, value: float) -> None:
        sentence = triple.sentences[place]
        if not triple.words:
            self.options(test, triple.context).setdefault(sentence, value * len(sentence.split()))
            return
        self.know(test, sentence)
        self.whole.setdefault(sentence, value)
        filled, start = triple.filled(place), triple.start
        end = start + len(triple.words[place])
        # Asked sub-token by sub-token, the rest of the word is absent.
        for token in TOKEN.finditer(triple.words[place]):
            text = filled[: start + token.end()] + filled[end:]
            self.know(test, text)
            self.hidden.setdefault(text, ((start, start + token.end()), value))
