"""Mean average cosine similarity."""

import numpy as np
from biascore.api.metrics import Test
from biascore.designs import Clustered, ClusteredMetric, ClusteredOptions, WordOptions, embed_words


class MacOptions(WordOptions, ClusteredOptions):
    """Which words are used, and the bound within which an effect is negligible."""


class Mac(ClusteredMetric[MacOptions, Test]):
    """How near the targets T are to sets of attributes: the mean over targets and sets of the mean cosine."""

    name = "mac"
    summary = "mean average cosine similarity of targets and sets of attributes"
    use = "associates"
    reference = "Manzini, Yao Chong, Tsvetkov & Black 2019, NAACL-HLT, 615-621"
    requires = frozenset({"embed"})
    kinds = frozenset({"mac"})
    estimate, unit, item_value = "MAC", "cosine", "cosine of a target with an attribute"

    def score(self, model, test, context):
        """The cosine of every target with every attribute: both are samples of words, and sets are not."""
        lists = {role: words.words for role, words in test.roles.items()}
        found = embed_words(model, lists, "sentence", self.options)
        sets = [role for role in lists if role != "T"]
        cosines = found.cosines(["T"], sets)
        targets, attributes = found.words["T"], [word for role in sets for word in found.words[role]]
        clusters = {
            "targets": np.repeat(targets, len(attributes)),
            "sets": np.tile([role for role in sets for _ in found.words[role]], len(targets)),
            "attributes": np.tile(attributes, len(targets)),
        }
        group = np.full(cosines.size, "T")
        return Clustered(cosines.ravel(), group, clusters, ("targets", "attributes"), coverage=found.coverage)
