"""Whether mt-geneval keeps its level: McNemar's exact test and Tango's interval of pairs, Fisher's and Newcombe's of others.

For each world 2000 sets of lines are drawn; lines of a pair are correct together with a correlation in probits. Printed in
percent: how often the test rejects, the interval covers, and it lies within the bound of .03.

    python -m benchmarks.bench_mt_geneval [--sets 2000]
"""

from __future__ import annotations

import argparse
from functools import cache

import numpy as np
from scipy.special import ndtri
from scipy.stats import fisher_exact

from biascore.stats.proportions import binomial_test, independent_difference, paired_difference

BOUND = 0.03


@cache
def paired(n: int, more: int, less: int) -> tuple[float, float, float]:
    """p-value and interval of n pairs."""
    found = paired_difference(more, less, n)
    return (binomial_test(more, more + less) if more + less else 1.0), found.low, found.high


@cache
def independent(n: int, a: int, b: int) -> tuple[float, float, float]:
    """p-value and interval of two samples of n."""
    found = independent_difference((a, n), (b, n))
    return float(fisher_exact(np.array([[a, n - a], [b, n - b]])).pvalue), found.low, found.high


def drawn(
    n: int, share: float, gap: float, correlation: float | None, sets: int, rng: np.random.Generator
) -> np.ndarray:
    """p-value and both ends of the interval (3, sets); without a correlation lines are no pairs."""
    z = rng.standard_normal((2, sets, n))
    if correlation:
        z[1] = correlation * z[0] + np.sqrt(1 - correlation**2) * z[1]
    she, he = z[0] < ndtri(share + gap), z[1] < ndtri(share)
    if correlation is None:
        return np.array(
            [independent(n, int(a), int(b)) for a, b in zip(she.sum(1), he.sum(1), strict=True)]
        ).T
    alone = zip((she & ~he).sum(1), (he & ~she).sum(1), strict=True)
    return np.array([paired(n, int(a), int(b)) for a, b in alone]).T


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    sets = parser.parse_args().sets
    rng = np.random.default_rng(1)
    print("| lines | correct, masculine | true gap | correlation | rejects | covers | negligible |")
    print("|---|---|---|---|---|---|---|")
    for n, correlation in ((280, 0.0), (280, 0.8), (30, 0.8), (500, None)):
        for share in (0.98, 0.8):
            for gap in (0.0, -0.1):
                p, low, high = drawn(n, share, gap, correlation, sets, rng)
                kind = "none: not paired" if correlation is None else f"{correlation:g}"
                rates = (p <= 0.05, (low <= gap) & (gap <= high), (low >= -BOUND) & (high <= BOUND))
                shown = " | ".join(f"{100 * one.mean():.1f}" for one in rates)
                print(f"| {n} | {share:g} | {gap:g} | {kind} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
