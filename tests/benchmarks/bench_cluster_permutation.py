"""How often two tests over names reject a true null: Welch's t of a main effect, the permutation of an interaction.

Run: OMP_NUM_THREADS=1 python tests/benchmarks/bench_cluster_permutation.py [--sets 2000] [--seed 20260101]

Means of names in 2 x 2 cells, with a large effect of what is not tested (for the interaction: of race and of gender).
Percentages of SETS rejected at 5 %; a share of 5 % of 2000 sets has a standard error of 0.5 points.
Sizes are names that are male Anglo, female Anglo, male Latino, female Latino; scale multiplies the deviations of a cell.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from biascore.stats import cluster_means, ols, treatment
from biascore.stats.welch import welch

Draw = Callable[[np.random.Generator, int], np.ndarray]

DRAWS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "t, 3 df": lambda rng, n: rng.standard_t(3, size=n),
}
EQUAL = (1.0, 1.0, 1.0, 1.0)
CASES: tuple[tuple[str, tuple[int, int, int, int], tuple[float, float, float, float]], ...] = (
    ("normal", (3, 3, 3, 3), EQUAL),
    ("normal", (5, 5, 5, 5), EQUAL),
    ("normal", (8, 8, 8, 8), EQUAL),
    ("exponential", (5, 5, 5, 5), EQUAL),
    ("exponential", (8, 8, 8, 8), EQUAL),
    ("t, 3 df", (8, 8, 8, 8), EQUAL),
    ("normal", (4, 12, 8, 8), EQUAL),
    ("exponential", (4, 12, 8, 8), EQUAL),
    ("normal", (8, 8, 8, 8), (1, 3, 1, 3)),
    ("normal", (8, 8, 8, 8), (1, 1, 3, 3)),
    ("normal", (4, 12, 8, 8), (3, 1, 1, 1)),
    ("normal", (4, 12, 8, 8), (1, 3, 1, 1)),
    ("normal", (30, 30, 5, 5), (1, 1, 3, 3)),
    ("normal", (30, 30, 5, 5), (3, 3, 1, 1)),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=999, help="where not all labellings can be counted")
    parser.add_argument("--seed", type=int, default=20260101)
    options = parser.parse_args()
    print("scores        names            scale               race   interaction")
    for kind, sizes, scale in CASES:
        race, gender = np.repeat([0, 0, 1, 1], sizes), np.repeat([0, 1, 0, 1], sizes)
        names = [f"{k:03d}" for k in range(sum(sizes))]
        factors = {"race": race, "gender": gender}
        design = treatment(factors, order=2)
        rejected = np.zeros(2)
        for k in range(options.sets):
            rng = np.random.default_rng([options.seed, k])
            noise = DRAWS[kind](rng, race.size) * np.repeat(scale, sizes)
            fit = ols.fit(noise - 2.0 * gender, design)
            rejected[0] += welch(fit, names, {"race": ("1", "0")}).p_value <= 0.05
            means = cluster_means(noise + 3.0 * race - 2.0 * gender, names, factors)
            both = means.test({"race": ("1", "0"), "gender": ("1", "0")}, draws=options.draws, rng=rng)
            rejected[1] += both.two_sided.p_value <= 0.05
        shares = rejected / options.sets
        told = [" ".join(map(str, of)) for of in (sizes, scale)]
        print(f"{kind:13s} {told[0]:16s} {told[1]:18s} {shares[0]:5.1%}        {shares[1]:5.1%}", flush=True)


if __name__ == "__main__":
    main()
