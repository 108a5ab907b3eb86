"""LPBS on causal language models: how much more likely is a target next to A than next to B, for X than for Y?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from biascore.api.metrics import Context, Model, Scalar, Test
from biascore.designs.crossed import ATTRIBUTES, TARGETS, Crossed
from biascore.designs.words import distinct_words
from biascore.errors import OptionsError
from biascore_metrics.lpbs.filled import Filled
from biascore_metrics.lpbs.options import LpbsOptions
from biascore_metrics.lpbs.templates import REFERENCE, InTemplates

NO_LIKELIHOOD: Final = "the model gives no log-likelihood with it"


class CausalLpbs(InTemplates):
    """The association is the log-likelihood of the whole sentence; what a word adds by itself cancels out in d."""

    summary = "LPBS on a causal model: the log-likelihood of sentences with a target and an attribute"
    reference = REFERENCE
    requires = frozenset({"score"})
    item_value = "mean difference of the log-likelihood, nats"

    def __init__(self, options: LpbsOptions) -> None:
        super().__init__(options)
        if options.subtokens != "sum":
            raise OptionsError(f"{self.name}: nothing is hidden from a causal model. Leave subtokens out")

    def associate(self, model: Model, test: Test, context: Context) -> Crossed:
        """asc(x, a) = ln p(sentence with x and a), less its mean over all targets with a, in nats; mean over templates."""
        templates = self.options.of(test)
        kept, lost = distinct_words({role: one.words for role, one in test.roles.items()}, self.options)
        targets, attributes = self.asked(kept, TARGETS), self.asked(kept, ATTRIBUTES)
        texts = [
            Filled.of(template, target, attribute).text
            for template in templates
            for _, target in targets
            for _, attribute in attributes
        ]
        shape = len(templates), len(targets), len(attributes)
        likely = np.array(model.score(texts, "log_likelihood", in_nats=True)).reshape(shape)
        known = np.asarray(np.isfinite(likely).all(axis=0))
        columns = np.asarray(known.any(axis=0))
        rows = np.asarray(known[:, columns].all(axis=1))
        gone = [*zip(targets, rows, strict=True), *zip(attributes, columns, strict=True)]
        reasons = {word: NO_LIKELIHOOD for word, is_known in gone if not is_known}
        self.add_unknown(model, (*targets, *attributes), reasons)
        left, right = (
            [i for i, one in enumerate(some) if one not in reasons] for some in (targets, attributes)
        )
        own = likely[:, left][:, :, right]
        own = own - own.mean(axis=1, keepdims=True) if own.size else own
        words, coverage = self.covered(test, kept, lost, (*targets, *attributes), reasons)
        parts = dict(zip(map(repr, templates), own, strict=True)) if len(own) > 1 else {}
        return Crossed(words, own.mean(axis=0), coverage, source=parts)

    def stated(self, model: Model, test: Test, context: Context) -> Mapping[str, Scalar]:
        """What an association and a score are, and over what they are averaged."""
        against = self.against
        return {
            "association": "asc(x, a) = ln p(sentence with x and a), less its mean over x; what one word adds cancels out",
            "item value": f"s = mean asc with {against[0]} - mean asc with {against[1]}",
            **self.templates_stated(test),
        }
