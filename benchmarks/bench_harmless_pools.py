"""The level of the share of harmless pairs: how often a pair of harmless groups itself has a share of at most 5 %.

    python -m benchmarks.bench_harmless_pools encoder glove

Leave-two-out over pairs of the shipped groups of people, on the tests of the English audit: with all groups, and over
20 pools of 40 groups drawn without replacement. Of a pool, a test takes the groups that are not about what it touches; tests
with fewer than 25 are left out. The level should be 4 to 7 %.
"""

from __future__ import annotations

import sys

import numpy as np

from biascore.designs.harmless import LEAST
from biascore.stats.harmless import leave_two_out
from biascore.stimuli import Catalogue

from .harmless_worlds import Place, audited

POOLS = 20
SIZE = 40


def main() -> None:
    """Print the table."""
    print(
        "| vectors | all groups: mean (range by test), % | pools of 40: mean (sd; range), % | "
        "by test and pool, 5th to 95th percentile |"
    )
    print("|---|---|---|---|")
    for name, _, catalogue, found in audited(sys.argv[1:]):
        print(row(name, found, catalogue), flush=True)


def row(name: str, found: list[Place], catalogue: Catalogue) -> str:
    """The levels with all groups and with pools of 40."""
    own = [100 * np.mean(one.pairs.share <= 0.05) for one in found]
    every = [one.name for one in catalogue.file("en", "people").lists]
    rng = np.random.default_rng(11)
    levels = np.full((POOLS, len(found)), np.nan)
    for pool in range(POOLS):
        kept = set(rng.permutation(every)[:SIZE])
        for number, one in enumerate(found):
            some = [place for place, group in enumerate(one.pairs.groups) if group in kept]
            if len(some) >= LEAST:
                of = [leave_two_out(effects[np.ix_(some, some)]) for effects in one.effects]
                levels[pool, number] = 100 * np.mean(np.mean(of, axis=0) <= 0.05)
    by_pool = np.nanmean(levels, axis=1)
    low, high = np.nanpercentile(levels, [5, 95])
    counted = int(np.sum(~np.isnan(levels).all(axis=0)))
    return (
        f"| {name}, {counted} of {len(found)} tests | {np.mean(own):.1f} ({min(own):.1f} to {max(own):.1f}) | "
        f"{by_pool.mean():.1f} ({by_pool.std(ddof=1):.1f}; {by_pool.min():.1f} to {by_pool.max():.1f}) | "
        f"{low:.1f} to {high:.1f} |"
    )


if __name__ == "__main__":
    main()
