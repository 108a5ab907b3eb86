"""Why LPBS asks every target with every attribute: power and size of designs in which each target meets some of each list.

Run: python -m benchmarks.bench_rotation [--worlds 1000] [--noises 0.5 1 2]

Associations of n + n targets with m + m attributes, and with 30 harmless groups of six words, are drawn in nats: what a
target and an attribute add by themselves (sd 3), what a target leans to a list (so that s has sd 1 of it), what an attribute
leans to X or Y (sd ``attributes``), what a list does as a whole (sd ``lists``; topics), and the noise of a cell. In cosines
of all-MiniLM-L6-v2 that noise is 1.5 to 4. All designs see the same worlds. d = .5 is that of the complete table. Scores of
incomplete tables are those of the additive fit (row + column, least squares: Yates 1936, Annals of Eugenics 7:121), in which
what targets and attributes add cancels.

Percent of worlds in which the p of the target labels is at most .05; at most .05 / 29, as Holm has it in an audit of 29
tests; the larger p of both labels; p and the share of harmless pairs, which is *detected* of a test alone; and after Holm.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.designs.crossed import Floats
from biascore.stats.harmless import pair_effects, rank

from .bench_validity import line, rule

Bools = npt.NDArray[np.bool_]

GROUPS, WORDS = 30, 6
LEVEL: Final = 0.05
TESTS: Final = 29
MAIN: Final = 3.0
LABELLINGS: Final = 1_999
DRAWS: Final = 60
"""Draws of the words of A and of B, for the share of the complete design."""
BATCH: Final = 50
ROTATIONS: Final = (10, 6, 3)
SIZES: Final = ((90, 30), (30, 15))
NOISES: Final = (0.5, 1.0)
EFFECTS: Final = (0.0, 0.5)
WORLDS: Final = {
    "independent": (0.0, 0.0),
    "words and attributes lean": (1.0, 0.0),
    "topics": (0.0, 0.5),
}
"""What the attributes and the lists lean by themselves."""


@dataclass(frozen=True)
class World:
    """Where tables are drawn: ``d`` of n + n targets and m + m attributes, and ``noise`` of a cell."""

    n: int
    m: int
    noise: float
    d: float
    attributes: float
    lists: float

    def drawn(self, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Tables (count, 2n, 2m), and of the groups (count, groups, 2n, words)."""
        sizes = [self.m, self.m] + [WORDS] * GROUPS
        of = np.repeat(np.arange(len(sizes)), sizes)
        side = np.repeat([0.5, -0.5], self.n)
        whole = self.lists * rng.standard_normal((count, 1, len(sizes)))
        whole[..., 0] += self.effect / 2
        whole[..., 1] -= self.effect / 2
        leans = rng.standard_normal((count, 2 * self.n, len(sizes))) / math.sqrt(2) + side[:, None] * whole
        cells = leans[..., of] + self.noise * rng.standard_normal((count, 2 * self.n, of.size))
        cells += side[:, None] * self.attributes * rng.standard_normal((count, 1, of.size))
        cells += MAIN * rng.standard_normal((count, 1, of.size))
        cells += MAIN * rng.standard_normal((count, 2 * self.n, 1))
        groups = cells[..., 2 * self.m :].reshape(count, 2 * self.n, GROUPS, WORDS)
        return cells[..., : 2 * self.m], groups.swapaxes(1, 2)

    @property
    def effect(self) -> float:
        """The mean difference of s, in nats."""
        return self.d * math.sqrt((1 + 2 * self.noise**2 / self.m) / (1 - self.d**2 / 4))


def rotation(rows: int, columns: int, each: int) -> Bools:
    """Which of so many rows meet which columns (rows, columns), ``each`` of them or all there are.

    Rows take the columns end to end, so that these are met equally often, give or take one. When a row ends where the
    first one began, the columns are gone through in other steps, from the next one on: so no columns meet the same rows
    only, whatever the order of either. It follows from the three numbers alone.
    """
    if each >= columns:
        return np.ones((rows, columns), dtype=np.bool_)
    steps = [step for step in range(1, columns // 2 + 1) if math.gcd(step, columns) == 1]
    turn = math.lcm(each, columns) // each
    found = np.zeros((rows, columns), dtype=np.bool_)
    for row in range(rows):
        number, place = divmod(row, turn)
        found[row, ((place * each + np.arange(each)) * steps[number % len(steps)] + number) % columns] = True
    return found


def thinned(table: Floats, most: int, rng: np.random.Generator) -> Floats:
    """The table with ``most`` of the cells of each row, drawn at random, and the columns that still have one."""
    order = np.where(np.isnan(table), 2.0, rng.random(table.shape))
    found = np.where(order.argsort(axis=1).argsort(axis=1) < most, table, np.nan)
    return found[:, ~np.isnan(found).all(axis=0)]


class Fit:
    """The additive fit of many tables of which the same cells were asked."""

    def __init__(self, asked: Bools) -> None:
        cells = asked.astype(np.float64)
        self.asked, self.met = cells, cells.sum(axis=1)
        normal = np.diag(cells.sum(axis=0)) - cells.T @ (cells / self.met[:, None])
        self.inverse = np.linalg.pinv(normal, rcond=1e-9, hermitian=True)

    def __call__(self, tables: Floats) -> Floats:
        """Adjusted means (..., n) of tables (..., n, m)."""
        means = (tables * self.asked).sum(axis=-1) / self.met
        columns = ((tables * self.asked).sum(axis=-2) - means @ self.asked) @ self.inverse
        found: Floats = means - columns @ self.asked.T / self.met
        return found


def p_values(scores: Floats, first: int, rng: np.random.Generator) -> Floats:
    """Two-sided permutation p (count,) of scores (count, n), whose labels are exchanged one by one."""
    labels = np.arange(scores.shape[1]) < first
    drawn = rng.permuted(np.tile(labels, (LABELLINGS, 1)), axis=1)
    weights = np.vstack([labels, drawn]) / first - ~np.vstack([labels, drawn]) / (labels.size - first)
    found = np.abs(scores @ weights.T)
    reached: Floats = (found >= found[:, :1] - 1e-12).sum(axis=1) / (1 + LABELLINGS)
    return reached


def found(world: World, tables: Floats, groups: Floats, each: int | None, rng: np.random.Generator) -> Floats:
    """Whether worlds (count, 5) are detected, in each of five ways."""
    count, n, m = len(tables), world.n, world.m
    half = rotation(n, m, each or m)
    asked = np.vstack([half, half])
    fit, across = Fit(asked), Fit(np.vstack([half.T, half.T]))
    s = fit(tables[..., :m]) - fit(tables[..., m:])
    g = across(tables[:, :n].swapaxes(1, 2)) - across(tables[:, n:].swapaxes(1, 2))
    p, q = p_values(s, n, rng), p_values(g, m, rng)
    few = min(each or m, WORDS)
    of_group = rotation(n, WORDS, few)
    means = Fit(np.vstack([of_group, of_group]))(groups).swapaxes(1, 2)
    own = np.empty((count, DRAWS, 2 * n, 2))
    for draw in range(DRAWS) if each is None else ():
        for side in (0, 1):
            words = side * m + rng.permuted(np.tile(np.arange(m), (count, 1)), axis=1)[:, :WORDS]
            own[:, draw, :, side] = np.take_along_axis(tables, words[:, None], axis=2).mean(axis=2)
    if each is not None:
        own = own[:, : 1 if few == each else 5]
        for draw in range(own.shape[1]):
            less = Fit(~np.isnan(thinned(np.where(asked, 0.0, np.nan), few, rng)))
            own[:, draw] = np.stack([less(tables[..., :m]), less(tables[..., m:])], axis=-1)
    every = pair_effects(means, n, 1)
    values = pair_effects(own, n, 1)[..., 0, 1]
    share = np.array(
        [rank(one, others, "two-sided").share for one, others in zip(values, every, strict=True)]
    )
    alone, holm = p <= LEVEL, p <= LEVEL / TESTS
    rare = share <= LEVEL
    return np.column_stack([alone, holm, np.maximum(p, q) <= LEVEL, alone & rare, holm & rare])


def cells(noises: Sequence[float]) -> Iterator[tuple[str, World, list[int]]]:
    """Every world, its name and its seed."""
    for n, m in SIZES:
        for name, (attributes, lists) in WORLDS.items():
            for noise in noises:
                for d in EFFECTS:
                    seed = [n, round(10 * noise), round(10 * d), list(WORLDS).index(name)]
                    told = f"{n}+{n} x {m}+{m} | {name} | {noise:g} | {d:g}"
                    yield told, World(n, m, noise, d, attributes, lists), seed


def drawn(worlds: int, noises: Sequence[float]) -> Iterator[str]:
    """Size and power of each design."""
    yield line(
        "lists", "world", "noise", "d", "design", "p", "after Holm", "larger p", "p, share", "Holm, share"
    )
    yield rule(10)
    for told, world, seed in cells(noises):
        designs: dict[int | None, list[Floats]] = {each: [] for each in (None, *ROTATIONS)}
        for number in range(-(-worlds // BATCH)):
            both = world.drawn(BATCH, np.random.default_rng([*seed, number]))
            for each, some in designs.items():
                some.append(found(world, *both, each, np.random.default_rng([*seed, number, 1])))
        for each, some in designs.items():
            shares = (f"{100 * one:.1f}" for one in np.concatenate(some).mean(axis=0))
            yield line(told, design(each), *shares)


def design(each: int | None) -> str:
    """What a design is called."""
    return "full" if each is None else str(each)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=1000, help="worlds a cell")
    parser.add_argument("--noises", type=float, nargs="+", default=NOISES)
    given = parser.parse_args()
    for row in drawn(given.worlds, given.noises):
        print(row, flush=True)


if __name__ == "__main__":
    main()
