"""Planted dimensions: the targets of a test of kind ``fise`` lie on an axis for each, see the lexicon of ``planted:``."""

from __future__ import annotations

from biascore.api.planting import Part
from biascore.api.stimuli import PairList, Test
from biascore_metrics.fise.items import FiseTest


class Dimensions(Part):
    """Planted among the words, which answer."""

    carries = "embed"

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, FiseTest)
        targets = test.targets
        forms = targets.pairs if isinstance(targets, PairList) else [(word,) for word in targets.words]
        dimensions = [(one.name, one.A, one.B) for one in test.dimensions]
        self.ground.words.plant_dimensions(test, forms, dimensions, effect, seed)
