"""How many words of X lie nearer to A than to B."""

from __future__ import annotations

from typing import ClassVar

from biascore.plugins_api import (
    Context,
    Coverage,
    Estimate,
    Measurement,
    Metric,
    MetricOptions,
    Model,
    Test,
    item_table,
)
from biascore.stats import Verdict


class NearestRate(Metric):
    """The share of X that lies nearer to the mean of A than to the mean of B; it tests nothing."""

    name: ClassVar[str] = "nearest-rate"
    summary: ClassVar[str] = "share of X nearer to A than to B"
    reference: ClassVar[str] = "none"
    requires: ClassVar[frozenset[str]] = frozenset({"embed"})
    kinds: ClassVar[frozenset[str]] = frozenset({"weat"})

    def __init__(self, options: MetricOptions) -> None:
        """Take the options, of which none is used."""

    def measure(self, model: Model, test: Test, context: Context) -> Measurement:
        """The share, without a p-value."""
        words = {role: test.roles[role].words for role in ("X", "A", "B")}
        x, a, b = (model.embed(words[role]) for role in ("X", "A", "B"))
        nearer = x @ a.mean(axis=0) > x @ b.mean(axis=0)
        counts = {role: len(some) for role, some in words.items()}
        return Measurement(
            metric=self.name,
            test=test.id,
            test_title=test.title,
            language=test.language,
            concept=test.concept,
            model=model.name,
            positive_means=test.positive_means,
            estimates=(
                Estimate(name="nearest rate", value=float(nearer.mean()), unit="share", n={"X": len(x)}),
            ),
            verdict=Verdict.INCONCLUSIVE,
            reason="It tests nothing.",
            coverage=Coverage(given=counts, used=counts),
            conventions={"similarity": "scalar product"},
            seed=context.seed,
            items=item_table(words["X"], ["X"] * len(x), [float(n) for n in nearer]),
        )
