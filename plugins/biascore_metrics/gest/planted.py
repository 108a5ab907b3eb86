"""Planted sentences of GEST.

- kind ``samples``: a sentence about oneself prefers a man as its speaker by +-d/2, + for stereotypes about men: in probits
  for ``translate``, and in decimal log odds of words for men over words for women, plus a normal deviate with sd 1.
- kind ``gender-pairs``: the same log odds, between the two versions of the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable

from biascore.api.planting import TEN, Part, Sentence, deviate
from biascore.api.stimuli import Test
from biascore_metrics.gest.kind import GenderPairsTest, SamplesTest, Stereotype


class Samples(Part):
    """Planted among the sentences, which answer."""

    carries = "translate, and mask_logprob or log_likelihood of words for a man and for a woman around it"

    def plant(self, test: Test, effect: float, seed: int) -> None:
        """Plant a test of kind ``samples``; a sample of two stereotypes carries what the first gives it."""
        assert isinstance(test, SamplesTest)
        signs = _signs(test.samples.stereotypes)
        for sample in test.samples.rows:
            lean = signs[sample.stereotype] * effect / 2
            value = TEN * (lean + deviate(seed, "odds", test.id, sample.sentence))
            self.ground.sentences.add(
                Sentence(sample.sentence, test.id, test.kind, value, lean, carries=self.carries)
            )


class GenderPairs(Part):
    """Planted among the sentences, which answer."""

    carries = "mask_logprob of a word, and log_likelihood"

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, GenderPairsTest)
        signs = _signs(test.pairs.stereotypes)
        for pair in test.pairs.rows:
            odds = TEN * (
                signs[pair.stereotype] * effect / 2 + deviate(seed, "odds", test.id, pair.male, pair.female)
            )
            for text, value in ((pair.male, odds / 2), (pair.female, -odds / 2)):
                self.ground.sentences.add(self.sentence(text, test.id, test.kind, value))


def _signs(stereotypes: Iterable[Stereotype]) -> dict[int, int]:
    return {one.id: 1 if one.gender == "male" else -1 for one in stereotypes}
