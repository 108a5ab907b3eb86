"""Nouns with a grammatical direction that was put there, and words of a social bias along another one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biascore.stats import association, cosine_matrix
from biascore.stats.removal import Labelled, LowRankMap

Floats = NDArray[np.float64]
DIMENSIONS = 40


@dataclass(frozen=True)
class Planted:
    train: Labelled
    held_out: Labelled
    grammatical: Floats
    social: Floats


def axes(rng: np.random.Generator, count: int, dimensions: int = DIMENSIONS) -> Floats:
    """``count`` directions at right angles, one a row."""
    return np.linalg.qr(rng.standard_normal((dimensions, count)))[0].T


def nouns(
    rng: np.random.Generator, strength: float, *, train: int = 400, held_out: int = 150, classes: int = 2
) -> Planted:
    """Noise of length about 1, and class c shifted along its own grammatical direction by ``strength``.

    Two classes share one direction, with opposite signs.
    """
    found = axes(rng, 2 + classes)
    shifts = np.stack([-found[0], found[0]]) if classes == 2 else found[:classes]

    def drawn(each: int) -> Labelled:
        noise = rng.standard_normal((classes, each, DIMENSIONS)) / np.sqrt(DIMENSIONS)
        return Labelled.of(list(noise + strength * shifts[:, None, :]))

    return Planted(drawn(train), drawn(held_out), shifts, found[-1])


def social_words(rng: np.random.Generator, planted: Planted, each: int = 12) -> tuple[Floats, ...]:
    """Targets X, Y and attributes A, B that differ along the social direction; A is masculine and B feminine too."""
    noise = rng.standard_normal((4, each, DIMENSIONS)) / np.sqrt(DIMENSIONS)
    sides, gendered = np.array([1.0, -1.0, 1.0, -1.0]), np.array([0.0, 0.0, 1.0, -1.0])
    shifts = 0.3 * (np.outer(sides, planted.social) + np.outer(gendered, planted.grammatical[1]))
    return tuple(noise + shifts[:, None, :])


def target_scores(words: tuple[Floats, ...], change: LowRankMap | None = None) -> tuple[Floats, Floats]:
    """s(w, A, B) of the words of X and of Y."""
    x, y, a, b = words if change is None else tuple(change.apply(part) for part in words)
    return (
        association(cosine_matrix(x, a), cosine_matrix(x, b)),
        association(cosine_matrix(y, a), cosine_matrix(y, b)),
    )
