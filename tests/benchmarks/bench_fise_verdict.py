"""The table of docs/metrics/fise.md on what decides: size under nulls of lists and words, and power, percent of sets.

Run: python tests/benchmarks/bench_fise_verdict.py [sets] [dominance sets]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from biascore.stats import cosine_matrix, holm
from biascore.stats.exchange import Exchange
from biascore.stats.labels import (
    Labelled,
    cell_codes,
    distribution_test,
    interaction_test,
    share_difference_tests,
)
from biascore.stats.tightness import Tightness, direction_test, scatter_test
from biascore_metrics.fise.intervals import joint_intervals
from biascore_metrics.fise.leanings import Leaning, mean_over_units

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


def clusters(size: int, icc: float) -> Callable[[World], None]:
    """Targets in undeclared clusters beside a real axis that they are even on."""

    def case(world: World) -> None:
        world.part(0, unit(1), 1.0)
        base = np.repeat(world.noise(-(-WORDS // size)), size, axis=0)[:WORDS]
        world.words = np.sqrt(icc) * base + np.sqrt(1 - icc) * world.words

    return case


def declared(size: int, icc: float) -> Callable[[World], None]:
    def case(world: World) -> None:
        clusters(size, icc)(world)
        world.units = np.arange(WORDS) // size

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
    "the same, words in clusters of 4 (.6), undeclared": (clusters(4, 0.6), SIZES),
    "the same, declared as families": (declared(4, 0.6), SIZES),
    "POWER: words lean by .2 sd": (bias(0.2, 0.0), SIZES),
    "POWER: by .5 sd": (bias(0.5, 0.0), SIZES),
    "POWER: by .5 sd, all round one direction (.8)": (bias(0.5, 2.0), SIZES),
    "POWER: by 1 sd, all round one direction (.8)": (bias(1.0, 2.0), SIZES),
    "POWER: by .5 sd, 6 + 6": (bias(0.5, 0.0), ((6, 6), (6, 6))),
}


def rejections(
    case: Callable[[World], None], sizes: tuple[tuple[int, int], ...], sets: int
) -> dict[str, float]:
    """Share of sets that each test rejects at 5 %."""
    rng = np.random.default_rng(20260)
    found: dict[str, list[bool]] = {}
    for _ in range(sets):
        world = World(rng, sizes)
        case(world)
        dimensions, leanings = [], []
        for pair in world.lists:
            both = np.concatenate(pair)
            exchange = Exchange.of((len(pair[0]), len(pair[1])))
            one = Labelled(cosine_matrix(world.words, both), len(pair[0]), exchange)
            tightness = Tightness.of(cosine_matrix(both, both), exchange)
            dimensions.append(one)
            leanings.append(_leaning(one, tightness, world.units, rng))
        labels = [_labels(one, rng) for one in dimensions]
        interaction = interaction_test(*dimensions, draws=DRAWS, rng=rng).deciding.p_value
        distribution = distribution_test(dimensions, draws=DRAWS, rng=rng).test.p_value
        p = {
            "labels": labels[0],
            "labels at equal tightness": leanings[0].p_values[1].value,
            "words": leanings[0].p_values[2].value,
            "mean bias": leanings[0].p_values[0].value,
            "distribution": distribution,
            "interaction": interaction,
            "all four tests": float(min(holm([*labels, distribution, interaction]))),
            "the verdict": float(min(holm([one.p_values[0].value for one in leanings]))),
            "scatter": leanings[0].scatter.test.two_sided.p_value,
        }
        for name, value in p.items():
            found.setdefault(name, []).append(value <= LEVEL)
    return {name: float(np.mean(values)) for name, values in found.items()}


def _labels(one: Labelled, rng: np.random.Generator) -> float:
    # Drawn, as counting 18 + 18 words takes longer.
    drawn = Labelled(one.cosines.mean(axis=0, keepdims=True), one.n_a, one.exchange)
    greater = np.concatenate(list(drawn.relabelled(DRAWS, rng)), axis=1)[0]
    return float((1 + np.count_nonzero(np.abs(greater) >= abs(drawn.scores[0]) - 1e-12)) / (1 + DRAWS))


def _leaning(
    one: Labelled, tightness: Tightness, units: npt.NDArray[np.intp], rng: np.random.Generator
) -> Leaning:
    return Leaning(
        name="first",
        whole=float(one.scores.mean()),
        equalled=float(tightness.equalled(one).mean()),
        comparable=tightness.comparable,
        labels=direction_test(one, tightness, draws=DRAWS, rng=rng),
        words=mean_over_units(tightness.scores(one), units),
        scatter=scatter_test(tightness, draws=DRAWS, rng=rng),
        alpha=LEVEL,
    )


def dominance(sets: int, times: float) -> tuple[float, float, float, float]:
    """Words that vary ``times`` as far along the axes: power of (c) at a correlation of .6, and of (d), as it is and null.

    300 directions, 124 words, lists 7 standard deviations apart.
    """
    rng = np.random.default_rng(20261)
    directions, size = 300, 18
    found = []
    for _ in range(sets):
        row = []
        for correlation in (0.6, 0.0):
            words = rng.standard_normal((WORDS, directions))
            scores = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], WORDS)
            words[:, :2] = times * scores
            dimensions = []
            for axis in range(2):
                lists = rng.standard_normal((2, size, directions))
                lists[:, :, axis] += np.array([[3.5], [-3.5]])
                dimensions.append(Labelled.of(*(cosine_matrix(words, one) for one in lists)))
            interaction = interaction_test(*dimensions, draws=DRAWS, rng=rng).deciding.p_value
            other = Labelled.of(
                *(cosine_matrix(words, one) for one in rng.standard_normal((2, size, directions)))
            )
            codes = cell_codes([dimensions[0].scores, other.scores])
            tests = share_difference_tests(dimensions[1], codes, 4, draws=DRAWS, rng=rng)
            row += [interaction <= LEVEL, any(test is not None and test.p_value <= LEVEL for test in tests)]
        found.append(row)
    c, d, c_null, d_null = np.mean(found, axis=0).tolist()
    return c, d, c_null, d_null


def coverage(sets: int, size: int, icc: float) -> tuple[float, float]:
    """Coverage of 95 % intervals of a mean score over 124 words in clusters of ``size``: undeclared, and as families."""
    rng = np.random.default_rng(20262)
    clusters = np.arange(WORDS) // size
    held = []
    for _ in range(sets):
        shared = rng.standard_normal(clusters.max() + 1)[clusters]
        scores = np.sqrt(icc) * shared + np.sqrt(1 - icc) * rng.standard_normal(WORDS)
        row = []
        for units in (np.arange(WORDS), clusters):
            (interval,) = joint_intervals(
                lambda weights, units=units, scores=scores: {
                    "mean": weights[:, units] @ scores / weights[:, units].sum(axis=1)
                },
                int(units.max()) + 1, level=0.95, method="bca", resamples=1000, rng=rng,
            ).values()  # fmt: skip
            row.append(interval.low <= 0.0 <= interval.high)
        held.append(row)
    undeclared, declared = np.mean(held, axis=0).tolist()
    return undeclared, declared


def main(sets: int, dominance_sets: int) -> None:
    """Print the tables as Markdown."""
    print("| clusters of words, ICC | undeclared | families |\n|---|---|---|")
    for size, icc in ((1, 0.0), (4, 0.3), (4, 0.6), (10, 0.3)):
        found = coverage(sets, size, icc)
        print(f"| {size}, {icc} | " + " | ".join(f"{100 * value:.0f}" for value in found) + " |")
    print()
    header: list[str] = []
    for name, (case, sizes) in CASES.items():
        found = rejections(case, sizes, sets)
        if not header:
            header = list(found)
            print(f"| {sets} sets, {DRAWS} draws | " + " | ".join(header) + " |")
            print("|---" * (len(header) + 1) + "|")
        print(
            f"| {name} | " + " | ".join(f"{100 * value:.1f}" for value in found.values()) + " |", flush=True
        )
    print(
        f"\n| dominance, {dominance_sets} sets | (c) power | (d) any group, power | (c) null | (d) any group, null |"
    )
    print("|---" * 5 + "|")
    for times in (1.0, 1.5, 2.0, 3.0, 5.0, 8.0):
        values = dominance(dominance_sets, times)
        print(f"| {times:g} | " + " | ".join(f"{100 * value:.0f}" for value in values) + " |", flush=True)


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 400,
        int(sys.argv[2]) if len(sys.argv) > 2 else 100,
    )
