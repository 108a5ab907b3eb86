"""Options of FISE and GG-FISE, and the conventions that they settle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from biascore.api.metrics import Draws, Model, Scalar
from biascore.designs.bounds import Bound
from biascore.designs.words import LevelOptions


class PlacementOptions(LevelOptions):
    """What FISE and GG-FISE share; each option changes a number and is stated in every measurement.

    ``affect_model``: the model in which affect is measured, whatever model is tested; None is the tested model
    where it is one of word vectors, and no affect elsewhere; "self" is the tested model, whatever it is.
    ``axis_tolerance``: a word whose score on a dimension is no further from 0 lies on an axis, in no group.
    ``draws``: random labellings behind every p-value that is not exact.
    ``bound``: a distance from even whose whole interval is within it counts as negligible (a share of words).
    ``min_words``: a group with fewer gets a warning. ``top``: how many words of a group are ranked.
    """

    affect_model: str | None = None
    axis_tolerance: float = Field(default=0.0, ge=0, lt=2)
    draws: Draws = 10_000
    bound: Bound = 0.1
    min_words: int = Field(default=10, ge=0)
    top: int = Field(default=10, ge=0)

    def conventions(self, model: Model, own: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """What a reader must know to compute the same numbers: the metric's own conventions and the options."""
        return {
            **own,
            "score on a dimension": "mean cosine with A - mean cosine with B",
            "group of a word": "the signs of its scores; above 0 is the side of A",
            "on an axis": f"a score within {self.axis_tolerance:g} of 0; such words are in no group and no share",
            "share of a group": "of the words in any group",
            "positive affect": "score above 0; a score of 0 is not positive",
            "item value": "projection on the diagonal of the word's group",
            "permuted": "labels of attribute words: forms of one word together, counterparts with each other",
            "valid p-values": "weak inequality, the observed labelling counted",
            "deciding p-value": "of each mean bias, the larger of labels permuted and words; smallest, Holm-adjusted",
            "equal tightness": "(1 - q) mean cosine with A - (1 + q) mean cosine with B, q from the cosines within A and B",
            "draws where not exact": self.draws,
            "error of a mean": "by clusters of target words, CR2; attribute words stay fixed",
            "interval of a share": "t, CR2 by clusters, within 0 and 1; Wilson of words that are each on their own",
            "interval of the distance": "all distributions within the reach of a multinomial sample of the effective words",
            **self.level_conventions(model),
        }


class FiseOptions(PlacementOptions):
    """``forms``: of targets given in two forms use the first (the masculine one in the Italian lists), or both."""

    forms: Literal["first", "both"] = "first"


class GgFiseOptions(PlacementOptions):
    """``mean``: of the two forms' vectors as the model gives them, or of these scaled to length 1."""

    mean: Literal["raw", "unit"] = "raw"
