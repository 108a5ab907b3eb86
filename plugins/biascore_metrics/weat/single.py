"""SC-WEAT: is a single word more associated with A than with B?

Caliskan, Bryson & Narayanan 2017 (there WEFAT); equations 5-6 of Omrani Sabbaghi & Caliskan 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.api.metrics import (
    EVERY_ITEM,
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
    caveats_of,
    item_table,
)
from biascore.api.stimuli import Catalogue
from biascore.designs.crossed import ROLES, role_caveats
from biascore.designs.diagnostics import near_duplicates
from biascore.designs.frequency import Frequency
from biascore.designs.pvalues import permutation_p_values
from biascore.designs.words import OF_MODEL, RoleVectors, embed_words, exchange_of
from biascore.stats import (
    Attainable,
    Decision,
    Interval,
    PermutationTest,
    Unreachable,
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
from biascore.stats.exchange import Exchange
from biascore_metrics.weat.control import Control, Pool, ScWeatOptions

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


class ScWeat(Metric[ScWeatOptions, Test]):
    """Single-category WEAT of every target word; the headline is the share that are associated beyond control words."""

    name = "sc-weat"
    summary = "Single-category WEAT: each target word against A and B, adjusted over the words"
    use = "associates"
    reference = "Caliskan, Bryson & Narayanan 2017, Science 356:183-186"
    rule = (
        "Detected when the larger of two p-values is at most alpha: of the test's words against neutral control words, and "
        "the smallest of the words' own, adjusted by Holm."
    )
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})
    null_requires_no_bias = True
    directed = False

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise TestKindError, or OptionsError where all partitions of A and B cannot be counted, or for a missing pool."""
        self.options.check_exact(test.roles["A"].words, test.roles["B"].words, test)
        self._pool(test, catalogue)

    def unreachable(self, test: Test) -> tuple[Unreachable, ...]:
        """That no word can be significant, where A and B are short for so many words."""
        words = sum(len(test.roles[role].words) for role in ("X", "Y"))
        used = test.roles["A"].words, test.roles["B"].words
        exchange = self._exchange(test, used, words)
        least = Attainable(exchange.smallest_p(self.options.alternative), exchange.told("attribute words"))
        return Unreachable.detected(least.adjusted(words, "target words"), self.options.alpha)

    def _pool(self, test: Test, catalogue: Catalogue) -> Pool:
        return Pool.of(test, catalogue, self.options.control_pool)

    def _exchange(self, test: Test, used: tuple[Sequence[str], Sequence[str]], words: int) -> Exchange:
        """What may be exchanged of A and B; within counterparts where so many words can be found associated at all."""
        return exchange_of((test.roles["A"], test.roles["B"]), used).reaching(self.options.alpha / words)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """Effect size, exact p and interval of each word of X and Y; each list's mean next to them."""
        rng = context.rng
        lists_given = {role: test.roles[role].words for role in ROLES}
        roles = embed_words(model, lists_given, self.options.level, self.options)
        problem = roles.too_few(LEAST)
        words: list[_Association] = []
        if not problem:
            for role in ("X", "Y"):
                words += self._words(roles, role, test.roles[role].name, rng)
        frequency = Frequency.of(model, roles.words, roles.vectors)
        near = () if problem else near_duplicates(test.roles, roles.words, roles.vectors)
        adjusted = holm([self._deciding(word.test).value for word in words])
        share = self._share(words, adjusted)
        control = self._control(
            model, test, roles, self._pool(test, context.catalogue), rng.spawn(1)[0], problem
        )
        lists = [self._list_mean(roles, role, test.roles[role].name, rng, problem) for role in ("X", "Y")]
        return Finding(
            variant=self.options.variant(model),
            positive_means=(
                f"more words are associated with {test.roles['A'].name.replace('_', ' ')} (a positive effect size) or "
                f"{test.roles['B'].name.replace('_', ' ')} (a negative one) than among control words"
            ),
            estimates=(*control.estimates(self.options, len(words)), share, *lists),
            decision=self._decide(test, words, adjusted, control, problem),
            equivalence=self._equivalence(),
            coverage=roles.coverage,
            caveats=(
                *frequency.one("A", "B", "targets"),
                *near,
                *role_caveats(roles.words, roles.coverage),
                *caveats_of(
                    [
                        line
                        for word in words
                        for line in self.options.degenerate(word.interval, repr(word.word))
                    ],
                    verdict=False,
                ),
            ),
            item_value="effect size d of the word",
            model_conventions=(*OF_MODEL, "control words", "centre", *frequency.stated()),
            conventions=self.options.conventions(
                model,
                {
                    "effect size": "(mean cosine with A - mean cosine with B) / sd of all of these cosines",
                    "deciding p-value": "the larger of target against control words (mean distance from the centre) "
                    f"and the smallest of the words ({self.options.alternative}, Holm-adjusted), labels of A and B permuted",
                    **control.stated(),
                    "resampled": "attribute words, within A and within B",
                    "interval of the share": "none: words share attributes, so they are no independent sample",
                    "item value": "effect size d of the single word",
                    **frequency.stated(),
                },
            ),
            items=_items(words, adjusted, control, self.options),
        )

    def _control(
        self,
        model: Model,
        test: Test,
        roles: RoleVectors,
        pool: Pool,
        rng: np.random.Generator,
        problem: str,
    ) -> Control:
        if pool.problem:
            return Control(pool.address, pool.problem)
        # All of the list, whatever the test, so that the next test finds the answers in the cache.
        neutral = embed_words(model, {"neutral": pool.asked.words}, self.options.level, self.options)
        if problem:
            return Control(pool.address, problem)
        vectors = neutral.vectors["neutral"][pool.keep(neutral.words["neutral"])]
        attributes = np.concatenate([roles.vectors["A"], roles.vectors["B"]])
        targets = np.concatenate([roles.vectors["X"], roles.vectors["Y"]])
        return Control.of(
            cosine_matrix(targets, attributes),
            cosine_matrix(vectors, attributes) if len(vectors) else np.empty((0, len(attributes))),
            self._exchange(test, (roles.words["A"], roles.words["B"]), len(targets)),
            pool.address,
            self.options,
            rng,
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
        """The bound that every word's interval is compared with; none where their level cannot show equivalence."""
        options = self.options
        return (
            Equivalence.within(options.bound, None) if can_show(options.confidence, options.alpha) else None
        )

    def _decide(
        self,
        test: Test,
        words: list[_Association],
        adjusted: npt.NDArray[np.float64],
        control: Control,
        problem: str,
    ) -> Decision:
        if problem:
            return Decision(Verdict.NOT_MEASURED, f"It could not be measured: {problem}.")
        options = self.options
        names = test.roles["A"].name, test.roles["B"].name
        signs = [
            np.sign(word.effect or 0) for word, p in zip(words, adjusted, strict=True) if p <= options.alpha
        ]
        mean = float(np.mean([word.effect or 0.0 for word in words]))
        alone = (
            f"By themselves {len(signs)} of {len(words)} words are associated after Holm's adjustment at alpha = "
            f"{options.alpha}, {signs.count(1)} with {names[0]} and {signs.count(-1)} with {names[1]}, and the mean word "
            f"is associated with {names[0] if mean >= 0 else names[1]} by d = {abs(mean):z.2g}."
        )
        shares = control.shares(options)
        if shares is None:
            return Decision(
                Verdict.NOT_MEASURED,
                f"There are no control words ({control.problem}), and some words are associated in any long enough list. "
                f"{alone}",
            )
        larger, against, own = (p.value for p in control.p_values(options))
        beside = (
            f"{100 * shares[0]:z.3g} % of the words are associated, seen from the centre of the control words, and "
            f"{100 * shares[1]:z.3g} % of these themselves. {control.told(options, names)} {alone}"
        )
        single = [
            decide(1.0, word.interval, alpha=options.alpha, bound=options.bound).verdict for word in words
        ]
        if larger > options.alpha and all(verdict is Verdict.NEGLIGIBLE for verdict in single):
            return Decision(
                Verdict.NEGLIGIBLE, f"The interval of every word is within +-{options.bound}. {beside}"
            )
        decision = decide(
            larger, None, alpha=options.alpha, bound=None, attainable=control.attainable(len(words))
        )
        detected = decision.verdict is Verdict.DETECTED
        limit = control.attainable(len(words))
        told = limit.told(options.alpha) if limit else ""
        reason = (
            f"The p-value {larger:z.3g} is {'at most' if detected else 'above'} {options.alpha:g}"
            f"{' and ' * bool(told)}{told}. It is the larger of two: {against:z.3g} of target words against control words, "
            f"{own:z.3g} the smallest of the words' own, Holm-adjusted. {beside}"
        )
        return Decision(decision.verdict, reason)


def _items(
    words: list[_Association], adjusted: npt.NDArray[np.float64], control: Control, options: ScWeatOptions
) -> pa.Table:
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
            **control.columns(options),
        },
    )
