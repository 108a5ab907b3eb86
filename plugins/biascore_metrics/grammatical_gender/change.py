"""weat-change: what a transform does to the effect size of WEAT, with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from biascore.api.figures import Figure, Histogram, Plane
from biascore.api.metrics import (
    ConfidenceInterval,
    Context,
    Estimate,
    Model,
    Test,
    caveats_of,
    item_table,
)
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line, SizeOptions
from biascore.designs.crossed import ROLES, role_caveats
from biascore.designs.effect import DEVIATIONS, EFFECT
from biascore.designs.pvalues import normal
from biascore.designs.same_words import (
    NOTHING,
    EffectOptions,
    SameWords,
    Scores,
    embed_on,
)
from biascore.stats import ZeroVarianceError, effect_size
from biascore.stats.change import bootstrap_effect_change
from biascore.stats.exchange import Exchange

MOVED: Final = "change of the association s(w, A, B)"
LEAST: Final = {"X": 2, "Y": 2, "A": 1, "B": 1}
SMALL: Final = 0.2
"""Cohen's small effect: a sign that changes between smaller ones is no association that is reversed."""


def change_of(
    scores: tuple[Scores, Scores],
    options: SizeOptions,
    rng: np.random.Generator,
    *,
    problem: str = "",
    name: str = EFFECT,
    roles: tuple[str, str] = ("X", "Y"),
    exchange: Exchange | None = None,
) -> tuple[Estimate, str]:
    """The change of the effect size of the same words, and why it or its interval could not be had.

    ``scores`` are their associations (x, y) before and after; ``problem`` is one that is known already. The interval
    (bootstrap-t) resamples words, or families or pairs of them, as ``exchange`` says. A transform is not random: nothing is
    tested.
    """
    before, after = scores
    n = dict(zip(roles, map(len, before), strict=True))
    value, interval = None, None
    try:
        if not problem:
            value = effect_size(*after, options.ddof) - effect_size(*before, options.ddof)
            interval = bootstrap_effect_change(
                before,
                after,
                ddof=options.ddof,
                level=options.confidence,
                resamples=options.resamples,
                rng=rng,
                exchange=exchange.reaching(options.alpha) if exchange else None,
            )
    except ZeroVarianceError as error:
        problem = str(error)
    ends = ConfidenceInterval.of(interval) if interval else None
    return Estimate(name=f"change of {name}", value=value, unit=DEVIATIONS, n=n, interval=ends), problem


class WeatChange(BeforeAfterMetric[EffectOptions, Test]):
    """The effect size of WEAT before and after a transform; the headline is its change."""

    name = "weat-change"
    summary = "WEAT before and after a transform: the change of d with a paired interval"
    reference = "Omrani Sabbaghi & Caliskan 2022, tables 2 and 5; the interval is this project's"
    kinds = frozenset({"weat"})
    needs_transform = True
    positive_means = "a higher effect size d after the transform than before"
    negative_means = "a lower effect size d after the transform than before"

    def compare(self, models: Sequence[Model], model: Model, test: Test, context: Context) -> Compared:
        """The change of d, d before and after; items are the words' associations."""
        options, rng = self.options, context.rng
        words = embed_on(models, {role: test.roles[role].words for role in ROLES}, options.level, options)
        problem = words.problem(LEAST)
        scores = [] if problem else [words.targets(place) for place in range(len(models))]
        ends = (scores[0], scores[-1]) if scores else (NOTHING, NOTHING)
        exchange = None if problem else words.exchange(test, "X", "Y")
        change, why = change_of(ends, options, rng, problem=problem, exchange=exchange)
        line = Line.of_effects(scores, options, rng, exchange=exchange)
        old, new = (
            _effect(when, ends[place], line, place, options) for when, place in (("before", 0), ("after", -1))
        )
        of_change = _cautions(why, change, old.value, new.value)
        items, figures = _words(test, words, *ends)
        return Compared(
            estimates=(change, old, new),
            coverage=words.coverage,
            caveats=(*role_caveats(words.words, words.coverage, brief=False), *caveats_of(of_change)),
            items=items,
            item_value=MOVED if scores else "change of the association",
            figures=figures,
            lines=(lambda: [line]) if scores else None,
            conventions=options.stated(
                model,
                {
                    "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together, before and after each with its "
                    "own sd",
                    "ddof of the sd": options.ddof,
                    "intervals": "studentized; target words, or families or pairs of them, are resampled, the same before "
                    "and after",
                    "words": "those that are usable before the transform and after it",
                    "item value": "effect size d after each step"
                    if options.trace
                    else "s(w, A, B) after minus before",
                },
            ),
        )


def _effect(when: str, scores: Scores, line: Line, place: int, options: EffectOptions) -> Estimate:
    """d before or after, with its interval and the paper's p (Omrani Sabbaghi & Caliskan 2022, tables 2 and 5)."""
    x, y = scores
    value = line.values[place] if line.values else None
    ends = line.intervals[place] if line.intervals else None
    interval = None
    if ends is not None:
        low, high = ends
        interval = ConfidenceInterval(
            low=low, high=high, level=options.confidence, method="studentized", resamples=options.resamples
        )
    return Estimate(
        name=f"{EFFECT} {when}",
        value=value,
        unit=DEVIATIONS,
        n={"X": len(x), "Y": len(y)},
        interval=interval,
        p_values=() if value is None else (normal(x, y),),
    )


def _cautions(problem: str, change: Estimate, before: float | None, after: float | None) -> tuple[str, ...]:
    what = "it could not be measured" if change.value is None else "no interval of the change"
    found = [f"{what}: {problem}"] if problem else []
    if (
        before is not None
        and after is not None
        and before * after < 0
        and min(abs(before), abs(after)) > SMALL
    ):
        found.append(
            f"d has changed its sign, from {before:.3g} to {after:.3g}: the association is reversed, not removed"
        )
    return tuple(found)


def _words(
    test: Test, words: SameWords, before: Scores, after: Scores
) -> tuple[pa.Table, tuple[Figure, ...]]:
    old, new = np.concatenate(before), np.concatenate(after)
    if not old.size:
        return item_table(), ()
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
    )
