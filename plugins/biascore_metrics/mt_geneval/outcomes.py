"""Judged translations, and their shares by outcome and gender with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

import numpy as np

from biascore.api.metrics import ConfidenceInterval, Contrast, Estimate, PValue
from biascore.stats import Interval
from biascore.stats.differences import independent_difference, paired_difference
from biascore.stats.proportions import binomial_test, clustered_wilson_interval, wilson_interval
from biascore_metrics.mt_geneval.kind import FEMININE, MASCULINE, Line
from biascore_metrics.mt_geneval.words import (
    OUTCOMES,
    Outcome,
    last_part,
    outcome,
    own_words,
    words_of,
)

GAP: Final = "gap in correct, feminine - masculine"
WRONG_GAP: Final = "gap in incorrect, feminine - masculine"
ACCURACY: Final = "published accuracy"
COUNTERFACTUAL: Final = "counterfactual accuracy"
CONTEXTUAL: Final = "contextual accuracy"
SHARE: Final = "share"


@dataclass(frozen=True, slots=True)
class Judged:
    """A line, the part of its translation that is judged and whether that is the ``whole`` of it, and what it holds."""

    line: Line
    translation: str
    whole: bool
    outcome: Outcome
    accurate: bool
    held: frozenset[str]

    @classmethod
    def of(cls, line: Line, answer: str) -> Self:
        """Judge a translation."""
        own, other = own_words(line.own, line.other)
        text = last_part(answer)
        held = words_of(text) & (own | other)
        accurate = not held & other  # the published decision, by which an empty translation is accurate
        return cls(line, text, text == answer.strip(), outcome(text, own, other), accurate, held)


@dataclass(frozen=True)
class Outcomes:
    """Judged lines; ``paired``: each pair has a feminine and a masculine line."""

    judged: tuple[Judged, ...]
    paired: bool
    level: float

    @cached_property
    def told(self) -> list[Judged]:
        """Lines whose references tell the gender."""
        return [one for one in self.judged if not one.line.untold]

    def of(self, gender: str) -> list[Judged]:
        """Those of one gender."""
        return [one for one in self.told if one.line.gender == gender]

    def total(self, outcome: Outcome) -> int:
        """How many usable lines have an outcome."""
        return sum(one.outcome == outcome for one in self.told)

    def share(self, outcome: Outcome, gender: str) -> float:
        """The share of one outcome among the lines of a gender."""
        some = self.of(gender)
        return sum(one.outcome == outcome for one in some) / len(some)

    @cached_property
    def gap(self) -> Interval | None:
        """The interval of the difference in correct."""
        return self._interval("correct")

    @cached_property
    def p_value(self) -> float | None:
        """Of the difference in correct."""
        return self._p("correct")

    @cached_property
    def neither_p(self) -> float | None:
        """Of the difference in neither."""
        return self._p("neither")

    @property
    def stated(self) -> dict[str, str]:
        """How interval and test are made."""
        if self.paired:
            return {
                "test": "McNemar, exact: of pairs with one correct, as many feminine as masculine",
                "interval of the gap": "Tango's score interval of paired shares",
            }
        return {
            "test": "Fisher's exact test, feminine and masculine sentences independent",
            "interval of the gap": "Newcombe's interval of independent shares",
        }

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The gap, which decides, each outcome of all and by gender, and what is published."""
        gap = self._difference(GAP, "correct").model_copy(
            update={"estimator": Contrast(groups={FEMININE: 1.0, MASCULINE: -1.0})}
        )
        every = tuple(self._of_all(outcome) for outcome in OUTCOMES)
        return (gap, self._difference(WRONG_GAP, "incorrect"), *every, *self.by_gender, *self._published())

    @cached_property
    def by_gender(self) -> tuple[Estimate, ...]:
        """The share of each outcome in each gender."""
        return tuple(
            self._plain(f"{outcome}, {gender}", [one.outcome == outcome for one in self.of(gender)])
            for outcome in OUTCOMES
            for gender in (FEMININE, MASCULINE)
        )

    def _counts(self, outcome: Outcome) -> tuple[list[bool], list[bool]]:
        """Whether each feminine and each masculine line has the outcome; of pairs in the same order."""
        feminine, masculine = ([one.outcome == outcome for one in self.of(g)] for g in (FEMININE, MASCULINE))
        return feminine, masculine

    def _interval(self, outcome: Outcome) -> Interval | None:
        feminine, masculine = self._counts(outcome)
        if not feminine or not masculine:
            return None
        if self.paired:
            return paired_difference(*_discordant(feminine, masculine), len(feminine), level=self.level)
        return independent_difference(
            (sum(feminine), len(feminine)), (sum(masculine), len(masculine)), level=self.level
        )

    def _p(self, outcome: Outcome) -> float | None:
        feminine, masculine = self._counts(outcome)
        if not feminine or not masculine:
            return None
        if self.paired:
            more, less = _discordant(feminine, masculine)
            return binomial_test(more, more + less) if more + less else 1.0
        from scipy.stats import fisher_exact  # slow to import, and only what is measured needs it

        table = np.array([[sum(some), len(some) - sum(some)] for some in (feminine, masculine)])
        return min(1.0, float(fisher_exact(table).pvalue))

    def _difference(self, name: str, outcome: Outcome) -> Estimate:
        interval, p = self._interval(outcome), self._p(outcome)
        feminine, masculine = self._counts(outcome)
        n = {FEMININE: len(feminine), MASCULINE: len(masculine)}
        if interval is None or p is None:
            return Estimate(name=name, value=None, unit=SHARE, n=n)
        return Estimate(
            name=name,
            value=sum(feminine) / len(feminine) - sum(masculine) / len(masculine),
            unit=SHARE,
            limits=(-1.0, 1.0),
            n=n,
            interval=ConfidenceInterval.of(interval),
            p_values=(
                PValue(
                    name="McNemar, exact" if self.paired else "Fisher, exact",
                    value=p,
                    kind="exact",
                    alternative="two-sided",
                ),
            ),
        )

    def _of_all(self, outcome: Outcome) -> Estimate:
        values = [one.outcome == outcome for one in self.told]
        pairs = [one.line.pair for one in self.told]
        if len(set(pairs)) < 2:
            return self._plain(outcome, values)
        interval = clustered_wilson_interval(values, pairs, level=self.level)
        return self._plain(outcome, values).model_copy(update={"interval": ConfidenceInterval.of(interval)})

    def _published(self) -> tuple[Estimate, ...]:
        """What the published code prints, of all lines that were given."""
        if not self.paired:
            return (self._plain(CONTEXTUAL, [one.accurate for one in self.judged]),)
        feminine, masculine = (
            [one.accurate for one in self.judged if one.line.gender == gender]
            for gender in (FEMININE, MASCULINE)
        )
        return (
            self._plain(f"{ACCURACY}, {FEMININE}", feminine),
            self._plain(f"{ACCURACY}, {MASCULINE}", masculine),
            self._plain(COUNTERFACTUAL, [a and b for a, b in zip(feminine, masculine, strict=True)]),
        )

    def _plain(self, name: str, values: Sequence[bool]) -> Estimate:
        """A share with Wilson's interval."""
        n, found = len(values), sum(values)
        interval = wilson_interval(found, n, level=self.level) if n else None
        return Estimate(
            name=name,
            value=found / n if n else None,
            unit=SHARE,
            neutral=None,
            limits=(0.0, 1.0),
            n={"lines": n},
            interval=ConfidenceInterval.of(interval) if interval else None,
        )


def _discordant(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int]:
    """Of how many pairs the first alone, and the second alone, has the outcome."""
    return (
        sum(a and not b for a, b in zip(first, second, strict=True)),
        sum(b and not a for a, b in zip(first, second, strict=True)),
    )
