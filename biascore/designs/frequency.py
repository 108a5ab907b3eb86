"""How frequent the words of each list are, as far as a model tells, and where that alone may look like an association.

Vectors of frequent words are closer to each other than to those of rare words. So where X and A hold the frequent words
and Y and B the rare ones, an effect says as little of their meaning as of their frequency (van Loon et al. 2022, ICWSM;
Valentini et al. 2022, EMNLP Findings).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from biascore.basics.frozen import Scalar
from biascore.models.model import Model
from biascore.results.caveat import Caveat

LARGE: Final = 0.8
"""Standard deviations: two lists that differ by as much in frequency get a caveat (Cohen's large effect), of two pairs of
lists where the geometric mean of their differences is as large: the effect that frequency alone has goes by the product."""
ALSO: Final = "the lists also differ in word frequency"
VARIES: Final = 1e-3
"""Vectors whose lengths differ by less than this part of their mean are scaled to one length."""

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Proxy:
    """One quantity that correlates with frequency, for the words of each role (n,); ``shown`` is what it is called.

    ``higher`` says what words with higher values are, ``lower`` what the others are. ``logarithms``: the values are
    natural logarithms, and their mean is reported as a geometric one.
    """

    shown: str
    values: Mapping[str, Floats]
    higher: str
    lower: str
    logarithms: bool = False

    def told(self, *roles: str) -> str:
        """The mean of each of these roles, or of all."""
        return ", ".join(
            f"{role} {self.mean(self.values[role])}"
            for role in roles or self.values
            if len(self.values[role])
        )

    def difference(self, one: str, other: str) -> float:
        """How far the mean of one role lies above that of another, in standard deviations within them.

        0 for a role without words; infinite for roles that differ and do not vary.
        """
        a, b = self.values.get(one, np.empty(0)), self.values.get(other, np.empty(0))
        if not len(a) or not len(b):
            return 0.0
        apart = float(a.mean() - b.mean())
        within = float(np.concatenate([a - a.mean(), b - b.mean()]).std(ddof=min(2, len(a) + len(b) - 1)))
        if abs(apart) <= 1e-9 * max(1.0, float(np.abs(a).max()), float(np.abs(b).max())):
            return 0.0
        return apart / within if within > 0 else math.copysign(math.inf, apart)

    def mean(self, values: Floats) -> str:
        """The mean of some values of this kind, as text."""
        mean = float(values.mean())
        return f"{math.exp(mean):z,.0f}" if self.logarithms else f"{mean:z.3g}"


@dataclass(frozen=True, slots=True)
class Frequency:
    """What a model tells of the frequency of the words of each role; the first of ``proxies`` is what warnings go by."""

    proxies: tuple[Proxy, ...]

    @classmethod
    def of(
        cls, model: Model, words: Mapping[str, Sequence[str]], vectors: Mapping[str, Rows] | None = None
    ) -> Self:
        """The places of the words in a vocabulary by frequency, their sub-tokens, and the lengths of ``vectors`` (n, d).

        Only what is known of every word and is not the same for all of them. Asks no question.
        """
        return cls(tuple(proxies_of(model, words, vectors)))

    def stated(self) -> dict[str, Scalar]:
        """The convention on word frequency: the mean of each proxy by role, or that there is none."""
        if not self.proxies:
            return {
                "word frequency": "not known: of these words the model tells no ranks and no sub-tokens that differ, and no "
                "vectors of different lengths"
            }
        return {
            f"word frequency by {proxy.shown}": f"{proxy.told()} ({'geometric ' * proxy.logarithms}means)"
            for proxy in self.proxies
        }

    def both(
        self, targets: tuple[str, str] = ("X", "Y"), attributes: tuple[str, str] = ("A", "B")
    ) -> tuple[Caveat, ...]:
        """A caveat where both pairs of roles differ, so that frequency alone may give the effect."""
        if not self.proxies:
            return ()
        proxy = self.proxies[0]
        first, second = proxy.difference(*targets), proxy.difference(*attributes)
        if not first or not second or math.sqrt(abs(first)) * math.sqrt(abs(second)) < LARGE:
            return ()
        higher = targets[first < 0], attributes[second < 0]
        sign = "positive" if first * second > 0 else "negative"
        means = proxy.told(*targets, *attributes)
        text = (
            f"{' and '.join(targets)} differ in word frequency, and so do {' and '.join(attributes)} ({proxy.shown}: "
            f"{means}; {_sd(first)} and {_sd(second)}). {' and '.join(higher)} have the {proxy.higher}, and in many models "
            f"that alone gives a {sign} effect"
        )
        return (Caveat(text, short=ALSO),)

    def one(self, first: str, second: str, of: str) -> tuple[Caveat, ...]:
        """A caveat where two roles differ, so that ``of`` (the words compared with them) may follow frequency alone."""
        if not self.proxies:
            return ()
        proxy = self.proxies[0]
        apart = proxy.difference(first, second)
        if abs(apart) < LARGE:
            return ()
        higher, lower = (first, second) if apart > 0 else (second, first)
        text = (
            f"{first} and {second} differ in word frequency ({proxy.shown}: {proxy.told(first, second)}; {_sd(apart)}): "
            f"{higher} has the {proxy.higher}, {lower} the {proxy.lower}, and in many models {of} are closer to those that "
            "are as frequent as themselves"
        )
        return (Caveat(text, short=ALSO),)


def proxies_of(
    model: Model, words: Mapping[str, Sequence[str]], vectors: Mapping[str, Rows] | None = None
) -> Iterator[Proxy]:
    """The proxies of `Frequency.of`, the best first, each made when it is asked for."""
    roles = [role for role, some in words.items() for _ in some]
    known = model.familiarity([word for some in words.values() for word in some])
    ranks = [one.rank for one in known if one.rank is not None]
    tokens = [one.tokens for one in known if one.tokens is not None]
    if len(ranks) == len(roles):
        logs = _by_role(words, roles, np.log(np.array(ranks, dtype=np.float64)))
        yield from _varying(
            Proxy("rank in the vocabulary", logs, "rarer words", "more frequent words", logarithms=True)
        )
    if len(tokens) == len(roles):
        counts = _by_role(words, roles, np.array(tokens, dtype=np.float64))
        yield from _varying(
            Proxy("sub-tokens of a word", counts, "words of more pieces", "words of fewer pieces")
        )
    if vectors is not None:
        lengths = {
            role: np.linalg.norm(vectors[role].astype(np.float64), axis=1)
            if len(words[role])
            else np.empty(0)
            for role in words
        }
        yield from _varying(Proxy("length of the vector", lengths, "longer vectors", "shorter vectors"))


def _varying(proxy: Proxy) -> Iterator[Proxy]:
    """The proxy, where it is not the same for all words."""
    every = np.concatenate([*proxy.values.values(), np.empty(0)])
    if len(every) > 1 and float(every.std()) > VARIES * abs(float(every.mean())):
        yield proxy


def _sd(difference: float) -> str:
    return "no variation within them" if math.isinf(difference) else f"{abs(difference):z.2g} sd"


def _by_role(words: Mapping[str, Sequence[str]], roles: Sequence[str], values: Floats) -> dict[str, Floats]:
    own = np.array(roles)
    return {role: values[own == role] if len(values) else values for role in words}
