"""weat-change: what a transform does to the effect size of WEAT, with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from biascore.api.figures import Histogram, Plane
from biascore.api.metrics import ConfidenceInterval, Context, Estimate, Model, Test, caveats_of, item_table
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line, SizeOptions, effect_of
from biascore.designs.crossed import ROLES, role_caveats
from biascore.designs.effect import DEVIATIONS, EFFECT
from biascore.designs.same_words import EffectOptions, Scores, embed_on
from biascore.stats import ZeroVarianceError, effect_size
from biascore.stats.change import bootstrap_effect_change
from biascore.stats.exchange import Exchange

CHANGE: Final = f"change of {EFFECT}"
LEAST: Final = {"X": 2, "Y": 2, "A": 1, "B": 1}
SMALL: Final = 0.2
"""Cohen's small effect: a sign that changes between smaller ones is no association that is reversed."""


def change_of(
    scores: tuple[Scores, Scores],
    options: SizeOptions,
    rng: np.random.Generator,
    *,
    name: str = CHANGE,
    roles: tuple[str, str] = ("X", "Y"),
    exchange: Exchange | None = None,
) -> tuple[Estimate, str]:
    """The change of the effect size of the same words, and why it or its interval could not be had.

    ``scores`` are their associations (x, y) before and after. The interval (bootstrap-t) resamples words, or families or
    pairs of them, as ``exchange`` says. A transform is not random: nothing is tested.
    """
    before, after = scores
    value, interval, problem = None, None, ""
    try:
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
    n = dict(zip(roles, map(len, before), strict=True))
    ends = ConfidenceInterval.of(interval) if interval else None
    return Estimate(name=name, value=value, unit=DEVIATIONS, n=n, interval=ends), problem


class WeatChange(BeforeAfterMetric[EffectOptions, Test]):
    """The effect size of WEAT before and after a transform; the headline is its change."""

    name = "weat-change"
    summary = "WEAT before and after a transform: the change of d with a paired interval"
    use = "associates"
    reference = "Omrani Sabbaghi & Caliskan 2022, tables 2 and 5; the interval is this project's"
    kinds = frozenset({"weat"})
    needs_transform = True
    positive_means = "a higher effect size d after the transform than before"
    negative_means = "a lower effect size d after the transform than before"

    def compare(self, models: Sequence[Model], model: Model, test: Test, context: Context) -> Compared:
        """The change of d, and before and after it d with the paper's p (tables 2 and 5); items are the words' scores."""
        options, rng = self.options, context.rng
        words = embed_on(models, {role: test.roles[role].words for role in ROLES}, options.level, options)
        names = (CHANGE, f"{EFFECT} before", f"{EFFECT} after")
        n = {"X": 0, "Y": 0}
        unmeasured = Compared(
            problem=words.problem(LEAST),
            estimates=tuple(Estimate(name=name, value=None, unit=DEVIATIONS, n=n) for name in names),
            coverage=words.coverage,
            caveats=role_caveats(words.words, words.coverage, brief=False),
            item_value="change of the association s(w, A, B)",
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
        if unmeasured.problem:
            return unmeasured
        scores = [words.targets(place) for place in range(len(models))]
        before, after = scores[0], scores[-1]
        exchange = words.exchange(test, "X", "Y")
        change, why = change_of((before, after), options, rng, exchange=exchange)
        effects = [effect_of(one, options, rng, exchange=exchange) for one in scores]
        ends = [
            effects[place].model_copy(update={"name": name})
            for name, place in zip(names[1:], (0, -1), strict=True)
        ]
        said = [f"no interval of the change: {why}"] if why and change.value is not None else []
        said += _reversed(effects[0].value, effects[-1].value)
        old, new = np.concatenate(before), np.concatenate(after)
        x, y, a, b = (test.roles[role].name for role in ROLES)
        return replace(
            unmeasured,
            problem=why if change.value is None else "",
            estimates=(change, *ends),
            caveats=(*unmeasured.caveats, *caveats_of(said)),
            lines=lambda: [Line.of(EFFECT, DEVIATIONS, effects)],
            items=item_table(
                item=[*words.words["X"], *words.words["Y"]],
                group=[x] * len(before[0]) + [y] * len(before[1]),
                value=(new - old).tolist(),
                more={"before": old.tolist(), "after": new.tolist()},
            ),
            figures=(
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


def _reversed(before: float | None, after: float | None) -> list[str]:
    if before is None or after is None or before * after >= 0 or min(abs(before), abs(after)) <= SMALL:
        return []
    return [
        f"d has changed its sign, from {before:z.3g} to {after:z.3g}: the association is reversed, not removed"
    ]
