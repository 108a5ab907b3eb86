"""The effect size of WEAT over associations of any kind: its interval, its permutation test and its verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import Caveat, ConfidenceInterval, Contrast, Estimate, caveats_of
from biascore.stats import (
    Attainable,
    Decision,
    Interval,
    Verdict,
    ZeroVarianceError,
    decide,
    effect_size,
    permutation_test,
)
from biascore.stats.exchange import Exchange
from biascore_metrics.weat.options import TWO_WAY, AssociationOptions
from biascore_metrics.weat.pvalues import Tests

EFFECT: Final = "effect size d"
DIFFERENCE: Final = "mean difference of association"
DEVIATIONS: Final = "standard deviations"
UNSURE: Final = "interval includes 0: with other words for these lists there may be no effect"


@dataclass(frozen=True, slots=True)
class Across:
    """The same mean difference from the other side: what each word of the two lists that are not permuted adds to it.

    ``one`` and ``other`` are the words' differences between X and Y (or A and B), so that mean(one) - mean(other) is
    the difference of the effect; ``exchange`` is what of them may be exchanged. ``labels`` names the lists, "attribute" or
    "target", ``unit`` their elements. ``table`` (n, m) is what both sides are means of, n words of x and y, m of these; a
    two-way interval resamples both sides of it, and there is none without.
    """

    one: npt.NDArray[np.float64]
    other: npt.NDArray[np.float64]
    exchange: Exchange
    labels: str = "attribute"
    unit: str = "words"
    table: npt.NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        table: npt.NDArray[np.float64],
        first: int,
        cut: int,
        exchange: Exchange,
        labels: str = "attribute",
        unit: str = "words",
    ) -> Self:
        """From associations (words, others), of which the first ``first`` rows and ``cut`` columns are the one list."""
        g = table[:first].mean(axis=0) - table[first:].mean(axis=0)
        return cls(g[:cut], g[cut:], exchange, labels, unit, table)


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect size d of two samples of associations and their mean difference, in this order.

    ``interval`` is that of d. ``problem`` says why d, or the interval, could not be had. ``attainable`` is the
    smallest p that the deciding test can give, ``tests`` are those behind the p-values, and ``exchanged`` says what they
    exchange.
    """

    estimates: tuple[Estimate, Estimate]
    interval: Interval | None
    problem: str
    attainable: Attainable | None = None
    tests: Tests | None = None
    exchanged: str = "nothing"

    @classmethod
    def of(
        cls,
        x: npt.NDArray[np.float64],
        y: npt.NDArray[np.float64],
        options: AssociationOptions,
        rng: np.random.Generator,
        *,
        problem: str = "",
        unit: str = "cosine",
        roles: tuple[str, str] = ("X", "Y"),
        of_what: str = "target words",
        name: str = EFFECT,
        across: Across | None = None,
        exchange: Exchange | None = None,
        lists: tuple[str, str] | None = None,
    ) -> Self:
        """Measure associations x and y (Caliskan et al. 2017), unless a ``problem`` is known already.

        ``unit`` is that of the associations, ``roles`` the lists that x and y belong to, ``of_what`` their elements.
        ``across`` adds the test of the other two lists; then the larger of the two p-values decides. ``exchange`` is what
        of x and y may be exchanged; words one by one, where it is not given.
        ``lists``: what the groups of x and y are called in the item table, where its values are x and y.
        """
        n = dict(zip(roles, (len(x), len(y)), strict=True))
        empty = (
            Estimate(name=name, value=None, unit=DEVIATIONS, n=n),
            Estimate(name=DIFFERENCE, value=None, unit=unit, n=n),
        )
        if problem:
            return cls(empty, None, problem)
        try:
            d = effect_size(x, y, options.ddof)
        except ZeroVarianceError as error:
            return cls(empty, None, f"the associations of the {of_what} do not vary ({error})")
        own = exchange or Exchange.of((len(x), len(y)))
        test = options.test(x, y, own, rng)
        if across is not None and across.table is not None and options.bootstrap == TWO_WAY:
            interval, shifts, problem = options.two_way(across.table, (own, across.exchange), rng)
        else:
            interval, problem = options.interval(x, y, test, rng)
            shifts = options.difference_interval(x, y, test, rng)
        # Permutations leave the denominator of d as it is, so the p-values are those of the difference too.
        papers = test
        if test.exchange is not None:
            papers = permutation_test(x, y, method=options.permutation, draws=options.draws, rng=rng)
        tests, exchanged = Tests(test, papers), test.exchanged(of_what)
        attainable = test.attainable(options.alternative, of_what)
        if across is not None:
            other = options.test(across.one, across.other, across.exchange, rng)
            labels = ("target" if across.labels == "attribute" else "attribute", across.labels)
            tests, what = Tests(test, papers, labels, other), f"{across.labels} {across.unit}"
            least = other.attainable(options.alternative, what)
            attainable = max(attainable, least, key=lambda one: one.p_value)
            exchanged += f"; {other.exchanged(what)}"
        p_values = tests.p_values(options.alternative)
        effect = Estimate(
            name=name,
            value=d,
            unit=DEVIATIONS,
            limits=_limits(len(x), len(y), options.ddof),
            n=n,
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=p_values,
            estimator=_from_items(lists, options),
        )
        difference = Estimate(
            name=DIFFERENCE,
            value=test.statistic,
            unit=unit,
            n=n,
            interval=ConfidenceInterval.of(shifts) if shifts else None,
            p_values=p_values,
        )
        return cls((effect, difference), interval, problem, attainable, tests, exchanged)

    def decide(self, options: AssociationOptions) -> Decision:
        """The verdict by the deciding p-value and the interval; inconclusive where nothing could be measured."""
        effect = self.estimates[0]
        if effect.value is None:
            return Decision(Verdict.INCONCLUSIVE, f"It could not be measured: {self.problem}.")
        decision = decide(
            effect.p_values[0].value,
            self.interval,
            alpha=options.alpha,
            bound=options.bound,
            attainable=self.attainable,
        )
        both = self.tests.told(options.alternative) if self.tests else ""
        unsure = f"The {UNSURE}." if self._unsure(options) and decision.verdict is Verdict.DETECTED else ""
        reason = " ".join(filter(None, [decision.reason, both, unsure]))
        opposite = effect.opposite(options.alpha)
        if opposite and decision.verdict is Verdict.INCONCLUSIVE:
            reason += f" But {opposite}."
        return Decision(decision.verdict, reason)

    def _unsure(self, options: AssociationOptions) -> bool:
        """Whether the deciding test rejects, and the interval, which resamples words, holds 0."""
        ends, p_values = self.interval, self.estimates[0].p_values
        return ends is not None and p_values[0].value <= options.alpha and ends.low <= 0 <= ends.high

    def caveats(self, options: AssociationOptions, what: str = "the targets") -> tuple[Caveat, ...]:
        """No interval, one that holds 0 though the test rejects, an effect the other way; resamples of ``what`` missing."""
        if self.estimates[0].value is None:
            return ()
        missing = f"no interval: {self.problem}" if self.problem else ""
        unsure = f"the {UNSURE}" if self._unsure(options) else ""
        touching = filter(None, (missing, unsure, self.estimates[0].opposite(options.alpha)))
        details = options.degenerate(self.interval, what)
        return (*caveats_of(touching), *caveats_of(details, verdict=False))


def _from_items(lists: tuple[str, str] | None, options: AssociationOptions) -> Contrast | None:
    """How d follows from the items; not where both lists have one name and cannot be told apart."""
    if lists is None or lists[0] == lists[1]:
        return None
    return Contrast(groups={lists[0]: 1.0, lists[1]: -1.0}, over_sd=options.ddof)


def _limits(nx: int, ny: int, ddof: int) -> tuple[float, float]:
    """Of d, whose standard deviation is over x and y together, and so never less than what their means alone make."""
    n = nx + ny
    far = math.sqrt((n - ddof) * n / (nx * ny))
    return -far, far
