"""Intervals and tests of what questions of one template have in common: templates, not questions, are the observations.

Questions of one template share nearly every word. By question, intervals of ambiguous questions are 1.9 to 5.3 times too
narrow on the published answers of UnifiedQA, and those of disambiguated ones 1.3 to 6 times too wide: there the stereotyped
person is right in half of each template, so that scores are centred by design.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from biascore.stats import Interval, RegressionError, ZeroVarianceError, robust_mean
from biascore_metrics.bbq.scores import Flags, Floats, Ints

BY_TEMPLATE: Final = "t by template (CR2)"
PERMUTED: Final = "right answers permuted within templates, studentised by template"
ONE_EITHER_WAY: Final = "as if one answer more had gone either way"
MOST: Final = 2**20
"""Sums of templates that are drawn at most: of 300 templates 3,495 draws, which give a p of .05 a standard error of .004."""


@dataclass(frozen=True, slots=True)
class Tested:
    """A value with its interval, standard error and two-sided p-value; or ``problem``, why there are none."""

    value: float | None
    se: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    test: str = BY_TEMPLATE
    draws: int | None = None
    problem: str = ""


def by_template(values: Floats, templates: Ints, level: float, limits: tuple[float, float]) -> Tested:
    """The mean of values (n,) with the t interval of its templates (n,), and the test that it is 0.

    Where no template differs from another, as where every answer is the same, the interval is that of the values and one
    more at each of the ``limits``, as Bonett and Price (2012) add one that changed either way: so it has a width.
    """
    if not values.size:
        return Tested(None, problem="no question was answered with an option")
    mean = float(values.mean())
    if len(np.unique(templates)) < 2:
        return Tested(mean, problem="all questions are of one template, and nothing shows how others differ")
    try:
        found, adjusted = robust_mean(values, clusters=templates, level=level), ""
    except ZeroVarianceError:
        last = int(templates.max())
        more = np.concatenate([values, limits])
        found = robust_mean(more, clusters=np.concatenate([templates, [last + 1, last + 2]]), level=level)
        adjusted = f", {ONE_EITHER_WAY}"
    except RegressionError as error:
        return Tested(mean, problem=str(error).replace("cluster", "template"))
    ends = Interval(
        max(limits[0], min(found.low, mean)),
        min(limits[1], max(found.high, mean)),
        level,
        f"t by template (CR2, {found.df:.3g} df){adjusted}",
        0,
    )
    return Tested(mean, found.se, ends, found.p_value())


def ratio(over: Floats, under: Floats, templates: Ints, level: float, limits: tuple[float, float]) -> Tested:
    """sum(over) / sum(under), each (n,), with the interval of its linearisation: the denominator is random, too."""
    if not under.any():
        return Tested(None, problem="every answer is unknown, so that nothing is left to divide by")
    value = float(over.sum() / under.sum())
    linear = value + (over - value * under) / under.mean()
    return by_template(linear, templates, level, limits)


def difference(
    values: Floats, first: Flags, templates: Ints, level: float, limits: tuple[float, float]
) -> Tested:
    """The mean of values (n,) where ``first`` (n,) less that of the others, linearised in the same way."""
    one = first.astype(np.float64)
    other = 1.0 - one
    if not one.any() or not other.any():
        return Tested(None, problem="all its questions have the right answer on one side")
    means = float(values @ one / one.sum()), float(values @ other / other.sum())
    apart = means[0] - means[1]
    linear = apart + one * (values - means[0]) / one.mean() - other * (values - means[1]) / other.mean()
    return by_template(linear, templates, level, limits)


def permuted(
    scores: Floats, pro: Flags, templates: Ints, *, level: float, draws: int, rng: np.random.Generator
) -> Tested:
    """The mean of scores (n,) of disambiguated questions, where the right answers, ``pro`` or not, are permuted (n,).

    What a question became (right, the other person, unknown) has by hypothesis nothing to do with which person is the right
    one, within a template. The statistic is the mean, less what unequal numbers on both sides make of it, over its
    standard error by template, so that the test also holds where templates differ and only their mean is 0 (Chung and
    Romano 2013, Annals of Statistics 41:484). The interval takes its quantile in place of that of t.
    """
    plain = by_template(scores, templates, level, (-1.0, 1.0))
    if plain.interval is None or plain.value is None:
        return plain
    cells = _Templates.of(scores, pro, templates)
    draws = max(1, min(draws, MOST // cells.sizes.size))
    away = cells.mean_apart(cells.totals[None, :])
    drawn = np.sort(cells.drawn(draws, rng))
    observed = float(cells.over_error(away)[0])
    beyond = int(drawn.size - np.searchsorted(drawn, observed * (1.0 - 1e-9)))
    p_value = (1 + beyond) / (1 + draws)
    tested = replace(plain, p_value=p_value, test=PERMUTED, draws=draws)
    quantile = float(drawn[min(drawn.size - 1, math.ceil(level * (1 + draws)) - 1)])
    error = float(cells.error(away)[0])
    if not math.isfinite(quantile) or not error:
        return tested
    ends = (max(-1.0, plain.value - quantile * error), min(1.0, plain.value + quantile * error))
    return replace(tested, se=error, interval=Interval(*ends, level, f"by template, {PERMUTED}", 0))


def uneven(scores: Floats, pro: Flags, templates: Ints) -> float:
    """What the mean of scores would be without a bias, as the right answers are not on either side equally often."""
    return _Templates.of(scores, pro, templates).centre


@dataclass(frozen=True, slots=True, eq=False)
class _Templates:
    """The G templates of disambiguated questions: of each its size, and what its right answers became."""

    sizes: Floats
    """(G,)"""
    firsts: Ints
    """(G,), questions whose right answer agrees with the stereotype."""
    totals: Floats
    """(G,), sum of the scores."""
    expected: Floats
    """(G,), what that is on average over all permutations."""
    outcomes: tuple[tuple[Floats, Ints], ...]
    """Of each template the outcomes that there are (1 right, -1 the other person, between them others), and how many."""

    @classmethod
    def of(cls, scores: Floats, pro: Flags, templates: Ints) -> _Templates:
        side = np.where(pro, 1.0, -1.0)
        became = scores * side
        _, place, sizes = np.unique(templates, return_inverse=True, return_counts=True)
        firsts: Ints = np.bincount(place[pro], minlength=sizes.size)
        groups = np.split(became[np.argsort(place, kind="stable")], np.cumsum(sizes)[:-1])
        counted = tuple(np.unique(group, return_counts=True) for group in groups)
        means = np.array([group.mean() for group in groups])
        return cls(
            sizes.astype(np.float64),
            firsts,
            np.bincount(place, weights=scores).astype(np.float64),
            (2.0 * firsts - sizes) * means,
            counted,
        )

    @property
    def centre(self) -> float:
        return float(self.expected.sum() / self.sizes.sum())

    def mean_apart(self, totals: Floats) -> Floats:
        """Sums by template (draws, G), less what they are on average."""
        found: Floats = totals - self.expected
        return found

    def error(self, apart: Floats) -> Floats:
        """The standard error by template (draws,) of the mean of all."""
        n, count = self.sizes.sum(), self.sizes.size
        left = apart - np.outer(apart.sum(axis=1) / n, self.sizes)
        found: Floats = np.sqrt(count / (count - 1.0) * np.einsum("ij,ij->i", left, left)) / n
        return found

    def over_error(self, apart: Floats) -> Floats:
        """|mean| over its standard error (draws,); 0 where both are 0, infinite where only the error is."""
        mean, error = np.abs(apart.sum(axis=1)) / self.sizes.sum(), self.error(apart)
        tiny = 1e-12
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = np.where(mean <= tiny, 0.0, np.where(error <= tiny, np.inf, mean / error))
        return found

    def drawn(self, draws: int, rng: np.random.Generator) -> Floats:
        """The statistic (draws,) of right answers permuted within each template."""
        totals = np.empty((draws, self.sizes.size))
        for g, (values, counts) in enumerate(self.outcomes):
            on_first = rng.multivariate_hypergeometric(counts, self.firsts[g], size=draws) @ values
            totals[:, g] = 2.0 * on_first - float(values @ counts)
        return self.over_error(self.mean_apart(totals))
