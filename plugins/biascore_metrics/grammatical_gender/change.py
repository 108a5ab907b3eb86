"""weat-change: what a transform does to an association, with an interval and a test of the change itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.plugins_api import (
    Catalogue,
    ConfidenceInterval,
    Context,
    Equivalence,
    Estimate,
    Figure,
    Finding,
    Histogram,
    Metric,
    Model,
    Plane,
    Scalar,
    Test,
    item_table,
)
from biascore.stats import (
    Attainable,
    Decision,
    Interval,
    Verdict,
    ZeroVarianceError,
    decide,
    permutation_test,
)
from biascore.stats.change import bootstrap_effect_change, standardised_changes
from biascore.stats.exchange import Exchange
from biascore_metrics.grammatical_gender.same_words import (
    NOTHING,
    SameWords,
    Scores,
    before_of,
    embed_on,
    states,
)
from biascore_metrics.grammatical_gender.trace import Line, trace_of
from biascore_metrics.weat.effect import DEVIATIONS, EFFECT, Across, Effect
from biascore_metrics.weat.options import VectorOptions
from biascore_metrics.weat.pvalues import Tests
from biascore_metrics.weat.words import ROLES, role_warnings
from biascore_metrics.words import OF_MODEL, coverage_warnings

LEAST: Final = {"X": 2, "Y": 2, "A": 1, "B": 1}
CHANGE: Final = f"change of {EFFECT}"
NULL: Final = (
    "being in X or in Y has nothing to do with how far a word moves (its association over the sd of all, after "
    "minus before)"
)


class ChangeOptions(VectorOptions):
    """As for ``weat``. ``trace``: the effect size after every step of the transform, in place of every word."""

    trace: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """The change of an effect size: its estimate, interval, why one of them could not be had, and what was exchanged."""

    estimate: Estimate
    interval: Interval | None
    problem: str
    attainable: Attainable | None = None
    tests: Tests | None = None
    exchanged: str = "nothing"

    @classmethod
    def of(
        cls,
        before: Scores,
        after: Scores,
        options: VectorOptions,
        rng: np.random.Generator,
        *,
        problem: str = "",
        name: str = CHANGE,
        roles: tuple[str, str] = ("X", "Y"),
        across: tuple[Across, Across] | None = None,
        exchange: Exchange | None = None,
    ) -> Change:
        """Of the associations (x, y) of the same words before and after, unless a ``problem`` is known already.

        ``across`` is the same from the side of the attributes, before and after; then the larger of both p-values decides.
        ``exchange`` is what of x and y may be exchanged, and what the interval resamples.
        """
        n = dict(zip(roles, map(len, before), strict=True))
        if problem:
            return cls(Estimate(name=name, value=None, unit=DEVIATIONS, n=n), None, problem)
        try:
            x, y = standardised_changes(before, after, options.ddof)
        except ZeroVarianceError as error:
            why = f"the associations of the target words do not vary ({error})"
            return cls(Estimate(name=name, value=None, unit=DEVIATIONS, n=n), None, why)
        test = options.test(x, y, exchange or Exchange.of((len(x), len(y))), rng)
        papers = test
        if test.exchange is not None:
            papers = permutation_test(x, y, method=options.permutation, draws=options.draws, rng=rng)
        tests, attainable = Tests(test, papers), test.attainable(options.alternative, "target words")
        exchanged = test.exchanged("target words")
        if across is not None:
            one, other = _changes_across(before, after, across, options.ddof)
            by_attributes = options.test(one, other, across[0].exchange, rng)
            tests = Tests(test, papers, across=by_attributes)
            least = by_attributes.attainable(options.alternative, "attribute words")
            attainable = max(attainable, least, key=lambda limit: limit.p_value)
            exchanged += f"; {by_attributes.exchanged('attribute words')}"
        interval, why = None, ""
        try:
            interval = bootstrap_effect_change(
                before,
                after,
                ddof=options.ddof,
                level=options.confidence,
                resamples=options.resamples,
                rng=rng,
                exchange=test.exchange,
            )
        except ZeroVarianceError as error:
            why = str(error)
        estimate = Estimate(
            name=name,
            value=test.statistic,
            unit=DEVIATIONS,
            n=n,
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=tests.p_values(options.alternative),
        )
        return cls(estimate, interval, why, attainable, tests, exchanged)

    def decide(self, options: VectorOptions) -> Decision:
        """Whether the effect size changed; no bias is found or missed by that."""
        if self.estimate.value is None:
            return Decision(Verdict.INCONCLUSIVE, f"It could not be measured: {self.problem}.")
        p = self.estimate.p_values[0].value
        found = decide(p, self.interval, alpha=options.alpha, bound=options.bound, attainable=self.attainable)
        meant = {
            Verdict.DETECTED: "What is detected is a change, not a bias.",
            Verdict.NEGLIGIBLE: "What is negligible is the change; a bias may be there before and after.",
            Verdict.INCONCLUSIVE: "Neither a change nor its absence is shown.",
        }
        both = self.tests.told(options.alternative, options.alpha) if self.tests else ""
        return Decision(found.verdict, " ".join(filter(None, [found.reason, both, meant[found.verdict]])))


class WeatChange(Metric[ChangeOptions, Test]):
    """The effect size of WEAT before and after a transform; the headline is its change."""

    name = "weat-change"
    summary = (
        "WEAT before and after a transform: the change of d, its paired interval and permutation p-value"
    )
    reference = "Omrani Sabbaghi & Caliskan 2022, tables 2 and 5; interval and test are this project's"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})
    needs_transform = True

    def check(self, test: Test, catalogue: Catalogue) -> None:  # noqa: ARG002
        """Raise OptionsError where all partitions of X and Y, or of A and B, cannot be counted."""
        for one, other in (("X", "Y"), ("A", "B")):
            self.options.check_exact(test.roles[one].words, test.roles[other].words, test)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """The change of d, d before and after; items are the words' associations, or the steps of the transform.

        Raises OptionsError for a model without a transform.
        """
        options, rng = self.options, context.rng
        untransformed = before_of(model)
        models = states(model, trace=options.trace, level=options.level)
        lists = {role: test.roles[role].words for role in ROLES}
        words = embed_on(models, lists, options.level, options)
        problem = words.problem(LEAST)
        scores = [] if problem else [words.targets(place) for place in range(len(models))]
        before, after = (scores[0], scores[-1]) if scores else (NOTHING, NOTHING)
        exchange, across = None, None
        if not problem:
            exchange, attributes = words.exchange(test, "X", "Y"), words.exchange(test, "A", "B")
            across = (words.across(0, "X", "Y", attributes), words.across(-1, "X", "Y", attributes))
        change = Change.of(before, after, options, rng, problem=problem, across=across, exchange=exchange)
        old, new = (
            Effect.of(
                *pair,
                options,
                rng,
                problem=problem,
                name=f"{EFFECT} {when}",
                across=across[place] if across else None,
                exchange=exchange,
            )
            for place, (pair, when) in enumerate(((before, "before"), (after, "after")))
        )
        cautions = (*coverage_warnings(words.coverage), *_cautions(change, old, new, options))
        items, figures, value = _words(test, words, before, after)
        if options.trace and not problem:
            line = Line.of_effects(scores, options, rng, exchange=exchange)
            items, figures, value = trace_of([line], model, options.level)
        return Finding(
            variant=options.variant(model),
            positive_means=f"the transform raised the effect size{_of(test)}",
            change_from=untransformed.name,
            estimates=(change.estimate, old.estimates[0], new.estimates[0]),
            decision=change.decide(options),
            equivalence=Equivalence.within(options.bound, CHANGE),
            coverage=words.coverage,
            warnings=tuple(dict.fromkeys((*role_warnings(words.words, words.coverage), *cautions))),
            cautions=cautions,
            item_value=value,
            item_neutral=0.0,
            figures=figures,
            model_conventions=OF_MODEL,
            conventions=options.conventions(model, _conventions(options, change)),
            items=items,
        )


def _changes_across(
    before: Scores, after: Scores, across: tuple[Across, Across], ddof: Literal[0, 1]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How far each attribute's difference moved, in the deviations of the targets: the same change from their side."""
    old, new = (float(np.std(np.concatenate(pair), ddof=ddof)) for pair in (before, after))
    return (
        across[1].one / new - across[0].one / old,
        across[1].other / new - across[0].other / old,
    )


def _of(test: Test) -> str:
    return f": more of what a positive d means ({test.positive_means})" if test.positive_means else ""


def _cautions(change: Change, old: Effect, new: Effect, options: VectorOptions) -> tuple[str, ...]:
    if change.estimate.value is None:
        return ()
    found = [f"no interval of the change: {change.problem}"] if change.problem else []
    found += options.degenerate(change.interval, "the change")
    found += [opposite] if (opposite := change.estimate.opposite(options.alpha)) else []
    before, after = old.estimates[0].value, new.estimates[0].value
    least = options.bound or 0.0
    if (
        before is not None
        and after is not None
        and before * after < 0
        and min(abs(before), abs(after)) > least
    ):
        found.append(
            f"d has changed its sign, from {before:.3g} to {after:.3g}: the association is turned round, not removed"
        )
    return tuple(found)


def _conventions(options: ChangeOptions, change: Change) -> dict[str, Scalar]:
    return {
        "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together, before and after each with its own sd",
        "null hypothesis": NULL,
        "deciding p-value": f"{options.deciding}, of the words' changes",
        "exchanged": change.exchanged,
        "interval of the change": "studentized; what is exchanged of the targets is resampled, the same before and after: "
        "words or families within X and within Y, pairs as pairs",
        "words": "those that are usable before the transform and after it",
        "item value": "effect size d after each step" if options.trace else "s(w, A, B) after minus before",
    }


def _words(
    test: Test, words: SameWords, before: Scores, after: Scores
) -> tuple[pa.Table, tuple[Figure, ...], str]:
    old, new = np.concatenate(before), np.concatenate(after)
    if not old.size:
        return item_table(), (), "change of the association"
    a, b = test.roles["A"].name, test.roles["B"].name
    items = item_table(
        item=[*words.words["X"], *words.words["Y"]],
        group=[test.roles["X"].name] * len(before[0]) + [test.roles["Y"].name] * len(before[1]),
        value=[float(value) for value in new - old],
        more={"before": old.tolist(), "after": new.tolist()},
    )
    return (
        items,
        (
            Plane(
                title="Association of each word: before (across) and after (up)",
                x="before",
                y="after",
                x_ends=(f"with {b} before", f"with {a} before"),
                y_ends=(f"with {b} after", f"with {a} after"),
            ),
            Histogram(title="How far the words of each list moved", column="value"),
        ),
        "change of the association s(w, A, B)",
    )
