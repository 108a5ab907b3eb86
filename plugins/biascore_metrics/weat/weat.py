"""WEAT: are the words of X more associated with A than with B, compared with the words of Y?

Caliskan, Bryson & Narayanan 2017, Science 356:183; equations 1-3 of Puttick & Kurpicz-Briki 2025,
equations 1-3 of Omrani Sabbaghi & Caliskan 2022.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.plugins_api import (
    Catalogue,
    Context,
    Equivalence,
    Measurement,
    Metric,
    MetricOptions,
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


class Weat(Metric):
    """WEAT on any model that can embed; the headline is the effect size d."""

    name: ClassVar[str] = "weat"
    summary: ClassVar[str] = "Word Embedding Association Test: effect size, exact permutation p-value"
    reference: ClassVar[str] = "Caliskan, Bryson & Narayanan 2017, Science 356:183-186"
    requires: ClassVar[frozenset[str]] = frozenset({"embed"})
    kinds: ClassVar[frozenset[str]] = frozenset({"weat"})
    options: ClassVar[type[MetricOptions]] = WeatOptions

    def __init__(self, options: MetricOptions) -> None:
        assert isinstance(options, WeatOptions)
        self._options = options

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise TestKindError, or OptionsError where all partitions of X and Y cannot be counted."""
        super().check(test, catalogue)
        self._options.check_exact(test.roles["X"].words, test.roles["Y"].words, test)

    def measure(self, model: Model, test: Test, context: Context) -> Measurement:
        """Effect size d, its permutation p-values and bootstrap interval; items are s(w, A, B) per target."""
        rng = context.rng
        roles, warnings = embed_roles(model, test, self._options.level, self._options)
        problem = roles.too_few(LEAST)
        x = y = np.empty(0)
        if not problem:
            x, y = _associations(roles, "X"), _associations(roles, "Y")
        effect = Effect.of(x, y, self._options, rng, problem=problem)
        decision = effect.decide(self._options)
        return Measurement(
            metric=self.name,
            variant=self._options.variant(model),
            test=test.id,
            test_title=test.title,
            language=test.language,
            concept=test.concept,
            model=model.name,
            positive_means=test.positive_means,
            estimates=effect.estimates,
            verdict=decision.verdict,
            reason=decision.reason,
            alpha=self._options.alpha,
            equivalence=Equivalence.within(self._options.bound, effect.estimates[0].name),
            coverage=roles.coverage,
            warnings=(*warnings, *effect.warnings(self._options)),
            cautions=(*coverage_warnings(roles.coverage), *effect.cautions(self._options)),
            item_value="association s(w, A, B)",
            conventions=self._options.conventions(
                model,
                {
                    "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together",
                    "deciding p-value": self._options.alternative,
                    "resampled": "target words, within X and within Y",
                    "item value": "s(w, A, B) = mean cosine with A - mean cosine with B",
                },
            ),
            seed=context.seed,
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
