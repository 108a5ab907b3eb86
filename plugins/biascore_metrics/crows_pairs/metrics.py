"""CrowS-Pairs: of two sentences that differ in a group, does the model prefer the more stereotypical one?

Nangia, Vania, Bhalerao & Bowman 2020, EMNLP, 1953-1967; equations 7-10 of Puttick & Kurpicz-Briki 2025.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, Literal

from biascore.api.metrics import Model, Scalar
from biascore.designs.pairs.lengths import lengths_of, unit_of_length
from biascore.designs.pairs.metric import RULE, PairMetric
from biascore.designs.pairs.options import PairOptions
from biascore.designs.pairs.scores import EQUAL, Paired, ScoredPair
from biascore.designs.pairs.test import SentencePair
from biascore_metrics.crows_pairs.masked import masked_conventions, masked_scores

OF_BOTH: Final = (
    f"{RULE}; on a causal model never where sent_more is mostly the longer or the shorter sentence."
)


class CrowsPairsOptions(PairOptions):
    """``pll``: what is hidden with a token: nothing else (as published), or the later tokens of its word.

    ``model_kind``: whether a model is asked as a masked or as a causal language model; auto: as a masked one, if it can.
    """

    model_kind: Literal["auto", "masked", "causal"] = "auto"
    pll: Literal["original", "within_word_l2r"] = "original"


class CausalCrowsPairs(PairMetric[CrowsPairsOptions]):
    """CrowS-Pairs on a causal language model: log-likelihood of the whole sentences."""

    name = "crows-pairs"
    summary = "CrowS-Pairs sentences on a causal model, compared by their whole log-likelihood"
    reference = "Nangia, Vania, Bhalerao & Bowman 2020, EMNLP, 1953-1967 (data; the score differs)"
    rule = OF_BOTH
    requires = frozenset({"score"})
    score = "log-likelihood"
    column = "log_likelihood"
    length_counts = True
    of_model = ("lengths",)
    has_published = False
    idle_options = MappingProxyType({"pll": "nothing is hidden from a causal model"})

    def scores(self, model: Model, pairs: tuple[SentencePair, ...]) -> tuple[Paired, tuple[str, ...]]:
        """Ask for the log-likelihood of both sentences."""
        asked = [pair for pair in pairs if pair.sent_more != pair.sent_less]
        texts = [sentence for pair in asked for sentence in (pair.sent_more, pair.sent_less)]
        answers = iter(map(float, model.score(texts, "log_likelihood", in_nats=True)))
        lengths = iter(lengths_of(model, texts))
        scored = [
            ScoredPair.of(pair, more, less, self.options.decimals, lengths=(own, other))
            for pair, more, less, own, other in zip(asked, answers, answers, lengths, lengths, strict=True)
        ]
        lost = tuple((pair, EQUAL) for pair in pairs if pair.sent_more == pair.sent_less)
        return Paired(tuple(scored), lost), ()

    def own_conventions(self, model: Model) -> dict[str, Scalar]:
        """What is summed, and in what lengths are counted."""
        return {
            "score": "log-likelihood of the whole sentence, natural logarithm, not divided by its length",
            "lengths": f"counted in {unit_of_length(model)}; inconclusive where sent_more is the longer sentence more or "
            "less often than the shorter one (sign test)",
        }


class CrowsPairs(PairMetric[CrowsPairsOptions]):
    """CrowS-Pairs: on a masked language model by the pseudo-log-likelihood of the tokens that both sentences share."""

    name = "crows-pairs"
    summary = "CrowS-Pairs: share of pairs whose more stereotypical sentence a masked or causal model prefers"
    use = "prefers"
    reference = "Nangia, Vania, Bhalerao & Bowman 2020, EMNLP, 1953-1967"
    rule = OF_BOTH
    causal = CausalCrowsPairs
    requires = frozenset({"mask_logprob"})
    score = "PLL"
    column = "pll"
    has_published = True

    def scores(self, model: Model, pairs: tuple[SentencePair, ...]) -> tuple[Paired, tuple[str, ...]]:
        """Ask for every token of both sentences, hidden in its turn, and add up those that both share."""
        return masked_scores(model, pairs, self.options.pll, self.options.decimals)

    def own_conventions(self, model: Model) -> dict[str, Scalar]:
        """What is summed, what is hidden, and the order of matching."""
        return masked_conventions(self.options.pll)
