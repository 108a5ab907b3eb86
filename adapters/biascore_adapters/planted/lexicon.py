"""What is planted: for every word of the declared tests, its loadings on one axis per test.

A test with attributes A, B and targets X, Y gets an axis of its own. Attributes load on it with
+-ATTRIBUTE, targets with +-shift plus a normal deviate of sd SPREAD. Then
s(w, A, B) = 2 * ATTRIBUTE * load(w) + noise, and the shift is chosen so that the population
effect size, with the standard deviation over X and Y together, is the declared one.

A test of samples gets no axis: its sentences themselves lean, those of stereotypes about men one way, those of
stereotypes about women the other.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from biascore.errors import RefError, UnknownNameError
from biascore.plugins_api import SamplesTest, Test
from biascore.stimuli import Catalogue

ATTRIBUTE: Final = 0.25
SPREAD: Final = 0.1
NOISE_DIMENSIONS: Final = 1024
MAX_EFFECT: Final = 1.9
MAX_LOADING: Final = 0.95
GENDER: Final = "gender"
KINDS: Final = ("weat", "samples")


@dataclass(frozen=True, slots=True)
class Loading:
    """A word's place on one axis: ``mean`` is fixed, ``spread`` scales the word's own normal deviate.

    ``pole`` is +1 for X and A, -1 for Y and B, whatever the sign of the effect.
    """

    axis: int
    pole: int
    mean: float
    spread: float


@dataclass(slots=True)
class Lexicon:
    """Planted words (case-folded) with their loadings, the effect and concept of each axis, and a digest.

    ``samples`` are planted sentences with their effects, positive for stereotypes about men. ``declared`` are the
    effects by test id.
    """

    effects: list[float] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    concepts: list[str] = field(default_factory=list)
    words: dict[str, list[Loading]] = field(default_factory=dict)
    samples: dict[str, float] = field(default_factory=dict)
    declared: dict[str, float] = field(default_factory=dict)

    def poles(self, word: str) -> dict[int, int]:
        """Axis to +1 (X or A) or -1 (Y or B) for a planted word; empty for any other."""
        signs: dict[int, int] = {}
        for loading in self.words.get(word.casefold(), ()):
            signs[loading.axis] = signs.get(loading.axis, 0) + loading.pole
        return {axis: (total > 0) - (total < 0) for axis, total in signs.items() if total}

    def digest(self) -> str:
        """BLAKE2b over all loadings."""
        lines = [
            f"{w}\t{sorted((x.axis, x.pole, x.mean, x.spread) for x in xs)}"
            for w, xs in sorted(self.words.items())
        ]
        lines += [f"{sentence}\t{effect}" for sentence, effect in sorted(self.samples.items())]
        everything = "\n".join([repr(self.effects), repr(self.tests), *lines])
        return hashlib.blake2b(everything.encode(), digest_size=16).hexdigest()


def parse_declaration(locator: str) -> dict[str, float]:
    """Read ``gender=0.5,en/weat6=-1``; raises RefError for anything else, or an effect beyond +-1.9."""
    declared: dict[str, float] = {}
    for part in filter(None, (piece.strip() for piece in locator.split(","))):
        name, equals, number = part.partition("=")
        try:
            effect = float(number)
        except ValueError:
            effect = math.nan
        if not equals or not name.strip() or not abs(effect) <= MAX_EFFECT:
            raise RefError(
                f"planted:{locator}: {part!r} is not <concept or test>=<effect size within +-{MAX_EFFECT}>. "
                f"Write, for example, planted:gender=0.5"
            )
        declared.pop(name.strip(), None)  # so that the later entry also takes the later place
        declared[name.strip()] = effect
    return declared


def plant(declared: dict[str, float], catalogue: Catalogue) -> Lexicon:
    """Give every declared test its axis; a test declared twice takes the later effect.

    Raises UnknownNameError for a name that is neither a concept nor matches a test, RefError where a
    word stands in more tests than a unit vector has room for.
    """
    effects: dict[str, tuple[Test, float]] = {}
    for name, effect in declared.items():
        for test in _tests(name, catalogue):
            effects[test.id] = (test, effect)
    lexicon = Lexicon(declared={name: effect for name, (_, effect) in sorted(effects.items())})
    # In the order of ids, so that the same declaration in another order is the same model.
    for _, (test, effect) in sorted(effects.items()):
        if isinstance(test, SamplesTest):
            _plant_samples(lexicon, test, effect)
        else:
            _plant_test(lexicon, test, effect)
    for word, loadings in lexicon.words.items():
        if sum(x.mean**2 + (3 * x.spread) ** 2 for x in loadings) > MAX_LOADING:
            raise RefError(
                f"planted: the word {word!r} stands in {len(loadings)} of the declared tests, more than one vector "
                f"has room for. Declare fewer tests at a time, or smaller effects."
            )
    return lexicon


def _tests(name: str, catalogue: Catalogue) -> list[Test]:
    plantable = [test for test in catalogue.tests if test.kind in KINDS]
    by_concept = [test for test in plantable if test.concept == name]
    if by_concept:
        return by_concept
    try:
        return [test for test in catalogue.select(name) if test.kind in KINDS]
    except UnknownNameError as error:
        concepts = ", ".join(sorted({test.concept for test in plantable if test.concept}))
        raise UnknownNameError(f"planted: {name!r} is no concept ({concepts}). {error}") from error


def _plant_test(lexicon: Lexicon, test: Test, effect: float) -> None:
    axis = len(lexicon.effects)
    lexicon.effects.append(effect)
    lexicon.tests.append(test.id)
    lexicon.concepts.append(test.concept)
    words = {role: list(dict.fromkeys(test.roles[role].words)) for role in ("X", "Y", "A", "B")}
    shift = target_shift(effect, {role: len(some) for role, some in words.items()})
    for role, pole, mean, spread in (
        ("X", 1, shift, SPREAD),
        ("Y", -1, -shift, SPREAD),
        ("A", 1, ATTRIBUTE, 0.0),
        ("B", -1, -ATTRIBUTE, 0.0),
    ):
        for word in words[role]:
            lexicon.words.setdefault(word.casefold(), []).append(Loading(axis, pole, mean, spread))


def _plant_samples(lexicon: Lexicon, test: SamplesTest, effect: float) -> None:
    signs = {one.id: 1 if one.gender == "male" else -1 for one in test.samples.stereotypes}
    for sample in test.samples.samples:
        # A sentence with two stereotypes leans as the first of them does.
        lexicon.samples.setdefault(sample.sentence, signs[sample.stereotype] * effect)


def target_shift(effect: float, sizes: dict[str, int]) -> float:
    """Half the distance of X and Y on the axis that gives the declared population effect size.

    With the share p of X among the targets, d = D / sqrt(sigma^2 + p(1-p) D^2), solved for D; sigma^2
    holds the spread of the targets and the noise of a mean of cosines in NOISE_DIMENSIONS dimensions.
    """
    noise = (1 - ATTRIBUTE**2) * (1 - SPREAD**2) / NOISE_DIMENSIONS * (1 / sizes["A"] + 1 / sizes["B"])
    sigma = math.sqrt((2 * ATTRIBUTE * SPREAD) ** 2 + noise)
    share = sizes["X"] / (sizes["X"] + sizes["Y"])
    distance = sigma * effect / math.sqrt(1 - share * (1 - share) * effect**2)
    return distance / (4 * ATTRIBUTE)


def generator(seed: int, *parts: str) -> np.random.Generator:
    """A generator that depends on the seed and the text alone, on every machine."""
    text = "\0".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    return np.random.Generator(
        np.random.PCG64(int.from_bytes(hashlib.blake2b(text, digest_size=16).digest()))
    )
