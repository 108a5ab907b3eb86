"""Placebo lists: where an effect size stands among those of random lists of neutral words in place of A and B.

With two topics for X and Y, many a pair of lists that has nothing to do with them gives a large d and a small p of
the target labels (Ethayarajh, Duvenaud & Hirst 2019, ACL). How many do depends on the model and on X and Y, and is measured.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.errors import OptionsError, UnknownNameError
from biascore.plugins_api import Catalogue, Estimate, Origin, Scalar, Test, WordList
from biascore.stats import Decision
from biascore_metrics.weat.effect import Effect
from biascore_metrics.weat.matching import Matching, Places
from biascore_metrics.weat.options import POOL, PlaceboOptions

REACH: Final = "placebo lists that reach the effect size"
REJECT: Final = "placebo lists with p <= alpha"
RELABELLINGS: Final = 999
"""Random partitions of the targets, the same for all placebo lists: each p is valid, and one product gives them all."""
NEAR: Final = 1e-9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """Neutral words in the language of a test, without the test's own; ``problem`` says why there are none.

    ``asked`` are all words of the list, the same for all tests of a language, so that a cache answers the next one.
    """

    address: str
    asked: WordList
    own: Collection[str]
    problem: str = ""

    @classmethod
    def of(cls, test: Test, catalogue: Catalogue, options: PlaceboOptions) -> Pool:
        """The pool that the options name; raises OptionsError where they name another than the default, in vain."""
        if not options.placebo:
            address = f"{test.language}/{options.placebo_pool}"
            return cls(address, WordList("none", ()), (), "placebo=0 asks for none")
        return cls.named(test, catalogue, options.placebo_pool, "placebo_pool")

    @classmethod
    def named(cls, test: Test, catalogue: Catalogue, pool: str, option: str) -> Pool:
        """The list ``pool`` that an ``option`` names; raises OptionsError where it is another than the default, in vain."""
        address = f"{test.language}/{pool}"
        own = {word.casefold() for words in test.roles.values() for word in words.words}
        try:
            return cls(address, catalogue.word_list(address), own)
        except UnknownNameError as error:
            if pool != POOL:
                raise OptionsError(f"{test.id}: {option}={pool!r}: {error}") from error
            file = "/".join(address.split("/")[:2])
            problem = f"there is no list {address}; write it in a stimuli file {file}.toml"
            return cls(address, WordList("none", ()), own, problem)

    def read_from(self, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file that holds the pool, where there is one."""
        return () if self.problem else (catalogue.origin(self.address),)

    def some(self, count: int) -> WordList:
        """So many of the words, or all where they are fewer, spread evenly over the list: where each one is dear."""
        words = [word for word in self.asked.words if word.casefold() not in self.own]
        places = np.unique(np.linspace(0, len(words) - 1, min(count, len(words))).round().astype(int))
        return WordList(self.asked.name, tuple(words[place] for place in places))

    def keep(self, words: Sequence[str]) -> npt.NDArray[np.intp]:
        """The places of those words that the test does not hold."""
        return np.array([i for i, word in enumerate(words) if word.casefold() not in self.own], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Placebo:
    """Where an effect stands among placebo lists: ``reach`` and ``reject`` are shares, None where there is a ``problem``.

    ``matched`` says in what they are like A and B, ``doubts`` where they could not be; ``alike`` is whether by frequency.
    """

    lists: int
    sizes: tuple[int, int]
    words: int
    address: str
    reach: float | None = None
    reject: float | None = None
    problem: str = ""
    alike: bool = False
    matched: str = ""
    doubts: tuple[str, ...] = ()

    @classmethod
    def without(cls, pool: Pool, problem: str = "") -> Placebo:
        """No placebo lists, and why."""
        return cls(0, (0, 0), 0, pool.address, problem=problem or pool.problem)

    @classmethod
    def measured(
        cls,
        scores: Floats,
        first: int,
        effect: Estimate,
        matching: Matching,
        pool: Pool,
        options: PlaceboOptions,
        rng: np.random.Generator,
    ) -> Placebo:
        """From the associations of X and Y (rows, the ``first`` of X) with the neutral words (columns) of a matching.

        The share that reaches the effect counts the effect itself, as a p-value does, so it is never 0.
        """
        width, count = scores.shape[1], sum(matching.sizes)
        if effect.value is None:
            return cls.without(pool, "there is no effect size")
        if 2 * width < 3 * count:
            return cls.without(
                pool,
                f"{pool.address} has {width} usable words, and random lists of {count} need half as many again",
            )
        dealt = matching.deal(options.placebo, rng)
        d, p = _placebos(scores, first, matching.sizes, dealt, options, rng)
        sided = abs if options.alternative == "two-sided" else float
        beyond = int(np.count_nonzero(d >= sided(effect.value) - NEAR))
        return cls(
            lists=len(d),
            sizes=matching.sizes,
            words=width,
            address=pool.address,
            reach=(1 + beyond) / (1 + len(d)),
            reject=float(np.mean(p <= options.alpha)),
            alike=matching.proxy is not None,
            matched=matching.told(dealt),
            doubts=matching.cautions(dealt),
        )

    def estimates(self) -> tuple[Estimate, ...]:
        """Both shares; no interval, for the lists share words."""
        if self.reach is None:
            return ()
        n = {"placebo lists": self.lists, "neutral words": self.words}
        return tuple(
            Estimate(name=name, value=value, unit="share", neutral=None, n=n)
            for name, value in ((REACH, self.reach), (REJECT, self.reject))
        )

    def told(self, options: PlaceboOptions) -> str:
        """Both shares in a sentence; empty where none were asked for, else why there are none."""
        if not options.placebo:
            return ""
        if self.reach is None or self.reject is None:
            return f"There are no placebo lists: {self.problem}."
        size = "|d|" if options.alternative == "two-sided" else "d"
        frequent = " as frequent as A and B" if self.alike and not self.doubts else ""
        a, b = self.sizes
        return (
            f"Of {self.lists} pairs of placebo lists, {a} + {b} random neutral words{frequent}, {100 * self.reach:.3g} % "
            f"reach this {size} and {100 * self.reject:.3g} % have p <= {options.alpha:g} with target labels permuted."
        )

    def added(self, decision: Decision, options: PlaceboOptions) -> Decision:
        """The decision, with the sentence on placebo lists behind its reason."""
        return Decision(decision.verdict, " ".join(filter(None, [decision.reason, self.told(options)])))

    def cautions(self, effect: Effect, options: PlaceboOptions) -> tuple[str, ...]:
        """That lists without a meaning do as well where the p-value alone would tell of an association, or are no match."""
        p_value = effect.estimates[0].p_values[0].value if effect.estimates[0].p_values else None
        if self.reach is None or p_value is None or p_value > options.alpha:
            return ()
        if self.reach <= options.alpha:
            return self.doubts
        return (
            f"{100 * self.reach:.3g} % of random lists of neutral words reach this effect size, so it says little of what "
            "A and B mean",
        )

    def in_brief(self, effect: Effect, options: PlaceboOptions) -> tuple[str, ...]:
        """The same in a few words."""
        if self.reach is None or self.reach <= options.alpha or not self.cautions(effect, options):
            return ()
        return (f"{100 * self.reach:.0f} % of arbitrary word lists show as much",)

    def stated(self) -> dict[str, Scalar]:
        """The convention on placebo lists."""
        if self.reach is None:
            return {"placebo lists": f"none: {self.problem}"}
        a, b = self.sizes
        return {
            "placebo lists": f"{self.lists} disjoint pairs of {a} + {b} of {self.words} words of {self.address} that are "
            f"not in the test, {self.matched}; p from {RELABELLINGS} partitions of the targets"
        }


def _placebos(
    scores: Floats,
    first: int,
    sizes: tuple[int, int],
    order: Places,
    options: PlaceboOptions,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """The effect size (its absolute value, where two-sided) of each pair of placebo lists, and its p of target labels.

    ``order`` (lists, a + b) names the neutral words in each pair, those of A first.
    """
    rows, width = scores.shape
    a, b = sizes
    dealt = np.zeros((len(order), width))
    np.put_along_axis(dealt, order[:, :a], 1.0 / a, axis=1)
    np.put_along_axis(dealt, order[:, a:], -1.0 / b, axis=1)
    s = scores @ dealt.T
    labels = np.repeat([1.0 / first, -1.0 / (rows - first)], [first, rows - first])
    relabelled = rng.permuted(np.broadcast_to(labels, (RELABELLINGS, rows)), axis=1)
    observed, found = labels @ s, relabelled @ s
    if options.alternative == "two-sided":
        observed, found = np.abs(observed), np.abs(found)
    spread = s.std(axis=0, ddof=options.ddof)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Without variance there is no effect size; to reach the effect is the cautious way to count it.
        d = np.where(spread > NEAR * np.abs(s).max(), observed / spread, np.inf)
    tolerance = NEAR * np.abs(s).max(axis=0)
    p: Floats = (1 + np.count_nonzero(found >= observed - tolerance, axis=0)) / (1 + RELABELLINGS)
    return d, p
