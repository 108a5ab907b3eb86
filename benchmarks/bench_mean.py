"""How often the one mean of items in clusters detects a bias that is not there, and one that is, and what it covers.

    python -m benchmarks.bench_mean [SETS]

Next to it, what CR2 with Bell and McCaffrey's degrees of freedom gives by itself: without those for the correlation within
clusters, and without the least p of few clusters.
"""

from __future__ import annotations

import sys
from functools import partial
from unittest.mock import patch

import numpy as np

from biascore.designs import mean
from biascore.stats import TTest
from tests.metrics.mean_worlds import WORLDS, World

ALPHA = 0.05
BIAS = 0.12


def without(world: World, sets: int) -> list[TTest]:
    """The t tests of the same sets, with degrees of freedom for independent answers."""
    rng = np.random.default_rng(1)
    with patch.object(mean, "robust_mean", partial(mean.robust_mean, within=0.0)):
        return [one.test for one in (world(rng, 0.0) for _ in range(sets)) if one.test]


def main(sets: int) -> None:
    """Print the table, in per cent of so many sets."""
    print(
        f"| templates of questions | nothing there | interval covers | without both rules | bias {BIAS:g} |"
    )
    print("|---|---|---|---|---|")
    for name, world in WORLDS.items():
        rng = np.random.default_rng(1)
        even = [world(rng, 0.0) for _ in range(sets)]
        biased = [world(rng, BIAS) for _ in range(sets // 4)]
        p = np.array([1.0 if one.p_value is None else one.p_value for one in even])
        plain = np.array([one.p_value for one in without(world, sets)])
        found = np.mean([one.p_value is not None and one.p_value <= ALPHA for one in biased])
        covers = [one.interval.low <= 0.0 <= one.interval.high for one in even if one.interval]
        cells = (np.mean(p <= ALPHA), np.mean(covers), (plain <= ALPHA).sum() / sets, found)
        print(f"| {name} | {' | '.join(f'{100 * one:.1f}' for one in cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
