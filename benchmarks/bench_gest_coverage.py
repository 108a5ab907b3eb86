"""GEST, each stereotype one observation: what Welch's interval covers, what is called negligible, and what the test rejects.

The masculine rates of 16 stereotypes lie about .7, by f_s higher for those about men, with a standard deviation among
themselves; n samples of each are drawn. In addition, what an interval over samples would call negligible. Then a world
in which stereotypes are alike in groups of three.
Run: python -m benchmarks.bench_gest_coverage [SETS]
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from biascore_metrics.gest.estimates import welch_interval

from .bench_gest_size import labellings, p_value

MALE = np.arange(16) >= 7
WEIGHTS = np.where(MALE, 1 / 9, -1 / 7)
BOUND = 0.03
GROUPS = np.array([0, 0, 0, 1, 1, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5])


def inside(low: float, high: float) -> bool:
    return low >= -BOUND and high <= BOUND


def kinds(sets: int) -> None:
    print(f"{sets} sets, percent\n  f_s    sd      n   covers   negligible: stereotypes   samples")
    for f_s, spread, n in product((0.0, BOUND, 2 * BOUND, 0.2), (0.0, 0.05, 0.1, 0.15), (20, 220, 2000)):
        rng = np.random.default_rng([round(100 * f_s), round(100 * spread), n])
        found = np.zeros(3)
        for _ in range(sets):
            truth = 0.7 + f_s * np.where(MALE, 0.5, -0.5) + spread * rng.standard_normal(16)
            shares = rng.binomial(n, truth.clip(0.001, 0.999)) / n
            welch = welch_interval(shares, MALE, 0.95)
            half = 1.96 * float(np.sqrt(shares * (1 - shares) / n @ WEIGHTS**2))
            middle = float(shares @ WEIGHTS)
            if welch is not None:
                found[:2] += welch.low <= f_s <= welch.high, inside(welch.low, welch.high)
            found[2] += inside(middle - half, middle + half)
        covers, over_stereotypes, over_samples = 100 * found / sets
        print(
            f"{f_s:>5}{spread:>6}{n:>7}{covers:>9.1f}{over_stereotypes:>25.1f}{over_samples:>10.1f}",
            flush=True,
        )


def groups(sets: int) -> None:
    weights = labellings()
    print("\nno f_s, sd .1, 220 samples; stereotypes alike in groups of three: rejected, covered")
    for shared in (0.0, 0.5, 0.8):
        rng = np.random.default_rng([7, round(10 * shared)])
        rejected = covered = 0
        for _ in range(sets):
            own = np.sqrt(shared) * rng.standard_normal(6)[GROUPS] + np.sqrt(
                1 - shared
            ) * rng.standard_normal(16)
            shares = rng.binomial(220, (0.7 + 0.1 * own).clip(0.001, 0.999)) / 220
            welch = welch_interval(shares, MALE, 0.95)
            rejected += p_value(shares, weights) <= 0.05
            covered += welch is not None and welch.low <= 0 <= welch.high
        print(f"correlation {shared}: {100 * rejected / sets:.1f}, {100 * covered / sets:.1f}", flush=True)


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    kinds(many)
    groups(many)
