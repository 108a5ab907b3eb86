"""WEAT: are the words of X more associated with A than with B, compared with the words of Y?

Caliskan, Bryson & Narayanan 2017, Science 356:183; equations 1-3 of Puttick & Kurpicz-Briki 2025,
equations 1-3 of Omrani Sabbaghi & Caliskan 2022.
"""

from __future__ import annotations

import numpy as np

from biascore.api.metrics import Context, Model, Scalar, Test
from biascore.designs.association import AUDIT_TESTS, AssociationMetric, predicts
from biascore.designs.crossed import ROLES, Crossed
from biascore.designs.harmless import Groups, OfGroups, vectors_of
from biascore.designs.options import WeatOptions
from biascore.designs.words import OF_MODEL, embed_words


class Weat(AssociationMetric[WeatOptions]):
    """WEAT on any model that can embed; the headline is the effect size d."""

    name = "weat"
    summary = "Word Embedding Association Test: effect size, exact permutation p-value"
    use = "associates"
    reference = "Caliskan, Bryson & Narayanan 2017, Science 356:183-186"
    requires = frozenset({"embed"})
    of_model = OF_MODEL
    holds_table = False

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:
        """The long tests, of a model whose output is vectors; one that predicts words is asked for its predictions."""
        return () if predicts(model) or "embed" not in model.capabilities else (AUDIT_TESTS,)

    def associate(self, model: Model, test: Test, context: Context) -> Crossed:
        """The cosines of the words of X and Y with those of A and B."""
        lists = {role: test.roles[role].words for role in ROLES}
        roles = embed_words(model, lists, self.options.level, self.options)
        return Crossed(roles.words, roles.crossed(("X", "Y"), ("A", "B")), roles.coverage, roles.vectors)

    def associate_groups(
        self, model: Model, test: Test, found: Crossed, groups: Groups, context: Context
    ) -> OfGroups:
        """The cosines of the words that stay with those of harmless groups, whose vectors are kept from test to test."""
        words, vectors, unit = vectors_of(model, groups, self.options)
        assert found.vectors is not None
        stay = np.concatenate([found.vectors[role] for role in groups.stay]).astype(np.float64)
        return OfGroups(words, stay @ unit.T / np.linalg.norm(stay, axis=1, keepdims=True), vectors)

    def stated(self, model: Model, test: Test, context: Context) -> dict[str, Scalar]:
        """What the score of a word is."""
        return {"item value": "s(w, A, B) = mean cosine with A - mean cosine with B"}
