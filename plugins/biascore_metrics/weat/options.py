"""Options that WEAT and SC-WEAT share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from biascore.plugins_api import MetricOptions, Model, Scalar


class WeatOptions(MetricOptions):
    """Conventions of WEAT, each of which changes a number and is stated in every measurement.

    ``level``: embed each word as a text of its own, or as a token within it (contextual models).
    ``ddof``: of the effect size's denominator; 1 is Caliskan 2017's, 0 WEFE's and BFH-AMI/BIAS's.
    ``alternative``: the p-value that decides. An audit does not know in advance which way a bias
    runs, so the default is two-sided; the papers' tests are one-sided ("greater").
    ``permutation``: count all partitions, or draw ``draws`` of them; "auto" counts where it can.
    ``duplicates``: a word repeated within a list is no second observation, so it counts once;
    "keep" reproduces published numbers from lists that repeat words.
    ``bound``: an effect whose whole interval lies within it counts as negligible (Cohen's small effect).
    """

    level: Literal["sentence", "token"] = "sentence"
    ddof: Literal[0, 1] = 1
    alternative: Literal["two-sided", "greater"] = "two-sided"
    permutation: Literal["auto", "exact", "monte-carlo"] = "auto"
    draws: int = Field(default=100_000, ge=1)
    duplicates: Literal["drop", "keep"] = "drop"
    bootstrap: Literal["studentized", "bca", "percentile"] = "studentized"
    resamples: int = Field(default=5000, ge=100)
    bound: float | None = Field(default=0.2, gt=0)

    def conventions(self, model: Model, own: Mapping[str, str]) -> dict[str, Scalar]:
        """What a reader must know to compute the same numbers: the metric's own conventions and the options."""
        return {
            **own,
            "ddof of the sd": self.ddof,
            "valid p-values": "weak inequality, the observed partition counted",
            "permutation": self.permutation,
            "draws where not exact": self.draws,
            "bootstrap": f"{self.bootstrap}, {self.resamples} resamples",
            "equivalence bound": self.bound,
            "alpha": self.alpha,
            "duplicates": self.duplicates,
            "embedding level": self.level,
            "vector of a text": model.identity.sentence_vector,
        }
