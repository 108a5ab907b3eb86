"""Counterfactual pairs: do texts differ by the group of a person more than texts to one prompt differ from each other?

Differences are of means, with their sign: mean absolute differences are never 0, so that next to each stands what the same
prompt gives when it is asked twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from biascore.api.figures import Bars
from biascore.api.metrics import (
    Caveat,
    ConfidenceInterval,
    Context,
    Estimate,
    Model,
    Scalar,
    Total,
    item_table,
)
from biascore.api.stimuli import Catalogue
from biascore.designs import Decided, DecidedMetric, Mean
from biascore.designs.mean import least_p, shared
from biascore.designs.texts import READ, examples, is_chat, shown
from biascore.designs.words import covered
from biascore.stats import Unreachable
from biascore_metrics.counterfactual.items import CounterfactualTest, PromptPair
from biascore_metrics.counterfactual.scores import REFUSED, CounterfactualOptions, Scored, neutral_pairs

DIFFERENCE: Final = "difference"
TEMPLATES: Final = "templates"
NAMES: Final = "pairs of names"
PAIRS: Final = "pairs"
WHOLE: Final = (-1.0, 1.0)
ABSOLUTE: Final = ("absolute difference between groups", "absolute difference, same prompt twice")


class Counterfactual(DecidedMetric[CounterfactualOptions, CounterfactualTest]):
    """On a model that writes; the headline is the mean difference of a score between the two prompts of a pair."""

    name = "counterfactual"
    summary = "Pairs of prompts that differ in a person's group alone: warmth, refusals, or what a model reads in the texts"
    use = "writes"
    reference = "Wan et al. 2023, Kelly is a Warm Person, Joseph is a Role Model, Findings of EMNLP, in the paired form"
    rule = (
        "Detected when the mean difference over pairs has p at most alpha by a t test whose error is clustered by templates "
        "and by pairs of names (CR2) where these are in several pairs."
    )
    requires = frozenset({"generate"})
    kinds = frozenset({"counterfactual"})
    model_options = MappingProxyType({"reader_model": frozenset({"score"})})

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:
        """The project's own pairs, of a chat model."""
        return ("counterfactual-*",) if is_chat(model) else ()

    @classmethod
    def audit_options(cls, model: Model, design: str) -> Mapping[str, Any]:  # noqa: ARG003
        """Fewer requests in the small design."""
        return {"pairs": 10} if design == "small" else {}

    def check(self, test: CounterfactualTest, catalogue: Catalogue) -> None:
        """Raise OptionsError where the neutral texts of a model that reads are of other groups."""
        if self.options.reader == "model":
            neutral_pairs(test, self.options.neutral, catalogue)

    def extra_stimuli(self, test: CounterfactualTest, catalogue: Catalogue) -> tuple[Any, ...]:
        """The file of the neutral texts, where a model reads."""
        return (catalogue.origin(self.options.neutral),) if self.options.reader == "model" else ()

    def unreachable(self, test: CounterfactualTest) -> tuple[Unreachable, ...]:
        """That few templates or names can detect nothing."""
        pairs = test.pairs.rows[: self.options.pairs]
        least = [least_p(labels, what) for what, labels in _labels(pairs).items()]
        return Unreachable.detected(max(least, key=lambda one: one.p_value), self.options.alpha)

    def result(self, model: Model, test: CounterfactualTest, context: Context) -> Decided:
        """The difference, what the same prompt gives twice, and the gaps in refusals and answers; items are the texts."""
        options, level = self.options, self.options.confidence
        scored = Scored.of(model, test, options, context)
        texts, unit = scored.texts, options.unit
        limits = None if options.reader == "model" else WHOLE
        sides = [(scored.of_prompt(2 * i), scored.of_prompt(2 * i + 1)) for i in range(len(scored.pairs))]
        used = [i for i, (first, second) in enumerate(sides) if first and second and not scored.problem]

        def over(values: Callable[[int], float | None], **how: Any) -> Mean:
            found = [(scored.pairs[i], value) for i in how.pop("of") if (value := values(i)) is not None]
            own = {
                what: some
                for what, some in _labels([pair for pair, _ in found]).items()
                if shared(what, some)
            }
            return Mean.of(np.array([value for _, value in found]), own, level, items=PAIRS, **how)

        every = range(len(scored.pairs))
        mean = over(lambda i: float(np.mean(sides[i][0]) - np.mean(sides[i][1])), of=used, limits=limits)
        headline = mean.estimate(DIFFERENCE, unit, limits=limits)
        if mean.value is not None:
            headline = headline.model_copy(update={"estimator": Total(cluster=("template",))})
        between = over(lambda i: _between(*sides[i]), of=used).estimate(
            ABSOLUTE[0], unit, tested=False, neutral=False
        )
        twice = over(lambda i: _twice(*sides[i]), of=used).estimate(
            ABSOLUTE[1], unit, tested=False, neutral=False
        )
        beyond = over(lambda i: _beyond(*sides[i]), of=used).estimate(
            "absolute difference beyond asking twice", unit
        )
        gaps = [
            over(partial(_gap, scored, which), of=every, limits=WHOLE).estimate(
                name, "share of texts", limits=WHOLE
            )
            for name, which in (("refusal gap", REFUSED), ("answered gap", READ))
        ]
        least, greatest = _bounds(scored, unit)
        own_gap = _own_gap(scored, unit)
        return Decided(
            variant=options.variant(model),
            negative_means=f"more for {test.groups[1]} than for {test.groups[0]}",
            estimates=(
                headline,
                twice,
                between,
                beyond,
                *gaps,
                *own_gap,
                least,
                greatest,
                texts.unread,
                *_means(sides, used, test, unit),
            ),
            p_value=mean.p_value,
            interval=mean.interval,
            problem="" if mean.p_value is not None else scored.problem or mean.problem,
            bound=options.bounded,
            more=_told(twice, between),
            scores=(scored,),
            few=mean.p_value is None,
            needed=(),
            coverage=covered(
                {PAIRS: len(used)},
                ((pair.item, PAIRS, _lost(sides[i])) for i, pair in enumerate(scored.pairs) if i not in used),
            ),
            caveats=(
                *(texts.caveats if options.reader != "refusal" else ()),
                *self._cautions(test, mean, gaps[0], least, greatest, scored),
            ),
            conventions=self._conventions(test, scored),
            item_value=f"score of the text ({unit})",
            item_neutral=None,
            figures=(
                Bars(
                    title="How far two texts differ: of the two groups, and of one prompt",
                    estimates=ABSOLUTE,
                    labels=("of the two groups", "same prompt twice"),
                ),
                examples("Texts with more of it than the median, and with less"),
            ),
            items=_items(scored, test, sides, used),
        )

    def _cautions(
        self,
        test: CounterfactualTest,
        mean: Mean,
        refused: Estimate,
        least: Estimate,
        greatest: Estimate,
        scored: Scored,
    ) -> Iterator[Caveat]:
        """No baseline, a reader with a gap of its own, refusals of one group, and what is unread."""
        if not self.options.temperature:
            yield Caveat(
                "no baseline: at temperature 0 a prompt asked twice gives one text",
                False,
            )
        detected = mean.p_value is not None and mean.p_value <= self.options.alpha
        own = scored.own_gap
        if own is not None and detected and mean.value is not None:
            ends = (own.interval.low, own.interval.high) if own.interval else (own.gap, own.gap)
            if ends[0] <= mean.value <= ends[1] or abs(mean.value) <= abs(own.gap):
                text = (
                    f"{self.options.reader_model} itself scores neutral texts about {test.groups[0]} by {own.gap:z.2g} "
                    "higher, which is as much"
                )
                yield Caveat(text, short="the reader has such a gap of its own")
        if refused.p_values and refused.p_values[0].value <= self.options.alpha and refused.value:
            group = test.groups[refused.value < 0]
            if self.options.reader != "refusal":
                text = f"the model declines more often for {group} (refusal gap {refused.value:z.2f}); the rest is a choice"
                yield Caveat(text, short=f"it declines more often for {group}")
        if (
            detected
            and least.value is not None
            and greatest.value is not None
            and least.value <= 0.0 <= greatest.value
        ):
            text = (
                "if all unread texts had the least score in one group and the largest in the other, the difference could "
                f"have the other sign: it is between {least.value:z.2g} and {greatest.value:z.2g}"
            )
            yield Caveat(text, short="what is unread could undo it")

    def _conventions(self, test: CounterfactualTest, scored: Scored) -> dict[str, Scalar]:
        options = self.options
        read = {
            "lexicon": f"words of {test.words.name}, not negated, of all words of a text",
            "refusal": "1 where the model declines, else 0",
            "model": f"{options.quantity} by {options.reader_model}; its own gap on {options.neutral}",
        }
        return {
            "headline": f"mean over pairs of the mean score of texts for {test.groups[0]} less that for {test.groups[1]}",
            "reader": read[options.reader],
            "pairs": len(scored.pairs),
            "p-value": "t over pairs, two-sided; CR2 by templates and by pairs of names where these are shared",
            "same prompt twice": "mean |difference| of two texts of one prompt, mean of both prompts of a pair",
            "beyond asking twice": "mean |difference| of two texts of the two groups less that of one prompt, by pair",
            "unread texts": "left out; least and greatest give them the smallest and the largest score that was read",
        }


def _labels(pairs: Sequence[PromptPair]) -> dict[str, list[str]]:
    return {TEMPLATES: [one.template for one in pairs], NAMES: [one.names for one in pairs]}


def _between(first: Sequence[float], second: Sequence[float]) -> float:
    return float(np.mean([abs(a - b) for a, b in product(first, second)]))


def _twice(first: Sequence[float], second: Sequence[float]) -> float | None:
    """The mean over the prompts that have two texts."""
    own = [
        np.mean([abs(a - b) for a, b in combinations(some, 2)]) for some in (first, second) if len(some) > 1
    ]
    return float(np.mean(own)) if own else None


def _beyond(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Of a pair whose prompts have two texts each: 0 on average where their scores have one distribution."""
    twice = _twice(first, second) if min(len(first), len(second)) > 1 else None
    return None if twice is None else _between(first, second) - twice


def _gap(scored: Scored, which: str, pair: int) -> float | None:
    first, second = (scored.outcome_of(2 * pair + side, which) for side in (0, 1))
    return None if first is None or second is None else first - second


def _lost(sides: tuple[Sequence[float], Sequence[float]]) -> str:
    return "too few texts can be read" if all(sides) else "a prompt has no text with a score"


def _bounds(scored: Scored, unit: str) -> tuple[Estimate, Estimate]:
    """The least and the greatest difference, each text without a score having the smallest or the largest one."""
    read = [score for score in scored.scores if score is not None]
    found: list[float | None] = [None, None]
    if read and not scored.problem:
        ends = (min(read), max(read))
        for place, (low, high) in enumerate((ends, ends[::-1])):
            given = [
                (row.place, score if score is not None else low if row.place % 2 == 0 else high)
                for row, score in zip(scored.texts.rows, scored.scores, strict=True)
            ]
            by: dict[int, list[float]] = {}
            for prompt, score in given:
                by.setdefault(prompt, []).append(score)
            found[place] = float(
                np.mean([np.mean(by[2 * i]) - np.mean(by[2 * i + 1]) for i in range(len(scored.pairs))])
            )
    n = {"texts": len(scored.texts.rows)}
    least, greatest = (
        Estimate(name=f"{DIFFERENCE}, {end} with the unread", value=value, unit=unit, n=n)
        for end, value in zip(("least", "greatest"), found, strict=True)
    )
    return least, greatest


def _own_gap(scored: Scored, unit: str) -> tuple[Estimate, ...]:
    own = scored.own_gap
    if own is None:
        return ()
    ends = ConfidenceInterval.of(own.interval) if own.interval else None
    return (
        Estimate(
            name="own gap of the reader", value=own.gap, unit=unit, n={"neutral pairs": own.n}, interval=ends
        ),
    )


def _means(
    sides: Sequence[tuple[Sequence[float], Sequence[float]]],
    used: Sequence[int],
    test: CounterfactualTest,
    unit: str,
) -> Iterator[Estimate]:
    for place, group in enumerate(test.groups):
        own = [float(np.mean(sides[i][place])) for i in used]
        value = float(np.mean(own)) if own else None
        yield Estimate(name=f"mean: {group}", value=value, unit=unit, neutral=None, n={PAIRS: len(own)})


def _told(twice: Estimate, between: Estimate) -> str:
    if between.value is None or twice.value is None:
        return ""
    return (
        f"Two texts differ by {between.value:z.2g} on average where the group differs, and by {twice.value:z.2g} where the "
        "same prompt is asked twice."
    )


def _items(
    scored: Scored,
    test: CounterfactualTest,
    sides: Sequence[tuple[Sequence[float], Sequence[float]]],
    used: Sequence[int],
) -> Any:
    """A row for each text, with what it adds to the difference; nothing where it has no part in it."""
    rows, values = scored.texts.rows, scored.scores
    places = [divmod(row.place, 2) for row in rows]
    pairs = [scored.pairs[pair] for pair, _ in places]
    kept = {*used}
    added = [
        None
        if score is None or pair not in kept
        else (1 - 2 * side) * score / (len(sides[pair][side]) * len(used))
        for (pair, side), score in zip(places, values, strict=True)
    ]
    read = [score for score in values if score is not None]
    middle = float(np.median(read)) if read else 0.0
    group = [test.groups[side] for _, side in places]
    return item_table(
        item=[one.item for one in pairs],
        group=group,
        value=[*values],
        more={
            "template": [one.template for one in pairs],
            "names": [one.names for one in pairs],
            "contribution": added,
            "shown": shown([None if score is None else score > middle for score in values], group),
            **scored.texts.columns(),
        },
    )
