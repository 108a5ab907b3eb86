"""Options that both metrics on sentence pairs share, and those of the masked one."""

from __future__ import annotations

from pydantic import Field

from biascore.basics.frozen import Scalar
from biascore.designs.bounds import Bound
from biascore.metric import MetricOptions


class ComparedOptions(MetricOptions):
    """``decimals``: scores are rounded to so many before they are compared, as the published code does; None as they are."""

    decimals: int | None = Field(default=3, ge=0, le=12)


class PairOptions(ComparedOptions):
    """Conventions that change a number, each stated in every measurement.

    ``bound``: percentage points around 50 within which the whole interval of the share counts as
    negligible; 5 is Cohen's h = 0.1, half a small effect, which 39 % of sets of 600 even pairs can show and 95 % of those
    of 1508.
    """

    bound: Bound = Field(default=5.0, gt=0, lt=50)

    def conventions(self) -> dict[str, Scalar]:
        """What a reader must know to compute the same numbers."""
        rounding = "not rounded" if self.decimals is None else f"rounded to {self.decimals} decimals"
        return {
            "compared": f"scores {rounding}; equal ones are neutral",
            "B": "100 x pairs whose sent_more scores higher / all pairs, neutral ones included",
            "B-, B+": "pairs marked stereo, pairs marked antistereo (Puttick & Kurpicz-Briki 2025, B.4)",
            "interval of B": "Wilson; where templates have several pairs that of a t test with CR2 by template",
            "p of B": "exact two-sided binomial test of 1/2 on the pairs with a preference, or that t test of them",
            "templates": "pairs of one template change sides together in the test of a share, and intervals are by the "
            "variance between templates",
            "mean difference": "t with a robust error: HC3; CR2 by template where templates have several pairs",
            "negligible": "unless a bias type, B-, B+ or the mean difference, Holm over these parts, is significant "
            "and its own interval is not within the bound (of the mean: the z of 50 % + bound, in standard deviations)",
        }
