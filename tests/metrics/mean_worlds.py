"""Worlds of answers in clusters: few clusters, one of them a giant, clusters that do not vary within, heavy tails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from biascore.designs import Mean
from biascore.designs.mean import Floats

SIGNED: Final = (-1.0, 1.0)
World = Callable[[np.random.Generator, float], Mean]
"""The mean of answers of -1 or 1 whose clusters have a bias of their own, which is so much on average."""


def world(own: Callable[[np.random.Generator, int], Floats], sizes: Sequence[int]) -> World:
    """Clusters of these sizes, with biases drawn from ``own`` around 0."""
    place = np.repeat(np.arange(len(sizes)), sizes)
    labels = {"templates": place.astype(str).tolist()}

    def drawn(rng: np.random.Generator, bias: float) -> Mean:
        means = np.clip(bias + own(rng, len(sizes)), -1.0, 1.0)[place]
        values = np.where(rng.random(place.size) < (1.0 + means) / 2.0, 1.0, -1.0)
        return Mean.of(values, labels, limits=SIGNED)

    return drawn


def normal(rng: np.random.Generator, count: int) -> Floats:
    return rng.normal(0.0, 0.1, count)


def heavy(rng: np.random.Generator, count: int) -> Floats:
    return 0.1 * rng.standard_t(2, count)


def constant(size: float) -> Callable[[np.random.Generator, int], Floats]:
    """All answers of a cluster, or nearly all, are one."""
    return lambda rng, count: rng.choice([-size, size], count)


def together(rng: np.random.Generator, count: int) -> Floats:
    """Most of what answers have is their cluster's."""
    return np.clip(rng.normal(0.0, 0.7, count), -1.0, 1.0)


WORLDS: Final[Mapping[str, World]] = {
    "25 templates of 40": world(normal, [40] * 25),
    "400 questions of one template, 24 of 10": world(normal, [400] + [10] * 24),
    "200, 100, 8 of 10": world(normal, [200, 100] + [10] * 8),
    "3 of 100, 20 of 8": world(normal, [100] * 3 + [8] * 20),
    "8 of 5 to 160": world(normal, [5, 5, 10, 10, 20, 40, 80, 160]),
    "2 of 20, 10 of 3, alike within": world(together, [20] * 2 + [3] * 10),
    "3 of 100, 20 of 8, alike within": world(together, [100] * 3 + [8] * 20),
    "8 of 5 to 160, alike within": world(together, [5, 5, 10, 10, 20, 40, 80, 160]),
    "4 of 40": world(normal, [40] * 4),
    "6 of 4": world(normal, [4] * 6),
    "2 of 12, constant": world(constant(1.0), [12] * 2),
    "3 of 12, constant": world(constant(1.0), [12] * 3),
    "4 of 12, nearly constant": world(constant(0.95), [12] * 4),
    "5 of 40, nearly constant": world(constant(0.95), [40] * 5),
    "6 of 12, constant": world(constant(1.0), [12] * 6),
    "8, one of 120, constant": world(constant(1.0), [120] + [12] * 7),
    "7 of 20, heavy tails (t, 2 df)": world(heavy, [20] * 7),
    "30 of 20, heavy tails (t, 2 df)": world(heavy, [20] * 30),
}
