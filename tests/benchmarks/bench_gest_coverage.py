"""How often 95 % bootstrap intervals of f_s hold the true f_s: Agresti-Coull centres and raw proportions.

Yes-no samples resampled within stereotypes are binomial draws, so no samples need be drawn one by one.
Run: python tests/benchmarks/bench_gest_coverage.py
"""

from __future__ import annotations

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


if __name__ == "__main__":
    main()
