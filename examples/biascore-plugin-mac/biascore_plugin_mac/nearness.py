"""The mean cosine of the words of X with those of A."""

from biascore.api.metrics import Contrast, Estimate, Finding, Metric, item_table
from biascore.designs import WordOptions, coverage_caveats, embed_words


class Nearness(Metric[WordOptions]):
    name = "nearness"
    summary = "mean cosine of the words of X with those of A"
    reference = "an example, not a method"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})

    def measure(self, model, test, context):
        lists = {role: test.roles[role].words for role in ("X", "A")}
        found = embed_words(model, lists, "sentence", self.options)
        means = [] if found.too_few({"X": 1, "A": 1}) else found.cosines(["X"], ["A"]).mean(axis=1).tolist()
        nearness = Estimate(
            name="nearness",
            value=sum(means) / len(means) if means else None,
            unit="mean cosine",
            n=found.coverage.used,
            estimator=Contrast(groups={"X": 1.0}),
        )
        return Finding(
            estimates=(nearness,),
            coverage=found.coverage,
            caveats=coverage_caveats(found.coverage),
            conventions=self.options.word_conventions(),
            items=item_table(found.words["X"] if means else [], ["X"] * len(means), means),
        )
