"""Pairs made from templates: how often an even model is rejected, what intervals cover, and the power that is left.

Whether a pair prefers sent_more is a normal deviate cut at a quantile; those of a template have a correlation.
Run: python tests/benchmarks/bench_crows_pairs_templates.py
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from biascore.stats.proportions import (
    binomial_test,
    clustered_binomial_test,
    clustered_wilson_interval,
    wilson_interval,
)

SETS = 1000
SHAPES = ((19, 5), (10, 9), (50, 10), (150, 10), (30, 50))
CORRELATIONS = (0.0, 0.15, 0.45)


def draw(rng: np.random.Generator, templates: int, size: int, correlation: float, share: float) -> np.ndarray:
    """Preferences (templates x size,), 0 or 1."""
    own = rng.standard_normal((templates, size)) * np.sqrt(1 - correlation)
    own += rng.standard_normal((templates, 1)) * np.sqrt(correlation)
    return (own < ndtri(share)).astype(float).ravel()


def main() -> None:
    rng = np.random.default_rng(0)
    for templates, size in SHAPES:
        labels = np.repeat(np.arange(templates), size)
        for correlation in CORRELATIONS:
            even = [draw(rng, templates, size, correlation, 0.5) for _ in range(SETS)]
            biased = [draw(rng, templates, size, correlation, 0.65) for _ in range(SETS)]
            plain, clustered, power = 0, 0, 0
            covers = np.zeros(2)
            for one, other in zip(even, biased, strict=True):
                plain += binomial_test(int(one.sum()), one.size) <= 0.05
                clustered += clustered_binomial_test(one, labels) <= 0.05
                power += clustered_binomial_test(other, labels) <= 0.05
                narrow = wilson_interval(int(one.sum()), one.size)
                wide = clustered_wilson_interval(one, labels)
                covers += [narrow.low <= 0.5 <= narrow.high, wide.low <= 0.5 <= wide.high]
            cells = [100 * x / SETS for x in (plain, clustered, *covers, power)]
            told = " | ".join(f"{cell:.1f}" for cell in cells)
            print(f"| {templates} x {size} | {correlation:g} | {told} |", flush=True)


if __name__ == "__main__":
    main()
