"""How many words of X lie nearer to A than to B."""

from __future__ import annotations

from biascore.api.metrics import Context, Coverage, Estimate, Finding, Metric, Model, Test, item_table


class NearestRate(Metric):
    """The share of X that lies nearer to the mean of A than to the mean of B; it tests nothing."""

    name = "nearest-rate"
    summary = "share of X nearer to A than to B"
    reference = "none"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """The share, without a p-value."""
        words = {role: test.roles[role].words for role in ("X", "A", "B")}
        x, a, b = (model.embed(words[role]) for role in ("X", "A", "B"))
        nearer = x @ a.mean(axis=0) > x @ b.mean(axis=0)
        counts = {role: len(some) for role, some in words.items()}
        return Finding(
            estimates=(
                Estimate(name="nearest rate", value=float(nearer.mean()), unit="share", n={"X": len(x)}),
            ),
            coverage=Coverage(given=counts, used=counts),
            conventions={"similarity": "scalar product"},
            items=item_table(words["X"], ["X"] * len(x), [float(n) for n in nearer]),
        )
