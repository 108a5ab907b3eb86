"""SC-WEAT: is a single word more associated with A than with B?

Caliskan, Bryson & Narayanan 2017 (there WEFAT); equations 5-6 of Omrani Sabbaghi & Caliskan 2022.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.plugins_api import (
    EVERY_ITEM,
    Catalogue,
    ConfidenceInterval,
    Context,
    Contrast,
    Equivalence,
    Estimate,
    Finding,
    Metric,
    Model,
    PValue,
    Test,
    item_table,
)
from biascore.stats import (
    Decision,
    Interval,
    PermutationTest,
    Verdict,
    ZeroVarianceError,
    can_show,
    cosine_matrix,
    decide,
    effect_size,
    exact_cost,
    holm,
    permutation_test,
)
from biascore_metrics.frequency import Frequency
from biascore_metrics.weat.options import VectorOptions
from biascore_metrics.weat.pvalues import permutation_p_values
from biascore_metrics.weat.words import embed_roles
from biascore_metrics.words import OF_MODEL, RoleVectors, coverage_warnings

SHARE = "share of words associated"
LEAST = {"X": 1, "Y": 1, "A": 2, "B": 2}
MAX_EXACT_SUMS_PER_WORD = 2**18
"""Counting is repeated for every word, so "auto" draws sooner than WEAT does (about 17 + 17 attributes)."""


@dataclass(frozen=True, slots=True)
class _Association:
    """One target word with its effect size (None where its cosines do not vary) and its test."""

    word: str
    group: str
    effect: float | None
    interval: Interval | None
    test: PermutationTest


class ScWeat(Metric[VectorOptions, Test]):
    """Single-category WEAT of every target word; the headline is the share of words that are associated."""

    name = "sc-weat"
    summary = "Single-category WEAT: each target word against A and B, adjusted over the words"
    reference = "Caliskan, Bryson & Narayanan 2017, Science 356:183-186"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})
    null_is_undeclared = True

    def check(self, test: Test, catalogue: Catalogue) -> None:  # noqa: ARG002
        """Raise TestKindError, or OptionsError where all partitions of A and B cannot be counted."""
        self.options.check_exact(test.roles["A"].words, test.roles["B"].words, test)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """Effect size, exact p and interval of each word of X and Y; each list's mean beside them."""
        rng = context.rng
        roles, warnings = embed_roles(model, test, self.options.level, self.options)
        problem = roles.too_few(LEAST)
        words: list[_Association] = []
        if not problem:
            for role in ("X", "Y"):
                words += self._words(roles, role, test.roles[role].name, rng)
        frequency = Frequency.of(model, roles.words, roles.vectors)
        doubts = frequency.one("A", "B", "targets")
        adjusted = holm([self._deciding(word.test).value for word in words])
        share = self._share(words, adjusted)
        lists = [self._list_mean(roles, role, test.roles[role].name, rng, problem) for role in ("X", "Y")]
        return Finding(
            variant=self.options.variant(model),
            positive_means=(
                f"some words are associated with {test.roles['A'].name.replace('_', ' ')} (a positive effect size) or "
                f"{test.roles['B'].name.replace('_', ' ')} (a negative one)"
            ),
            estimates=(share, *lists),
            decision=self._decide(words, adjusted, problem),
            equivalence=self._equivalence(),
            coverage=roles.coverage,
            warnings=(
                *warnings,
                *(line for word in words for line in self.options.degenerate(word.interval, repr(word.word))),
                *doubts,
            ),
            cautions=(*coverage_warnings(roles.coverage), *doubts),
            item_value="effect size d of the word",
            model_conventions=(*OF_MODEL, *frequency.stated()),
            conventions=self.options.conventions(
                model,
                {
                    "effect size": "(mean cosine with A - mean cosine with B) / sd of all of these cosines",
                    "deciding p-value": f"{self.options.alternative}, Holm-adjusted over the words",
                    "resampled": "attribute words, within A and within B",
                    "interval of the share": "none: words share attributes, so they are no independent sample",
                    "item value": "effect size d of the single word",
                    **frequency.stated(),
                },
            ),
            items=_items(words, adjusted),
        )

    def _words(
        self, roles: RoleVectors, role: str, group: str, rng: np.random.Generator
    ) -> list[_Association]:
        with_a = cosine_matrix(roles.vectors[role], roles.vectors["A"])
        with_b = cosine_matrix(roles.vectors[role], roles.vectors["B"])
        return [
            _Association(word, group, *self._effect(a, b, test, rng), test=test)
            for word, a, b in zip(roles.words[role], with_a, with_b, strict=True)
            for test in (self._test(a, b, rng),)
        ]

    def _effect(
        self,
        a: npt.NDArray[np.float64],
        b: npt.NDArray[np.float64],
        test: PermutationTest,
        rng: np.random.Generator,
    ) -> tuple[float | None, Interval | None]:
        options = self.options
        try:
            effect = effect_size(a, b, options.ddof)
        except ZeroVarianceError:
            return None, None
        interval, _ = options.interval(a, b, test, rng)
        return effect, interval

    def _test(
        self, a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], rng: np.random.Generator
    ) -> PermutationTest:
        method = self.options.permutation
        if method == "auto" and exact_cost(len(a), len(b)) > MAX_EXACT_SUMS_PER_WORD:
            method = "monte-carlo"
        return permutation_test(a, b, method=method, draws=self.options.draws, rng=rng)

    def _deciding(self, test: PermutationTest) -> PValue:
        return permutation_p_values(test, self.options.alternative)[0]

    def _share(self, words: list[_Association], adjusted: npt.NDArray[np.float64]) -> Estimate:
        n = {"words": len(words)}
        if not words:
            return Estimate(name=SHARE, value=None, unit="share", n=n)
        deciding = self._deciding(words[int(np.argmin(adjusted))].test)
        smallest = PValue(
            name="smallest Holm-adjusted",
            value=float(adjusted.min()),
            kind=deciding.kind,
            alternative=deciding.alternative,
            n=deciding.n,
        )
        value = float(np.mean(adjusted <= self.options.alpha))
        associated = Contrast(column="p_holm", at_most=self.options.alpha, groups={EVERY_ITEM: 1.0})
        return Estimate(
            name=SHARE, value=value, unit="share", n=n, p_values=(smallest,), estimator=associated
        )

    def _list_mean(
        self, roles: RoleVectors, role: str, group: str, rng: np.random.Generator, problem: str
    ) -> Estimate:
        """SC-WEAT of the list as a whole: each attribute's mean cosine with its words, A against B."""
        name = f"effect size d of {group} as a whole"
        n = {"A": len(roles.words["A"]), "B": len(roles.words["B"])}
        if problem:
            return Estimate(name=name, value=None, unit="standard deviations", n=n)
        a = cosine_matrix(roles.vectors[role], roles.vectors["A"]).mean(axis=0)
        b = cosine_matrix(roles.vectors[role], roles.vectors["B"]).mean(axis=0)
        test = self._test(a, b, rng)
        effect, interval = self._effect(a, b, test, rng)
        p_values = permutation_p_values(test, self.options.alternative)
        return Estimate(
            name=name,
            value=effect,
            unit="standard deviations",
            n=n,
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=p_values if effect is not None else (),
        )

    def _equivalence(self) -> Equivalence | None:
        """The bound that every word's interval is held against; none where their level cannot show equivalence."""
        options = self.options
        return (
            Equivalence.within(options.bound, None) if can_show(options.confidence, options.alpha) else None
        )

    def _decide(self, words: list[_Association], adjusted: npt.NDArray[np.float64], problem: str) -> Decision:
        if problem:
            return Decision(Verdict.INCONCLUSIVE, f"It could not be measured: {problem}.")
        bound, alpha = self.options.bound, self.options.alpha
        single = [decide(1.0, word.interval, alpha=alpha, bound=bound).verdict for word in words]
        if all(verdict is Verdict.NEGLIGIBLE for verdict in single):
            return Decision(Verdict.NEGLIGIBLE, f"The interval of every word lies within +-{bound}.")
        decision = decide(float(adjusted.min()), None, alpha=alpha, bound=None)
        attainable = words[0].test.attainable(self.options.alternative, "attribute words")
        limit = attainable.adjusted(len(words), "target words").told(alpha)
        signs = [np.sign(word.effect or 0) for word, p in zip(words, adjusted, strict=True) if p <= alpha]
        return Decision(
            decision.verdict,
            f"{len(signs)} of {len(words)} words are associated after Holm's adjustment at alpha = {alpha}, "
            f"{signs.count(1)} with A and {signs.count(-1)} with B; "
            f"the smallest adjusted p is {adjusted.min():.3g}{', and ' * bool(limit)}{limit}.",
        )


def _items(words: list[_Association], adjusted: npt.NDArray[np.float64]) -> pa.Table:
    return item_table(
        item=[word.word for word in words],
        group=[word.group for word in words],
        value=[word.effect for word in words],
        more={
            "ci_low": [word.interval.low if word.interval else None for word in words],
            "ci_high": [word.interval.high if word.interval else None for word in words],
            "p_one_sided": [word.test.greater.p_value for word in words],
            "p_two_sided": [word.test.two_sided.p_value for word in words],
            "p_holm": [float(p) for p in adjusted],
        },
    )
