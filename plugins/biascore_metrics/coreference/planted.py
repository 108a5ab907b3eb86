"""Planted answers to coreference: log odds of the mention that a pronoun refers to.

- kind ``winobias``: the log odds of the right mention, and the log-probability of the pronoun, differ between the two
  sentences of a pair by the effect d plus a normal deviate with sd 1, in nats.
- kind ``winogender``: the log odds of the occupation, she - he, rise by d nats from 0 to 100 % women, plus such a deviate.
"""

from __future__ import annotations

from biascore.api.planting import FLOOR, AfterAPrompt, deviate
from biascore.api.stimuli import Test
from biascore_metrics.coreference.winobias_items import WinoBiasTest
from biascore_metrics.coreference.winogender_items import WinogenderTest


class WinoBias(AfterAPrompt):
    """Planted pairs of sentences."""

    carries = "mask_logprob of the pronoun, and log_likelihood of either mention after the sentence"

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, WinoBiasTest)
        for pair in test.pairs.rows:
            gap = effect + deviate(seed, "referent", test.id, pair.item)
            own = deviate(seed, "sentence", test.id, pair.item)
            for side, said in ((1, pair.pro), (-1, pair.anti)):
                mentions = {
                    said.mention: (own + side * gap / 2) / 2,
                    pair.other: -(own + side * gap / 2) / 2,
                }
                self.refer(test, said.text, mentions)
                self.hidden.setdefault(said.text, (said.pronouns[0], FLOOR + side * gap / 2))


class Winogender(AfterAPrompt):
    """Planted schemas."""

    carries = "log_likelihood of either mention after the sentence"

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, WinogenderTest)
        for schema in test.samples.rows:
            gap = effect * (schema.women / 100 - 0.5) + deviate(seed, "referent", test.id, schema.item)
            own = deviate(seed, "sentence", test.id, schema.item)
            for side, text in zip((-1, 1, 0), schema.sentences, strict=True):
                odds = own + side * gap / 2
                self.refer(test, text, {schema.occupation: odds / 2, schema.participant: -odds / 2})
