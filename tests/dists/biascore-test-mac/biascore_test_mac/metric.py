"""Mean average cosine distance, by somebody who knows only the pages of biascore."""

import numpy as np

from biascore.designs import Crossed, MeanMetric, embed_words


class Mac(MeanMetric):
    """How far the targets T are from the sets of attributes, on average."""

    name = "mac"
    summary = "mean average cosine distance of targets from sets of attributes"
    reference = "Manzini, Yao Chong, Tsvetkov & Black 2019, NAACL-HLT, 615-621"
    requires = frozenset({"embed"})
    kinds = frozenset({"mac"})
    estimate, unit, neutral = "MAC", "cosine distance", 1.0

    def associate(self, model, test, context):
        """The cosines of the targets with the words of every set."""
        lists = {role: words.words for role, words in test.roles.items()}
        found = embed_words(model, lists, "sentence", self.options)
        cosines = found.cosines(["T"], [role for role in lists if role != "T"])
        return Crossed(found.words, cosines, found.coverage, found.vectors)

    def scores(self, found):
        """Of each target the distance from a set, the mean over its words; and of these the mean over the sets."""
        sizes = [len(words) for role, words in found.words.items() if role != "T"]
        sets = np.split(1 - found.table, np.cumsum(sizes)[:-1], axis=1)
        return np.mean([distances.mean(axis=1) for distances in sets if distances.size], axis=0)
