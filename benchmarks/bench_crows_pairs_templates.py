"""Pairs made from templates: how often an even model is rejected, what intervals cover, and the power that is left.

Whether a pair prefers sent_more is a normal deviate cut at a quantile; those of a template have a correlation.
Run: python -m benchmarks.bench_crows_pairs_templates
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.special import ndtri

from biascore.designs.mean import Mean

SETS = 1000
SHAPES = ([5] * 19, [9] * 10, [10] * 50, [10] * 150, [50] * 30, [40] + [2] * 20, [20] * 2 + [3] * 10)
CORRELATIONS = (0.0, 0.15, 0.45)


def draw(rng: np.random.Generator, sizes: list[int], correlation: float, share: float) -> np.ndarray:
    """Preferences (sum of sizes,), 0 or 1."""
    own = rng.standard_normal(sum(sizes)) * np.sqrt(1 - correlation)
    own += np.repeat(rng.standard_normal(len(sizes)), sizes) * np.sqrt(correlation)
    return own < ndtri(share)


def main() -> None:
    rng = np.random.default_rng(0)
    for sizes in SHAPES:
        templates = {"templates": np.repeat(np.arange(len(sizes)), sizes).astype(str).tolist()}
        shown = " + ".join(f"{count} x {size}" for size, count in Counter(sizes).items())
        for correlation in CORRELATIONS:
            counted = np.zeros(5)
            for _ in range(SETS):
                even, biased = (draw(rng, sizes, correlation, share) for share in (0.5, 0.65))
                plain, clustered = Mean.share(even), Mean.share(even, templates)
                power = Mean.share(biased, templates)
                rejects = [(one.p_value or 1.0) <= 0.05 for one in (plain, clustered, power)]
                ends = [one.interval for one in (plain, clustered)]
                covers = [one is not None and one.low <= 0.5 <= one.high for one in ends]
                counted += [*rejects[:2], *covers, rejects[2]]
            told = " | ".join(f"{cell:.1f}" for cell in 100 * counted / SETS)
            print(f"| {shown} | {correlation:g} | {told} |", flush=True)


if __name__ == "__main__":
    main()
