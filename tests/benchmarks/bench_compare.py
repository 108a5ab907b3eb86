"""How often the interval of a paired change holds the true change, and how often its test rejects where there is none.

    python tests/benchmarks/bench_compare.py [samples]

Items of two models: a score of each, common to both in part. Beside it the unpaired interval and test of the same samples.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from biascore.stats import bootstrap_effect
from biascore.stats.contrasts import contrast_change, unpaired_change
from biascore.stats.paired import bootstrap_mean
from biascore.stats.proportions import wilson_interval

Floats = npt.NDArray[np.float64]
Groups = npt.NDArray[np.intp]
Ends = tuple[float, float]
RESAMPLES: Final = 400
DRAWS: Final = 399


@dataclass(frozen=True)
class Design:
    """Items by group, what is made of them, and the effect before and after; ``own``: the interval of one model."""

    name: str
    groups: Groups
    weights: tuple[float, ...]
    ddof: int | None
    draw: Callable[[np.random.Generator], tuple[Floats, Floats]]
    change: float
    own: Callable[[Floats, np.random.Generator], Ends] | None = None


def latent(rng: np.random.Generator, n: int, correlation: float) -> Floats:
    """(2, n): what makes an item what it is, alike in both models by the correlation."""
    mixed = np.linalg.cholesky([[1, correlation], [correlation, 1]])
    return mixed @ rng.standard_normal((2, n))


def words(n: int, before: float, after: float, correlation: float) -> Design:
    """n + n words, d in the population (over the deviation of all words)."""
    groups = np.repeat(np.array([0, 1]), n)
    sign = np.where(groups == 0, 0.5, -0.5)
    gaps = [d / np.sqrt(1 - d * d / 4) for d in (before, after)]

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, 2 * n, correlation)
        return z[0] + sign * gaps[0], 3 * (z[1] + sign * gaps[1]) + 0.7  # another scale, and a common shift

    def own(values: Floats, rng: np.random.Generator) -> Ends:
        found = bootstrap_effect(values[:n], values[n:], ddof=0, resamples=RESAMPLES, rng=rng)
        return found.low, found.high

    name = f"d {before:g} to {after:g}, {n} + {n} words, r {correlation}"
    return Design(name, groups, (1.0, -1.0), 0, draw, after - before, own)


def answers(n: int, before: float, after: float, correlation: float) -> Design:
    """n pairs, of which a share is preferred."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, n, correlation)
        return (z[0] < ndtri(before)).astype(float), (z[1] < ndtri(after)).astype(float)

    def own(values: Floats, rng: np.random.Generator) -> Ends:
        found = wilson_interval(int(values.sum()), n)
        return found.low, found.high

    name = f"share {before:g} to {after:g}, {n} pairs, r {correlation}"
    return Design(name, np.zeros(n, dtype=np.intp), (1.0,), None, draw, after - before, own)


def sentences(n: int, before: float, after: float, correlation: float, *, yes_no: bool) -> Design:
    """16 stereotypes of n sentences, which differ among themselves; the effect is that of 9 less that of 7."""
    groups = np.repeat(np.arange(16), n)
    weights = (*([1 / 9] * 9), *([-1 / 7] * 7))
    own_level = np.linspace(-0.6, 0.6, 16)[np.array([0, 9, 3, 12, 6, 15, 1, 10, 4, 13, 7, 2, 11, 5, 14, 8])]
    men = np.arange(16) < 9
    # Each stereotype moves by itself as well; of the 9 and of the 7 together by nothing.
    moves = np.where(np.arange(16) % 2 == 0, 0.3, -0.3)
    for side in (men, ~men):
        moves[side] -= moves[side].mean()
    means = [own_level + np.where(men, d / 2, -d / 2) for d in (before, after)]
    means[1] = means[1] + moves
    values = ndtr(means) if yes_no else means
    truth = float(np.dot(weights, values[1]) - np.dot(weights, values[0]))

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, 16 * n, correlation)
        old, new = z[0] + means[0][groups], z[1] + means[1][groups]
        return ((old > 0).astype(float), (new > 0).astype(float)) if yes_no else (old, new)

    kind = "f_s" if yes_no else "g_s"
    name = f"{kind} {before:g} to {after:g}, 16 x {n} sentences, r {correlation}"
    return Design(name, groups, weights, None, draw, truth)


def means_of(n: int, before: float, after: float, correlation: float) -> Design:
    """The mean of n skewed values."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        z = latent(rng, n, correlation)
        return np.exp(z[0]) + before, np.exp(z[1]) + after

    def own(values: Floats, rng: np.random.Generator) -> Ends:
        found = bootstrap_mean(values, resamples=RESAMPLES, rng=rng)
        return found.low, found.high

    name = f"mean {before:g} to {after:g}, {n} skewed items, r {correlation}"
    return Design(name, np.zeros(n, dtype=np.intp), (1.0,), None, draw, after - before, own)


def designs() -> Iterator[Design]:
    for correlation in (0.9, 0.5):
        for n in (8, 16, 32):
            yield words(n, 0.0, 0.0, correlation)
            yield words(n, 1.0, 1.0, correlation)
            yield words(n, 1.0, 0.3, correlation)
        for n in (50, 200):
            yield answers(n, 0.6, 0.6, correlation)
            yield answers(n, 0.6, 0.5, correlation)
        yield means_of(40, 0.0, 0.0, correlation)
        yield sentences(20, 0.4, 0.4, correlation, yes_no=False)
        yield sentences(20, 0.4, 0.1, correlation, yes_no=False)
        yield sentences(50, 0.4, 0.4, correlation, yes_no=True)


def main(samples: int) -> None:
    print(
        "held: of 95 % intervals, those with the true change; rejected: p <= .05 (where the change is 0: the size)"
    )
    for number, design in enumerate(designs()):
        rng = np.random.default_rng([15, number])
        held, rejected, width, other = 0, 0, 0.0, [0, 0, 0.0]
        for _ in range(samples):
            old, new = design.draw(rng)
            found = contrast_change(
                old, new, design.groups, design.weights, ddof=design.ddof, resamples=RESAMPLES, draws=DRAWS, rng=rng
            )  # fmt: skip
            assert found.interval is not None, found.problem
            held += found.interval.low <= design.change <= found.interval.high
            rejected += found.p_value <= 0.05
            width += (found.interval.high - found.interval.low) / samples
            if design.own is not None:
                apart = unpaired_change(
                    found.old, design.own(old, rng), found.new, design.own(new, rng), 0.95
                )
                assert apart.interval is not None
                other[0] += apart.interval.low <= design.change <= apart.interval.high
                other[1] += apart.p_value <= 0.05
                other[2] += (apart.interval.high - apart.interval.low) / samples
        line = f"{design.name:46} change {design.change:6.3f}  paired: held {100 * held / samples:5.1f}"
        line += f", rejected {100 * rejected / samples:5.1f}, width {width:.3f}"
        if design.own is not None:
            line += (
                f"; unpaired: held {100 * other[0] / samples:5.1f}, rejected {100 * other[1] / samples:5.1f}"
            )
            line += f", width {other[2]:.3f}"
        print(line, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
