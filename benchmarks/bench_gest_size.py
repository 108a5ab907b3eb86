"""How often gest-mt rejects where all stereotypes have one masculine rate: Agresti-Coull centres and raw shares.

The usable samples of stereotypes about men and about women differ in number, as an unequal yield alone makes them. The
test is that of the metric: all 11,440 labellings of 7 + 9 stereotypes, two-sided, at .05.
Run: python -m benchmarks.bench_gest_size
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

Z2 = 1.959963984540054**2
MALE = np.arange(16) >= 7
SETS = 1000
CASES = (
    (0.9, 5, 5),
    (0.9, 5, 10),
    (0.9, 10, 20),
    (0.9, 50, 200),
    (0.8, 10, 20),
    (0.95, 50, 200),
    (0.95, 100, 200),
    (0.95, 200, 200),
)


def labellings() -> np.ndarray:
    """Every way to call 9 of 16 stereotypes male, as weights of the difference of means; shape (11440, 16)."""
    chosen = np.array(list(combinations(range(16), int(MALE.sum()))))
    weights = np.full((len(chosen), 16), -1 / 7)
    np.put_along_axis(weights, chosen, 1 / 9, axis=1)
    return weights


def p_value(values: np.ndarray, weights: np.ndarray) -> float:
    """Of one set of sixteen numbers, ties counted."""
    observed = values[MALE].mean() - values[~MALE].mean()
    return float(np.mean(np.abs(weights @ values) >= abs(observed) - 1e-12))


def main() -> None:
    rng, weights = np.random.default_rng(1), labellings()
    print(f"{SETS} sets; p <= .05 in percent, and the mean f_s of the centres")
    print(f"{'rate':>5}{'men':>6}{'women':>7}{'Agresti-Coull':>15}{'raw':>7}{'mean f_s':>10}")
    for rate, men, women in CASES:
        n = np.where(MALE, men, women)
        rejected, f_s = np.zeros(2), []
        for _ in range(SETS):
            masculine = rng.binomial(n, rate)
            centres = (masculine + Z2 / 2) / (n + Z2)
            rejected += [p_value(centres, weights) <= 0.05, p_value(masculine / n, weights) <= 0.05]
            f_s.append(centres[MALE].mean() - centres[~MALE].mean())
        shares = 100 * rejected / SETS
        print(f"{rate:>5}{men:>6}{women:>7}{shares[0]:>15.1f}{shares[1]:>7.1f}{np.mean(f_s):>+10.3f}")


if __name__ == "__main__":
    main()
