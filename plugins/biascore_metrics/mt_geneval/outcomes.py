"""Judged translations, and their shares by outcome and gender with intervals and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, Self

import numpy as np

from biascore.api.metrics import Contrast, Estimate, Total
from biascore.designs.mean import Mean, shared
from biascore.stats.differences import independent_difference, paired_difference
from biascore.stats.proportions import binomial_test
from biascore_metrics.mt_geneval.kind import FEMININE, MASCULINE, Line, in_clusters
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
SIGNS: Final[Mapping[str, float]] = MappingProxyType({FEMININE: 1.0, MASCULINE: -1.0})


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
    def clustered(self) -> bool:
        """Whether pairs, or lines that are no pairs, come in clusters, so that the gap is tested by them."""
        return in_clusters([one.line for one in self._compared])

    @cached_property
    def gap(self) -> Mean:
        """The difference in correct."""
        return self.difference("correct")

    @property
    def stated(self) -> dict[str, str]:
        """How interval and test are made."""
        if self.clustered:
            test, interval = "t of the gap, its error by cluster (CR2, Satterthwaite's df)", "of that t"
        elif self.paired:
            test = "McNemar, exact: of pairs with one correct, as many feminine as masculine"
            interval = "Tango's score interval of paired shares"
        else:
            test = "Fisher's exact test, feminine and masculine sentences independent"
            interval = "Newcombe's interval of independent shares"
        return {"test": test, "interval of the gap": interval}

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The gap, which decides, each outcome of all and by gender, and what is published."""
        gap = self._estimate(GAP, self.gap).model_copy(
            update={
                "estimator": Total(cluster=("cluster",))
                if self.clustered
                else Contrast(groups={FEMININE: 1.0, MASCULINE: -1.0})
            }
        )
        wrong = self._estimate(WRONG_GAP, self.difference("incorrect"))
        every = tuple(self._share(outcome, self.told, outcome) for outcome in OUTCOMES)
        return (gap, wrong, *every, *self.by_gender, *self._published())

    @cached_property
    def by_gender(self) -> tuple[Estimate, ...]:
        """The share of each outcome in each gender."""
        return tuple(
            self._share(f"{outcome}, {gender}", self.of(gender), outcome)
            for outcome in OUTCOMES
            for gender in (FEMININE, MASCULINE)
        )

    def contributions(self) -> list[float | None]:
        """What each line adds to the gap; None of those that count in none."""
        n = {gender: len(self.of(gender)) for gender in SIGNS}
        return [
            None
            if one.line.untold or not one.line.gender
            else SIGNS[one.line.gender] * (one.outcome == "correct") / n[one.line.gender]
            for one in self.judged
        ]

    def difference(self, outcome: Outcome) -> Mean:
        """The difference in an outcome, feminine - masculine, with its interval and test."""
        feminine, masculine = ([one.outcome == outcome for one in self.of(g)] for g in SIGNS)
        n = {FEMININE: len(feminine), MASCULINE: len(masculine)}
        if not feminine or not masculine:
            return Mean(None, n, problem="there are no lines of both genders")
        if self.clustered:
            return self._by_cluster(outcome)
        gap = sum(feminine) / len(feminine) - sum(masculine) / len(masculine)
        if self.paired:
            more, less = _discordant(feminine, masculine)
            p = binomial_test(more, more + less) if more + less else 1.0
            interval = paired_difference(more, less, len(feminine), level=self.level)
            return Mean(gap, n, p_value=p, interval=interval, error="McNemar, exact", kind="exact")
        from scipy.stats import fisher_exact  # slow to import, and only what is measured needs it

        both = [(sum(some), len(some)) for some in (feminine, masculine)]
        p = min(1.0, float(fisher_exact(np.array([[k, of - k] for k, of in both])).pvalue))
        interval = independent_difference(*both, level=self.level)
        return Mean(gap, n, p_value=p, interval=interval, error="Fisher, exact", kind="exact")

    @cached_property
    def _compared(self) -> list[Judged]:
        """Lines that count in the gap."""
        return [one for one in self.told if one.line.gender]

    def _by_cluster(self, outcome: Outcome) -> Mean:
        """The gap as the mean of its influence values, so that lines of both genders of a cluster go together."""
        lines = self._compared
        feminine = np.array([one.line.gender == FEMININE for one in lines])
        apart = np.array([one.outcome == outcome for one in lines], dtype=np.float64)
        shares = [float(apart[some].mean()) for some in (feminine, ~feminine)]
        apart -= np.where(feminine, *shares)
        weight = len(lines) * np.where(feminine, 1.0 / feminine.sum(), -1.0 / (~feminine).sum())
        values = shares[0] - shares[1] + weight * apart
        return Mean.of(values, _clusters(lines), self.level, limits=(-1.0, 1.0), items="lines")

    def _estimate(self, name: str, found: Mean) -> Estimate:
        """A difference; without a value where there is nothing to compare."""
        if found.value is None:
            return Estimate(name=name, value=None, unit=SHARE, n=dict(found.n))
        return found.estimate(name, SHARE).model_copy(update={"limits": (-1.0, 1.0)})

    def _published(self) -> tuple[Estimate, ...]:
        """What the published code prints, of all lines that were given."""
        if not self.paired:
            return (self._plain(CONTEXTUAL, self.judged, [one.accurate for one in self.judged]),)
        by_gender = [[one for one in self.judged if one.line.gender == gender] for gender in SIGNS]
        feminine, masculine = ([one.accurate for one in lines] for lines in by_gender)
        both = [a and b for a, b in zip(feminine, masculine, strict=True)]
        return (
            self._plain(f"{ACCURACY}, {FEMININE}", by_gender[0], feminine),
            self._plain(f"{ACCURACY}, {MASCULINE}", by_gender[1], masculine),
            self._plain(COUNTERFACTUAL, by_gender[0], both),
        )

    def _share(self, name: str, lines: Sequence[Judged], outcome: Outcome) -> Estimate:
        """The share of an outcome among lines."""
        return self._plain(name, lines, [one.outcome == outcome for one in lines])

    def _plain(self, name: str, lines: Sequence[Judged], values: Sequence[bool]) -> Estimate:
        """A share of lines by their clusters, or pairs, where several have one."""
        found = Mean.share(values, _clusters(lines), self.level, items="lines")
        shown = found.estimate(name, SHARE, tested=False, neutral=False)
        return shown.model_copy(update={"limits": (0.0, 1.0)})


def _clusters(lines: Sequence[Judged]) -> dict[str, Sequence[str]]:
    """The clusters of lines as `Mean.of` takes them: those that the data name, or pairs."""
    named = any(one.line.cluster for one in lines)
    return shared("clusters" if named else "pairs", [one.line.together for one in lines])


def _discordant(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int]:
    """Of how many pairs the first alone, and the second alone, has the outcome."""
    return (
        sum(a and not b for a, b in zip(first, second, strict=True)),
        sum(b and not a for a, b in zip(first, second, strict=True)),
    )
