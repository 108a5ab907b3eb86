"""The effect size of WEAT over associations of any kind: its interval, its permutation test and its verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from biascore.designs.decided import by_test
from biascore.designs.options import TWO_WAY, AssociationOptions
from biascore.designs.pvalues import Tests
from biascore.results.caveat import Caveat, caveats_of
from biascore.results.estimates import ConfidenceInterval, Estimate
from biascore.results.estimators import Contrast
from biascore.stats import (
    Attainable,
    Decision,
    Interval,
    Verdict,
    ZeroVarianceError,
    association,
    effect_size,
    permutation_test,
)
from biascore.stats.cosines import Cosines
from biascore.stats.exchange import Exchange, both_reaching

EFFECT: Final = "effect size d"
DIFFERENCE: Final = "mean difference of association"
DEVIATIONS: Final = "standard deviations"
UNSURE: Final = "other words might show no effect"


class Sample(NamedTuple):
    """A table of associations (n, m) as one test sees it: the rows are two lists, and the columns two others.

    The ``first`` rows and ``cut`` columns are of the one list each. ``exchange`` is what of the rows may be exchanged,
    ``across`` what of the columns. ``labels`` say what rows and columns are of, ``unit`` what one of them is.
    """

    table: npt.NDArray[np.float64] | Cosines
    first: int
    cut: int
    exchange: Exchange
    across: Exchange
    labels: tuple[str, str] = ("target", "attribute")
    unit: str = "words"

    @property
    def scores(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """s of the rows of the one list and of the other: mean association with the one columns less the others."""
        if isinstance(self.table, Cosines):
            s = self.table[:, : self.cut].mean(axis=1) - self.table[:, self.cut :].mean(axis=1)
        else:
            s = association(self.table[:, : self.cut], self.table[:, self.cut :])
        return s[: self.first], s[self.first :]

    @property
    def contributions(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """What the columns of the one list and of the other add to the same mean difference."""
        g = self.table[: self.first].mean(axis=0) - self.table[self.first :].mean(axis=0)
        return g[: self.cut], g[self.cut :]

    @property
    def kinds(self) -> tuple[str, str]:
        """What rows and columns are: ``("target words", "attribute words")``."""
        rows, columns = self.labels
        return f"{rows} {self.unit}", f"{columns} {self.unit}"


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
        sample: Sample | str,
        options: AssociationOptions,
        rng: np.random.Generator,
        *,
        unit: str = "cosine",
        roles: tuple[str, str] = ("X", "Y"),
        name: str = EFFECT,
        lists: tuple[str, str] | None = None,
        both: bool = False,
    ) -> Self:
        """Measure a sample of associations (Caliskan et al. 2017), or say the problem that is given in its place.

        The p-value of the labels of the rows decides; with ``both``, or where labels of columns alone can be exchanged
        within their kinds, the larger of theirs and of those of the columns: that one is none of the kinds'.
        ``unit`` is that of the associations, ``roles`` the lists of the rows. ``lists``: what the
        groups of the rows are called in the item table, where its values are their scores.
        """
        x, y = (np.empty(0), np.empty(0)) if isinstance(sample, str) else sample.scores
        n = dict(zip(roles, (len(x), len(y)), strict=True))
        empty = (
            Estimate(name=name, value=None, unit=DEVIATIONS, n=n),
            Estimate(name=DIFFERENCE, value=None, unit=unit, n=n),
        )
        if isinstance(sample, str):
            return cls(empty, None, sample)
        of_rows, of_columns = sample.kinds
        try:
            d = effect_size(x, y, options.ddof)
        except ZeroVarianceError as error:
            return cls(empty, None, f"the associations of the {of_rows} do not vary ({error})")
        own, across = both_reaching(sample.exchange, sample.across, options.alpha)
        both = both or own not in (sample.exchange, *sample.exchange.coarser[:1])
        test = options.test(x, y, own, rng)
        if options.bootstrap == TWO_WAY:
            interval, shifts, problem = options.two_way(sample.table, (sample.exchange, sample.across), rng)
        else:
            interval, problem = options.interval(x, y, test, rng)
            shifts = options.difference_interval(x, y, test, rng)
        # Permutations leave the denominator of d as it is, so the p-values are those of the difference too.
        papers = test
        if test.exchange is not None:
            papers = permutation_test(x, y, method=options.permutation, draws=options.draws, rng=rng)
        other = options.test(*sample.contributions, across, rng)
        tests = Tests(test, papers, other, sample.labels, both)
        deciding = ((test, of_rows), (other, of_columns))[: 1 + both]
        least = [one.attainable(options.alternative, of) for one, of in deciding]
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
        return cls(
            (effect, difference),
            interval,
            problem,
            max(least, key=lambda one: one.p_value),
            tests,
            f"{test.exchanged(of_rows)}; {other.exchanged(of_columns)}",
        )

    def decide(self, options: AssociationOptions) -> Decision:
        """The verdict by the deciding p-value and the interval; inconclusive where nothing could be measured."""
        decision = by_test(
            self.estimates[0],
            self.interval,
            options,
            options.bound,
            problem=self.problem,
            attainable=self.attainable,
            told=self.tests.told(options.alternative) if self.tests else "",
        )
        if self._unsure(options) and decision.verdict is Verdict.DETECTED:
            return Decision(decision.verdict, f"{decision.reason} The interval includes 0: {UNSURE}.")
        return decision

    def _unsure(self, options: AssociationOptions) -> bool:
        """Whether the deciding test rejects, and the interval, which resamples words, holds 0."""
        ends, p_values = self.interval, self.estimates[0].p_values
        return ends is not None and p_values[0].value <= options.alpha and ends.low <= 0 <= ends.high

    def caveats(self, options: AssociationOptions, what: str = "the targets") -> tuple[Caveat, ...]:
        """No interval, one that holds 0 though the test rejects, an effect the other way; resamples of ``what`` missing."""
        if self.estimates[0].value is None:
            return ()
        missing = f"no interval: {self.problem}" if self.problem else ""
        unsure = (
            (Caveat(f"the interval includes 0: {UNSURE}", short=UNSURE),) if self._unsure(options) else ()
        )
        touching = filter(None, (missing, self.estimates[0].opposite(options.alpha)))
        details = options.degenerate(self.interval, what)
        return (*unsure, *caveats_of(touching), *caveats_of(details, verdict=False))


def _from_items(lists: tuple[str, str] | None, options: AssociationOptions) -> Contrast | None:
    """How d follows from the items; not where both lists have one name and cannot be separated."""
    if lists is None or lists[0] == lists[1]:
        return None
    return Contrast(groups={lists[0]: 1.0, lists[1]: -1.0}, over_sd=options.ddof)


def _limits(nx: int, ny: int, ddof: int) -> tuple[float, float]:
    """Of d, whose standard deviation is over x and y together, and so never less than what their means alone make."""
    n = nx + ny
    far = math.sqrt((n - ddof) * n / (nx * ny))
    return -far, far
