"""LPBS: how much more probable does an attribute make the words of X than those of Y?

Kurita, Vyas, Pareek, Black & Tsvetkov 2019, GeBNLP, section 2; equations 4-6 of Puttick & Kurpicz-Briki 2025.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from biascore.api.metrics import Caveat, Context, Estimate, Model, Scalar, Test
from biascore.designs.crossed import ATTRIBUTES, ROLES, TARGETS, Crossed
from biascore.designs.effect import EFFECT
from biascore.designs.words import distinct_words
from biascore_metrics.lpbs.causal import CausalLpbs
from biascore_metrics.lpbs.filled import Filled
from biascore_metrics.lpbs.options import LpbsOptions
from biascore_metrics.lpbs.templates import REFERENCE, InTemplates

DROPPED: Final = "the tokenizer drops all of its characters"
UNLIKE_LENGTHS: Final = 0.3
"""Lists whose words differ by so many sub-tokens on average get a caveat."""
READINGS: Final = {"sum": "the mean over sub-tokens", "mean": "the sum over sub-tokens"}
"""By the option ``subtokens``, the reading that it is not."""


class Lpbs(InTemplates):
    """LPBS on masked language models; the headline is the effect size d of associations in nats."""

    summary = "Log Probability Bias Score: WEAT on log-probabilities of words, on a masked or causal model"
    reference = REFERENCE
    requires = frozenset({"mask_logprob"})
    causal = CausalLpbs
    item_value = "mean difference of the increased log-probability, nats"
    other_readings = tuple(READINGS.values())
    asked_per_cell = 2

    def __init__(self, options: LpbsOptions) -> None:
        super().__init__(options)
        self._reading = READINGS[options.subtokens]

    def associate(self, model: Model, test: Test, context: Context) -> Crossed:
        """asc(x, a) = log p_tgt - log p_prior in nats, for every template, in one call, and the mean over templates.

        ``source`` has those of each of several templates, and the mean with the other reading of a target's sub-tokens.
        A word is lost that the tokenizer drops, and, where the model can also embed, one that it knows nothing of,
        because the probability of an unknown token says nothing of the word.
        """
        options, templates = self.options, self.options.of(test)
        kept, lost = distinct_words({role: test.roles[role].words for role in ROLES}, options)
        targets, attributes = self.asked(kept, TARGETS), self.asked(kept, ATTRIBUTES)
        queries = [
            query
            for template in templates
            for _, target in targets
            for _, attribute in attributes
            for query in Filled.of(template, target, attribute).questions()
        ]
        answers = model.mask_logprob(queries, unread="empty")
        shape = len(templates), len(targets), len(attributes), 2
        total = np.array([one.total if one.tokens else math.nan for one in answers]).reshape(shape)
        count = np.array([len(one.tokens) for one in answers]).reshape(shape)
        readings = {"sum": total, "mean": total / np.maximum(count, 1)}
        dropped = np.isnan(total[..., 0]).any(axis=(0, 2))
        # With its target read, a prior that is not there lacks its attribute.
        priors = np.isnan(total[..., 1][:, ~dropped]).any(axis=(0, 1))
        gone = [*zip(targets, dropped, strict=True), *zip(attributes, priors, strict=True)]
        reasons = {word: DROPPED for word, is_gone in gone if is_gone}
        self.add_unknown(model, (*targets, *attributes), reasons)
        rows, columns = (
            [i for i, word in enumerate(some) if word not in reasons] for some in (targets, attributes)
        )
        asc = {name: (of[..., 0] - of[..., 1])[:, rows][:, :, columns] for name, of in readings.items()}
        n_tokens = count[..., 0].max(axis=(0, 2))[rows]
        words, coverage = self.covered(test, kept, lost, (*targets, *attributes), reasons)
        own = asc[options.subtokens]
        parts = dict(zip(map(repr, templates), own, strict=True)) if len(own) > 1 else {}
        if n_tokens.max(initial=0) >= 2:
            parts[self._reading] = asc["mean" if options.subtokens == "sum" else "sum"].mean(axis=0)
        return Crossed(
            words,
            own.mean(axis=0),
            coverage,
            columns={"n_tokens": n_tokens.tolist()},
            source=parts,
        )

    def caveats(self, model: Model, found: Crossed, further: Sequence[Estimate]) -> tuple[Caveat, ...]:
        """That longer targets add up more of whatever raises every sub-token, where X and Y are not alike long."""
        n_tokens, cut = np.array(found.columns["n_tokens"]), len(found.words["X"])
        x, y = (float(own.mean()) if len(own) else 0.0 for own in (n_tokens[:cut], n_tokens[cut:]))
        beside = [one for one in further if one.name == f"{EFFECT} with {self._reading}"]
        if self.options.subtokens == "mean" or not beside or abs(x - y) < UNLIKE_LENGTHS:
            return ()
        value = "not estimable" if beside[0].value is None else f"{beside[0].value:.3g}"
        text = (
            f"words of X have {x:.3g} sub-tokens, those of Y {y:.3g}; what A raises more than B in every sub-token adds up "
            f"over them, so that longer words seem associated without a bias: read the {beside[0].name} ({value}), "
            "or measure with subtokens=mean"
        )
        return (Caveat(text, short="the target words also differ in length"),)

    def stated(self, model: Model, test: Test, context: Context) -> Mapping[str, Scalar]:
        """What an association and a score are, and over what they are averaged."""
        options, against = self.options, self.against
        return {
            "association": "asc(x, a) = ln p(x | a in sight) - ln p(x | a hidden too), x hidden in both",
            "item value": f"s = mean asc with {against[0]} - mean asc with {against[1]}",
            "log-probability of a word": f"{options.subtokens} over its sub-tokens, all hidden at once",
            "hidden attribute": "as many masks as it has sub-tokens",
            **self.templates_stated(test),
        }
