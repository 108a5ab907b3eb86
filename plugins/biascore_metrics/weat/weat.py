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
    ConfidenceInterval,
    Estimate,
    Measurement,
    Metric,
    MetricOptions,
    Model,
    PValue,
    Test,
    item_table,
)
from biascore.stats import (
    Interval,
    Verdict,
    ZeroVarianceError,
    association,
    cosine_matrix,
    decide,
    effect_size,
    normal_approximation,
    permutation_test,
)
from biascore_metrics.weat.options import WeatOptions
from biascore_metrics.weat.pvalues import permutation_p_values
from biascore_metrics.weat.words import RoleVectors, embed_roles

EFFECT = "effect size d"
DIFFERENCE = "mean difference of association"
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

    def check(self, test: Test) -> None:
        """Raise TestKindError, or OptionsError where all partitions of X and Y cannot be counted."""
        super().check(test)
        self._options.check_exact(test.roles["X"].words, test.roles["Y"].words, test)

    def measure(self, model: Model, test: Test, rng: np.random.Generator, seed: int) -> Measurement:
        """Effect size d, its permutation p-values and bootstrap interval; items are s(w, A, B) per target."""
        roles = embed_roles(model, test, self._options.level, self._options.duplicates)
        problem = roles.too_few(LEAST)
        x = y = np.empty(0)
        if not problem:
            x, y = _associations(roles, "X"), _associations(roles, "Y")
        estimates, interval, problem = self._estimate(x, y, rng, problem)
        warnings = roles.warnings
        verdict, reason = Verdict.INCONCLUSIVE, f"It could not be measured: {problem}."
        if estimates[0].value is not None:
            p = estimates[0].p_values[0].value
            decision = decide(p, interval, alpha=self._options.alpha, bound=self._options.bound)
            verdict, reason = decision.verdict, decision.reason
            warnings += (f"no interval: {problem}",) if problem else ()
            warnings += self._options.degenerate(interval, "the targets")
        return Measurement(
            metric=self.name,
            variant=self._options.variant(model),
            test=test.id,
            test_title=test.title,
            language=test.language,
            concept=test.concept,
            model=model.name,
            positive_means=test.positive_means,
            estimates=estimates,
            verdict=verdict,
            reason=reason,
            coverage=roles.coverage,
            warnings=warnings,
            conventions=self._options.conventions(
                model,
                {
                    "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together",
                    "deciding p-value": self._options.alternative,
                    "resampled": "target words, within X and within Y",
                    "item value": "s(w, A, B) = mean cosine with A - mean cosine with B",
                },
            ),
            seed=seed,
            items=_items(test, roles, x, y),
        )

    def _estimate(
        self, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], rng: np.random.Generator, problem: str
    ) -> tuple[tuple[Estimate, ...], Interval | None, str]:
        n = {"X": len(x), "Y": len(y)}
        empty = (
            Estimate(name=EFFECT, value=None, unit="standard deviations", n=n),
            Estimate(name=DIFFERENCE, value=None, unit="cosine", n=n),
        )
        if problem:
            return empty, None, problem
        options = self._options
        try:
            d = effect_size(x, y, options.ddof)
        except ZeroVarianceError as error:
            return empty, None, f"the associations of the target words do not vary ({error})"
        interval, problem = options.interval(x, y, rng)
        test = permutation_test(x, y, method=options.permutation, draws=options.draws, rng=rng)
        normal = PValue(
            name="normal approximation",
            value=normal_approximation(effect_size(x, y, 1), len(x), len(y)),
            kind="asymptotic",
            alternative="greater",
        )
        p_values = (*permutation_p_values(test, options.alternative), normal)
        effect = Estimate(
            name=EFFECT,
            value=d,
            unit="standard deviations",
            n=n,
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=p_values,
        )
        # Permutations leave the denominator of d as it is, so the p-values are those of the difference too.
        difference = Estimate(name=DIFFERENCE, value=test.statistic, unit="cosine", n=n, p_values=p_values)
        return (effect, difference), interval, problem


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
