"""The tables of docs/metrics/fise.md: size and power of the verdict, percent of sets, and coverage of the intervals.

Run: python -m benchmarks.bench_fise [sets]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from biascore.stats import cosine_matrix, holm
from biascore.stats.exchange import Exchange
from biascore.stats.labels import Labelled, distance_from_even
from biascore.stats.robust_mean import robust_mean
from biascore.stats.tightness import Tightness, direction_test
from biascore_metrics.fise.clusters import Clusters, distance_interval, effective_words, share_interval

Floats = npt.NDArray[np.float64]
D, WORDS, DRAWS, LEVEL = 100, 124, 499, 0.05
SIZES = ((18, 18), (10, 10))
"""Words in the two lists of each dimension."""


def unit(place: int) -> Floats:
    return np.eye(D)[place]


class World:
    """Targets and the lists A and B of two dimensions: noise of length 1 in D directions, and what a case adds."""

    def __init__(self, rng: np.random.Generator, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
        self.rng = rng
        self.words = self.noise(WORDS)
        self.units = np.arange(WORDS)
        self.lists = [[self.noise(a), self.noise(b)] for a, b in sizes]

    def noise(self, n: int) -> Floats:
        return self.rng.standard_normal((n, D)) / np.sqrt(D)

    def everywhere(self, shift: Floats) -> None:
        self.words += shift
        for pair in self.lists:
            for one in pair:
                one += shift

    def part(self, dimension: int, axis: Floats, by: float) -> None:
        """Move the lists of a dimension apart along an axis."""
        self.lists[dimension][0] += by / 2 * axis
        self.lists[dimension][1] -= by / 2 * axis


def topic(world: World) -> None:
    world.words += world.noise(1)


def common(by: float) -> Callable[[World], None]:
    return lambda world: world.everywhere(by * unit(0))


def scatter(times: float) -> Callable[[World], None]:
    def case(world: World) -> None:
        world.lists[0][0] *= times
        world.everywhere(unit(0))

    return case


def frequency(by: float) -> Callable[[World], None]:
    def case(world: World) -> None:
        world.words += 0.5 * unit(1)
        world.part(0, unit(1), by)

    return case


def shared(times: float) -> Callable[[World], None]:
    """Lists of both dimensions share a component that words vary ``times`` as far along, and are even on."""

    def case(world: World) -> None:
        for dimension in range(2):
            world.part(dimension, unit(dimension + 1), 1.0)
            world.part(dimension, unit(0), 1.0)
        world.words[:, 0] *= times

    return case


def real(by: float) -> Callable[[World], None]:
    """A real axis, on which words lean to neither side in their population."""
    return lambda world: world.part(0, unit(1), by)


def synonyms(size: int, cosine: float) -> Callable[[World], None]:
    def case(world: World) -> None:
        for one in world.lists[0]:
            base = np.repeat(world.noise(-(-len(one) // size)), size, axis=0)[: len(one)]
            one[:] = np.sqrt(cosine) * base + np.sqrt(1 - cosine) * one

    return case


def kinds(
    count: int,
    icc: float,
    *,
    axis: float = 1.0,
    declared: bool = False,
    unequal: bool = False,
    lean: float = 0.0,
) -> Callable[[World], None]:
    """Targets in sectors beside a real axis that they are even on in their population, or ``lean`` on."""

    def case(world: World) -> None:
        world.part(0, unit(1), axis)
        of = world.rng.choice(count, WORDS, p=world.rng.dirichlet(np.full(count, 1.5)) if unequal else None)
        world.words = np.sqrt(icc) * world.noise(count)[of] + np.sqrt(1 - icc) * world.words
        world.words += lean / np.sqrt(D) * unit(1)
        if declared:
            world.units = of

    return case


def hubs(times: float) -> Callable[[World], None]:
    """All words load on a common direction, by gamma distributed weights; those of A ``times`` as much."""

    def case(world: World) -> None:
        for one in (world.words, *(one for pair in world.lists for one in pair)):
            one += world.rng.gamma(2.0, 0.5, (len(one), 1)) * unit(0)
        world.lists[0][0][:, 0] *= times

    return case


def far(times: float) -> Callable[[World], None]:
    """Words vary ``times`` as far in one direction as in others, and lie off its centre."""

    def case(world: World) -> None:
        world.words[:, 0] = times * (world.words[:, 0] + 0.1)

    return case


def bias(lean: float, around: float, by: float = 1.0) -> Callable[[World], None]:
    """A real axis, and words that lean by so many of their standard deviations; all words round one direction."""

    def case(world: World) -> None:
        world.part(0, unit(1), by)
        world.words += lean / np.sqrt(D) * unit(1)
        world.everywhere(around * unit(0))

    return case


CASES: dict[str, tuple[Callable[[World], None], tuple[tuple[int, int], ...]]] = {
    "nothing planted": (common(0), SIZES),
    "targets share a topic": (topic, SIZES),
    "all words round one direction (cosine .8)": (common(2.0), SIZES),
    "words vary 3 times as far in one direction, off centre": (far(3.0), SIZES),
    "hubs": (hubs(1.0), SIZES),
    "hubs, A 1.5 times": (hubs(1.5), SIZES),
    "A scatters 1.2 times as far": (scatter(1.2), SIZES),
    "A scatters 1.5 times as far": (scatter(1.5), SIZES),
    "A scatters 2 times as far": (scatter(2.0), SIZES),
    "A scatters 1.5 times as far, 12 + 18": (scatter(1.5), ((12, 18), (10, 10))),
    "A scatters 1.5 times as far, 6 + 24": (scatter(1.5), ((6, 24), (10, 10))),
    "9 + 9 pairs of synonyms (.7), undeclared": (synonyms(2, 0.7), SIZES),
    "6 + 6 clusters of three (.5), undeclared": (synonyms(3, 0.5), SIZES),
    "a frequency direction, .3": (frequency(0.3), SIZES),
    "lists share a component, words even": (shared(1.0), SIZES),
    "the same, words vary twice as far on it": (shared(2.0), SIZES),
    "a real axis, words even": (real(1.0), SIZES),
    "the same, 4 + 4": (real(1.0), ((4, 4), (4, 4))),
    "the same, words in 31 kinds (.6)": (kinds(31, 0.6), SIZES),
    "in 12 kinds (.3)": (kinds(12, 0.3), SIZES),
    "in 12 kinds (.5)": (kinds(12, 0.5), SIZES),
    "in 12 kinds (.5), declared": (kinds(12, 0.5, declared=True), SIZES),
    "in 12 kinds of unequal size (.5)": (kinds(12, 0.5, unequal=True), SIZES),
    "in 12 kinds of unequal size (.5), declared": (kinds(12, 0.5, unequal=True, declared=True), SIZES),
    "in 6 kinds (.5)": (kinds(6, 0.5), SIZES),
    "in 3 kinds (.5)": (kinds(3, 0.5), SIZES),
    "no axis, words in 12 kinds (.5)": (kinds(12, 0.5, axis=0.0), SIZES),
    "POWER: words lean by .2 sd": (bias(0.2, 0.0), SIZES),
    "POWER: by .3 sd": (bias(0.3, 0.0), SIZES),
    "POWER: by .5 sd": (bias(0.5, 0.0), SIZES),
    "POWER: by .5 sd, all round one direction (.8)": (bias(0.5, 2.0), SIZES),
    "POWER: by .5 sd, all round one direction (.8), 6 + 24": (bias(0.5, 2.0), ((6, 24), (10, 10))),
    "POWER: by .5 sd, 6 + 6": (bias(0.5, 0.0), ((6, 6), (6, 6))),
    "POWER: by .5 sd, 12 kinds (.5)": (kinds(12, 0.5, lean=0.5), SIZES),
    "POWER: by 1 sd, 12 kinds (.5)": (kinds(12, 0.5, lean=1.0), SIZES),
}


def rejections(
    case: Callable[[World], None], sizes: tuple[tuple[int, int], ...], sets: int
) -> dict[str, float]:
    """Share of sets that each test rejects at 5 %, of the first dimension, and that each rule calls detected.

    ``before``: words as independent observations. ``caution``: that words lean as their neighbours do.
    """
    rng = np.random.default_rng(20260)
    found: dict[str, list[bool]] = {}
    for _ in range(sets):
        world = World(rng, sizes)
        case(world)
        dimensions, axes = [], []
        for pair in world.lists:
            both = np.concatenate(pair)
            exchange = Exchange.of((len(pair[0]), len(pair[1])))
            one = Labelled(cosine_matrix(world.words, both), len(pair[0]), exchange)
            tightness = Tightness.of(cosine_matrix(both, both), exchange)
            a, b = (unit_rows(part).mean(axis=0) for part in pair)
            q = tightness.difference
            axes.append((1 - q) * a - (1 + q) * b)
            dimensions.append((one, tightness))
        declared = bool(np.bincount(world.units).max() > 1)
        _, units = np.unique(world.units, return_inverse=True)
        made = Clusters.made(world.words, units, np.stack(axes), declared=declared)
        p = []
        for one, tightness in dimensions:
            scores = tightness.equalled(one)
            labels = direction_test(one, tightness, draws=DRAWS, rng=rng).two_sided.p_value
            apart, together = robust_mean(scores), robust_mean(scores, clusters=made.of)
            p.append((labels, apart.p_value(), together.p_value()))
        near = made.neighbours(dimensions[0][1].equalled(dimensions[0][0]), rng)
        of_first = dict(zip(("labels", "words apart", "words by clusters"), p[0], strict=True))
        rules = {
            "before": min(holm([max(labels, apart) for labels, apart, _ in p])),
            "**the verdict**": min(holm([max(labels, together) for labels, _, together in p])),
        }
        rejected = {name: value <= LEVEL for name, value in (of_first | rules).items()}
        warned = near is not None and near[0] > near[1]
        rejected["the verdict, no caution"] = rejected["**the verdict**"] and not warned
        for name, value in (rejected | {"caution": warned}).items():
            found.setdefault(name, []).append(bool(value))
    return {name: float(np.mean(values)) for name, values in found.items()}


def unit_rows(rows: Floats) -> Floats:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def coverage(sets: int, count: int, icc: float) -> dict[str, float]:
    """Coverage of 95 % intervals over 124 words in ``count`` declared kinds; independent words for none."""
    rng = np.random.default_rng(20262)
    held: dict[str, list[bool]] = {}
    for _ in range(sets):
        of = np.sort(rng.integers(count, size=WORDS)) if count else np.arange(WORDS)
        scores = np.sqrt(icc) * rng.standard_normal((WORDS, 2))[of]
        scores += np.sqrt(1 - icc) * rng.standard_normal((WORDS, 2))
        codes = (2 * (scores[:, 0] < 0) + (scores[:, 1] < 0)).astype(np.int8)
        counts = tuple(np.bincount(codes, minlength=4).tolist())
        mean = robust_mean(scores[:, 0], clusters=of)
        share = share_interval(codes == 0, of, 0.95)
        assert share is not None
        distance = distance_interval(counts, effective_words(codes, of, 4, 0.95), level=0.95, rng=rng)
        assert distance.low <= distance_from_even(counts) <= distance.high
        for name, covers in {
            "mean bias": mean.low <= 0 <= mean.high,
            "share of a group": share.low <= 0.25 <= share.high,
            "distance": distance.low == 0,
        }.items():
            held.setdefault(name, []).append(bool(covers))
    return {name: float(np.mean(values)) for name, values in held.items()}


def main(sets: int) -> None:
    """Print the tables as Markdown."""
    for title, rows in (
        (
            f"{sets} sets, {DRAWS} draws",
            ((name, rejections(case, sizes, sets)) for name, (case, sizes) in CASES.items()),
        ),
        (
            f"coverage, {5 * sets} sets",
            (
                (f"{count or WORDS} kinds, ICC {icc}", coverage(5 * sets, count, icc))
                for count, icc in ((0, 0.0), (37, 0.5), (12, 0.3), (12, 0.5))
            ),
        ),
    ):
        header: list[str] = []
        for name, found in rows:
            if not header:
                header = list(found)
                print(f"\n| {title} | " + " | ".join(header) + " |")
                print("|---" * (len(header) + 1) + "|")
            print(
                f"| {name} | " + " | ".join(f"{100 * value:.1f}" for value in found.values()) + " |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
