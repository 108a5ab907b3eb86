"""Coverage and width of `bootstrap_effect`, `effect_interval` ("tested") and `shift_interval`, by sample size and effect.

Run: python -m benchmarks.bench_interval_coverage [--samples 2000] [--resamples 2000] [--seed 20240501]

Scores of X and Y are drawn around means whose distance gives the true effect size d, which is the difference
of the population means over the population deviation of X and Y together (half of each). A coverage c of m
samples has a standard error of sqrt(c (1 - c) / m): 0.5 points at 95 % and 2000 samples. The last columns: how well
`shift_interval` covers the difference of the means, and in how many samples the studentized interval and the two-sided
permutation test contradict each other.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np

from biascore.stats import bootstrap_effect, effect_interval, permutation_test, shift_interval

Scores = Callable[[np.random.Generator, int], np.ndarray]

# Each pair has mean 0; the mean of the two variances is the third entry.
POPULATIONS: dict[str, tuple[Scores, Scores, float]] = {
    "normal": (lambda g, n: g.standard_normal(n), lambda g, n: g.standard_normal(n), 1.0),
    "normal, sd 1 and 2": (lambda g, n: g.standard_normal(n), lambda g, n: 2 * g.standard_normal(n), 2.5),
    "t with 5 df": (lambda g, n: g.standard_t(5, n), lambda g, n: g.standard_t(5, n), 5 / 3),
    "exponential": (lambda g, n: g.exponential(size=n) - 1, lambda g, n: g.exponential(size=n) - 1, 1.0),
}
METHODS = ("studentized", "tested")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20240501)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 8, 16, 32])
    parser.add_argument("--scores", nargs="+", choices=POPULATIONS, default=list(POPULATIONS))
    parser.add_argument("--effects", type=float, nargs="+", default=[0.0, 0.5, 1.0, 1.5])
    options = parser.parse_args()
    print(f"nominal 95 %, {options.samples} samples, {options.resamples} resamples, seed {options.seed}")
    print(
        f"{'scores':20s} {'n+n':>5s} {'d':>4s}   "
        + "   ".join(f"{m:>18s}" for m in (*METHODS, "mean difference", "contradictions"))
    )
    for name in options.scores:
        draw_x, draw_y, variance = POPULATIONS[name]
        for n in options.sizes:
            for d in options.effects:
                rng = np.random.default_rng([options.seed, n, int(100 * d)])
                shift = d * math.sqrt(variance / (1 - d * d / 4))
                cells = {method: [0, 0.0] for method in METHODS}
                covered = contradictions = 0
                for _ in range(options.samples):
                    x, y = draw_x(rng, n) + shift, draw_y(rng, n)
                    p = permutation_test(x, y, draws=options.resamples, rng=rng).two_sided.p_value
                    plain = bootstrap_effect(x, y, resamples=options.resamples, rng=rng)
                    tested = effect_interval(x, y, p_two_sided=p, resamples=options.resamples, rng=rng)
                    for method, found in zip(METHODS, (plain, tested), strict=True):
                        cells[method][0] += found.low <= d <= found.high
                        cells[method][1] += found.high - found.low
                    contradictions += (p <= 0.05) == (plain.low <= 0.0 <= plain.high)
                    of_shift = shift_interval(x, y, draws=options.resamples, rng=rng)
                    covered += of_shift.low <= shift <= of_shift.high
                row = "   ".join(
                    f"{100 * hits / options.samples:8.1f} % ({width / options.samples:.2f})".rjust(18)
                    for hits, width in cells.values()
                )
                ends = "   ".join(
                    f"{100 * k / options.samples:.1f} %".rjust(18) for k in (covered, contradictions)
                )
                print(f"{name:20s} {n:2d}+{n:2d} {d:4.1f}   {row}   {ends}", flush=True)


if __name__ == "__main__":
    main()
