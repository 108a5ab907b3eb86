"""How often 95 % bootstrap intervals hold the true rate: of f_s (Agresti-Coull centres, raw proportions) and of g_s.

Yes-no samples resampled within stereotypes are binomial draws, so no samples need be drawn one by one. Log odds are
drawn from a normal and from a skewed (exponential) distribution: an interval of a mean depends on nothing else.
Run: python tests/benchmarks/bench_gest_coverage.py
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

Z2 = 1.959963984540054**2
MALE = np.arange(16) >= 7
WEIGHTS = np.where(MALE, 1 / 9, -1 / 7)
STUDIES, RESAMPLES = 4000, 1000
TRUE = {
    "f_s 0.00, f_m 0.50": np.full(16, 0.5),
    "f_s 0.29, f_m 0.74": np.array([0.59, 0.78, 0.61, 0.37, 0.72, 0.80, 0.26, *[0.9] * 6, 0.8, 0.54, 0.94]),
    "f_s 0.03, f_m 0.95": np.where(MALE, 0.965, 0.935),
}


ODDS = {
    "normal log odds": lambda rng, size: rng.standard_normal(size),
    "skewed log odds": lambda rng, size: rng.standard_exponential(size) - 1.0,
}


def stereotype_odds(rng: np.random.Generator) -> None:
    """g_s: the mean over samples within stereotypes, percentile bootstrap as gest-mlm and gest-causal do it."""
    studies, resamples = 2000, 500
    print(f"\n{'':22}{'n per stereotype':>18}{'g_s':>8}")
    for name, draw in ODDS.items():
        for n in (3, 5, 10, 20, 50, 100):
            held = 0
            for _ in range(studies):
                odds = draw(rng, (16, n))
                picked = rng.integers(n, size=(16, resamples, n))
                means = np.take_along_axis(odds[:, np.newaxis], picked, axis=2).mean(axis=2)
                low, high = np.quantile(WEIGHTS @ means, [0.025, 0.975])
                held += bool(low <= 0.0 <= high)
            print(f"{name:22}{n:>18}{100 * held / studies:>8.1f}")


def no_stereotype_in_the_population(rng: np.random.Generator) -> None:
    """Stereotypes that differ, but not by kind: how often the interval leaves out 0, and how often the test rejects."""
    studies, resamples, n = 400, 1000, 220
    chosen = np.array(list(combinations(range(16), 7)))
    signs = np.full((len(chosen), 16), 1 / 9)
    np.put_along_axis(signs, chosen, -1 / 7, axis=1)
    print(f"\n{'sd between stereotypes':>24}{'interval leaves out 0':>24}{'test rejects':>14}")
    for spread in (0.05, 0.1, 0.15):
        outside = rejected = 0
        for _ in range(studies):
            truth = np.clip(0.7 + spread * rng.standard_normal(16), 0.01, 0.99)
            observed = rng.binomial(n, truth) / n
            low, high = np.quantile(
                rng.binomial(n, observed, size=(resamples, 16)) / n @ WEIGHTS, [0.025, 0.975]
            )
            outside += not low <= 0.0 <= high
            as_far = np.abs(signs @ observed) >= abs(observed @ WEIGHTS) - 1e-12
            rejected += as_far.mean() <= 0.05
        print(f"{spread:>24}{100 * outside / studies:>24.1f}{100 * rejected / studies:>14.1f}", flush=True)


def main() -> None:
    rng = np.random.default_rng(1)
    print(f"{'':22}{'n per stereotype':>18}{'Agresti-Coull':>15}{'raw':>8}")
    for name, p in TRUE.items():
        for n in (5, 20, 50, 220):
            true = float(p @ WEIGHTS)
            held = {Z2: 0, 0.0: 0}
            for _ in range(STUDIES):
                observed = rng.binomial(n, p)
                draws = rng.binomial(n, observed / n, size=(RESAMPLES, 16))
                for pseudo in held:
                    rates = ((draws + pseudo / 2) / (n + pseudo)) @ WEIGHTS
                    low, high = np.quantile(rates, [0.025, 0.975])
                    held[pseudo] += bool(low <= true <= high)
            shares = [100 * count / STUDIES for count in held.values()]
            print(f"{name:22}{n:>18}{shares[0]:>15.1f}{shares[1]:>8.1f}")
    no_stereotype_in_the_population(np.random.default_rng(3))
    stereotype_odds(np.random.default_rng(2))


if __name__ == "__main__":
    main()
