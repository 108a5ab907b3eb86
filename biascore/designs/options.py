"""Options that the metrics of WEAT's family share: WEAT, SC-WEAT, SEAT and LPBS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import field_validator

from biascore.basics.frozen import Scalar
from biascore.designs.bounds import Bound
from biascore.designs.words import LevelOptions, WordOptions, exchange_of
from biascore.errors import OptionsError
from biascore.metric import Draws, Resamples
from biascore.models.model import Model
from biascore.stats import (
    Interval,
    PermutationTest,
    Unreachable,
    Verdict,
    ZeroVarianceError,
    can_show,
    effect_interval,
    exact_cost,
    shift_interval,
    too_few_for_negligible,
    words_for_negligible,
)
from biascore.stats.attainable import Attainable
from biascore.stats.cosines import Cosines
from biascore.stats.exchange import Exchange
from biascore.stats.permutation import EXACT_MAX_SUMS
from biascore.stats.relabelling import countable, exchange_test
from biascore.stats.two_way import two_way_intervals
from biascore.stats.units import bootstrap_difference
from biascore.stimuli import Test, WordList

MAX_DEGENERATE_SHARE: Final = 0.01
TWO_WAY: Final = "two-way"
OWN_KIND: Final = "auto"
NO_REFERENCE: Final = "none"
Bootstrap: TypeAlias = Literal["two-way", "tested"]


class AssociationOptions(WordOptions):
    """Conventions of the effect size d, each of which changes a number and is stated in every measurement.

    ``ddof``: of the effect size's denominator; 1 is Caliskan 2017's, 0 WEFE's and BFH-AMI/BIAS's.
    ``alternative``: the p-value that decides. An audit does not know in advance in which direction a bias
    runs, so the default is two-sided; the papers' tests are one-sided ("greater").
    ``permutation``: count all partitions, or draw ``draws`` of them; "auto" counts where it can.
    ``bootstrap``: how the interval is made; "two-way" resamples all four lists, where a metric has them in one table;
    "tested" holds A and B fixed, studentized, kept from contradicting the two-sided test.
    ``bound``: an effect whose whole interval is within it counts as negligible (Cohen's small effect); "none" states none.
    """

    ddof: Literal[0, 1] = 1
    alternative: Literal["two-sided", "greater"] = "two-sided"
    permutation: Literal["auto", "exact", "monte-carlo"] = "auto"
    draws: Draws = 100_000
    bootstrap: Bootstrap = "tested"
    resamples: Resamples = 5000
    bound: Bound = 0.2

    @field_validator("ddof", mode="before")
    @classmethod
    def _is_no_boolean(cls, value: object) -> object:
        if isinstance(value, bool):  # True equals 1, and pydantic takes it for the literal
            raise ValueError("must be 0 or 1, not a boolean")
        return value

    crossed: ClassVar[bool] = False
    """Whether the metric gives a table of all four lists, so that both sides of it can be resampled."""

    @field_validator("bootstrap")
    @classmethod
    def _has_both_sides(cls, bootstrap: str) -> str:
        if bootstrap == TWO_WAY and not cls.crossed:
            raise ValueError(
                "two-way resamples all four lists, and this metric resamples two of them; use tested"
            )
        return bootstrap

    def resampled(self, own: str, across: str) -> str:
        """Which words the intervals resample, as a convention."""
        return f"{own} and, apart from them, {across}" if self.bootstrap == TWO_WAY else own

    @property
    def deciding(self) -> str:
        """Which p-value decides, as a convention."""
        return (
            f"{self.alternative}, labels of the observations permuted; 1 where it and the effect point apart"
        )

    def check_exact(self, one: Sequence[str], other: Sequence[str], test: Test, what: str = "words") -> None:
        """Raise OptionsError where ``permutation="exact"`` asks for more than can be counted."""
        keep = self.duplicates == "keep"
        sizes = [len(some) if keep else len(set(some)) for some in (one, other)]
        if self.permutation == "exact" and exact_cost(*sizes) > EXACT_MAX_SUMS:
            raise OptionsError(
                f"{test.id}: {sizes[0]} + {sizes[1]} {what} have too many partitions to count them all. "
                f"Use permutation=auto or permutation=monte-carlo"
            )

    def unreachable(
        self, lists: Mapping[str, WordList], own: tuple[str, str] = ("X", "Y")
    ) -> tuple[Unreachable, ...]:
        """What lists of these sizes, families and counterparts cannot show: ``own`` are those whose words are resampled."""
        keep = self.duplicates == "keep"
        words = {
            role: some.words if keep else tuple(dict.fromkeys(some.words)) for role, some in lists.items()
        }
        size = {role: len(some) for role, some in words.items()}
        one, other = own
        kind = "target" if own == ("X", "Y") else "attribute"
        found: tuple[Unreachable, ...] = ()
        if size[one] and size[other]:
            given = exchange_of((lists[one], lists[other]), (words[one], words[other]))
            exchange = given.reaching(self.alpha)
            least = Attainable(exchange.smallest_p(self.alternative), exchange.told(f"{kind} words"))
            found = Unreachable.detected(least, self.alpha)
        if self.bound is None or not can_show(self.confidence, self.alpha):
            return found
        if too_few_for_negligible(size[own[0]], size[own[1]], self.bound, self.confidence):
            many = words_for_negligible(self.bound, self.confidence)
            why = (
                f"an interval inside the bound of {self.bound:g} takes about {many} words in each {kind} list"
            )
            found += (Unreachable(Verdict.NEGLIGIBLE, why),)
        return found

    def test(
        self,
        x: npt.NDArray[np.float64],
        y: npt.NDArray[np.float64],
        exchange: Exchange,
        rng: np.random.Generator,
    ) -> PermutationTest:
        """The test that decides: families are exchanged as a whole, counterparts and kinds within themselves.

        Blocks that cannot reach alpha are left out, and lists of unlike sizes compared by the studentized difference.
        Raises OptionsError where ``permutation="exact"`` asks for more than can be counted.
        """
        allowed = exchange.reaching(self.alpha)
        by_words = allowed.plain and not allowed.unequal
        if self.permutation == "exact" and not by_words and not countable(allowed):
            raise OptionsError(
                f"{allowed.told('words')} have too many labellings to count them all. Use permutation=auto or "
                "permutation=monte-carlo"
            )
        return exchange_test(
            x, y, allowed, studentized=allowed.unequal, method=self.permutation, draws=self.draws, rng=rng
        )

    def difference_interval(
        self,
        x: npt.NDArray[np.float64],
        y: npt.NDArray[np.float64],
        test: PermutationTest,
        rng: np.random.Generator,
    ) -> Interval | None:
        """The interval of the mean difference of x and y, whose deciding test is ``test``; None where there is none."""
        if test.studentized and test.exchange is not None:
            try:
                return bootstrap_difference(
                    x, y, test.exchange, level=self.confidence, resamples=self.resamples, rng=rng
                )
            except ZeroVarianceError:
                return None
        found = shift_interval(
            x, y, level=self.confidence, draws=self.resamples, rng=rng, exchange=test.exchange
        )
        return found if np.isfinite([found.low, found.high]).all() else None  # not with very few words

    def two_way(
        self,
        table: npt.NDArray[np.float64] | Cosines,
        exchanges: tuple[Exchange, Exchange],
        rng: np.random.Generator,
    ) -> tuple[Interval | None, Interval | None, str]:
        """The two-way intervals of d and of the mean difference, or None twice and the reason.

        ``exchanges`` of the rows and of the columns of ``table`` say what is resampled as one.
        """
        (first, rows), (cut, columns) = (
            (sum(one.first[unit] for unit in one.unit), one.together) for one in exchanges
        )
        try:
            found = two_way_intervals(
                table,
                first,
                cut,
                ddof=self.ddof,
                level=self.confidence,
                resamples=self.resamples,
                rng=rng,
                rows=rows,
                columns=columns,
            )
        except ZeroVarianceError as error:
            return None, None, f"{error}; bootstrap=tested resamples one side alone"
        return found.effect, found.difference, ""

    def interval(
        self,
        x: npt.NDArray[np.float64],
        y: npt.NDArray[np.float64],
        test: PermutationTest,
        rng: np.random.Generator,
    ) -> tuple[Interval | None, str]:
        """The interval of the effect size of x and y, whose permutation test is ``test``, or None and the reason."""
        try:
            interval = effect_interval(
                x,
                y,
                p_two_sided=test.two_sided.p_value,
                ddof=self.ddof,
                level=self.confidence,
                resamples=self.resamples,
                rng=rng,
                exchange=test.exchange,
            )
        except ZeroVarianceError as error:
            return None, str(error)
        return interval, ""

    @staticmethod
    def degenerate(interval: Interval | None, what: str) -> tuple[str, ...]:
        """A warning where more than 1 % of the resamples had no variance and are left out of the interval."""
        if interval is None or interval.n_degenerate <= MAX_DEGENERATE_SHARE * interval.resamples:
            return ()
        return (
            f"{interval.n_degenerate} of {interval.resamples} bootstrap resamples of {what} had no variance and are "
            "left out of its interval",
        )

    def conventions(self, model: Model, own: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """What a reader must know to compute the same numbers: the metric's own conventions and the options."""
        return {
            **own,
            "ddof of the sd": self.ddof,
            "valid p-values": "weak inequality, the observed partition counted",
            "permutation": self.permutation,
            "draws where not exact": self.draws,
            "bootstrap": f"{self.bootstrap}, {self.resamples} resamples",
            "equivalence bound": self.bound,
            "alpha": self.alpha,
            **self.word_conventions(),
        }


class ReferenceOptions(AssociationOptions):
    """``reference``: the stimuli file, in the language of the test, whose lists are harmless groups.

    "auto" is ``people`` where the test's groups are people, else ``topics``; "none" compares with none, so that nothing can
    be detected.
    """

    crossed: ClassVar[bool] = True

    bootstrap: Bootstrap = TWO_WAY
    reference: str = OWN_KIND

    @field_validator("reference")
    @classmethod
    def _names_a_file(cls, reference: str) -> str:
        if not reference.strip() or "/" in reference:
            raise ValueError(f"is {reference!r}; name a stimuli file without its language, such as 'people'")
        return reference


class VectorOptions(LevelOptions, AssociationOptions):
    """Conventions of a metric on vectors."""

    def conventions(self, model: Model, own: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """What a reader must know to compute the same numbers: the metric's own conventions and the options."""
        return {**super().conventions(model, own), **self.level_conventions(model)}


class WeatOptions(ReferenceOptions, VectorOptions):
    """Conventions of WEAT, which are those on vectors and on harmless groups."""
