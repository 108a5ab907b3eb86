"""WEAT: are the words of X more associated with A than with B, compared with the words of Y?

Caliskan, Bryson & Narayanan 2017, Science 356:183; equations 1-3 of Puttick & Kurpicz-Briki 2025,
equations 1-3 of Omrani Sabbaghi & Caliskan 2022.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.plugins_api import (
    Catalogue,
    Context,
    Equivalence,
    Finding,
    Metric,
    Model,
    Test,
    item_table,
)
from biascore.stats import association, cosine_matrix
from biascore_metrics.weat.effect import Effect
from biascore_metrics.weat.options import WeatOptions
from biascore_metrics.weat.words import embed_roles
from biascore_metrics.words import RoleVectors, coverage_warnings

LEAST = {"X": 2, "Y": 2, "A": 1, "B": 1}


class Weat(Metric[WeatOptions, Test]):
    """WEAT on any model that can embed; the headline is the effect size d."""

    name = "weat"
    summary = "Word Embedding Association Test: effect size, exact permutation p-value"
    reference = "Caliskan, Bryson & Narayanan 2017, Science 356:183-186"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})

    def check(self, test: Test, catalogue: Catalogue) -> None:  # noqa: ARG002
        """Raise TestKindError, or OptionsError where all partitions of X and Y cannot be counted."""
        self.options.check_exact(test.roles["X"].words, test.roles["Y"].words, test)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """Effect size d, its permutation p-values and bootstrap interval; items are s(w, A, B) per target."""
        rng = context.rng
        roles, warnings = embed_roles(model, test, self.options.level, self.options)
        problem = roles.too_few(LEAST)
        x = y = np.empty(0)
        if not problem:
            x, y = _associations(roles, "X"), _associations(roles, "Y")
        effect = Effect.of(x, y, self.options, rng, problem=problem)
        decision = effect.decide(self.options)
        return Finding(
            variant=self.options.variant(model),
            estimates=effect.estimates,
            decision=decision,
            equivalence=Equivalence.within(self.options.bound, effect.estimates[0].name),
            coverage=roles.coverage,
            warnings=(*warnings, *effect.warnings(self.options)),
            cautions=(*coverage_warnings(roles.coverage), *effect.cautions(self.options)),
            item_value="association s(w, A, B)",
            conventions=self.options.conventions(
                model,
                {
                    "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together",
                    "deciding p-value": self.options.alternative,
                    "resampled": "target words, within X and within Y",
                    "item value": "s(w, A, B) = mean cosine with A - mean cosine with B",
                },
            ),
            items=_items(test, roles, x, y),
        )


def _associations(roles: RoleVectors, role: str) -> npt.NDArray[np.float64]:
    own = roles.vectors[role]
    return association(cosine_matrix(own, roles.vectors["A"]), cosine_matrix(own, roles.vectors["B"]))


def _items(
    test: Test, roles: RoleVectors, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> pa.Table:
    if not len(x):
        return item_table()
    return item_table(
        item=[*roles.words["X"], *roles.words["Y"]],
        group=[test.roles["X"].name] * len(x) + [test.roles["Y"].name] * len(y),
        value=[*map(float, x), *map(float, y)],
    )
