"""The p-values of permutation tests, by name, the deciding one first.

The paper's own test decides: the labels of the observations permuted, words (or the units that lists declare) as units. With
A and B fixed it asks whether X - Y is orthogonal to A - B, which two groups hardly ever are, so a run compares the effect
with those of harmless groups as well. Without these (grammatical gender), the labels of the other lists have to reject too:
the larger of both p-values decides, as in crossed designs (Clark 1973); and so where the words of the targets are too few
to be exchanged within their kinds, and those of the attributes are not. Else that test, which takes eight words for a
sample, is reported only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.results.estimates import PValue
from biascore.stats import PermutationTest, effect_size, normal_approximation

LARGER: Final = "the larger of two"
NORMAL: Final = "normal approximation"


Alternative = Literal["two-sided", "greater"]


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests of one difference: of its own labels, the papers', and of the labels of the lists across.

    ``papers`` exchanges the words of the own lists one by one; it is ``own`` itself where that does so, too. ``labels`` name
    the labels of both ("target", "attribute"). ``both``: whether both have to reject.
    """

    own: PermutationTest
    papers: PermutationTest
    across: PermutationTest
    labels: tuple[str, str]
    both: bool = False

    def p_values(self, alternative: Alternative) -> tuple[PValue, ...]:
        """The deciding one first: of the own labels, or the larger of both; then the others, the papers' own among them.

        A one-sided test has the two-sided p second, which tells of an effect the other way. The deciding one is 1 where the
        tests point `apart`.
        """
        many = 2 if alternative == "greater" else 1
        papers = permutation_p_values(self.papers, alternative)
        own = permutation_p_values(self.own, alternative)[:many]
        across = permutation_p_values(self.across, alternative)[:many]
        of_own = () if self.own is self.papers else _named(own, f"{self.labels[0]} labels")
        of_across = _named(across[:1], f"{self.labels[1]} labels")
        larger = [max(pair, key=lambda p: p.value) for pair in zip(own, across, strict=True)]
        if self.both:
            return (*_named(self._none_apart(larger), LARGER), *of_own[:1], *of_across, *papers)
        if of_own:
            return (*self._none_apart(of_own), *papers, *of_across)
        return (*papers, *of_across)

    def _none_apart(self, deciding: Iterable[PValue]) -> tuple[PValue, ...]:
        return tuple(p.model_copy(update={"value": 1.0}) if self.apart else p for p in deciding)

    @property
    def apart(self) -> bool:
        """Whether the difference lies on one side of 0 and, of what a test compares it with, on the other.

        What blocks add to the difference may outweigh what the words add: then no direction can be detected.
        """
        across = {self.across.direction} if self.both else set()
        return {1.0, -1.0} <= {np.sign(self.own.statistic), self.own.direction, *across}

    def told(self, alternative: Alternative) -> str:
        """The p-values of which the larger decides, or why the one that decides is 1; empty where neither is so."""
        own, across = (permutation_p_values(test, alternative)[0].value for test in (self.own, self.across))
        mine, others = self.labels
        and_others = f" and the {others} labels (p = {across:z.3g})" if self.both else ""
        if self.apart:
            return (
                f"It is 1 because the {mine} labels (p = {own:z.3g}){and_others}, exchanged within kinds of words, and the "
                "effect do not all point one way."
            )
        if not self.both:
            return ""
        return f"It is the larger of {own:z.3g} ({mine} labels permuted) and {across:z.3g} ({others} labels permuted)."


def _named(p_values: Iterable[PValue], more: str) -> tuple[PValue, ...]:
    return tuple(p.model_copy(update={"name": f"{p.name}, {more}"}) for p in p_values)


def normal(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> PValue:
    """The closed form of the GG-WEAT code (Omrani Sabbaghi & Caliskan 2022, tables 2 and 5)."""
    p = normal_approximation(effect_size(x, y, 1), len(x), len(y))
    return PValue(name=NORMAL, value=p, kind="asymptotic", alternative="greater")


def permutation_p_values(
    test: PermutationTest, alternative: Literal["two-sided", "greater"]
) -> tuple[PValue, ...]:
    """Valid one- and two-sided p, and the papers' strict one-sided p (Caliskan et al. 2017)."""
    one = PValue.of(test.greater, test.method, "greater", "one-sided")
    two = PValue.of(test.two_sided, test.method, "two-sided", "two-sided")
    strict = PValue(
        name="one-sided, strict",
        value=test.greater.p_strict,
        kind=test.method,
        alternative="greater",
        inequality="strict",
        n=test.greater.n_total,
    )
    return (two, one, strict) if alternative == "two-sided" else (one, two, strict)
