"""Random lists of neutral words that are as frequent as A and B, so that frequency alone gives them as much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import Model
from biascore_metrics.frequency import Frequency, Proxy, Rows

ROLES: Final = ("A", "B")
NEUTRAL: Final = "neutral"
WINDOW: Final = 0.25
"""The share of the neutral words that may stand in the place of an attribute: those nearest to it in frequency. Narrower
windows match no better on a real model (tests/benchmarks/bench_frequency.py), and their lists differ less by chance."""
LEAST: Final = 10
"""Of so many words a window holds at least."""
FAR: Final = 0.5
"""Standard deviations of the neutral words: so far from A or B lists are no match any more."""

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Matching:
    """How random lists are drawn: for each word of A and B from the neutral words nearest to it by ``proxy``.

    ``proxy`` knows the roles A, B and neutral; None where the model tells nothing of frequency, and lists are then of like
    number only. ``sizes`` are those of A and B, ``width`` is the number of neutral words.
    """

    sizes: tuple[int, int]
    width: int
    proxy: Proxy | None = None

    @classmethod
    def of(
        cls,
        model: Model,
        attributes: Mapping[str, Sequence[str]],
        neutral: Sequence[str],
        vectors: Mapping[str, Rows] | None = None,
    ) -> Self:
        """By the best proxy of frequency that the model has; asks it nothing.

        ``vectors`` are (n, d) by the roles A, B and neutral, where there are any.
        """
        words = {role: attributes[role] for role in ROLES} | {NEUTRAL: neutral}
        proxies = Frequency.of(model, words, vectors).proxies if all(words.values()) else ()
        sizes = len(words["A"]), len(words["B"])
        return cls(sizes, len(neutral), proxies[0] if proxies else None)

    @property
    def window(self) -> int:
        """How many neutral words may stand in the place of an attribute, those as near as the last one aside."""
        return min(self.width, max(LEAST, math.ceil(WINDOW * self.width)))

    def deal(self, lists: int, rng: np.random.Generator) -> Places:
        """Which neutral words stand in the places of A and then of B, (lists, a + b), none twice in a row.

        Places are filled in random order. Where all words of a window are taken, the nearest free one stands in.
        Raises ValueError with fewer neutral words than places.
        """
        a, b = self.sizes
        if self.width < a + b:
            raise ValueError(f"{self.width} neutral words cannot fill {a} + {b} places")
        if self.proxy is None:
            every = np.broadcast_to(np.arange(self.width), (lists, self.width))
            return rng.permuted(every, axis=1)[:, : a + b]
        own = np.concatenate([self.proxy.values[role] for role in ROLES])
        apart = np.abs(own[:, np.newaxis] - self.proxy.values[NEUTRAL])
        within = apart <= np.sort(apart, axis=1)[:, [self.window - 1]]
        farther = 1.0 + np.argsort(np.argsort(apart, axis=1, kind="stable"), axis=1)
        order = rng.permuted(np.broadcast_to(np.arange(a + b), (lists, a + b)), axis=1)
        row = np.arange(lists)
        taken = np.zeros((lists, self.width), dtype=bool)
        dealt = np.empty((lists, a + b), dtype=np.intp)
        for place in order.T:
            # Within a window a word at random, below 1; beyond it the nearest, from 1 upwards.
            key = np.where(within[place], rng.random(taken.shape), farther[place])
            chosen = np.where(taken, np.inf, key).argmin(axis=1)
            dealt[row, place] = chosen
            taken[row, chosen] = True
        return dealt

    def told(self, dealt: Places) -> str:
        """By what the dealt lists match A and B, and how near they came, for a convention."""
        if self.proxy is None:
            return "like A and B in number only, as the model tells nothing of word frequency"
        shown = ", ".join(f"{own.told} by {own.theirs}" for own in self._matched(self.proxy, dealt))
        return (
            f"for each word of A and B one of the {self.window} nearest to it in {self.proxy.shown}, or the next that is "
            f"free: {shown} ({'geometric ' * self.proxy.logarithms}means)"
        )

    def cautions(self, dealt: Places) -> tuple[str, ...]:
        """That A or B, or both, are of another frequency than any lists of neutral words."""
        if self.proxy is None:
            return ()
        far = [own for own in self._matched(self.proxy, dealt) if own.apart >= FAR]
        if not far:
            return ()
        shown = " and ".join(f"{own.told}, in their place {own.theirs}" for own in far)
        return (
            f"the neutral words have no lists as frequent as A and B; {self.proxy.shown}: {shown}. So the share of placebo "
            "lists that reach this effect leaves out a part of what frequency gives",
        )

    def _matched(self, proxy: Proxy, dealt: Places) -> list[_Matched]:
        neutral = proxy.values[NEUTRAL]
        spread = float(neutral.std())
        found = []
        for role, places in zip(ROLES, np.split(dealt, [self.sizes[0]], axis=1), strict=True):
            own, theirs = proxy.values[role], neutral[places]
            apart = abs(float(own.mean() - theirs.mean()))
            found.append(
                _Matched(
                    f"{role} {proxy.mean(own)}",
                    proxy.mean(theirs),
                    apart / spread if spread > 0 else (math.inf if apart > 0 else 0.0),
                )
            )
        return found


@dataclass(frozen=True, slots=True)
class _Matched:
    """A role and its mean, the mean of the lists in its place, and how far apart in deviations of the neutral words."""

    told: str
    theirs: str
    apart: float
