"""Planted words: for every word of the declared tests, its loadings on one axis per test, or per dimension of a test.

A test with attributes A, B and targets X, Y gets an axis of its own. Attributes load on it with
+-ATTRIBUTE, targets with +-shift plus a normal deviate of sd SPREAD. Then
s(w, A, B) = 2 * ATTRIBUTE * load(w) + noise, and the shift is chosen so that the population
effect size, with the standard deviation over X and Y together, is the declared one.

A test of kind ``fise`` gets an axis for each of its dimensions. Its targets load on each with a shift plus SPREAD times
normal scores in an order drawn for the axis, whose mean is 0, and which does not go together with that of the other
dimensions: the standardised mean bias is the declared effect, and 0
means that the words are spread evenly. The forms of a target load alike, so that their mean does too.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.errors import RefError
from biascore.planting.world import Place, World, mixed
from biascore.stats.normal import normal_quantile
from biascore.stimuli import Test, WordList

ATTRIBUTE: Final = 0.25
SPREAD: Final = 0.1
NOISE_DIMENSIONS: Final = 1024
"""Dimensions of a planted vector that carry no effect."""
MAX_LOADING: Final = 0.95
ORDERS: Final = 200
GENDER: Final = "gender"
"""The concept whose effect translations and masculine and feminine forms carry."""


@dataclass(frozen=True, slots=True)
class Loading:
    """A word's place on one axis: ``mean`` is fixed, ``spread`` scales the word's own normal deviate.

    ``pole`` is +1 for X and A, -1 for Y and B, whatever the sign of the effect, and 0 for a target of no pole. Deviates of
    the words of one ``cluster``, a name and a share, correlate by that share.
    """

    axis: int
    pole: int
    mean: float
    spread: float
    cluster: tuple[str, float] = ("", 0.0)


@dataclass(slots=True)
class Lexicon:
    """Planted words (case-folded) with their loadings, and the effect, the name and the concept of each axis.

    ``places``: what the ``world`` makes of each word, by the first list that it is in; ``attributes``: A (+1) or B (-1).
    ``topics``: the topic of words of the shipped topics, in a world where these share something.
    """

    world: World = field(default_factory=World)
    effects: list[float] = field(default_factory=list)
    axes: list[str] = field(default_factory=list)
    concepts: list[str] = field(default_factory=list)
    words: dict[str, list[Loading]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    attributes: dict[str, int] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)

    @property
    def attribute(self) -> float:
        """How far attributes lie from the middle of their axis."""
        return ATTRIBUTE if self.world.axis is None else self.world.axis

    def effect_of(self, words: Iterable[str], concept: str | None = None) -> float:
        """The declared effect of the first planted test that words are on a pole of, signed by its pole; else 0."""
        balance: dict[int, int] = {}
        for word in words:
            for axis, sign in self.poles(word).items():
                if concept is None or self.concepts[axis] == concept:
                    balance[axis] = balance.get(axis, 0) + sign
        for axis, total in sorted(balance.items()):
            if total:
                return self.effects[axis] if total > 0 else -self.effects[axis]
        return 0.0

    def vocabulary(self) -> tuple[str, ...]:
        """The words in the order of the tests that name them, those of higher declared frequency first."""
        return tuple(sorted(self.words, key=lambda word: -self.places[word].frequency))

    def place(self, word: str, seed: int) -> Place:
        """What the world makes of a word in lower case, whether a test names it or not."""
        named = self.places.get(word)
        if named is not None:
            return named
        side = generator(seed, "frequency", word).uniform(-1, 1) if self.world.spread else 0.0
        return self.world.everyone(side, self.topics.get(word, ""))

    def length(self, word: str, seed: int) -> int:
        """The sub-tokens that a word is read in, as many as the world declares on average; at least 1."""
        place = self.places.get(word.casefold())
        if place is None:
            return 1
        one_more = generator(seed, "length", word.casefold()).random() < place.length % 1
        return max(1, min(len(word), int(place.length) + one_more))

    def check_room(self) -> None:
        """Raise RefError where a word is in more tests than a unit vector has room for."""
        for word, loadings in self.words.items():
            taken = sum(x.mean**2 + (3 * x.spread) ** 2 for x in loadings)
            if taken + self.places[word].frequency ** 2 > MAX_LOADING:
                raise RefError(
                    f"planted: the word {word!r} is in {len(loadings)} of the declared tests and dimensions, more than "
                    f"one vector has room for. Declare fewer tests at a time, or smaller effects."
                )

    def poles(self, word: str) -> dict[int, int]:
        """Axis to +1 (X or A) or -1 (Y or B) for a planted word; empty for any other."""
        signs: dict[int, int] = {}
        for loading in self.words.get(word.casefold(), ()):
            signs[loading.axis] = signs.get(loading.axis, 0) + loading.pole
        return {axis: (total > 0) - (total < 0) for axis, total in signs.items() if total}

    def told(self) -> list[str]:
        """All loadings as lines, for a digest."""
        lines = [
            f"{w}\t{sorted((x.axis, x.pole, x.mean, x.spread) for x in xs)}"
            for w, xs in sorted(self.words.items())
        ]
        if self.world.values:
            lines += [self.world.told, *(f"{word}\t{place}" for word, place in sorted(self.places.items()))]
            lines += [f"{word}\t{topic}" for word, topic in sorted(self.topics.items())]
        return [repr(self.effects), repr(self.axes), *lines]

    def plant_contrast(self, test: Test, contrast: Mapping[str, WordList], effect: float) -> None:
        """Give the test its axis, on which X and A lie away from Y and B."""
        words = {role: tuple(dict.fromkeys(contrast[role].words)) for role in ("X", "Y", "A", "B")}
        sizes = {role: len(some) for role, some in words.items()}
        shift = target_shift(effect, sizes, self.attribute)
        axis = self._axis(test.id, test.concept, effect)
        self._attributes(axis, test.id, words["A"], words["B"])
        for role, pole in (("X", 1), ("Y", -1)):
            for position, word in enumerate(words[role]):
                self._place(word, test.id, role, position)
                cluster = self.world.cluster(test.id, role, position)
                self._load(word, Loading(axis, pole, pole * shift, SPREAD, cluster))

    def plant_dimensions(
        self,
        test: Test,
        given: Iterable[tuple[str, ...]],
        dimensions: Iterable[tuple[str, WordList, WordList]],
        effect: float,
        seed: int,
    ) -> None:
        """Give the test an axis for each dimension (name, A, B), over which its targets are spread, by their forms."""
        units = list(dict.fromkeys(given))
        kinds = np.array([len(set(forms)) for forms in units])
        placed: list[npt.NDArray[np.float64]] = []
        for dimension, *both in dimensions:
            name = f"{test.id} {dimension}"
            a, b = (tuple(dict.fromkeys(words.words)) for words in both)
            axis = self._axis(name, test.concept, effect)
            self._attributes(axis, name, a, b)
            share = self.world.cluster(test.id, "T", 0)[1]
            clusters = [self.world.cluster(test.id, "T", i)[0] for i in range(len(units))] if share else []
            placed.append(_uncorrelated(kinds, placed, generator(seed, "loading", name), clusters, share))
            shift = mean_shift(effect, len(a), len(b), self.attribute)
            planted: set[str] = set()
            for position, (forms, score) in enumerate(zip(units, placed[-1], strict=True)):
                for form in dict.fromkeys(forms):
                    self._place(form, test.id, "T", position)
                    if form.casefold() not in planted:  # a form of two pairs lies where the first does
                        planted.add(form.casefold())
                        self._load(form, Loading(axis, 0, shift + SPREAD * float(score), 0.0))

    def _axis(self, name: str, concept: str, effect: float) -> int:
        self.effects.append(effect)
        self.axes.append(name)
        self.concepts.append(concept)
        return len(self.axes) - 1

    def _attributes(self, axis: int, test: str, a: Sequence[str], b: Sequence[str]) -> None:
        for role, words, pole in (("A", a, 1), ("B", b, -1)):
            for position, word in enumerate(words):
                self._place(word, test, role, position)
                self.attributes.setdefault(word.casefold(), pole)
                self._load(word, Loading(axis, pole, pole * self.attribute, 0.0))

    def _place(self, word: str, test: str, role: str, position: int) -> None:
        self.places.setdefault(word.casefold(), self.world.place(test, role, position))

    def _load(self, word: str, loading: Loading) -> None:
        self.words.setdefault(word.casefold(), []).append(loading)


def normal_scores(n: int) -> npt.NDArray[np.float64]:
    """Quantiles of a normal distribution (n,), ascending, with mean 0 and sample standard deviation 1 (0 if n is 1)."""
    scores = np.array([normal_quantile((i + 0.5) / n) for i in range(n)])
    return np.asarray(scores / scores.std(ddof=1)) if n > 1 else np.zeros(n)


def _uncorrelated(
    kinds: npt.NDArray[np.int_],
    others: Sequence[npt.NDArray[np.float64]],
    rng: np.random.Generator,
    clusters: Sequence[str] = (),
    share: float = 0.0,
) -> npt.NDArray[np.float64]:
    """Normal scores of targets (n,) in a random order, the one of `ORDERS` that goes together least with the ``others``.

    Each of the ``kinds`` (n,), targets with one and with two forms, has scores with mean 0 of its own: the mean of two
    vectors is shorter than one, so that its cosines are larger, and those of the kinds must not outweigh each other.
    Dimensions that happen to go together are an interaction, which 0 must not plant. Targets of one of the ``clusters``
    are close to each other: the deviates that order them correlate by ``share``.
    """
    drawn = np.empty((ORDERS if others else 1, len(kinds)))
    if clusters:
        shared = rng.standard_normal((len(drawn), len(set(clusters))))[
            :, np.unique(clusters, return_inverse=True)[1]
        ]
        deviates = mixed(shared, rng.standard_normal(drawn.shape), share)
    for kind in np.unique(kinds):
        scores = normal_scores(int(np.count_nonzero(kinds == kind)))
        if clusters:
            drawn[:, kinds == kind] = scores[deviates[:, kinds == kind].argsort(axis=1).argsort(axis=1)]
        else:
            drawn[:, kinds == kind] = rng.permuted(np.broadcast_to(scores, (len(drawn), len(scores))), axis=1)
    together = [np.abs(drawn @ other) for other in others]
    return np.asarray(drawn[int(np.argmin(np.max(together, axis=0)))] if others else drawn[0])


def target_shift(effect: float, sizes: dict[str, int], attribute: float = ATTRIBUTE) -> float:
    """Half the distance of X and Y on the axis that gives the declared population effect size.

    With the share p of X among the targets, d = D / sqrt(sigma^2 + p(1-p) D^2), solved for D; sigma^2
    holds the spread of the targets and the noise of a mean of cosines in NOISE_DIMENSIONS dimensions.
    """
    if not effect:
        return 0.0  # also where the attributes lie on no axis
    share = sizes["X"] / (sizes["X"] + sizes["Y"])
    sigma = _sigma(sizes["A"], sizes["B"], attribute)
    distance = sigma * effect / math.sqrt(1 - share * (1 - share) * effect**2)
    return distance / (4 * attribute)


def mean_shift(effect: float, a: int, b: int, attribute: float = ATTRIBUTE) -> float:
    """The place of the targets on the axis that makes the mean of s(w, A, B) ``effect`` standard deviations of it."""
    return effect * _sigma(a, b, attribute) / (2 * attribute) if effect else 0.0


def _sigma(a: int, b: int, attribute: float) -> float:
    """The standard deviation of s(w, A, B) over targets of one kind, the noise of mean cosines included."""
    noise = (1 - attribute**2) * (1 - SPREAD**2) / NOISE_DIMENSIONS * sum(1 / n for n in (a, b) if n)
    return math.sqrt((2 * attribute * SPREAD) ** 2 + noise)


def generator(seed: int, *parts: str) -> np.random.Generator:
    """A generator that depends on the seed and the text alone, on every machine."""
    text = "\0".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    return np.random.Generator(
        np.random.PCG64(int.from_bytes(hashlib.blake2b(text, digest_size=16).digest()))
    )
